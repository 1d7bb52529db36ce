//! Who may decide, decided by two: roles that carry `admin_permissions`, and the freeze of an administrator's decisions.
//!
//! Such a role is asked for by one holder and given by another one's approval (kind `admin_grant`, always two); taken likewise.
//! Nobody asks for themself or decides about themself. Of the two approvers of anything neither may have the permission through
//! the other: each grant keeps everybody on whose word it rests, through any chain (`approvals.admin_grant.rests_on`, written by the
//! database). With two granters a permission *rests on* a person when without that person's approvals it would not have been
//! given: both granters are needed, so it rests on both and on all that both rest on; who holds several grants rests on those
//! alone that stand in each. The set is fixed when the grant is made: a chain stays known after somebody in its middle has gone,
//! and a circle cannot form. Grants from before two were needed also tell who could have made both approvers alone.
//!
//! A new approver's decisions count after a time (setting `newApproverHours`); those whom the console or a demo's seed made count at
//! once. Every request, its end and every freeze is told to all holders: fact on their own streams, notice, mail.
//!
//! A freeze is one holder's word: decisions of the frozen one and of who froze stand still at once, so that it costs whoever uses it
//! as much as whom it hits. It ends when two others agree, or at the console (`server admin unfreeze`); where no two others are left
//! (an installation of two administrators) only there. A frozen person freezes nobody, gives and takes no role and lifts nothing; a
//! first approval of theirs falls away when another's comes. Whose decisions do not count yet freezes nobody and ends no case (2026-11-23): standing
//! still costs them nothing, and an account that was taken a minute ago stopped an established administrator. Frozen are decisions, not safety's switches: whoever may turn live trading off or end
//! a pause still may.
//!
//! Likewise by two, and in the same queue: switching on or off who holds such a role, and giving another e-mail to, or taking a second
//! factor off, anybody ([`accounts`], 2026-11-24: one administrator alone could have locked another one out, or taken their account over;
//! 2026-11-27: by a mailbox of their own that of any customer, with its money). Who stands in somebody's direct line changes nothing of them.
//!
//! All of it but e-mail and factors is enforced by the database as well, for whatever the server does: those change by their owner's own
//! hand too. Tables: `approvals.grant_request`,
//! `approvals.admin_grant`, `approvals.freeze`.

mod accounts;
mod freezes;
pub mod routes;
pub mod service;
mod store;
mod tell;

pub use freezes::{unfreeze_at_the_console, waiting as freeze_waiting};
