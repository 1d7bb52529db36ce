//! What we owe beside what we hold (docs/rules/reports.md#coverage). Owed is read from the books, coins from the chain, at the rates of now. A loan is
//! netted against its own licence alone; debts are receivable and never netted; what is sponsored, simulated and paper stands apart;
//! customers' own wallets are neither asset nor debt.
//!
//! Deferred bonuses are owed though they are on nobody's account: they were earned, and the network fund pays them from sales and fees to
//! come. They have a line of their own and count in the sum (2026-11-24): a coverage that left them out would look better the
//! less the fund can pay.

pub mod coverage;
mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::{context::Context, settings::percent_of},
    identity::caller::Caller,
    ledger::amount::Amount,
    pix::{self, rate},
    treasury::service::{self as treasury, DeclaredHolding},
    wallet::{
        chain::{Coin, wei},
        hot::holdings::{self, Holding, Place, Reading},
    },
};
use actix_web::{get, web};
use alloy::primitives::U256;
use protocol::{
    Queue,
    money::{Brl, Pyx, Usdt},
};
use serde::Serialize;
use time::OffsetDateTime;

/// What is owed by one kind of account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Owed {
    /// `available`, `held` for withdrawals, `held_orders` (for PYX), `held_transfers`, `held_deposits`, `bonus`, `price`, `topup`, `allocated`, `yield`, `loan` (below zero), `pool_principal`, and
    /// `bonus_deferred`: no balance of anybody, but due from the network fund as it fills.
    pub account: String,
    pub usdt: Usdt,
}

/// What lies somewhere.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// `hot`, `cold`, `deposits`, `pix`, `exchange`.
    pub place: String,
    /// `USDT`, `BUSD`, `BNB`, `BRL`.
    pub currency: String,
    /// In that currency, exact.
    pub amount: String,
    /// Its worth now; none where no rate says it, and then it counts nothing.
    pub usdt: Option<Usdt>,
}

/// What the exchange of a currency has gained or lost at the rates of now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FxGain {
    pub currency: String,
    pub usdt: Usdt,
}

/// Results of operations, one mode beside the other.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub struct ModeResults {
    pub simulated: Usdt,
    pub paper: Usdt,
    pub live: Usdt,
}

/// PYX that people hold in the books, beside what was issued to them and what lies on the chain for them; it has no rate, so it stands
/// apart.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PyxOwed {
    pub free: Pyx,
    pub locked: Pyx,
    pub held: Pyx,
    /// Free, locked and held.
    pub owed: Pyx,
    pub issued: Pyx,
    /// What people left to the house when they closed their accounts: issued, owed to nobody.
    pub left_behind: Pyx,
    /// What has left the books for people's own wallets. With what is owed and what was left it is what was issued.
    pub withdrawn: Pyx,
    /// What the house holds on the chain, floored; none: it never answered.
    pub on_chain: Option<Pyx>,
}

/// What we owe beside what we hold.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Solvency {
    #[serde(with = "time::serde::rfc3339")]
    pub as_of: OffsetDateTime,
    /// When the chain was read; none: it never answered, and its coins are missing below.
    #[serde(with = "time::serde::rfc3339::option")]
    pub chain_read_at: Option<OffsetDateTime>,
    pub owed: Vec<Owed>,
    pub owed_total: Usdt,
    pub held: Vec<Held>,
    pub held_total: Usdt,
    /// Held of what is owed, in percent with two decimals; none where nothing is owed or the chain was never read.
    pub coverage: Option<String>,
    pub fx: Vec<FxGain>,
    pub fx_total: Usdt,
    /// Given by the house, never withdrawn.
    pub sponsored: Usdt,
    /// Owed to us.
    pub receivable: Usdt,
    /// What the house itself has put in, at the rates of now.
    pub capital: Usdt,
    /// Sales, fees and funds: what the house has earned or keeps for bonuses.
    pub house: Usdt,
    pub modes: ModeResults,
    pub pyx: PyxOwed,
    /// What staff declare, by whom and when: outside the coverage. Those that wait for a second person stand last.
    pub declared: Vec<DeclaredHolding>,
    /// What of it stands.
    pub declared_total: Usdt,
}

/// What we owe beside what we hold, at the rates of now.
#[utoipa::path(tag = "reports", responses((status = 200, body = Solvency), (status = 403, body = ErrorBody)))]
#[get("/admin/solvency")]
pub async fn solvency(context: web::Data<Context>, caller: Caller) -> Result<web::Json<Solvency>, Error> {
    caller.staff(Queue::Holdings.permission())?;
    Ok(web::Json(read(&context).await?))
}

/// What `held` accounts hold, by what it is held for: causes of holds and their names here.
const HELD_FOR: [(&str, &str); 4] = [
    ("withdrawal", "held"),
    ("order", "held_orders"),
    ("transfer", "held_transfers"),
    ("deposit_intent", "held_deposits"),
];

