//! A connection in memory that reads everything at once.

use actix_http::ws;
use actors::{Realtime, session::outbound::Wire};
use bytes::BytesMut;
use std::{
    io::{self, IoSlice},
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex},
    task::{Context, Poll},
};
use tokio_util::codec::{Decoder, Encoder};

#[derive(Default)]
struct State {
    to_server: Vec<u8>,
    to_client: Vec<u8>,
    closed: bool,
}

#[derive(Clone, Default)]
pub struct Line(Arc<Mutex<State>>);

struct End(Line);

/// Connects and says the given texts.
pub fn connect(realtime: &Realtime, texts: &[&str]) -> Line {
    let line = Line::default();
    let mut bytes = BytesMut::new();
    for text in texts {
        ws::Codec::new()
            .client_mode()
            .encode(ws::Message::Text((*text).into()), &mut bytes)
            .unwrap();
    }
    line.0.lock().unwrap().to_server.extend_from_slice(&bytes);
    assert!(realtime.attach(Box::new(End(line.clone())), IpAddr::V4(Ipv4Addr::LOCALHOST)));
    line
}

impl Line {
    /// All texts so far.
    pub fn texts(&self) -> Vec<String> {
        let mut bytes = BytesMut::from(&self.0.lock().unwrap().to_client[..]);
        let mut codec = ws::Codec::new().client_mode();
        let mut texts = vec![];
        while let Some(frame) = codec.decode(&mut bytes).unwrap() {
            if let ws::Frame::Text(text) = frame {
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
        }
        texts
    }

    pub fn closed(&self) -> bool {
        self.0.lock().unwrap().closed
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Wire for End {
    fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.0.0.lock().unwrap();
        let before = state.to_client.len();
        for part in bytes {
            state.to_client.extend_from_slice(part);
        }
        Ok(state.to_client.len() - before)
    }
    fn poll_writable(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_read(&mut self, _: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut state = self.0.0.lock().unwrap();
        if state.to_server.is_empty() {
            return Poll::Pending;
        }
        let n = state.to_server.len().min(into.len());
        into[..n].copy_from_slice(&state.to_server[..n]);
        state.to_server.drain(..n);
        Poll::Ready(Ok(n))
    }
    fn finish(&mut self) {
        self.0.0.lock().unwrap().closed = true;
    }
}
