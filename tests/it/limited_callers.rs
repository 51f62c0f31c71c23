//! The permission matrix once more, by callers whose token or user is limited (11.9, 11.10): every
//! operation by an owner whose token only reads, by an owner whose token names another book, and by
//! one that is disabled. All of them bring an API key of the owner, and so do callers without a
//! permission: it changes nothing (10.13).

use daybook_tests::{Client, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::matrix::{Operation, operations};
use crate::permissions::{CALLERS, Stage};

/// How the names of operations begin that only read.
const READING: [&str; 5] = ["get_", "list_", "load_", "search_", "count_"];

/// Callers of the matrix whom an API key of the owner could help.
const WITHOUT_PERMISSION: [&str; 3] = ["viewer", "stranger", "anonymous"];

pub fn tests() -> Vec<Case> {
    let case = |operation: &'static Operation| {
        Case::shared(format!("{}_by_limited_callers", operation.name), move |server| {
            check(server, operation)
        })
    };
    operations().map(case).collect()
}

fn check(server: &Server, operation: &Operation) {
    let stage = Stage::new(server, "PRIVATE");
    let owner = &stage.cast.owner;
    let other = owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let created = owner.post("/v5/user/keys", &json!({})).ok();
    let key = created["key"].as_str().expect("a key");
    let with_key = |caller: &Client| caller.header("service-api-key", key);
    let elsewhere = with_key(&issued(server, owner, json!({"books": [other["id"]]})));
    let reader = with_key(&issued(server, owner, json!({"readOnly": true})));
    let before = stage.snapshot();
    (operation.call)(&elsewhere, &stage).refused(403, "insufficientScope");
    let answer = (operation.call)(&reader, &stage);
    if READING.iter().any(|prefix| operation.name.starts_with(prefix)) {
        assert!(matches!(answer.status, 200 | 204), "it reads: {}", answer.text);
    } else {
        answer.refused(403, "insufficientScope");
    }
    let cells = CALLERS.into_iter().zip(operation.cells.split_whitespace());
    for (name, cell) in cells.filter(|(name, _)| WITHOUT_PERMISSION.contains(name)) {
        // What somebody may do without a permission changes the stage; `permissions` looks at it.
        let Ok(status) = cell.parse::<u16>() else { continue };
        let answer = (operation.call)(&with_key(stage.caller(name)), &stage);
        assert_eq!(answer.status, status, "{name} with an API key: {}", answer.text);
    }
    set_disabled(server, owner.email(), "disable");
    // The server has not seen this token before.
    let disabled = with_key(&server.client_with_token(&server.token(owner.email())));
    (operation.call)(&disabled, &stage).refused(403, "disabled");
    set_disabled(server, owner.email(), "enable");
    assert_eq!(stage.snapshot(), before, "a refused request changes nothing");
}

/// A client whose token is limited by this body of the request that issues it.
pub fn issued(server: &Server, owner: &Client, body: Value) -> Client {
    let issued = owner.post("/v5/user/tokens", &body).ok();
    server.client_with_token(issued["token"].as_str().expect("a token"))
}
