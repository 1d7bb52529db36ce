//! Signs for the users' wallets: only what the guard let pass, as it let it pass, and within rules of its own.

use super::{
    store,
    vault::{KeysError, Vault},
};
use crate::{
    error::Error,
    foundation::transaction::Db,
    wallet::{
        chain::{
            Client, Contracts,
            contracts::{
                Erc20::{approveCall, transferCall},
                Router::{
                    swapExactETHForTokensCall, swapExactTokensForETHCall, swapExactTokensForTokensCall,
                },
            },
            signer::{KeyRef, Signed, Signer, SignerError, Warrant},
        },
        local::sign,
    },
};
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, TxKind, U256},
    sol_types::SolCall,
};
use futures_util::future::BoxFuture;
use protocol::{ids::UserId, money::Usdt};
use sha2::{Digest, Sha256};
use time::Duration;
use uuid::Uuid;

/// A swap that could be mined later than this was not made by our rules (docs/rules/wallet.md#own-wallets).
const LATEST: Duration = Duration::minutes(10);

/// The most worth that one wallet's key signs for.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    pub transaction: Usdt,
    pub hour: Usdt,
    pub day: Usdt,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            transaction: Usdt::whole(50_000),
            hour: Usdt::whole(100_000),
            day: Usdt::whole(100_000),
        }
    }
}

/// A step that may be signed.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub step: Uuid,
    /// With which it was signed before.
    pub nonce: Option<u64>,
    pub price_most: u128,
    pub usdt: Usdt,
}

/// What is bound when the guard lets a step pass, and computed anew from the transaction itself.
#[must_use]
pub fn digest(
    chain: u64,
    owner: UserId,
    recipient: Address,
    value: U256,
    data: &[u8],
    gas_limit: u64,
) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"arbora user step");
    hash.update(chain.to_be_bytes());
    hash.update(owner.0.as_bytes());
    hash.update(recipient.as_slice());
    hash.update(value.to_be_bytes::<32>());
    hash.update(gas_limit.to_be_bytes());
    hash.update(data);
    hash.finalize().into()
}

/// The signer of the users' wallets.
pub struct UserSigner {
    db: Db,
    vault: Vault,
    client: Client,
    contracts: Contracts,
    caps: Caps,
}

impl UserSigner {
    #[must_use]
    pub fn new(db: &Db, vault: Vault, client: Client, contracts: Contracts, caps: Caps) -> Self {
        Self {
            // Its few connections are its own: whoever asks may hold one already.
            db: db.aside(),
            vault,
            client,
            contracts,
            caps,
        }
    }

    async fn sign_for(&self, user: UserId, tx: TxLegacy) -> Result<Signed, SignerError> {
        let refused = |why| Err(SignerError::Refused(why));
        if tx.chain_id != Some(self.client.id()) {
            return refused("another chain");
        }
        let TxKind::Call(to) = tx.to else {
            return refused("a contract is made");
        };
        let digest = digest(self.client.id(), user, to, tx.value, &tx.input, tx.gas_limit);
        let mut db = self.db.begin().await.map_err(failed)?;
        let now = db.now();
        let Some(order) = store::lock_order(db.conn(), user, &digest, tx.nonce)
            .await
            .map_err(failed)?
        else {
            return refused("nobody let this pass");
        };
        if tx.gas_price > order.price_most {
            return refused("a price beyond what was agreed");
        }
        if let Some(nonce) = order.nonce.filter(|nonce| *nonce != tx.nonce) {
            let key = self.key(&mut db, user).await?;
            let used = self
                .client
                .nonce(key.address())
                .await
                .map_err(|error| SignerError::Failed(error.to_string()))?;
            if used <= nonce {
                return refused("its first nonce may still be mined");
            }
        }
        let key = self.key(&mut db, user).await?;
        if !shape(
            &self.contracts,
            key.address(),
            to,
            &tx,
            (now + LATEST).unix_timestamp(),
        ) {
            return refused("a destination or call beyond this key's rules");
        }
        if order.usdt > self.caps.transaction {
            return refused("above the cap of one transaction");
        }
        for (cap, span) in [(self.caps.hour, Duration::HOUR), (self.caps.day, Duration::DAY)] {
            let signed = store::signed_since(db.conn(), user, order.step, now - span)
                .await
                .map_err(failed)?;
            if signed.checked_add(order.usdt).is_none_or(|sum| sum > cap) {
                return Err(SignerError::Capped);
            }
        }
        store::signed(db.conn(), order.step, tx.nonce, now)
            .await
            .map_err(failed)?;
        let signed = sign(&key, tx)?;
        // Known to be signed before anybody has the bytes.
        db.commit().await.map_err(failed)?;
        Ok(signed)
    }

    async fn key(
        &self,
        db: &mut crate::foundation::transaction::Tx,
        user: UserId,
    ) -> Result<alloy::signers::local::PrivateKeySigner, SignerError> {
        let sealed = store::sealed(&mut *db.conn(), user)
            .await
            .map_err(failed)?
            .ok_or(SignerError::NoKey)?;
        self.vault
            .key(&sealed)
            .map_err(|error: KeysError| SignerError::Failed(error.to_string()))
    }
}

fn failed(error: Error) -> SignerError {
    SignerError::Failed(format!("{error:?}"))
}

