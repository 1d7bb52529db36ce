//! Every mail has its texts in every language, and says what it has to.

use super::*;
use crate::foundation::{locale::Locale, mail::Said};
use time::macros::datetime;

fn every_mail() -> Vec<Mail> {
    vec![
        Mail::ConfirmEmail {
            path: "/verify-email/a/b".into(),
            password_ended: true,
        },
        Mail::SignInCode {
            code: "123456".into(),
            device: "Firefox".into(),
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "change-account-data",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "change-password",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "change-factor",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "transfer",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "transfer-tokens",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "reveal-phrase",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "pix-withdraw",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "whitelist",
            details: vec![],
        },
        Mail::ResetPassword {
            path: "/reset-password/x".into(),
            until: datetime!(2026-11-20 17:32 UTC),
        },
        email_change_link("old"),
        email_change_link("new"),
        safety("email"),
        Mail::Invitation {
            path: "/new-password/x/y".into(),
        },
        safety("password"),
        safety("factor"),
        safety("recovery_code"),
        safety("profile"),
        safety("push_removed"),
        safety("staff_email"),
        safety("staff_email_passkeys"),
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "own-limits",
            details: vec![],
        },
        loosened("limit"),
        loosened("whitelist_off"),
        loosened("whitelist_add"),
        Mail::SignedIn {
            device: "Firefox · Linux".into(),
            address: "203.0.113.7".into(),
            at: datetime!(2026-11-20 17:32 UTC),
            freeze_path: "/freeze/x".into(),
        },
        tightened("limit"),
        tightened("whitelist_on"),
        tightened("exclusion"),
        Mail::Frozen {
            path: "/forgot-password".into(),
        },
        Mail::AddressGivenBack,
        Mail::CryptoWithdrawalLink {
            value: "50.000000 USDT".into(),
            fee: protocol::money::Usdt::whole(1),
            receives: "49.00 USDT".into(),
            address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
            path: "/wallet/my-withdrawals?confirm=a.b".into(),
            until: datetime!(2026-11-20 17:32 UTC),
        },
        crypto_withdrawal("awaiting_confirmation"),
        crypto_withdrawal("complete"),
        crypto_withdrawal("failed"),
        crypto_withdrawal("rejected"),
        crypto_withdrawal("canceled"),
        crypto_withdrawal("expired"),
        Mail::GraduationBonus {
            rank: protocol::views::Rank::Bronze,
            value: protocol::money::Usdt::whole(50),
            address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
            transaction: Some("0xab".into()),
        },
        admin_rights("asked_add"),
        admin_rights("asked_remove"),
        admin_rights("added"),
        admin_rights("removed"),
        admin_rights("rejected"),
        admin_rights("frozen"),
        admin_rights("lift_asked"),
        admin_rights("lifted"),
        admin_rights("guarded"),
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "export-data",
            details: vec![],
        },
        Mail::DataExport {
            until: datetime!(2026-11-27 17:32 UTC),
        },
        closing("asked"),
        closing("cancelled"),
        closing("kept"),
        closing("closed"),
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "close-account",
            details: vec![],
        },
        Mail::SecurityCode {
            code: "123456".into(),
            purpose: "look-as",
            details: vec![],
        },
        Mail::AccountSeen {
            by: "Rui".into(),
            role: "administrator".into(),
            reason: "porque sim".into(),
            at: datetime!(2026-11-27 17:32 UTC),
        },
        decided("switched_off"),
        decided("switched_on"),
        decided("roles_given"),
        decided("roles_taken"),
        transcript(),
        away(),
        digest(),
        Mail::Ticket {
            number: 7,
            subject: "a\r\nBcc: x@y.z".into(),
            text: "<b>olá</b>".into(),
            path: "/support".into(),
        },
    ]
}

fn safety(what: &'static str) -> Mail {
    Mail::SafetyChanged {
        what,
        at: datetime!(2026-11-20 17:32 UTC),
        freeze_path: "/freeze/x".into(),
    }
}

fn decided(what: &'static str) -> Mail {
    Mail::AccountDecided {
        what,
        roles: vec!["system_employee".into()],
        reason: Some("porque sim".into()),
        at: datetime!(2026-11-27 17:32 UTC),
    }
}

fn away() -> Mail {
    let groups = protocol::views::NoticeGroup::ALL.iter().copied();
    Mail::Away {
        counts: groups.zip(1..).collect(),
    }
}

