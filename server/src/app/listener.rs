//! The server's address: taken before anything else, because a port that is in use should not cost a database start;
//! opened after everything else, because who can connect expects an answer.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
};

use anyhow::anyhow;
use tokio::net::TcpSocket;

/// After a cut all clients come back at once; they wait here, not in retries.
const BACKLOG: u32 = 4096;

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
