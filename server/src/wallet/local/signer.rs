//! Gas and deposit keys in this process: a demo's, or an operator's own. Each has its rules.

use super::faucet::sign;
use crate::wallet::chain::{
    Contracts,
    contracts::Erc20::transferCall,
    keys::private_branch,
    signer::{KeyRef, Signed, Signer, SignerError, Warrant},
};
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, TxKind, U256, utils::Unit},
    signers::local::PrivateKeySigner,
    sol_types::SolCall,
};
use coins_bip32::{
    ecdsa::SigningKey,
    xkeys::{Parent, XPriv},
};
use futures_util::future::{BoxFuture, ready};

/// Signs with keys at hand. Deposit keys pay the treasury only; the gas wallet gives small sums of gas.
pub struct KeptSigner {
    chain: u64,
    branch: XPriv,
    gas: PrivateKeySigner,
    treasury: Address,
    contracts: Contracts,
}

impl KeptSigner {
    /// `None` for a seed that makes no branch.
    #[must_use]
    pub fn new(
        chain: u64,
        seed: &[u8],
        gas: PrivateKeySigner,
        treasury: Address,
        contracts: Contracts,
    ) -> Option<Self> {
        Some(Self {
            chain,
            branch: private_branch(seed)?,
            gas,
            treasury,
            contracts,
        })
    }

    fn key(&self, key: KeyRef) -> Result<PrivateKeySigner, SignerError> {
        match key {
            KeyRef::Gas => Ok(self.gas.clone()),
            KeyRef::Hot | KeyRef::User(_) => Err(SignerError::NoKey),
            KeyRef::Deposit(number) => {
                let child = self.branch.derive_child(number).map_err(|_| SignerError::NoKey)?;
                let key: &SigningKey = child.as_ref();
                PrivateKeySigner::from_slice(&key.to_bytes()).map_err(|_| SignerError::NoKey)
            }
        }
    }

    fn may(&self, key: KeyRef, tx: &TxLegacy) -> Result<(), SignerError> {
        if tx.chain_id != Some(self.chain) {
            return Err(SignerError::Refused("another chain"));
        }
        let TxKind::Call(to) = tx.to else {
            return Err(SignerError::Refused("a contract is made"));
        };
        let allowed = match key {
            KeyRef::Gas => tx.input.is_empty() && tx.value <= Unit::ETHER.wei() / U256::from(100),
            KeyRef::Deposit(_) if tx.input.is_empty() => to == self.treasury,
            KeyRef::Deposit(_) => {
                tx.value.is_zero()
                    && self.contracts.coin(to).is_some()
                    && transferCall::abi_decode(&tx.input).is_ok_and(|call| call.to == self.treasury)
            }
            KeyRef::Hot | KeyRef::User(_) => false,
        };
        if allowed {
            Ok(())
        } else {
            Err(SignerError::Refused(
                "a destination or amount beyond this key's rules",
            ))
        }
    }
}

impl Signer for KeptSigner {
    fn address(&self, key: KeyRef) -> Result<Address, SignerError> {
        Ok(self.key(key)?.address())
    }

    fn sign(
        &self,
        key: KeyRef,
        tx: TxLegacy,
        _: Option<Warrant>,
    ) -> BoxFuture<'_, Result<Signed, SignerError>> {
        let signed = self
            .may(key, &tx)
            .and_then(|()| self.key(key))
            .and_then(|key| sign(&key, tx));
        Box::pin(ready(signed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::primitives::{Bytes, address};

    #[tokio::test]
    async fn deposit_keys_pay_the_treasury_and_nobody_else() {
        let treasury = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
        let usdt = address!("55d398326f99059fF775485246999027B3197955");
        let contracts = Contracts {
            usdt: Some(usdt),
            ..Contracts::default()
        };
        let signer =
            KeptSigner::new(31337, &[7; 32], PrivateKeySigner::random(), treasury, contracts).unwrap();
        let transfer = |to: Address| -> Bytes {
            transferCall {
                to,
                amount: U256::from(1),
            }
            .abi_encode()
            .into()
        };
        let tx = |to: Address, value: u64, input: Bytes| TxLegacy {
            chain_id: Some(31337),
            to: TxKind::Call(to),
            value: U256::from(value),
            input,
            ..TxLegacy::default()
        };
        let one = KeyRef::Deposit(1);
        for (key, tx, good) in [
            (one, tx(usdt, 0, transfer(treasury)), true),
            (one, tx(treasury, 5, Bytes::new()), true),
            (one, tx(usdt, 0, transfer(usdt)), false),
            (one, tx(treasury, 0, transfer(treasury)), false),
            (one, tx(usdt, 5, Bytes::new()), false),
            (KeyRef::Gas, tx(usdt, 5, Bytes::new()), true),
            (KeyRef::Gas, tx(usdt, u64::MAX, Bytes::new()), false),
            (KeyRef::Gas, tx(usdt, 0, transfer(treasury)), false),
            (KeyRef::Hot, tx(treasury, 1, Bytes::new()), false),
        ] {
            assert_eq!(signer.sign(key, tx, None).await.is_ok(), good, "{key:?}");
        }
        let other = TxLegacy {
            chain_id: Some(56),
            ..tx(treasury, 1, Bytes::new())
        };
        assert!(signer.sign(one, other, None).await.is_err());
        let keys = crate::wallet::chain::keys::DepositKeys::of_seed(&[7; 32]).unwrap();
        assert_eq!(signer.address(one).ok(), keys.address(1));
    }
}
