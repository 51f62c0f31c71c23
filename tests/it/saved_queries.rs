//! Saved queries (9.9): list, save, get, update, delete, and their events (8.1 - 8.3).

use daybook_tests::{Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{events, items, new_events, resources, types};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_9_9_save_and_read,
        rule_9_9_by_title,
        rule_9_9_collaborators_share_saved_queries,
        rule_9_9_delete,
        rule_9_13_missing_fields_are_refused,
        rule_9_9_longest_texts_are_saved,
        unknown_ids,
        rule_1_1_10_any_text_is_kept,
        rule_8_1_events,
        rule_6_11_last_update_moves,
    ]
}

#[track_caller]
fn save(cast: &Cast, title: &str, query: &str) -> Value {
    cast.post("/queries", &json!({"title": title, "query": query})).ok()
}

#[track_caller]
fn list(cast: &Cast) -> Value {
    cast.get("/queries").ok()
}

/// 9.9, 12.9: POST returns an id for GET, list and DELETE.
fn rule_9_9_save_and_read(server: &Server) {
    let cast = Cast::new(server);
    assert_eq!(list(&cast), json!({"items": []}), "behaviour 2.7");
    let by_bot = cast.editor.header("service-agent-id", "importer");
    let saved = by_bot
        .post(
            &cast.path("/queries"),
            &json!({"title": "Cash of May", "query": "account:Cash on:05/2025"}),
        )
        .ok();
    shows(
        &saved,
        &json!({"title": "Cash of May", "query": "account:Cash on:05/2025", "agentId": "importer"}),
    );
    assert!(
        id(&saved).len() >= 10 && id(&saved).parse::<i64>().is_ok(),
        "0.14: digits that fit int64: {saved}"
    );
    assert_eq!(saved["createdAt"], saved["updatedAt"]);
    assert_eq!(list(&cast)["items"], json!([saved]));
    assert_eq!(cast.get(&format!("/queries/{}", id(&saved))).ok(), saved);
}

/// 9.9: ordered by title, ignoring case; a blank title is allowed.
fn rule_9_9_by_title(server: &Server) {
    let cast = Cast::new(server);
    for (title, query) in
        [("beta", "1"), ("Alpha", "2"), ("", "b"), ("alpha 2", "3"), ("", "a"), ("Beta", "0")]
    {
        save(&cast, title, query);
    }
    assert_eq!(column(&list(&cast), "title"), ["", "", "Alpha", "alpha 2", "Beta", "beta"]);
    assert_eq!(column(&list(&cast), "query"), ["a", "b", "2", "3", "0", "1"], "9.9: then by query");
    let untitled = cast.post("/queries", &json!({"query": "is:draft"})).ok();
    assert_eq!(untitled["title"], "");
    let null = cast.post("/queries", &json!({"title": null, "query": "is:draft"})).ok();
    assert_eq!(null["title"], "");
}

/// 9.9: they belong to the book, not to the user.
fn rule_9_9_collaborators_share_saved_queries(server: &Server) {
    let cast = Cast::new(server);
    let other = Cast::new(server);
    let saved = cast.editor.post(&cast.path("/queries"), &json!({"title": "T", "query": "q"})).ok();
    for reader in [&cast.owner, &cast.editor, &cast.poster, &cast.viewer] {
        assert_eq!(reader.get(&cast.path("/queries")).ok()["items"], json!([saved]));
    }
    assert_eq!(list(&other)["items"], json!([]));
    other.get(&format!("/queries/{}", id(&saved))).refused(404, "notFound");
    other.delete(&format!("/queries/{}", id(&saved))).refused(404, "notFound");
}

/// 9.9, 10.7: DELETE returns it, once.
fn rule_9_9_delete(server: &Server) {
    let cast = Cast::new(server);
    let (saved, stored) = (save(&cast, "A", "a"), save(&cast, "B", "b"));
    let path = cast.path(&format!("/queries/{}", id(&saved)));
    assert_eq!(cast.owner.delete(&path).ok(), saved);
    assert_eq!(list(&cast)["items"], json!([stored]));
    cast.owner.delete(&path).refused(404, "notFound");
    cast.owner.get(&path).refused(404, "notFound");
    cast.put("/queries", &json!({"id": saved["id"], "title": "Back"})).refused(404, "notFound");
}

