//! Keys and passwords of the installation.
//!
//! Each comes from an environment variable or from a file of the secrets folder (`ARBORA_SECRETS_DIR`, which a container
//! may mount). A demo draws what is missing, once per installation, into files that only its user can read; production
//! draws nothing and lists what is missing.

use std::{
    fs,
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use alloy::signers::local::PrivateKeySigner;
use coins_bip32::enc::{MainnetEncoder, XKeyEncoder};
use rand::Rng;
use zeroize::Zeroizing;

use super::{ConfigError, Environment, Files, Key, Problems, Secret, World};
use crate::foundation::context::Keys;

/// The account at Binance that live trading orders with; its keys have the form that Binance gives them.
const BINANCE_KEY: &str = "BINANCE_API_KEY";
const BINANCE_SECRET: &str = "BINANCE_API_SECRET";
/// What the program shows Google beside its client id.
pub(super) const GOOGLE_SECRET: &str = "GOOGLE_CLIENT_SECRET";
/// Who the store of the files knows this program as, where they lie in a bucket.
pub(super) const BUCKET_KEY: &str = "ARBORA_FILES_KEY_ID";
pub(super) const BUCKET_SECRET: &str = "ARBORA_FILES_SECRET";
const XPUB: &str = "ARBORA_DEPOSIT_XPUB";
pub(super) const AUDIT_KEY: &str = "ARBORA_AUDIT_KEY";
const PUSH_KEY: &str = "ARBORA_PUSH_KEY";
pub(super) const HOT_KEY: &str = "ARBORA_HOT_KEY";
pub(super) const GAS_KEY: &str = "ARBORA_GAS_KEY";
/// What signs for the house on the chain.
const CHAIN_KEYS: [&str; 3] = [HOT_KEY, GAS_KEY, "ARBORA_DEPOSIT_SEED"];

/// Variable and file of each secret. The variables exist only here: a secret has no flag.
pub(super) const NAMES: [(&str, &str); 16] = [
    ("ARBORA_MASTER_KEY", "master.key"),
    ("ARBORA_MASTER_KEY_PREVIOUS", "master_previous.key"),
    ("ARBORA_JWT_KEY", "jwt.key"),
    ("ARBORA_JWT_KEY_PREVIOUS", "jwt_previous.key"),
    ("ARBORA_HMAC_KEY", "hmac.key"),
    (AUDIT_KEY, "audit.key"),
    (PUSH_KEY, "push.key"),
    ("ARBORA_DEPOSIT_XPUB", "deposit.xpub"),
    ("ARBORA_HOT_KEY", "hot.key"),
    ("ARBORA_GAS_KEY", "chain_gas.key"),
    ("ARBORA_DEPOSIT_SEED", "deposit.seed"),
    (BINANCE_KEY, "binance_api.key"),
    (BINANCE_SECRET, "binance_api.secret"),
    (GOOGLE_SECRET, "google_client.secret"),
    (BUCKET_KEY, "files_bucket.key"),
    (BUCKET_SECRET, "files_bucket.secret"),
];

/// What production may do without: a key before a rotation, and those of signers that may run elsewhere. Without the hot key
/// withdrawals are taken and wait; without the other two coins stay on their deposit addresses; without Binance's no operation
/// is live; without Google's nobody signs in by it; without a bucket's files lie in a folder. The signer signs no audit and
/// pushes nothing; a server must ([`Found::has_audit_key`], [`Found::has_push_key`]).
fn is_optional(variable: &str) -> bool {
    variable.ends_with("_PREVIOUS")
        || CHAIN_KEYS.contains(&variable)
        || matches!(
            variable,
            AUDIT_KEY | PUSH_KEY | BINANCE_KEY | BINANCE_SECRET | GOOGLE_SECRET | BUCKET_KEY | BUCKET_SECRET
        )
}

/// Keys and extended public keys that stand in documentation and test tools all over the world: the twenty accounts of the phrase
/// "test … junk" and "abandon … about", and those phrases' public branches. Whoever uses one of them has no
/// secret.
const PUBLISHED: [&str; 28] = [
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
    "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
    "4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    "dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
    "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
    "f214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897",
    "701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82",
    "a267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1",
    "47c99abed3324a2707c28affff1267e45918ec8c3f20b8aa892e8b065d2942dd",
    "c526ee95bf44d8fc405a158bb884d9d1238d99f0612e9f33d006bb0789009aaa",
    "8166f546bab6da521a8369cab06c5d2b9e46670292d85c875ee9ec20e84ffb61",
    "ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0",
    "689af8efa8c651a91ad287602527f3af2fe9f6501a7ac4b061667b5a93e037fd",
    "de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0",
    "df57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e",
    "1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727",
    "9a983cb3d832fbde5ab49d692b7a8bf5b5d232479c99333d0fc8e1d21f1b55b6",
    "xpub661MyMwAqRbcGCHqYL6cunEAC4sjobr4oEsADYNVSpvM1oCFfV98EVtMuHVmKomD5EWqhYwUPCkQdrti7hUGbmxaoTGLSkzhtBmR5tk9Jtu",
    "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP",
    "xpub6DyUKdwoLWmUJ4Tn9Bbsdtx7B5Ws18mEN19e5HT52ikE53FiUheSQXrZUNPovqfyKmw4579A1Mm3GXXKM39N64uooBfJ4tNAzFsEbodRTx4",
    "xpub661MyMwAqRbcFkPHucMnrGNzDwb6teAX1RbKQmqtEF8kK3Z7LZ59qafCjB9eCRLiTVG3uxBxgKvRgbubRhqSKXnGGb1aoaqLrpMBDrVxga8",
    "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
    "xpub6EF8jXqFeFEW5bwMU7RpQtHkzE4KJxcqJtvkCjJumzW8CPpacXkb92ek4WzLQXjL93HycJwTPUAcuNxCqFPKKU5m5Z2Vq4nCyh5CyPeBFFr",
];

/// The keys that the server works with.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// Seals what must be read again: TOTP secrets, user wallets.
    pub master: Key,
    /// The master key before a rotation.
    pub master_previous: Option<Key>,
    /// Signs access tokens.
    pub jwt: Key,
    /// Still accepted after a rotation.
    pub jwt_previous: Option<Key>,
    /// Hashes codes and links, so that a stolen database cannot be guessed through.
    pub hmac: Key,
    /// Signs the audit's heads: whoever serves has it.
    pub audit: Option<Key>,
    /// By what push services know this installation: whoever serves has it.
    pub push: Option<Key>,
    /// Public branch of the deposit seed.
    pub deposit_xpub: Option<Secret>,
    /// Pays withdrawals.
    pub hot: Option<Key>,
    /// Fills deposit addresses with gas, and the seed that empties them: where sweeping is done by this process.
    pub gas: Option<Key>,
    pub deposit_seed: Option<Key>,
    /// Key and secret of the account at Binance.
    pub binance: Option<(Secret, Secret)>,
    /// What Google knows this program by, beside its client id.
    pub google: Option<Secret>,
    /// The variables of those that were given; a demo draws the others.
    pub given: Vec<&'static str>,
    folder: PathBuf,
}

