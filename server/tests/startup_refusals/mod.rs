//! What production refuses to start with: one environment that is taken, and each setting of it that is not. The environment which
//! `docker/` gives is taken as well.

use super::{refused, run, server};
use coins_bip32::{
    enc::{MainnetEncoder, XKeyEncoder},
    path::DerivationPath,
    prelude::Hint,
    xkeys::XPriv,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

pub type Environment = BTreeMap<String, String>;

/// A key that nobody published: the digest of a word.
fn key(word: &str) -> String {
    hex::encode(Sha256::digest(word))
}

/// The seed's public branch, as wallets give it out.
fn xpub(seed: &str) -> String {
    let path: DerivationPath = "m/44'/60'/0'/0".parse().unwrap();
    let root = XPriv::root_from_seed(&hex::decode(seed).unwrap(), Some(Hint::Legacy)).unwrap();
    MainnetEncoder::xpub_to_base58(&root.derive_path(&path).unwrap().verify_key()).unwrap()
}

fn wallet(key: &str) -> String {
    let signer: alloy::signers::local::PrivateKeySigner = key.parse().unwrap();
    signer.address().to_string()
}

/// Everything that production asks of a server whose keys of the chain are elsewhere.
pub fn accepted() -> Environment {
    [
        ("ARBORA_WORLD", "production".to_owned()),
        (
            "DATABASE_URL",
            "postgres://arbora_app:hunter2@127.0.0.1/arbora".into(),
        ),
        (
            "SMTP_URL",
            "smtp://arbora:hunter2@mail.casa-arbora.com.br:587?tls=required".into(),
        ),
        (
            "CHAIN_RPC_URL",
            "https://bsc.one-provider.com/hunter2,https://bsc.other-provider.io".into(),
        ),
        ("PUBLIC_URL", "https://painel.casa-arbora.com.br".into()),
        ("ARBORA_MAIL_FROM", "Arbora <no-reply@casa-arbora.com.br>".into()),
        (
            "RATE_URL",
            "https://rates.third-provider.com/usd?key=hunter2".into(),
        ),
        ("ARBORA_FEED", "live:binance,okx,kraken,bybit".into()),
        ("ARBORA_SIGNING", "elsewhere".into()),
        ("ARBORA_HOT_ADDRESS", wallet(&key("hot"))),
        ("ARBORA_GAS_ADDRESS", wallet(&key("gas"))),
        ("ARBORA_COLD_ADDRESS", wallet(&key("cold"))),
        ("ARBORA_PIX_KEY", "90.471.628/0001-68".into()),
        ("ARBORA_PIX_NAME", "ARBORA PAGAMENTOS LTDA".into()),
        ("ARBORA_PIX_CITY", "SAO PAULO".into()),
        ("ARBORA_DATA_OFFICER_NAME", "Olívia Prado".into()),
        (
            "ARBORA_DATA_OFFICER_EMAIL",
            "privacidade@casa-arbora.com.br".into(),
        ),
        ("ARBORA_TRUSTED_PROXIES", "172.30.0.0/24".into()),
        ("ARBORA_MASTER_KEY", key("master")),
        ("ARBORA_JWT_KEY", key("jwt")),
        ("ARBORA_HMAC_KEY", key("hmac")),
        ("ARBORA_AUDIT_KEY", key("audit")),
        ("ARBORA_PUSH_KEY", key("push")),
        ("ARBORA_DEPOSIT_XPUB", xpub(&key("seed"))),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The same for the signer: it has the keys.
fn accepted_signer() -> Environment {
    let mut environment = accepted();
    for (name, word) in [
        ("ARBORA_HOT_KEY", "hot"),
        ("ARBORA_GAS_KEY", "gas"),
        ("ARBORA_DEPOSIT_SEED", "seed"),
    ] {
        environment.insert(name.to_owned(), key(word));
    }
    environment
}

fn check(place: &Path, environment: &Environment, arguments: &[&str]) -> Output {
    let mut command: Command = server(place);
    run(command
        .arg("check")
        .args(arguments)
        .env_remove("ARBORA_LOG")
        .envs(environment))
}

/// It said yes, and left nothing behind.
#[track_caller]
fn taken(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.starts_with("everything is in place"), "{said}");
    said
}

/// One of the settings is another one, or missing.
fn with(mut environment: Environment, changes: &[(&str, Option<&str>)]) -> Environment {
    for (name, value) in changes {
        match value {
            Some(value) => environment.insert((*name).to_owned(), (*value).to_owned()),
            None => environment.remove(*name),
        };
    }
    environment
}

#[test]
fn what_is_in_place_is_said_with_what_is_in_force_and_without_a_secret() {
    let place = tempfile::tempdir().unwrap();
    for (environment, arguments, expected) in [
        (
            accepted(),
            &[][..],
            &[
                "a server of the world production, chain 56",
                "https://painel.casa-arbora.com.br",
                "one-provider.com and other-provider.io",
                "arbora at 127.0.0.1, as arbora_app",
                "mail.casa-arbora.com.br, as Arbora <no-reply@casa-arbora.com.br>",
                "live:binance,okx,kraken,bybit",
                "rates.third-provider.com",
                // As the directory writes it.
                "90471628000168, ARBORA PAGAMENTOS LTDA, SAO PAULO",
                "Olívia Prado, privacidade@casa-arbora.com.br",
                "172.30.0.0/24",
                "elsewhere (server signer)",
            ][..],
        ),
        (
            accepted_signer(),
            &["--signer"],
            &[
                "a signer of the world production, chain 56",
                "in this process",
                "ARBORA_HOT_KEY",
            ],
        ),
    ] {
        let said = taken(&check(place.path(), &environment, arguments));
        for expected in expected {
            assert!(said.contains(expected), "{expected} is not in {said}");
        }
        for secret in ["hunter2", &key("master"), &key("hot"), &key("seed"), "xpub"] {
            assert!(!said.contains(secret), "{said}");
        }
    }
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        0,
        "something was left behind"
    );
}

#[test]
fn a_demo_is_in_place_without_any_setting_and_draws_nothing_for_a_look() {
    let place = tempfile::tempdir().unwrap();
    let said = taken(&check(place.path(), &Environment::new(), &[]));
    assert!(said.contains("a server of the world demo, chain 31337"), "{said}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// The first account of the phrase that every test net begins with.
const PUBLISHED: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const USDT: &str = "0x55d398326f99059fF775485246999027B3197955";

/// Variable, what it is instead (none: it is missing), and the words of the refusal.
const REFUSED: &[(&str, Option<&str>, &str)] = &[
    ("ARBORA_FEED", None, "ARBORA_FEED is simulated"),
    ("ARBORA_FEED", Some("simulated"), "ARBORA_FEED is simulated"),
    (
        "ARBORA_FEED",
        Some("replay:some.ndjson"),
        "ARBORA_FEED is replay:some.ndjson",
    ),
    ("ARBORA_FEED", Some("off"), "ARBORA_FEED is off"),
    ("ARBORA_FEED", Some("live:aurora"), "is no venue"),
    (
        "ARBORA_VENUE_URLS",
        Some("binance=wss://stream.testnet.binance.vision"),
        "ARBORA_VENUE_URLS leads to",
    ),
    (
        "ARBORA_VENUE_URLS",
        Some("binance=ws://127.0.0.1:9"),
        "is not NAME=wss://ADDRESS",
    ),
    (
        "BINANCE_API_URL",
        Some("https://testnet.binance.vision/"),
        "BINANCE_API_URL leads to",
    ),
    (
        "ARBORA_VENUE_URLS",
        Some("binance=wss://10.0.0.7"),
        "ARBORA_VENUE_URLS leads to",
    ),
    ("RATE_URL", None, "RATE_URL is missing"),
    (
        "RATE_URL",
        Some("http://rates.third-provider.com/usd"),
        "RATE_URL is not https",
    ),
    (
        "RATE_URL",
        Some("http://127.0.0.1.third-provider.com/usd"),
        "RATE_URL is not https",
    ),
    (
        "RATE_URL",
        Some("http://localhost:9/usd"),
        "RATE_URL is not https",
    ),
    (
        "RATE_URL",
        Some("https://rates.example/usd"),
        "RATE_URL leads to rates.example",
    ),
    (
        "RATE_URL",
        Some("https://10.0.0.7/usd"),
        "RATE_URL leads to 10.0.0.7",
    ),
    (
        "RATE_URL",
        Some("https://169.254.169.254/usd"),
        "RATE_URL leads to 169.254.169.254",
    ),
    (
        "RATE_URL",
        Some("https://[fe80::1]/usd"),
        "RATE_URL leads to fe80::1",
    ),
    (
        "RATE_URL",
        Some("https://rates.internal/usd"),
        "RATE_URL leads to rates.internal",
    ),
    (
        "GOOGLE_CLIENT_ID",
        Some("arbora.apps.googleusercontent.com"),
        "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET are given together",
    ),
    (
        "GOOGLE_CLIENT_SECRET",
        Some("hunter2-hunter2-hunter2"),
        "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET are given together",
    ),
    (
        "GOOGLE_ISSUER",
        Some("http://accounts.casa-arbora.com.br"),
        "GOOGLE_ISSUER is without TLS",
    ),
    (
        "GOOGLE_ISSUER",
        Some("https://127.0.0.1:9"),
        "GOOGLE_ISSUER is nowhere on the Internet",
    ),
    ("ARBORA_PUSH_KEY", None, "ARBORA_PUSH_KEY is missing"),
    (
        "ARBORA_PUSH_HOSTS",
        Some("fcm.googleapis.com,127.0.0.1"),
        "ARBORA_PUSH_HOSTS names 127.0.0.1",
    ),
    (
        "ARBORA_PUSH_HOSTS",
        Some("*.internal"),
        "ARBORA_PUSH_HOSTS names *.internal",
    ),
    (
        "ARBORA_FILES_BUCKET",
        Some("arbora-files"),
        "ARBORA_FILES_BUCKET, ARBORA_FILES_KEY_ID and ARBORA_FILES_SECRET are given together",
    ),
    (
        "ARBORA_FILES_SECRET",
        Some("hunter2"),
        "ARBORA_FILES_BUCKET, ARBORA_FILES_KEY_ID and ARBORA_FILES_SECRET are given together",
    ),
    (
        "ARBORA_FILES_ENDPOINT",
        Some("https://s3.casa-arbora.com.br"),
        "ARBORA_FILES_BUCKET, ARBORA_FILES_KEY_ID and ARBORA_FILES_SECRET are given together",
    ),
    ("SMTP_URL", None, "SMTP_URL is missing"),
    (
        "SMTP_URL",
        Some("smtp://u:hunter2@mail.casa-arbora.com.br:587"),
        "SMTP_URL is without TLS",
    ),
    (
        "SMTP_URL",
        Some("smtp://mail.casa-arbora.com.br?tls=opportunistic"),
        "SMTP_URL is without TLS",
    ),
    ("SMTP_URL", Some("smtp://localhost:25"), "SMTP_URL is without TLS"),
    (
        "SMTP_URL",
        Some("smtps://mail.example"),
        "SMTP_URL leads to mail.example",
    ),
    (
        "ARBORA_MAIL_FROM",
        None,
        "ARBORA_MAIL_FROM sends from arbora.invalid",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora <no-reply@example.com>"),
        "ARBORA_MAIL_FROM sends from example.com",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("no-reply@www.example.com.br"),
        "ARBORA_MAIL_FROM sends from",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("no-reply@localhost"),
        "ARBORA_MAIL_FROM sends from localhost",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora <no-reply@1.2.3.4>"),
        "ARBORA_MAIL_FROM sends from 1.2.3.4",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora <no-reply>"),
        "ARBORA_MAIL_FROM is not a sender",
    ),
    ("CHAIN_RPC_URL", None, "CHAIN_RPC_URL is missing"),
    (
        "CHAIN_RPC_URL",
        Some("https://bsc.one-provider.com/hunter2"),
        "CHAIN_RPC_URL names one provider",
    ),
    (
        "CHAIN_RPC_URL",
        Some("https://a.one-provider.com/hunter2,https://B.One-Provider.com:8443"),
        "CHAIN_RPC_URL names one-provider.com twice",
    ),
    (
        "CHAIN_RPC_URL",
        Some("http://127.0.0.1:8545,http://127.0.0.1:8546"),
        "CHAIN_RPC_URL names 127.0.0.1 twice",
    ),
    (
        "CHAIN_RPC_URL",
        Some("http://127.0.0.1:8545,http://127.0.0.2:8545"),
        "CHAIN_RPC_URL names 127.0.0.1 twice",
    ),
    (
        "CHAIN_RPC_URL",
        Some("http://[::1]:8545,https://localhost:8545"),
        "CHAIN_RPC_URL names 127.0.0.1 twice",
    ),
    (
        "CHAIN_RPC_URL",
        Some("http://bsc.one-provider.com/hunter2,https://bsc.other-provider.io"),
        "CHAIN_RPC_URL asks one-provider.com over http",
    ),
    (
        "CHAIN_RPC_URL",
        Some("https://first-provider.example,https://bsc.other-provider.io"),
        "CHAIN_RPC_URL leads to first-provider.example",
    ),
    ("ARBORA_PIX_KEY", None, "ARBORA_PIX_KEY is missing"),
    (
        "ARBORA_PIX_KEY",
        Some("demo@arbora.invalid"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("pix@example.com"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("11.222.333/0001-82"),
        "ARBORA_PIX_KEY is no PIX key",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("00000000-0000-0000-0000-000000000000"),
        "ARBORA_PIX_KEY is no PIX key",
    ),
    ("ARBORA_PIX_NAME", None, "ARBORA_PIX_NAME is missing"),
    ("ARBORA_PIX_NAME", Some(" "), "ARBORA_PIX_NAME is missing"),
    (
        "ARBORA_PIX_NAME",
        Some("ARBORA DEMO"),
        "ARBORA_PIX_NAME is ARBORA DEMO",
    ),
    (
        "ARBORA_PIX_NAME",
        Some("ARBORA DÉMO"),
        "ARBORA_PIX_NAME is ARBORA DÉMO",
    ),
    (
        "ARBORA_PIX_NAME",
        Some("ＤＥＭＯ LTDA"),
        "ARBORA_PIX_NAME is ＤＥＭＯ LTDA",
    ),
    ("ARBORA_PIX_CITY", None, "ARBORA_PIX_CITY is missing"),
    (
        "ARBORA_DATA_OFFICER_NAME",
        None,
        "ARBORA_DATA_OFFICER_NAME is missing",
    ),
    (
        "ARBORA_DATA_OFFICER_NAME",
        Some("Arbora Demo"),
        "ARBORA_DATA_OFFICER_NAME is Arbora Demo",
    ),
    (
        "ARBORA_DATA_OFFICER_NAME",
        Some("Olívia\u{202e}Prado"),
        "ARBORA_DATA_OFFICER_NAME is not one line",
    ),
    (
        "ARBORA_DATA_OFFICER_EMAIL",
        None,
        "ARBORA_DATA_OFFICER_EMAIL is missing",
    ),
    (
        "ARBORA_DATA_OFFICER_EMAIL",
        Some("Olívia <privacidade@casa-arbora.com.br>"),
        "ARBORA_DATA_OFFICER_EMAIL is Olívia <",
    ),
    (
        "ARBORA_DATA_OFFICER_EMAIL",
        Some("privacy@arbora.invalid"),
        "ARBORA_DATA_OFFICER_EMAIL is privacy@arbora.invalid, the mailbox of an example",
    ),
    (
        "ARBORA_DATA_OFFICER_EMAIL",
        Some("demo@casa-arbora.com.br"),
        "ARBORA_DATA_OFFICER_EMAIL is demo@casa-arbora.com.br, the mailbox of an example",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        None,
        "ARBORA_TRUSTED_PROXIES is missing",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        Some("172.30.0.0/24,0.0.0.0/0"),
        "ARBORA_TRUSTED_PROXIES holds 0.0.0.0/0",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        Some("::/0"),
        "ARBORA_TRUSTED_PROXIES holds ::/0",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        Some("10.0.0.0/7"),
        "ARBORA_TRUSTED_PROXIES holds 10.0.0.0/7",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        Some("fd00::/27"),
        "ARBORA_TRUSTED_PROXIES holds fd00::/27",
    ),
    (
        "ARBORA_TRUSTED_PROXIES",
        Some("0.0.0.0/8,64.0.0.0/8,128.0.0.0/8"),
        "ARBORA_TRUSTED_PROXIES adds up to more",
    ),
    ("PUBLIC_URL", None, "PUBLIC_URL is missing"),
    (
        "PUBLIC_URL",
        Some("http://painel.casa-arbora.com.br"),
        "PUBLIC_URL is not an https address",
    ),
    (
        "PUBLIC_URL",
        Some("https://127.0.0.1"),
        "PUBLIC_URL is 127.0.0.1, which no customer reaches",
    ),
    (
        "PUBLIC_URL",
        Some("https://localhost:8443"),
        "PUBLIC_URL is localhost, which no customer reaches",
    ),
    (
        "PUBLIC_URL",
        Some("https://192.168.0.7"),
        "PUBLIC_URL is 192.168.0.7, which no customer reaches",
    ),
    (
        "PUBLIC_URL",
        Some("https://painel.local"),
        "PUBLIC_URL is painel.local, which no customer reaches",
    ),
    (
        "PUBLIC_URL",
        Some("https://arbora.example"),
        "PUBLIC_URL is arbora.example, which no customer reaches",
    ),
    (
        "PUBLIC_URL",
        Some("https://u:hunter2@painel.casa-arbora.com.br"),
        "PUBLIC_URL is not an address without a path",
    ),
    ("ARBORA_CHAIN_ID", Some("97"), "ARBORA_CHAIN_ID is 97"),
    ("ARBORA_CHAIN_ID", Some("31337"), "ARBORA_CHAIN_ID is 31337"),
    ("ARBORA_CHAIN_ID", Some("1"), "ARBORA_CHAIN_ID is 1,"),
    (
        "ARBORA_CHAIN_USDT",
        Some("0x9858EfFD232B4033E47d90003D41EC34EcaEda94"),
        "ARBORA_CHAIN_USDT is not USDT's contract",
    ),
    (
        "ARBORA_CHAIN_BUSD",
        Some("0x9858EfFD232B4033E47d90003D41EC34EcaEda94"),
        "ARBORA_CHAIN_BUSD is not BUSD's contract",
    ),
    (
        "ARBORA_CHAIN_PYX",
        Some(USDT),
        "ARBORA_CHAIN_PYX and ARBORA_CHAIN_USDT are the same contract",
    ),
    (
        "ARBORA_CHAIN_CONFIRMATIONS",
        Some("2"),
        "fewer than 3 confirm nothing",
    ),
    ("ARBORA_HOT_ADDRESS", None, "ARBORA_HOT_ADDRESS is missing"),
    (
        "ARBORA_HOT_ADDRESS",
        Some(PUBLISHED),
        "ARBORA_HOT_ADDRESS is the address of a published test key",
    ),
    (
        "ARBORA_GAS_ADDRESS",
        Some("0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199"),
        "ARBORA_GAS_ADDRESS is the address of a published test key",
    ),
    (
        "ARBORA_COLD_ADDRESS",
        Some("0x9858effd232b4033e47d90003d41ec34ecaeda94"),
        "ARBORA_COLD_ADDRESS is the address of a published test key",
    ),
    (
        "ARBORA_COLD_ADDRESS",
        Some("0x000000000000000000000000000000000000dEaD"),
        "ARBORA_COLD_ADDRESS is an address that nobody has the key of",
    ),
    (
        "ARBORA_COLD_ADDRESS",
        Some(USDT),
        "ARBORA_COLD_ADDRESS is the contract of ARBORA_CHAIN_USDT",
    ),
    ("ARBORA_MASTER_KEY", None, "ARBORA_MASTER_KEY is missing"),
    (
        "ARBORA_MASTER_KEY",
        Some("0000000000000000000000000000000000000000000000000000000000000000"),
        "ARBORA_MASTER_KEY is not a key",
    ),
    (
        "ARBORA_JWT_KEY",
        Some("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
        "ARBORA_JWT_KEY has a pattern",
    ),
    (
        "ARBORA_HMAC_KEY",
        Some("AC0974BEC39A17E36BA4A6B4D238FF944BACB478CBED5EFCAE784D7BF4F2FF80"),
        "ARBORA_HMAC_KEY is a published test key",
    ),
    (
        "ARBORA_DEPOSIT_XPUB",
        Some("xpub6someBranchThatNobodyPublished"),
        "ARBORA_DEPOSIT_XPUB is not an extended public key",
    ),
    (
        "ARBORA_HOT_KEY",
        Some("7f5d1618e7d28cc7bf32788672be04c24877d9a8911f65fef8e3e013c9cbc373"),
        "ARBORA_HOT_KEY is here although ARBORA_SIGNING is elsewhere",
    ),
    ("DATABASE_URL", None, "DATABASE_URL is missing"),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@db.example/arbora?sslmode=require"),
        "DATABASE_URL leads to db.example",
    ),
    (
        "DATABASE_OWNER_URL",
        Some("postgres://arbora_app:hunter2@127.0.0.1/arbora"),
        "name the same role",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@db.casa-arbora.com.br/arbora"),
        "DATABASE_URL is without TLS",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@10.0.0.7/arbora?sslmode=prefer"),
        "DATABASE_URL is without TLS",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@postgres/arbora?sslmode=disable"),
        "DATABASE_URL is without TLS",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@localhost/arbora?sslmode=allow"),
        "DATABASE_URL is without TLS",
    ),
    (
        "DATABASE_OWNER_URL",
        Some("postgres://owner:hunter2@db.casa-arbora.com.br/arbora?sslmode=disable"),
        "DATABASE_OWNER_URL is without TLS",
    ),
    (
        "REDIS_URL",
        Some("rediss://redis.example:6379"),
        "REDIS_URL leads to redis.example",
    ),
    (
        "REDIS_URL",
        Some("redis://:hunter2@redis.casa-arbora.com.br:6379"),
        "REDIS_URL is without TLS",
    ),
    (
        "REDIS_URL",
        Some("redis://redis:6379"),
        "REDIS_URL is without TLS",
    ),
    (
        "REDIS_URL",
        Some("redis://localhost:6379"),
        "REDIS_URL is without TLS",
    ),
    (
        "REDIS_URL",
        Some("http://127.0.0.1:6379"),
        "REDIS_URL is not a Redis address",
    ),
    (
        "ARBORA_METRICS_FROM",
        Some("0.0.0.0/0"),
        "ARBORA_METRICS_FROM holds 0.0.0.0/0",
    ),
    (
        "ARBORA_METRICS_FROM",
        Some("10.0.0.0/8,11.0.0.0/8,12.0.0.0/8"),
        "ARBORA_METRICS_FROM adds up to more",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@134744072/arbora"),
        "DATABASE_URL names 134744072, in which",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@0x08080808/arbora"),
        "DATABASE_URL names 0x08080808, in which",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@010.0.0.1/arbora"),
        "DATABASE_URL names 010.0.0.1, in which",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@127.1/arbora"),
        "DATABASE_URL names 127.1, in which",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@0177.0.0.1/arbora"),
        "DATABASE_URL names 0177.0.0.1, in which",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@134744072/arbora?sslmode=verify-full"),
        "DATABASE_URL names 134744072",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@postgres/arbora?host=0x08080808"),
        "DATABASE_URL names 0x08080808",
    ),
    (
        "DATABASE_OWNER_URL",
        Some("postgres://owner:hunter2@134744072/arbora"),
        "DATABASE_OWNER_URL names 134744072",
    ),
    (
        "DATABASE_URL",
        Some("postgres://u:hunter2@db./arbora"),
        "DATABASE_URL is without TLS",
    ),
    (
        "REDIS_URL",
        Some("redis://:hunter2@2130706433:6379"),
        "REDIS_URL names 2130706433",
    ),
    (
        "REDIS_URL",
        Some("rediss://redis.casa-arbora.com.br:6379/#insecure"),
        "REDIS_URL says more than",
    ),
    (
        "REDIS_URL",
        Some("rediss://redis.casa-arbora.com.br:6379?insecure=true"),
        "REDIS_URL says more than",
    ),
    (
        "REDIS_URL",
        Some("rediss://redis.casa-arbora.com.br:6379#"),
        "REDIS_URL says more than",
    ),
    (
        "SMTP_URL",
        Some("smtp://u:hunter2@2130706433:25"),
        "SMTP_URL names 2130706433",
    ),
    (
        "SMTP_URL",
        Some("smtps://u:hunter2@0x7f000001"),
        "SMTP_URL names 0x7f000001",
    ),
    (
        "RATE_URL",
        Some("http://127.0.0.1:9/usd"),
        "RATE_URL leads to 127.0.0.1",
    ),
    (
        "RATE_URL",
        Some("https://127.0.0.1/usd"),
        "RATE_URL leads to 127.0.0.1",
    ),
    ("RATE_URL", Some("https://[::1]:9/usd"), "RATE_URL leads to ::1"),
    (
        "RATE_URL",
        Some("https://2130706433/usd"),
        "RATE_URL leads to 127.0.0.1",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora DEMO <no-reply@casa-arbora.com.br>"),
        "ARBORA_MAIL_FROM is the sender of a demo",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora <demo@casa-arbora.com.br>"),
        "ARBORA_MAIL_FROM is the sender of a demo",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora DЕMO <no-reply@casa-arbora.com.br>"),
        "ARBORA_MAIL_FROM is the sender of a demo",
    ),
    (
        "ARBORA_MAIL_FROM",
        Some("Arbora DEM0 <no-reply@casa-arbora.com.br>"),
        "ARBORA_MAIL_FROM is the sender of a demo",
    ),
    (
        "ARBORA_PIX_NAME",
        Some("ARBORA DЕMO"),
        "ARBORA_PIX_NAME is ARBORA DЕMO",
    ),
    (
        "ARBORA_PIX_NAME",
        Some("ARBORA DEM0"),
        "ARBORA_PIX_NAME is ARBORA DEM0",
    ),
    (
        "ARBORA_PIX_NAME",
        Some("ARBORA DΕΜΟ"),
        "ARBORA_PIX_NAME is ARBORA DΕΜΟ",
    ),
    ("ARBORA_PIX_CITY", Some("EXEMPL0"), "ARBORA_PIX_CITY is EXEMPL0"),
    (
        "ARBORA_PIX_KEY",
        Some("123.456.789-09"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("12345678909"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("12.345.678/0001-95"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("11.222.333/0001-81"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("+5511999999999"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("demo@casa-arbora.com.br"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    (
        "ARBORA_PIX_KEY",
        Some("123e4567-e12b-12d1-a456-426655440000"),
        "ARBORA_PIX_KEY is the key of an example",
    ),
    ("ARBORA_LOG", Some("info,trace"), "ARBORA_LOG is trace"),
    (
        "ARBORA_LIFT_LIMITS",
        Some("true"),
        "ARBORA_LIFT_LIMITS is for load tests",
    ),
    ("ARBORA_EXPOSE_DEMO", Some("true"), "--expose-demo is for demos"),
    (
        "ARBORA_ALLOW_ORIGIN",
        Some("http://127.0.0.1:5173"),
        "ARBORA_ALLOW_ORIGIN is for development",
    ),
    (
        "ARBORA_DATA_DIR",
        Some("a-file/data"),
        "ARBORA_DATA_DIR is a-file/data, which this user cannot write",
    ),
];

#[test]
fn each_weak_setting_is_refused_by_its_name() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a-file"), "").unwrap();
    fs::write(place.path().join("some.ndjson"), "").unwrap();
    for (name, value, expected) in REFUSED {
        let output = check(place.path(), &with(accepted(), &[(name, *value)]), &[]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            text.contains("production cannot start, because:"),
            "{name}={value:?}: {text}"
        );
        refused(&output, expected);
        assert_eq!(text.matches("\n  - ").count(), 1, "{name}={value:?}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn wallets_that_are_one_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let [hot, gas] = ["hot", "gas"].map(|word| wallet(&key(word)));
    for (name, value, expected) in [
        (
            "ARBORA_GAS_ADDRESS",
            &hot,
            "the hot wallet and the gas wallet are one",
        ),
        (
            "ARBORA_COLD_ADDRESS",
            &hot,
            "the hot wallet and the cold wallet are one",
        ),
        (
            "ARBORA_COLD_ADDRESS",
            &gas,
            "the gas wallet and the cold wallet are one",
        ),
    ] {
        refused(
            &check(place.path(), &with(accepted(), &[(name, Some(value))]), &[]),
            expected,
        );
    }
    // The signer knows them by their keys.
    for (changes, expected) in [
        (
            &[
                ("ARBORA_HOT_ADDRESS", None),
                ("ARBORA_COLD_ADDRESS", Some(hot.as_str())),
            ][..],
            "the hot wallet and the cold wallet are one",
        ),
        (
            &[("ARBORA_GAS_KEY", Some(&*key("another")))],
            "ARBORA_GAS_KEY is not the key of ARBORA_GAS_ADDRESS",
        ),
        (
            &[("ARBORA_HOT_KEY", Some(&*key("another")))],
            "ARBORA_HOT_KEY is not the key of ARBORA_HOT_ADDRESS",
        ),
        (&[("ARBORA_HOT_KEY", None)], "ARBORA_HOT_KEY is missing"),
        (
            &[("ARBORA_DEPOSIT_SEED", Some(&*key("another")))],
            "ARBORA_DEPOSIT_SEED is not the seed of ARBORA_DEPOSIT_XPUB",
        ),
        (
            &[("ARBORA_DEPOSIT_SEED", Some(&*key("hot").to_uppercase()))],
            "ARBORA_DEPOSIT_SEED and ARBORA_HOT_KEY are the same",
        ),
        (
            &[(
                "CHAIN_RPC_URL",
                Some("https://a.one-provider.com,https://b.one-provider.com"),
            )],
            "CHAIN_RPC_URL names one-provider.com twice",
        ),
    ] {
        refused(
            &check(place.path(), &with(accepted_signer(), changes), &["--signer"]),
            expected,
        );
    }
    // It trades nothing and shows nobody a BR Code.
    let less = [
        ("ARBORA_FEED", None),
        ("RATE_URL", None),
        ("ARBORA_PIX_KEY", None),
        ("ARBORA_DATA_OFFICER_NAME", None),
        ("ARBORA_DATA_OFFICER_EMAIL", None),
        ("ARBORA_TRUSTED_PROXIES", None),
    ];
    taken(&check(
        place.path(),
        &with(accepted_signer(), &less),
        &["--signer"],
    ));
}

#[test]
fn this_machine_is_named_by_its_address_and_then_needs_no_tls() {
    let place = tempfile::tempdir().unwrap();
    for (name, value) in [
        ("SMTP_URL", "smtp://127.0.0.1:25"),
        ("SMTP_URL", "smtp://[::1]:25"),
        ("SMTP_URL", "smtps://mail.casa-arbora.com.br"),
        (
            "CHAIN_RPC_URL",
            "http://127.0.0.1:8545,https://bsc.other-provider.io",
        ),
        ("REDIS_URL", "redis://127.0.0.1:6379"),
        ("REDIS_URL", "redis+unix:///run/redis/redis.sock"),
        ("REDIS_URL", "rediss://redis.casa-arbora.com.br:6379"),
        ("DATABASE_URL", "postgres://u:p@[::1]/arbora?sslmode=disable"),
        (
            "DATABASE_URL",
            "postgres:///arbora?host=/run/postgresql&user=u&password=p",
        ),
        (
            "DATABASE_URL",
            "postgres://u:p@db.casa-arbora.com.br/arbora?sslmode=verify-full",
        ),
        ("DATABASE_URL", "postgres://u:p@postgres/arbora"),
        ("DATABASE_URL", "postgres://u:p@db_1/arbora"),
        ("REDIS_URL", "rediss://:p@redis.casa-arbora.com.br:6379/3"),
        (
            "ARBORA_MAIL_FROM",
            "Demóstenes Arbora <no-reply@casa-arbora.com.br>",
        ),
        ("ARBORA_METRICS_FROM", "10.0.0.0/8,fd00::/28"),
        ("ARBORA_TRUSTED_PROXIES", "10.0.0.0/8,fd00::/28,127.0.0.1"),
        ("ARBORA_CHAIN_USDT", USDT),
        ("ARBORA_LOG", "info,server::ledger=debug"),
        ("ARBORA_PIX_KEY", "+55 (41) 99714-2086"),
    ] {
        taken(&check(
            place.path(),
            &with(accepted(), &[(name, Some(value))]),
            &[],
        ));
    }
}

#[test]
fn everything_weak_is_named_in_one_go() {
    let place = tempfile::tempdir().unwrap();
    let weak = with(
        accepted(),
        &[
            ("ARBORA_FEED", Some("simulated")),
            ("RATE_URL", None),
            ("SMTP_URL", Some("smtp://mail.casa-arbora.com.br")),
            ("ARBORA_CHAIN_ID", Some("97")),
            ("ARBORA_COLD_ADDRESS", Some(PUBLISHED)),
            ("ARBORA_PIX_NAME", Some("ARBORA DEMO")),
            ("ARBORA_TRUSTED_PROXIES", Some("0.0.0.0/0")),
        ],
    );
    let mut serve = server(place.path());
    for output in [
        check(place.path(), &weak, &[]),
        run(serve.arg("serve").envs(&weak)),
    ] {
        for expected in [
            "ARBORA_FEED is simulated",
            "RATE_URL is missing",
            "SMTP_URL is without TLS",
            "ARBORA_CHAIN_ID is 97",
            "ARBORA_COLD_ADDRESS is the address of a published test key",
            "ARBORA_PIX_NAME is ARBORA DEMO",
            "ARBORA_TRUSTED_PROXIES holds 0.0.0.0/0",
        ] {
            refused(&output, expected);
        }
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).matches("\n  - ").count(),
            7
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn secrets_that_others_of_the_machine_can_read_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("keys");
    write_secrets(&folder, &["master", "jwt", "hmac"]);
    let environment = with(
        accepted(),
        &[
            ("ARBORA_SECRETS_DIR", folder.to_str()),
            ("ARBORA_MASTER_KEY", None),
            ("ARBORA_JWT_KEY", None),
            ("ARBORA_HMAC_KEY", None),
        ],
    );
    let close = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (of_folder, of_file, open) in [
        (0o700, 0o600, false),
        (0o700, 0o644, false),
        (0o755, 0o640, false),
        (0o755, 0o644, true),
        (0o777, 0o600, true),
    ] {
        close(&folder, of_folder);
        close(&folder.join("jwt.key"), of_file);
        let output = check(place.path(), &environment, &[]);
        if open {
            refused(&output, "is open to every user of this machine");
        } else {
            taken(&output);
        }
    }
}

// ---- docker --------------------------------------------------------------------------------------------------------

fn write_secrets(folder: &Path, words: &[&str]) {
    fs::create_dir(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    for word in words {
        let (file, text) = match *word {
            "xpub" => ("deposit.xpub".to_owned(), xpub(&key("seed"))),
            "seed" => ("deposit.seed".to_owned(), key("seed")),
            "gas" => ("chain_gas.key".to_owned(), key("gas")),
            word => (format!("{word}.key"), key(word)),
        };
        let file = folder.join(file);
        fs::write(&file, text).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn docker(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docker").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `NAME=value` of each line that is no comment.
fn example() -> Environment {
    let text = docker(".env.example");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            line.split_once('=')
                .unwrap_or_else(|| panic!("{line} is not NAME=value"))
        })
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The variables that `docker/compose.yaml` asks for, and its text with their values. `$$` is a dollar of the container's own.
fn composed(values: &Environment) -> (BTreeSet<String>, String) {
    let variable = regex::Regex::new(r"\$(?:\$|\{([A-Z_]+)(?::[?-][^}]*)?\})").unwrap();
    let text = docker("compose.yaml");
    let text: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    let asked = variable
        .captures_iter(&text)
        .filter_map(|found| Some(found.get(1)?.as_str().to_owned()));
    let filled = variable.replace_all(&text, |found: &regex::Captures<'_>| {
        found.get(1).map_or_else(
            || "$".to_owned(),
            |name| values.get(name.as_str()).cloned().unwrap_or_default(),
        )
    });
    (asked.collect(), filled.into_owned())
}

/// What is read of `docker/compose.yaml`.
#[derive(serde::Deserialize)]
struct Compose {
    services: BTreeMap<String, Service>,
}

#[derive(serde::Deserialize)]
struct Service {
    #[serde(default)]
    environment: BTreeMap<String, Option<String>>,
}

/// What a service of `docker/compose.yaml` has around it: the image's variables and its own, its folders lying below `place`.
fn environment_of(service: &str, compose: &str, place: &Path) -> Environment {
    let image = regex::Regex::new(r"(ARBORA_[A-Z_]+)=(\S+)").unwrap();
    let file = docker("Dockerfile");
    let mut environment: Environment = image
        .captures_iter(&file)
        .map(|found| (found[1].to_owned(), found[2].to_owned()))
        .collect();
    assert_eq!(
        environment.get("ARBORA_WORLD").map(String::as_str),
        Some("production")
    );
    let compose: Compose = serde_saphyr::from_str(compose).unwrap();
    for (name, value) in &compose.services[service].environment {
        // What is empty is refused by compose itself.
        if let Some(value) = value {
            environment.insert(name.clone(), value.clone());
        }
    }
    for (name, folder) in [
        ("ARBORA_DATA_DIR", "data"),
        ("ARBORA_SECRETS_DIR", "secrets"),
        ("ARBORA_WEB_DIR", "web"),
    ] {
        let folder = place.join(folder).to_str().unwrap().to_owned();
        assert!(environment.insert(name.to_owned(), folder).is_some(), "{name}");
    }
    environment
}

#[test]
fn the_example_names_every_variable_of_compose_and_no_other() {
    let (asked, _) = composed(&Environment::new());
    let named: BTreeSet<String> = example().into_keys().collect();
    assert_eq!(asked, named);
}

#[test]
fn what_docker_gives_server_and_signer_is_taken_once_it_is_filled_in() {
    let filled = accepted();
    let mut values = example();
    for (name, from) in [
        ("PUBLIC_URL", "PUBLIC_URL"),
        ("SMTP_URL", "SMTP_URL"),
        ("MAIL_FROM", "ARBORA_MAIL_FROM"),
        ("CHAIN_RPC_URL", "CHAIN_RPC_URL"),
        ("RATE_URL", "RATE_URL"),
        ("HOT_ADDRESS", "ARBORA_HOT_ADDRESS"),
        ("GAS_ADDRESS", "ARBORA_GAS_ADDRESS"),
        ("COLD_ADDRESS", "ARBORA_COLD_ADDRESS"),
        ("PIX_KEY", "ARBORA_PIX_KEY"),
        ("PIX_NAME", "ARBORA_PIX_NAME"),
        ("PIX_CITY", "ARBORA_PIX_CITY"),
        ("DATA_OFFICER_NAME", "ARBORA_DATA_OFFICER_NAME"),
        ("DATA_OFFICER_EMAIL", "ARBORA_DATA_OFFICER_EMAIL"),
    ] {
        values.insert(name.to_owned(), filled[from].clone()).unwrap();
    }
    for name in ["OWNER_PASSWORD", "APP_PASSWORD"] {
        values.insert(name.to_owned(), key(name));
    }
    let (_, compose) = composed(&values);
    let server = tempfile::tempdir().unwrap();
    let served = ["master", "jwt", "hmac", "audit", "push", "xpub"];
    write_secrets(&server.path().join("secrets"), &served);
    let signer = tempfile::tempdir().unwrap();
    let all = ["master", "jwt", "hmac", "xpub", "hot", "gas", "seed"];
    write_secrets(&signer.path().join("secrets"), &all);
    for (service, place, arguments) in [
        ("server-1", &server, &[][..]),
        ("server-2", &server, &[]),
        ("signer", &signer, &["--signer"]),
    ] {
        let environment = environment_of(service, &compose, place.path());
        taken(&check(place.path(), &environment, arguments));
    }

    // As the example stands it is taken for none.
    let (_, compose) = composed(&example());
    let output = check(
        server.path(),
        &environment_of("server-1", &compose, server.path()),
        &[],
    );
    for expected in [
        "PUBLIC_URL is arbora.example",
        "SMTP_URL leads to mail.example",
        "ARBORA_MAIL_FROM sends from arbora.example",
        "CHAIN_RPC_URL leads to first-provider.example",
        "RATE_URL is missing",
        "ARBORA_HOT_ADDRESS is missing",
        "ARBORA_PIX_KEY is missing",
        "ARBORA_DATA_OFFICER_NAME is missing",
        "ARBORA_DATA_OFFICER_EMAIL is privacy@arbora.example",
    ] {
        refused(&output, expected);
    }
}
