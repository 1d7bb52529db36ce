//! SQL of all members' robots.

use super::{MemberRobot, RobotSums};
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::{
    money::Usdt,
    views::{Mode, RobotStatus},
};
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Which robots by how they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// With which the desk trades by itself: the figure of the overview.
    Working,
    Is(RobotStatus),
}

impl Which {
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "working" => Some(Self::Working),
            word => word.parse().ok().map(Self::Is),
        }
    }
}

/// By what a robot's status is judged.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub now: OffsetDateTime,
    pub today: Date,
    pub least_allocation: Usdt,
}

#[derive(Clone, Debug)]
pub struct Filter {
    pub search: Option<String>,
    pub status: Option<Which>,
    pub is_high_risk: Option<bool>,
    /// In which results are told.
    pub mode: Mode,
    /// Only those that have any in it.
    pub with_results: bool,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
    pub at: Moment,
}

/// The desk trades with them by itself (`licences::rules::trades`).
const WORKING: &str = "status IN ('operating', 'joining')";

/// The robots with their owners, status and today's result. The status is that of `licences::rules::robot_status`, said once more for the database
/// so that it finds and sorts by it (a test compares the two).
fn robots(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    let at = filter.at;
    query
        .push(
            " FROM (SELECT l.id, l.owner, a.username, a.full_name, a.email, l.number, l.value, l.is_high_risk, l.allocated,
                  l.paid_at AS created_at, COALESCE(d.gain - d.loss, 0) AS today,
                  CASE WHEN l.state <> 'active' THEN l.state WHEN l.allocated = 0 THEN 'idle' WHEN l.paused THEN 'paused' WHEN l.goal_day = ",
        )
        .push_bind(at.today)
        .push(" THEN 'goal_reached' WHEN l.allocated < ")
        .push_bind(at.least_allocation.0)
        .push(
            " THEN 'below_minimum' WHEN l.manual_key THEN 'manual' WHEN l.eligible_from IS NULL OR l.eligible_from > ",
        )
        .push_bind(at.now)
        .push(
            " THEN 'joining' ELSE 'operating' END AS status
              FROM licences.licence l JOIN identity.account a ON a.id = l.owner
              LEFT JOIN robots.day_result d ON d.licence = l.id AND d.mode = ",
        )
        .push_bind(filter.mode.as_str())
        .push(" AND d.day = ")
        .push_bind(at.today)
        .push(") r");
}

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &Filter, paging: &Paging) {
    query.push(" WHERE true");
    match filter.status {
        Some(Which::Working) => {
            query.push(format!(" AND {WORKING}"));
        }
        Some(Which::Is(status)) => {
            query.push(" AND status = ").push_bind(status.as_str());
        }
        None => {}
    }
    if let Some(is_high_risk) = filter.is_high_risk {
        query.push(" AND is_high_risk = ").push_bind(is_high_risk);
    }
    if filter.with_results {
        query
            .push(" AND EXISTS (SELECT FROM robots.day_result x WHERE x.licence = r.id AND x.mode = ")
            .push_bind(filter.mode.as_str())
            .push(")");
    }
    listing::between(query, "created_at", filter.from, filter.until);
    listing::there(query, "created_at", paging);
    if let Some(search) = &filter.search {
        listing::any_like(query, &["username", "full_name", "email"], search);
        if let Ok(number) = search.trim_start_matches('#').parse::<i32>() {
            query.push(" OR number = ").push_bind(number);
        }
        query.push(")");
    }
}

#[derive(FromRow)]
struct Row {
    id: Uuid,
    owner: Uuid,
    username: String,
    full_name: String,
    number: i32,
    value: i64,
    is_high_risk: bool,
    status: String,
    allocated: i64,
    today: i64,
    total: i64,
    created_at: OffsetDateTime,
}

impl Row {
    fn view(self, mode: Mode) -> Result<MemberRobot, Error> {
        Ok(MemberRobot {
            id: self.id.into(),
            user: self.owner.into(),
            username: self.username,
            full_name: self.full_name,
            number: self.number,
            value: Usdt(self.value),
            is_high_risk: self.is_high_risk,
            status: self
                .status
                .parse()
                .map_err(|()| Error::internal("a robot of an unknown status"))?,
            mode,
            allocated: Usdt(self.allocated),
            today: Usdt(self.today),
            total: Usdt(self.total),
            created_at: self.created_at,
        })
    }
}

/// Robots, and how many there are. `sort` is a column of the list's closed set.
pub async fn list(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<MemberRobot>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*)");
    robots(&mut all, filter);
    restrict(&mut all, filter, paging);
    let total = listing::count(pool, all, paging).await?;
    // What a robot has brought altogether is read for the rows that are shown: its days in this mode, by their key.
    let mut query = QueryBuilder::new(
        "SELECT r.*, (SELECT foundation.clamped(COALESCE(sum(x.gain - x.loss), 0)) FROM robots.day_result x
                      WHERE x.licence = r.id AND x.mode = ",
    );
    query.push_bind(filter.mode.as_str()).push(") AS total");
    robots(&mut query, filter);
    restrict(&mut query, filter, paging);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, id {direction}"));
    let rows: Vec<Row> = listing::rows(pool, query, paging).await?;
    let rows = rows
        .into_iter()
        .map(|row| row.view(filter.mode))
        .collect::<Result<_, _>>()?;
    Ok((rows, total))
}

/// What all of them add up to.
pub async fn sums(pool: &PgPool, filter: &Filter, paging: &Paging) -> Result<RobotSums, Error> {
    let mut query = QueryBuilder::new(format!(
        "SELECT count(DISTINCT owner), count(*) FILTER (WHERE {WORKING}), foundation.clamped(COALESCE(sum(allocated), 0)),
                foundation.clamped(COALESCE(sum(today), 0))"
    ));
    robots(&mut query, filter);
    restrict(&mut query, filter, paging);
    let (owners, working, allocated, today): (i64, i64, i64, i64) =
        query.build_query_as().fetch_one(pool).await?;
    Ok(RobotSums {
        owners,
        working,
        allocated: Usdt(allocated),
        today: Usdt(today),
    })
}
