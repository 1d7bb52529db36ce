//! Lists of payouts: what they are restricted to, how their rows and files are read, and the page of those who decide.

use super::{kind::Port, rules::State, service, store::Rows};
use crate::{
    approvals::{
        compliance::service::{self as compliance, CaseNote},
        foresight::{self, Waits},
    },
    error::Error,
    foundation::{
        context::Context,
        http::{ListParams, Meta, Page, Paging, given},
    },
    identity::caller::Scope,
};
use protocol::{ErrorCode, ids::UserId};
use time::OffsetDateTime;
use uuid::Uuid;

/// What a list is restricted to.
pub struct Filter<K: Rows> {
    pub state: Option<State>,
    /// What only this kind's lists know.
    pub narrow: K::Narrow,
    /// One customer's, for staff.
    pub owner: Option<UserId>,
    pub search: Option<String>,
    /// Name of a role that the customer holds; for staff.
    pub function: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

impl<K: Rows> Default for Filter<K> {
    fn default() -> Self {
        Self {
            state: None,
            narrow: K::Narrow::default(),
            owner: None,
            search: None,
            function: None,
            from: None,
            until: None,
        }
    }
}

/// What a parameter may not say.
#[track_caller]
pub fn invalid(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

impl<K: Rows> Filter<K> {
    /// What a list was asked for; the kind's words of `status` are read by `status`.
    ///
    /// # Errors
    /// `request.invalid`.
    pub fn read(
        params: &ListParams,
        status: impl FnOnce(&str) -> Option<(Option<State>, K::Narrow)>,
    ) -> Result<Self, Error> {
        let (from, until) = params.days()?;
        let (state, narrow) = match given(params.status.as_deref()) {
            None => (None, K::Narrow::default()),
            Some(word) => status(word).ok_or_else(|| invalid("status"))?,
        };
        Ok(Self {
            state,
            narrow,
            owner: None,
            search: params.searched(),
            function: params.role()?,
            from,
            until,
        })
    }
}

/// Reads a list's rows.
pub fn reader<K: Port>(
    context: &Context,
    scope: Scope,
    filter: Filter<K>,
    sort: &'static str,
) -> impl AsyncFn(Paging) -> Result<(Vec<K::View>, i64), Error> + use<K> {
    let context = context.clone();
    async move |paging: Paging| {
        let (rows, total) = service::list(&context, scope, &filter, &paging, sort).await?;
        Ok((rows.iter().map(K::view).collect::<Result<_, _>>()?, total))
    }
}

/// The page of those who decide: rows with their cases, and how the queue stands whatever the filters.
pub struct Desk<Row> {
    pub data: Vec<Row>,
    pub meta: Meta,
    pub pending: i64,
    pub oldest: Option<OffsetDateTime>,
}

/// What a row for those who decide shows beside the payout.
pub struct Beside {
    pub case: Option<CaseNote>,
    /// Two persons approve of it: they are needed, or would be if the one who looks approved now.
    pub two: bool,
}

/// Reads a page for one of those who decide.
///
/// # Errors
/// Whatever the database refuses.
pub async fn desk<K: Port, Row>(
    context: &Context,
    scope: Scope,
    by: UserId,
    filter: &Filter<K>,
    paging: &Paging,
    sort: &'static str,
    row: fn(&K::Shown, Beside) -> Result<Row, Error>,
) -> Result<Desk<Row>, Error> {
    let (rows, total) = service::list(context, scope, filter, paging, sort).await?;
    let (pending, oldest) = service::queue::<K>(context).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.as_ref().id).collect();
    let mut cases = compliance::notes(context, K::name(), &ids).await?;
    let waiting: Vec<Waits> = rows.iter().filter_map(|row| row.as_ref().waits()).collect();
    let two = foresight::need_two(context, by, K::DECIDED, &waiting).await?;
    let data: Vec<Row> = rows
        .iter()
        .map(|shown| {
            let line = shown.as_ref();
            let beside = Beside {
                case: cases.remove(&line.id),
                two: line.is_large() || two.contains(&line.id),
            };
            row(shown, beside)
        })
        .collect::<Result<_, _>>()?;
    let newest = rows.iter().map(|row| row.as_ref().created_at).max();
    let newest = newest.filter(|_| sort == "created_at");
    let Page { data, meta } = Page::new(data, paging, total).growing(paging, newest);
    Ok(Desk {
        data,
        meta,
        pending,
        oldest,
    })
}
