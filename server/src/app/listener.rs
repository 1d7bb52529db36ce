//! The server's address: taken before anything else, because a port that is in use should not cost a database start;
//! opened after everything else, because who can connect expects an answer.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::anyhow;
use tokio::net::TcpSocket;

/// After a cut all clients come back at once; they wait here, not in retries.
const BACKLOG: u32 = 4096;

/// How long a connection may rest between two requests. Longer than the proxy keeps one (docker/nginx.conf): who sends into a connection
/// that is being closed at that moment does not know whether the request was taken.
pub const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// How long requests under way may take when the server stops.
pub const LAST_ANSWERS: Duration = Duration::from_secs(25);

/// How many HTTP connections are open; sockets, which leave HTTP, are not among them.
#[derive(Clone, Default)]
pub struct Connections(Arc<AtomicUsize>);

/// One of them, for as long as it is kept.
pub struct OpenConnection(Arc<AtomicUsize>);

impl Connections {
    pub fn open(&self) -> OpenConnection {
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(&self.0))
    }

    /// Waits until none is open, for so long at most.
    pub async fn none_for(&self, patience: Duration) {
        let end = tokio::time::Instant::now() + patience;
        while self.0.load(Ordering::Relaxed) > 0 && tokio::time::Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An address that is ours, but not open yet.
pub struct Reserved {
    socket: TcpSocket,
    address: SocketAddr,
}

impl Reserved {
    pub fn take(wanted: SocketAddr) -> anyhow::Result<Self> {
        bind(wanted).map_err(|error| explain(wanted, error))
    }

    /// The address with the port that the system chose, where none was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn open(self) -> anyhow::Result<TcpListener> {
        let listening = self
            .socket
            .listen(BACKLOG)
            .and_then(tokio::net::TcpListener::into_std);
        listening.map_err(|error| explain(self.address, error))
    }
}

fn bind(wanted: SocketAddr) -> std::io::Result<Reserved> {
    let socket = if wanted.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // A restart must not wait for the old connections' time to pass.
    socket.set_reuseaddr(true)?;
    socket.bind(wanted)?;
    let address = socket.local_addr()?;
    Ok(Reserved { socket, address })
}

fn explain(address: SocketAddr, error: std::io::Error) -> anyhow::Error {
    let (ip, port) = (address.ip(), address.port());
    match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "port {port} on {ip} is in use: stop the program that has it, or choose another address with ARBORA_BIND"
        ),
        ErrorKind::PermissionDenied => {
            anyhow!("this user may not listen on port {port}: choose one above 1023 with ARBORA_BIND")
        }
        ErrorKind::AddrNotAvailable => {
            anyhow!("{ip} is not an address of this machine: choose another with ARBORA_BIND")
        }
        _ => anyhow!("cannot listen on {address}: {error}"),
    }
}
