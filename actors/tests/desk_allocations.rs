//! The engine allocates nothing per quote: counted by the allocator itself. One test per process, so that nothing else counts.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(
    unsafe_code,
    reason = "a counting allocator cannot be written without it; it only forwards to the system's"
)]

use actors::desk::{
    dice::Dice,
    engine::{Engine, EngineRules},
    market::{InstrumentId, Market, Price, Quantity, Quote},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_allocation_per_quote() {
    let mut market = Market::default();
    for venue in ["a", "b", "c", "d", "e"] {
        market.add_venue(venue, 500).unwrap();
        for coin in 0..40 {
            market.add_instrument(venue, &format!("C{coin}"), "USDT").unwrap();
            if coin > 0 {
                market.add_instrument(venue, &format!("C{coin}"), "C0").unwrap();
            }
        }
    }
    let usdt = market.asset("USDT").unwrap();
    let instruments = market.instruments().len() as u64;
    let mut engine = Engine::new(Arc::new(market), usdt, EngineRules::default());
    let mut dice = Dice::new(3);
    let (mut seen, mut taken) = (0u64, 0u64);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for now in 0..200_000 {
        let id = InstrumentId(dice.below(instruments) as u32);
        // A spread of 1 % either way: many cycles open and close, some go stale.
        let mid = 10_000_000_000 + dice.between(-100_000_000, 100_000_000);
        let quantity = Quantity(dice.between(0, 1_000_000_000));
        let quote = Quote {
            bid: Price(mid - 1_000),
            ask: Price(mid + 1_000),
            bid_quantity: quantity,
            ask_quantity: quantity,
            at_ms: now,
        };
        engine.on_quote(id, quote, now);
        seen += engine.moved().len() as u64;
        if let Some(cycle) = engine.moved().first().copied() {
            let size = engine.depth(cycle);
            engine.take(cycle, size);
            taken += 1;
        }
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(
        seen > 10_000 && taken > 1_000 && engine.opened() > 10_000,
        "the stream exercised opening and closing"
    );
    assert_eq!(allocations, 0);
}
