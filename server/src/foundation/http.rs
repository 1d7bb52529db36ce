//! What all calls share: header values, list parameters, pages.

use super::{listing::Cursor, locale::Locale};
use crate::error::Error;
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use protocol::{ErrorCode, permission::ROLES};
use serde::{Deserialize, Serialize};
use std::{
    future::{Ready, ready},
    sync::Arc,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The template of a request's path below `/api`, as routes are named.
fn template(req: &HttpRequest) -> String {
    let pattern = req.match_pattern().unwrap_or_default();
    pattern.strip_prefix("/api").unwrap_or(&pattern).to_owned()
}

/// Headers that calls read.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    pub idempotency_key: Option<String>,
    pub user_agent: String,
    /// Method and template, below `/api`: `POST /deposit-pix`.
    pub route: String,
    pub locale: Locale,
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
            route: format!("{} {}", req.method(), template(req)),
            locale: Locale::of_request(req.headers()),
        }))
    }
}

/// Parameters that lists share: page 1, limit 10, newest first. What of them a list reads, its documentation says with [`takes`].
#[derive(Clone, Debug, Default, Deserialize)]
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
    pub coin: Option<String>,
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub category: Option<String>,
    /// `csv`: all rows as a file instead of a page.
    #[serde(default)]
    pub format: Option<String>,
    /// Only what was there at this moment.
    #[serde(default, rename = "asOf")]
    pub as_of: Option<String>,
}

/// What lists take, a part for each: a list's documentation names the parts that it reads, and the rest is refused before it.
pub mod takes {
    use utoipa::IntoParams;

    /// Ten rows, unless the call's list is one of the next two.
    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Pages {
        /// From 1.
        #[param(minimum = 1, default = 1)]
        pub page: Option<i64>,
        /// At most 500.
        #[param(minimum = 1, maximum = 500, default = 10)]
        pub limit: Option<i64>,
    }

    /// What is read by levels: fifty rows.
    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct PagesOf50 {
        /// From 1.
        #[param(minimum = 1, default = 1)]
        pub page: Option<i64>,
        /// At most 500.
        #[param(minimum = 1, maximum = 500, default = 50)]
        pub limit: Option<i64>,
    }