/// What a user's key may do at all: pay coins, allow the router, swap into the wallet itself.
fn shape(contracts: &Contracts, own: Address, to: Address, tx: &TxLegacy, latest: i64) -> bool {
    let latest = U256::from(u64::try_from(latest).unwrap_or(0));
    let lists = |path: &[Address]| path.len() >= 2;
    if tx.input.is_empty() {
        return !tx.value.is_zero()
            && !to.is_zero()
            && contracts.coin(to).is_none()
            && Some(to) != contracts.router;
    }
    if contracts.coin(to).is_some() {
        let pays = transferCall::abi_decode(&tx.input)
            .is_ok_and(|call| !call.to.is_zero() && contracts.coin(call.to).is_none());
        let allows =
            approveCall::abi_decode(&tx.input).is_ok_and(|call| Some(call.spender) == contracts.router);
        return tx.value.is_zero() && (pays || allows);
    }
    if Some(to) != contracts.router {
        return false;
    }
    let fine = |into: Address, deadline: U256, minimum: U256, path: &[Address]| {
        into == own && deadline <= latest && !minimum.is_zero() && lists(path)
    };
    if let Ok(call) = swapExactTokensForTokensCall::abi_decode(&tx.input) {
        return tx.value.is_zero() && fine(call.to, call.deadline, call.amountOutMin, &call.path);
    }
    if let Ok(call) = swapExactTokensForETHCall::abi_decode(&tx.input) {
        return tx.value.is_zero() && fine(call.to, call.deadline, call.amountOutMin, &call.path);
    }
    swapExactETHForTokensCall::abi_decode(&tx.input)
        .is_ok_and(|call| !tx.value.is_zero() && fine(call.to, call.deadline, call.amountOutMin, &call.path))
}

impl Signer for UserSigner {
    fn address(&self, _: KeyRef) -> Result<Address, SignerError> {
        // Addresses of wallets stand in their rows.
        Err(SignerError::NoKey)
    }

    fn sign(
        &self,
        key: KeyRef,
        tx: TxLegacy,
        _: Option<Warrant>,
    ) -> BoxFuture<'_, Result<Signed, SignerError>> {
        Box::pin(async move {
            match key {
                KeyRef::User(user) => self.sign_for(user, tx).await,
                KeyRef::Hot | KeyRef::Gas | KeyRef::Deposit(_) => Err(SignerError::NoKey),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::primitives::{Bytes, address};

    const OWN: Address = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    const OTHER: Address = address!("9858EfFD232B4033E47d90003D41EC34EcaEda94");
    const USDT: Address = address!("55d398326f99059fF775485246999027B3197955");
    const PYX: Address = address!("6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0");
    const ROUTER: Address = address!("10ED43C718714eb63d5aA57B78B54704E256024E");

    fn may(to: Address, value: u64, input: impl Into<Bytes>) -> bool {
        let contracts = Contracts {
            usdt: Some(USDT),
            pyx: Some(PYX),
            router: Some(ROUTER),
            ..Contracts::default()
        };
        let tx = TxLegacy {
            to: TxKind::Call(to),
            value: U256::from(value),
            input: input.into(),
            ..TxLegacy::default()
        };
        shape(&contracts, OWN, to, &tx, 1_000)
    }

    fn swap(into: Address, deadline: u64, minimum: u64) -> Vec<u8> {
        swapExactTokensForTokensCall {
            amountIn: U256::from(5),
            amountOutMin: U256::from(minimum),
            path: vec![USDT, PYX],
            to: into,
            deadline: U256::from(deadline),
        }
        .abi_encode()
    }

    #[test]
    fn a_key_pays_allows_the_router_and_swaps_into_its_own_wallet() {
        let pay = |to| {
            transferCall {
                to,
                amount: U256::from(1),
            }
            .abi_encode()
        };
        let allow = |spender| {
            approveCall {
                spender,
                amount: U256::from(1),
            }
            .abi_encode()
        };
        for (good, is) in [
            (true, may(OTHER, 1, Bytes::new())),
            (false, may(OTHER, 0, Bytes::new())),
            (false, may(USDT, 1, Bytes::new())),
            (false, may(ROUTER, 1, Bytes::new())),
            (true, may(USDT, 0, pay(OTHER))),
            (false, may(USDT, 0, pay(USDT))),
            (false, may(USDT, 1, pay(OTHER))),
            (false, may(OTHER, 0, pay(OWN))),
            (true, may(USDT, 0, allow(ROUTER))),
            (false, may(USDT, 0, allow(OTHER))),
            (true, may(ROUTER, 0, swap(OWN, 1_000, 1))),
            (false, may(ROUTER, 0, swap(OTHER, 1_000, 1))),
            (false, may(ROUTER, 0, swap(OWN, 1_001, 1))),
            (false, may(ROUTER, 0, swap(OWN, 1_000, 0))),
            (false, may(ROUTER, 1, swap(OWN, 1_000, 1))),
        ] {
            assert_eq!(good, is);
        }
    }

    #[test]
    fn a_digest_binds_every_part() {
        let user = UserId::fresh();
        let one = digest(31337, user, OTHER, U256::from(5), b"data", 21_000);
        for other in [
            digest(56, user, OTHER, U256::from(5), b"data", 21_000),
            digest(31337, UserId::fresh(), OTHER, U256::from(5), b"data", 21_000),
            digest(31337, user, OWN, U256::from(5), b"data", 21_000),
            digest(31337, user, OTHER, U256::from(6), b"data", 21_000),
            digest(31337, user, OTHER, U256::from(5), b"date", 21_000),
            digest(31337, user, OTHER, U256::from(5), b"data", 21_001),
        ] {
            assert_ne!(one, other);
        }
    }
}