impl Secrets {
    pub(super) fn check(
        world: World,
        files: &Files,
        environment: &Environment,
        problems: &mut Problems,
    ) -> Found {
        let mut found = Found {
            values: Default::default(),
        };
        for ((variable, file), value) in NAMES.iter().zip(&mut found.values) {
            let path = files.secrets.join(file);
            match environment.get(variable).map(Ok).or_else(|| read(&path)) {
                None => {}
                Some(Ok(text)) => *value = Some(Secret::new(text.trim())),
                Some(Err(error)) => {
                    problems.add(format!("the secret {} cannot be read ({error})", path.display()))
                }
            }
        }
        found.check_shape(problems);
        found.check_pairs(problems);
        if world.is_production() {
            found.check_production(problems);
            check_closed(&files.secrets, problems);
        }
        found
    }

    /// The key of the audit's heads alone, where it is: for a command that needs no other secret.
    pub fn audit_key(files: &Files, environment: &Environment) -> Option<Key> {
        let given = environment.get(AUDIT_KEY);
        let text = given.or_else(|| {
            read(&files.secrets.join("audit.key"))?
                .ok()
                .map(|text| text.trim().to_owned())
        })?;
        Key::from_hex(&text)
    }

    /// The keys as rooms use them.
    pub fn keys(&self) -> Keys {
        Keys {
            jwt: self.jwt.expose().to_vec(),
            jwt_previous: self.jwt_previous.as_ref().map(|key| key.expose().to_vec()),
            codes: self.hmac.expose().to_vec(),
            sealing: *self.master.expose(),
            sealing_previous: self.master_previous.as_ref().map(|key| *key.expose()),
        }
    }