    /// What is read in one go: a hundred rows.
    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct PagesOf100 {
        /// From 1.
        #[param(minimum = 1, default = 1)]
        pub page: Option<i64>,
        /// At most 500.
        #[param(minimum = 1, maximum = 500, default = 100)]
        pub limit: Option<i64>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query, rename_all = "camelCase")]
    pub struct AsOf {
        /// `meta.asOf` of the first page: what has come since then moves no row from one page to another.
        pub as_of: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Sorting {
        /// A key of the list's own closed set.
        #[param(default = "created_at")]
        pub sortby: Option<String>,
        /// `asc` or `desc`.
        #[param(default = "desc")]
        pub sortdirection: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Search {
        /// At most 100 characters.
        #[param(max_length = 100)]
        pub search: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Status {
        /// A word of the list's own closed set.
        pub status: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Function {
        /// Name of a role.
        pub function: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query, rename_all = "camelCase")]
    pub struct Days {
        /// First day, `YYYY-MM-DD` of São Paulo.
        pub start_date: Option<String>,
        /// Last day, inclusive.
        pub end_date: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query, rename_all = "camelCase")]
    pub struct Product {
        /// `license`, `liquidity_for_pools` or `plain`.
        pub selected_product: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct OfCoin {
        /// A coin of the list's own closed set.
        pub coin: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct OfKind {
        /// A word of the list's own closed set.
        pub kind: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Category {
        /// A word of the list's own closed set.
        pub category: Option<String>,
    }

    #[derive(IntoParams)]
    #[into_params(parameter_in = Query)]
    pub struct Format {
        /// `csv`: all rows, whatever page and limit, as a file; `X-Total-Rows` tells how many.
        pub format: Option<String>,
    }
}

/// List parameters after checking.
#[derive(Clone, Debug)]
pub struct Paging {
    pub page: i64,
    pub limit: i64,
    pub offset: i64,
    pub descending: bool,
    /// Only what was there then.
    pub as_of: Option<OffsetDateTime>,
    /// Where the rows are read for a file: `limit` of them each time, from where the last ones ended.
    pub file: Option<Arc<Cursor>>,
}

impl Paging {
    /// The same order, read whole through a cursor in pieces of so many rows.
    #[must_use]
    pub fn of(&self, piece: i64, cursor: &Arc<Cursor>) -> Self {
        Self {
            page: 1,
            limit: piece,
            offset: 0,
            descending: self.descending,
            as_of: self.as_of,
            file: Some(cursor.clone()),
        }
    }
}

/// A moment of a query, RFC 3339, of a year in which something can have happened: at the end of all time nothing can be added.
fn moment(field: &str, text: Option<&str>) -> Result<Option<OffsetDateTime>, Error> {
    let read = |text: &str| {
        OffsetDateTime::parse(text, &Rfc3339)
            .ok()
            .filter(|moment| (2000..=2200).contains(&moment.year()))
            .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid))
    };
    given(text).map(read).transpose()
}

/// What a parameter says, without the blanks around it; one that says nothing is none.
#[must_use]
pub fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// What a parameter names out of a closed set, if it says anything.
///
/// # Errors
/// `request.invalid` at the field for a word that the set does not have.
pub fn named<T>(
    field: &str,
    text: Option<&str>,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let unknown = || Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    given(text).map(|word| read(word).ok_or_else(unknown)).transpose()
}

impl ListParams {
    /// `function`, where it names a role.
    ///
    /// # Errors
    /// `request.invalid` for a role that there is not.
    pub fn role(&self) -> Result<Option<String>, Error> {
        match given(self.function.as_deref()) {
            Some(name) if !ROLES.contains(&name) => {
                Err(Error::code(ErrorCode::RequestInvalid).field("function", ErrorCode::RequestInvalid))
            }
            name => Ok(name.map(str::to_owned)),
        }
    }

    /// # Errors
    /// `request.invalid` for a page, limit or direction out of bounds.
    pub fn paging(&self, default_limit: i64) -> Result<Paging, Error> {
        let page = self.page.unwrap_or(1);
        let limit = self.limit.unwrap_or(default_limit);
        let wrong =
            |field: &str| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
        if !(1..=500).contains(&limit) {
            return Err(wrong("limit"));
        }
        if page < 1 || page.checked_mul(limit).is_none_or(|n| n > 100_000) {
            return Err(wrong("page"));
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
            as_of: moment("asOf", self.as_of.as_deref())?,
            file: None,
        })
    }

    /// Whether all rows are wanted as a file.
    ///
    /// # Errors
    /// `request.invalid` for a format that there is not.
    pub fn file(&self) -> Result<bool, Error> {
        match self.format.as_deref() {
            None | Some("") => Ok(false),
            Some("csv") => Ok(true),
            Some(_) => Err(Error::code(ErrorCode::RequestInvalid).field("format", ErrorCode::RequestInvalid)),
        }
    }

    /// What stands in it is right: asked before anything is looked up for it.
    ///
    /// # Errors
    /// `request.invalid` with the parameter.
    pub fn checked(&self) -> Result<(), Error> {
        self.paging(1)?;
        self.file().map(|_| ())
    }

    /// For a list of one order: only the defaults of every list.
    ///
    /// # Errors
    /// `request.invalid` for another key or direction.
    pub fn one_order(&self) -> Result<(), Error> {
        self.sort_key(&["created_at"])?;
        match self.sortdirection.as_deref() {
            None | Some("desc" | "") => Ok(()),
            Some(_) => {
                Err(Error::code(ErrorCode::RequestInvalid).field("sortdirection", ErrorCode::RequestInvalid))
            }
        }
    }

    /// When the newest of a page's rows came, where the list has the order of every list: by when its rows came.
    #[must_use]
    pub fn newest<Row>(&self, rows: &[Row], came: impl Fn(&Row) -> OffsetDateTime) -> Option<OffsetDateTime> {
        let by_time = matches!(self.sortby.as_deref(), None | Some("" | "created_at"));
        rows.iter().map(came).max().filter(|_| by_time)
    }

    /// What is searched for; how long it may be says the document, and the door holds it.
    #[must_use]
    pub fn searched(&self) -> Option<String> {
        given(self.search.as_deref()).map(str::to_owned)
    }

    /// The sort key out of a closed set; the first when none is given.
    ///
    /// # Errors
    /// `request.invalid` for a key outside the set.
    pub fn sort_key(&self, allowed: &[&'static str]) -> Result<&'static str, Error> {
        match given(self.sortby.as_deref()) {
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
        let read = |name: &str, text: Option<&str>| named(name, text, super::business_day::read);
        let first = read("startDate", self.start_date.as_deref())?.map(super::business_day::start);
        let end = read("endDate", self.end_date.as_deref())?
            .and_then(time::Date::next_day)
            .map(super::business_day::start);
        Ok((first, end))
    }
}

/// What a parameter names, separated by commas; nothing when it is absent.
///
/// # Errors
/// `request.invalid` at the field for a word that says nothing.
pub fn listed<T>(
    given: Option<&str>,
    field: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Error> {
    let words = given.unwrap_or_default().split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(|word| {
            read(word)
                .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid))
        })
        .collect()
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
    /// Of lists that grow while they are read: what the pages behind the first are asked with (`asOf`), so that they do not shift.
    #[serde(
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub as_of: Option<OffsetDateTime>,
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
                as_of: None,
            },
        }
    }

    /// Of a list whose newest rows come first: when the newest of them came, as the first page saw it. Not the clock's time: what is
    /// being written with an earlier one is not there yet.
    #[must_use]
    pub fn growing(mut self, paging: &Paging, newest: Option<OffsetDateTime>) -> Self {
        let first = newest.filter(|_| paging.page == 1 && paging.descending);
        self.meta.as_of = paging.as_of.or(first);
        self
    }
}
