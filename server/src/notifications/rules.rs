//! Which facts are news, and for whom: pure.

mod codes;
mod decided;
mod groups;
mod network;
mod pools;
mod staff;
mod support;
mod untold;
mod values;

pub use codes::CODES;
pub use groups::{
    GROUPS, PUSHED_WHEN_AWAY, codes as codes_of, group, is_for_inactive, is_mailed_when_away,
    is_never_toasted,
};
pub use network::Standing;
pub use pools::{pool_line, pool_state};
pub use support::{about_ticket, said};
pub use untold::UNTOLD;
pub use values::values;

use crate::wallet::user_wallets::rules as wallet;
use protocol::{
    LiveEvent, StreamId,
    ids::{DataExportId, TicketId, UserId},
    live_event::Numbered,
    money::Usdt,
    pyx::{PyxOrderEnd, PyxOrderStatus, PyxOrderView},
    views::{
        ChainDepositStatus, ChainDepositView, ChainWithdrawalStatus, ChainWithdrawalView, Coin,
        FollowingState, FollowingView, LicenceState, LicenceView, MemberTransferStatus, MemberTransferView,
        PixDepositStatus, PixDepositView, PixWithdrawalStatus, PixWithdrawalView, PoolEntryView, TicketSide,
        TicketView, WalletMoveKind, WalletMoveStatus, WalletMoveView,
    },
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

/// Kinds of facts that are looked at; all others are passed over in the database.
pub const KINDS: &[&str] = &[
    "pix_deposit.changed",
    "pix_withdrawal.changed",
    "crypto_deposit.changed",
    "crypto_withdrawal.changed",
    "licence.changed",
    "licence.manual_key",
    "robot.following",
    "sponsorship.changed",
    "transfer.changed",
    "order.changed",
    "admin_grant.changed",
    "admin_freeze.changed",
    "administrator.guarded",
    "queue.old",
    "tickets.wait",
    "desk.halted",
    "account_closing.late",
    "payout_ratio.crossed",
    "chain.reorganised",
    "wallet.changed",
    "loan.called",
    "result.reversed",
    "bonus.changed",
    "closing.booked",
    "graduation_bonus.changed",
    "data_export.changed",
    "pool.changed",
    "account.seen",
    "account.decided",
    "push_device.removed",
    "ticket.message",
    "ticket.status",
    "ticket.read",
];

/// A line to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub owner: UserId,
    pub code: &'static str,
    /// What its sentence is filled in with, beside the amount ([`values`]).
    pub params: Value,
    pub amount: Option<Usdt>,
    /// The thing that it is about.
    pub about: Uuid,
}

/// What a fact asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Nothing,
    /// A line, if this state of the subject is new. `line` is none for a state that is no news by itself.
    State {
        subject: Uuid,
        version: i64,
        state: &'static str,
        line: Option<Line>,
    },
    /// Where something stands of which parts may go back: what is told depends on what was told of it last.
    Standing {
        subject: Uuid,
        version: i64,
        standing: Box<Standing>,
    },
    /// Staff answered a ticket; its owner is told unless they have read it already.
    Reply {
        ticket: TicketId,
        number: i64,
        by: String,
        /// Its words went by mail already.
        mailed: bool,
    },
    /// An entry of a pool: that it ended, or what it received since it was told last.
    Pool(UserId, Box<PoolEntryView>),
    /// Its owner wrote in a ticket; who has taken it is told unless staff have read it already, and where nobody has, those who asked for that.
    Said {
        ticket: TicketId,
        number: i64,
        by: String,
        at: OffsetDateTime,
    },
    /// Staff closed a ticket; not told to an owner who closed it.
    Closed(Box<TicketView>),
    /// A ticket was deleted.
    Line(Line),
    /// A side has read a ticket: its lines are read too.
    Seen(TicketId, TicketSide),
}

