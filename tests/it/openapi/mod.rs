//! The published contract and the server agree: routes, refusals of every operation, and the shape
//! of every response.

mod access_session;
mod session;

use std::collections::BTreeSet;

use daybook_tests::openapi::access;
use daybook_tests::openapi::contract::{self, Operation, operations};
use daybook_tests::{Answer, Client, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
pub use session::answers_are_the_documents as every_operation;

/// A new operation is covered here as soon as it is in the document.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        served_as_it_stands,
        page_needs_no_internet,
        the_document_of_access_is_served,
        contract_check_finds_deviations,
    ];
    cases.extend(session::tests());
    cases.extend(access_session::tests());
    for operation in operations() {
        let name = format!("{}_without_token", operation.id);
        cases.push(Case::shared(name, move |server| without_token(server, operation)));
        // Strangers may request access, and learn nothing (7.6): see `access_requests`.
        if operation.id == "requestBookAccess" {
            continue;
        }
        if operation.id == "updateBook"
            || operation.path.contains("{bookId}")
            || is_of_a_collection(operation)
        {
            let name = format!("{}_by_stranger", operation.id);
            cases.push(Case::shared(name, move |server| by_stranger(server, operation)));
        }
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

/// A private book with a resource for every path.
struct Private {
    owner: Client,
    stranger: Client,
    book: String,
    account: String,
    group: String,
    transaction: String,
    query: String,
    integration: String,
    file: String,
    collection: String,
    collaborator: String,
    request: String,
    event: String,
}

impl Private {
    #[track_caller]
    fn new(server: &Server) -> Private {
        let person = |kind: &str| server.client(&format!("{}@example.com", unique(kind)));
        let (owner, stranger) = (person("owner"), person("stranger"));
        let book = id(&owner.post("/v5/books", &json!({"name": "Private"})).ok()).to_owned();
        let create =
            |noun: &str, body: Value| owner.post(&format!("/v5/books/{book}/{noun}"), &body).ok();
        let first = |noun: &str| {
            id(&owner.get(&format!("/v5/books/{book}/{noun}")).ok()["items"][0]).to_owned()
        };
        let account = id(&create("accounts", json!({"name": "Cash", "type": "ASSET"}))).to_owned();
        let group = id(&create("groups", json!({"name": "Assets"}))).to_owned();
        let transaction = id(&create(
            "transactions",
            json!({"amount": "1", "description": "Secret"}),
        )["transaction"])
        .to_owned();
        let query = id(&create("queries", json!({"query": "is:draft"}))).to_owned();
        let app = owner.post("/v5/apps", &json!({"id": unique("app"), "name": "App"})).ok();
        let integration = id(&create("integrations", json!({"agentId": app["id"]}))).to_owned();
        let file = id(&create("files", json!({"name": "Secret"}))).to_owned();
        let collection =
            id(&owner.post("/v5/collections", &json!({"name": "Private"})).ok()).to_owned();
        owner
            .patch(
                &format!("/v5/collections/{collection}/books/add"),
                &json!({"items": [{"id": book}]}),
            )
            .ok();
        let ask = format!("/v5/books/{book}/collaborators/request?permission=VIEWER");
        person("asking").post(&ask, &Value::Null).no_content();
        let (collaborator, event) = (first("collaborators"), first("events"));
        let request = first("collaborators/request");
        Private {
            owner,
            stranger,
            account,
            group,
            transaction,
            query,
            integration,
            file,
            collection,
            collaborator,
            request,
            event,
            book,
        }
    }

    /// The path with existing ids.
    fn fill(&self, path: &str) -> String {
        let found = [
            ("/accounts/", &self.account),
            ("/groups/", &self.group),
            ("/transactions/", &self.transaction),
            ("/queries/", &self.query),
            ("/integrations/", &self.integration),
            ("/files/", &self.file),
            ("/collections/", &self.collection),
            ("/request/", &self.request),
            ("/collaborators/", &self.collaborator),
            ("/events/", &self.event),
        ];
        let resource =
            found.into_iter().find(|(noun, _)| path.contains(noun)).map_or("", |(_, id)| id);
        let path = path.replace("{bookId}", &self.book).replace("{id}", resource);
        path.replace("{agentId}", "some-app")
    }

    /// A body that every writing operation accepts: each reads its fields and ignores the others
    /// (0.10).
    fn body(&self, operation: Operation) -> Value {
        let resource = if operation.id == "updateCollection" {
            &self.collection
        } else if operation.path == "/v5/books" || is_of_a_collection(operation) {
            &self.book
        } else if operation.path.contains("/transactions") {
            &self.transaction
        } else if operation.path.contains("/files") {
            &self.file
        } else if operation.path.contains("/groups") {
            &self.group
        } else if operation.path.contains("/queries") {
            &self.query
        } else if operation.path.contains("/integrations") {
            &self.integration
        } else {
            &self.account
        };
        match operation.method {
            "GET" | "DELETE" => Value::Null,
            _ => json!({
                "id": resource, "name": "Stolen", "query": "is:draft", "type": "ASSET",
                "email": "thief@example.com", "permission": "OWNER",
                "items": [
                    {
                        "id": resource, "name": "Stolen", "type": "ASSET", "description": "Stolen",
                        "amount": "1",
                    },
                ],
            }),
        }
    }
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

/// 7.4: a stranger gets the same response for existing and for unknown resources.
fn by_stranger(server: &Server, operation: Operation) {
    let private = Private::new(server);
    let events = private.owner.get(&format!("/v5/books/{}/events", private.book)).ok();
    let (path, body) = (private.fill(operation.path), private.body(operation));
    let answer = private.stranger.send(operation.method, &path, &body);
    let faults = operation.faults(answer.status, &answer.text);
    assert!(faults.is_empty(), "{faults:?}");
    let message = answer.refused(404, "notFound");

    // A well-formed id that does not exist.
    let reversed = |id: &str| -> String { id.chars().rev().collect() };
    let elsewhere = |text: &str| {
        text.replace(&private.book, &reversed(&private.book))
            .replace(&private.collection, &reversed(&private.collection))
    };
    let body = if body.is_null() {
        body
    } else {
        serde_json::from_str(&elsewhere(&body.to_string())).expect("JSON")
    };
    let missing =
        private.stranger.send(operation.method, &elsewhere(&path), &body).refused(404, "notFound");
    assert_eq!(elsewhere(&message), missing, "7.4: private and missing books look the same");

    let after = private.owner.get(&format!("/v5/books/{}/events", private.book)).ok();
    assert_eq!(after, events, "nothing happened in the book");
    let stored = private.owner.get(&format!("/v5/collections/{}", private.collection)).ok();
    assert_eq!(
        (&stored["name"], id(&stored["books"][0])),
        (&json!("Private"), private.book.as_str()),
        "nor to the collection"
    );
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
