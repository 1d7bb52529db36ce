//! An actor's mailbox with a bound that holds. actix bounds neither `do_send` nor `try_send` through cloned addresses, so the
//! messages lie in our own queue, whose length is the count of permits, and the actor's address carries nothing but a wake-up
//! call, at most one at a time. An actor thus sees everything that came since its last turn at once and can merge it.
//!
//! The mailbox holds the actor's only address: when the last handle to it goes, the actor stops.

use super::lock;
use actix::{Actor, Addr, Context, Handler, Message};
use std::{
    mem,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
};

/// "There is something in your mailbox."
#[derive(Message)]
#[rtype(result = "()")]
pub struct Wake;

/// All permits are taken: the message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mailbox full")]
pub struct Full;

struct Inner<M> {
    queue: Mutex<Vec<M>>,
    permits: usize,
    called: AtomicBool,
    missed: AtomicBool,
}

/// The receiving end: what the actor takes its messages from.
pub struct Inbox<M>(Arc<Inner<M>>);

impl<M> Inbox<M> {
    /// To be called at the beginning of every turn, whether it takes messages or not: from here on a new call gets through.
    pub fn answer_call(&self) {
        self.0.called.store(false, Ordering::SeqCst);
    }

    /// Everything that came since the last time.
    pub fn take(&self) -> Vec<M> {
        mem::take(&mut *lock(&self.0.queue))
    }

    /// Whether something was turned away since the last call.
    pub fn missed(&self) -> bool {
        self.0.missed.swap(false, Ordering::SeqCst)
    }
}

/// The sending end; share it by `Arc`.
pub struct Mailbox<A: Actor, M> {
    addr: Addr<A>,
    inner: Arc<Inner<M>>,
    /// How many such actors have a handle; counted here so that a churn can be seen to end at none.
    alive: Arc<AtomicUsize>,
    /// A number that the actor shows to all who hold its mailbox; -1 until it knows one.
    pub published: AtomicI64,
    /// Run when the last handle goes.
    farewell: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl<A: Actor, M> Drop for Mailbox<A, M> {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
        if let Some(farewell) = self.farewell.take() {
            farewell();
        }
    }
}

impl<A, M> Mailbox<A, M>
where
    A: Actor<Context = Context<A>> + Handler<Wake>,
    M: Send + 'static,
{
    /// Starts an actor on the given arbiter, built there by `factory` from its inbox and a weak handle to itself.
    pub fn start<F>(
        arbiter: &actix::ArbiterHandle,
        permits: usize,
        alive: &Arc<AtomicUsize>,
        farewell: Option<Box<dyn FnOnce() + Send + Sync>>,
        factory: F,
    ) -> Arc<Self>
    where
        F: FnOnce(Inbox<M>, Weak<Self>) -> A + Send + 'static,
    {
        alive.fetch_add(1, Ordering::Relaxed);
        let inner = Arc::new(Inner {
            queue: Mutex::new(vec![]),
            permits,
            called: AtomicBool::new(false),
            missed: AtomicBool::new(false),
        });
        let inbox = Inbox(inner.clone());
        let (sender, receiver) = actix::dev::channel::channel(16);
        let mailbox = Arc::new(Self {
            addr: Addr::new(sender),
            inner,
            alive: alive.clone(),
            published: AtomicI64::new(-1),
            farewell,
        });
        let own = Arc::downgrade(&mailbox);
        arbiter.spawn_fn(move || {
            Context::with_receiver(receiver).run(factory(inbox, own));
        });
        mailbox
    }

    /// Puts a message in, if there is a permit.
    pub fn try_send(&self, message: M) -> Result<(), Full> {
        {
            let mut queue = lock(&self.inner.queue);
            if queue.len() >= self.inner.permits {
                return Err(Full);
            }
            queue.push(message);
        }
        self.wake();
        Ok(())
    }

    /// Puts in an answer that the actor itself has asked for, or a leave-taking that must not be lost: these are bounded by
    /// what they answer and need no permit.
    pub fn answer(&self, message: M) {
        lock(&self.inner.queue).push(message);
        self.wake();
    }

    /// Tells the actor that something for it was turned away.
    pub fn miss(&self) {
        self.inner.missed.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// Calls the actor, unless a call is under way.
    pub fn wake(&self) {
        if !self.inner.called.swap(true, Ordering::SeqCst) {
            // One call at a time never fills the address's sixteen places; it fails only when the actor is gone.
            let _ = self.addr.try_send(Wake);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    struct Counter(Inbox<u32>, Arc<Mutex<Vec<Vec<u32>>>>);
    impl Actor for Counter {
        type Context = Context<Self>;
    }
    impl Handler<Wake> for Counter {
        type Result = ();
        fn handle(&mut self, _: Wake, _: &mut Self::Context) {
            self.0.answer_call();
            lock(&self.1).push(self.0.take());
        }
    }

    #[actix_rt::test]
    async fn permits_bound_and_a_turn_takes_all() {
        let seen = Arc::new(Mutex::new(vec![]));
        let alive = Arc::new(AtomicUsize::new(0));
        let gone = Arc::new(AtomicBool::new(false));
        let (s, g) = (seen.clone(), gone.clone());
        let farewell = Box::new(move || g.store(true, Ordering::SeqCst));
        let mailbox: Arc<Mailbox<Counter, u32>> = Mailbox::start(
            &actix::Arbiter::current(),
            3,
            &alive,
            Some(farewell),
            |inbox, _| Counter(inbox, s),
        );
        for n in 0..3 {
            mailbox.try_send(n).unwrap();
        }
        assert_eq!(mailbox.try_send(3), Err(Full));
        mailbox.answer(9);
        tokio::time::sleep(Duration::from_millis(20)).await;
        mailbox.try_send(4).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(*lock(&seen), [vec![0, 1, 2, 9], vec![4]]);
        assert_eq!(alive.load(Ordering::Relaxed), 1);
        drop(mailbox);
        assert_eq!(
            (alive.load(Ordering::Relaxed), gone.load(Ordering::SeqCst)),
            (0, true)
        );
    }
}