/// What a fact asks for. Facts of staff queues repeat those of users and tickets, and ask for nothing.
#[must_use]
pub fn news(fact: &Numbered) -> News {
    match (fact.stream, &fact.event) {
        (StreamId::User(owner), LiveEvent::PixDepositChanged { deposit }) => pix_deposit(owner, deposit),
        (StreamId::User(owner), LiveEvent::PixWithdrawalChanged { withdrawal }) => {
            pix_withdrawal(owner, withdrawal)
        }
        (StreamId::User(owner), LiveEvent::CryptoDepositChanged { deposit }) => {
            crypto_deposit(owner, deposit)
        }
        (StreamId::User(owner), LiveEvent::CryptoWithdrawalChanged { withdrawal }) => {
            crypto_withdrawal(owner, withdrawal)
        }
        (StreamId::User(owner), LiveEvent::LicenceChanged { licence }) => licence_changed(owner, licence),
        (
            StreamId::User(owner),
            LiveEvent::ManualKeyDecided {
                licence,
                number,
                revoked,
                reason,
            },
        ) => decided::manual_key(owner, *licence, *number, *revoked, reason),
        (StreamId::User(owner), LiveEvent::FollowingChanged { following }) => {
            following_changed(owner, following)
        }
        (
            StreamId::User(owner),
            LiveEvent::SponsorshipChanged {
                sponsorship,
                added,
                value,
                reason,
            },
        ) => decided::sponsorship(owner, *sponsorship, *added, *value, reason),
        (StreamId::User(owner), LiveEvent::TransferChanged { transfer }) => transfer_changed(owner, transfer),
        (StreamId::User(owner), LiveEvent::OrderChanged { order }) => order_changed(owner, order),
        (
            StreamId::User(owner),
            LiveEvent::QueueOld {
                queue,
                pending,
                since,
            },
        ) => staff::queue_old(owner, *queue, *pending, *since),
        (StreamId::User(owner), LiveEvent::TicketsWait { count }) => News::Line(Line {
            owner,
            code: "tickets_wait",
            params: json!({ "count": count }),
            amount: None,
            about: Uuid::nil(),
        }),
        (
            StreamId::User(owner),
            LiveEvent::DeskHalted {
                mode, loss, limit, ..
            },
        ) => News::Line(Line {
            owner,
            code: "desk_halted",
            params: json!({ "mode": mode, "limit": limit }),
            amount: Some(*loss),
            about: Uuid::nil(),
        }),
        (StreamId::User(owner), LiveEvent::AccountClosingLate { user, since }) => {
            staff::closing_late(owner, *user, *since)
        }
        (
            StreamId::User(owner),
            LiveEvent::PayoutRatioCrossed {
                over,
                bonuses,
                ratio,
                ceiling,
                ..
            },
        ) => staff::payout_crossed(owner, *over, *bonuses, ratio.as_deref(), ceiling),
        (StreamId::User(owner), LiveEvent::AdminGrantChanged { grant }) => staff::grant_changed(owner, grant),
        (StreamId::User(owner), LiveEvent::AdminFreezeChanged { freeze }) => {
            staff::freeze_changed(owner, freeze)
        }
        (StreamId::User(owner), LiveEvent::AdministratorGuarded { person, username }) => {
            staff::guarded(owner, *person, username)
        }
        (StreamId::User(owner), LiveEvent::WalletChanged { moved }) => wallet_moved(owner, moved),
        (StreamId::User(owner), LiveEvent::ChainReorganised { customers, from, to }) => News::Line(Line {
            owner,
            code: "chain_reorganised",
            params: json!({ "count": customers, "from": from, "to": to }),
            amount: None,
            about: Uuid::nil(),
        }),
        (
            StreamId::User(owner),
            LiveEvent::LoanCalled {
                licence,
                number,
                debt,
            },
        ) => News::Line(Line {
            owner,
            code: "loan_called",
            params: json!({ "licence": licence, "number": number }),
            amount: Some(*debt),
            about: licence.0,
        }),
        (
            StreamId::User(owner),
            LiveEvent::ResultReversed {
                licence,
                number,
                amount,
                reason,
            },
        ) => News::Line(Line {
            owner,
            code: "result_reversed",
            params: json!({ "licence": licence, "number": number, "reason": reason }),
            amount: Some(*amount),
            about: licence.0,
        }),
        (StreamId::User(owner), LiveEvent::DataExportChanged { export, state }) => {
            data_export(owner, *export, state)
        }
        (
            StreamId::User(owner),
            LiveEvent::AccountSeen {
                look,
                by,
                role,
                reason,
            },
        ) => News::Line(Line {
            owner,
            code: "account_seen",
            params: json!({ "by": by, "role": role, "reason": reason }),
            amount: None,
            about: look.0,
        }),
        (StreamId::User(owner), LiveEvent::AccountDecided { what, reason }) => {
            decided::account(owner, *what, reason.as_deref())
        }
        (StreamId::User(owner), LiveEvent::PushDeviceRemoved { device, name }) => News::Line(Line {
            owner,
            code: "push_device_removed",
            params: json!({ "device": name }),
            amount: None,
            about: device.0,
        }),
        (StreamId::User(owner), LiveEvent::BonusChanged { bonus }) => network::bonus_changed(owner, bonus),
        (StreamId::User(owner), LiveEvent::ClosingBooked { share }) => network::closing_booked(owner, share),
        (StreamId::User(owner), LiveEvent::GraduationBonusChanged { payment }) => {
            network::graduation_bonus(owner, payment)
        }
        (StreamId::User(owner), LiveEvent::PoolChanged { entry }) => News::Pool(owner, entry.clone()),
        (StreamId::Ticket(ticket), event) => support::told(ticket, event),
        _ => News::Nothing,
    }
}

