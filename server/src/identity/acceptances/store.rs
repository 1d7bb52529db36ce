//! SQL of acceptances.

use super::{Acceptance, AcceptedText};
use crate::{error::Error, foundation::locale::Locale};
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// What somebody accepted, version by version.
pub async fn insert(
    conn: &mut PgConnection,
    account: UserId,
    what: &[String],
    versions: &[String],
    language: &str,
    about: Option<Uuid>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.acceptance (account, what, version, language, about, at)
         SELECT $1, what, version, $4, $5, $6 FROM unnest($2::text[], $3::text[]) AS a(what, version)",
        account.0,
        what,
        versions,
        language,
        about,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The texts that a person said yes to, version by version, the newest first. Before each was a line of its own, an account kept the
/// version that it accepted last.
pub async fn of(db: impl PgExecutor<'_>, account: UserId) -> Result<Vec<Acceptance>, Error> {
    let rows = sqlx::query!(
        r#"SELECT said.what AS "what!", said.version AS "version!", (array_agg(said.language ORDER BY said.at))[1] AS language,
                  min(said.at) AS "first!", max(said.at) AS "last!", count(*) AS "times!"
           FROM (SELECT x.what, x.version, x.language, x.at
                 FROM identity.acceptance x JOIN identity.account a ON a.id = x.account
                 WHERE x.account = $1 AND x.what IN ('terms', 'risk') AND x.at >= COALESCE(a.acceptances_from, '-infinity')
                 UNION ALL
                 SELECT w.what, a.terms_version, NULL, w.at
                 FROM identity.account a
                 CROSS JOIN LATERAL (VALUES ('terms', a.terms_accepted_at), ('risk', a.risk_accepted_at)) AS w(what, at)
                 WHERE a.id = $1 AND w.at IS NOT NULL AND a.terms_version IS NOT NULL
                   AND NOT EXISTS (SELECT FROM identity.acceptance x
                                   WHERE x.account = a.id AND x.what = w.what AND x.version = a.terms_version AND x.about IS NULL
                                     AND x.at >= COALESCE(a.acceptances_from, '-infinity'))) said
           GROUP BY said.what, said.version ORDER BY min(said.at) DESC, said.what DESC"#,
        account.0
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Acceptance {
                what: AcceptedText::read(&r.what)?,
                version: r.version,
                language: r.language.as_deref().and_then(Locale::parse),
                at: r.first,
                last_at: r.last,
                times: r.times,
            })
        })
        .collect()
}
