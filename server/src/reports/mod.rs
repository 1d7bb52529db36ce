//! Read models that cross rooms: the public configuration, /me, people as staff see them, the dashboards. Reads anything,
//! writes nothing but what a room's own door does ([`approvals`]: a word that is taken back) and that somebody looked ([`relations`]).

pub mod activity;
pub mod analytics;
pub mod approvals;
pub mod audit;
pub mod figures;
pub mod finances;
pub mod flows;
pub mod me;
pub mod origin;
pub mod overview;
pub mod paid;
pub mod people;
pub mod relations;
pub mod results;
pub mod robots;
pub mod routes;
pub mod sales;
pub mod solvency;
pub mod statement;
pub mod waiting;
pub mod yearly;