fn digest() -> Mail {
    let lines = [
        ("robots_simulated", 31, -1_250_000),
        ("robots_paper", 1, 0),
        ("robots_live", 2, 5),
        ("bonus_level", 1, 10_000_000),
        ("bonus_direct_sale", 1, 1),
        ("bonus_indirect_sale", 1, 1),
        ("bonus_residual", 1, 1),
        ("bonus_binary", 1, 1),
        ("pool_revenue", 3, 1_234_560_000),
    ];
    Mail::Digest {
        since: datetime!(2026-11-20 17:32 UTC),
        lines: lines
            .map(|(what, count, usdt)| crate::foundation::mail::Summed {
                what: what.to_owned(),
                count,
                usdt: protocol::money::Usdt(usdt),
            })
            .to_vec(),
    }
}

fn closing(state: &'static str) -> Mail {
    let asked = state == "asked";
    Mail::Closing {
        state,
        until: asked.then_some(datetime!(2026-11-27 17:32 UTC)),
        left: vec![("details.left_balance", "3.000000 USDT".to_owned())],
        freeze_path: asked.then(|| "/freeze/x".into()),
    }
}

fn email_change_link(side: &'static str) -> Mail {
    Mail::EmailChangeLink {
        side,
        email: "a***@example.com".into(),
        path: "/change-email/x".into(),
        until: datetime!(2026-11-20 17:32 UTC),
        freeze_path: (side == "old").then(|| "/freeze/x".into()),
    }
}

fn transcript() -> Mail {
    let at = datetime!(2026-11-20 17:32 UTC);
    let said = |author: &str, text: Option<&str>, attachment: Option<&str>| Said {
        at,
        author: author.into(),
        text: text.map(str::to_owned),
        attachment: attachment.map(str::to_owned),
    };
    Mail::Transcript {
        number: 7,
        subject: "a\r\nBcc: x@y.z".into(),
        said: vec![
            said("Ana <i>", Some("<b>olá</b>\nBcc: x@y.z"), Some("extrato.pdf")),
            said("Bia", None, None),
        ],
        left_out: 3,
        path: "/support/ticket/x".into(),
    }
}

fn loosened(what: &'static str) -> Mail {
    Mail::Loosened {
        what,
        details: vec![],
        from: datetime!(2026-11-21 17:32 UTC),
        freeze_path: "/freeze/x".into(),
    }
}

fn tightened(what: &'static str) -> Mail {
    Mail::Tightened {
        what,
        details: vec![],
        at: datetime!(2026-11-20 17:32 UTC),
        freeze_path: "/freeze/x".into(),
    }
}

fn admin_rights(what: &'static str) -> Mail {
    Mail::AdminRights {
        what,
        person: "eva".into(),
        by: Some("rui".into()),
        roles: vec!["administrator".into()],
        reason: Some("porque sim".into()),
    }
}

fn ana(locale: Locale) -> Recipient {
    Recipient {
        user: None,
        email: "a@example.com".into(),
        name: "Ana".into(),
        locale,
        anti_phishing: None,
        time_zone: None,
        quiet: Vec::new(),
        hours: None,
    }
}

fn rendered(to: &Recipient, mail: &Mail) -> Rendered {
    let letter = Letter {
        brand: "Arbora",
        public_url: "https://arbora.example",
        demo: false,
        to,
        mail,
    };
    letter.render().unwrap()
}

fn crypto_withdrawal(state: &'static str) -> Mail {
    Mail::CryptoWithdrawal {
        state,
        value: "50.000000 USDT".into(),
        fee: protocol::money::Usdt::whole(1),
        receives: "49.00 USDT".into(),
        address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
        transaction: Some("0xab".into()),
        reason: Some("porque sim".into()),
    }
}

#[test]
fn every_mail_has_its_texts_in_every_language() {
    for locale in Locale::ALL {
        for mail in every_mail() {
            let to = Recipient {
                user: None,
                email: "a@example.com".into(),
                name: "Ana <i>".into(),
                locale,
                anti_phishing: Some("capivara".into()),
                time_zone: None,
                quiet: Vec::new(),
                hours: None,
            };
            let letter = Letter {
                brand: "Arbora",
                public_url: "https://arbora.example",
                demo: true,
                to: &to,
                mail: &mail,
            };
            let rendered = letter.render().unwrap();
            for part in [&rendered.subject, &rendered.text, &rendered.html] {
                assert!(
                    !part.contains('…') && !part.contains('{'),
                    "{} in {}: {part}",
                    mail.template(),
                    locale.as_str()
                );
            }
            assert!(rendered.subject.starts_with("[DEMO] ") && !rendered.subject.contains(['\r', '\n']));
            assert!(rendered.text.contains("capivara") && rendered.html.contains("capivara"));
            assert!(
                !rendered.html.contains("<i>") && !rendered.html.contains("<b>"),
                "markup of strangers stays text"
            );
        }
    }
}

