//! What counts as outgoing, and what a code binds. Pure.

use crate::{
    approvals::{destinations, whitelist},
    identity::service::Purpose,
};
use sha2::{Digest, Sha256};

/// Everything that the guard stands before (docs/rules/approvals.md#outgoing-money).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    CryptoWithdrawal,
    PixWithdrawal,
    Transfer,
    /// From one's own wallet on chain.
    WalletSend,
    Swap,
    RevealPhrase,
    WhitelistAddition,
    /// One destination taken off, or the whole list switched off.
    WhitelistRemoval,
    NewPixKey,
    /// A limit of one's own raised or ended.
    LimitRaise,
    /// What a trade in the book PYX/USDT loses against the reference. No code of its own: a session's first order asks for one.
    PyxTrade,
    /// The bonus of a rank, from the house's fund to the member's own wallet. Staff ask for it: no code, no limit of the member's.
    GraduationBonus,
}

impl Action {
    pub const ALL: [Self; 12] = [
        Self::CryptoWithdrawal,
        Self::PixWithdrawal,
        Self::Transfer,
        Self::WalletSend,
        Self::Swap,
        Self::RevealPhrase,
        Self::WhitelistAddition,
        Self::WhitelistRemoval,
        Self::NewPixKey,
        Self::LimitRaise,
        Self::PyxTrade,
        Self::GraduationBonus,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CryptoWithdrawal => "crypto_withdrawal",
            Self::PixWithdrawal => "pix_withdrawal",
            Self::Transfer => "transfer",
            Self::WalletSend => "wallet_send",
            Self::Swap => "swap",
            Self::RevealPhrase => "reveal_phrase",
            Self::WhitelistAddition => "whitelist_addition",
            Self::WhitelistRemoval => "whitelist_removal",
            Self::NewPixKey => "new_pix_key",
            Self::LimitRaise => "limit_raise",
            Self::PyxTrade => "pyx_trade",
            Self::GraduationBonus => "graduation_bonus",
        }
    }

    /// Under which name its code is asked for and mailed.
    #[must_use]
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::CryptoWithdrawal | Self::GraduationBonus => Purpose::CryptoWithdraw,
            Self::PixWithdrawal => Purpose::PixWithdraw,
            Self::Transfer => Purpose::Transfer,
            Self::WalletSend => Purpose::TransferTokens,
            Self::Swap => Purpose::SwapTokens,
            Self::RevealPhrase => Purpose::RevealPhrase,
            Self::WhitelistAddition | Self::WhitelistRemoval => Purpose::Whitelist,
            Self::NewPixKey => Purpose::NewPixKey,
            Self::LimitRaise => Purpose::OwnLimits,
            Self::PyxTrade => Purpose::PyxTrading,
        }
    }

    /// Draws on `available`, where young PIX money lies.
    #[must_use]
    pub const fn spends_available(self) -> bool {
        matches!(
            self,
            Self::CryptoWithdrawal | Self::PixWithdrawal | Self::Transfer
        )
    }

    /// Value goes to another place: the compliance port is asked.
    #[must_use]
    pub const fn moves_money(self) -> bool {
        matches!(
            self,
            Self::CryptoWithdrawal
                | Self::PixWithdrawal
                | Self::Transfer
                | Self::WalletSend
                | Self::GraduationBonus
        )
    }

    /// Can be held for a person's look. What lies in one's own wallet is one's own: it is only noted.
    #[must_use]
    pub const fn may_wait(self) -> bool {
        self.spends_available()
    }

    /// What an inactive account may still do: take its money out.
    #[must_use]
    pub const fn open_to_inactive(self) -> bool {
        !matches!(self, Self::Transfer | Self::Swap | Self::PyxTrade)
    }

    /// The list that its destination must stand on, when the person has one.
    #[must_use]
    pub const fn whitelisted_as(self) -> Option<whitelist::Kind> {
        match self {
            Self::CryptoWithdrawal | Self::WalletSend => Some(whitelist::Kind::Chain),
            Self::PixWithdrawal => Some(whitelist::Kind::Pix),
            Self::Transfer => Some(whitelist::Kind::Member),
            _ => None,
        }
    }
}

/// What a code's request must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    pub destination: bool,
    pub amount: bool,
}

/// What the codes of outgoing things bind; none for those of the account's own data.
#[must_use]
pub const fn needs(purpose: Purpose) -> Option<Needs> {
    let (destination, amount) = match purpose {
        Purpose::Transfer
        | Purpose::TransferTokens
        | Purpose::SwapTokens
        | Purpose::PixWithdraw
        | Purpose::CryptoWithdraw => (true, true),
        // Without an amount: the limit ends.
        Purpose::NewPixKey | Purpose::Whitelist | Purpose::OwnLimits | Purpose::LookAs => (true, false),
        Purpose::RevealPhrase | Purpose::PyxTrading | Purpose::ExportData => (false, false),
        Purpose::ChangeAccountData
        | Purpose::ChangePassword
        | Purpose::ChangeFactor
        | Purpose::CloseAccount
        | Purpose::SignIn
        | Purpose::ResetPassword => {
            return None;
        }
    };
    Some(Needs { destination, amount })
}

/// SHA-256 of (action, destination, amount), each with its length before it. Spellings of the same destination or number are one:
/// "10" and "10.00", a CPF with its dots or without.
#[must_use]
pub fn binding(purpose: Purpose, destination: &str, amount: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [
        purpose.as_str(),
        &destinations::bound(purpose, destination),
        &plain(amount),
    ] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// A number without zeros that say nothing; a coin behind it stays, USDT is what is meant without one.
fn plain(amount: &str) -> String {
    let mut words = amount.split_whitespace();
    let number = words.next().unwrap_or_default();
    let coin: Vec<String> = words.map(str::to_uppercase).filter(|w| w != "USDT").collect();
    // No amount is none, not 0: whoever ends a limit of their own does not shut themselves out.
    let is_number = !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && number.bytes().filter(|b| *b == b'.').count() <= 1;
    let mut plain = if is_number {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let whole = if whole.is_empty() { "0" } else { whole };
        if fraction.is_empty() {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        }
    } else {
        number.to_owned()
    };
    for word in coin {
        plain.push(' ');
        plain.push_str(&word);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_binds_action_destination_and_amount() {
        let one = binding(Purpose::Transfer, "ana21", "10.00");
        for same in [
            binding(Purpose::Transfer, " ANA21 ", "10"),
            binding(Purpose::Transfer, "ana21", "010.000000"),
            binding(Purpose::Transfer, "ana21", "10 USDT"),
        ] {
            assert_eq!(one, same);
        }
        for other in [
            binding(Purpose::PixWithdraw, "ana21", "10.00"),
            binding(Purpose::Transfer, "ana2", "110.00"),
            binding(Purpose::Transfer, "ana22", "10.00"),
            binding(Purpose::Transfer, "ana21", "100"),
            binding(Purpose::Transfer, "ana21", "10.01"),
            binding(Purpose::Transfer, "ana21", "10 BUSD"),
            binding(Purpose::Transfer, "ana21", "1.0.0"),
            binding(Purpose::Transfer, "ana21", ""),
        ] {
            assert_ne!(one, other);
        }
        assert_ne!(
            binding(Purpose::Transfer, "x", "0.10"),
            binding(Purpose::Transfer, "x", "0.01")
        );
        assert_ne!(
            binding(Purpose::OwnLimits, "day", ""),
            binding(Purpose::OwnLimits, "day", "0")
        );
        assert_eq!(plain("0.500"), "0.5");
        assert_eq!(plain("000"), "0");
        assert_eq!(plain(".5"), "0.5");
    }
}
