//! Test coins and the V2 exchange, deployed once. Their code comes from the packages, unmodified.

use super::{Faucet, LocalChainError};
use crate::wallet::chain::{
    Coin, Contracts,
    contracts::{Erc20, Router, TestToken},
};
use alloy::{
    primitives::{Address, Bytes, TxKind, U256, utils::Unit},
    sol_types::{SolCall, SolConstructor, SolValue},
};
use serde_json::Value;
use std::{fs, path::Path};

/// What lies on a local chain. Derived from the deploying address alone: contract `n` is its `n`-th transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub usdt: Address,
    pub busd: Address,
    pub pyx: Address,
    pub wrapped: Address,
    pub factory: Address,
    pub router: Address,
}

impl Deployment {
    #[must_use]
    pub fn by(deployer: Address) -> Self {
        Self {
            usdt: deployer.create(0),
            busd: deployer.create(1),
            pyx: deployer.create(2),
            wrapped: deployer.create(3),
            factory: deployer.create(4),
            router: deployer.create(5),
        }
    }

    #[must_use]
    pub const fn contracts(&self) -> Contracts {
        Contracts {
            usdt: Some(self.usdt),
            busd: Some(self.busd),
            pyx: Some(self.pyx),
            router: Some(self.router),
        }
    }

    #[must_use]
    pub const fn token(&self, coin: Coin) -> Option<Address> {
        self.contracts().token(coin)
    }
}

const TOKEN: &str = "@openzeppelin/contracts/build/contracts/ERC20PresetMinterPauser.json";
const WRAPPED: &str = "@uniswap/v2-periphery/build/WETH9.json";
const FACTORY: &str = "@uniswap/v2-core/build/UniswapV2Factory.json";
const ROUTER: &str = "@uniswap/v2-periphery/build/UniswapV2Router02.json";

fn code(tools: &Path, file: &str) -> Result<Vec<u8>, LocalChainError> {
    let path = tools.join(file);
    let bad = |what: String| LocalChainError::SetUp(format!("{}: {what}", path.display()));
    let text = fs::read_to_string(&path).map_err(|e| bad(e.to_string()))?;
    let json: Value = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let code = json["bytecode"]
        .as_str()
        .ok_or_else(|| bad("no bytecode".into()))?;
    hex::decode(code.trim_start_matches("0x")).map_err(|e| bad(e.to_string()))
}

/// Whole coins in wei.
fn coins(count: u64) -> U256 {
    U256::from(count) * Unit::ETHER.wei()
}

/// Deploys what is missing: contracts first, then money and liquidity, each step only once.
pub async fn ensure(tools: &Path, faucet: &Faucet) -> Result<Deployment, LocalChainError> {
    let me = faucet.address();
    let all = Deployment::by(me);
    let failed = |e: super::super::chain::ChainError| LocalChainError::SetUp(e.to_string());
    faucet.fund(me, coins(1_000_000_000)).await.map_err(failed)?;
    let client = faucet.client();
    let creations: [(Address, &str, Vec<u8>); 6] = [
        (all.usdt, TOKEN, named("Tether USD (test)", "USDT")),
        (all.busd, TOKEN, named("Binance USD (test)", "BUSD")),
        (all.pyx, TOKEN, named("PYX (test)", "PYX")),
        (all.wrapped, WRAPPED, Vec::new()),
        (all.factory, FACTORY, me.abi_encode()),
        (all.router, ROUTER, (all.factory, all.wrapped).abi_encode_params()),
    ];
    for (address, file, arguments) in creations {
        if client.has_code(address).await.map_err(failed)? {
            continue;
        }
        let mut input = code(tools, file)?;
        input.extend(arguments);
        faucet
            .send(TxKind::Create, U256::ZERO, Bytes::from(input))
            .await
            .map_err(failed)?;
        faucet.seal().await.map_err(failed)?;
        if !client.has_code(address).await.map_err(failed)? {
            return Err(LocalChainError::SetUp(format!(
                "{file} did not arrive at its address: remove the chain's folder to begin anew"
            )));
        }
    }
    liquidity(faucet, &all).await.map_err(failed)?;
    Ok(all)
}

fn named(name: &str, symbol: &str) -> Vec<u8> {
    TestToken::constructorCall {
        name: name.into(),
        symbol: symbol.into(),
    }
    .abi_encode()
}

/// Pairs with depth: BUSD at 1, PYX at 0.50, BNB at 600 USDT.
async fn liquidity(faucet: &Faucet, all: &Deployment) -> Result<(), super::super::chain::ChainError> {
    let me = faucet.address();
    let client = faucet.client();
    let pairs = [
        (all.busd, coins(1_000_000), coins(1_000_000)),
        (all.pyx, coins(2_000_000), coins(1_000_000)),
        (all.wrapped, coins(5_000), coins(3_000_000)),
    ];
    for (other, amount, usdt) in pairs {
        if pair(faucet, all, other).await? != Address::ZERO {
            continue;
        }
        for (token, amount) in [(all.usdt, usdt), (other, amount)] {
            if token == all.wrapped {
                continue;
            }
            if client.token_balance(token, me, None).await? < amount {
                let mint = TestToken::mintCall { to: me, amount };
                faucet.call(token, U256::ZERO, mint.abi_encode()).await?;
            }
            let approve = Erc20::approveCall {
                spender: all.router,
                amount: U256::MAX,
            };
            faucet.call(token, U256::ZERO, approve.abi_encode()).await?;
        }
        let deadline = U256::from(u64::MAX);
        if other == all.wrapped {
            let add = Router::addLiquidityETHCall {
                token: all.usdt,
                amountTokenDesired: usdt,
                amountTokenMin: U256::ZERO,
                amountETHMin: U256::ZERO,
                to: me,
                deadline,
            };
            faucet.call(all.router, amount, add.abi_encode()).await?;
            faucet.seal().await?;
        } else {
            let add = Router::addLiquidityCall {
                tokenA: all.usdt,
                tokenB: other,
                amountADesired: usdt,
                amountBDesired: amount,
                amountAMin: U256::ZERO,
                amountBMin: U256::ZERO,
                to: me,
                deadline,
            };
            faucet.call(all.router, U256::ZERO, add.abi_encode()).await?;
            faucet.seal().await?;
        }
    }
    Ok(())
}

async fn pair(
    faucet: &Faucet,
    all: &Deployment,
    other: Address,
) -> Result<Address, super::super::chain::ChainError> {
    use crate::wallet::chain::{ChainError, contracts::Factory::getPairCall};
    use alloy::rpc::types::TransactionRequest;
    let ask = getPairCall {
        tokenA: all.usdt,
        tokenB: other,
    };
    let call = TransactionRequest::default()
        .to(all.factory)
        .input(ask.abi_encode().into());
    let answer = faucet.client().call(&call, None).await?;
    getPairCall::abi_decode_returns(&answer).map_err(|_| ChainError::Nonsense("a pair"))
}
