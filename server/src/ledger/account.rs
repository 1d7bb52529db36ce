//! The chart of accounts (docs/rules/ledger.md#chart-of-accounts): whose, which, in what, and which sign its balance may have.

use super::amount::{Coin, Currency};
use protocol::{
    ids::{LicenceId, UserId},
    views::{self, Mode},
};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use uuid::{Uuid, fmt::Hyphenated};

/// A user's own accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UserAccount {
    /// `User.balance`: transfers, withdrawals, PYX and pools draw on it alone.
    Available,
    /// Set aside by holds; only they move it.
    Held,
    Bonus,
    /// Buys licences and top-ups only.
    Sponsored,
    /// ≤ 0: what a reversal could not take; credits to `available` repay it first.
    Debt,
    Pyx,
    PyxLocked,
    /// Like `held`, in PYX.
    PyxHeld,
    PoolPrincipal(Uuid),
}

/// A licence's accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LicenceAccount {
    /// The price rests here until the sale is final.
    Price,
    Topup,
    Allocated,
    Yield,
    /// ≤ 0.
    Loan,
}

impl LicenceAccount {
    pub const ALL: [Self; 5] = [Self::Price, Self::Topup, Self::Allocated, Self::Yield, Self::Loan];
}

/// What an exchange account balances against USDT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fx {
    Brl,
    Coin(Coin),
}

/// The house's accounts. What we owe or have earned is positive; custody is what we hold, hence ≤ 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HouseAccount {
    CustodyChain(Coin),
    CustodyPix,
    CustodyExchange,
    Fx(Fx),
    LicenceSales,
    DepositFees,
    WithdrawalFees,
    LoanFees,
    NetworkFund,
    GraduationFund,
    /// Bonuses of ranks on their way to be paid: out of the fund, not yet left.
    GraduationDue,
    Trading(Mode),
    Sponsorship,
    Presale,
    PyxSupply,
    PoolRevenue(Uuid),
    ChainLosses,
    /// What people left to the house when they closed their accounts.
    LeftBehind,
    PixLosses,
}

/// An account by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccountRef {
    User(UserId, UserAccount),
    Licence(LicenceId, LicenceAccount),
    House(HouseAccount),
}

/// The sign that a balance may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    AtLeastZero,
    AtMostZero,
    Free,
}

impl Bound {
    #[must_use]
    pub const fn allows(self, balance: i128) -> bool {
        match self {
            Self::AtLeastZero => balance >= 0,
            Self::AtMostZero => balance <= 0,
            Self::Free => true,
        }
    }

    #[must_use]
    pub const fn as_i16(self) -> i16 {
        match self {
            Self::AtLeastZero => 1,
            Self::AtMostZero => -1,
            Self::Free => 0,
        }
    }

    #[must_use]
    pub const fn read(stored: i16) -> Self {
        match stored {
            1 => Self::AtLeastZero,
            -1 => Self::AtMostZero,
            _ => Self::Free,
        }
    }
}

impl UserAccount {
    /// As screens know it; the others are shown elsewhere.
    #[must_use]
    pub const fn shown(self) -> Option<views::UserAccount> {
        Some(match self {
            Self::Available => views::UserAccount::Available,
            Self::Held => views::UserAccount::Held,
            Self::Bonus => views::UserAccount::Bonus,
            Self::Sponsored => views::UserAccount::Sponsored,
            Self::Debt => views::UserAccount::Debt,
            Self::Pyx | Self::PyxLocked | Self::PyxHeld | Self::PoolPrincipal(_) => return None,
        })
    }
}

impl From<views::UserAccount> for UserAccount {
    fn from(shown: views::UserAccount) -> Self {
        match shown {
            views::UserAccount::Available => Self::Available,
            views::UserAccount::Held => Self::Held,
            views::UserAccount::Bonus => Self::Bonus,
            views::UserAccount::Sponsored => Self::Sponsored,
            views::UserAccount::Debt => Self::Debt,
        }
    }
}

/// Busy house accounts are so many rows, so that transfers do not queue for one.
pub const STRIPES: i16 = 16;

impl HouseAccount {
    /// How many rows the account is. One with a sign rule that must hold for the whole is one row.
    #[must_use]
    pub const fn stripes(self) -> i16 {
        match self {
            Self::Trading(_) | Self::Fx(_) | Self::DepositFees | Self::WithdrawalFees | Self::LoanFees => {
                STRIPES
            }
            _ => 1,
        }
    }
}

