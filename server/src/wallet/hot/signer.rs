//! The hot key and its rules, and the house's keys as one signer. Nothing here trusts whoever asks: what is signed is read from the
//! transaction itself.

use super::Vault;
use crate::{
    approvals::rules::{Kind, digest},
    foundation::clock::SharedClock,
    wallet::{
        chain::{
            Coin, Contracts, address,
            contracts::Erc20::transferCall,
            keys::DepositKeys,
            signer::{KeyRef, Signed, Signer, SignerError, Warrant},
            wei,
        },
        local::{KeptSigner, sign},
        withdrawals::rules,
    },
};
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, B256, TxKind, U256, keccak256, utils::Unit},
    signers::local::PrivateKeySigner,
    sol_types::SolCall,
};
use futures_util::future::{BoxFuture, ready};
use protocol::money::Usdt;
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};
use time::{Duration, OffsetDateTime};

/// What leaves at most, by worth.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    pub per_transaction: Usdt,
    pub per_hour: Usdt,
    pub per_day: Usdt,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            per_transaction: Usdt::whole(50_000),
            per_hour: Usdt::whole(100_000),
            per_day: Usdt::whole(250_000),
        }
    }
}

/// The most that one transaction may burn, whatever the price of gas: 0.05 BNB.
fn most_gas() -> U256 {
    Unit::ETHER.wei() / U256::from(20)
}

#[derive(Debug)]
struct Spent {
    at: OffsetDateTime,
    usdt: Usdt,
    /// Nonce, recipient, value, data: the same at another price is the same payment.
    payment: Option<B256>,
}

#[derive(Debug, Default)]
struct Memory {
    deposits: HashSet<Address>,
    derived: u32,
    spent: Vec<Spent>,
}

/// Signs for the hot wallet.
pub struct HotSigner {
    key: PrivateKeySigner,
    chain: u64,
    contracts: Contracts,
    vault: Vault,
    deposits: Option<Arc<DepositKeys>>,
    caps: Caps,
    clock: SharedClock,
    memory: Mutex<Memory>,
}

impl HotSigner {
    #[must_use]
    pub fn new(
        key: PrivateKeySigner,
        chain: u64,
        contracts: Contracts,
        vault: Vault,
        deposits: Option<Arc<DepositKeys>>,
        caps: Caps,
        clock: SharedClock,
    ) -> Self {
        Self {
            key,
            chain,
            contracts,
            vault,
            deposits,
            caps,
            clock,
            memory: Mutex::new(Memory::default()),
        }
    }

    #[must_use]
    pub fn address(&self) -> Address {
        self.key.address()
    }

    /// What was signed before this process began.
    pub fn remember(&self, spent: &[(OffsetDateTime, Usdt)]) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.spent = spent
            .iter()
            .map(|(at, usdt)| Spent {
                at: *at,
                usdt: *usdt,
                payment: None,
            })
            .collect();
    }

    /// Which coin goes to whom, read from the transaction.
    fn payment(&self, tx: &TxLegacy) -> Result<(Coin, Address, U256), SignerError> {
        let TxKind::Call(to) = tx.to else {
            return Err(SignerError::Refused("a contract is made"));
        };
        if tx.input.is_empty() {
            return Ok((Coin::Bnb, to, tx.value));
        }
        let coin = self
            .contracts
            .coin(to)
            .ok_or(SignerError::Refused("a contract that is not on the list"))?;
        let call = transferCall::abi_decode(&tx.input)
            .map_err(|_| SignerError::Refused("a call that is no transfer"))?;
        if !tx.value.is_zero() || call.abi_encode() != tx.input.as_ref() {
            return Err(SignerError::Refused("a transfer that carries more"));
        }
        Ok((coin, call.to, call.amount))
    }

    fn is_deposit_address(&self, memory: &mut Memory, to: Address, count: u32) -> bool {
        if let Some(keys) = &self.deposits {
            while memory.derived < count {
                memory.deposits.extend(keys.address(memory.derived));
                memory.derived += 1;
            }
        }
        memory.deposits.contains(&to)
    }

    fn allow(&self, tx: &TxLegacy, warrant: Option<Warrant>) -> Result<(), SignerError> {
        let refused = |why| Err(SignerError::Refused(why));
        if tx.chain_id != Some(self.chain) {
            return refused("another chain");
        }
        if U256::from(tx.gas_price) * U256::from(tx.gas_limit) > most_gas() {
            return refused("too much gas");
        }
        let (coin, to, amount) = self.payment(tx)?;
        if Some(to) == self.vault.cold {
            return Ok(());
        }
        let Some(warrant) = warrant else {
            return refused("nobody approved it");
        };
        if !matches!(warrant.kind, Kind::CryptoWithdrawal | Kind::GraduationBonus) {
            return refused("nothing that this key pays");
        }
        let approved = digest(
            warrant.payout,
            warrant.kind,
            coin.as_str(),
            &address::write(to),
            &amount.to_string(),
        );
        if approved != warrant.digest {
            return refused("something else was approved");
        }
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if rules::is_forbidden(to, &self.contracts, &[self.key.address()])
            || self.is_deposit_address(&mut memory, to, warrant.deposits)
        {
            return refused("an address at which nobody is paid");
        }
        self.within_caps(&mut memory, tx, coin, amount, &warrant)
    }

    fn within_caps(
        &self,
        memory: &mut Memory,
        tx: &TxLegacy,
        coin: Coin,
        amount: U256,
        warrant: &Warrant,
    ) -> Result<(), SignerError> {
        // A stable coin is worth what it says, whatever the warrant says.
        let face = match coin {
            Coin::Usdt | Coin::Busd => wei::usdt(amount).unwrap_or(Usdt(i64::MAX)),
            Coin::Bnb | Coin::Pyx => Usdt::ZERO,
        };
        let usdt = warrant.usdt.max(face);
        if usdt > self.caps.per_transaction {
            return Err(SignerError::Refused("more than one transaction may carry"));
        }
        let mut payment = tx.nonce.to_be_bytes().to_vec();
        payment.extend(tx.to.to().copied().unwrap_or_default());
        payment.extend(tx.value.to_be_bytes::<32>());
        payment.extend(tx.input.iter());
        let payment = Some(keccak256(payment));
        let now = self.clock.now();
        memory.spent.retain(|s| now - s.at < Duration::DAY);
        if memory.spent.iter().any(|s| s.payment == payment) {
            return Ok(());
        }
        let since = |span: Duration| {
            memory
                .spent
                .iter()
                .filter(|s| now - s.at < span)
                .try_fold(usdt, |sum, s| sum.checked_add(s.usdt))
        };
        let within = |sum: Option<Usdt>, cap: Usdt| sum.is_some_and(|sum| sum <= cap);
        if !within(since(Duration::HOUR), self.caps.per_hour)
            || !within(since(Duration::DAY), self.caps.per_day)
        {
            return Err(SignerError::Capped);
        }
        memory.spent.push(Spent {
            at: now,
            usdt,
            payment,
        });
        Ok(())
    }

    fn sign(&self, tx: TxLegacy, warrant: Option<Warrant>) -> Result<Signed, SignerError> {
        self.allow(&tx, warrant)?;
        sign(&self.key, tx)
    }
}