#[test]
fn what_can_wait_says_where_it_is_switched_off() {
    for mail in every_mail() {
        let rendered = rendered(&ana(Locale::Pt), &mail);
        let says = rendered
            .text
            .contains("https://arbora.example/account-setting?tab=notifications");
        assert_eq!(says, mail.can_wait(), "{}", mail.template());
    }
}

#[test]
fn who_is_away_reads_how_many_and_of_what() {
    let text = rendered(&ana(Locale::Pt), &away()).text;
    for part in ["Entradas: 1\nSaídas: 2\n", "https://arbora.example/notifications"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_digest_has_counts_and_sums() {
    let text = rendered(&ana(Locale::Pt), &digest()).text;
    for part in [
        "20/11/2026 14:32 (Brasília)",
        "SIMULADO: 31 · -1,25 USDT",
        ": 3 · 1.234,56 USDT",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn one_amount_has_one_form_in_a_mail() {
    let mail = crypto_withdrawal("complete");
    for (locale, value, receives) in [
        (Locale::Pt, "50,00 USDT", "49,00 USDT"),
        (Locale::En, "50.00 USDT", "49.00 USDT"),
        (Locale::Es, "50,00 USDT", "49,00 USDT"),
    ] {
        let rendered = rendered(&ana(locale), &mail);
        assert!(rendered.subject.contains(value), "{}", rendered.subject);
        for part in [value, receives] {
            assert!(rendered.text.contains(part), "{part}: {}", rendered.text);
        }
        assert!(!rendered.text.contains("000000"), "{}", rendered.text);
    }
}

#[test]
fn what_people_wrote_is_no_template() {
    let mail = Mail::Ticket {
        number: 7,
        subject: "Erro em {name} e {brand} {number}".into(),
        text: "{brand}".into(),
        path: "/support".into(),
    };
    let to = Recipient {
        name: "Ana {brand}".into(),
        anti_phishing: Some("{name}".into()),
        ..ana(Locale::Pt)
    };
    let rendered = rendered(&to, &mail);
    assert!(
        rendered.subject.contains("Erro em {name} e {brand} {number}"),
        "{}",
        rendered.subject
    );
    for part in ["Ana {brand}", "\n{brand}\n", "{name}\n"] {
        assert!(rendered.text.contains(part), "{part}: {}", rendered.text);
    }
}

#[test]
fn a_transcript_is_read_in_its_readers_language_and_zone() {
    let to = Recipient {
        time_zone: Some("Asia/Tokyo".into()),
        ..ana(Locale::En)
    };
    let rendered = rendered(&to, &transcript());
    for part in [
        "21/11/2026 02:32 (Asia/Tokyo) · Ana <i>\n<b>olá</b>\nBcc: x@y.z\nAttachment: extrato.pdf",
        "21/11/2026 02:32 (Asia/Tokyo) · Bia\nMessage deleted",
        "Earlier messages that are on the ticket's page only: 3.",
        "https://arbora.example/support/ticket/x",
    ] {
        assert!(rendered.text.contains(part), "{part}: {}", rendered.text);
    }
}

#[test]
fn times_are_read_in_the_readers_zone() {
    let mail = Mail::SafetyChanged {
        what: "password",
        at: datetime!(2026-11-20 17:32 UTC),
        freeze_path: "/freeze/x".into(),
    };
    for (zone, time) in [
        (None, "20/11/2026 14:32 (Brasília)"),
        (Some("America/Sao_Paulo"), "20/11/2026 14:32 (Brasília)"),
        (Some("America/New_York"), "20/11/2026 12:32 (America/New York)"),
        (Some("Asia/Tokyo"), "21/11/2026 02:32 (Asia/Tokyo)"),
        // One that went out of the list since it was chosen.
        (Some("Mars/Olympus"), "20/11/2026 14:32 (Brasília)"),
    ] {
        let to = Recipient {
            time_zone: zone.map(str::to_owned),
            ..ana(Locale::Pt)
        };
        let text = rendered(&to, &mail).text;
        assert!(text.contains(time), "{zone:?}: {text}");
        assert!(text.contains("https://arbora.example/freeze/x"));
    }
}
