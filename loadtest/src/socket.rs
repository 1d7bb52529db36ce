//! A lean WebSocket client: what it costs must not hide what the server costs. Counts text frames that carry the mark.

use anyhow::{Context, bail};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Frames that carry this text are counted.
pub const MARK: &[u8] = b"load-test";

/// What all sockets of a run have received.
#[derive(Default)]
pub struct Tally {
    pub marked: AtomicU64,
    pub closed: AtomicU64,
}

/// A connected socket before its reading task runs.
pub struct Socket {
    stream: TcpStream,
    left: Vec<u8>,
}

impl Socket {
    /// Connects and upgrades.
    ///
    /// # Errors
    /// When the peer does not switch protocols.
    pub async fn connect(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(address).await.context("connect")?;
        stream.set_nodelay(true)?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut left = Vec::with_capacity(512);
        loop {
            if let Some(end) = left.windows(4).position(|w| w == b"\r\n\r\n") {
                if !left.starts_with(b"HTTP/1.1 101") {
                    bail!("not upgraded: {}", String::from_utf8_lossy(&left[..end.min(200)]));
                }
                left.drain(..end + 4);
                return Ok(Self { stream, left });
            }
            if stream.read_buf(&mut left).await? == 0 {
                bail!("closed during the upgrade");
            }
        }
    }

    /// Sends a text frame (masked with zeros, which the protocol allows).
    ///
    /// # Errors
    /// When the peer is gone.
    pub async fn send(&mut self, text: &str) -> anyhow::Result<()> {
        let mut frame = vec![0x81];
        match u8::try_from(text.len()) {
            Ok(n) if n < 126 => frame.push(0x80 | n),
            _ => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&u16::try_from(text.len()).context("frame too long")?.to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(text.as_bytes());
        self.stream.write_all(&frame).await?;
        Ok(())
    }

    /// Reads until a text frame contains `wanted`.
    ///
    /// # Errors
    /// When the peer closes first.
    pub async fn expect(&mut self, wanted: &str) -> anyhow::Result<()> {
        loop {
            while let Some((opcode, payload, used)) = frame(&self.left) {
                let found = payload.windows(wanted.len()).any(|w| w == wanted.as_bytes());
                if opcode == 8 {
                    bail!(
                        "closed: {}",
                        String::from_utf8_lossy(payload.get(2..).unwrap_or_default())
                    );
                }
                self.left.drain(..used);
                if found {
                    return Ok(());
                }
            }
            if self.stream.read_buf(&mut self.left).await? == 0 {
                bail!("closed while waiting for {wanted}");
            }
        }
    }

    /// The next text frame; pings are answered on the way.
    ///
    /// # Errors
    /// When the peer closes first.
    pub async fn text(&mut self) -> anyhow::Result<String> {
        loop {
            while let Some((opcode, payload, used)) = frame(&self.left) {
                let text = (opcode == 1).then(|| String::from_utf8_lossy(payload).into_owned());
                if opcode == 8 {
                    bail!("closed by the server");
                }
                self.left.drain(..used);
                if let Some(text) = text {
                    return Ok(text);
                }
                if opcode == 9 {
                    self.stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).await?;
                }
            }
            if self.stream.read_buf(&mut self.left).await? == 0 {
                bail!("closed");
            }
        }
    }

    /// Counts marked frames until the peer closes or the task is dropped.
    pub async fn listen(mut self, tally: Arc<Tally>) {
        self.left.shrink_to(2048);
        loop {
            let mut at = 0;
            while let Some((opcode, payload, used)) = frame(&self.left[at..]) {
                if opcode == 1 && payload.windows(MARK.len()).any(|w| w == MARK) {
                    tally.marked.fetch_add(1, Ordering::Relaxed);
                }
                if opcode == 9 {
                    let _ = self.stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).await;
                }
                at += used;
            }
            self.left.drain(..at);
            match self.stream.read_buf(&mut self.left).await {
                Ok(n) if n > 0 => {}
                _ => {
                    tally.closed.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
}

/// The first whole, unmasked frame: (opcode, payload, bytes used).
fn frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (first, second) = (*bytes.first()?, *bytes.get(1)?);
    let (length, head) = match second & 0x7f {
        126 => (
            usize::from(u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?])),
            4,
        ),
        127 => (
            usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?,
            10,
        ),
        n => (usize::from(n), 2),
    };
    let payload = bytes.get(head..head + length)?;
    Some((first & 0x0f, payload, head + length))
}