/// That it is ready is news, once: a download tells the screens the same.
fn data_export(owner: UserId, export: DataExportId, state: &str) -> News {
    let (version, state) = match state {
        "asked" => (1, "asked"),
        "ready" => (2, "ready"),
        _ => (3, "expired"),
    };
    News::State {
        subject: export.0,
        version,
        state,
        line: (state == "ready").then(|| Line {
            owner,
            code: "data_export_ready",
            params: json!({}),
            amount: None,
            about: export.0,
        }),
    }
}

/// Who waited in the book hears when all of their order was taken, or when it ended without them; who took sees it happen.
fn order_changed(owner: UserId, order: &PyxOrderView) -> News {
    let code = match (order.status, order.end) {
        (PyxOrderStatus::Filled, _) if order.version > 1 => Some("order_filled"),
        (
            PyxOrderStatus::Cancelled,
            Some(PyxOrderEnd::Reversal | PyxOrderEnd::Debt | PyxOrderEnd::Guarded),
        ) => Some("order_ended"),
        _ => None,
    };
    News::State {
        subject: order.id.0,
        version: order.version,
        state: order.status.as_str(),
        line: code.map(|code| Line {
            owner,
            code,
            params: json!({ "order": order.id, "pyx": order.filled, "usdt": order.total, "side": order.side.as_str() }),
            amount: Some(order.total),
            about: order.id.0,
        }),
    }
}

/// The receiver hears of what arrived; the sender, who saw their own go, of what somebody decided.
fn transfer_changed(owner: UserId, transfer: &MemberTransferView) -> News {
    let sent = owner == transfer.origin.id;
    let code = match (transfer.status, sent) {
        (MemberTransferStatus::Complete, false) => "transfer_received",
        (MemberTransferStatus::Complete, true) if transfer.version > 1 => "transfer_released",
        (MemberTransferStatus::Rejected, true) => "transfer_rejected",
        (MemberTransferStatus::Canceled, true) => "transfer_canceled",
        _ => return News::Nothing,
    };
    let other = if sent {
        &transfer.destination
    } else {
        &transfer.origin
    };
    News::Line(Line {
        owner,
        code,
        params: json!({ "transfer": transfer.id, "usdt": transfer.value, "by": other.username, "reason": transfer.reason }),
        amount: Some(transfer.value),
        about: transfer.id.0,
    })
}

fn pix_deposit(owner: UserId, deposit: &PixDepositView) -> News {
    let code = match deposit.status {
        // What the bank took back stays approved: it was.
        _ if deposit.reversed => Some("pix_deposit_reversed"),
        PixDepositStatus::Approved => Some("pix_deposit_approved"),
        PixDepositStatus::Rejected => Some("pix_deposit_rejected"),
        PixDepositStatus::TimedOut => Some("pix_deposit_timed_out"),
        PixDepositStatus::Pending | PixDepositStatus::PendingApproval | PixDepositStatus::Canceled => None,
    };
    // What was credited is what arrived, which may differ from what was asked.
    let usdt = deposit.credited.unwrap_or(deposit.usdt);
    let brl = deposit.brl_received.unwrap_or(deposit.brl);
    let params = json!({ "deposit": deposit.id, "usdt": usdt, "brl": brl, "reason": deposit.reason });
    News::State {
        subject: deposit.id.0,
        version: deposit.version,
        state: if deposit.reversed {
            "reversed"
        } else {
            deposit.status.as_str()
        },
        line: code.map(|code| Line {
            owner,
            code,
            params,
            amount: Some(usdt),
            about: deposit.id.0,
        }),
    }
}

