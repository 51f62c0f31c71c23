//! The published documents agree with the routes of the server and with the constants of the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use daybook_domain::reason::Reason;
use daybook_openapi::{client, version_3_1};
use daybook_tests::openapi::access;
use daybook_tests::openapi::contract::{check, document, operations, resolve};
use serde_json::{Value, json};

use super::tree::{read, sources};

/// Asserts that the server has the routes of a document and no others.
#[track_caller]
fn assert_same<T: Debug + Ord>(served: &BTreeSet<T>, documented: &BTreeSet<T>) {
    let missing: Vec<_> = served.difference(documented).collect();
    let promised: Vec<_> = documented.difference(served).collect();
    assert!(
        missing.is_empty() && promised.is_empty(),
        "only served: {missing:?}, only documented: {promised:?}"
    );
}

#[test]
fn routes_are_the_documents() {
    let documented: BTreeSet<(String, &str, &str)> = operations()
        .iter()
        .map(|operation| (operation.method.to_owned(), operation.path, operation.id))
        .collect();
    let served: BTreeSet<(String, &str, &str)> = daybook_http::routes::operations()
        .iter()
        .filter(|operation| !operation.id.is_empty())
        .map(|operation| (operation.method.to_string(), operation.path, operation.id))
        .collect();
    assert_same(&served, &documented);
    let ids: BTreeSet<&str> = operations().iter().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), documented.len(), "an operationId names one operation");
}

/// Operations that take everything from the path.
const WITHOUT_BODY: [&str; 9] = [
    "acceptBookTransfer",
    "auditBook",
    "copyBook",
    "disableUser",
    "enableUser",
    "replayEventResponse",
    "requestBookAccess",
    "restoreBook",
    "undoImport",
];

#[test]
fn operations_are_documented_whole() {
    for operation in operations() {
        let name = operation.id;
        let placed =
            operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let placed: BTreeSet<String> = placed.map(|part| format!("path {part}")).collect();
        let parameters = operation.parameters();
        let declared: BTreeSet<String> =
            parameters.iter().filter(|parameter| parameter.starts_with("path ")).cloned().collect();
        assert_eq!(placed, declared, "{name}: the parameters of the path");
        let distinct: BTreeSet<&String> = parameters.iter().collect();
        assert_eq!(
            distinct.len(),
            parameters.len(),
            "{name}: a parameter is declared once: {parameters:?}"
        );
        let writes =
            matches!(operation.method, "POST" | "PUT" | "PATCH") && !WITHOUT_BODY.contains(&name);
        assert_eq!(
            parameters.iter().any(|parameter| parameter == "body body"),
            writes,
            "{name}: what is written has a body"
        );
        assert_eq!(
            operation.takes("Idempotency-Key"),
            operation.writes(),
            "0.16: {name}: every write takes a key"
        );
        assert!(
            !operation.takes("If-Match") || operation.headers("200").contains(&"ETag"),
            "0.17: {name}: a tag for a tag"
        );
        let mut refusals = vec!["401", "default"];
        refusals.extend(
            operation
                .takes("Idempotency-Key")
                .then_some(["400", "422", "503"])
                .into_iter()
                .flatten(),
        );
        refusals.extend(operation.takes("If-Match").then_some("412"));
        for status in refusals {
            let response =
                operation.response(status).unwrap_or_else(|| panic!("{name} documents {status}"));
            assert_eq!(response["schema"]["$ref"], "#/definitions/Error", "{name}: {status}");
        }
        assert!(
            operation.response("200").or(operation.response("204")).is_some(),
            "{name} documents its success"
        );
    }
}

/// 9.1: the key is declared in both places, and no operation requires it.
#[test]
fn keys_are_declared() {
    let declared = &document()["securityDefinitions"];
    for (name, place, field) in
        [("apiKey", "header", "service-api-key"), ("apiKeyParameter", "query", "key")]
    {
        let key = &declared[name];
        assert_eq!([&key["type"], &key["in"], &key["name"]], ["apiKey", place, field], "{name}");
    }
    assert_eq!(document()["security"], json!([{"oauth2": ["email"]}]));
}

/// 10.6: what the rule says costs more than 1, the document and the routes.
#[test]
fn costs_are_the_documents() {
    let dear: BTreeMap<&str, u64> = [
        ("listBooks", 2),
        ("createAccount", 2),
        ("updateAccount", 2),
        ("addCollaborator", 2),
        ("requestBookAccess", 2),
        ("createAccountsBatch", 3),
        ("updateAccountsBatch", 3),
        ("deleteAccountsBatch", 3),
    ]
    .into();
    let documented = operations().into_iter().map(|operation| (operation.id, operation.cost()));
    let documented: BTreeMap<&str, u64> = documented.filter(|(_, cost)| *cost != 1).collect();
    assert_eq!(documented, dear, "x-quota-cost");
    let routes = daybook_http::routes::operations();
    let served = routes.iter().map(|operation| (operation.id, u64::from(operation.cost)));
    let served: BTreeMap<&str, u64> = served.filter(|(_, cost)| *cost != 1).collect();
    assert_eq!(served, dear, "the table of the routes");
    let least = u64::from(daybook_domain::api_key::MIN_RATE);
    assert_eq!(dear.values().max(), Some(&least), "each can be called with the smallest quota");
}

