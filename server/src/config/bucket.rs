//! The bucket that files rest in, where it is not the data folder.

use url::{Host, Url};

use super::{
    Problems, Secret, World,
    places::{Place, is_sealed, refuse_example, unclear},
    secrets::{BUCKET_KEY, BUCKET_SECRET},
};

/// Where Amazon has buckets of which nothing else is said.
const REGION: &str = "us-east-1";

/// A bucket of an S3-compatible store, and who asks there.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// None: Amazon's own, by the region.
    pub endpoint: Option<Url>,
    pub name: String,
    pub region: String,
    /// The bucket stands in the path; else it is part of the host's name.
    pub path_style: bool,
    pub key_id: Secret,
    pub secret: Secret,
}

/// Where the bucket's name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    Path,
    Host,
}

impl Bucket {
    /// All that a bucket needs is given together, or nothing of it.
    pub(super) fn check(
        settings: &BucketSettings,
        world: World,
        [key_id, secret]: [Option<Secret>; 2],
        problems: &mut Problems,
    ) -> Option<Self> {
        let given = |text: &Option<String>| {
            let text = text.as_deref().map(str::trim);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (name, region) = (given(&settings.files_bucket), given(&settings.files_region));
        let address = given(&settings.files_endpoint);
        let (Some(name), Some(key_id), Some(secret)) = (&name, &key_id, &secret) else {
            let something = name.is_some()
                || key_id.is_some()
                || secret.is_some()
                || region.is_some()
                || address.is_some()
                || settings.files_style.is_some();
            if something {
                problems.add(format!(
                    "ARBORA_FILES_BUCKET, {BUCKET_KEY} and {BUCKET_SECRET} are given together or not at all, and the other settings of the bucket with them alone"
                ));
            }
            return None;
        };
        if !is_name(name) {
            problems.add(
                "ARBORA_FILES_BUCKET is not a bucket's name (3 to 63 small letters, digits and hyphens)",
            );
        }
        let region = region.unwrap_or_else(|| REGION.to_owned());
        if !is_name(&region) {
            problems.add("ARBORA_FILES_REGION is not a region's name (us-east-1)");
        }
        let endpoint = address.and_then(|address| endpoint(&address, world, problems));
        // A store of one's own is commonly found by one name alone, and has no certificate for one of each bucket.
        let path_style = settings
            .files_style
            .map_or(endpoint.is_some(), |style| style == Style::Path);
        let by_number = endpoint
            .as_ref()
            .is_some_and(|url| !matches!(url.host(), Some(Host::Domain(_))));
        if by_number && !path_style {
            problems.add("ARBORA_FILES_STYLE is host, but ARBORA_FILES_ENDPOINT is a number that no name can stand before: use path");
        }
        Some(Self {
            endpoint,
            name: name.clone(),
            region,
            path_style,
            key_id: key_id.clone(),
            secret: secret.clone(),
        })
    }
}

/// As stores have them; points are left out, for a certificate covers no second one.
fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (3..=63).contains(&text.len())
        && text.bytes().all(|b| plain(b) || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn endpoint(address: &str, world: World, problems: &mut Problems) -> Option<Url> {
    let url = Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
    let Some(url) = url else {
        problems.add("ARBORA_FILES_ENDPOINT is not an address (https://storage.your-domain)");
        return None;
    };
    if !is_sealed(&url, "https") {
        problems.add("ARBORA_FILES_ENDPOINT is without TLS: use https:// (a store on this machine is named 127.0.0.1 or [::1])");
    }
    if url.path() != "/" || url.query().is_some() || !url.username().is_empty() || url.password().is_some() {
        problems.add("ARBORA_FILES_ENDPOINT says more than where the store is: leave path, query, user and password out");
    }
    if world.is_production() {
        if let Some(place) = Place::of(&url).filter(|place| !place.is_clear()) {
            problems.add(unclear("ARBORA_FILES_ENDPOINT", &place));
        }
        refuse_example(
            "ARBORA_FILES_ENDPOINT",
            Some(&Secret::new(url.as_str())),
            problems,
        );
    }
    Some(url)
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Files in a bucket")]
pub struct BucketSettings {
    /// Bucket of an S3-compatible store that files rest in, with ARBORA_FILES_KEY_ID and ARBORA_FILES_SECRET; without it they rest in the data folder
    #[arg(
        long,
        env = "ARBORA_FILES_BUCKET",
        hide_env_values = true,
        global = true,
        value_name = "NAME"
    )]
    pub files_bucket: Option<String>,
    /// Address of the store; without it Amazon's own
    #[arg(
        long,
        env = "ARBORA_FILES_ENDPOINT",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub files_endpoint: Option<String>,
    /// Region of the bucket; us-east-1 by default
    #[arg(
        long,
        env = "ARBORA_FILES_REGION",
        hide_env_values = true,
        global = true,
        value_name = "NAME"
    )]
    pub files_region: Option<String>,
    /// Where the bucket's name stands: in the path, as stores of one's own have it, or before the host's name, as Amazon has it
    #[arg(
        long,
        env = "ARBORA_FILES_STYLE",
        hide_env_values = true,
        global = true,
        value_enum
    )]
    pub files_style: Option<Style>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(bucket: Option<&str>, endpoint: Option<&str>) -> BucketSettings {
        BucketSettings {
            files_bucket: bucket.map(str::to_owned),
            files_endpoint: endpoint.map(str::to_owned),
            files_region: None,
            files_style: None,
        }
    }

    fn checked(settings: &BucketSettings, keys: [Option<&str>; 2]) -> (Option<Bucket>, String) {
        let mut problems = Problems::default();
        let keys = keys.map(|key| key.map(Secret::new));
        let bucket = Bucket::check(settings, World::Production, keys, &mut problems);
        let said = problems
            .none_in(World::Production)
            .map_or_else(|e| e.to_string(), |()| String::new());
        (bucket, said)
    }

    const BOTH: [Option<&str>; 2] = [Some("AKIDKEY"), Some("hunter2")];

    #[test]
    fn nothing_is_a_folder_and_half_of_it_is_refused() {
        let (none, said) = checked(&settings(None, None), [None, None]);
        assert!(none.is_none() && said.is_empty(), "{said}");
        for (bucket, endpoint, keys) in [
            (Some("arbora-files"), None, [None, None]),
            (Some("arbora-files"), None, [Some("AKIDKEY"), None]),
            (Some("arbora-files"), None, [None, Some("hunter2")]),
            (None, None, BOTH),
            (None, Some("https://s3.casa-arbora.com.br"), [None, None]),
        ] {
            let (taken, said) = checked(&settings(bucket, endpoint), keys);
            assert!(
                taken.is_none() && said.contains("are given together or not at all"),
                "{said}"
            );
            assert!(!said.contains("hunter2"));
        }
    }

    #[test]
    fn a_store_of_ones_own_has_the_bucket_in_the_path_and_amazon_in_the_host() {
        let (own, said) = checked(
            &settings(Some("arbora-files"), Some("https://s3.casa-arbora.com.br")),
            BOTH,
        );
        assert!(said.is_empty() && own.is_some_and(|own| own.path_style), "{said}");
        let (amazon, said) = checked(&settings(Some("arbora-files"), None), BOTH);
        let amazon = amazon.unwrap();
        assert!(
            said.is_empty() && !amazon.path_style && amazon.region == "us-east-1",
            "{said}"
        );
        assert!(!format!("{amazon:?}").contains("hunter2"));
    }

    #[test]
    fn what_is_no_store_of_files_is_refused() {
        for (bucket, endpoint, problem) in [
            ("Arbora", "https://s3.casa-arbora.com.br", "not a bucket's name"),
            ("a", "https://s3.casa-arbora.com.br", "not a bucket's name"),
            ("arbora-files", "s3.casa-arbora.com.br", "not an address"),
            ("arbora-files", "ftp://s3.casa-arbora.com.br", "not an address"),
            ("arbora-files", "http://s3.casa-arbora.com.br", "without TLS"),
            ("arbora-files", "http://localhost:9000", "without TLS"),
            ("arbora-files", "https://s3.example", "the address of an example"),
            (
                "arbora-files",
                "https://s3.casa-arbora.com.br/other",
                "more than where the store is",
            ),
            (
                "arbora-files",
                "https://u:hunter2@s3.casa-arbora.com.br",
                "more than where the store is",
            ),
        ] {
            let (_, said) = checked(&settings(Some(bucket), Some(endpoint)), BOTH);
            assert!(said.contains(problem), "{endpoint}: {said}");
        }
        let here = settings(Some("arbora-files"), Some("http://127.0.0.1:9000"));
        assert_eq!(checked(&here, BOTH).1, "");
        let by_number = BucketSettings {
            files_style: Some(Style::Host),
            ..here
        };
        assert!(checked(&by_number, BOTH).1.contains("ARBORA_FILES_STYLE"));
    }
}
