//! SQL of the sales report.

use super::{SaleGroup, SaleRow};
use crate::{
    error::Error,
    foundation::{
        http::Paging,
        listing::{self, Came, DaysReport, Summed},
    },
    identity::roles,
    ledger::amount::Amount,
};
use protocol::{money::Usdt, views::LicenceState};
use serde::Serialize;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// How a licence was paid: the words of `selectedMethod` by which one is sold, and `sponsored`. PIX is none of them: what comes by it is credited to
/// the balance, and the licence is bought from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaleMethod {
    UsdtBep20,
    BusdBep20,
    Bnb,
    Balance,
    Sponsored,
}

impl SaleMethod {
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "usdt_bep20" => Some(Self::UsdtBep20),
            "busd_bep20" => Some(Self::BusdBep20),
            "bnb" => Some(Self::Bnb),
            "balance" => Some(Self::Balance),
            "sponsored" => Some(Self::Sponsored),
            _ => None,
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UsdtBep20 => "usdt_bep20",
            Self::BusdBep20 => "busd_bep20",
            Self::Bnb => "bnb",
            Self::Balance => "balance",
            Self::Sponsored => "sponsored",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub search: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
    pub method: Option<SaleMethod>,
    pub state: Option<LicenceState>,
    /// Name of a role that the buyer holds.
    pub function: Option<String>,
}

#[derive(sqlx::FromRow)]
pub struct Row {
    id: Uuid,
    owner: Uuid,
    username: String,
    full_name: String,
    value: i64,
    is_high_risk: bool,
    method: String,
    received: Option<Amount>,
    tx: Option<Vec<u8>>,
    state: String,
    created_at: OffsetDateTime,
}

fn method(text: &str) -> Result<SaleMethod, Error> {
    SaleMethod::read(text).ok_or_else(|| Error::internal("a sale of an unknown method"))
}

impl TryFrom<Row> for SaleRow {
    type Error = Error;

    fn try_from(r: Row) -> Result<Self, Error> {
        Ok(Self {
            id: r.id.into(),
            user: r.owner.into(),
            username: r.username,
            full_name: r.full_name,
            value: Usdt(r.value),
            is_high_risk: r.is_high_risk,
            method: method(&r.method)?,
            wei: r.received.map(|w| w.0.to_string()),
            transaction: r.tx.map(|t| format!("0x{}", hex::encode(t))),
            state: r
                .state
                .parse()
                .map_err(|()| Error::internal("a licence of an unknown state"))?,
            created_at: r.created_at,
        })
    }
}

const SALES: &str = "(SELECT l.id, l.owner, a.username, a.full_name, l.value, l.is_high_risk, l.state, l.paid_at AS created_at,
    d.received, d.tx, CASE WHEN d.id IS NOT NULL THEN CASE d.coin WHEN 'busd' THEN 'busd_bep20' WHEN 'bnb' THEN 'bnb' ELSE 'usdt_bep20' END
        WHEN l.source = 'sponsored' THEN 'sponsored' ELSE 'balance' END AS method
    FROM licences.licence l JOIN identity.account a ON a.id = l.owner LEFT JOIN wallet.deposit d ON d.licence = l.id) s";

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(method) = filter.method {
        query.push(" AND method = ").push_bind(method.as_str());
    }
    if let Some(state) = filter.state {
        query.push(" AND state = ").push_bind(state.as_str());
    }
    if let Some(role) = &filter.function {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    if let Some(search) = &filter.search {
        listing::any_like(query, &["username", "full_name"], search);
        query.push(")");
    }
}

pub async fn list(
    conn: &mut PgConnection,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Row>, i64), Error> {
    let mut all = QueryBuilder::new(format!("SELECT count(*) FROM {SALES}"));
    restrict(&mut all, filter);
    listing::there(&mut all, "created_at", paging);
    let total = listing::count(&mut *conn, all, paging).await?;
    let mut query = QueryBuilder::new(format!("SELECT * FROM {SALES}"));
    restrict(&mut query, filter);
    listing::there(&mut query, "created_at", paging);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, id {direction}"));
    Ok((listing::rows(conn, query, paging).await?, total))
}

const COUNTED: &str = "state IN ('active', 'ceiling_reached')";

pub async fn groups(conn: &mut PgConnection, filter: &Filter) -> Result<Vec<SaleGroup>, Error> {
    let mut query = QueryBuilder::new(format!(
        "SELECT value, is_high_risk, method, count(*) AS count, foundation.clamped(sum(value)) AS total FROM {SALES}"
    ));
    restrict(&mut query, filter);
    query.push(format!(
        " AND {COUNTED} GROUP BY 1, 2, 3 ORDER BY total DESC, value, is_high_risk, method"
    ));
    let rows: Vec<(i64, bool, String, i64, i64)> = query.build_query_as().fetch_all(conn).await?;
    rows.into_iter()
        .map(|(value, is_high_risk, by, count, total)| {
            Ok(SaleGroup {
                value: Usdt(value),
                is_high_risk,
                method: method(&by)?,
                count,
                total: Usdt(total),
            })
        })
        .collect()
}

pub async fn days(conn: &mut PgConnection, filter: &Filter) -> Result<DaysReport, Error> {
    let sold = Summed {
        of: SALES,
        came: Came::At("created_at"),
        amount: "value",
        counted: COUNTED,
    };
    listing::by_day(conn, sold, |query| restrict(query, filter)).await
}
