//! When two persons must decide, and what exactly they approve. Pure.

use protocol::money::Usdt;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// What waits for a decision. The list of docs/rules/approvals.md#decisions; rooms join in as they are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, utoipa::ToSchema)]
#[schema(as = DecisionKind, rename_all = "snake_case")]
pub enum Kind {
    PixDeposit,
    PixWithdrawal,
    CryptoWithdrawal,
    CryptoDeposit,
    Sponsorship,
    GraduationBonus,
    PoolRevenue,
    DeclaredHoldings,
    MoneySettings,
    LiveTrading,
    AdminGrant,
    /// One that the compliance rules held.
    Transfer,
    OutboundPause,
    /// The end of a pause.
    PauseLift,
    /// A credit that the bank took back.
    PixReversal,
    /// The word that the bank has paid an approved withdrawal.
    PixPayment,
    /// A look at a whole key.
    PixKey,
    /// A customer's document taken off.
    PixHolder,
    /// A failed withdrawal paid once more, as it was approved.
    PayoutRetry,
    /// A bonus that a case held, let go.
    HeldBonus,
    /// Signing goes on after the hot wallet had stopped.
    HotWallet,
    /// A licence's manual-operation key taken or given back.
    ManualKey,
    /// What a settlement booked for one robot, taken back.
    ResultReversal,
    /// The word that an approved PIX withdrawal was not paid, whose whole key others have seen.
    PixUnpaid,
}

/// How many must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persons {
    /// Whatever the amount: what moves nothing by itself, or switches protection on.
    One,
    /// Two when the amount, with what else was approved that day, exceeds the limit.
    ByAmount,
    /// Two whatever the amount: what takes protection away.
    Two,
}

impl Kind {
    pub const ALL: [Self; 24] = [
        Self::PixDeposit,
        Self::PixWithdrawal,
        Self::CryptoWithdrawal,
        Self::CryptoDeposit,
        Self::Sponsorship,
        Self::GraduationBonus,
        Self::PoolRevenue,
        Self::DeclaredHoldings,
        Self::MoneySettings,
        Self::LiveTrading,
        Self::AdminGrant,
        Self::Transfer,
        Self::OutboundPause,
        Self::PauseLift,
        Self::PixReversal,
        Self::PixPayment,
        Self::PixKey,
        Self::PixHolder,
        Self::PayoutRetry,
        Self::HeldBonus,
        Self::HotWallet,
        Self::ManualKey,
        Self::ResultReversal,
        Self::PixUnpaid,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PixDeposit => "pix_deposit",
            Self::PixWithdrawal => "pix_withdrawal",
            Self::CryptoWithdrawal => "crypto_withdrawal",
            Self::CryptoDeposit => "crypto_deposit",
            Self::Sponsorship => "sponsorship",
            Self::GraduationBonus => "graduation_bonus",
            Self::PoolRevenue => "pool_revenue",
            Self::DeclaredHoldings => "declared_holdings",
            Self::MoneySettings => "money_settings",
            Self::LiveTrading => "live_trading",
            Self::AdminGrant => "admin_grant",
            Self::Transfer => "transfer",
            Self::OutboundPause => "outbound_pause",
            Self::PauseLift => "pause_lift",
            Self::PixReversal => "pix_reversal",
            Self::PixPayment => "pix_payment",
            Self::PixKey => "pix_key",
            Self::PixHolder => "pix_holder",
            Self::PayoutRetry => "payout_retry",
            Self::HeldBonus => "held_bonus",
            Self::HotWallet => "hot_wallet",
            Self::ManualKey => "manual_key",
            Self::ResultReversal => "result_reversal",
            Self::PixUnpaid => "pix_unpaid",
        }
    }

    /// How many must agree.
    #[must_use]
    pub const fn persons(self) -> Persons {
        match self {
            Self::PoolRevenue
            | Self::MoneySettings
            | Self::LiveTrading
            | Self::AdminGrant
            | Self::PauseLift
            | Self::HotWallet
            | Self::ResultReversal
            | Self::PixUnpaid => Persons::Two,
            Self::PixDeposit
            | Self::PixWithdrawal
            | Self::CryptoWithdrawal
            | Self::CryptoDeposit
            | Self::Sponsorship
            | Self::GraduationBonus
            | Self::DeclaredHoldings
            | Self::Transfer
            | Self::PixReversal
            | Self::HeldBonus => Persons::ByAmount,
            // The money of these three was approved by as many as it takes; a pause protects; the rest moves none.
            Self::PixPayment
            | Self::PixKey
            | Self::PayoutRetry
            | Self::OutboundPause
            | Self::PixHolder
            | Self::ManualKey => Persons::One,
        }
    }
}