    /// A key of a demo's installation: read, or drawn and kept.
    pub fn drawn_key(&self, file: &str) -> Result<Key, ConfigError> {
        drawn_key(&self.folder, file)
    }

    /// A password of this installation that people type in a demo: read, or drawn and kept. `name` becomes the file's
    /// name.
    pub fn demo_password(&self, name: &str) -> Result<Secret, ConfigError> {
        let path = self.folder.join(format!("demo_{name}.password"));
        read_or_draw(&path, draw_password)
    }
}

/// What was found, in the order of [`NAMES`].
pub(super) struct Found {
    values: [Option<Secret>; NAMES.len()],
}

impl Found {
    fn check_shape(&self, problems: &mut Problems) {
        for ((variable, _), value) in NAMES.iter().zip(&self.values) {
            let Some(value) = value else { continue };
            if *variable == XPUB {
                if !value.expose().starts_with("xpub")
                    || MainnetEncoder::xpub_from_base58(value.expose()).is_err()
                {
                    problems.add(format!("{variable} is not an extended public key (xpub…)"));
                }
            } else if matches!(*variable, BINANCE_KEY | BINANCE_SECRET) {
                let plain = |text: &str| text.len() >= 16 && text.bytes().all(|b| b.is_ascii_graphic());
                if !plain(value.expose()) {
                    problems.add(format!("{variable} is not what Binance gives as a key"));
                }
            } else if *variable == GOOGLE_SECRET {
                let plain = |text: &str| text.len() >= 16 && text.bytes().all(|b| b.is_ascii_graphic());
                if !plain(value.expose()) {
                    problems.add(format!(
                        "{variable} is not what Google gives as a client's secret"
                    ));
                }
            } else if matches!(*variable, BUCKET_KEY | BUCKET_SECRET) {
                if value.expose().is_empty() || !value.expose().bytes().all(|b| b.is_ascii_graphic()) {
                    problems.add(format!("{variable} is not what a store of files gives as a key"));
                }
            } else if Key::from_hex(value.expose()).is_none_or(|key| key.is_trivial()) {
                problems.add(format!("{variable} is not a key of 64 random hexadecimal digits"));
            }
        }
    }

    /// One of the two is a key that cannot sign, or a secret that nobody is told the owner of.
    fn check_pairs(&self, problems: &mut Problems) {
        if self.given(BINANCE_KEY) != self.given(BINANCE_SECRET) {
            problems.add(format!(
                "{BINANCE_KEY} and {BINANCE_SECRET} are given together or not at all"
            ));
        }
    }

    fn given(&self, variable: &str) -> bool {
        NAMES
            .iter()
            .zip(&self.values)
            .any(|((name, _), value)| *name == variable && value.is_some())
    }

    /// The client's secret at Google.
    pub(super) fn google(&self) -> Option<Secret> {
        let place = NAMES.iter().position(|(name, _)| *name == GOOGLE_SECRET)?;
        self.values.get(place)?.clone()
    }

