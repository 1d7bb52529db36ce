//! The audit as staff search it: who did what to whom, one entry with its link, and how the chain stands (docs/rules/reports.md#audit).
//!
//! Reads anything, writes nothing: looking is no event, because entries hold ids, states and amounts and no personal value
//! (docs/rules/foundation.md#audit). What a person's own log shows is the same list, narrowed to them (`people`).

mod actions;
mod chain;
mod list;
pub(super) mod store;

pub use list::{AuditRow, COLUMNS};

use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(list::entries)
        .service(list::entry)
        .service(chain::chain);
}