/// Reads it all.
///
/// # Errors
/// Whatever the database refuses; a chain that does not answer is no error.
pub async fn read(context: &Context) -> Result<Solvency, Error> {
    let mut tx = context.db.snapshot().await?;
    let sums = store::sums(tx.conn()).await?;
    let held_for = store::held_for(tx.conn()).await?;
    let netted = Usdt::clamped(store::netted_loans(tx.conn()).await?.0);
    let deferred = store::deferred(tx.conn()).await?;
    let capital = store::capital(tx.conn()).await?;
    let declared = treasury::all(tx.conn()).await?;
    tx.rollback().await?;
    let of = |kind: &str, name: &str| {
        let of_name = |s: &&store::Sum| s.owner_kind == kind && s.name == name && s.currency == "USDT";
        Usdt::clamped(sums.iter().filter(of_name).map(|s| s.sum.0).sum())
    };
    let mut owed = vec![("available", of("user", "available"))];
    owed.extend(HELD_FOR.iter().map(|(cause, name)| {
        let held = held_for.iter().filter(|(of, _)| of == cause);
        (*name, Usdt::clamped(held.map(|(_, sum)| sum.0).sum()))
    }));
    owed.extend([
        ("bonus", of("user", "bonus")),
        ("bonus_deferred", deferred),
        ("pool_principal", of("user", "pool_principal")),
        ("price", of("licence", "price")),
        ("topup", of("licence", "topup")),
        ("allocated", of("licence", "allocated")),
        ("yield", of("licence", "yield")),
        ("loan", -netted),
    ]);
    let owed: Vec<Owed> = owed
        .into_iter()
        .filter(|(_, usdt)| *usdt != Usdt::ZERO)
        .map(|(account, usdt)| Owed {
            account: account.to_owned(),
            usdt,
        })
        .collect();
    let owed_total = owed.iter().map(|o| o.usdt).sum();
    let brl_rate = rate::current(context).await.ok().map(|c| c.rate);
    let read = holdings::read(context).await?;
    let chain_read_at = read.as_ref().map(|read| read.at);
    let pyx = pyx_owed(&sums, read.as_ref());
    let held = held(context, read.as_ref(), &sums, brl_rate);
    let held_total = held.iter().filter_map(|h| h.usdt).sum();
    let fx = fx(context, &sums, &capital, brl_rate);
    let capital = capital
        .iter()
        .filter_map(|(currency, wei)| {
            let mut coins = [Coin::Usdt, Coin::Busd, Coin::Bnb].into_iter();
            worth(
                context,
                coins.find(|coin| code(*coin) == *currency)?,
                wei::read(wei.0)?,
            )
        })
        .sum();
    let house = [
        "licence_sales",
        "deposit_fees",
        "withdrawal_fees",
        "loan_fees",
        "network_fund",
        "graduation_fund",
        "graduation_due",
        "presale",
        "left_behind",
    ]
    .into_iter()
    .map(|name| of("house", name))
    .sum();
    Ok(Solvency {
        as_of: context.now(),
        chain_read_at,
        coverage: chain_read_at.and_then(|_| percent_of(held_total, owed_total)),
        owed,
        owed_total,
        held,
        held_total,
        fx_total: fx.iter().map(|f| f.usdt).sum(),
        fx,
        sponsored: of("user", "sponsored"),
        receivable: -of("user", "debt"),
        capital,
        house,
        modes: ModeResults {
            // What trading has cost the house is what it has brought to others.
            simulated: -of("house", "trading:simulated"),
            paper: -of("house", "trading:paper"),
            live: -of("house", "trading:live"),
        },
        pyx,
        declared_total: declared
            .iter()
            .filter(|d| d.status == "standing")
            .map(|d| d.value)
            .sum(),
        declared,
    })
}

fn pyx_owed(sums: &[store::Sum], read: Option<&Reading>) -> PyxOwed {
    let of = |name: &str| {
        let of_name = |s: &&store::Sum| s.name == name && s.currency == Pyx::CODE;
        Pyx::clamped(sums.iter().filter(of_name).map(|s| s.sum.0).sum())
    };
    let (free, locked, held) = (of("pyx"), of("pyx_locked"), of("pyx_held"));
    PyxOwed {
        free,
        locked,
        held,
        owed: [free, locked, held].into_iter().sum(),
        issued: -of("pyx_supply"),
        left_behind: of("left_behind"),
        withdrawn: of("fx:pyx"),
        on_chain: read.and_then(|read| {
            let mut all = read.all.iter().filter(|held| held.coin == Coin::Pyx);
            let sum = all.try_fold(U256::ZERO, |sum, held| sum.checked_add(held.wei))?;
            wei::pyx(sum)
        }),
    }
}

