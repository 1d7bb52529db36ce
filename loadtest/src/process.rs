//! Processes under measurement: started, watched through /proc, stopped with us.

use anyhow::{Context, bail};
use std::{
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A child that is killed when it goes out of scope.
pub struct Process {
    child: Child,
}

impl Drop for Process {
    fn drop(&mut self) {
        let pid = libc_pid(self.child.id());
        // Politely first: the server stops its own PostgreSQL.
        #[allow(unsafe_code)]
        // SAFETY: kill takes plain numbers; the child is ours and not yet waited for.
        unsafe {
            libc::kill(pid, libc::SIGTERM);
        }
        let end = Instant::now() + Duration::from_secs(15);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn libc_pid(pid: u32) -> i32 {
    i32::try_from(pid).unwrap_or(0)
}

impl Process {
    /// Starts a command quietly; its errors go to `log`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, log: &std::path::Path) -> anyhow::Result<Self> {
        let file = std::fs::File::create(log)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("{command:?}"))?;
        Ok(Self { child })
    }

    /// Waits until something listens at the address.
    ///
    /// # Errors
    /// When the process ends first or a minute passes.
    pub async fn listening(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended at once: {status}");
            }
            if tokio::net::TcpStream::connect(address).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("nothing listens at {address}")
    }

    /// Process ids of the child and its direct children (nginx workers).
    fn pids(&self) -> Vec<u32> {
        let own = self.child.id();
        let path = format!("/proc/{own}/task/{own}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        std::iter::once(own)
            .chain(children.split_whitespace().filter_map(|p| p.parse().ok()))
            .collect()
    }

    /// Resident memory in KiB: of the child, and of its children when `whole`.
    pub fn rss_kib(&self, whole: bool) -> u64 {
        let pids = if whole { self.pids() } else { vec![self.child.id()] };
        pids.iter()
            .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok())
            .filter_map(|s| {
                s.lines()
                    .find(|l| l.starts_with("VmRSS:"))?
                    .split_whitespace()
                    .nth(1)?
                    .parse::<u64>()
                    .ok()
            })
            .sum()
    }

    /// Processor time used so far, in microseconds: of the child, and of its children when `whole`.
    pub fn cpu_micros(&self, whole: bool) -> u64 {
        let pids = if whole { self.pids() } else { vec![self.child.id()] };
        pids.iter()
            .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok())
            .filter_map(|s| {
                let fields: Vec<&str> = s.rsplit_once(')')?.1.split_whitespace().collect();
                Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
            })
            .sum::<u64>()
            * 10_000
    }
}

/// Raises the soft limit of open files to the hard one; returns it.
pub fn raise_file_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    #[allow(unsafe_code)]
    // SAFETY: both calls only read and write the struct they are given.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
    limit.rlim_cur
}

/// A free port on loopback.
///
/// # Errors
/// When there is none.
pub fn free_port() -> anyhow::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?
        .local_addr()?
        .port())
}
