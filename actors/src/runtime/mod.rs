//! What every actor stands on: one address per id, its own count of permits, a rebuild after a panic.

pub mod mailbox;
pub mod registry;
pub mod supervisor;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a panic elsewhere must not spread to everyone who shares the lock, and what we guard is kept whole at every step.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
