//! What a proof of presence is for, and which kinds of it are taken.

/// What a code authorises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    ChangeAccountData,
    ChangePassword,
    ChangeFactor,
    Transfer,
    TransferTokens,
    RevealPhrase,
    PixWithdraw,
    CryptoWithdraw,
    SwapTokens,
    NewPixKey,
    Whitelist,
    /// Sets or ends a limit of one's own, or begins a time out.
    OwnLimits,
    /// Asks for, or downloads, the file with all that is kept about oneself.
    ExportData,
    /// Asks that one's account be closed.
    CloseAccount,
    /// Opens trading PYX in the session that gives it.
    PyxTrading,
    /// Opens a look at somebody's account.
    LookAs,
    /// Only through the sign-in itself, never on request.
    #[serde(skip)]
    SignIn,
    /// Beside a mailed link, never on request.
    #[serde(skip)]
    ResetPassword,
}

impl Purpose {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChangeAccountData => "change-account-data",
            Self::ChangePassword => "change-password",
            Self::ChangeFactor => "change-factor",
            Self::Transfer => "transfer",
            Self::TransferTokens => "transfer-tokens",
            Self::RevealPhrase => "reveal-phrase",
            Self::PixWithdraw => "pix-withdraw",
            Self::CryptoWithdraw => "crypto-withdraw",
            Self::SwapTokens => "swap-tokens",
            Self::NewPixKey => "new-pix-key",
            Self::Whitelist => "whitelist",
            Self::OwnLimits => "own-limits",
            Self::ExportData => "export-data",
            Self::CloseAccount => "close-account",
            Self::PyxTrading => "pyx-trading",
            Self::LookAs => "look-as",
            Self::SignIn => "sign-in",
            Self::ResetPassword => "reset-password",
        }
    }
}

/// Which kinds of proof are taken.
#[derive(Clone, Copy, Debug)]
pub struct Accepts {
    pub email: bool,
    pub app: bool,
    pub recovery: bool,
    /// What a passkey confirmed (`passkeys::prove`).
    pub passkey: bool,
}

impl Accepts {
    pub(super) const MAILED: Self = Self {
        email: true,
        app: false,
        recovery: false,
        passkey: false,
    };

    pub(super) const APP: Self = Self {
        email: false,
        app: true,
        recovery: false,
        passkey: false,
    };

    /// What authorises money: the app's code where it is on, a mailbox alone then opens nothing; else the e-mailed one. In place of either a passkey's
    /// proof.
    #[must_use]
    pub const fn strongest(app: bool) -> Self {
        Self {
            email: !app,
            app,
            recovery: false,
            passkey: true,
        }
    }
}
