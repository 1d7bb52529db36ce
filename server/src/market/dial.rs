//! Opens a socket to a configured address: TLS to public addresses only; a demo may also reach this machine, and without TLS.

use crate::foundation::outbound;
use rustls::pki_types::ServerName;
use std::{error::Error, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
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

/// Why there is no socket, without more of the address than its host.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoSocket(String);

/// Connects within a time. `loopback` lets a demo world reach this machine.
///
/// # Errors
/// When the address may not be reached or does not answer as a WebSocket does.
pub async fn open(address: &Url, loopback: bool, within: Duration) -> Result<Socket, NoSocket> {
    let reason = match tokio::time::timeout(within, connect(address, loopback)).await {
        Ok(Ok(socket)) => return Ok(socket),
        Ok(Err(error)) => outbound::reason(&*error),
        Err(_) => "no answer in time".into(),
    };
    Err(NoSocket(format!(
        "could not connect to {}: {reason}",
        outbound::origin(address)
    )))
}

async fn connect(address: &Url, loopback: bool) -> Result<Socket, Box<dyn Error + Send + Sync>> {
    let encrypted = address.scheme() == "wss";
    let host = address.host_str().ok_or("the address has no host")?;
    let port = address.port().unwrap_or(if encrypted { 443 } else { 80 });
    let found = outbound::addresses(host, port, loopback).await?;
    if !encrypted && !found.iter().all(|a| a.ip().is_loopback()) {
        return Err("only wss leaves this machine".into());
    }
    let tcp = TcpStream::connect(found.as_slice()).await?;
    // Prices are small and urgent.
    tcp.set_nodelay(true)?;
    let wire: Box<dyn Wire> = if encrypted {
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        Box::new(outbound::tls()?.connect(name, tcp).await?)
    } else {
        Box::new(tcp)
    };
    let request = address.as_str().into_client_request()?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let (socket, _) = client_async_with_config(request, wire, Some(config)).await?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::outbound::stranger;

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
            assert_eq!(
                refused.to_string(),
                format!("could not connect to {address}: no public address")
            );
        }
        let private = open(&"ws://10.0.0.1".parse().unwrap(), true, within)
            .await
            .err()
            .unwrap();
        assert_eq!(
            private.to_string(),
            "could not connect to ws://10.0.0.1: no public address"
        );
    }

    #[tokio::test]
    async fn a_certificate_of_nobody_known_is_refused_and_named() {
        let stranger = stranger::listen().await;
        let address = format!("wss://{stranger}/ws/key-in-the-path").parse().unwrap();
        let refused = open(&address, true, Duration::from_secs(20)).await.err().unwrap();
        assert_eq!(
            refused.to_string(),
            format!(
                "could not connect to wss://{stranger}: certificate refused: it was issued by nobody whom this program trusts"
            )
        );
    }
}