fn pix_withdrawal(owner: UserId, withdrawal: &PixWithdrawalView) -> News {
    let (state, code) = match withdrawal.status {
        PixWithdrawalStatus::Pending => ("pending", None),
        PixWithdrawalStatus::AwaitingConfirmation => {
            ("awaiting_confirmation", Some("pix_withdrawal_requote"))
        }
        PixWithdrawalStatus::Approved if withdrawal.paid_at.is_some() => {
            ("paid", Some("pix_withdrawal_paid"))
        }
        PixWithdrawalStatus::Approved => ("approved", Some("pix_withdrawal_approved")),
        PixWithdrawalStatus::Rejected => ("rejected", Some("pix_withdrawal_rejected")),
        // Who took it back knows; with a reason it was taken back for them.
        PixWithdrawalStatus::Canceled => (
            "canceled",
            withdrawal.reason.as_ref().map(|_| "pix_withdrawal_canceled"),
        ),
        PixWithdrawalStatus::Expired => ("expired", Some("pix_withdrawal_expired")),
    };
    let brl = withdrawal.offer.as_ref().map_or(withdrawal.brl, |o| o.brl);
    let params = json!({ "withdrawal": withdrawal.id, "usdt": withdrawal.value, "brl": brl, "reason": withdrawal.reason });
    News::State {
        subject: withdrawal.id.0,
        version: withdrawal.version,
        state,
        line: code.map(|code| Line {
            owner,
            code,
            params,
            amount: Some(withdrawal.value),
            about: withdrawal.id.0,
        }),
    }
}

fn crypto_deposit(owner: UserId, deposit: &ChainDepositView) -> News {
    use ChainDepositStatus as Status;
    let (state, code) = match deposit.status {
        _ if deposit.reversed => ("reversed", Some("crypto_deposit_reversed")),
        Status::Pending if deposit.outcome.is_none() => ("pending", Some("crypto_deposit_seen")),
        // Confirmed and handed over are one piece of news.
        Status::Confirmed | Status::Complete | Status::Completed | Status::Approved => {
            ("credited", Some("crypto_deposit_credited"))
        }
        Status::PendingApproval => ("pending_approval", Some("crypto_deposit_waits")),
        Status::Rejected => ("rejected", Some("crypto_deposit_rejected")),
        Status::TimedOut => ("timed_out", Some("crypto_deposit_timed_out")),
        Status::Pending => ("change", None),
        Status::Waiting => ("waiting", None),
        Status::Canceled => ("canceled", None),
    };
    let usdt = deposit.credited.or(deposit.value);
    let params = json!({ "deposit": deposit.id, "usdt": usdt.unwrap_or_default(), "coin": deposit.coin, "reason": deposit.reason });
    News::State {
        subject: deposit.id.0,
        version: deposit.version,
        state,
        line: code.map(|code| Line {
            owner,
            code,
            params,
            amount: usdt,
            about: deposit.id.0,
        }),
    }
}

