//! Calls of identity. Registration and e-mail confirmation stand in affiliates, which also places the person.

mod account;
mod people;
mod session;

use utoipa_actix_web::service_config::ServiceConfig;

/// Registers the room's calls below `/api`.
pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(session::login)
        .service(session::second_step)
        .service(session::resend)
        .service(session::refresh)
        .service(session::logout)
        .service(session::sessions)
        .service(session::end_session)
        .service(account::forgot)
        .service(account::verify_signature)
        .service(account::redefine)
        .service(account::new_password)
        .service(account::change_password)
        .service(account::setup_two_factor)
        .service(account::patch_me)
        .service(account::upload_image)
        .service(account::resend_confirmation)
        .service(account::correct_email)
        .service(account::password_strength)
        .service(people::list_roles);
}

/// Registers the pages that stand outside `/api`.
pub fn configure_pages(cfg: &mut actix_web::web::ServiceConfig) {
    super::freeze_page::configure(cfg);
}
