//! Every mail that the platform writes. Its texts stand under `mail.<template>.*` in `server/locales`.

use super::{
    lines::{Said, facts, shown},
    parts::{self, Summed},
};
use crate::foundation::locale::{Locale, filled};
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

    /// Times are said in the reader's `zone`; without one in that of the business.
    pub(super) fn content(&self, locale: Locale, zone: Option<&str>) -> Content {
        let mut content = Content {
            params: Vec::new(),
            lines: Vec::new(),
            code: None,
            button: None,
            freeze: None,
        };
        match self {
            Self::ConfirmEmail { path, password_ended } => {
                content.button = Some(path.clone());
                if *password_ended {
                    let said = locale.text("mail", "confirm_email.password_ended");
                    content.lines.push(said.to_owned());
                }
            }
            Self::Invitation { path } | Self::Frozen { path } => {
                content.button = Some(path.clone());
            }
            Self::AddressGivenBack => {}
            Self::ResetPassword { path, until } => {
                content.button = Some(path.clone());
                content.params.push(("until", shown(*until, zone)));
            }
            Self::EmailChangeLink {
                side,
                email,
                path,
                until,
                freeze_path,
            } => {
                // What is given to a text is none itself: the address is named here.
                let what = locale.text("mail", &format!("email_change_link.{side}"));
                let what = filled(what, |name| (name == "email").then_some(email.as_str()));
                content.params.push(("what", what));
                content.params.push(("until", shown(*until, zone)));
                content.button = Some(path.clone());
                content.freeze.clone_from(freeze_path);
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
                content.params.push(("at", shown(*at, zone)));
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
                content.params.push(("from", shown(*from, zone)));
                content.lines.clone_from(details);
                content
                    .lines
                    .push(locale.text("mail", "loosened.stop").to_owned());
                content.freeze = Some(freeze_path.clone());
            }
            Self::Tightened {
                what,
                details,
                at,
                freeze_path,
            } => {
                let what = format!("tightened.{what}");
                content
                    .params
                    .push(("what", locale.text("mail", &what).to_owned()));
                content.params.push(("at", shown(*at, zone)));
                content.lines.clone_from(details);
                content.freeze = Some(freeze_path.clone());
            }
            Self::SignedIn {
                device,
                address,
                at,
                freeze_path,
            } => {
                content.params.push(("at", shown(*at, zone)));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.device", Some(device.clone())),
                        ("details.address", Some(address.clone())),
                    ],
                );
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
                content.params.push(("value", locale.amount(&value.to_string())));
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
                        ("details.amount", Some(locale.amount(&format!("{value} USDT")))),
                        ("details.fee", Some(locale.amount(&format!("{fee} USDT")))),
                        (
                            "details.brl",
                            Some(format!("R$ {}", locale.amount(&brl.to_string()))),
                        ),
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
                until,
            } => {
                content.params.push(("value", locale.amount(value)));
                content.params.push(("until", shown(*until, zone)));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(locale.amount(value))),
                        ("details.fee", Some(locale.amount(&format!("{fee} USDT")))),
                        ("details.receives", Some(locale.amount(receives))),
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
                content.params.push(("value", locale.amount(value)));
                let state = format!("crypto_withdrawal_state.{state}");
                content
                    .params
                    .push(("state", locale.text("mail", &state).to_owned()));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(locale.amount(value))),
                        ("details.fee", Some(locale.amount(&format!("{fee} USDT")))),
                        ("details.receives", Some(locale.amount(receives))),
                        ("details.destination", Some(address.clone())),
                        ("details.transaction", transaction.clone()),
                        ("details.reason", reason.clone()),
                    ],
                );
                content.button = Some("/wallet/my-withdrawals".into());
            }
            Self::GraduationBonus {
                rank,
                value,
                address,
                transaction,
            } => {
                let rank = format!("rank_{rank}");
                content
                    .params
                    .push(("rank", locale.text("words", &rank).to_owned()));
                content.params.push(("value", locale.amount(&value.to_string())));
                facts(
                    &mut content.lines,
                    locale,
                    &[
                        ("details.amount", Some(locale.amount(&format!("{value} USDT")))),
                        ("details.destination", Some(address.clone())),
                        ("details.transaction", transaction.clone()),
                    ],
                );
                content.button = Some("/account-setting?tab=crypto".into());
            }
            Self::AdminRights {
                what,
                person,
                by,
                roles,
                reason,
            } => {
                let roles: Vec<_> = roles.iter().map(|role| locale.text("roles", role)).collect();
                let person = format!("@{person}");
                let what = locale.text("mail", &format!("admin_rights.{what}"));
                let what = filled(what, |name| (name == "person").then_some(person.as_str()));
                content.params.push(("what", what));
                content.params.push(("person", person));
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
            Self::DataExport { until } => {
                content.params.push(("until", shown(*until, zone)));
                content.button = Some("/account-setting?tab=privacy".into());
            }
            Self::Closing {
                state,
                until,
                left,
                freeze_path,
            } => {
                let until = until.map(|until| shown(until, zone));
                let what = locale.text("mail", &format!("closing_state.{state}"));
                let what = filled(what, |name| until.as_deref().filter(|_| name == "until"));
                content.params.push(("what", what));
                let left: Vec<(&str, Option<String>)> = left
                    .iter()
                    .map(|(what, sum)| (*what, Some(locale.amount(sum))))
                    .collect();
                facts(&mut content.lines, locale, &left);
                content.freeze.clone_from(freeze_path);
                // Whoever has left has nothing to open.
                content.button = (*state != "closed").then(|| "/account-setting?tab=privacy".into());
            }
            Self::AccountSeen { by, role, reason, at } => {
                content.params.push(("by", by.clone()));
                content
                    .params
                    .push(("role", locale.text("roles", role).to_owned()));
                content.params.push(("at", shown(*at, zone)));
                let reason = Some(reason.clone());
                facts(&mut content.lines, locale, &[("details.reason", reason)]);
                content.button = Some("/account-setting?tab=privacy".into());
            }
            Self::AccountDecided {
                what,
                roles,
                reason,
                at,
            } => {
                let what = locale.text("mail", &format!("account_decision.{what}"));
                content.params.push(("what", what.to_owned()));
                content.params.push(("at", shown(*at, zone)));
                let roles: Vec<_> = roles.iter().map(|role| locale.text("roles", role)).collect();
                let roles = Some(roles.join(", ")).filter(|roles| !roles.is_empty());
                let details = [("details.roles", roles), ("details.reason", reason.clone())];
                facts(&mut content.lines, locale, &details);
                content.button = Some("/account-setting".into());
            }
            Self::Transcript {
                number,
                subject,
                said,
                left_out,
                path,
            } => {
                content.params.push(("number", number.to_string()));
                content.params.push(("subject", subject.clone()));
                if *left_out > 0 {
                    let count = left_out.to_string();
                    let earlier = locale.text("mail", "transcript.left_out");
                    content.lines.push(filled(earlier, |name| {
                        (name == "count").then_some(count.as_str())
                    }));
                }
                content
                    .lines
                    .extend(said.iter().map(|said| said.shown(locale, zone)));
                content.button = Some(path.clone());
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
            Self::Digest { since, lines } => {
                content.params.push(("since", shown(*since, zone)));
                content.lines.push(parts::summed(locale, lines));
                content.button = Some("/customer/extrato".into());
            }
            Self::Away { counts } => {
                content.lines.push(parts::counted(locale, counts));
                content.button = Some("/notifications".into());
            }
        }
        content
    }
}
