//! People as staff see them: the list, one person, their place in the network, what the log says of them. Reads anything, writes nothing.
//!
//! Money stands here for those who hold `admin_permissions` alone; others who may see people read `null` there. What is changed stands in
//! `identity::people`, `affiliates::invitations` and `approvals::grants`.

mod list;
mod logs;
mod network;
mod store;
mod view;

use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(list::users)
        .service(view::user)
        .service(network::network)
        .service(logs::logs);
}
