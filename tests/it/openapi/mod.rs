//! The published contract and the server agree: routes, refusals of every operation, and the shape
//! of every response.

mod access_session;
mod session;

use std::collections::BTreeSet;

use daybook_tests::openapi::access;
use daybook_tests::openapi::contract::{self, Operation, operations};
use daybook_tests::{Answer, Server, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::targets::Targets;
pub use session::answers_are_the_documents as every_operation;

/// A new operation is covered here as soon as it is in the document.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        served_as_it_stands,
        page_needs_no_internet,
        the_document_of_access_is_served,
        contract_check_finds_deviations,
        strangers_find_nothing,
    ];
    cases.extend(session::tests());
    cases.extend(access_session::tests());
    for operation in operations() {
        let name = format!("{}_without_token", operation.id);
        cases.push(Case::shared(name, move |server| without_token(server, operation)));
    }
    let paths: BTreeSet<&str> = operations().iter().map(|operation| operation.path).collect();
    for path in paths {
        let name = format!("other_methods_on{}", path.replace(['/', '{', '}'], "_"));
        cases.push(Case::shared(name, move |server| other_methods(server, path)));
    }
    cases
}

/// Whether the operation is about a collection, by path or body.
fn is_of_a_collection(operation: Operation) -> bool {
    operation.path.starts_with("/v5/collections/") || operation.id == "updateCollection"
}

/// 0.25: except for the addresses of the installation.
fn served_as_it_stands(server: &Server) {
    let own = format!("{}/auth", server.base());
    let answer = server.anonymous().get("/openapi.json");
    assert_eq!(answer.status, 200);
    assert!(answer.headers["content-type"].starts_with("application/json"), "{:?}", answer.headers);
    let expected = contract::TEXT.replace("http://127.0.0.1:8080/auth", &own);
    assert!(answer.text == expected, "GET /openapi.json is openapi/openapi.json byte by byte");
    let answer = server.anonymous().get("/openapi-3.1.json");
    assert!(answer.headers["content-type"].starts_with("application/json"), "{:?}", answer.headers);
    let stored = include_str!("../../../openapi/openapi-3.1.json");
    let expected = stored.replace("http://127.0.0.1:8080", server.base());
    assert!(answer.text == expected, "GET /openapi-3.1.json is openapi/openapi-3.1.json");
}

fn page_needs_no_internet(server: &Server) {
    let answer = server.anonymous().get("/docs");
    assert_eq!(answer.status, 200);
    assert!(answer.headers["content-type"].starts_with("text/html"), "{:?}", answer.headers);
    // The page may contain only its own address, in example commands.
    let page = answer.text.replace("http://127.0.0.1:8080", "");
    for outside in ["http://", "https://", "src=\"//", "href=\"//", "url(//", "@import"] {
        assert!(!page.contains(outside), "the page refers to {outside}...");
    }
    assert!(
        page.contains("default-src 'none'"),
        "the page's own policy forbids what it does not need"
    );
}

fn without_token(server: &Server, operation: Operation) {
    let path = operation.path.replace("{bookId}", "nobody").replace("{id}", "nothing");
    let body = if matches!(operation.method, "GET" | "DELETE") {
        Value::Null
    } else {
        json!({"id": "nobody", "name": "x", "items": []})
    };
    for caller in [server.anonymous(), server.client_with_token("not.a.token")] {
        let answer = caller.send(operation.method, &path, &body);
        let faults = operation.faults(answer.status, &answer.text);
        assert!(faults.is_empty(), "{faults:?}");
        answer.refused(401, "required");
    }
}

/// Whether a stranger must find nothing.
fn is_hidden_from_strangers(operation: &Operation) -> bool {
    // Strangers may request access, and learn nothing (7.6): see `access_requests`.
    operation.id != "requestBookAccess"
        && (operation.id == "updateBook"
            || operation.path.contains("{bookId}")
            || is_of_a_collection(*operation))
}

