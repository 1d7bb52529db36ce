//! Every mail that the platform writes. Its texts stand under `mail.<template>.*` in `server/locales`.

use super::{lines::Said, parts::Summed};
use protocol::{
    money::{Brl, Usdt},
    views::{NoticeGroup, Rank},
};
use time::OffsetDateTime;

/// A mail with its values. Tokens and codes are written into the stored body only.
#[derive(Clone)]
pub enum Mail {
    /// The link that confirms an address; `path` is below the public URL. Staff put it in place, and the password of before opens nothing
    /// (`password_ended`): it is said how another one is set.
    ConfirmEmail {
        path: String,
        password_ended: bool,
    },
    /// A six-digit code for signing in.
    SignInCode {
        code: String,
        device: String,
    },
    /// A six-digit code that authorises one action; `purpose` names its text, `details` are shown as they are.
    SecurityCode {
        code: String,
        purpose: &'static str,
        details: Vec<String>,
    },
    ResetPassword {
        path: String,
        until: OffsetDateTime,
    },
    /// The link that confirms one side of another e-mail: `side` (`old`, `new`) names its text, `email` is the new one, masked. Only who has
    /// the account may freeze it.
    EmailChangeLink {
        side: &'static str,
        email: String,
        path: String,
        until: OffsetDateTime,
        freeze_path: Option<String>,
    },
    Invitation {
        path: String,
    },
    /// Something about the account's safety changed; `what` names its text.
    SafetyChanged {
        what: &'static str,
        at: OffsetDateTime,
        freeze_path: String,
    },
    /// A protection that the owner chose will be weaker from a moment on; `what` names its text. The link stops it.
    Loosened {
        what: &'static str,
        details: Vec<String>,
        from: OffsetDateTime,
        freeze_path: String,
    },
    /// A protection of one's own is stronger from now on, and may shut out whom it protects; `what` names its text.
    Tightened {
        what: &'static str,
        details: Vec<String>,
        at: OffsetDateTime,
        freeze_path: String,
    },
    /// Somebody signed in by a browser that the account did not know.
    SignedIn {
        device: String,
        address: String,
        at: OffsetDateTime,
        freeze_path: String,
    },
    /// The account was frozen by the link in a mail.
    Frozen {
        path: String,
    },
    /// To the address that an account no longer has: the one before is back.
    AddressGivenBack,
    /// Where a withdrawal by PIX stands; `state` names its text. The key is masked.
    PixWithdrawal {
        state: &'static str,
        value: Usdt,
        fee: Usdt,
        brl: Brl,
        key: String,
        reason: Option<String>,
    },
    /// The link whose button confirms a withdrawal over the chain; `value` and `receives` name amount and coin.
    CryptoWithdrawalLink {
        value: String,
        fee: Usdt,
        receives: String,
        address: String,
        path: String,
        until: OffsetDateTime,
    },
    /// Where a withdrawal over the chain stands; `state` names its text.
    CryptoWithdrawal {
        state: &'static str,
        value: String,
        fee: Usdt,
        receives: String,
        address: String,
        transaction: Option<String>,
        reason: Option<String>,
    },
    /// The bonus of a rank has arrived.
    GraduationBonus {
        rank: Rank,
        value: Usdt,
        address: String,
        transaction: Option<String>,
    },
    /// Who may decide is to change, or has changed; `what` names its text. To all who decide.
    AdminRights {
        what: &'static str,
        person: String,
        /// None: the installation's operator.
        by: Option<String>,
        /// By the names that the database has for them.
        roles: Vec<String>,
        reason: Option<String>,
    },
    /// The file with all that is kept about its reader is ready; nothing of it is in the mail, nor a way past the code.
    DataExport {
        until: OffsetDateTime,
    },
    /// Where the closing of its reader's account stands; `state` names its text, `until` is the day on which it closes, `left` what is left to the
    /// house with it: the name of its text and the amount.
    Closing {
        state: &'static str,
        until: Option<OffsetDateTime>,
        left: Vec<(&'static str, String)>,
        freeze_path: Option<String>,
    },
    /// Somebody of the staff has begun to look at its reader's account as its reader sees it. The role is called as the database calls it.
    AccountSeen {
        by: String,
        role: String,
        reason: String,
        at: OffsetDateTime,
    },
    /// What staff decided about its reader's account; `what` names its text. Roles are called as the database calls them.
    AccountDecided {
        what: &'static str,
        roles: Vec<String>,
        reason: Option<String>,
        at: OffsetDateTime,
    },
    /// A ticket's conversation, for its customer.
    Transcript {
        number: i64,
        subject: String,
        /// In their order.
        said: Vec<Said>,
        /// How many messages before them there are.
        left_out: i64,
        path: String,
    },
    /// A ticket's words, sent to its owner by staff.
    Ticket {
        number: i64,
        subject: String,
        text: String,
        path: String,
    },
    /// Its reader was told something while they were away: what it is about and how many lines, nothing of what they say.
    Away {
        counts: Vec<(NoticeGroup, i64)>,
    },
    /// What came in since the last one, and what the robots' days were.
    Digest {
        since: OffsetDateTime,
        lines: Vec<Summed>,
    },
}

impl Mail {
    /// The name of its texts.
    #[must_use]
    pub const fn template(&self) -> &'static str {
        match self {
            Self::ConfirmEmail { .. } => "confirm_email",
            Self::SignInCode { .. } => "sign_in_code",
            Self::SecurityCode { .. } => "security_code",
            Self::ResetPassword { .. } => "reset_password",
            Self::EmailChangeLink { .. } => "email_change_link",
            Self::Invitation { .. } => "invitation",
            Self::SafetyChanged { .. } => "safety_changed",
            Self::Loosened { .. } => "loosened",
            Self::Tightened { .. } => "tightened",
            Self::SignedIn { .. } => "signed_in",
            Self::Frozen { .. } => "frozen",
            Self::AddressGivenBack => "address_given_back",
            Self::PixWithdrawal { .. } => "pix_withdrawal",
            Self::CryptoWithdrawalLink { .. } => "crypto_withdrawal_link",
            Self::CryptoWithdrawal { .. } => "crypto_withdrawal",
            Self::GraduationBonus { .. } => "graduation_bonus",
            Self::AdminRights { .. } => "admin_rights",
            Self::DataExport { .. } => "data_export",
            Self::Closing { .. } => "closing",
            Self::AccountSeen { .. } => "account_seen",
            Self::AccountDecided { .. } => "account_decided",
            Self::Transcript { .. } => "transcript",
            Self::Ticket { .. } => "ticket",
            Self::Away { .. } => "away",
            Self::Digest { .. } => "digest",
        }
    }

