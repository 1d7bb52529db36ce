//! From an HTTP request to a session's own socket.
//!
//! The handshake is actix-web-actors'. After it the connection is taken over: the session keeps the socket, and the HTTP
//! dispatcher with its two 8 KiB buffers, its timers and its copy of the descriptor goes. That is what makes a quiet session
//! cheap (a third of the memory of a session inside the dispatcher), lets any thread write to an idle peer without waking a
//! task, and leaves no place where a stuck peer could freeze its own watchdog.
//!
//! How it is done, with safe means only: [`on_connect`] keeps a duplicate of the descriptor beside the connection. The
//! response to the handshake has a body that announces one byte and never delivers it. Asked the first time, the body waits
//! for one turn, in which the dispatcher writes the response. Asked the second time, it takes what the dispatcher has read
//! from the peer so far (the dispatcher decodes everything it has read before it asks), hands socket and bytes to the session,
//! and ends. A body that ends too early is an error that drops the dispatcher without a shutdown of the socket, which lives
//! on in the duplicate. Nothing was read or written in between by anybody else.

use super::{Session, drive::Drive, outbound::Wire, socket};
use crate::{node::Node, session::limits::Admission};
use actix_http::body::{BodySize, MessageBody};
use actix_web::{
    HttpRequest, HttpResponse,
    dev::{Extensions, Payload},
    http::header,
    rt::net::TcpStream,
    web,
};
use actix_web_actors::ws;
use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use std::{
    any::Any,
    io::{self, IoSlice},
    net::IpAddr,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::{Arc, Mutex, atomic::Ordering},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::io::{AsyncWrite, ReadBuf};

/// The subprotocol of the WebSocket; a one-time ticket may be offered beside it.
pub const PROTOCOL: &str = "arbora.v1";
const TICKET: &str = "ticket.";
/// A client that sends more than this behind its handshake, before it has got the answer, is not one of ours.
const EAGER_MAX: usize = 16 * 1024;

/// A connection's socket, beside the HTTP dispatcher's own.
struct Spare(Mutex<Option<OwnedFd>>);

/// Prepares every new connection; to be given to `HttpServer::on_connect`.
pub fn on_connect(connection: &dyn Any, data: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<TcpStream>() else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let _ = socket::set_user_timeout(stream, Duration::from_secs(33));
    match stream.as_fd().try_clone_to_owned() {
        Ok(spare) => {
            data.insert(Spare(Mutex::new(Some(spare))));
        }
        Err(error) => tracing::warn!(%error, "no descriptor left for a connection"),
    }
}

fn unavailable() -> HttpResponse {
    HttpResponse::ServiceUnavailable()
        .insert_header((header::RETRY_AFTER, "5"))
        .finish()
}

/// The one-time ticket among the offered subprotocols.
fn ticket(req: &HttpRequest) -> Option<String> {
    req.headers()
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .find_map(|offer| offer.trim().strip_prefix(TICKET).map(str::to_owned))
}

/// Answers a WebSocket handshake; the session lives on its own after the response.
pub(crate) fn accept(
    node: &Arc<Node>,
    req: &HttpRequest,
    payload: web::Payload,
    peer: IpAddr,
) -> HttpResponse {
    if node.draining.load(Ordering::SeqCst) {
        return unavailable();
    }
    let mut response = match ws::handshake_with_protocols(req, &[PROTOCOL]) {
        Ok(response) => response,
        Err(error) => return HttpResponse::from_error(error),
    };
    let Some(admission) = node.limits.admit(peer) else {
        metrics::counter!("sessions_refused_total").increment(1);
        return unavailable();
    };
    let spare = req
        .conn_data::<Spare>()
        .and_then(|spare| crate::runtime::lock(&spare.0).take());
    let Some(socket) = spare else {
        tracing::error!(
            "a WebSocket on a connection that was not prepared: HttpServer::on_connect is not set"
        );
        return unavailable();
    };
    let takeover = Takeover {
        node: node.clone(),
        socket,
        admission,
        ticket: ticket(req),
    };
    response
        .message_body(Handover {
            payload: payload.into_inner(),
            asked: false,
            takeover: Some(takeover),
        })
        .map_or_else(|_| unavailable(), HttpResponse::map_into_boxed_body)
}

struct Takeover {
    node: Arc<Node>,
    socket: OwnedFd,
    admission: Admission,
    ticket: Option<String>,
}

impl Takeover {
    /// Starts the session on one of its threads.
    fn start(self, first: Bytes) {
        let node = self.node.clone();
        let id = node.next_session();
        node.session_arbiter(id).spawn_fn(move || {
            let stream = std::net::TcpStream::from(self.socket);
            let stream = stream
                .set_nonblocking(true)
                .and_then(|()| tokio::net::TcpStream::from_std(stream));
            match stream {
                Ok(stream) => {
                    let session = Session::open(&self.node, id, Box::new(Tcp(stream)), self.admission);
                    let job = self.ticket.map(|ticket| session.present(ticket));
                    actix_rt::spawn(Drive::new(session, &first, job));
                }
                Err(error) => tracing::warn!(%error, "a socket cannot be watched"),
            }
        });
    }
}

/// The body that is never sent.
struct Handover {
    payload: Payload,
    asked: bool,
    takeover: Option<Takeover>,
}

impl MessageBody for Handover {
    type Error = io::Error;

    fn size(&self) -> BodySize {
        BodySize::Sized(1)
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let this = &mut *self;
        if !this.asked {
            this.asked = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut first = BytesMut::new();
        loop {
            match Pin::new(&mut this.payload).poll_next(cx) {
                Poll::Ready(Some(Ok(bytes))) => first.extend_from_slice(&bytes),
                Poll::Pending => break,
                // The peer has gone already.
                Poll::Ready(None | Some(Err(_))) => return Poll::Ready(None),
            }
        }
        if let Some(takeover) = this.takeover.take()
            && first.len() <= EAGER_MAX
        {
            takeover.start(first.freeze());
        }
        Poll::Ready(None)
    }
}

/// A socket of our own.
struct Tcp(tokio::net::TcpStream);

impl Wire for Tcp {
    fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
        match bytes {
            [one] => self.0.try_write(one),
            many => self.0.try_write_vectored(many),
        }
    }

    fn poll_writable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_write_ready(cx)
    }

    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(into);
        match tokio::io::AsyncRead::poll_read(Pin::new(&mut self.0), cx, &mut buffer) {
            Poll::Ready(Ok(())) => Poll::Ready(Ok(buffer.filled().len())),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn finish(&mut self) {
        // A TCP shutdown does not wait, so nobody has to be woken.
        let _ = Pin::new(&mut self.0).poll_shutdown(&mut Context::from_waker(Waker::noop()));
    }
}