/// 7.4: a stranger gets the same response for existing and for unknown resources.
fn strangers_find_nothing(server: &Server) {
    let targets = Targets::new(server);
    let (book, owner) = (&targets.cast.book, &targets.cast.owner);
    let stranger = server.client(&format!("{}@example.com", unique("stranger")));
    let shelf = format!("/v5/collections/{}", targets.collection);
    let stored = || (targets.cast.get("/events").ok(), owner.get(&shelf).ok());
    let before = stored();
    // A well-formed id that does not exist.
    let reversed = |id: &str| -> String { id.chars().rev().collect() };
    let elsewhere = |text: &str| {
        text.replace(book, &reversed(book))
            .replace(&targets.collection, &reversed(&targets.collection))
    };
    for operation in operations().into_iter().filter(is_hidden_from_strangers) {
        let (path, body) = (targets.path(operation), targets.body(operation, "Stolen"));
        let answer = stranger.send(operation.method, &path, &body);
        let faults = operation.faults(answer.status, &answer.text);
        assert!(faults.is_empty(), "{}: {faults:?}", operation.id);
        assert_eq!(answer.status, 404, "{}: {}", operation.id, answer.text);
        let message = answer.refused(404, "notFound");
        let body = serde_json::from_str(&elsewhere(&body.to_string())).expect("JSON");
        let missing =
            stranger.send(operation.method, &elsewhere(&path), &body).refused(404, "notFound");
        let same = "7.4: private and missing books look the same";
        assert_eq!(elsewhere(&message), missing, "{}: {same}", operation.id);
        let nothing = "nothing happened in the book, nor to the collection";
        assert_eq!(stored(), before, "{}: {nothing}", operation.id);
    }
}

/// Whether a path matches this template.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) =
        (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(part, given)| part.starts_with('{') || *part == given)
}

fn other_methods(server: &Server, path: &str) {
    let caller = server.client(&format!("{}@example.com", unique("stranger")));
    let filled = path.replace("{bookId}", "nobody").replace("{id}", "nothing");
    // `GET .../accounts/batch` requests an account named batch: a path of another template is not a
    // wrong method.
    let all = operations();
    let taken: BTreeSet<&str> = all
        .iter()
        .filter(|operation| fits(operation.path, &filled))
        .map(|operation| operation.method)
        .collect();
    let others: Vec<&str> = ["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"]
        .into_iter()
        .filter(|method| !taken.contains(method))
        .collect();
    for method in others {
        caller.send(method, &filled, &Value::Null).refused(405, "methodNotAllowed");
    }
}

/// 11.22: as in the source tree, except for the address of the installation.
fn the_document_of_access_is_served(server: &Server) {
    let answer = server.anonymous().get("/auth/openapi.json");
    access::is_documented("GET", "/auth/openapi.json", &answer);
    let own = access::TEXT.replacen("http://127.0.0.1:8080", server.base(), 1);
    assert!(answer.text == own, "GET /auth/openapi.json is openapi/auth.json");
    let beside = server.beside(&["--public-url", "https://books.example.com/api"]);
    let answer = beside.anonymous().get("/auth/openapi.json").ok();
    assert_eq!(answer["servers"][0]["url"], "https://books.example.com/api");
}

/// Tests the check itself, which otherwise could pass everything.
fn contract_check_finds_deviations(server: &Server) {
    let find = |method, path| access::find(method, path).expect("an operation");
    let refused = server.anonymous().send_raw("POST", "/auth/token", None, b"");
    let token = find("POST", "/auth/token");
    assert_eq!(token.faults(&refused), Vec::<String>::new());
    let changed = |change: &dyn Fn(&mut Answer)| {
        let mut answer = refused.clone();
        change(&mut answer);
        token.faults(&answer)
    };
    let faults = [
        changed(&|answer| answer.status = 418),
        changed(&|answer| answer.body["error"] = "other".into()),
        changed(&|answer| answer.body["secret"] = "x".into()),
        changed(&|answer| drop(answer.headers.remove("cache-control"))),
        changed(&|answer| drop(answer.headers.insert("content-type".into(), "text/html".into()))),
        find("GET", "/auth/login").faults(&refused),
    ];
    assert!(faults.iter().all(|faults| !faults.is_empty()), "{faults:?}");
}
