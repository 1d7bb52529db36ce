//! The ledger beside pgbench: the server's own bench, which stands beside the code that it measures, run as a process.

use crate::table::Row;
use anyhow::{Context, bail};
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Runs the bench; each of its rows with its multiple of TPC-B on the same cluster in the same minutes.
///
/// # Errors
/// When it cannot be started, fails, or prints no row.
pub fn rows(bench: &Path) -> anyhow::Result<Vec<Row>> {
    let output = Command::new(bench)
        .arg("--rows")
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| bench.display().to_string())?;
    if !output.status.success() {
        bail!("{} failed: {}", bench.display(), output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rates: Vec<(&str, u64)> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(what, rate)| Some((what, rate.parse().ok()?)))
        .collect();
    let Some(&(_, floor)) = rates.first() else {
        bail!("{} printed no row", bench.display());
    };
    Ok(rates
        .into_iter()
        .map(|(what, rate)| Row {
            work: "transfers, every invariant on".into(),
            who: what.into(),
            figure: format!("{rate}/s"),
            cpu: String::new(),
            p50: times(rate, floor),
            p99: String::new(),
        })
        .collect())
}

/// `2.6 × TPC-B`, with one decimal.
fn times(rate: u64, floor: u64) -> String {
    let tenths = rate.saturating_mul(10) / floor.max(1);
    format!("{}.{} × TPC-B", tenths / 10, tenths % 10)
}
