//! People as staff list, make, see and change them.

mod by_one;
mod by_two;
mod mailboxes;
mod seen;

use crate::kit::{Client, Reply};
use serde_json::{Value, json};

fn edit_path(of: &Client) -> String {
    format!("/admin/user/{}/edit", of.user)
}

pub async fn edit(by: &Client, whom: &Client, body: Value) -> Reply {
    by.patch(&edit_path(whom), &body).await
}

/// Another e-mail, asked for by one and agreed to by another.
pub async fn move_mailbox(one: &Client, other: &Client, whom: &Client, email: &str) {
    let waits = edit(one, whom, json!({ "email": email })).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    approve(other, &waits.body["request"]).await.ok();
}

pub async fn view(by: &Client, whom: &Client) -> Value {
    by.get(&format!("/admin/user/{}", whom.user)).await.ok()
}

pub async fn approve(by: &Client, request: &Value) -> Reply {
    let id = request["_id"].as_str().unwrap();
    by.post(&format!("/admin/grants/{id}/approve"), &json!({})).await
}
