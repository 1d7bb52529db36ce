//! Calls of identity. Registration and e-mail confirmation stand in affiliates, which also places the person.

mod account;
mod email;
pub mod google;
mod passkeys;
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
        .service(passkeys::options)
        .service(passkeys::enter)
        .service(passkeys::list)
        .service(passkeys::begin)
        .service(passkeys::add)
        .service(passkeys::rename)
        .service(passkeys::remove)
        .service(passkeys::prove)
        .service(account::forgot)
        .service(account::verify_signature)
        .service(account::redefine)
        .service(account::change_password)
        .service(account::setup_two_factor)
        .service(account::patch_me)
        .service(account::acceptances)
        .service(account::own_looks)
        .service(account::upload_image)
        .service(account::remove_image)
        .service(email::change_email)
        .service(email::take_back)
        .service(email::look)
        .service(email::confirm)
        .service(google::start)
        .service(google::callback)
        .service(google::link)
        .service(google::unlink)
        .service(account::resend_confirmation)
        .service(account::correct_email)
        .service(account::password_strength)
        .service(people::list_roles)
        .service(people::invite_again)
        .service(people::upload_user_image)
        .service(people::remove_user_image)
        .service(people::list_notes)
        .service(people::add_note)
        .service(people::user_sessions)
        .service(people::end_user_sessions)
        .service(people::pictures);
}

/// Registers the pages that stand outside `/api`.
pub fn configure_pages(cfg: &mut actix_web::web::ServiceConfig) {
    super::freeze_page::configure(cfg);
}
