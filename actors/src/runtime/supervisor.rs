//! Rebuilds an actor's state from its factory after a panic. actix does not: an actor whose handler panics is gone with its
//! mailbox, and its addresses are dead. So a handler's work runs inside this guard; when it panics, what the new state needs
//! of the old one (its subscribers and how far each got) is salvaged, everything else is thrown away and loaded anew. The
//! address stays good and no subscriber notices more than a short wait.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// State that can be made anew.
pub trait Rebuild: Sized {
    /// For the log.
    fn name(&self) -> String;
    /// The factory: a fresh state, with what can be trusted of the broken one.
    fn rebuild(&mut self) -> Self;
}

pub struct Supervised<S> {
    state: S,
    rebuilt: u32,
}

impl<S: Rebuild> Supervised<S> {
    pub const fn new(state: S) -> Self {
        Self { state, rebuilt: 0 }
    }

    /// Runs a piece of work; `None` when it panicked and the state was rebuilt.
    pub fn run<R>(&mut self, work: impl FnOnce(&mut S) -> R) -> Option<R> {
        // The state is replaced below before anybody looks at it again, so what a panic left half-done is never seen.
        match catch_unwind(AssertUnwindSafe(|| work(&mut self.state))) {
            Ok(result) => Some(result),
            Err(cause) => {
                let cause = cause
                    .downcast_ref::<&str>()
                    .map(ToString::to_string)
                    .or_else(|| cause.downcast_ref::<String>().cloned())
                    .unwrap_or_default();
                tracing::error!(
                    actor = self.state.name(),
                    cause,
                    "an actor panicked and is rebuilt"
                );
                metrics::counter!("actors_rebuilt_total").increment(1);
                let fresh = self.state.rebuild();
                self.state = fresh;
                self.rebuilt = self.rebuilt.saturating_add(1);
                None
            }
        }
    }

    /// How often it was rebuilt.
    #[must_use]
    pub const fn rebuilt(&self) -> u32 {
        self.rebuilt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum {
        kept: Vec<u32>,
        half_done: bool,
    }
    impl Rebuild for Sum {
        fn name(&self) -> String {
            "sum".into()
        }
        fn rebuild(&mut self) -> Self {
            Self {
                kept: std::mem::take(&mut self.kept),
                half_done: false,
            }
        }
    }

    #[test]
    fn a_panic_costs_the_broken_state_only() {
        let mut sum = Supervised::new(Sum {
            kept: vec![1],
            half_done: false,
        });
        assert_eq!(sum.run(|s| s.kept.push(2)), Some(()));
        assert_eq!(
            sum.run(|s| {
                s.half_done = true;
                if s.half_done {
                    panic!("in the middle");
                }
            }),
            None
        );
        assert_eq!(
            sum.run(|s| (s.kept.clone(), s.half_done)),
            Some((vec![1, 2], false))
        );
        assert_eq!(sum.rebuilt(), 1);
    }
}
