//! The permission matrix with limited tokens (11.9, 11.10), and the operations outside of books. An
//! owner with a read-only token, an owner whose token is for another book and a disabled owner call
//! every operation. They, and callers without a permission, also send an API key of the owner,
//! which changes nothing (10.13).

use daybook_tests::{Client, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::matrix::{Operation, operations};
use crate::permissions::{CALLERS, PermissionFixture};
use crate::targets::Targets;
use daybook_tests::openapi::contract;

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
    let mut cases = crate::cases![operations_outside_of_books];
    cases.extend(operations().map(case));
    cases
}

/// The operations outside of books that a token for a book permits (11.9).
const FOR_A_BOOK: [&str; 7] = [
    "listBooks",
    "updateBook",
    "getUser",
    "getBilling",
    "getBillingCheckout",
    "getBillingPortal",
    "listTemplates",
];

fn operations_outside_of_books(server: &Server) {
    let targets = Targets::new(server);
    let owner = &targets.cast.owner;
    let of_book = issued(server, owner, json!({"books": [targets.cast.book]}));
    let reader = issued(server, owner, json!({"readOnly": true}));
    let before = targets.snapshot();
    let elsewhere = ["/v5/books/{bookId}", "/v5/administration/"];
    for operation in contract::operations() {
        if elsewhere.iter().any(|prefix| operation.path.starts_with(prefix)) {
            continue;
        }
        if !FOR_A_BOOK.contains(&operation.id) {
            targets.call(&of_book, operation, "Refused").refused(403, "insufficientScope");
        }
        let answer = targets.call(&reader, operation, "Refused");
        if operation.writes() {
            answer.refused(403, "insufficientScope");
        } else {
            assert_ne!(answer.status, 403, "{}: {}", operation.id, answer.text);
        }
    }
    assert_eq!(targets.snapshot(), before, "a refused request changes nothing");
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
