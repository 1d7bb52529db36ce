//! What holds for every call: unknown paths, methods, content types, tokens, languages, limits.

use crate::kit::TestApp;
use serde_json::json;

#[actix_web::test]
async fn the_configuration_is_public() {
    let app = TestApp::start().await;
    let reply = app.anonymous().get("/config").await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body["world"], "demo");
    assert_eq!(reply.body["defaultRate"], "5.0000");
    assert_eq!(
        reply.body["officer"],
        json!({ "name": "Olívia Prado", "email": "privacidade@arbora.example" })
    );
}

#[actix_web::test]
async fn refusals_speak_the_callers_language() {
    let app = TestApp::start().await;
    for (language, text) in [
        ("pt-br", "Não encontrado."),
        ("en", "Not found."),
        ("es", "No encontrado."),
        ("xx", "Não encontrado."),
    ] {
        let reply = app.anonymous().locale(language).get("/nothing/here").await;
        assert_eq!((reply.status, reply.body["message"].as_str()), (404, Some(text)));
        assert_eq!(reply.body["code"], "request.not_found");
    }
}

#[actix_web::test]
async fn other_methods_and_bad_tokens_are_refused() {
    let app = TestApp::start().await;
    assert_eq!(app.anonymous().delete("/config").await.status, 405);
    assert_eq!(app.anonymous().post("/config", &json!({})).await.status, 405);
}