/// 10.2: the contract names every reason the server knows, and no other.
#[test]
fn reasons_are_listed() {
    let error = &document()["definitions"]["Error"]["properties"]["error"];
    let reason = &error["properties"]["errors"]["items"]["properties"]["reason"];
    let description = &reason["description"];
    let text = description
        .as_str()
        .and_then(|text| text.strip_prefix("For programs: ")?.strip_suffix(" (10.2)."))
        .expect("a list");
    let listed: BTreeSet<&str> = text.split(", ").collect();
    let of_domain = Reason::ALL.iter().map(|reason| reason.as_str());
    // Where `edge` writes its own, `=> "word",`, or `"word"` in a block. Messages have blanks.
    let source = include_str!("../../crates/edge/src/error.rs");
    let of_edge = source.lines().filter_map(|line| match line.split_once("=> \"") {
        Some((_, word)) => word.strip_suffix("\","),
        None => line.trim().strip_prefix('"')?.strip_suffix('"'),
    });
    let of_edge = of_edge.filter(|word| !word.contains(' '));
    assert_eq!(listed, of_domain.chain(of_edge).collect());
    let of_client = daybook_client::Reason::KNOWN.iter().map(daybook_client::Reason::as_str);
    assert_eq!(listed, of_client.collect(), "the reasons that daybook-client knows");
}

/// Everything served below `/auth` and `/.well-known` is documented, and the reverse.
#[test]
fn routes_outside_of_books_are_documented() {
    let routes = daybook_http::routes::operations();
    let served: BTreeSet<(String, String)> = routes
        .iter()
        .filter(|route| ["/auth/", "/.well-known/"].iter().any(|at| route.path.starts_with(at)))
        .map(|route| (route.method.to_string(), route.path.replace(":.*}", "}")))
        .collect();
    let documented: BTreeSet<(String, String)> = access::operations()
        .iter()
        .map(|operation| (operation.method.to_owned(), operation.path.to_owned()))
        .collect();
    assert_same(&served, &documented);
    let ids: BTreeSet<&str> = access::operations().iter().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), documented.len(), "an operationId names one operation");
}

/// Forms and queries have their names in the document, and each that writes says who may.
#[test]
fn client_fields_are_documented() {
    for operation in access::operations() {
        let has_form = operation.value.get("requestBody").is_some();
        let reads_none = ["createLink", "refresh", "userinfoByPost"].contains(&operation.id);
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

/// The check itself: a check that finds nothing would pass everything.
#[test]
fn check_finds_faults() {
    let faults = |definition: &str, value: Value| -> usize {
        let mut faults = Vec::new();
        check(&document()["definitions"][definition], &value, definition, &mut faults);
        faults.len()
    };
    let right = json!({
        "id": "1", "name": "Cash", "type": "ASSET", "createdAt": "17",
        "groups": [{"id": "2", "parent": null}],
    });
    assert_eq!(faults("Account", right.clone()), 0);
    let wrong = [
        ("type", json!("CASH")),
        ("id", json!(1)),
        ("id", Value::Null),
        ("createdAt", json!("yesterday")),
        ("name", json!("x".repeat(256))),
        ("groups", json!([{"nonsense": true}])),
        ("properties", json!({"a": 1})),
        ("secret", json!("not documented")),
    ];
    for (field, value) in wrong {
        let mut account = right.clone();
        account[field] = value;
        assert!(faults("Account", account.clone()) > 0, "{account}");
    }
    assert!(faults("AccountList", json!({})) > 0, "items are required");
    assert!(
        faults("Book", json!({"lockDate": "2025-2-3"})) > 0
            && faults("Book", json!({"fractionDigits": 9})) > 0
    );
}

#[test]
fn openapi_3_1_is_made_from_the_source() {
    let path = "openapi/openapi-3.1.json";
    assert!(read(path) == version_3_1::text(document()), "{path} is old: run `make openapi`");
}

#[test]
fn client_is_made_from_the_source() {
    let made = client::sources(document(), access::document());
    let folder = format!("{}/", client::FOLDER);
    let present = sources(&[client::FOLDER]);
    let present: BTreeMap<&str, &str> = present
        .iter()
        .map(|source| (source.path.trim_start_matches(&folder), source.text.as_str()))
        .collect();
    let stale: Vec<&String> = made
        .iter()
        .filter(|(path, text)| present.get(path.as_str()) != Some(&text.as_str()))
        .map(|(path, _)| path)
        .collect();
    assert!(stale.is_empty(), "{stale:?} are old: run `make openapi`");
    assert_eq!(made.len(), present.len(), "{folder} has files that `make openapi` does not make");
}

/// The words that only later operations may need; the others are in the published file.
#[test]
fn conversion_to_openapi_3_1_keeps_the_meaning() {
    let source = json!({
        "swagger": "2.0",
        "basePath": "/",
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "paths": {"/files": {"post": {
            "consumes": ["multipart/form-data"],
            "produces": ["application/pdf", "application/json"],
            "parameters": [
                {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"},
                    "collectionFormat": "multi"},
                {"name": "file", "in": "formData", "type": "file", "required": true},
                {"name": "name", "in": "formData", "type": "string", "description": "A name."},
            ],
            "responses": {"200": {"description": "A page.", "schema": {"type": "file"}}},
        }}},
        "definitions": {"Side": {
            "type": "string", "enum": ["LEFT", "RIGHT"], "x-nullable": true,
        }},
    });
    let made = version_3_1::convert(&source);
    let bytes = json!({"type": "string", "format": "binary"});
    let expected = json!({
        "parameters": [{"name": "tags", "in": "query", "style": "form", "explode": true,
            "schema": {"type": "array", "items": {"type": "string"}}}],
        "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {
            "type": "object",
            "properties": {"file": bytes, "name": {"type": "string", "description": "A name."}},
            "required": ["file"],
        }}}},
        "responses": {"200": {"description": "A page.", "content": {
            "application/pdf": {"schema": bytes},
        }}},
    });
    assert_eq!(made["paths"]["/files"]["post"], expected);
    let side = json!({"type": ["string", "null"], "enum": ["LEFT", "RIGHT", null]});
    assert_eq!(made["components"]["schemas"]["Side"], side);
}
