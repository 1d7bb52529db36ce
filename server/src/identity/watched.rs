//! Who decides about money is watched by the others who do: whoever has an administrator's session, password and current factor puts a factor
//! of their own beside it, or takes the owner's off, and stays. The owner is mailed, and so are all others who decide; each of them alone may
//! stop the decisions at once (docs/decisions/0114-ways-in-by-others-and-of-who-decides.md).

use super::{roles, store::Account};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        mail::{self, Mail, Recipient},
        transaction::Tx,
    },
};
use protocol::{LiveEvent, Permission, StreamId};

/// What changes no way in, and what two of them decided, of which all are told already.
const UNTOLD: [&str; 5] = [
    "profile",
    "push_removed",
    "staff_email",
    "staff_email_passkeys",
    "staff_factor",
];

/// Tells all others who decide that this person, if they decide too, changed how they sign in, or came in by a recovery code.
pub(super) async fn tell(context: &Context, tx: &mut Tx, account: &Account, what: &str) -> Result<(), Error> {
    if UNTOLD.contains(&what) || !roles::decides(tx, account.id).await? {
        return Ok(());
    }
    let decides = Permission::AdminPermissions.as_str();
    let mut others = roles::mailboxes(tx.conn(), decides, account.id).await?;
    others.retain(|other| other.user != account.id);
    for other in &others {
        tx.emit(
            StreamId::User(other.user),
            LiveEvent::AdministratorGuarded {
                person: account.id,
                username: account.username.clone(),
            },
        );
    }
    let letter = Mail::AdminRights {
        what: "guarded",
        person: account.username.clone(),
        by: None,
        roles: Vec::new(),
        reason: None,
    };
    let others: Vec<Recipient> = others.into_iter().map(Recipient::from).collect();
    mail::send_all(context, tx, &others, &letter).await?;
    Ok(())
}
