//! The permission matrix with limited tokens (11.9, 11.10), and the operations outside of books. An
//! owner with a read-only token, an owner whose token is for another book and a disabled owner call
//! every operation. They, and callers without a permission, also send an API key of the owner,
//! which changes nothing (10.13).

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

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

/// The callers of a fixture that none of them may change, for all cases.
struct LimitedCallers {
    fixture: PermissionFixture,
    /// The owner, with a token for another book.
    elsewhere: Client,
    /// The owner, with a read-only token.
    reader: Client,
    /// An API key of the owner.
    key: String,
    before: [Value; 9],
    /// A book whose owner is disabled.
    disabled: PermissionFixture,
    /// The responses of its editor's reads.
    disabled_before: [Value; 9],
}

impl LimitedCallers {
    /// The callers on the shared server of the suite: a run has one for each engine.
    fn of(server: &Server) -> Arc<OnceLock<LimitedCallers>> {
        type Shared = Mutex<HashMap<SocketAddr, Arc<OnceLock<LimitedCallers>>>>;
        static SHARED: LazyLock<Shared> = LazyLock::new(Mutex::default);
        let mut shared = SHARED.lock().expect("the lock is not poisoned");
        Arc::clone(shared.entry(server.address()).or_default())
    }

    fn new(server: &Server) -> LimitedCallers {
        let fixture = PermissionFixture::new(server, "PRIVATE");
        let owner = &fixture.cast.owner;
        let other = owner.post("/v5/books", &json!({"name": "Other"})).ok();
        let created = owner.post("/v5/user/keys", &json!({})).ok();
        let elsewhere = issued(server, owner, json!({"books": [other["id"]]}));
        let reader = issued(server, owner, json!({"readOnly": true}));
        let disabled = PermissionFixture::new(server, "PRIVATE");
        let disabled_before = disabled.snapshot_by(&disabled.cast.editor);
        set_disabled(server, disabled.cast.owner.email(), "disable");
        LimitedCallers {
            elsewhere,
            reader,
            key: created["key"].as_str().expect("a key").to_owned(),
            before: fixture.snapshot(),
            fixture,
            disabled,
            disabled_before,
        }
    }

    fn with_key(&self, caller: &Client) -> Client {
        caller.header("service-api-key", &self.key)
    }
}

fn check(server: &Server, operation: &Operation) {
    let shared = LimitedCallers::of(server);
    let callers = shared.get_or_init(|| LimitedCallers::new(server));
    let fixture = &callers.fixture;
    let elsewhere = callers.with_key(&callers.elsewhere);
    (operation.call)(&elsewhere, fixture).refused(403, "insufficientScope");
    let answer = (operation.call)(&callers.with_key(&callers.reader), fixture);
    if READING.iter().any(|prefix| operation.name.starts_with(prefix)) {
        assert!(matches!(answer.status, 200 | 204), "it reads: {}", answer.text);
    } else {
        answer.refused(403, "insufficientScope");
    }
    let cells = CALLERS.into_iter().zip(operation.cells.split_whitespace());
    for (name, cell) in cells.filter(|(name, _)| WITHOUT_PERMISSION.contains(name)) {
        // Calls that are allowed without a permission change the fixture; `permissions` tests them.
        let Ok(status) = cell.parse::<u16>() else { continue };
        let answer = (operation.call)(&callers.with_key(fixture.caller(name)), fixture);
        assert_eq!(answer.status, status, "{name} with an API key: {}", answer.text);
    }
    let disabled = &callers.disabled;
    // The server has not seen this token before.
    let owner = server.client_with_token(&server.token(disabled.cast.owner.email()));
    (operation.call)(&callers.with_key(&owner), disabled).refused(403, "disabled");
    assert_eq!(
        disabled.snapshot_by(&disabled.cast.editor),
        callers.disabled_before,
        "a disabled user changes nothing, or another case has changed the shared book"
    );
    assert_eq!(
        fixture.snapshot(),
        callers.before,
        "a refused request changes nothing, or another case has changed the shared book"
    );
}

/// A client with a token limited by this body of the issuing request.
pub fn issued(server: &Server, owner: &Client, body: Value) -> Client {
    let issued = owner.post("/v5/user/tokens", &body).ok();
    server.client_with_token(issued["token"].as_str().expect("a token"))
}
