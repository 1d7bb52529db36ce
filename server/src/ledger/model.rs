//! What is ordered from the ledger and what comes back.

use super::amount::{Amount, Coin};
pub use super::{
    account::{AccountRef, Bound, Fx, HouseAccount, LicenceAccount, UserAccount},
    amount::Currency,
};
use protocol::{
    ids::{HoldId, TransferId, UserId},
    money::{Brl, Pyx, Usdt},
    views::Mode,
};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// Why money moved. A closed list: statements translate it (`transfers.<kind>`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TransferKind { $($(#[$doc])* $name),+ }

        impl TransferKind {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text),+ } }
            #[must_use]
            pub fn read(text: &str) -> Option<Self> { Self::ALL.iter().copied().find(|k| k.as_str() == text) }
        }
    };
}

kinds! {
    DepositPix = "deposit_pix",
    DepositChain = "deposit_chain",
    WithdrawalPix = "withdrawal_pix",
    WithdrawalChain = "withdrawal_chain",
    UserTransfer = "user_transfer",
    LicencePurchase = "licence_purchase",
    LicenceCancel = "licence_cancel",
    /// `price` splits into sales and funds.
    LicenceFinal = "licence_final",
    Topup = "topup",
    Reinvestment = "reinvestment",
    Allocation = "allocation",
    Deallocation = "deallocation",
    Relocation = "relocation",
    /// A lot goes back where it came from; the one kind besides a settlement that may credit a `yield`.
    LotReturn = "lot_return",
    CapitalWithdrawal = "capital_withdrawal",
    YieldWithdrawal = "yield_withdrawal",
    BonusWithdrawal = "bonus_withdrawal",
    /// A trading result of the desk; the only kind with a mode.
    Settlement = "settlement",
    Bonus = "bonus",
    GraduationBonus = "graduation_bonus",
    SponsorshipAdd = "sponsorship_add",
    SponsorshipRemove = "sponsorship_remove",
    Loan = "loan",
    LoanRepayment = "loan_repayment",
    DebtRepayment = "debt_repayment",
    PresalePurchase = "presale_purchase",
    PresaleVesting = "presale_vesting",
    PyxTrade = "pyx_trade",
    PoolEntry = "pool_entry",
    PoolRevenue = "pool_revenue",
    PoolExit = "pool_exit",
    Hold = "hold",
    HoldPosted = "hold_posted",
    HoldVoided = "hold_voided",
    HoldExpired = "hold_expired",
    /// What a reversal could not take back, and what the house bears of it.
    ClawBack = "claw_back",
    Reversal = "reversal",
    /// What is too little to be taken out, left to the house by who closes their account.
    LeftBehind = "left_behind",
    /// The house's own coins: what a demo's hot wallet begins with.
    HouseCapital = "house_capital",
}

/// The thing for whose sake money moves: another room's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    pub kind: CauseKind,
    pub id: Uuid,
}

impl Cause {
    #[must_use]
    pub fn new(kind: CauseKind, id: impl Into<Uuid>) -> Self {
        Self { kind, id: id.into() }
    }
}

/// Kinds of things that move money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CauseKind {
    PixDeposit,
    ChainDeposit,
    DepositIntent,
    Withdrawal,
    Transfer,
    Licence,
    /// A settlement of the desk: it names its operations.
    Batch,
    Hold,
    User,
    Bonus,
    /// A rank that a member reached.
    Graduation,
    Pool,
    Presale,
    Order,
    Decision,
    /// The closing of a business day.
    Closing,
}

impl CauseKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PixDeposit => "pix_deposit",
            Self::ChainDeposit => "chain_deposit",
            Self::DepositIntent => "deposit_intent",
            Self::Withdrawal => "withdrawal",
            Self::Transfer => "transfer",
            Self::Licence => "licence",
            Self::Batch => "batch",
            Self::Hold => "hold",
            Self::User => "user",
            Self::Bonus => "bonus",
            Self::Graduation => "graduation",
            Self::Pool => "pool",
            Self::Presale => "presale",
            Self::Order => "order",
            Self::Decision => "decision",
            Self::Closing => "closing",
        }
    }
}

/// On whose order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orderer {
    User(UserId),
    /// A job, the desk, a closing.
    System,
}

impl Orderer {
    #[must_use]
    pub const fn id(self) -> Option<Uuid> {
        match self {
            Self::User(id) => Some(id.0),
            Self::System => None,
        }
    }
}

