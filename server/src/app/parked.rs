//! What the console says and does about jobs that are parked (docs/operations.md#parked-jobs).

// Commands answer on the standard output.
#![allow(clippy::print_stdout)]

use anyhow::anyhow;
use protocol::ErrorCode;

use super::commands::with_context;
use crate::{
    config::{Config, JobsCommand},
    foundation::{
        business_day,
        context::Context,
        job_queue::parked::{self, Parked},
    },
};

/// Does what was asked.
pub async fn run(config: &Config, command: JobsCommand) -> anyhow::Result<()> {
    with_context(config, async |context| match command {
        JobsCommand::List => list(&context).await,
        JobsCommand::Retry(asked) => retry(&context, asked.job).await,
    })
    .await
}

async fn list(context: &Context) -> anyhow::Result<()> {
    let (jobs, all) = parked::list(context).await?;
    for job in &jobs {
        println!("{}", line(job));
    }
    match usize::try_from(all) {
        Ok(0) => println!("no job is parked"),
        Ok(1) => println!("1 job is parked"),
        Ok(all) if all > jobs.len() => println!("{all} jobs are parked, of which these are the oldest"),
        _ => println!("{all} jobs are parked"),
    }
    Ok(())
}

/// A job in one line: what it failed of may have several.
fn line(job: &Parked) -> String {
    let Parked { id, kind, effect, .. } = job;
    let since = business_day::shown(job.created_at);
    let error = job.last_error.as_deref().unwrap_or("nothing was noted");
    let error: Vec<&str> = error
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    format!("{id}  {kind}  {effect}  of {since}: {}", error.join(" "))
}

async fn retry(context: &Context, job: i64) -> anyhow::Result<()> {
    parked::retry(context, job)
        .await
        .map_err(|error| match error.error_code() {
            ErrorCode::RequestNotFound => anyhow!("no job {job} is parked: see `server jobs list`"),
            _ => error.into(),
        })?;
    println!("job {job} goes round again");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_job_is_one_line_whatever_it_failed_of() {
        let mut job = Parked {
            id: 7,
            kind: "mail.send".into(),
            effect: "mail.send:x".into(),
            created_at: datetime!(2026-11-28 12:00 UTC),
            last_error: Some("the relay\n  said \u{1b}[31mno".into()),
        };
        assert_eq!(
            line(&job),
            "7  mail.send  mail.send:x  of 28/11/2026 09:00: the relay said [31mno"
        );
        job.last_error = None;
        assert!(line(&job).ends_with(": nothing was noted"));
    }
}
