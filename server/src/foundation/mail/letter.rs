//! Every mail that the platform writes. Its texts stand under `mail.<template>.*` in `server/locales`.

use crate::foundation::locale::Locale;
use protocol::money::{Brl, Usdt};
use time::OffsetDateTime;

/// A mail with its values. Tokens and codes are written into the stored body only.
#[derive(Clone)]
pub enum Mail {
    /// The link that confirms an address; `path` is below the public URL.
    ConfirmEmail {
        path: String,
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
    /// The account was frozen by the link in a mail.
    Frozen {
        path: String,
    },
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
    /// A ticket's words, sent to its owner by staff.
    Ticket {
        number: i64,
        subject: String,
        text: String,
        path: String,
    },
}

/// What goes into the layout.
pub(super) struct Content {
    /// Values of the texts' `{name}`.
    pub params: Vec<(&'static str, String)>,
    /// Shown below the text, as they are.
    pub lines: Vec<String>,
    pub code: Option<String>,
    pub button: Option<String>,
    pub freeze: Option<String>,
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
            Self::Invitation { .. } => "invitation",
            Self::SafetyChanged { .. } => "safety_changed",
            Self::Loosened { .. } => "loosened",
            Self::Frozen { .. } => "frozen",
            Self::PixWithdrawal { .. } => "pix_withdrawal",
            Self::CryptoWithdrawalLink { .. } => "crypto_withdrawal_link",
            Self::CryptoWithdrawal { .. } => "crypto_withdrawal",
            Self::AdminRights { .. } => "admin_rights",
            Self::Ticket { .. } => "ticket",
        }
    }

    /// Asked for on a screen: above the hourly cap the asking is refused. A notice waits instead, it is never lost.
    #[must_use]
    pub const fn is_asked_for(&self) -> bool {
        !matches!(
            self,
            Self::SafetyChanged { .. }
                | Self::Loosened { .. }
                | Self::Frozen { .. }
                | Self::PixWithdrawal { .. }
                | Self::CryptoWithdrawal { .. }
                | Self::AdminRights { .. }
                | Self::Ticket { .. }
        )
    }

    /// Counted apart from all others: the way in of who has lost it.
    pub(super) const fn is_way_in(&self) -> bool {
        matches!(self, Self::ResetPassword { .. })
    }

    /// A code: identity bounds how many are sent, so that none of the mails here takes another's place.
    #[must_use]
    pub(super) const fn is_code(&self) -> bool {
        matches!(self, Self::SignInCode { .. } | Self::SecurityCode { .. })
    }

    pub(super) fn content(&self, locale: Locale) -> Content {
        let mut content = Content {
            params: Vec::new(),
            lines: Vec::new(),
            code: None,
            button: None,
            freeze: None,
        };
        match self {
            Self::ConfirmEmail { path } | Self::Invitation { path } | Self::Frozen { path } => {
                content.button = Some(path.clone());
            }
            Self::ResetPassword { path, until } => {
                content.button = Some(path.clone());
                content.params.push(("until", brasilia(*until)));
            }
            Self::SignInCode { code, device } => {
                content.code = Some(code.clone());
                content.params.push(("device", device.clone()));
            }
            Self::SecurityCode {
                code,
                purpose,
                details,
            } => {
                content.code = Some(code.clone());
                content.params.push((
                    "purpose",
                    locale.text("mail", &format!("purpose.{purpose}")).to_owned(),
                ));
                content.lines.clone_from(details);
            }
            Self::SafetyChanged {
                what,
                at,
                freeze_path,
            } => {
                content
                    .params
                    .push(("what", locale.text("mail", &format!("changed.{what}")).to_owned()));
                content.params.push(("at", brasilia(*at)));
                content.freeze = Some(freeze_path.clone());
            }
            Self::Loosened {
                what,
                details,
                from,
                freeze_path,
            } => {
                content.params.push((
                    "what",
                    locale.text("mail", &format!("loosened.{what}")).to_owned(),
                ));
                content.params.push(("from", brasilia(*from)));
                content.lines.clone_from(details);
                content
                    .lines
                    .push(locale.text("mail", "loosened.stop").to_owned());
                content.freeze = Some(freeze_path.clone());
            }
            Self::PixWithdrawal {
                state,
                value,
                fee,
                brl,
                key,
                reason,
            } => {
                content.params.push(("value", value.to_string()));
                content.params.push((
                    "state",
                    locale
                        .text("mail", &format!("pix_withdrawal_state.{state}"))
                        .to_owned(),
                ));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(format!("{value} USDT"))),
                        ("details.fee", Some(format!("{fee} USDT"))),
                        ("details.brl", Some(format!("R$ {brl}"))),
                        ("details.key", Some(key.clone())),
                        ("details.reason", reason.clone()),
                    ],
                );
                content.button = Some("/wallet/my-withdrawals-pix".into());
            }
            Self::CryptoWithdrawalLink {
                value,
                fee,
                receives,
                address,
                path,
            } => {
                content.params.push(("value", value.clone()));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(value.clone())),
                        ("details.fee", Some(format!("{fee} USDT"))),
                        ("details.receives", Some(receives.clone())),
                        ("details.destination", Some(address.clone())),
                    ],
                );
                content.button = Some(path.clone());
            }
            Self::CryptoWithdrawal {
                state,
                value,
                fee,
                receives,
                address,
                transaction,
                reason,
            } => {
                content.params.push(("value", value.clone()));
                let state = format!("crypto_withdrawal_state.{state}");
                content
                    .params
                    .push(("state", locale.text("mail", &state).to_owned()));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(value.clone())),
                        ("details.fee", Some(format!("{fee} USDT"))),
                        ("details.receives", Some(receives.clone())),
                        ("details.destination", Some(address.clone())),
                        ("details.transaction", transaction.clone()),
                        ("details.reason", reason.clone()),
                    ],
                );
                content.button = Some("/wallet/my-withdrawals".into());
            }
            Self::AdminRights {
                what,
                person,
                by,
                roles,
                reason,
            } => {
                let roles: Vec<_> = roles.iter().map(|role| locale.text("roles", role)).collect();
                // The text first: it names the person.
                let what = format!("admin_rights.{what}");
                content
                    .params
                    .push(("what", locale.text("mail", &what).to_owned()));
                content.params.push(("person", format!("@{person}")));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.by", by.as_ref().map(|by| format!("@{by}"))),
                        ("details.roles", Some(roles.join(", ")).filter(|r| !r.is_empty())),
                        ("details.reason", reason.clone()),
                    ],
                );
                content.button = Some("/administrator/set-permissions".into());
            }
            Self::Ticket {
                number,
                subject,
                text,
                path,
            } => {
                content.params.push(("number", number.to_string()));
                content.params.push(("subject", subject.clone()));
                content.lines.push(text.clone());
                content.button = Some(path.clone());
            }
        }
        content
    }
}

/// Named values, one a line; those that are none are left out.
fn facts(lines: &mut Vec<String>, locale: Locale, facts: &[(&str, Option<String>)]) {
    for (name, value) in facts {
        if let Some(value) = value {
            lines.push(format!("{}: {value}", locale.text("mail", name)));
        }
    }
}

/// An instant as people of the business read it: 20/11/2026 14:32 (Brasília).
fn brasilia(at: OffsetDateTime) -> String {
    let zoned = jiff::Timestamp::from_second(at.unix_timestamp())
        .ok()
        .and_then(|t| t.in_tz(crate::foundation::business_day::ZONE).ok());
    zoned.map_or_else(
        || at.to_string(),
        |z| z.strftime("%d/%m/%Y %H:%M (Brasília)").to_string(),
    )
}
