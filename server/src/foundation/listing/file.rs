//! A list as a page or, with `format=csv`, as a file of all its rows.

use super::store::{self, Cursor};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Page, Paging},
        locale::Locale,
        sheet::{Cell, Sheet},
        spool::{self, PATIENCE, Spool},
        turns,
    },
};
use actix_web::HttpResponse;
use protocol::{ErrorCode, ids::UserId};
use serde::Serialize;
use std::sync::Arc;
use time::OffsetDateTime;
use tokio::{sync::mpsc, time::timeout};

/// Columns of a file: the key of the heading, and what a row has there.
pub type Columns<Row> = &'static [(&'static str, fn(&Row, Locale) -> Cell)];

/// Rows of a piece.
const PIECE: i64 = 500;

/// A list's file: its name and its columns.
pub struct File<Row: 'static> {
    pub name: &'static str,
    pub columns: Columns<Row>,
}

/// The answer of a list: a page, or the file where that was asked for. `read` reads what its paging says.
///
/// # Errors
/// What `read` refuses, `request.invalid` for paging out of bounds, and what [`File::respond`] refuses.
pub async fn answer<Row, Read>(
    context: &Context,
    who: UserId,
    params: &ListParams,
    default_limit: i64,
    file: File<Row>,
    read: Read,
) -> Result<HttpResponse, Error>
where
    Row: Serialize + 'static,
    Read: AsyncFn(Paging) -> Result<(Vec<Row>, i64), Error> + 'static,
{
    let paging = params.paging(default_limit)?;
    if params.file()? {
        return file.respond(context, who, &paging, read).await;
    }
    let (rows, total) = read(paging.clone()).await?;
    Ok(HttpResponse::Ok().json(Page::new(rows, &paging, total)))
}

/// The same of a list that grows while it is read: `came` tells when a row did.
///
/// # Errors
/// As [`answer`].
pub async fn answer_growing<Row, Read>(
    context: &Context,
    who: UserId,
    params: &ListParams,
    default_limit: i64,
    file: File<Row>,
    came: fn(&Row) -> OffsetDateTime,
    read: Read,
) -> Result<HttpResponse, Error>
where
    Row: Serialize + 'static,
    Read: AsyncFn(Paging) -> Result<(Vec<Row>, i64), Error> + 'static,
{
    let paging = params.paging(default_limit)?;
    if params.file()? {
        return file.respond(context, who, &paging, read).await;
    }
    let (rows, total) = read(paging.clone()).await?;
    let newest = params.newest(&rows, came);
    Ok(HttpResponse::Ok().json(Page::new(rows, &paging, total).growing(&paging, newest)))
}

impl<Row: 'static> File<Row> {
    /// Every row that `read` finds, in the order of `paging`, as a download. How many there are stands in `X-Total-Rows`.
    ///
    /// # Errors
    /// `export.busy` while another file of this person is written or read; what `read` refuses.
    pub async fn respond<Read>(
        self,
        context: &Context,
        who: UserId,
        paging: &Paging,
        read: Read,
    ) -> Result<HttpResponse, Error>
    where
        Read: AsyncFn(Paging) -> Result<(Vec<Row>, i64), Error> + 'static,
    {
        // Here until it has been read; in the database, for all nodes, until it has been written.
        let turn = turns::list(who).await?;
        let cursor = store::open(context.db.files(), who.0)
            .await?
            .ok_or_else(|| Error::code(ErrorCode::ExportBusy).retry_after(5))?;
        let cursor = Arc::new(cursor);
        let paging = paging.of(PIECE, &cursor);
        let locale = Locale::current();
        let headings: Vec<&str> = self.columns.iter().map(|(heading, _)| *heading).collect();
        let mut sheet = Sheet::new(context.world, locale, &headings);
        // The first piece comes before the answer begins: what is refused is refused as everywhere, and no file is under way after it.
        let (rows, total) = match read(paging.clone()).await {
            Ok(first) => first,
            Err(error) => {
                close(&cursor).await;
                return Err(error);
            }
        };
        let written = write(&mut sheet, self.columns, &rows, locale)?;
        let (pieces, received) = mpsc::channel(spool::WAITING);
        let (columns, mut spool) = (self.columns, Spool::new(&context.files));
        actix_web::rt::spawn(async move {
            let gone = || pieces.is_closed();
            let all = pour(
                &mut spool, gone, sheet, columns, locale, written, total, paging, read,
            );
            let all = timeout(PATIENCE, all).await;
            // Whoever reads slowly keeps no connection and no snapshot.
            close(&cursor).await;
            let end = match all {
                Ok(Ok(())) => timeout(PATIENCE, spool.give(&pieces)).await,
                Ok(Err(error)) => Ok(Err(error)),
                Err(late) => Err(late),
            };
            // Before its end is told: who has read it may ask for the next one at once.
            drop(turn);
            let end = end.unwrap_or_else(|_| Err(spool::too_slow()));
            spool::end_with(&pieces, end.map(|()| None)).await;
        });
        let day = business_day::of(context.now());
        Ok(HttpResponse::Ok()
            .content_type("text/csv; charset=utf-8")
            .insert_header((
                "Content-Disposition",
                format!("attachment; filename=\"arbora-{}-{day}.csv\"", self.name),
            ))
            .insert_header(("X-Total-Rows", total.to_string()))
            .insert_header((
                "Access-Control-Expose-Headers",
                "X-Total-Rows, Content-Disposition",
            ))
            .streaming(Box::pin(spool::body(received))))
    }
}

async fn close(cursor: &Cursor) {
    if let Err(error) = cursor.close().await {
        tracing::warn!(error = ?error, "a file's snapshot could not be closed");
    }
}

fn write<Row>(sheet: &mut Sheet, columns: Columns<Row>, rows: &[Row], locale: Locale) -> Result<i64, Error> {
    for row in rows {
        sheet.row(columns.iter().map(|(_, cell)| cell(row, locale)));
    }
    i64::try_from(rows.len()).map_err(|_| Error::internal("more rows than can be counted"))
}

/// Writes what stands in the sheet, then piece after piece until there are no more rows or whoever asked has gone.
#[expect(clippy::too_many_arguments, reason = "the state of one loop")]
async fn pour<Row, Read>(
    spool: &mut Spool,
    gone: impl Fn() -> bool,
    mut sheet: Sheet,
    columns: Columns<Row>,
    locale: Locale,
    mut written: i64,
    total: i64,
    paging: Paging,
    read: Read,
) -> Result<(), Error>
where
    Read: AsyncFn(Paging) -> Result<(Vec<Row>, i64), Error>,
{
    let mut last = written;
    loop {
        spool.write(&sheet.finish()).await?;
        if last < PIECE {
            break;
        }
        if gone() {
            return Ok(());
        }
        let (rows, _) = read(paging.clone()).await?;
        sheet = Sheet::continued(locale);
        last = write(&mut sheet, columns, &rows, locale)?;
        written += last;
    }
    if written == total {
        Ok(())
    } else {
        Err(Error::internal(format!(
            "a file of {written} rows where {total} were counted"
        )))
    }
}
