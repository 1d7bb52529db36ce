//! Where a withdrawal by PIX goes: the key, whose it is, how it is sealed and bound.

use super::{
    holder, rules,
    store::{self, Own},
};
use crate::{
    approvals::{guard::Action, rules::Kind as Decided},
    error::Error,
    foundation::{context::Context, settings::InForce, subjects, transaction::Tx},
    identity::secrets,
    payouts::{
        kind::{Bound, Destination, Kind, Payout, Quote},
        money, refuse, service as payouts,
    },
    pix::{
        keys::{HolderMatch, PixKey},
        rate::{self, Current},
        rules::Rate,
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, HoldId, PixWithdrawalId, UserId},
    money::{Brl, Usdt},
    stream_id::Queue,
    views::{PixKeyKind, PixWithdrawalView},
};
use time::OffsetDateTime;

/// Withdrawals by PIX.
pub struct Pix;

/// What a customer asks for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub value: Usdt,
    pub key_kind: PixKeyKind,
    pub key: &'a str,
}

/// What a quote says beside.
pub struct Beside {
    pub holder: HolderMatch,
    pub current: Current,
}

/// A key as it is kept.
pub struct Sealed {
    pub sealed: Vec<u8>,
    pub mac: [u8; 32],
}

/// What an approver says beside yes.
#[derive(Clone, Debug)]
pub struct Word {
    /// The approver knows whose key it is.
    pub holder_checked: bool,
    /// The bank's id, when it was paid at once.
    pub end_to_end_id: Option<String>,
}

impl Kind for Pix {
    const DECIDED: Decided = Decided::PixWithdrawal;
    const ACTION: Action = Action::PixWithdrawal;
    const POINTED: Option<subjects::Kind> = Some(subjects::Kind::PixWithdrawal);
    const QUEUE: Queue = Queue::PixWithdrawals;
    type Id = PixWithdrawalId;
    type Amount = Brl;
    type Rate = Rate;
    type To = PixKey;
    type Held = HoldId;
    type Beside = Beside;
    type Opening = Sealed;
    type Own = Own;
    type Word = Word;
    /// Of approved ones: paid, or yet to be paid.
    type Narrow = Option<bool>;
    type View = PixWithdrawalView;
}

impl Destination for Pix {
    type Order<'a> = Order<'a>;

    /// # Errors
    /// `withdrawal.invalid`, `pix.key_invalid`, `pix.document_missing`, `rate.unavailable`.
    async fn quote(
        context: &Context,
        tx: &mut Tx,
        owner: UserId,
        order: &Self::Order<'_>,
        in_force: &InForce,
    ) -> Result<Quote<Self>, Error> {
        let parts = money::parts(order.value, &in_force.settings)?;
        let found = store::for_quote(tx.conn(), owner).await?;
        let sealed = found
            .document
            .ok_or_else(|| refuse("document", ErrorCode::PixDocumentMissing))?;
        let document = holder::opened(context, owner, &sealed)?;
        let key =
            PixKey::read(order.key_kind, order.key).ok_or_else(|| refuse("key", ErrorCode::PixKeyInvalid))?;
        let last = found.rate.map(Rate).zip(found.rate_at);
        let current = rate::of_last(context, tx, last).await?;
        let amount = rules::receives(parts.net, current.rate)
            .ok_or_else(|| refuse("value", ErrorCode::WithdrawalInvalid))?;
        Ok(Quote {
            value: order.value,
            parts,
            amount,
            rate: current.rate,
            beside: Beside {
                holder: key.against(&document),
                current,
            },
            to: key,
        })
    }

    fn opening(context: &Context, owner: UserId, quote: &Quote<Self>) -> Result<Sealed, Error> {
        let key = quote.to.expose();
        Ok(Sealed {
            sealed: secrets::seal(&context.keys, &holder::bound_to(owner, "key"), key.as_bytes())?,
            mac: holder::mac(&context.keys, "pix-key", key),
        })
    }

    /// Seals change with the master key; the MAC says that it is the key that was asked for.
    fn to(context: &Context, payout: &Payout<Self>) -> Result<PixKey, Error> {
        let Own {
            key_kind,
            sealed,
            mac,
            ..
        } = &payout.own;
        let text = secrets::open(&context.keys, &holder::bound_to(payout.owner, "key"), sealed)?;
        std::str::from_utf8(&text)
            .ok()
            .and_then(|text| PixKey::read(*key_kind, text))
            .filter(|key| secrets::same(&holder::mac(&context.keys, "pix-key", key.expose()), mac))
            .ok_or_else(|| Error::internal("a stored key is none"))
    }

    /// An approval binds the key, what it receives, what leaves the books.
    fn bound(to: &PixKey, value: Usdt, net: Usdt, amount: Brl) -> Bound {
        Bound {
            destination: to.expose().to_owned(),
            amount: value.to_string(),
            coin: Brl::CODE,
            receives: format!("{amount}={net}"),
        }
    }

    fn vouched(payout: &Payout<Self>, word: &Word) -> Result<(), Error> {
        if payout.own.holder_match == HolderMatch::Matches || word.holder_checked {
            Ok(())
        } else {
            Err(refuse("holderChecked", ErrorCode::PixHolderUnchecked))
        }
    }
}

/// How many wait for a decision or their payment, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    payouts::queue::<Pix>(context).await
}

/// Whose withdrawal a receipt of payment belongs to.
///
/// # Errors
/// Whatever the database refuses.
pub async fn payment_owner(context: &Context, file: FileId) -> Result<Option<UserId>, Error> {
    super::store::payment_owner(context.db.pool(), file).await
}