/// One side of a transfer; positive raises what we owe or have earned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leg {
    pub account: AccountRef,
    pub currency: Currency,
    pub amount: Amount,
}

/// A transfer as ordered. At least two legs that sum to zero in every currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    pub kind: TransferKind,
    /// Unique for ever: the same key with the same content is booked once, with other content refused.
    pub key: String,
    pub cause: Cause,
    pub orderer: Orderer,
    /// Only of a settlement.
    pub mode: Option<Mode>,
    pub settings_version: i32,
    /// The open business day; the São Paulo date of the booking when none.
    pub business_day: Option<Date>,
    pub legs: Vec<Leg>,
}

impl Transfer {
    #[must_use]
    pub fn new(kind: TransferKind, key: impl Into<String>, cause: Cause, orderer: Orderer) -> Self {
        Self {
            kind,
            key: key.into(),
            cause,
            orderer,
            mode: None,
            settings_version: 0,
            business_day: None,
            legs: Vec::new(),
        }
    }

    /// The version of the settings that the amounts were computed with.
    #[must_use]
    pub const fn settings(mut self, version: i32) -> Self {
        self.settings_version = version;
        self
    }

    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    #[must_use]
    pub const fn business_day(mut self, day: Date) -> Self {
        self.business_day = Some(day);
        self
    }

    /// Adds a leg in USDT; zero adds none.
    #[must_use]
    pub fn usdt(self, account: AccountRef, amount: Usdt) -> Self {
        self.leg(account, Currency::Usdt, amount.into())
    }

    /// Adds a leg in BRL; zero adds none.
    #[must_use]
    pub fn brl(self, account: AccountRef, amount: Brl) -> Self {
        self.leg(account, Currency::Brl, amount.into())
    }

    /// Adds a leg in PYX; zero adds none.
    #[must_use]
    pub fn pyx(self, account: AccountRef, amount: Pyx) -> Self {
        self.leg(account, Currency::Pyx, amount.into())
    }

    /// Adds a leg of a coin on chain; zero adds none.
    #[must_use]
    pub fn wei(self, account: AccountRef, coin: Coin, amount: i128) -> Self {
        self.leg(account, Currency::Chain(coin), Amount(amount))
    }

    /// Moves USDT from one account to another: two legs.
    #[must_use]
    pub fn move_usdt(self, from: AccountRef, to: AccountRef, amount: Usdt) -> Self {
        self.usdt(from, -amount).usdt(to, amount)
    }

    #[must_use]
    pub fn leg(mut self, account: AccountRef, currency: Currency, amount: Amount) -> Self {
        if amount != Amount::ZERO {
            self.legs.push(Leg {
                account,
                currency,
                amount,
            });
        }
        self
    }
}

/// What a leg did to its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedLeg {
    /// The row of the account: [`AccountRef::row_id`].
    pub account: Uuid,
    pub amount: Amount,
    pub balance_after: Amount,
    /// The account's version after it.
    pub version: i64,
}

/// A booked transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub id: TransferId,
    pub at: OffsetDateTime,
    pub business_day: Date,
    /// It had been booked before under the same key; nothing moved now.
    pub replayed: bool,
    pub legs: Vec<PostedLeg>,
}

impl Posted {
    /// The balance of an account of one row after this transfer.
    #[must_use]
    pub fn balance_after(&self, account: AccountRef, currency: Currency) -> Option<Amount> {
        let row = account.row_id(currency, 0);
        self.legs
            .iter()
            .rev()
            .find(|l| l.account == row)
            .map(|l| l.balance_after)
    }
}

/// Money to be set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewHold {
    /// A user's `available` or `pyx`: taken from there, what is not used goes back there.
    pub from: AccountRef,
    pub amount: Amount,
    pub key: String,
    pub cause: Cause,
    pub orderer: Orderer,
    pub settings_version: i32,
    pub expires_at: Option<OffsetDateTime>,
}

/// A hold in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub id: HoldId,
    pub transfer: Posted,
}

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementLine {
    pub transfer: TransferId,
    pub kind: TransferKind,
    pub at: OffsetDateTime,
    pub cause_kind: String,
    pub cause: Uuid,
    pub mode: Option<Mode>,
    pub reverses: Option<TransferId>,
    /// The account's name, and its licence when it is one's.
    pub account: String,
    pub owner: Uuid,
    pub currency: Currency,
    pub amount: Amount,
    pub balance_after: Amount,
}