    /// The key at the store of the files, and its secret.
    pub(super) fn bucket(&self) -> [Option<Secret>; 2] {
        [BUCKET_KEY, BUCKET_SECRET].map(|variable| {
            let place = NAMES.iter().position(|(name, _)| *name == variable)?;
            self.values.get(place)?.clone()
        })
    }

    /// One of the keys.
    pub(super) fn key(&self, variable: &str) -> Option<Key> {
        let place = NAMES.iter().position(|(name, _)| *name == variable)?;
        Key::from_hex(self.values.get(place)?.as_ref()?.expose())
    }

    /// The names of those that are there.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let there = NAMES
            .iter()
            .zip(&self.values)
            .filter(|(_, value)| value.is_some());
        there.map(|((name, _), _)| *name).collect()
    }

    /// What a process must not have whose keys lie in another one, and what it then needs.
    pub(super) fn signs_elsewhere(&self, problems: &mut Problems) {
        for variable in CHAIN_KEYS {
            if self.given(variable) {
                problems.add(format!(
                    "{variable} is here although ARBORA_SIGNING is elsewhere: it belongs to the signer alone"
                ));
            }
        }
        if !self.given(XPUB) {
            let missing = format!("{XPUB} is missing: its seed is elsewhere");
            problems.add(missing);
        }
    }

    pub(super) fn has_hot_key(&self, problems: &mut Problems) {
        if !self.given(HOT_KEY) {
            problems.add(format!(
                "{HOT_KEY} is missing: the signer has nothing to sign with"
            ));
        }
    }

    pub(super) fn has_audit_key(&self, problems: &mut Problems) {
        if !self.given(AUDIT_KEY) {
            problems.add(format!(
                "{AUDIT_KEY} is missing (or the file audit.key in ARBORA_SECRETS_DIR)"
            ));
        }
    }

    pub(super) fn has_push_key(&self, problems: &mut Problems) {
        if !self.given(PUSH_KEY) {
            problems.add(format!(
                "{PUSH_KEY} is missing (or the file push.key in ARBORA_SECRETS_DIR)"
            ));
        }
    }

    fn check_production(&self, problems: &mut Problems) {
        for ((variable, file), value) in NAMES.iter().zip(&self.values) {
            match value {
                None if !is_optional(variable) => {
                    problems.add(format!(
                        "{variable} is missing (or the file {file} in ARBORA_SECRETS_DIR)"
                    ));
                }
                Some(value) if PUBLISHED.contains(&spelled(value).as_str()) => {
                    problems.add(format!(
                        "{variable} is a published test key: draw one of your own"
                    ));
                }
                Some(value)
                    if Key::from_hex(value.expose())
                        .is_some_and(|key| key.is_patterned() && !key.is_trivial()) =>
                {
                    problems.add(format!(
                        "{variable} has a pattern: draw it (openssl rand -hex 32), do not type it"
                    ));
                }
                _ => {}
            }
        }
        for variable in [HOT_KEY, GAS_KEY] {
            if self
                .key(variable)
                .is_some_and(|key| PrivateKeySigner::from_slice(key.expose()).is_err())
            {
                problems.add(format!("{variable} is no key of the chain: draw another one"));
            }
        }
        if self
            .key(PUSH_KEY)
            .is_some_and(|key| p256::SecretKey::from_slice(key.expose()).is_err())
        {
            problems.add(format!("{PUSH_KEY} is no key of its curve: draw another one"));
        }
        let mut seen: Vec<(&str, Zeroizing<String>)> = Vec::new();
        for ((variable, _), value) in NAMES.iter().zip(&self.values) {
            let Some(value) = value else { continue };
            let value = spelled(value);
            if let Some((other, _)) = seen.iter().find(|(_, text)| *text == value) {
                problems.add(format!(
                    "{variable} and {other} are the same: every secret must be drawn on its own"
                ));
            }
            seen.push((variable, value));
        }
    }

    /// Keeps what was found and draws the rest; the keys of the audit and of pushing where `draws_own`. Only called when nothing is
    /// missing in production.
    pub(super) fn draw_missing(self, folder: &Path, draws_own: bool) -> Result<Secrets, ConfigError> {
        let given = self.names();
        let [
            master,
            master_previous,
            jwt,
            jwt_previous,
            hmac,
            audit,
            push,
            deposit_xpub,
            hot,
            gas,
            deposit_seed,
            binance_key,
            binance_secret,
            google,
            // The bucket's two are handed over before anything is drawn.
            _,
            _,
        ] = self.values;
        let parse = |secret: Option<Secret>| secret.and_then(|secret| Key::from_hex(secret.expose()));
        let or_draw = |secret: Option<Secret>, file: &str| match parse(secret) {
            Some(key) => Ok(key),
            None => drawn_key(folder, file),
        };
        Ok(Secrets {
            master: or_draw(master, "master.key")?,
            master_previous: parse(master_previous),
            jwt: or_draw(jwt, "jwt.key")?,
            jwt_previous: parse(jwt_previous),
            hmac: or_draw(hmac, "hmac.key")?,
            audit: match draws_own {
                true => Some(or_draw(audit, "audit.key")?),
                false => parse(audit),
            },
            push: match draws_own {
                true => Some(or_draw(push, "push.key")?),
                false => parse(push),
            },
            deposit_xpub,
            hot: parse(hot),
            gas: parse(gas),
            deposit_seed: parse(deposit_seed),
            binance: binance_key.zip(binance_secret),
            google,
            given,
            folder: folder.to_owned(),
        })
    }
}

