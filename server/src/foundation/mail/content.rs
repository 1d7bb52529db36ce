//! What a mail says: the values of its texts, what is shown below them, and where its buttons lead.

use super::{
    Mail,
    lines::{facts, shown},
    parts,
};
use crate::foundation::locale::{Locale, filled};

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