    /// Asked for on a screen: above the hourly cap the asking is refused. A notice waits instead, it is never lost.
    #[must_use]
    pub const fn is_asked_for(&self) -> bool {
        !matches!(
            self,
            Self::SafetyChanged { .. }
                | Self::Loosened { .. }
                | Self::Tightened { .. }
                | Self::SignedIn { .. }
                | Self::Frozen { .. }
                | Self::AddressGivenBack
                | Self::PixWithdrawal { .. }
                | Self::CryptoWithdrawal { .. }
                | Self::GraduationBonus { .. }
                | Self::AdminRights { .. }
                | Self::DataExport { .. }
                | Self::Closing { .. }
                | Self::AccountSeen { .. }
                | Self::AccountDecided { .. }
                | Self::Ticket { .. }
                | Self::Away { .. }
                | Self::Digest { .. }
        )
    }

    /// Counted apart from all others: the way in of who has lost it.
    pub(super) const fn is_way_in(&self) -> bool {
        matches!(self, Self::ResetPassword { .. })
    }

    /// A code, what warns of an account's safety or of money about to leave, or what one of the staff writes: whoever causes it is bounded
    /// elsewhere, so that none of the mails here takes another's place, and none of them waits. Of another e-mail only the word to who has the account: the other goes to
    /// whoever it may be.
    #[must_use]
    pub(super) fn is_uncounted(&self) -> bool {
        self.warns_of_money()
            || matches!(
                self,
                Self::SignInCode { .. }
                    | Self::SecurityCode { .. }
                    | Self::SafetyChanged { .. }
                    | Self::Loosened { .. }
                    | Self::Tightened { .. }
                    | Self::SignedIn { .. }
                    | Self::EmailChangeLink {
                        freeze_path: Some(_),
                        ..
                    }
                    | Self::Frozen { .. }
                    | Self::AddressGivenBack
                    | Self::AdminRights { .. }
                    | Self::Closing { .. }
                    | Self::AccountSeen { .. }
                    | Self::AccountDecided { .. }
                    | Self::Ticket { .. }
            )
    }

    /// Of a withdrawal what its owner must hear whoever asked for it: that somebody did, that the money has gone, that the house refused it. Each
    /// comes once at most. What came back by itself, or waits for a word of theirs, took nothing.
    fn warns_of_money(&self) -> bool {
        match self {
            Self::PixWithdrawal { state, .. } | Self::CryptoWithdrawal { state, .. } => {
                matches!(*state, "requested" | "paid" | "complete" | "rejected")
            }
            _ => false,
        }
    }

    /// What it is about, of a mail that its reader may do without. What tells of money that leaves is none: it warns.
    #[must_use]
    pub fn group(&self) -> Option<NoticeGroup> {
        match self {
            Self::PixWithdrawal { .. } | Self::CryptoWithdrawal { .. } if !self.warns_of_money() => {
                Some(NoticeGroup::MoneyOut)
            }
            Self::GraduationBonus { .. } => Some(NoticeGroup::Network),
            _ => None,
        }
    }

    /// Its reader's quiet hours hold it: what may be switched off may come in the morning. What belongs to no switch was asked for, or warns.
    #[must_use]
    pub fn can_wait(&self) -> bool {
        self.group().is_some() || matches!(self, Self::Away { .. } | Self::Digest { .. })
    }
}