/// Hexadecimal digits are the same in both sizes.
fn spelled(value: &Secret) -> Zeroizing<String> {
    let text = value.expose();
    Zeroizing::new(match Key::from_hex(text) {
        Some(_) => text.to_lowercase(),
        None => text.to_owned(),
    })
}

/// Keys whose owners are everybody.
pub(super) fn published_keys() -> impl Iterator<Item = Key> {
    PUBLISHED.iter().filter_map(|text| Key::from_hex(text))
}

/// Other users of the machine can neither read a secret nor put another one in its place. A folder that they may not enter closes what
/// is in it. A group may read: containers get their files by one.
fn check_closed(folder: &Path, problems: &mut Problems) {
    const ENTER: u32 = 0o001;
    const WRITE: u32 = 0o002;
    const READ: u32 = 0o004;
    let mode = |path: &Path| fs::metadata(path).map(|about| about.permissions().mode()).ok();
    let Some(of_folder) = mode(folder) else { return };
    let mut open = Vec::new();
    if of_folder & WRITE != 0 {
        open.push(folder.to_owned());
    }
    if of_folder & ENTER != 0 {
        let files = NAMES.iter().map(|(_, file)| folder.join(file));
        open.extend(files.filter(|file| mode(file).is_some_and(|mode| mode & (READ | WRITE) != 0)));
    }
    for path in open {
        problems.add(format!(
            "{} is open to every user of this machine: close ARBORA_SECRETS_DIR (chmod -R go= {})",
            path.display(),
            folder.display()
        ));
    }
}

fn read(path: &Path) -> Option<std::io::Result<String>> {
    match fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        other => Some(other),
    }
}

fn drawn_key(folder: &Path, file: &str) -> Result<Key, ConfigError> {
    let path = folder.join(file);
    let text = read_or_draw(&path, || {
        Secret::new(Key::from_bytes(rand::rng().random()).to_hex().as_str())
    })?;
    Key::from_hex(text.expose())
        .ok_or_else(|| ConfigError::one(format!("{} holds no key; remove the file", path.display())))
}

