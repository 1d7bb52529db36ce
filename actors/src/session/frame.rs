//! A text frame, encoded once: WebSocket header and payload in one shared buffer. A server's frames carry no mask, so the
//! same bytes go to every session, and frames that follow each other are merged by laying their bytes side by side.

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

const FIN: u8 = 0x80;

/// Kinds of frame that the server sends (RFC 6455 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Opcode {
    Text = 0x1,
    Close = 0x8,
    Ping = 0x9,
    Pong = 0xA,
}

/// One frame, or several merged; clone is a reference count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame(Bytes);

impl Frame {
    #[must_use]
    pub fn text(payload: &str) -> Self {
        Self::encode(Opcode::Text, payload.as_bytes())
    }

    /// A message of the protocol as JSON. Our own types always serialise; should one not, the session gets an empty object,
    /// which clients ignore, rather than the node a panic.
    #[must_use]
    pub fn json<T: Serialize>(message: &T) -> Self {
        // Ten bytes in front leave room for the longest header, so that the JSON is written once and never moved.
        let mut buffer = vec![0_u8; 10];
        if let Err(error) = serde_json::to_writer(&mut buffer, message) {
            tracing::error!(%error, "a message of the protocol does not serialise");
            return Self::text("{}");
        }
        let (header, used) = header(Opcode::Text, buffer.len() - 10);
        let start = 10 - used;
        if let (Some(place), Some(header)) = (buffer.get_mut(start..10), header.get(..used)) {
            place.copy_from_slice(header);
        }
        buffer.shrink_to_fit();
        Self(Bytes::from(buffer).slice(start..))
    }

    #[must_use]
    pub fn ping() -> Self {
        Self::encode(Opcode::Ping, b"")
    }

    #[must_use]
    pub fn pong(payload: &[u8]) -> Self {
        Self::encode(Opcode::Pong, payload)
    }

    #[must_use]
    pub fn close(code: u16, text: &str) -> Self {
        let mut payload = Vec::with_capacity(2 + text.len());
        payload.put_u16(code);
        payload.extend_from_slice(text.as_bytes());
        Self::encode(Opcode::Close, &payload)
    }

    /// Several frames as one run of bytes: one write for all of them.
    #[must_use]
    pub fn merged<'a>(frames: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut frames = frames.into_iter();
        let first = frames.next()?;
        let Some(second) = frames.next() else {
            return Some(first.clone());
        };
        let mut bytes = BytesMut::with_capacity((first.len() + second.len()) * 2);
        bytes.extend_from_slice(&first.0);
        bytes.extend_from_slice(&second.0);
        for frame in frames {
            bytes.extend_from_slice(&frame.0);
        }
        Some(Self(bytes.freeze()))
    }

    fn encode(opcode: Opcode, payload: &[u8]) -> Self {
        let (header, used) = header(opcode, payload.len());
        let mut bytes = BytesMut::with_capacity(used + payload.len());
        bytes.extend_from_slice(header.get(..used).unwrap_or_default());
        bytes.extend_from_slice(payload);
        Self(bytes.freeze())
    }

    /// Bytes on the wire.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The text inside, for tests and for logs.
    #[must_use]
    pub fn payload(&self) -> String {
        let skip = match self.0.get(1) {
            Some(126) => 4,
            Some(127) => 10,
            _ => 2,
        };
        String::from_utf8_lossy(self.0.get(skip..).unwrap_or_default()).into_owned()
    }
}

/// The header of an unmasked, final frame, and how many of the ten bytes it takes.
fn header(opcode: Opcode, len: usize) -> ([u8; 10], usize) {
    let mut header = [0_u8; 10];
    let mut rest = &mut header[..];
    rest.put_u8(FIN | opcode as u8);
    if let Ok(short) = u8::try_from(len)
        && short < 126
    {
        rest.put_u8(short);
    } else if let Ok(medium) = u16::try_from(len) {
        rest.put_u8(126);
        rest.put_u16(medium);
    } else {
        rest.put_u8(127);
        rest.put_u64(u64::try_from(len).unwrap_or(u64::MAX));
    }
    let used = 10 - rest.len();
    (header, used)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_http::ws;
    use tokio_util::codec::Decoder;

    /// Reads the bytes back with an independent decoder.
    fn decode(frame: &Frame) -> Vec<ws::Frame> {
        let mut codec = ws::Codec::new().client_mode().max_size(1 << 20);
        let mut bytes = BytesMut::from(&frame.bytes()[..]);
        let mut frames = vec![];
        while let Some(f) = codec.decode(&mut bytes).unwrap() {
            frames.push(f);
        }
        assert!(bytes.is_empty());
        frames
    }

    #[test]
    fn an_independent_decoder_reads_every_length() {
        for len in [0, 1, 125, 126, 127, 65_535, 65_536, 100_000] {
            let text = "x".repeat(len);
            assert_eq!(
                decode(&Frame::text(&text)),
                [ws::Frame::Text(Bytes::from(text.clone()))]
            );
            let json = Frame::json(&text);
            assert_eq!(
                decode(&json),
                [ws::Frame::Text(Bytes::from(format!("\"{text}\"")))]
            );
            assert_eq!(json.payload(), format!("\"{text}\""));
        }
        assert_eq!(decode(&Frame::ping()), [ws::Frame::Ping(Bytes::new())]);
        assert_eq!(
            decode(&Frame::pong(b"ab")),
            [ws::Frame::Pong(Bytes::from_static(b"ab"))]
        );
        let [ws::Frame::Close(Some(reason))] = &decode(&Frame::close(4004, "slow"))[..] else {
            panic!()
        };
        assert_eq!(
            (u16::from(reason.code), reason.description.as_deref()),
            (4004, Some("slow"))
        );
    }

    #[test]
    fn merged_frames_stay_frames() {
        let frames: Vec<_> = (0..5).map(|n| Frame::text(&n.to_string())).collect();
        let read = decode(&Frame::merged(&frames).unwrap());
        assert_eq!(read.len(), 5);
        assert_eq!(read[3], ws::Frame::Text(Bytes::from_static(b"3")));
        assert!(Frame::merged([]).is_none());
    }
}
