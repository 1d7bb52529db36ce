//! Writes what the simulated market does as a recording: `cargo run -p server --example record -- SEED SECONDS > FILE`.
//! `server/recordings/sample.ndjson` was made with seed 13 and 19 seconds.

use server::market::simulated::Simulation;
use std::io::{BufWriter, Write};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().unwrap_or_else(|| "13".into()).parse()?;
    let seconds: i64 = arguments.next().unwrap_or_else(|| "19".into()).parse()?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    Simulation::new(seed).record(seconds * 1_000).write(&mut output)?;
    output.flush()?;
    Ok(())
}