/// Two starting processes draw at most one value: the file appears whole under its name, or not at all.
fn read_or_draw(path: &Path, draw: impl FnOnce() -> Secret) -> Result<Secret, ConfigError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        ConfigError::one(format!(
            "the folder {} cannot be written ({error}): give this user the right to, or choose another folder with ARBORA_DATA_DIR",
            folder.display()
        ))
    };
    if let Some(text) = read(path) {
        return text.map(|text| Secret::new(text.trim())).map_err(failed);
    }
    if let Some(data) = folder.parent() {
        fs::create_dir_all(data).map_err(failed)?; // open to pass through: PostgreSQL may run as another user below it
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let mut file = tempfile::Builder::new()
        .prefix(".drawn-")
        .tempfile_in(folder)
        .map_err(failed)?;
    let secret = draw();
    file.write_all(format!("{}\n", secret.expose()).as_bytes())
        .map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(secret),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => read(path)
            .unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
            .map(|text| Secret::new(text.trim()))
            .map_err(failed),
        Err(error) => Err(failed(error.error)),
    }
}

/// Twenty characters without look-alikes: about 116 bits, and still typed from a screen.
fn draw_password() -> Secret {
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let mut rng = rand::rng();
    let text = (0..20)
        .filter_map(|_| LETTERS.get(rng.random_range(0..LETTERS.len())))
        .map(|letter| char::from(*letter));
    Secret::new(text.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn found(world: World, folder: &Path) -> (Found, Problems) {
        let mut problems = Problems::default();
        let files = Files {
            data: folder.to_owned(),
            secrets: folder.to_owned(),
            audit: folder.to_owned(),
            web: folder.to_owned(),
        };
        let found = Secrets::check(world, &files, &Environment::default(), &mut problems);
        (found, problems)
    }

    #[test]
    fn a_demo_draws_each_secret_once_and_closes_its_file() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("secrets");
        let first = found(World::Demo, &folder).0.draw_missing(&folder, true).unwrap();
        let again = found(World::Demo, &folder).0.draw_missing(&folder, true).unwrap();
        assert!(first.jwt == again.jwt && first.hmac == again.hmac && first.master == again.master);
        assert!(first.jwt != first.hmac && first.hmac != first.master);
        assert!(first.audit.is_some() && first.audit == again.audit);
        assert!(first.push.is_some() && first.push == again.push);
        let password = first.demo_password("trader").unwrap();
        assert_eq!(password.expose(), again.demo_password("trader").unwrap().expose());
        assert_eq!(password.expose().len(), 20);
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        for entry in fs::read_dir(&folder).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn production_draws_nothing_and_names_every_secret() {
        let place = tempfile::tempdir().unwrap();
        let (_, problems) = found(World::Production, place.path());
        let error = problems.none_in(World::Production).unwrap_err();
        for name in [
            "ARBORA_MASTER_KEY",
            "ARBORA_JWT_KEY",
            "ARBORA_HMAC_KEY",
            "ARBORA_DEPOSIT_XPUB",
        ] {
            assert!(
                error.to_string().contains(&format!("{name} is missing")),
                "{error}"
            );
        }
        assert!(!error.to_string().contains("PREVIOUS"));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn published_equal_and_trivial_keys_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let [published, ..] = PUBLISHED;
        fs::write(place.path().join("master.key"), published).unwrap();
        fs::write(place.path().join("jwt.key"), "ab".repeat(32)).unwrap();
        fs::write(place.path().join("hmac.key"), published).unwrap();
        fs::write(place.path().join("deposit.xpub"), PUBLISHED[13]).unwrap();
        let error = found(World::Production, place.path())
            .1
            .none_in(World::Production)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("ARBORA_MASTER_KEY is a published test key"),
            "{error}"
        );
        assert!(error.contains("ARBORA_JWT_KEY is not a key"), "{error}");
        assert!(
            error.contains("ARBORA_HMAC_KEY and ARBORA_MASTER_KEY are the same"),
            "{error}"
        );
        assert!(
            error.contains("ARBORA_DEPOSIT_XPUB is a published test key"),
            "{error}"
        );
        assert!(!error.contains(published), "an error never repeats a secret");
    }
}
