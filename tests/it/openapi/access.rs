//! The document of signing in and of tokens (11.22), and answers checked against it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use daybook_tests::{Answer, Server};
use serde_json::Value;

use super::contract::{check, resolve};
use crate::Case;

/// The file in the tree.
const TEXT: &str = include_str!("../../../openapi/auth.json");

pub fn tests() -> Vec<Case> {
    crate::cases![
        routes_outside_of_books_are_documented,
        what_clients_send_is_documented,
        the_document_of_access_is_served,
        what_contradicts_the_document_is_found,
    ]
}

/// An operation of the document.
#[derive(Clone, Copy)]
pub struct AccessOperation {
    /// In upper case.
    pub method: &'static str,
    pub path: &'static str,
    pub id: &'static str,
    value: &'static Value,
}

pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(TEXT).expect("auth.json is JSON"))
}

pub fn operations() -> Vec<AccessOperation> {
    let paths = document()["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, entry)| {
        entry.as_object().expect("a path").iter().map(move |(method, value)| {
            let method = match method.as_str() {
                "get" => "GET",
                "post" => "POST",
                other => panic!("{path}: {other}"),
            };
            let id = value["operationId"].as_str().expect("an operationId");
            AccessOperation { method, path, id, value }
        })
    });
    all.collect()
}

impl AccessOperation {
    /// The names that it reads in its query, or in its form.
    pub fn names(&self) -> BTreeSet<&'static str> {
        let listed = self.value["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let query = listed.iter().filter_map(|parameter| resolve(parameter)["name"].as_str());
        let mut names: BTreeSet<&str> = query.collect();
        let form = &self.value["requestBody"]["content"]["application/x-www-form-urlencoded"];
        add_fields(&form["schema"], &mut names);
        names
    }

    fn takes(&self, method: &str, path: &str) -> bool {
        let open = self.path.strip_suffix("{path}");
        self.method == method
            && open.map_or(self.path == path, |start| {
                path.strip_prefix(start).is_some_and(|rest| !rest.is_empty())
            })
    }

    /// How this answer differs from the document, a line per fault.
    pub fn faults(&self, answer: &Answer) -> Vec<String> {
        let status = answer.status.to_string();
        let Some(response) = self.value["responses"].get(&status).map(resolve) else {
            return vec![format!("{}: {status} is not documented: {}", self.id, answer.text)];
        };
        let mut faults = Vec::new();
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = resolve(header);
            match answer.headers.get(&name.to_lowercase()) {
                Some(value) => {
                    let number = header["schema"]["type"] == "integer";
                    let read = value.parse::<u64>().map(Value::from).ok().filter(|_| number);
                    let read = read.unwrap_or_else(|| Value::from(value.as_str()));
                    check(&header["schema"], &read, name, &mut faults);
                }
                None if header["required"] == true => faults.push(format!("no {name}")),
                None => {}
            }
        }
        self.check_body(response, answer, &mut faults);
        faults
    }

    fn check_body(&self, response: &'static Value, answer: &Answer, faults: &mut Vec<String>) {
        let kind = answer.headers.get("content-type").map_or("", |kind| kind.as_str());
        let essence = kind.split(';').next().unwrap_or_default();
        let documented = response["content"].as_object();
        match documented.and_then(|kinds| kinds.get(essence)) {
            None if documented.is_none() && answer.text.is_empty() => {}
            None => faults.push(format!("{}: a body of {kind:?}: {}", self.id, answer.text)),
            Some(_) if essence == "text/html" => {
                let whole = answer.text.starts_with("<!DOCTYPE html>")
                    && !answer.text.contains("<script")
                    && answer.headers.contains_key("content-security-policy");
                if !whole {
                    faults.push(format!("no page without scripts: {}", answer.text));
                }
            }
            Some(media) => check(&media["schema"], &answer.body, "answer", faults),
        }
    }
}

fn add_fields(schema: &'static Value, names: &mut BTreeSet<&'static str>) {
    let schema = resolve(schema);
    let properties = schema["properties"].as_object().into_iter().flatten();
    names.extend(properties.map(|(name, _)| name.as_str()));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        add_fields(part, names);
    }
}

/// The operation that a request asks for.
pub fn find(method: &str, path: &str) -> Option<AccessOperation> {
    let path = path.split('?').next().unwrap_or_default();
    operations().into_iter().find(|operation| operation.takes(method, path))
}

/// Asserts that an answer is one of the document.
#[track_caller]
pub fn is_documented(method: &str, path: &str, answer: &Answer) {
    let operation = find(method, path).unwrap_or_else(|| panic!("{method} {path} is documented"));
    let faults = operation.faults(answer);
    assert!(faults.is_empty(), "{method} {path}: {} {faults:#?}", answer.status);
}

/// What is served below `/auth` and `/.well-known` is documented, and the reverse.
fn routes_outside_of_books_are_documented(_: &Server) {
    let routes = daybook_http::routes::operations();
    let served: BTreeSet<(String, String)> = routes
        .iter()
        .filter(|route| ["/auth/", "/.well-known/"].iter().any(|at| route.path.starts_with(at)))
        .map(|route| (route.method.to_string(), route.path.replace(":.*}", "}")))
        .collect();
    let documented: BTreeSet<(String, String)> = operations()
        .iter()
        .map(|operation| (operation.method.to_owned(), operation.path.to_owned()))
        .collect();
    let missing: Vec<_> = served.difference(&documented).collect();
    let promised: Vec<_> = documented.difference(&served).collect();
    assert!(
        missing.is_empty() && promised.is_empty(),
        "only served: {missing:?}, only documented: {promised:?}"
    );
    let ids: BTreeSet<&str> = operations().iter().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), documented.len(), "an operationId names one operation");
}

/// Forms and queries have their names in the document, and each that writes says who may.
fn what_clients_send_is_documented(_: &Server) {
    for operation in operations() {
        let has_form = operation.value.get("requestBody").is_some();
        let reads_none = ["refresh", "userinfoByPost"].contains(&operation.id);
        assert_eq!(has_form, operation.method == "POST" && !reads_none, "{}", operation.id);
        assert!(!has_form || !operation.names().is_empty(), "{}", operation.id);
        for word in ["summary", "description", "tags", "security", "responses"] {
            assert!(operation.value.get(word).is_some(), "{} has {word}", operation.id);
        }
        for status in ["200", "303", "default"] {
            let Some(answer) = operation.value["responses"].get(status) else { continue };
            assert!(resolve(answer)["description"].is_string(), "{} {status}", operation.id);
        }
    }
}

/// 11.22: as it stands in the tree, but for the address of the installation.
fn the_document_of_access_is_served(server: &Server) {
    let answer = server.anonymous().get("/auth/openapi.json");
    is_documented("GET", "/auth/openapi.json", &answer);
    let own = TEXT.replacen("http://127.0.0.1:8080", server.base(), 1);
    assert!(answer.text == own, "GET /auth/openapi.json is openapi/auth.json");
    let beside = server.beside(&["--public-url", "https://books.example.com/api"]);
    let answer = beside.anonymous().get("/auth/openapi.json").ok();
    assert_eq!(answer["servers"][0]["url"], "https://books.example.com/api");
}

/// The check itself: one that finds nothing would pass everything.
fn what_contradicts_the_document_is_found(server: &Server) {
    let find = |method, path| find(method, path).expect("an operation");
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
