//! The permission matrix with limited tokens (11.9, 11.10). An owner with a read-only token, an
//! owner whose token is for another book and a disabled owner call every operation. They, and
//! callers without a permission, also send an API key of the owner, which changes nothing (10.13).

use daybook_tests::{Client, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::matrix::{Operation, operations};
use crate::permissions::{CALLERS, PermissionFixture};

/// The name prefixes of reading operations.
const READING: [&str; 6] = ["get_", "list_", "load_", "search_", "count_", "preview_"];

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
    let fixture = PermissionFixture::new(server, "PRIVATE");
    let owner = &fixture.cast.owner;
    let other = owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let created = owner.post("/v5/user/keys", &json!({})).ok();
    let key = created["key"].as_str().expect("a key");
    let with_key = |caller: &Client| caller.header("service-api-key", key);
    let elsewhere = with_key(&issued(server, owner, json!({"books": [other["id"]]})));
    let reader = with_key(&issued(server, owner, json!({"readOnly": true})));
    let before = fixture.snapshot();
    (operation.call)(&elsewhere, &fixture).refused(403, "insufficientScope");
    let answer = (operation.call)(&reader, &fixture);
    if READING.iter().any(|prefix| operation.name.starts_with(prefix)) {
        assert!(matches!(answer.status, 200 | 204), "it reads: {}", answer.text);
    } else {
        answer.refused(403, "insufficientScope");
    }
    let cells = CALLERS.into_iter().zip(operation.cells.split_whitespace());
    for (name, cell) in cells.filter(|(name, _)| WITHOUT_PERMISSION.contains(name)) {
        // Calls that are allowed without a permission change the fixture; `permissions` tests them.
        let Ok(status) = cell.parse::<u16>() else { continue };
        let answer = (operation.call)(&with_key(fixture.caller(name)), &fixture);
        assert_eq!(answer.status, status, "{name} with an API key: {}", answer.text);
    }
    set_disabled(server, owner.email(), "disable");
    // The server has not seen this token before.
    let disabled = with_key(&server.client_with_token(&server.token(owner.email())));
    (operation.call)(&disabled, &fixture).refused(403, "disabled");
    set_disabled(server, owner.email(), "enable");
    assert_eq!(fixture.snapshot(), before, "a refused request changes nothing");
}

/// A client with a token limited by this body of the issuing request.
pub fn issued(server: &Server, owner: &Client, body: Value) -> Client {
    let issued = owner.post("/v5/user/tokens", &body).ok();
    server.client_with_token(issued["token"].as_str().expect("a token"))
}
