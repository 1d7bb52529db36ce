//! The way down the binary tree from a member to somebody below, of no more names than fit on a screen however deep it is.

use super::store;
use crate::error::Error;
use sqlx::PgConnection;

/// Usernames at both ends of a way; what lies between them is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// From the upper end on.
    pub path: Vec<String>,
    pub between: i64,
    /// Down to the lower end; empty where `path` reaches that far.
    pub last: Vec<String>,
}

/// The way to a member at `depth` from its ancestor at `top`, with so many names at each end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn down(
    conn: &mut PgConnection,
    to: i32,
    (top, depth): (i64, i64),
    names: i64,
) -> Result<Way, Error> {
    let steps = depth - top;
    let between = (steps + 1 - 2 * names).max(0);
    if between == 0 {
        return Ok(Way {
            path: store::down(conn, to, steps).await?,
            ..Way::default()
        });
    }
    let end = store::ancestor(conn, to, top + names - 1).await?;
    Ok(Way {
        path: store::down(conn, end, names - 1).await?,
        between,
        last: store::down(conn, to, names - 1).await?,
    })
}
