//! As whom the PostgreSQL programs run, and the two system calls that standard Rust has no word for.
//!
//! PostgreSQL refuses to run as root. As root we step down to `postgres` or `nobody`; where those cannot reach the
//! folders (everything under a closed home), the program runs in a user namespace in which root is an ordinary user.

// The only file of the workspace with unsafe code: `pre_exec` runs between fork and exec, and both calls go to libc.
// Every closure below uses only system calls that are safe there (no allocation that could wait for a lock held by a
// thread that no longer exists: the short constant strings are written with raw `open` and `write` inside std).
#![allow(unsafe_code)]

use std::{fs, os::unix::fs::MetadataExt, path::Path, process::Command};

use nix::unistd::{Uid, User, geteuid};

use super::EmbeddedError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessIdentity {
    /// An ordinary user: run as we are.
    Same,
    /// Root steps down to this user.
    StepDown { uid: u32, gid: u32 },
    /// Root runs the program in a user namespace; files stay root's.
    UserNamespace,
}

impl ProcessIdentity {
    /// An existing cluster decides by its owner, so that a later start with other accounts or folders still fits.
    pub fn choose(root: &Path, binaries: &Path) -> Result<Self, EmbeddedError> {
        let owner = fs::metadata(root.join("pg"))
            .ok()
            .map(|meta| (meta.uid(), meta.gid()));
        let me = geteuid();
        if !me.is_root() {
            return match owner {
                Some((uid, _)) if uid != me.as_raw() => Err(EmbeddedError::ForeignOwner {
                    path: root.join("pg"),
                    owner: uid,
                }),
                _ => Ok(Self::Same),
            };
        }
        match owner {
            Some((0, _)) => return Ok(Self::UserNamespace),
            Some((uid, gid)) => return Ok(Self::StepDown { uid, gid }),
            None => {}
        }
        for name in ["postgres", "nobody"] {
            let Ok(Some(user)) = User::from_name(name) else {
                continue;
            };
            let (uid, gid) = (user.uid.as_raw(), user.gid.as_raw());
            if reachable(root, uid, gid) && reachable(binaries, uid, gid) {
                return Ok(Self::StepDown { uid, gid });
            }
        }
        if cfg!(target_os = "linux") {
            Ok(Self::UserNamespace)
        } else {
            Err(EmbeddedError::NoIdentity(root.to_owned()))
        }
    }

    /// Who must own the cluster's folders; `None` leaves them ours.
    pub fn owner(self) -> Option<(u32, u32)> {
        match self {
            Self::StepDown { uid, gid } => Some((uid, gid)),
            Self::Same | Self::UserNamespace => None,
        }
    }

    /// The user id that the kernel will see on files which the program makes.
    pub fn file_uid(self) -> u32 {
        self.owner().map_or_else(|| geteuid().as_raw(), |(uid, _)| uid)
    }

    /// Arranges that `command` runs under this identity.
    pub fn apply(self, command: &mut Command) {
        match self {
            Self::Same => {}
            Self::StepDown { uid, gid } => {
                use std::os::unix::process::CommandExt;
                command.uid(uid).gid(gid); // std clears the supplementary groups as well
            }
            Self::UserNamespace => enter_user_namespace(command),
        }
    }
}

/// True when the user may pass every folder down to `path`. Groups beyond the primary one are not looked at: a wrong
/// "no" only leads to the user namespace.
fn reachable(path: &Path, uid: u32, gid: u32) -> bool {
    path.ancestors().all(|folder| {
        fs::metadata(folder).is_ok_and(|meta| {
            let passable = if meta.uid() == uid {
                0o100
            } else if meta.gid() == gid {
                0o010
            } else {
                0o001
            };
            !meta.is_dir() || meta.mode() & passable != 0
        })
    })
}

#[cfg(target_os = "linux")]
fn enter_user_namespace(command: &mut Command) {
    use std::{io, os::unix::process::CommandExt};
    let enter = || {
        // SAFETY: a plain system call with a constant; the child has one thread, as CLONE_NEWUSER demands.
        if unsafe { libc::unshare(libc::CLONE_NEWUSER) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // Inside, root is user 1000, which satisfies PostgreSQL; outside, the files stay root's.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", "1000 0 1")?;
        fs::write("/proc/self/gid_map", "1000 0 1")
    };
    // SAFETY: see the head of this file.
    unsafe { command.pre_exec(enter) };
}

#[cfg(not(target_os = "linux"))]
fn enter_user_namespace(_command: &mut Command) {}

/// Asks the kernel to send the program a SIGINT (PostgreSQL's fast shutdown) when the thread that starts it dies.
/// Per thread, not per process: only the keeper thread may start such a program. Call after [`ProcessIdentity::apply`],
/// because a change of user clears the request.
#[cfg(target_os = "linux")]
pub fn die_with_this_thread(command: &mut Command) {
    use std::{io, os::unix::process::CommandExt};
    let parent = nix::unistd::getpid();
    let request = move || {
        // SAFETY: a plain system call with constants that touches no memory of ours.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGINT) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // The parent may have died between fork and the request; then nobody would ever send the signal.
        if nix::unistd::getppid() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        Ok(())
    };
    // SAFETY: see the head of this file.
    unsafe { command.pre_exec(request) };
}

/// Other systems have no parent-death signal: an orphan is found and stopped by the next start.
#[cfg(not(target_os = "linux"))]
pub fn die_with_this_thread(_command: &mut Command) {}

/// Gives `path` to the identity that will write in it.
pub fn hand_over(path: &Path, identity: ProcessIdentity) -> std::io::Result<()> {
    match identity.owner() {
        Some((uid, gid)) if Uid::from_raw(uid) != geteuid() => {
            std::os::unix::fs::chown(path, Some(uid), Some(gid))
        }
        _ => Ok(()),
    }
}
