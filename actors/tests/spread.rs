//! Sessions are spread over the node's threads.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod kit;

use actors::{bus::in_process::InProcess, session::outbound::Wire};
use kit::World;
use std::{
    collections::HashMap,
    io::{self, IoSlice},
    net::{IpAddr, Ipv4Addr},
    task::{Context, Poll},
    thread::{self, ThreadId},
};
use tokio::sync::mpsc;

/// A silent peer that tells which thread reads it.
struct Told(Option<mpsc::UnboundedSender<ThreadId>>);

impl Wire for Told {
    fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(bytes.iter().map(|b| b.len()).sum())
    }
    fn poll_writable(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_read(&mut self, _: &mut Context<'_>, _: &mut [u8]) -> Poll<io::Result<usize>> {
        if let Some(tell) = self.0.take() {
            tell.send(thread::current().id()).unwrap();
        }
        Poll::Pending
    }
    fn finish(&mut self) {}
}

#[actix_rt::test]
async fn connections_take_turns_on_the_threads() {
    const THREADS: usize = 4;
    const EACH: usize = 8;
    let world = World::new();
    let mut config = world.config();
    config.arbiters = THREADS;
    config.unauthenticated_per_address = THREADS * EACH;
    let realtime = world.start(config, InProcess::alone());
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut by_thread: HashMap<ThreadId, usize> = HashMap::new();
    for _ in 0..THREADS * EACH {
        // One after the other, as browsers come.
        assert!(realtime.attach(
            Box::new(Told(Some(tell.clone()))),
            IpAddr::V4(Ipv4Addr::LOCALHOST)
        ));
        *by_thread.entry(told.recv().await.unwrap()).or_default() += 1;
    }
    assert_eq!(by_thread.len(), THREADS, "{by_thread:?}");
    assert!(by_thread.values().all(|n| *n == EACH), "{by_thread:?}");
}
