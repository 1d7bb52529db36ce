//! What lists of all rooms have in common: a view restricted by what was asked, a page of it, and how many rows there are in all.

mod store;

pub use store::{any_like, between, find, page};