/// The house's keys that this process has.
#[derive(Default)]
pub struct HouseSigner {
    pub hot: Option<HotSigner>,
    /// Gas and deposit keys.
    pub kept: Option<KeptSigner>,
}

impl Signer for HouseSigner {
    fn address(&self, key: KeyRef) -> Result<Address, SignerError> {
        match (key, &self.hot, &self.kept) {
            (KeyRef::Hot, Some(hot), _) => Ok(hot.address()),
            (KeyRef::Gas | KeyRef::Deposit(_), _, Some(kept)) => kept.address(key),
            _ => Err(SignerError::NoKey),
        }
    }

    fn sign(
        &self,
        key: KeyRef,
        tx: TxLegacy,
        warrant: Option<Warrant>,
    ) -> BoxFuture<'_, Result<Signed, SignerError>> {
        match (key, &self.hot, &self.kept) {
            (KeyRef::Hot, Some(hot), _) => Box::pin(ready(hot.sign(tx, warrant))),
            (KeyRef::Gas | KeyRef::Deposit(_), _, Some(kept)) => kept.sign(key, tx, warrant),
            _ => Box::pin(ready(Err(SignerError::NoKey))),
        }
    }

    fn remember(&self, spent: &[(OffsetDateTime, Usdt)]) {
        if let Some(hot) = &self.hot {
            hot.remember(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::clock::ShiftedClock;
    use alloy::primitives::{Bytes, address};
    use uuid::Uuid;

    const USDT: Address = address!("55d398326f99059fF775485246999027B3197955");
    const ANA: Address = address!("fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359");
    const COLD: Address = address!("dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB");

    fn signer(clock: Arc<ShiftedClock>) -> HotSigner {
        let contracts = Contracts {
            usdt: Some(USDT),
            ..Contracts::default()
        };
        let vault = Vault {
            cold: Some(COLD),
            maximum: None,
        };
        let caps = Caps {
            per_transaction: Usdt::whole(100),
            per_hour: Usdt::whole(150),
            per_day: Usdt::whole(300),
        };
        let deposits = DepositKeys::of_seed(&[7; 32]).map(Arc::new);
        HotSigner::new(
            PrivateKeySigner::random(),
            31337,
            contracts,
            vault,
            deposits,
            caps,
            clock,
        )
    }

    fn coins(count: u64) -> U256 {
        U256::from(count) * Unit::ETHER.wei()
    }

    fn transfer(nonce: u64, to: Address, amount: U256) -> TxLegacy {
        TxLegacy {
            chain_id: Some(31337),
            nonce,
            gas_price: 1_000_000_000,
            gas_limit: 90_000,
            to: TxKind::Call(USDT),
            value: U256::ZERO,
            input: transferCall { to, amount }.abi_encode().into(),
        }
    }

    fn warrant(to: Address, amount: U256, usdt: Usdt) -> Warrant {
        warrant_of(Kind::CryptoWithdrawal, to, amount, usdt)
    }

    fn warrant_of(kind: Kind, to: Address, amount: U256, usdt: Usdt) -> Warrant {
        let payout = Uuid::now_v7();
        Warrant {
            kind,
            payout,
            digest: digest(payout, kind, "usdt", &address::write(to), &amount.to_string()),
            usdt,
            deposits: 5,
        }
    }

    #[test]
    fn only_what_was_approved_is_signed() {
        let signer = signer(Arc::default());
        let good = warrant(ANA, coins(49), Usdt::whole(50));
        assert!(signer.sign(transfer(0, ANA, coins(49)), Some(good)).is_ok());
        // A rank's bonus is another payment than a withdrawal; what else is approved is none of this key's.
        let bonus = warrant_of(Kind::GraduationBonus, ANA, coins(7), Usdt::whole(7));
        let paid = signer.sign(transfer(9, ANA, coins(7)), Some(bonus));
        assert!(paid.is_ok());
        let deposit = DepositKeys::of_seed(&[7; 32]).unwrap().address(4).unwrap();
        let bnb = TxLegacy {
            to: TxKind::Call(ANA),
            value: coins(49),
            input: Bytes::new(),
            ..transfer(1, ANA, coins(49))
        };
        for (tx, warrant) in [
            (transfer(1, ANA, coins(49)), None),
            (transfer(1, ANA, coins(50)), Some(good)),
            (
                transfer(1, ANA, coins(7)),
                Some(Warrant {
                    kind: Kind::CryptoWithdrawal,
                    ..bonus
                }),
            ),
            (
                transfer(1, ANA, coins(7)),
                Some(warrant_of(Kind::Sponsorship, ANA, coins(7), Usdt::whole(7))),
            ),
            (bnb, Some(good)),
            (
                transfer(1, USDT, coins(1)),
                Some(self::warrant(USDT, coins(1), Usdt::whole(1))),
            ),
            (
                transfer(1, Address::ZERO, coins(1)),
                Some(self::warrant(Address::ZERO, coins(1), Usdt::whole(1))),
            ),
            (
                transfer(1, deposit, coins(1)),
                Some(self::warrant(deposit, coins(1), Usdt::whole(1))),
            ),
            (
                TxLegacy {
                    chain_id: Some(56),
                    ..transfer(1, ANA, coins(49))
                },
                Some(good),
            ),
            (
                TxLegacy {
                    value: U256::from(1),
                    ..transfer(1, ANA, coins(49))
                },
                Some(good),
            ),
            (
                TxLegacy {
                    gas_price: 1_000_000_000_000,
                    ..transfer(1, ANA, coins(49))
                },
                Some(good),
            ),
            // Worth what it says, whatever its warrant says.
            (
                transfer(1, ANA, coins(101)),
                Some(self::warrant(ANA, coins(101), Usdt::whole(1))),
            ),
        ] {
            let refused = matches!(signer.sign(tx.clone(), warrant), Err(SignerError::Refused(_)));
            assert!(refused, "{tx:?}");
        }
        assert!(
            signer.sign(transfer(1, COLD, coins(1_000)), None).is_ok(),
            "the surplus"
        );
    }

    #[test]
    fn caps_of_the_hour_and_the_day() {
        let clock = Arc::new(ShiftedClock::default());
        let signer = signer(clock.clone());
        let pay = |nonce, whole: u64| {
            let amount = coins(whole);
            let usdt = Usdt::whole(i64::try_from(whole).unwrap());
            signer.sign(transfer(nonce, ANA, amount), Some(warrant(ANA, amount, usdt)))
        };
        assert!(pay(0, 100).is_ok());
        let dearer = TxLegacy {
            gas_price: 2_000_000_000,
            ..transfer(0, ANA, coins(100))
        };
        assert!(
            signer
                .sign(dearer, Some(warrant(ANA, coins(100), Usdt::whole(100))))
                .is_ok(),
            "the same payment at another price counts once"
        );
        assert!(matches!(pay(1, 60), Err(SignerError::Capped)));
        assert!(pay(1, 50).is_ok());
        clock.advance(Duration::hours(1));
        assert!(pay(2, 100).is_ok());
        clock.advance(Duration::hours(1));
        assert!(matches!(pay(3, 60), Err(SignerError::Capped)), "310 of the day");
        clock.advance(Duration::hours(23));
        assert!(pay(3, 60).is_ok());
        let other = self::signer(clock.clone());
        other.remember(&[(crate::foundation::clock::Clock::now(&*clock), Usdt::whole(150))]);
        assert!(matches!(
            other.sign(
                transfer(9, ANA, coins(1)),
                Some(warrant(ANA, coins(1), Usdt::whole(1)))
            ),
            Err(SignerError::Capped)
        ));
    }
}
