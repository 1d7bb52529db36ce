//! Drives one connection: reads frames and has them handled one by one, flushes what waits when the peer can take more.
//!
//! Between messages it owns no buffer: bytes are read into a scratch that the thread's connections share, and only a frame
//! that is not complete yet is kept.

use super::{Session, frame::Frame};
use actix_http::ws::{self, Item, ProtocolError};
use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use protocol::server_message::CloseReason;
use std::{
    cell::RefCell,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio_util::codec::Decoder;

/// The largest message a client may send.
pub const MESSAGE_MAX: usize = 64 * 1024;
/// Messages handled before other connections of the thread get their turn.
const TURN: usize = 32;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; 16 * 1024]);
}

pub struct Drive {
    session: Arc<Session>,
    codec: ws::Codec,
    unread: BytesMut,
    /// A message that comes in pieces.
    pieces: Option<Box<Pieces>>,
    job: Option<BoxFuture<'static, ()>>,
}

struct Pieces {
    text: bool,
    bytes: BytesMut,
}

impl Drive {
    /// `first` are bytes that came right behind the handshake.
    pub fn new(session: Arc<Session>, first: &[u8], job: Option<BoxFuture<'static, ()>>) -> Self {
        Self {
            session,
            codec: ws::Codec::new().max_size(MESSAGE_MAX),
            unread: BytesMut::from(first),
            pieces: None,
            job,
        }
    }

    /// Handles what has been read; false when nothing more is to be read from this peer.
    fn digest(&mut self, frame: ws::Frame) -> bool {
        match frame {
            ws::Frame::Text(text) => self.text(&text),
            ws::Frame::Ping(payload) => {
                self.session.send(&Frame::pong(&payload));
            }
            ws::Frame::Pong(_) => {}
            ws::Frame::Close(_) => {
                self.session.part();
                return false;
            }
            ws::Frame::Continuation(item) => self.piece(item),
            ws::Frame::Binary(_) => self.session.close(CloseReason::BadMessage),
        }
        true
    }

    fn text(&mut self, text: &Bytes) {
        match std::str::from_utf8(text) {
            Ok(text) => self.job = self.session.receive(text),
            Err(_) => self.session.close(CloseReason::BadMessage),
        }
    }

    fn piece(&mut self, item: Item) {
        match item {
            Item::FirstText(b) => {
                self.pieces = Some(Box::new(Pieces {
                    text: true,
                    bytes: BytesMut::from(&b[..]),
                }))
            }
            Item::FirstBinary(b) => {
                self.pieces = Some(Box::new(Pieces {
                    text: false,
                    bytes: BytesMut::from(&b[..]),
                }))
            }
            Item::Continue(b) | Item::Last(b)
                if self
                    .pieces
                    .as_ref()
                    .is_none_or(|p| p.bytes.len() + b.len() > MESSAGE_MAX) =>
            {
                self.session.close(CloseReason::TooLarge);
                self.pieces = None;
            }
            Item::Continue(b) => {
                if let Some(pieces) = &mut self.pieces {
                    pieces.bytes.extend_from_slice(&b);
                }
            }
            Item::Last(b) => {
                if let Some(mut pieces) = self.pieces.take() {
                    pieces.bytes.extend_from_slice(&b);
                    if pieces.text {
                        self.text(&pieces.bytes.freeze());
                    } else {
                        self.session.close(CloseReason::BadMessage);
                    }
                }
            }
        }
    }

    fn next_frame(&mut self) -> Option<ws::Frame> {
        if self.unread.is_empty() {
            return None;
        }
        match self.codec.decode(&mut self.unread) {
            Ok(Some(frame)) => Some(frame),
            Ok(None) => None,
            Err(ProtocolError::Overflow) => {
                self.session.close(CloseReason::TooLarge);
                self.unread = BytesMut::new();
                None
            }
            Err(_) => {
                self.session.close(CloseReason::BadMessage);
                self.unread = BytesMut::new();
                None
            }
        }
    }
}

impl Future for Drive {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        // Registered before looking, so that whoever queues something after the look wakes us again.
        this.session.waker.register(cx.waker());
        for _ in 0..TURN {
            if !this.session.poll_flush(cx) {
                this.session.gone();
                return Poll::Ready(());
            }
            if let Some(job) = &mut this.job {
                match job.as_mut().poll(cx) {
                    Poll::Ready(()) => this.job = None,
                    Poll::Pending => return Poll::Pending,
                }
                continue;
            }
            if let Some(frame) = this.next_frame() {
                if !this.digest(frame) {
                    return Poll::Ready(());
                }
                continue;
            }
            if this.unread.is_empty() {
                this.unread = BytesMut::new();
            }
            let read = SCRATCH.with_borrow_mut(|scratch| {
                let read = this.session.poll_read(cx, scratch);
                if let Poll::Ready(Ok(n)) = read {
                    // What a peer says after our farewell is read, so that the farewell is not lost in a reset, and ignored.
                    if this.session.is_live() {
                        this.unread
                            .extend_from_slice(scratch.get(..n).unwrap_or_default());
                    }
                }
                read
            });
            match read {
                Poll::Ready(Ok(0) | Err(_)) => {
                    this.session.gone();
                    return Poll::Ready(());
                }
                Poll::Ready(Ok(_)) => this.session.hear(),
                Poll::Pending => return Poll::Pending,
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Drive {
    /// However the connection's task ends, also by a panic, the session ends with it.
    fn drop(&mut self) {
        self.session.gone();
    }
}
