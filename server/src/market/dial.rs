//! Opens a socket to a configured address: TLS to public addresses only; a demo may also reach this machine, and without TLS.

use crate::foundation::outbound;
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{client::IntoClientRequest, protocol::WebSocketConfig},
};
use url::Url;

/// Longer messages than any venue sends.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Plain or encrypted.
pub trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

pub type Socket = WebSocketStream<Box<dyn Wire>>;

/// Why there is no socket; for the log and nothing else.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoSocket(String);

fn no(error: impl std::fmt::Display) -> NoSocket {
    NoSocket(error.to_string())
}

/// Connects within a time. `loopback` lets a demo world reach this machine.
///
/// # Errors
/// When the address may not be reached or does not answer as a WebSocket does.
pub async fn open(address: &Url, loopback: bool, within: Duration) -> Result<Socket, NoSocket> {
    tokio::time::timeout(within, connect(address, loopback))
        .await
        .map_err(|_| NoSocket("no answer in time".into()))?
}

async fn connect(address: &Url, loopback: bool) -> Result<Socket, NoSocket> {
    let encrypted = address.scheme() == "wss";
    let host = address.host_str().ok_or_else(|| no("the address has no host"))?;
    let port = address.port().unwrap_or(if encrypted { 443 } else { 80 });
    let found = outbound::addresses(host, port, loopback).await.map_err(no)?;
    if !encrypted && !found.iter().all(|a| a.ip().is_loopback()) {
        return Err(no("only wss leaves this machine"));
    }
    let tcp = TcpStream::connect(found.as_slice()).await.map_err(no)?;
    // Prices are small and urgent.
    tcp.set_nodelay(true).map_err(no)?;
    let wire: Box<dyn Wire> = if encrypted {
        let name = ServerName::try_from(host.to_owned()).map_err(no)?;
        Box::new(TlsConnector::from(tls()?).connect(name, tcp).await.map_err(no)?)
    } else {
        Box::new(tcp)
    };
    let request = address.as_str().into_client_request().map_err(no)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let (socket, _) = client_async_with_config(request, wire, Some(config))
        .await
        .map_err(no)?;
    Ok(socket)
}

fn tls() -> Result<Arc<ClientConfig>, NoSocket> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(no)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_encrypted_and_public_unless_a_demo_asks_itself() {
        let within = Duration::from_secs(1);
        for address in [
            "ws://127.0.0.1:9",
            "wss://127.0.0.1:9",
            "wss://10.0.0.1",
            "wss://[::1]:9",
        ] {
            let refused = open(&address.parse().unwrap(), false, within)
                .await
                .err()
                .unwrap();
            assert_eq!(refused.to_string(), "no public address", "{address}");
        }
        let private = open(&"ws://10.0.0.1".parse().unwrap(), true, within)
            .await
            .err()
            .unwrap();
        assert_eq!(private.to_string(), "no public address");
        tls().unwrap();
    }
}
