//! Who is in the demo's network, in the order in which they come.

use super::member::Licence;
use crate::{
    affiliates::service::Leg::{self, Left, Right},
    identity::service::HOUSE_USERNAME,
};

/// What happens on a day.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Days before the first start; zero: at it.
    pub days_ago: i64,
    pub username: &'static str,
    /// Of who comes new.
    pub comes: Option<Comes>,
    /// Paid by PIX, in whole USDT.
    pub deposit: i64,
    pub licences: &'static [Licence],
}

#[derive(Clone, Copy, Debug)]
pub struct Comes {
    pub full_name: &'static str,
    pub sponsor: &'static str,
    /// Which leg the sponsor selects before; none: whichever it is.
    pub leg: Option<Leg>,
}

const fn comes(
    days_ago: i64,
    username: &'static str,
    full_name: &'static str,
    (sponsor, leg): (&'static str, Leg),
    deposit: i64,
    licences: &'static [Licence],
) -> Step {
    Step {
        days_ago,
        username,
        comes: Some(Comes {
            full_name,
            sponsor,
            leg: Some(leg),
        }),
        deposit,
        licences,
    }
}

const SAVED: &[Licence] = &[Licence::saved(50, 60)];

/// Who has come by the house's link and stands where its left leg ended: at the outside of both traders' left legs. Most of what was paid
/// in is left for later ([`super::life`]). More than a day ago: by then it no longer counts among what an administrator has approved of late.
const fn saver(username: &'static str, full_name: &'static str) -> Step {
    comes(2, username, full_name, (HOUSE_USERNAME, Left), 900, SAVED)
}

/// Before whom nobody of the network comes, with what the demo's traders begin with.
const TRADERS: [Step; 2] = [
    Step {
        days_ago: 3,
        username: "trader1",
        comes: None,
        deposit: 2_500,
        licences: &[
            Licence {
                at_work: 400,
                ..Licence::saved(100, 450)
            },
            Licence {
                high_risk: true,
                at_work: 750,
                ..Licence::saved(250, 900)
            },
        ],
    },
    Step {
        days_ago: 3,
        username: "trader2",
        comes: None,
        deposit: 1_800,
        licences: &[Licence {
            at_work: 600,
            ..Licence::saved(250, 700)
        }],
    },
];

/// Chosen so that each thing that a closing can say is there: who is qualified, who lacks a leg (julia), who reaches the daily cap (marcos),
/// who matches points without a licence (yago), ranks (both traders). Few have much at work: the traders' robots share the market with them.
const MEMBERS: [Step; 17] = [
    comes(
        3,
        "helena",
        "Helena Duarte",
        ("trader1", Right),
        1_000,
        &[Licence::invested(500, 400)],
    ),
    comes(
        3,
        "julia",
        "Júlia Fontes",
        ("trader1", Left),
        1_600,
        &[Licence::invested(1_000, 500)],
    ),
    comes(
        3,
        "larissa",
        "Larissa Prates",
        ("trader2", Right),
        900,
        &[Licence::invested(500, 300)],
    ),
    comes(
        3,
        "marcos",
        "Marcos Tavares",
        ("trader2", Left),
        250,
        &[Licence::invested(50, 150)],
    ),
    comes(
        3,
        "kaio",
        "Kaio Mendes",
        ("helena", Left),
        200,
        &[Licence::saved(100, 60)],
    ),
    comes(
        3,
        "nina",
        "Nina Rocha",
        ("julia", Right),
        250,
        &[Licence::saved(100, 100)],
    ),
    comes(
        2,
        "otavio",
        "Otávio Reis",
        ("marcos", Left),
        1_200,
        &[Licence::saved(1_000, 100)],
    ),
    comes(
        2,
        "paula",
        "Paula Menezes",
        ("marcos", Right),
        1_200,
        &[Licence {
            high_risk: true,
            ..Licence::saved(1_000, 100)
        }],
    ),
    comes(
        2,
        "thiago",
        "Thiago Lopes",
        ("helena", Right),
        500,
        &[Licence::invested(250, 200)],
    ),
    comes(2, "yago", "Yago Pires", ("kaio", Left), 0, &[]),
    comes(
        2,
        "zilda",
        "Zilda Amaral",
        ("yago", Left),
        200,
        &[Licence::saved(100, 60)],
    ),
    comes(
        2,
        "adriano",
        "Adriano Luz",
        ("yago", Right),
        150,
        &[Licence::saved(50, 60)],
    ),
    saver("caetano", "Caetano Vilela"),
    saver("dora", "Dora Pacheco"),
    comes(
        1,
        "rafael",
        "Rafael Couto",
        ("larissa", Left),
        700,
        &[Licence::saved(500, 100)],
    ),
    comes(
        0,
        "bianca",
        "Bianca Moraes",
        ("thiago", Left),
        400,
        &[Licence::saved(250, 100)],
    ),
    comes(
        0,
        "caio",
        "Caio Freire",
        ("larissa", Right),
        160,
        &[Licence::saved(50, 60)],
    ),
];

/// All of it, the earliest first.
pub fn steps() -> impl Iterator<Item = Step> {
    TRADERS.into_iter().chain(MEMBERS)
}

/// Who registered by `trader1`'s link and has not confirmed the address: waits for a place until somebody opens the link in the mailbox.
pub const WAITS: (&str, &str, &str) = ("daniela@arbora.example", "Daniela Furtado", "trader1");

const fn newcomer(
    username: &'static str,
    full_name: &'static str,
    sponsor: &'static str,
) -> (&'static str, Comes) {
    let comes = Comes {
        full_name,
        sponsor,
        leg: None,
    };
    (username, comes)
}

/// Who comes while the demo runs, each below somebody who is there by then. There are no others.
pub const NEWCOMERS: [(&str, Comes); 10] = [
    newcomer("fabiana", "Fabiana Torres", "trader1"),
    newcomer("gustavo", "Gustavo Leite", "trader2"),
    newcomer("isabela", "Isabela Nunes", "rafael"),
    newcomer("jorge", "Jorge Antunes", "otavio"),
    newcomer("katia", "Kátia Ramos", "helena"),
    newcomer("leandro", "Leandro Pinho", "larissa"),
    newcomer("milena", "Milena Assis", "bianca"),
    newcomer("nelson", "Nelson Braga", "caio"),
    newcomer("olivia", "Olívia Peixoto", "trader1"),
    newcomer("pedro", "Pedro Salles", "fabiana"),
];

/// Who buys and tops up while the demo runs.
pub fn neighbours() -> impl Iterator<Item = &'static str> {
    MEMBERS
        .iter()
        .filter(|s| s.comes.is_some_and(|c| c.sponsor == HOUSE_USERNAME))
        .map(|s| s.username)
}
