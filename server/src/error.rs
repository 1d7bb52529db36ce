//! Failures of use cases, as clients see them: a code, its status, a sentence in the caller's language, fields.
//!
//! Inner causes are logged once, here, and never reach a client.

use crate::foundation::locale::{Locale, filled};
use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use protocol::ErrorCode;
use serde::Serialize;
use std::{collections::BTreeMap, fmt, panic::Location};

/// A failed use case.
pub struct Error {
    code: ErrorCode,
    fields: Vec<(String, ErrorCode)>,
    params: BTreeMap<&'static str, String>,
    retry_after: Option<u32>,
    source: Option<anyhow::Error>,
    location: &'static Location<'static>,
}

/// The body of every refusal.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// Machine-readable, stable.
    #[schema(value_type = String)]
    pub code: ErrorCode,
    /// In the caller's language.
    pub message: String,
    /// Per field, in the caller's language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, Vec<String>>,
    /// Values that the message speaks of (a next date, a limit).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<&'static str, String>,
}

impl Error {
    #[track_caller]
    #[must_use]
    pub fn code(code: ErrorCode) -> Self {
        Self {
            code,
            fields: Vec::new(),
            params: BTreeMap::new(),
            retry_after: None,
            source: None,
            location: Location::caller(),
        }
    }

    /// Something that cannot be; the sentence is for the log only.
    #[track_caller]
    #[must_use]
    pub fn internal(reason: impl Into<String>) -> Self {
        Self {
            source: Some(anyhow::anyhow!(reason.into())),
            ..Self::code(ErrorCode::Internal)
        }
    }

    /// Points at a field of the request.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, code: ErrorCode) -> Self {
        self.fields.push((name.into(), code));
        self
    }

    /// Points at the field that the whole request is about, where it is refused and names none itself.
    #[must_use]
    pub fn about(self, name: &str) -> Self {
        let code = self.code;
        if self.fields.is_empty() && matches!(code.status(), 403 | 409 | 422) {
            self.field(name, code)
        } else {
            self
        }
    }

    /// A value for the message's `{name}`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.params.insert(name, value.to_string());
        self
    }

    /// Tells the client when to try again, in seconds.
    #[must_use]
    pub const fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// It says itself when to try again.
    #[must_use]
    pub const fn is_for_now(&self) -> bool {
        self.retry_after.is_some()
    }

    #[must_use]
    pub const fn error_code(&self) -> ErrorCode {
        self.code
    }

    /// Seconds after which the client may try again.
    #[must_use]
    pub const fn retries_after(&self) -> Option<u32> {
        self.retry_after
    }

    /// The sentence of a code: one that says how long, where that is more than a moment.
    fn sentence(&self, locale: Locale, code: ErrorCode) -> &'static str {
        match self.retry_after {
            Some(seconds) if code == ErrorCode::RateLimited && seconds > MOMENT => {
                locale.text("waits", code.as_str())
            }
            // Said with the id where a person was named by it.
            _ if code == ErrorCode::UserUnknown && self.params.contains_key("id") => {
                locale.text("named", code.as_str())
            }
            _ => locale.text("errors", code.as_str()),
        }
    }

    /// The body in a language.
    #[must_use]
    pub fn body(&self, locale: Locale) -> ErrorBody {
        let fill = |code: ErrorCode| {
            let waits = self.retry_after.map(waiting_time);
            filled(self.sentence(locale, code), |name| match name {
                "time" if code == ErrorCode::RateLimited => waits.as_deref(),
                _ => self.params.get(name).map(String::as_str),
            })
        };
        let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (field, code) in &self.fields {
            errors.entry(field.clone()).or_default().push(fill(*code));
        }
        ErrorBody {
            code: self.code,
            message: fill(self.code),
            errors,
            params: self.params.clone(),
        }
    }
}

/// What a person just waits for.
const MOMENT: u32 = 60;

/// A time to wait as all three languages write it, rounded up: "15 min", "2 h 5 min", "24 h".
fn waiting_time(seconds: u32) -> String {
    let minutes = seconds.div_ceil(60);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.code.as_str(), self.location)?;
        match &self.source {
            Some(source) => write!(f, ": {source:#}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())
    }
}

impl std::error::Error for Error {}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        if self.code.status() >= 500 {
            tracing::error!(error = ?self, "request failed");
        }
        let mut response = HttpResponse::build(self.status_code());
        let retry = self.retry_after.or(match self.code.status() {
            429 | 503 => Some(2),
            _ => None,
        });
        if let Some(seconds) = retry {
            response.insert_header(("Retry-After", seconds.to_string()));
        }
        response.json(self.body(Locale::current()))
    }
}

impl From<sqlx::Error> for Error {
    #[track_caller]
    fn from(error: sqlx::Error) -> Self {
        let code = match &error {
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_) => ErrorCode::Unavailable,
            sqlx::Error::Database(db) => match db.code().as_deref() {
                // shutting down, starting up, connection limits, statement timeout, serialisation, deadlock
                Some("57P01" | "57P02" | "57P03" | "53300" | "57014" | "40001" | "40P01") => {
                    ErrorCode::Unavailable
                }
                _ => ErrorCode::Internal,
            },
            _ => ErrorCode::Internal,
        };
        Self {
            source: Some(error.into()),
            ..Self::code(code)
        }
    }
}

impl From<serde_json::Error> for Error {
    #[track_caller]
    fn from(error: serde_json::Error) -> Self {
        Self {
            source: Some(error.into()),
            ..Self::code(ErrorCode::Internal)
        }
    }
}

impl From<anyhow::Error> for Error {
    #[track_caller]
    fn from(error: anyhow::Error) -> Self {
        Self {
            source: Some(error),
            ..Self::code(ErrorCode::Internal)
        }
    }
}

impl From<garde::Report> for Error {
    #[track_caller]
    fn from(report: garde::Report) -> Self {
        report
            .iter()
            .fold(Self::code(ErrorCode::RequestInvalid), |error, (path, _)| {
                error.field(path.to_string(), ErrorCode::RequestInvalid)
            })
    }
}

/// Whether the database refused because of this constraint.
#[must_use]
pub fn violates(error: &sqlx::Error, constraint: &str) -> bool {
    matches!(error, sqlx::Error::Database(db) if db.constraint() == Some(constraint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_people_wrote_is_no_template() {
        let error = Error::code(ErrorCode::OutboundPaused)
            .with("reason", "{review} {time}")
            .with("review", "{reason}");
        for locale in Locale::ALL {
            let said = error.body(locale).message;
            assert!(
                said.contains("{review} {time}") && said.contains("{reason}"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_long_wait_is_said_with_its_time() {
        let said = |seconds: Option<u32>, locale| {
            let error = Error::code(ErrorCode::RateLimited);
            seconds
                .into_iter()
                .fold(error, Error::retry_after)
                .body(locale)
                .message
        };
        for short in [None, Some(1), Some(60)] {
            assert_eq!(
                said(short, Locale::En),
                "Too many attempts. Wait a moment and try again."
            );
        }
        for (seconds, time) in [
            (61, "2 min"),
            (900, "15 min"),
            (3_541, "1 h"),
            (7_500, "2 h 5 min"),
            (86_400, "24 h"),
        ] {
            assert_eq!(
                said(Some(seconds), Locale::En),
                format!("Too many attempts. Try again in {time}.")
            );
            for locale in Locale::ALL {
                let words = said(Some(seconds), locale);
                assert!(words.contains(time) && !words.contains('{'), "{words}");
            }
        }
    }
}
