//! A person of the demo who acts through the rooms' services, as their calls do: each act is one change.

use actix_multipart::Multipart;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::stream;
use protocol::{
    Permission,
    ids::{LicenceId, SessionId, UserId},
    money::Usdt,
    permission::Permissions,
    views::{LicenceView, PixDepositStatus},
};
use rand::{Rng, distr::Alphanumeric};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    approvals::guard,
    error::Error,
    foundation::{
        context::Context,
        files::{self, Purpose, Received},
        http::Headers,
        idempotency::Key,
        locale::Locale,
        transaction::Tx,
    },
    identity::{
        caller::{Caller, Completeness, Scope},
        service::{self as identity, Account},
    },
    licences::{
        model::{Amount, Purchase, Source, TopUp},
        service as licences,
    },
    pix::service::{self as pix, Asked, Decision, Statement},
};

/// A licence and what is put into it, in whole USDT.
#[derive(Clone, Copy, Debug)]
pub struct Licence {
    pub value: i64,
    pub high_risk: bool,
    pub topup: i64,
    /// Of the top-up: what the desk gets.
    pub at_work: i64,
}

impl Licence {
    /// A standard licence. A little of its top-up is at work: with the first allocation the sale is final and brings points.
    pub const fn saved(value: i64, topup: i64) -> Self {
        Self {
            value,
            high_risk: false,
            topup,
            at_work: A_LITTLE,
        }
    }

    /// A standard licence whose top-up is all at work.
    pub const fn invested(value: i64, topup: i64) -> Self {
        Self {
            at_work: topup,
            ..Self::saved(value, topup)
        }
    }
}

/// Of what is put into a licence that is there for its points.
const A_LITTLE: i64 = 20;

/// Who approve what the demo's people pay in, in their order.
pub type Approvers = [UserId; 2];

pub struct Member {
    caller: Caller,
}

impl Member {
    /// By username; none while there is no such person.
    pub async fn find(context: &Context, username: &str) -> Result<Option<Self>, Error> {
        let account = identity::account_by_username(&context.db, username).await?;
        Ok(account.map(|account| Self {
            caller: caller(account),
        }))
    }

    pub async fn licences(&self, context: &Context) -> Result<Vec<LicenceView>, Error> {
        licences::views(context, Scope::Own(self.caller.user), None).await
    }

