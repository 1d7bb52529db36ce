//! A socket client for tests: real sockets, one message at a time.

use super::{Client, TestApp};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest},
};

pub struct Live {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
}

/// Nothing in these tests takes this long unless it is broken.
const PATIENCE: Duration = Duration::from_secs(60);

impl Live {
    /// Connects without saying who it is.
    pub async fn connect(app: &TestApp) -> Self {
        let (socket, _) = connect_async(format!("ws://{}/api/ws", app.address))
            .await
            .unwrap();
        Self { socket }
    }

    /// Connects and authenticates by the first message.
    pub async fn open(app: &TestApp, client: &Client) -> Self {
        let mut live = Self::connect(app).await;
        live.say(&json!({"op": "auth", "token": client.token})).await;
        live.expect("welcome").await;
        live
    }

    /// Connects with a one-time ticket; `None` when the handshake's ticket is not taken.
    pub async fn with_ticket(app: &TestApp, ticket: &str) -> Result<Self, u16> {
        let mut request = format!("ws://{}/api/ws", app.address)
            .into_client_request()
            .unwrap();
        request.headers_mut().insert(
            "Sec-WebSocket-Protocol",
            format!("arbora.v1, ticket.{ticket}").parse().unwrap(),
        );
        let (socket, _) = connect_async(request).await.unwrap();
        let mut live = Self { socket };
        match live.next().await {
            Ok(first) if first["type"] == "welcome" => Ok(live),
            Ok(other) => panic!("{other}"),
            Err(code) => Err(code),
        }
    }

    pub async fn say(&mut self, message: &Value) {
        self.socket
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }

    pub async fn raw(&mut self, text: String) {
        let _ = self.socket.send(Message::text(text)).await;
    }

    /// The next message, or the close code.
    pub async fn next(&mut self) -> Result<Value, u16> {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next())
                .await
                .expect("nothing came")
            {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => return Err(frame.map_or(1005, |f| f.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(1006),
            }
        }
    }

    /// The next message of a type; others are passed over.
    pub async fn expect(&mut self, kind: &str) -> Value {
        loop {
            let message = self
                .next()
                .await
                .unwrap_or_else(|code| panic!("closed with {code} while waiting for {kind}"));
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// The next fact of a kind.
    pub async fn fact(&mut self, kind: &str) -> Value {
        loop {
            let message = self.expect("event").await;
            if message["event"]["kind"] == kind {
                return message;
            }
        }
    }

    pub async fn subscribe(&mut self, stream: &str) -> Value {
        self.say(&json!({"op": "subscribe", "stream": stream})).await;
        self.expect("subscribed").await
    }

    /// The close code.
    pub async fn closed(&mut self) -> u16 {
        loop {
            if let Err(code) = self.next().await {
                return code;
            }
        }
    }
}
