//! A connection in memory whose client may stall, stop reading, break off, or make the server's side panic.

use actix_http::ws;
use actors::{Realtime, session::outbound::Wire};
use bytes::BytesMut;
use protocol::server_message::ServerMessage;
use std::{
    io::{self, IoSlice},
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};
use tokio_util::codec::{Decoder, Encoder};

/// What a client takes that reads as it should.
const ROOM: usize = 1 << 20;
const INJECTED: &str = "injected";

/// Panics of the faults that a test makes are not printed; others are, as before.
pub fn keep_injected_panics_quiet() {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&INJECTED) {
            told(info);
        }
    }));
}

#[derive(Default)]
struct Pipe {
    to_client: Vec<u8>,
    to_server: Vec<u8>,
    /// Bytes that the client's end still takes.
    room: usize,
    panics: bool,
    closed: bool,
    wakers: Vec<Waker>,
}

#[derive(Clone)]
struct Line(Arc<Mutex<Pipe>>);

impl Line {
    fn change(&self, change: impl FnOnce(&mut Pipe)) {
        let wakers = {
            let mut pipe = self.0.lock().unwrap_or_else(|e| e.into_inner());
            change(&mut pipe);
            std::mem::take(&mut pipe.wakers)
        };
        for waker in wakers {
            waker.wake();
        }
    }
}

/// The server's end.
struct ServerEnd(Line);
impl ServerEnd {
    fn with<R>(&self, f: impl FnOnce(&mut Pipe) -> R) -> R {
        f(&mut self.0.0.lock().unwrap_or_else(|e| e.into_inner()))
    }
}
impl Drop for ServerEnd {
    fn drop(&mut self) {
        self.with(|p| p.closed = true);
    }
}
impl Wire for ServerEnd {
    fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
        if self.with(|p| std::mem::take(&mut p.panics)) {
            std::panic::panic_any(INJECTED);
        }
        self.with(|p| {
            if p.closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let mut n = 0;
            for part in bytes {
                let take = part.len().min(p.room);
                p.to_client.extend_from_slice(&part[..take]);
                p.room -= take;
                n += take;
            }
            if n == 0 {
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                Ok(n)
            }
        })
    }
    fn poll_writable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|p| {
            if p.room > 0 || p.closed {
                return Poll::Ready(Ok(()));
            }
            p.wakers.push(cx.waker().clone());
            Poll::Pending
        })
    }
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        self.with(|p| {
            if p.to_server.is_empty() && !p.closed {
                p.wakers.push(cx.waker().clone());
                return Poll::Pending;
            }
            let n = p.to_server.len().min(into.len());
            into[..n].copy_from_slice(&p.to_server[..n]);
            p.to_server.drain(..n);
            Poll::Ready(Ok(n))
        })
    }
    fn finish(&mut self) {
        self.with(|p| p.closed = true);
    }
}

/// The client's end: one connection after the other.
pub struct Socket {
    line: Option<Line>,
    unread: BytesMut,
    codec: ws::Codec,
}

impl Default for Socket {
    fn default() -> Self {
        Self {
            line: None,
            unread: BytesMut::new(),
            codec: ws::Codec::new().client_mode(),
        }
    }
}

impl Socket {
    /// A new connection in place of any earlier one.
    pub fn open(&mut self, realtime: &Realtime) {
        self.cut();
        let line = Line(Arc::new(Mutex::new(Pipe {
            room: ROOM,
            ..Pipe::default()
        })));
        assert!(realtime.attach(Box::new(ServerEnd(line.clone())), IpAddr::V4(Ipv4Addr::LOCALHOST)));
        self.line = Some(line);
    }

    pub fn is_open(&self) -> bool {
        self.line.is_some()
    }

    /// Breaks off; what had not been read is lost.
    pub fn cut(&mut self) {
        if let Some(line) = self.line.take() {
            line.change(|p| p.closed = true);
        }
        self.unread = BytesMut::new();
    }

    pub fn say(&self, text: &str) {
        let Some(line) = &self.line else { return };
        let mut bytes = BytesMut::new();
        ws::Codec::new()
            .client_mode()
            .encode(ws::Message::Text(text.into()), &mut bytes)
            .unwrap();
        line.change(|p| p.to_server.extend_from_slice(&bytes));
    }

    /// So many bytes more, and then nothing until [`Self::recovers`].
    pub fn takes(&self, room: usize) {
        if let Some(line) = &self.line {
            line.change(|p| p.room = room);
        }
    }

    /// The next write panics.
    pub fn breaks_the_server(&self) {
        if let Some(line) = &self.line {
            line.change(|p| p.panics = true);
        }
    }

    pub fn recovers(&self) {
        if let Some(line) = &self.line {
            line.change(|p| {
                p.room = ROOM;
                p.panics = false;
            });
        }
    }

    /// What has come since; the connection may turn out to be closed.
    pub fn hear(&mut self) -> Result<Vec<ServerMessage>, String> {
        let Some(line) = self.line.clone() else {
            return Ok(vec![]);
        };
        let mut closed = false;
        line.change(|p| {
            self.unread.extend_from_slice(&p.to_client);
            p.to_client.clear();
            closed = p.closed;
        });
        let mut heard = vec![];
        while let Some(frame) = self.codec.decode(&mut self.unread).map_err(|e| e.to_string())? {
            if let ws::Frame::Text(text) = frame {
                heard.push(serde_json::from_slice(&text).map_err(|e| e.to_string())?);
            }
        }
        if closed {
            self.cut();
        }
        Ok(heard)
    }
}
