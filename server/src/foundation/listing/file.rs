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
    },
};
use actix_web::{HttpResponse, web::Bytes};
use futures_util::stream;
use protocol::{ErrorCode, ids::UserId};
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;

/// Columns of a file: the key of the heading, and what a row has there.
pub type Columns<Row> = &'static [(&'static str, fn(&Row, Locale) -> Cell)];

/// Rows of a piece.
const PIECE: i64 = 500;
/// Pieces that wait for a slow reader.
const WAITING: usize = 2;
const PATIENCE: Duration = Duration::from_secs(300);

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

impl<Row: 'static> File<Row> {
    /// Every row that `read` finds, in the order of `paging`, as a download. How many there are stands in `X-Total-Rows`.
    ///
    /// # Errors
    /// `export.busy` while another file of this person is written; what `read` refuses.
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
        let (pieces, received) = mpsc::channel(WAITING);
        let columns = self.columns;
        actix_web::rt::spawn(async move {
            let rest = pour(&pieces, sheet, columns, locale, written, total, paging, read);
            let end = match tokio::time::timeout(PATIENCE, rest).await {
                Ok(Ok(())) => Ok(None),
                Ok(Err(error)) => Err(error),
                Err(_) => Err(Error::internal("a file took longer than its time")),
            };
            // Before its end is told: who has read it may ask for the next one at once.
            close(&cursor).await;
            // Nobody there: whoever asked has gone.
            let _ = pieces.send(end).await;
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
            .streaming(stream::unfold(Some(received), async |received| {
                let mut received = received?;
                match received.recv().await {
                    Some(Ok(Some(bytes))) => Some((Ok(bytes), Some(received))),
                    Some(Ok(None)) => None,
                    Some(Err(error)) => {
                        tracing::error!(error = ?error, "a file was cut short");
                        Some((Err(error), None))
                    }
                    None => Some((Err(Error::internal("a file was cut short")), None)),
                }
            })))
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

/// Sends what stands in the sheet, then piece after piece until there are no more rows.
#[expect(clippy::too_many_arguments, reason = "the state of one loop")]
async fn pour<Row, Read>(
    pieces: &mpsc::Sender<Result<Option<Bytes>, Error>>,
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
        let bytes = Bytes::from(sheet.finish());
        if pieces.send(Ok(Some(bytes))).await.is_err() {
            return Ok(());
        }
        if last < PIECE {
            break;
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