    /// Buys these licences, with what is paid by PIX before and staff approve, if anything: one change, done whole or not at all.
    pub async fn buy(
        &self,
        context: &Context,
        paid: Option<(Approvers, i64)>,
        wanted: &[Licence],
    ) -> Result<(), Error> {
        let proof = match paid {
            Some(paid) => Some((paid, self.proof(context).await?)),
            None => None,
        };
        let plans = licences::plans(context).await?;
        let mut tx = context.db.begin().await?;
        if let Some(((approvers, deposit), proof)) = proof {
            self.pay_in(context, &mut tx, approvers, deposit, proof).await?;
        }
        for licence in wanted {
            let plan = plans
                .iter()
                .find(|p| p.value == Usdt::whole(licence.value) && p.is_high_risk == licence.high_risk)
                .ok_or_else(|| Error::internal(format!("no plan of {}", licence.value)))?;
            let order = Purchase {
                plan: plan.id,
                source: Source::Available,
                risk_accepted: true,
            };
            let key = self.key("POST /licences/buy", &order)?;
            let bought = licences::buy(context, &mut tx, &self.caller, &key, &order).await?;
            let id = bought.licence.id;
            self.put_in(context, &mut tx, id, licence.topup).await?;
            self.put_to_work(context, &mut tx, id, licence.at_work).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Puts more into a licence that there is.
    pub async fn add(&self, context: &Context, licence: &LicenceView, value: i64) -> Result<(), Error> {
        let mut tx = context.db.begin().await?;
        self.put_in(context, &mut tx, licence.id, value).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn pay_in(
        &self,
        context: &Context,
        tx: &mut Tx,
        approvers: Approvers,
        usdt: i64,
        proof: Received,
    ) -> Result<(), Error> {
        let asked = Asked::Usdt(Usdt::whole(usdt));
        let deposit = pix::create(context, tx, self.caller.user, asked).await?.id;
        pix::add_proof(context, tx, self.caller.user, deposit, proof).await?;
        let statement = Statement {
            end_to_end_id: end_to_end_id(tx.now())?,
            payer_name: self.caller.full_name.clone(),
            brl: None,
        };
        // What one has approved of late decides whether another has to look as well.
        for approver in approvers {
            let decision = Decision::Approve(statement.clone());
            let decided = pix::decide(context, tx, approver, deposit, decision).await?;
            if decided.status == PixDepositStatus::Approved {
                // The bank will not take this money back: whoever tries the demo need not wait three days before anything may leave.
                return guard::forget_pix_credit(tx, deposit.0).await;
            }
        }
        Err(Error::internal("a deposit of the demo waits for a person"))
    }

    async fn put_in(
        &self,
        context: &Context,
        tx: &mut Tx,
        licence: LicenceId,
        value: i64,
    ) -> Result<(), Error> {
        let order = TopUp {
            licence,
            value: Usdt::whole(value),
            source: Source::Available,
            source_licence: None,
        };
        let key = self.key("POST /licences/topup", &order)?;
        licences::topup(context, tx, &self.caller, &key, &order).await?;
        Ok(())
    }

    async fn put_to_work(
        &self,
        context: &Context,
        tx: &mut Tx,
        licence: LicenceId,
        value: i64,
    ) -> Result<(), Error> {
        let order = Amount {
            licence,
            value: Usdt::whole(value),
        };
        let key = self.key("POST /trader/allocate-value-in-trading", &order)?;
        licences::allocate(context, tx, &self.caller, &key, &order).await?;
        Ok(())
    }

    fn key(&self, route: &str, order: &impl Serialize) -> Result<Key, Error> {
        let headers = Headers {
            idempotency_key: Some(Uuid::now_v7().to_string()),
            route: route.to_owned(),
            ..Headers::default()
        };
        Key::from(&headers, self.caller.user, order)
    }

    async fn proof(&self, context: &Context) -> Result<Received, Error> {
        files::receive(context, self.caller.user, upload(&picture()?), Purpose::PixProof).await
    }
}

fn caller(account: Account) -> Caller {
    Caller {
        user: account.id,
        session: SessionId::fresh(),
        full_name: account.full_name,
        username: account.username,
        permissions: [Permission::RegisteredUser].into_iter().collect(),
        withheld: Permissions::NONE,
        active: account.status == "active",
        email_confirmed: account.email_confirmed_at.is_some(),
        completeness: Completeness::Complete,
        locale: Locale::default(),
        counts_at: None,
        frozen: false,
        seen_by: None,
    }
}

const BOUNDARY: &str = "--a-receipt-of-the-demo";

/// As a browser sends the proof.
fn upload(png: &[u8]) -> Multipart {
    let mut headers = HeaderMap::new();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("multipart/form-data; boundary=--a-receipt-of-the-demo"),
    );
    let mut body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"comprovante.png\"\r\nContent-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(png);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    Multipart::new(&headers, stream::once(async move { Ok(Bytes::from(body)) }))
}

/// A picture that stands for a bank's receipt; no two are alike.
fn picture() -> Result<Vec<u8>, Error> {
    let mut rng = rand::rng();
    let (r, g, b): (u8, u8, u8) = (rng.random(), rng.random(), rng.random());
    let picture = image::RgbImage::from_fn(90, 120, |x, y| {
        let line = y % 10 < 1 && x > 7 && x < 82;
        if line {
            image::Rgb([r, g, b])
        } else {
            image::Rgb([246, 248, u8::try_from(y % 256).unwrap_or(0)])
        }
    });
    let mut png = std::io::Cursor::new(Vec::new());
    picture
        .write_to(&mut png, image::ImageFormat::Png)
        .map_err(|error| Error::internal(format!("a receipt: {error}")))?;
    Ok(png.into_inner())
}

/// As a bank would number the payment: E, its number, the minute, eleven characters of its own.
fn end_to_end_id(at: OffsetDateTime) -> Result<String, Error> {
    let minute = time::macros::format_description!("[year][month][day][hour][minute]");
    let own: String = rand::rng()
        .sample_iter(Alphanumeric)
        .take(11)
        .map(char::from)
        .collect();
    let minute = at
        .format(minute)
        .map_err(|error| Error::internal(format!("the minute of a payment: {error}")))?;
    Ok(format!("E00000000{minute}{own}"))
}
