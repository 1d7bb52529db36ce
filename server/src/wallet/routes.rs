//! Every handler of this room.

use super::{deposits, hot, intents, user_wallets, withdrawals};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.configure(intents::routes::configure)
        .configure(deposits::routes::configure)
        .configure(user_wallets::routes::configure)
        .configure(super::graduation_bonuses::routes::configure)
        .configure(withdrawals::routes::configure)
        .configure(withdrawals::admin::configure)
        .configure(hot::routes::configure);
}
