//! What a call asks of the database, told by the database: it writes down every statement of a counted database before it
//! carries it out, with the transaction it belongs to. When the answer is there, so are its lines.

use super::{Client, TestApp, cluster};
use server::{foundation::embedded_postgres::APP_ROLE, identity::sessions};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::Future,
    io::{Read, Seek, SeekFrom},
};

/// Makes a server (by any of its constructors) whose statements can be counted.
pub async fn counted<T>(making: impl Future<Output = T>) -> T {
    cluster::COUNTED.scope((), making).await
}

/// What was asked while a call ran.
#[derive(Debug, Default)]
pub struct Statements {
    /// One list for each transaction, without its BEGIN and COMMIT.
    pub transactions: Vec<Vec<String>>,
    /// Outside of transactions.
    pub alone: Vec<String>,
}

/// Runs a call and says what was asked of the database meanwhile. The caller's session, which is cached for a second, is asked anew, so
/// that a call counts the same at every pace: this is the most that it costs. The settings in force, which a node reads once a second
/// for all calls together, are apart.
pub async fn of<T>(app: &TestApp, who: &Client, call: impl Future<Output = T>) -> (T, Statements) {
    sessions::forget(who.session).await;
    let begin = std::fs::metadata(cluster::log()).unwrap().len();
    let answer = call.await;
    let mut text = String::new();
    let mut log = std::fs::File::open(cluster::log()).unwrap();
    log.seek(SeekFrom::Start(begin)).unwrap();
    log.read_to_string(&mut text).unwrap();
    let asked = Statements::read(&text, &app.database);
    assert!(
        asked.count() > 0 || !asked.transactions.is_empty(),
        "the server was not made by statements::counted"
    );
    (answer, asked)
}

/// What a slow machine may see twice in one call, a second having passed.
const CACHED: &str = "FROM identity.session s JOIN";
/// The relay's own reading, the settings, the look at a connection that is taken from the pool, what the driver asks about types.
const NOT_THE_CALLS: [&str; 5] = [
    "FROM foundation.settings WHERE effective_at",
    "pg_snapshot_xmin(pg_current_snapshot())",
    "now() < statement_timestamp()",
    "pg_catalog.pg_",
    "pg_type",
];

impl Statements {
    fn read(log: &str, database: &str) -> Self {
        let ours = format!("@{database} {APP_ROLE} ");
        let mut order: Vec<&str> = Vec::new();
        let mut by: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut lines = log.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((transaction, said)) = line.strip_prefix(&ours).and_then(|rest| rest.split_once('@'))
            else {
                continue;
            };
            let Some(said) = said.strip_prefix("LOG:  ") else {
                continue;
            };
            let first = match said.split_once(": ") {
                Some(("statement", sql)) => sql,
                Some((by, sql)) if by.starts_with("execute ") && !by.starts_with("execute fetch ") => sql,
                _ => continue,
            };
            let mut sql: Vec<&str> = first.split_whitespace().collect();
            // The rest of a statement is written with a tab before each line.
            while let Some(more) = lines.next_if(|line| line.starts_with('\t')) {
                sql.extend(more.split_whitespace());
            }
            let sql = sql.join(" ");
            if NOT_THE_CALLS.iter().any(|text| sql.contains(text)) {
                continue;
            }
            if !by.contains_key(transaction) {
                order.push(transaction);
            }
            by.entry(transaction).or_default().push(sql);
        }
        let mut all = Self::default();
        for transaction in order {
            let mut asked = by.remove(transaction).unwrap_or_default();
            if asked.first().is_some_and(|sql| sql == "BEGIN") {
                asked.retain(|sql| !["BEGIN", "COMMIT", "ROLLBACK"].contains(&sql.as_str()));
                all.transactions.push(asked);
            } else if !asked.iter().any(|sql| sql == "COMMIT" || sql == "ROLLBACK") {
                // What only ends here began before the call: the driver rolls back when the connection is taken again.
                all.alone.append(&mut asked);
            }
        }
        all
    }

    /// How many statements the call made, inside its transactions and outside. BEGIN, COMMIT and the look at each connection that
    /// is taken from the pool are apart: see [`Self::round_trips`].
    pub fn count(&self) -> usize {
        self.inside() + once(&self.alone)
    }

    /// Those inside transactions.
    pub fn inside(&self) -> usize {
        self.transactions.iter().map(|asked| once(asked)).sum()
    }

    /// How often the server waited for the database: each statement, BEGIN and COMMIT, and the look at each connection.
    pub fn round_trips(&self) -> usize {
        self.inside() + 3 * self.transactions.len() + 2 * once(&self.alone)
    }

    /// Texts that were sent more than once.
    pub fn repeated(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.transactions.iter().flatten().chain(&self.alone);
        all.filter(|sql| !seen.insert(*sql)).map(String::as_str).collect()
    }
}

fn once(asked: &[String]) -> usize {
    let cached = asked.iter().filter(|sql| sql.contains(CACHED)).count();
    asked.len() - cached.saturating_sub(1)
}

impl fmt::Display for Statements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} statements, {} of them in {} transactions; {} round trips",
            self.count(),
            self.inside(),
            self.transactions.len(),
            self.round_trips()
        )?;
        for (n, asked) in (1..).zip(&self.transactions) {
            for sql in asked {
                writeln!(f, "  {n}  {sql}")?;
            }
        }
        for sql in &self.alone {
            writeln!(f, "  -  {sql}")?;
        }
        Ok(())
    }
}

#[actix_web::test]
async fn every_statement_is_told_once_with_its_transaction() {
    let app = counted(TestApp::start()).await;
    let ana = app.user("ana").await;
    let ((), asked) = of(&app, &ana, async {
        let mut tx = app.context.db.begin().await.unwrap();
        for _ in 0..2 {
            sqlx::query("SELECT $1::int")
                .bind(1)
                .execute(tx.conn())
                .await
                .unwrap();
        }
        tx.commit().await.unwrap();
        sqlx::query("SELECT\n 2")
            .execute(app.context.db.pool())
            .await
            .unwrap();
        // Somebody else's, which do not count.
        sqlx::query("SELECT 3").execute(&app.sql).await.unwrap();
    })
    .await;
    assert_eq!(asked.transactions, [["SELECT $1::int", "SELECT $1::int"]]);
    assert_eq!(asked.alone, ["SELECT 2"]);
    assert_eq!((asked.count(), asked.inside(), asked.round_trips()), (3, 2, 7));
    assert_eq!(asked.repeated(), ["SELECT $1::int"]);
}