/// SHA-256 of (id, kind, coin, destination, amount), each part with its length before it, so that no two subjects share one.
#[must_use]
pub fn digest(id: Uuid, kind: Kind, coin: &str, destination: &str, amount: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [
        id.as_bytes().as_slice(),
        kind.as_str().as_bytes(),
        coin.as_bytes(),
        destination.as_bytes(),
        amount.as_bytes(),
    ] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// How many approvals a decision needs: two when it, with that customer's or that approver's approvals of the last 24 h,
/// exceeds the limit.
#[must_use]
pub fn needed(kind: Kind, amount: Usdt, of_customer: Usdt, of_approver: Usdt, limit: Usdt) -> i16 {
    let exceeds = |others: Usdt| amount.checked_add(others).is_none_or(|sum| sum > limit);
    let two = match kind.persons() {
        Persons::One => false,
        Persons::ByAmount => exceeds(of_customer) || exceeds(of_approver),
        Persons::Two => true,
    };
    if two { 2 } else { 1 }
}

/// How many are shown to be needed before anybody has approved: by the amount alone. Each decision asks [`needed`] itself.
#[must_use]
pub fn needed_at_first(kind: Kind, amount: Usdt, limit: Usdt) -> i16 {
    needed(kind, amount, Usdt::ZERO, Usdt::ZERO, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_names_every_kind() {
        let schema = serde_json::to_value(<Kind as utoipa::PartialSchema>::schema()).unwrap();
        assert_eq!(schema["enum"], serde_json::json!(Kind::ALL.map(Kind::as_str)));
    }

    #[test]
    fn small_sums_add_up_to_a_second_person() {
        let (limit, u) = (Usdt::whole(5_000), Usdt::whole);
        for (amount, customer, approver, expected) in [
            (u(5_000), u(0), u(0), 1),
            (u(5_001), u(0), u(0), 2),
            (u(1), u(5_000), u(0), 2),
            (u(1), u(0), u(5_000), 2),
            (u(1), u(4_999), u(4_999), 1),
            (Usdt(i64::MAX), Usdt(i64::MAX), u(0), 2),
        ] {
            assert_eq!(
                needed(Kind::PixDeposit, amount, customer, approver, limit),
                expected,
                "{amount} {customer} {approver}"
            );
        }
        for kind in Kind::ALL {
            let expected = match kind.persons() {
                Persons::One => (1, 1),
                Persons::ByAmount => (1, 2),
                Persons::Two => (2, 2),
            };
            let small = needed_at_first(kind, u(5_000), limit);
            let large = needed_at_first(kind, u(5_001), limit);
            assert_eq!((small, large), expected, "{kind:?}");
        }
    }

    #[test]
    fn every_part_counts_in_the_digest() {
        let id = Uuid::nil();
        let one = digest(id, Kind::PixDeposit, "BRL", "E1", "10.00");
        assert_eq!(one, digest(id, Kind::PixDeposit, "BRL", "E1", "10.00"));
        for other in [
            digest(Uuid::max(), Kind::PixDeposit, "BRL", "E1", "10.00"),
            digest(id, Kind::PixWithdrawal, "BRL", "E1", "10.00"),
            digest(id, Kind::PixDeposit, "USDT", "E1", "10.00"),
            digest(id, Kind::PixDeposit, "BRL", "E2", "10.00"),
            digest(id, Kind::PixDeposit, "BRL", "E1", "10.01"),
            digest(id, Kind::PixDeposit, "BR", "LE1", "10.00"),
        ] {
            assert_ne!(one, other);
        }
    }
}
