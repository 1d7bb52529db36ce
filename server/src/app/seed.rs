//! The demo's people. Each is made once; what they did since is theirs.
//!
//! The traders stand below the house's left leg and below each other, staff below its right one: who approves money sponsors nobody
//! (docs/rules/approvals.md#administrators) and has no part in the traders' legs. The first administrators are granted their rights by nobody.

use protocol::ErrorCode;

use super::{banner::SignIn, demo::select_leg};
use crate::{
    affiliates::service::{self as affiliates, Leg},
    config::Secrets,
    error::Error,
    foundation::{context::Context, locale::Locale},
    identity::service::{self as identity, DemoUser},
};

const CUSTOMER: &str = "customer";

pub(super) struct Person {
    /// Username, and the name of the password's file.
    pub(super) key: &'static str,
    shown: &'static str,
    full_name: &'static str,
    role: &'static str,
    /// The username of the sponsor; the house for who has none.
    sponsor: Option<&'static str>,
}

const fn person(
    key: &'static str,
    shown: &'static str,
    full_name: &'static str,
    role: &'static str,
) -> Person {
    Person {
        key,
        shown,
        full_name,
        role,
        sponsor: None,
    }
}

pub(super) const PEOPLE: [Person; 7] = [
    Person {
        ..person("trader1", "trader", "Ana Ribeiro", CUSTOMER)
    },
    Person {
        sponsor: Some("trader1"),
        ..person("trader2", "trader", "Bruno Castro", CUSTOMER)
    },
    person("admin1", "administrator", "Carla Nogueira", "administrator"),
    person("admin2", "administrator", "Daniel Prado", "administrator"),
    person("employee", "system employee", "Elisa Moura", "system_employee"),
    person("sales", "salesperson", "Fábio Teixeira", "salesperson"),
    person("store", "store employee", "Gisele Antunes", "store_employee"),
];

/// Makes whoever is missing; returns everybody with their drawn passwords.
///
/// # Errors
/// When the database or the secrets folder refuses; in a production world always.
pub async fn people(context: &Context, secrets: &Secrets) -> anyhow::Result<Vec<SignIn>> {
    let mut all = Vec::new();
    for person in &PEOPLE {
        let password = secrets.demo_password(person.key)?;
        let email = format!("{}@arbora.example", person.key);
        if identity::account_by_username(&context.db, person.key)
            .await?
            .is_none()
        {
            let leg = if person.role == CUSTOMER {
                Leg::Left
            } else {
                Leg::Right
            };
            select_leg(context, identity::HOUSE, leg).await?;
            match make(context, person, &email, password.expose()).await {
                // Another node was quicker.
                Err(error) if error.error_code() == ErrorCode::EmailTaken => {}
                other => other?,
            }
        }
        all.push(SignIn {
            role: person.shown,
            email,
            password,
        });
    }
    // Also after a start that was cut short: who comes by the house's link stands with the customers.
    select_leg(context, identity::HOUSE, Leg::Left).await?;
    Ok(all)
}

async fn make(context: &Context, person: &Person, email: &str, password: &str) -> Result<(), Error> {
    let sponsor = match person.sponsor {
        Some(username) => identity::account_by_username(&context.db, username).await?,
        None => None,
    };
    let demo = DemoUser {
        email,
        full_name: person.full_name,
        username: Some(person.key),
        password: Some(password),
        roles: &[person.role],
        locale: Locale::default(),
        two_factor_email: false,
    };
    let mut tx = context.db.begin().await?;
    let user = identity::create_demo_user(context, &mut tx, &demo).await?;
    affiliates::admit(context, &mut tx, user, sponsor.map(|account| account.id)).await?;
    tx.commit().await?;
    Ok(())
}
