//! What the lock file may bring: one library does the cryptography, ring. A dependency whose default chooses another one brings it unasked.

use std::{fs, path::Path};

/// How crates of other cryptography, and of the TLS that is made of it, begin.
const OTHERS: [&str; 4] = ["aws-lc", "openssl", "native-tls", "boring"];
/// Looks where a system keeps its certificates, and links nothing.
const PROBE: &str = "openssl-probe";

fn others(lock: &str) -> Vec<&str> {
    lock.lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .filter(|name| *name != PROBE && OTHERS.iter().any(|begins| name.starts_with(begins)))
        .collect()
}

#[test]
fn no_cryptography_comes_in_but_rings() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = fs::read_to_string(lock).unwrap();
    assert!(lock.contains("name = \"ring\""), "the lock file is read");
    assert_eq!(others(&lock), Vec::<&str>::new());
}

#[test]
fn other_cryptography_is_found_by_its_name() {
    let lock = "name = \"aws-lc-rs\"\nname = \"aws-lc-sys\"\nname = \"openssl-probe\"\nname = \"openssl-sys\"\n \"openssl\",\nname = \"ring\"\n";
    assert_eq!(others(lock), ["aws-lc-rs", "aws-lc-sys", "openssl-sys"]);
}
