//! Robots of a life: what they bring is reserved, settled and booked as the desk does, so that closings find it where the product wrote it.

use super::Life;
use crate::robots::{batch, operation};
use actors::desk::cohort::Share;
use protocol::{
    ids::{LicenceId, NodeId, OperationId, UserId},
    money::Usdt,
};
use rand::Rng;
use server::{
    foundation::lease,
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind,
        },
        service as ledger,
    },
    robots::service::{self, LEASE},
};
use time::Duration;
use uuid::Uuid;

/// What each robot has at work: more than chance takes of it.
const AT_WORK: Usdt = Usdt::whole(500);
/// Its part of an operation.
const PART: Usdt = Usdt::whole(10);

impl Life {
    /// What an operation of somebody's robot brought or lost. That of somebody who stands still had begun before.
    pub async fn trade(&mut self, who: usize, amount: i64) {
        if self.young_dice.random_ratio(1, 4) {
            self.pay_in(who).await;
        }
        // Drawn for each operation, whether or not it is the robot's first: lives stay what they were.
        let fresh = LicenceId(self.id());
        let licence = match self.robots.get(&who).copied() {
            Some(licence) => licence,
            None => self.robot(who, fresh).await,
        };
        let share = Share {
            licence,
            user: UserId(self.network.members[who].id),
            amount: PART,
        };
        let (fence, id) = (self.desk().await, OperationId::fresh());
        let stands_still = self.network.members[who].account_inactive;
        if stands_still {
            self.set_active(who, true).await;
        }
        let reserved = service::reserve(&self.app.context, fence, id, &[share])
            .await
            .unwrap();
        assert_eq!(reserved, [share], "it may trade");
        if stands_still {
            self.set_active(who, false).await;
        }
        let settled = service::settle(
            &self.app.context,
            fence,
            &batch(vec![operation(id, &[(share, amount)])]),
        )
        .await
        .unwrap();
        assert_eq!(settled.robots.len(), 1);
        self.network.gained(who, amount);
    }

    /// The desk's lease, for as long as the life lasts.
    async fn desk(&mut self) -> i64 {
        if let Some(fence) = self.fence {
            return fence;
        }
        let context = &self.app.context;
        let fence = lease::acquire(
            context.db.pool(),
            LEASE,
            NodeId::fresh(),
            context.now(),
            Duration::days(1_000),
        )
        .await
        .unwrap()
        .unwrap()
        .fence;
        self.fence = Some(fence);
        fence
    }

    /// A robot with capital at work, as if it had been bought long ago: of no sale, so that the network knows nothing of its licence. It
    /// reaches neither a goal nor a limit.
    async fn robot(&mut self, who: usize, licence: LicenceId) -> LicenceId {
        sqlx::query(
            "INSERT INTO licences.licence (id, owner, number, plan, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm,
                 allocation_factor, settings_version, source, risk_accepted_at, paid_at, cancellable_until, final_at, allocated, capital,
                 goal_ppm, eligible_from)
             SELECT $1, $2, 1, id, value, false, 1000000000, 5000000, 5, 1, 'available', now(), now(), now(), now(), $3, $3, 1000000000, now()
             FROM licences.plan WHERE value = 100000000 AND NOT is_high_risk",
        )
        .bind(licence.0)
        .bind(self.network.members[who].id)
        .bind(AT_WORK.0)
        .execute(&self.app.sql)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO licences.lot (id, licence, amount, origin, created_at, free_at)
             VALUES (gen_random_uuid(), $1, $2, 'available', now(), now())",
        )
        .bind(licence.0)
        .bind(AT_WORK.0)
        .execute(&self.app.sql)
        .await
        .unwrap();
        let order = Transfer::new(
            TransferKind::SponsorshipAdd,
            Uuid::now_v7().to_string(),
            Cause::new(CauseKind::User, self.network.members[who].id),
            Orderer::System,
        )
        .move_usdt(
            AccountRef::House(HouseAccount::Sponsorship),
            AccountRef::Licence(licence, LicenceAccount::Allocated),
            AT_WORK,
        );
        let mut tx = self.app.context.db.begin().await.unwrap();
        ledger::post(&mut tx, order).await.unwrap();
        tx.commit().await.unwrap();
        self.robots.insert(who, licence);
        licence
    }
}
