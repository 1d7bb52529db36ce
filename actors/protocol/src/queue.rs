//! The queues that staff decide in: one table, from which routes, streams, counters and the web client take what they need.
//!
//! How to add one stands in CONTRIBUTING.md. The order is that of urgency: the header leads to the first that has something.

use crate::Permission;
use Permission::{AdminDashboard, AdminPermissions, ListTickets, ResponseTicket};
use serde::{Deserialize, Serialize};

/// What there is to know about a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who sees it: its list, its stream.
    pub permission: Permission,
    /// Who decides in it. Of tickets: who answers them.
    pub decides: Permission,
    /// On whose stream its facts are told: its own, or another's that it shares.
    pub stream: Option<Queue>,
    /// Its name among the counters of `GET /admin/waiting`.
    pub counter: Option<&'static str>,
    /// The notification that somebody waits there too long.
    pub late: &'static str,
    /// Customers wait there, not the house itself.
    pub customers: bool,
    /// The call that lists it, below `/api`.
    pub list: &'static str,
    /// The screen on which it is decided.
    pub screen: &'static str,
}

macro_rules! queues {
    ($($(#[$doc:meta])* $name:ident = $id:literal { $($column:ident: $value:expr),+ $(,)? })+) => {
        /// A queue that staff decide in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Queue { $($(#[$doc])* #[serde(rename = $id)] $name),+ }

        impl Queue {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $id),+ } }
            #[must_use]
            pub const fn row(self) -> Row { match self { $(Self::$name => Row { $($column: $value),+ }),+ } }
        }
        // By hand: the derive does not see names that reach it through a macro.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for Queue {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some("A queue that staff decide in; `x-queues` tells of each what there is to know."))
                    .enum_values(Some([$($id),+]))
                    .into()
            }
        }
        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for Queue {}
    };
}

