//! What bonuses came to: one's own, everybody's, and the points that closings lost. Reads only.

pub mod detail;
pub mod routes;
mod store;