fn brl_worth(brl: Brl, rate: pix::rules::Rate) -> Option<Usdt> {
    pix::rules::credited(brl, rate)
}

fn held(
    context: &Context,
    read: Option<&Reading>,
    sums: &[store::Sum],
    brl_rate: Option<pix::rules::Rate>,
) -> Vec<Held> {
    let mut held = Vec::new();
    for Holding {
        place,
        coin,
        wei: amount,
    } in read.map_or(&[][..], |read| &read.all)
    {
        // PYX stand apart.
        if *coin == Coin::Pyx {
            continue;
        }
        held.push(Held {
            place: match place {
                Place::Hot => "hot",
                Place::Cold => "cold",
                Place::Deposits => "deposits",
            }
            .to_owned(),
            currency: coin.as_str().to_uppercase(),
            amount: whole(*amount),
            usdt: worth(context, *coin, *amount),
        });
    }
    let booked = |name: &str, currency: &str| {
        sums.iter()
            .filter(|s| s.owner_kind == "house" && s.name == name && s.currency == currency)
            .fold(0i128, |sum, s| sum - s.sum.0)
    };
    let float = Brl(i64::try_from(booked("custody_pix", "BRL")).unwrap_or(i64::MAX));
    if float != Brl::ZERO {
        held.push(Held {
            place: "pix".to_owned(),
            currency: "BRL".to_owned(),
            amount: float.to_string(),
            usdt: brl_rate.and_then(|rate| brl_worth(float, rate)),
        });
    }
    let exchange = Usdt::clamped(booked("custody_exchange", "USDT"));
    if exchange != Usdt::ZERO {
        held.push(Held {
            place: "exchange".to_owned(),
            currency: "USDT".to_owned(),
            amount: exchange.to_string(),
            usdt: Some(exchange),
        });
    }
    held
}

/// Wei as a decimal string of whole coins, exact.
fn whole(wei: U256) -> String {
    let digits = format!("{:0>19}", wei.to_string());
    let (whole, fraction) = digits.split_at(digits.len() - 18);
    format!("{whole}.{fraction}")
}

fn worth(context: &Context, coin: Coin, amount: U256) -> Option<Usdt> {
    if coin == Coin::Usdt {
        return wei::usdt(amount);
    }
    crate::wallet::hot::service::worth(context, coin, amount)
}

/// The coin's code in the books.
fn code(coin: Coin) -> String {
    format!("{}_BSC", coin.as_str().to_uppercase())
}

/// For each currency: what came at its rate of now, less what was given for it. Without a rate nothing is said.
fn fx(
    context: &Context,
    sums: &[store::Sum],
    capital: &[(String, Amount)],
    brl_rate: Option<pix::rules::Rate>,
) -> Vec<FxGain> {
    let sum = |name: &str, currency: &str| {
        sums.iter()
            .filter(|s| s.owner_kind == "house" && s.name == name && s.currency == currency)
            .fold(0i128, |sum, s| sum + s.sum.0)
    };
    let mut gains = Vec::new();
    for coin in [Coin::Usdt, Coin::Busd, Coin::Bnb] {
        let name = format!("fx:{}", coin.as_str());
        let currency = code(coin);
        let own = capital
            .iter()
            .find(|(c, _)| *c == currency)
            .map_or(0, |(_, own)| own.0);
        let (wei, given) = (sum(&name, &currency) - own, sum(&name, "USDT"));
        let value = |wei: i128| -> Option<i128> {
            let amount = wei::read(wei.abs())?;
            let worth = i128::from(worth(context, coin, amount)?.0);
            Some(if wei < 0 { -worth } else { worth })
        };
        if (wei, given) != (0, 0)
            && let Some(value) = value(wei)
        {
            gains.push(FxGain {
                currency: coin.as_str().to_uppercase(),
                usdt: Usdt::clamped(value + given),
            });
        }
    }
    let (brl, given) = (sum("fx:brl", "BRL"), sum("fx:brl", "USDT"));
    if (brl, given) != (0, 0)
        && let Some(rate) = brl_rate
        && let Some(value) = brl_worth(Brl(i64::try_from(brl.abs()).unwrap_or(i64::MAX)), rate)
    {
        let value = i128::from(value.0) * brl.signum();
        gains.push(FxGain {
            currency: "BRL".to_owned(),
            usdt: Usdt::clamped(value + given),
        });
    }
    gains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_floored_and_silent_without_debt() {
        let u = Usdt::whole;
        for (held, owed, text) in [
            (u(100), u(100), Some("100.00")),
            (u(1), u(3), Some("33.33")),
            (u(250), u(100), Some("250.00")),
            (u(0), u(5), Some("0.00")),
            (u(5), u(0), None),
        ] {
            assert_eq!(percent_of(held, owed).as_deref(), text);
        }
        assert_eq!(whole(U256::from(1u64)), "0.000000000000000001");
    }
}
