//! SQL of what is undone.

use crate::{error::Error, ledger::amount::Amount};
use protocol::ids::TransferId;
use sqlx::PgConnection;
use time::Date;
use uuid::Uuid;

/// What a reversal needs of the transfer that it undoes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    pub kind: String,
    pub settings_version: i32,
    pub legs: Vec<OriginalLeg>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalLeg {
    pub account: Uuid,
    pub owner_kind: String,
    pub owner: Option<Uuid>,
    pub name: String,
    pub currency: String,
    pub amount: Amount,
}

/// A transfer with its legs; none for a mass booking, which goes back in parts.
pub async fn original(conn: &mut PgConnection, id: TransferId) -> Result<Option<Original>, Error> {
    let Some(t) = sqlx::query!(
        "SELECT kind, settings_version FROM ledger.transfer WHERE id = $1 AND NOT mass",
        id.0
    )
    .fetch_optional(&mut *conn)
    .await?
    else {
        return Ok(None);
    };
    let legs = sqlx::query_as!(
        OriginalLeg,
        r#"SELECT p.account, a.owner_kind, a.owner, a.name, p.currency, p.amount AS "amount: Amount"
           FROM ledger.posting p JOIN ledger.account a ON a.id = p.account WHERE p.transfer = $1 ORDER BY p.line"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(Some(Original {
        kind: t.kind,
        settings_version: t.settings_version,
        legs,
    }))
}

/// What a mass booking did to one owner.
pub struct OriginalPart {
    pub transfer: TransferId,
    pub business_day: Date,
    /// The row that is the other side of the legs.
    pub house: Uuid,
    pub original: Original,
}

/// The mass booking of a key with its legs of one owner; none where there are none.
pub async fn part(conn: &mut PgConnection, key: &str, owner: Uuid) -> Result<Option<OriginalPart>, Error> {
    let rows = sqlx::query!(
        r#"SELECT t.id, t.business_day, t.kind, t.settings_version, h.account AS house, p.account, a.owner_kind, a.owner, a.name, p.currency,
                  p.amount AS "amount: Amount"
           FROM ledger.transfer t JOIN ledger.posting h ON h.transfer = t.id AND h.line = 0
           JOIN ledger.account a ON a.owner = $2 JOIN ledger.posting p ON p.transfer = t.id AND p.account = a.id
           WHERE t.key = $1 AND t.mass ORDER BY p.line"#,
        key,
        owner
    )
    .fetch_all(conn)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let (transfer, business_day, house) = (TransferId(first.id), first.business_day, first.house);
    let (kind, settings_version) = (first.kind.clone(), first.settings_version);
    let legs = rows.into_iter().map(|r| OriginalLeg {
        account: r.account,
        owner_kind: r.owner_kind,
        owner: r.owner,
        name: r.name,
        currency: r.currency,
        amount: r.amount,
    });
    Ok(Some(OriginalPart {
        transfer,
        business_day,
        house,
        original: Original {
            kind,
            settings_version,
            legs: legs.collect(),
        },
    }))
}
