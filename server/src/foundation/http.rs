//! What all calls share: header values, list parameters, pages.

use crate::error::Error;
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use protocol::ErrorCode;
use serde::{Deserialize, Serialize};
use std::future::{Ready, ready};

/// Headers that calls read.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    pub idempotency_key: Option<String>,
    pub user_agent: String,
}

impl FromRequest for Headers {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = |name: &str| {
            req.headers()
                .get(name)
                .and_then(|v| v.to_str().ok())
                .map(str::to_owned)
        };
        ready(Ok(Self {
            idempotency_key: text("idempotency-key"),
            user_agent: text("user-agent").unwrap_or_default().chars().take(200).collect(),
        }))
    }
}

/// Parameters of every list (product.md §7): page 1, limit 10, newest first.
#[derive(Clone, Debug, Deserialize, utoipa::IntoParams, utoipa::ToSchema)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// From 1.
    #[serde(default)]
    pub page: Option<i64>,
    /// At most 500.
    #[serde(default)]
    pub limit: Option<i64>,
    /// A key of the list's own closed set; `created_at` by default.
    #[serde(default)]
    pub sortby: Option<String>,
    /// `asc` or `desc`.
    #[serde(default)]
    pub sortdirection: Option<String>,
    #[serde(default)]
    pub search: Option<String>,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub function: Option<String>,
    /// First day, `YYYY-MM-DD` of São Paulo.
    #[serde(default, rename = "startDate")]
    pub start_date: Option<String>,
    /// Last day, inclusive.
    #[serde(default, rename = "endDate")]
    pub end_date: Option<String>,
    #[serde(default, rename = "selectedProduct")]
    pub selected_product: Option<String>,
    #[serde(default)]
    pub category: Option<String>,
}

/// List parameters after checking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    pub page: i64,
    pub limit: i64,
    pub offset: i64,
    pub descending: bool,
}

impl ListParams {
    /// # Errors
    /// `request.invalid` for a page, limit or direction out of bounds.
    pub fn paging(&self, default_limit: i64) -> Result<Paging, Error> {
        let page = self.page.unwrap_or(1);
        let limit = self.limit.unwrap_or(default_limit);
        let bounded =
            (1..=500).contains(&limit) && page >= 1 && page.checked_mul(limit).is_some_and(|n| n <= 100_000);
        if !bounded {
            return Err(Error::code(ErrorCode::RequestInvalid).field("page", ErrorCode::RequestInvalid));
        }
        let descending = match self.sortdirection.as_deref() {
            None | Some("desc" | "") => true,
            Some("asc") => false,
            Some(_) => {
                return Err(
                    Error::code(ErrorCode::RequestInvalid).field("sortdirection", ErrorCode::RequestInvalid)
                );
            }
        };
        Ok(Paging {
            page,
            limit,
            offset: (page - 1) * limit,
            descending,
        })
    }

    /// The sort key out of a closed set; the first when none is given.
    ///
    /// # Errors
    /// `request.invalid` for a key outside the set.
    pub fn sort_key(&self, allowed: &[&'static str]) -> Result<&'static str, Error> {
        match self.sortby.as_deref().filter(|s| !s.is_empty()) {
            None => Ok(allowed.first().copied().unwrap_or("created_at")),
            Some(key) => allowed.iter().copied().find(|a| *a == key).ok_or_else(|| {
                Error::code(ErrorCode::RequestInvalid).field("sortby", ErrorCode::RequestInvalid)
            }),
        }
    }

    /// The asked days as instants: from the first day's beginning up to, not including, the day after the last.
    ///
    /// # Errors
    /// `request.invalid` for what is not a date.
    pub fn days(&self) -> Result<(Option<time::OffsetDateTime>, Option<time::OffsetDateTime>), Error> {
        let format = time::macros::format_description!("[year]-[month]-[day]");
        let read = |name: &str, text: Option<&str>| match text.filter(|t| !t.is_empty()) {
            None => Ok(None),
            Some(text) => time::Date::parse(text, format)
                .map(Some)
                .map_err(|_| Error::code(ErrorCode::RequestInvalid).field(name, ErrorCode::RequestInvalid)),
        };
        let first = read("startDate", self.start_date.as_deref())?.map(super::business_day::start);
        let end = read("endDate", self.end_date.as_deref())?
            .and_then(time::Date::next_day)
            .map(super::business_day::start);
        Ok((first, end))
    }
}

/// The answer of every list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Page<T> {
    pub data: Vec<T>,
    pub meta: Meta,
}

#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub page: i64,
    pub limit: i64,
    pub total: i64,
    pub last_page: i64,
}

impl<T> Page<T> {
    #[must_use]
    pub fn new(data: Vec<T>, paging: &Paging, total: i64) -> Self {
        let last_page = ((total + paging.limit - 1) / paging.limit).max(1);
        Self {
            data,
            meta: Meta {
                page: paging.page,
                limit: paging.limit,
                total,
                last_page,
            },
        }
    }
}
