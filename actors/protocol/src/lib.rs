//! The words that every part of Arbora shares: ids, money, facts, glimpses, client messages, permissions, error codes.
//!
//! No I/O, no actors, no SQL. The server, the actors, the load test and (through the OpenAPI document) the web client
//! all take their types from here, so that one thing has one name everywhere.

pub mod client_message;
pub mod error_code;
pub mod glimpse;
pub mod ids;
pub mod live_event;
pub mod money;
pub mod permission;
pub mod pyx;
pub mod queue;
pub mod server_message;
pub mod stream_id;
pub mod views;

pub use client_message::ClientMessage;
pub use error_code::ErrorCode;
pub use glimpse::Glimpse;
pub use live_event::LiveEvent;
pub use permission::Permission;
pub use queue::Queue;
pub use stream_id::StreamId;