queues! {
    PixDeposits = "pix-deposits" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::PixDeposits),
        counter: Some("pix_deposits"),
        late: "queue_old_pix_deposits",
        customers: true,
        list: "/admin/list-deposits-pix-approve-reject",
        screen: "/deposits-pix-approve-reject",
    }
    PixWithdrawals = "pix-withdrawals" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::PixWithdrawals),
        counter: Some("pix_withdrawals"),
        late: "queue_old_pix_withdrawals",
        customers: true,
        list: "/admin/list-withdraw-pix-approve-reject",
        screen: "/pix-withdrawal-list",
    }
    CryptoWithdrawals = "crypto-withdrawals" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::CryptoWithdrawals),
        counter: Some("crypto_withdrawals"),
        late: "queue_old_crypto_withdrawals",
        customers: true,
        list: "/admin/crypto-withdrawal-list",
        screen: "/crypto-withdrawal-list",
    }
    CryptoDeposits = "crypto-deposits" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::CryptoDeposits),
        counter: Some("crypto_deposits"),
        late: "queue_old_crypto_deposits",
        customers: true,
        list: "/admin/all-crypto-deposits-list",
        screen: "/crypto-deposits-list2?tab=pending",
    }
    /// Transfers between members that the compliance rules held.
    Transfers = "transfers" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::Transfers),
        counter: Some("transfers"),
        late: "queue_old_transfers",
        customers: true,
        list: "/admin/transfers-reports",
        screen: "/transfers-reports?tab=held",
    }
    /// Cases of the compliance rules.
    Compliance = "compliance" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::Compliance),
        counter: Some("cases"),
        late: "queue_old_compliance",
        customers: true,
        list: "/admin/compliance/cases",
        screen: "/compliance-cases",
    }
    /// Bonuses of ranks whose payment waits for its second person.
    GraduationBonuses = "graduation-bonuses" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::GraduationBonuses),
        counter: Some("graduation_bonuses"),
        late: "queue_old_graduation_bonuses",
        customers: false,
        list: "/admin/graduation",
        screen: "/graduation-list?isWaiting=true",
    }
    /// Sponsored balance that waits for its second person.
    Sponsorship = "sponsorship" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: None,
        counter: Some("sponsorship"),
        late: "queue_old_sponsorship",
        customers: false,
        list: "/admin/balance-manager/requests",
        screen: "/add-remove-balance",
    }
    /// Revenue of pools that waits for its second person.
    PoolRevenue = "pool-revenue" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: Some(Self::PoolRevenue),
        counter: Some("pool_revenue"),
        late: "queue_old_pool_revenue",
        customers: false,
        list: "/admin/pools/revenue",
        screen: "/administrator/pools",
    }
    /// What the house declares to hold elsewhere.
    Holdings = "holdings" {
        permission: AdminDashboard,
        decides: AdminPermissions,
        stream: Some(Self::Settings),
        counter: Some("holdings"),
        late: "queue_old_holdings",
        customers: false,
        list: "/admin/solvency",
        screen: "/administrator/dashboard",
    }
    /// Changes of settings and plans.
    Settings = "settings" {
        permission: AdminDashboard,
        decides: AdminPermissions,
        stream: Some(Self::Settings),
        counter: Some("settings"),
        late: "queue_old_settings",
        customers: false,
        list: "/admin/settings",
        screen: "/administrator/robot-config",
    }
    /// Rounds of the pre-sale.
    Rounds = "rounds" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: None,
        counter: Some("rounds"),
        late: "queue_old_rounds",
        customers: false,
        list: "/admin/presale/rounds",
        screen: "/administrator/presale",
    }
    /// Pauses of outgoing money.
    Pauses = "pauses" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: None,
        counter: Some("pauses"),
        late: "queue_old_pauses",
        customers: false,
        list: "/admin/outbound-pauses",
        screen: "/compliance-cases?tab=pauses",
    }
    /// Switching real orders on.
    Live = "live" {
        permission: AdminDashboard,
        decides: AdminPermissions,
        stream: Some(Self::Settings),
        counter: Some("live"),
        late: "queue_old_live",
        customers: false,
        list: "/admin/trading/live",
        screen: "/administrator/robot-config",
    }
    /// Roles that decide, and freezes whose end one person has asked for.
    Grants = "grants" {
        permission: AdminPermissions,
        decides: AdminPermissions,
        stream: None,
        counter: Some("grants"),
        late: "queue_old_grants",
        customers: false,
        list: "/admin/grants",
        screen: "/administrator/set-permissions?tab=requests",
    }
    /// Tickets that wait for an answer. Nobody decides on them, so they are not among the counters.
    Tickets = "tickets" {
        permission: ListTickets,
        decides: ResponseTicket,
        stream: Some(Self::Tickets),
        counter: None,
        late: "queue_old_tickets",
        customers: true,
        list: "/support/list-tickets-all/",
        screen: "/customer-service/tickets-list",
    }
}

impl Queue {
    #[must_use]
    pub const fn permission(self) -> Permission {
        self.row().permission
    }

    #[must_use]
    pub const fn decides(self) -> Permission {
        self.row().decides
    }

    /// Whether its facts have a stream of their own: only of those is there a `StreamId`.
    #[must_use]
    pub fn streams(self) -> bool {
        self.row().stream == Some(self)
    }

    /// The table for the client that is generated from the OpenAPI document.
    #[must_use]
    pub fn table() -> serde_json::Value {
        let line = |queue: &Self| {
            let row = queue.row();
            serde_json::json!({
                "id": queue,
                "permission": row.permission,
                "stream": row.stream.map(crate::StreamId::Queue),
                "counter": row.counter,
                "customers": row.customers,
                "list": row.list,
                "screen": row.screen,
            })
        };
        Self::ALL.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_stands_for_one_queue() {
        let once = |names: Vec<&str>| assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        once(Queue::ALL.iter().map(|q| q.as_str()).collect());
        once(Queue::ALL.iter().filter_map(|q| q.row().counter).collect());
        once(Queue::ALL.iter().map(|q| q.row().late).collect());
        once(Queue::ALL.iter().map(|q| q.row().list).collect());
    }

    #[test]
    fn who_shares_a_stream_may_listen_to_it() {
        for queue in Queue::ALL {
            let Some(stream) = queue.row().stream else {
                continue;
            };
            assert!(stream.streams(), "{queue:?}");
            assert_eq!(stream.permission(), queue.permission(), "{queue:?}");
        }
    }
}