fn crypto_withdrawal(owner: UserId, withdrawal: &ChainWithdrawalView) -> News {
    use ChainWithdrawalStatus as Status;
    // PYX of the books leave as PYX: their worth in USDT is no word of theirs.
    let pyx = withdrawal.coin == Coin::Pyx;
    let either = |coin, own| Some(if pyx { own } else { coin });
    let code = match withdrawal.status {
        // Their own doing, or soon told by what follows.
        Status::AwaitingEmail | Status::Pending | Status::Approved => None,
        Status::AwaitingConfirmation => Some("crypto_withdrawal_requote"),
        Status::Sent => either("crypto_withdrawal_sent", "pyx_withdrawal_sent"),
        Status::Complete => either("crypto_withdrawal_complete", "pyx_withdrawal_complete"),
        Status::Failed => either("crypto_withdrawal_failed", "pyx_withdrawal_failed"),
        Status::Rejected => either("crypto_withdrawal_rejected", "pyx_withdrawal_rejected"),
        // Who took it back knows; with a reason it was taken back for them.
        Status::Canceled => withdrawal
            .reason
            .as_ref()
            .and_then(|_| either("crypto_withdrawal_canceled", "pyx_withdrawal_canceled")),
        Status::Expired => either("crypto_withdrawal_expired", "pyx_withdrawal_expired"),
    };
    let params = if pyx {
        let amount = withdrawal.amount.parse().map(wallet::shown).unwrap_or_default();
        json!({ "withdrawal": withdrawal.id, "amount": amount, "reason": withdrawal.reason })
    } else {
        json!({
            "withdrawal": withdrawal.id, "usdt": withdrawal.value, "coin": withdrawal.coin, "reason": withdrawal.reason,
        })
    };
    News::State {
        subject: withdrawal.id.0,
        version: withdrawal.version,
        state: withdrawal.status.as_str(),
        line: code.map(|code| Line {
            owner,
            code,
            params,
            amount: (!pyx).then_some(withdrawal.value),
            about: withdrawal.id.0,
        }),
    }
}

/// What came into a person's own wallet, and how their own orders ended; that one was made they know.
fn wallet_moved(owner: UserId, moved: &WalletMoveView) -> News {
    let code = match (moved.kind, moved.status) {
        (WalletMoveKind::Receive, WalletMoveStatus::Mined) => Some("wallet_received"),
        (WalletMoveKind::Send, WalletMoveStatus::Mined) => Some("wallet_sent"),
        (WalletMoveKind::Swap, WalletMoveStatus::Mined) => Some("wallet_swapped"),
        (_, WalletMoveStatus::Failed) => Some("wallet_failed"),
        _ => None,
    };
    // A swap is what it brought; until it brought something, what was to leave.
    let (coin, wei) = match (code, moved.coin_out, &moved.received) {
        (Some("wallet_swapped"), Some(coin), Some(received)) => (coin, received),
        _ => (moved.coin, &moved.wei),
    };
    let amount = wei.parse().map(wallet::shown).unwrap_or_default();
    News::State {
        subject: moved.id.0,
        version: moved.version,
        state: moved.status.as_str(),
        line: code.map(|code| Line {
            owner,
            code,
            params: json!({ "move": moved.id, "amount": amount, "coin": coin.as_str().to_uppercase() }),
            amount: None,
            about: moved.id.0,
        }),
    }
}

fn licence_changed(owner: UserId, licence: &LicenceView) -> News {
    let code = match licence.state {
        LicenceState::Active => "licence_bought",
        LicenceState::Cancelled => "licence_cancelled",
        LicenceState::CeilingReached => "licence_ceiling",
        LicenceState::Reversed => "licence_reversed",
    };
    let params = json!({ "licence": licence.id, "number": licence.number, "usdt": licence.value });
    News::State {
        subject: licence.id.0,
        version: licence.version,
        state: licence.state.as_str(),
        line: Some(Line {
            owner,
            code,
            params,
            amount: Some(licence.value),
            about: licence.id.0,
        }),
    }
}

/// Who ended it knows; what ended without them is news, and their robot rests.
fn following_changed(owner: UserId, following: &FollowingView) -> News {
    let code = match following.state {
        FollowingState::Loss => "following_loss",
        FollowingState::Left => "following_left",
        FollowingState::Active | FollowingState::Ended => return News::Nothing,
    };
    let params = json!({
        "licence": following.licence, "number": following.number, "usdt": following.maximum_loss, "by": following.name,
    });
    News::State {
        subject: following.id.0,
        version: following.version,
        state: following.state.as_str(),
        line: Some(Line {
            owner,
            code,
            params,
            amount: None,
            about: following.licence.0,
        }),
    }
}

/// Whether a state that follows another is news. A thing seen for the first time is; coming back to active is not a purchase.
#[must_use]
pub fn is_news(previous: Option<&str>, state: &str) -> bool {
    match previous {
        None => true,
        Some(previous) => previous != state && state != LicenceState::Active.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_news_once() {
        assert!(is_news(None, "active"));
        assert!(!is_news(Some("active"), "active"));
        assert!(is_news(Some("active"), "ceiling_reached"));
        assert!(!is_news(Some("ceiling_reached"), "active"));
        assert!(is_news(Some("pending_approval"), "approved"));
    }
}