impl AccountRef {
    /// `user`, `licence` or `house`.
    #[must_use]
    pub const fn owner_kind(self) -> &'static str {
        match self {
            Self::User(..) => "user",
            Self::Licence(..) => "licence",
            Self::House(_) => "house",
        }
    }

    #[must_use]
    pub const fn owner(self) -> Option<Uuid> {
        match self {
            Self::User(id, _) => Some(id.0),
            Self::Licence(id, _) => Some(id.0),
            Self::House(_) => None,
        }
    }

    /// The name as stored and as the verifier prints it.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::User(_, account) => match account {
                UserAccount::Available => "available".into(),
                UserAccount::Held => "held".into(),
                UserAccount::Bonus => "bonus".into(),
                UserAccount::Sponsored => "sponsored".into(),
                UserAccount::Debt => "debt".into(),
                UserAccount::Pyx => "pyx".into(),
                UserAccount::PyxLocked => "pyx_locked".into(),
                UserAccount::PyxHeld => "pyx_held".into(),
                UserAccount::PoolPrincipal(pool) => format!("pool_principal:{pool}").into(),
            },
            Self::Licence(_, account) => match account {
                LicenceAccount::Price => "price".into(),
                LicenceAccount::Topup => "topup".into(),
                LicenceAccount::Allocated => "allocated".into(),
                LicenceAccount::Yield => "yield".into(),
                LicenceAccount::Loan => "loan".into(),
            },
            Self::House(account) => match account {
                HouseAccount::CustodyChain(coin) => format!("custody_chain:{}", coin.as_str()).into(),
                HouseAccount::CustodyPix => "custody_pix".into(),
                HouseAccount::CustodyExchange => "custody_exchange".into(),
                HouseAccount::Fx(Fx::Brl) => "fx:brl".into(),
                HouseAccount::Fx(Fx::Coin(coin)) => format!("fx:{}", coin.as_str()).into(),
                HouseAccount::LicenceSales => "licence_sales".into(),
                HouseAccount::DepositFees => "deposit_fees".into(),
                HouseAccount::WithdrawalFees => "withdrawal_fees".into(),
                HouseAccount::LoanFees => "loan_fees".into(),
                HouseAccount::NetworkFund => "network_fund".into(),
                HouseAccount::GraduationFund => "graduation_fund".into(),
                HouseAccount::GraduationDue => "graduation_due".into(),
                HouseAccount::Trading(mode) => format!("trading:{mode}").into(),
                HouseAccount::Sponsorship => "sponsorship".into(),
                HouseAccount::Presale => "presale".into(),
                HouseAccount::PyxSupply => "pyx_supply".into(),
                HouseAccount::PoolRevenue(pool) => format!("pool_revenue:{pool}").into(),
                HouseAccount::ChainLosses => "chain_losses".into(),
                HouseAccount::LeftBehind => "left_behind".into(),
                HouseAccount::PixLosses => "pix_losses".into(),
            },
        }
    }

    /// Whether the account is kept in this currency.
    #[must_use]
    pub fn accepts(self, currency: Currency) -> bool {
        match self {
            Self::User(_, UserAccount::Pyx | UserAccount::PyxLocked | UserAccount::PyxHeld)
            | Self::House(HouseAccount::PyxSupply) => currency == Currency::Pyx,
            Self::House(HouseAccount::LeftBehind) => matches!(currency, Currency::Usdt | Currency::Pyx),
            Self::House(HouseAccount::CustodyPix) => currency == Currency::Brl,
            Self::House(HouseAccount::CustodyChain(coin)) => currency == Currency::Chain(coin),
            Self::House(HouseAccount::Fx(Fx::Brl)) => matches!(currency, Currency::Brl | Currency::Usdt),
            Self::House(HouseAccount::Fx(Fx::Coin(coin))) => {
                currency == Currency::Chain(coin)
                    || currency == Currency::Usdt
                    || (coin == Coin::Pyx && currency == Currency::Pyx)
            }
            _ => currency == Currency::Usdt,
        }
    }

    #[must_use]
    pub const fn bound(self) -> Bound {
        match self {
            Self::User(_, UserAccount::Debt) | Self::Licence(_, LicenceAccount::Loan) => Bound::AtMostZero,
            Self::User(..) | Self::Licence(..) => Bound::AtLeastZero,
            Self::House(account) => match account {
                HouseAccount::CustodyChain(_)
                | HouseAccount::CustodyPix
                | HouseAccount::CustodyExchange
                | HouseAccount::PyxSupply => Bound::AtMostZero,
                HouseAccount::Fx(_)
                | HouseAccount::Trading(_)
                | HouseAccount::Sponsorship
                | HouseAccount::ChainLosses
                | HouseAccount::PixLosses => Bound::Free,
                _ => Bound::AtLeastZero,
            },
        }
    }

    /// Whether only holds may move it.
    #[must_use]
    pub const fn is_held(self) -> bool {
        matches!(self, Self::User(_, UserAccount::Held | UserAccount::PyxHeld))
    }

    /// The stripe that a transfer with this seed uses; the same for the same seed, so that a repeated call meets the first one.
    #[must_use]
    pub fn stripe(self, seed: u64) -> i16 {
        let stripes = match self {
            Self::House(account) => account.stripes(),
            _ => 1,
        };
        i16::try_from(seed % u64::from(stripes.unsigned_abs().max(1))).unwrap_or(0)
    }

    /// The id of the account's row: derived from what it names, as the database checks.
    #[must_use]
    pub fn row_id(self, currency: Currency, stripe: i16) -> Uuid {
        let mut owner = [0u8; Hyphenated::LENGTH];
        let owner: &str = match self.owner() {
            Some(id) => id.hyphenated().encode_lower(&mut owner),
            None => "-",
        };
        let mut digest = Sha256::new();
        for part in [self.owner_kind(), owner, &self.name(), currency.as_str()] {
            digest.update(part);
            digest.update(b":");
        }
        match stripe {
            0 => digest.update(b"0"),
            _ => digest.update(stripe.to_string()),
        }
        let digest = digest.finalize();
        let mut id = [0u8; 16];
        for (to, from) in id.iter_mut().zip(digest.iter()) {
            *to = *from;
        }
        Uuid::from_bytes(id)
    }
}
