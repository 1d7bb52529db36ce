//! What the console says and does about the shelves of the files (docs/operations.md#whose-the-files-are).

// Commands answer on the standard output.
#![allow(clippy::print_stdout)]

use anyhow::anyhow;
use protocol::ErrorCode;

use super::commands::with_context;
use crate::{
    config::{Config, FilesCommand},
    foundation::{
        context::Context,
        files::whose::{self, Whose},
    },
};

/// Does what was asked.
pub async fn run(config: &Config, command: FilesCommand) -> anyhow::Result<()> {
    with_context(config, async |context| match command {
        FilesCommand::Look => look(&context).await,
        FilesCommand::Claim => claim(&context).await,
        FilesCommand::Release => release(&context).await,
    })
    .await
}

async fn look(context: &Context) -> anyhow::Result<()> {
    let found = whose::standing(context).await?;
    println!(
        "{}",
        match found.whose {
            Whose::Ours => "the shelves are this database's",
            Whose::Unmarked =>
                "nobody has marked the shelves yet: the next comparison does, where this database knows of what lies there",
            Whose::Others =>
                "the shelves are another database's, or this one is a copy: nothing is removed there (`server files claim`)",
        }
    );
    println!(
        "{} files have no row, {} of them for more than a day; {} of these were released",
        found.nobodys, found.old, found.released
    );
    Ok(())
}

async fn claim(context: &Context) -> anyhow::Result<()> {
    whose::claim(context).await?;
    println!("the shelves are this database's; files without a row have a day from now on");
    Ok(())
}

async fn release(context: &Context) -> anyhow::Result<()> {
    let released = whose::release(context)
        .await
        .map_err(|error| match error.error_code() {
            ErrorCode::RequestConflict => {
                anyhow!("the shelves are not this database's: see `server files look`")
            }
            _ => error.into(),
        })?;
    println!("{released} files without a row are removed by the next comparison, which comes at once");
    Ok(())
}
