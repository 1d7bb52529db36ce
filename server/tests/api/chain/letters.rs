//! Letters and queues: who tells of several things at once, and who tells of one of them.

use super::payout::{AWAY, Payout, id};
use crate::{kit::locks::waiting, pix_withdrawals};
use serde_json::json;
use server::{approvals::unsent, payouts::service as payouts, wallet::withdrawals::Crypto};
use uuid::Uuid;

#[actix_web::test]
async fn what_is_taken_back_of_two_kinds_and_a_letter_about_one_wait_for_each_other_in_one_order() {
    let payout = Payout::open().await;
    let (app, context) = (payout.app(), &payout.app().context);
    let ana = pix_withdrawals::customer(app, "ana", "1000").await;
    payout.credit(&ana, 1_000).await;
    pix_withdrawals::withdraw(app, &ana, "ana", "50").await;
    let gone = payout.pending(&ana, "usdt", AWAY, "50").await;
    ana.post("/withdraw/cancel", &json!({ "id": id(&gone) }))
        .await
        .ok();
    let gone: Uuid = id(&gone).parse().unwrap();
    payout.pending(&ana, "usdt", AWAY, "60").await;

    // Somebody else writes to her first.
    let mut letter = app.sql.begin().await.unwrap();
    sqlx::query(
        "SELECT pg_advisory_xact_lock(hashtextextended(email, 11)) FROM identity.account WHERE id = $1",
    )
    .bind(ana.user.0)
    .execute(&mut *letter)
    .await
    .unwrap();
    let taken_back = async {
        let mut tx = context.db.begin().await?;
        let canceled = unsent::cancel(context, &mut tx, ana.user, "Crédito revertido").await?;
        unsent::tell(context, &mut tx, &canceled).await?;
        tx.commit().await
    };
    let told = async {
        waiting(app, 1).await;
        let mut tx = context.db.begin().await?;
        payouts::tell::<Crypto>(context, &mut tx, gone.into(), Some("canceled")).await?;
        tx.commit().await
    };
    let written = async {
        waiting(app, 2).await;
        letter.commit().await.unwrap();
    };
    let (taken_back, told, ()) = futures_util::join!(taken_back, told, written);
    assert!(taken_back.is_ok() && told.is_ok(), "{taken_back:?}, {told:?}");
    let letters = payout
        .count(
            "SELECT count(*) FROM foundation.mail WHERE template IN ('crypto_withdrawal', 'pix_withdrawal')",
        )
        .await;
    assert!(letters >= 3, "each of them is written about: {letters}");
    payout.desk.exact().await;
}
