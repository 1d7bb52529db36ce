//! A token bucket in sixteen bytes: so many messages at once, so many a second after that.

#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Thousandths of a token.
    tokens: u32,
    /// Milliseconds since the node's start.
    at: u64,
}

impl Bucket {
    #[must_use]
    pub fn full(burst: u32, now: u64) -> Self {
        Self {
            tokens: burst.saturating_mul(1000),
            at: now,
        }
    }

    /// Takes one token; false when there is none.
    pub fn take(&mut self, burst: u32, per_second: u32, now: u64) -> bool {
        let earned = now.saturating_sub(self.at).saturating_mul(u64::from(per_second));
        let earned = u32::try_from(earned).unwrap_or(u32::MAX);
        self.at = now;
        self.tokens = self.tokens.saturating_add(earned).min(burst.saturating_mul(1000));
        match self.tokens.checked_sub(1000) {
            Some(rest) => {
                self.tokens = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bucket;

    #[test]
    fn a_burst_then_a_rate() {
        let mut bucket = Bucket::full(3, 1000);
        assert_eq!(
            [(); 4].map(|()| bucket.take(3, 2, 1000)),
            [true, true, true, false]
        );
        assert!(!bucket.take(3, 2, 1400));
        assert!(bucket.take(3, 2, 1500));
        assert!(!bucket.take(3, 2, 1500));
        // A long rest fills the bucket, and no more than that.
        assert_eq!(
            [(); 4].map(|()| bucket.take(3, 2, 4_000_000_000)),
            [true, true, true, false]
        );
        // A clock that seems to go back earns nothing and breaks nothing.
        assert!(!bucket.take(3, 2, 5));
    }
}