/// 9.9, 9.13: a missing, invalid or too long field changes nothing.
fn rule_9_13_missing_fields_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let saved = save(&cast, "Title", "query");
    let before = (list(&cast), events(&cast).len());
    for body in [
        json!({}),
        json!({"title": "T", "query": null}),
        json!({"query": " \t"}),
        json!({"query": "x".repeat(8193)}),
    ] {
        let message = cast.post("/queries", &body).refused(400, "badRequest");
        assert!(message.contains("query"), "9.13: names it: {message}");
    }
    for (field, value) in [("query", "  ".to_owned()), ("title", "é".repeat(256))] {
        let change = json!({"id": saved["id"], field: value});
        cast.put("/queries", &change).refused(400, "badRequest");
    }
    for (method, body) in [
        ("POST", json!({"query": 3})),
        ("PUT", json!({"id": saved["id"], "title": ["T"]})),
        ("POST", json!([])),
    ] {
        let message =
            cast.owner.send(method, &cast.path("/queries"), &body).refused(400, "invalid");
        assert!(message.contains("InvalidFormatException"), "0.10: {message}");
    }
    assert_eq!((list(&cast), events(&cast).len()), before);
}

/// 9.9: a title of 255 characters, a query of 8 KB.
fn rule_9_9_longest_texts_are_saved(server: &Server) {
    let cast = Cast::new(server);
    let saved = save(&cast, &"é".repeat(255), &"x".repeat(8192));
    assert_eq!(cast.read("/queries")["items"], json!([saved]));
}

/// 0.14: a DELETE path with a non-numeric id answers 404.
fn unknown_ids(server: &Server) {
    let cast = Cast::new(server);
    save(&cast, "Title", "query");
    for unknown in ["nothing", "Title", "0", "-1", "1234567890", "99999999999999999999", "%20"] {
        let path = cast.path(&format!("/queries/{unknown}"));
        for answer in [cast.owner.get(&path), cast.owner.delete(&path)] {
            assert!(answer.refused(404, "notFound").contains("not found"));
        }
    }
    cast.put("/queries", &json!({"id": "1234567890", "query": "q"})).refused(404, "notFound");
    for missing in [json!({"title": "No id"}), json!({"id": " ", "query": "q"})] {
        cast.put("/queries", &missing).refused(400, "badRequest");
    }
    assert_eq!(items(&list(&cast)).len(), 1);
}

/// 1.1.10: query text is never refused, so it is not checked when it is saved.
fn rule_1_1_10_any_text_is_kept(server: &Server) {
    let cast = Cast::new(server);
    for query in
        ["invalid:syntax:query::", "'unclosed", "((", " account:Cash ", "ação #ünï \"x\" \\"]
    {
        let saved = save(&cast, " padded ", query);
        shows(&saved, &json!({"title": " padded ", "query": query}));
    }
}

/// 8.1 - 8.3: one event each with the whole resource; a no-op has none.
fn rule_8_1_events(server: &Server) {
    let cast = Cast::new(server);
    let known = events(&cast).len();
    let saved = save(&cast, "", "account:Cash");
    let put = |body: Value| cast.editor.put(&cast.path("/queries"), &body).ok();
    put(json!({"id": saved["id"], "title": "", "query": "account:Cash"}));
    let number: i64 = id(&saved).parse().expect("digits");
    let renamed = put(json!({"id": number, "title": "Cash"}));
    let both = put(json!({"id": saved["id"], "title": "Till", "query": "account:Till"}));
    cast.delete(&format!("/queries/{}", id(&saved))).ok();
    let new = new_events(&cast, known);
    assert_eq!(types(&new), ["QUERY_CREATED", "QUERY_UPDATED", "QUERY_UPDATED", "QUERY_DELETED"]);
    assert_eq!(resources(&new), [id(&saved); 4]);
    let objects: Vec<&Value> = new.iter().map(|event| &event["data"]["object"]).collect();
    assert_eq!(objects, [&saved, &renamed, &both, &both], "8.2: the resource as answered");
    let previous: Vec<&Value> =
        new.iter().map(|event| &event["data"]["previousAttributes"]).collect();
    assert_eq!(
        previous,
        [
            &Value::Null,
            &json!({"title": ""}),
            &json!({"title": "Cash", "query": "account:Cash"}),
            &Value::Null
        ],
        "behaviour 8.3"
    );
    let about = cast.get(&format!("/events?resoureId={}", id(&saved))).ok();
    assert_eq!(items(&about).len(), 4, "behaviour 8.5");
    let deleted = cast.get("/events?type=QUERY_DELETED").ok();
    assert_eq!(items(&deleted).len(), 1);
}

/// 6.11: any change in the book.
fn rule_6_11_last_update_moves(server: &Server) {
    let cast = Cast::new(server);
    let moved = |before: &Value| cast.get("").ok()["lastUpdateMs"] != *before;
    let before = cast.get("").ok()["lastUpdateMs"].clone();
    save(&cast, "T", "q");
    assert!(moved(&before));
}
