//! Connections (9.5) of one user, identified by a uuid. Their properties are sealed in the database
//! and shown only to their user; integrations end with them.

use daybook_tests::{Cast, Client, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::limited_callers::issued;
use crate::reading::{events, items, new_events, types};
use crate::secrets::stands_nowhere;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_9_5_create_returns_an_existing_connection,
        rule_9_5_update_changes_name_and_properties,
        rule_9_5_invalid_connection_is_refused,
        rule_9_5_banks_require_no_app,
        rule_9_5_connections_of_others_are_not_found,
        rule_9_5_delete_removes_its_integrations,
        rule_9_5_integrations_of_unreadable_books_are_hidden,
        rule_9_4_an_app_is_installed_once_for_each_connection,
        rule_9_4_connection_of_another_user_is_refused,
        secrets_are_sealed_and_not_recorded,
        user_has_at_most_100_connections,
    ]
}

const ALL: &str = "/v5/user/connections";

fn person(server: &Server, kind: &str) -> Client {
    server.client(&format!("{}@example.com", unique(kind)))
}

fn path(connection: &Value) -> String {
    format!("{ALL}/{}", id(connection))
}

/// Creates a connectable app.
#[track_caller]
fn app(owner: &Client) -> Value {
    let body = json!({"id": unique("bot"), "name": "Tax Bot", "connectable": true});
    owner.post("/v5/apps", &body).ok()
}

#[track_caller]
fn connect(owner: &Client, fields: Value) -> Value {
    owner.post(ALL, &fields).ok()
}

fn bank(uuid: &str) -> Value {
    json!({"agentId": "some-bank", "type": "BANK", "uuid": uuid, "name": "My Bank"})
}

fn rule_9_5_create_returns_an_existing_connection(server: &Server) {
    let user = person(server, "user");
    assert_eq!(user.get(ALL).ok(), json!({"items": []}), "behaviour 2.7");
    let (bot, uuid) = (app(&user), unique("uuid"));
    let body = json!({
        "agentId": bot["id"], "uuid": uuid, "name": "Tax Bot",
        "properties": {"Access Token": "secret", "gone": ""},
    });
    let made = connect(&user, body.clone());
    let owner = user.get("/v5/user").ok();
    let expected = json!({
        "agentId": bot["id"], "uuid": uuid, "type": "APP", "name": "Tax Bot",
        "email": user.email(), "userId": owner["id"], "properties": {"access_token": "secret"},
    });
    shows(&made, &expected);
    assert_eq!(made["dateAddedMs"], made["createdAt"]);
    assert_eq!(user.get(&path(&made)).ok(), made);
    assert_eq!(user.get(ALL).ok()["items"], json!([made]));
    let again = json!({"agentId": bot["id"], "uuid": uuid, "name": "X", "properties": {"a": "b"}});
    assert_eq!(connect(&user, again), made, "an existing connection is unchanged");
    let without = connect(&user, json!({"agentId": bot["id"], "name": "another"}));
    assert_eq!(without["uuid"], without["id"], "a uuid of its own");
    assert_eq!(column(&user.get(ALL).ok(), "name"), ["another", "Tax Bot"]);
    assert_eq!(user.delete(&path(&made)).ok(), made);
    user.get(&path(&made)).refused(404, "notFound");
    user.delete(&path(&made)).refused(404, "notFound");
    user.put(ALL, &json!({"id": made["id"]})).refused(404, "notFound");
    assert_ne!(connect(&user, body)["id"], made["id"]);
    // 9.13: the agent is that of the header or of the body.
    let by_app = user.header("service-agent-id", id(&bot));
    assert_eq!(connect(&by_app, json!({"uuid": "1", "name": "Mine"}))["agentId"], bot["id"]);
    user.post(ALL, &json!({"uuid": "1", "name": "Mine"})).refused(400, "badRequest");
}

fn rule_9_5_update_changes_name_and_properties(server: &Server) {
    let user = person(server, "user");
    let made = connect(&user, bank("1"));
    let put = |body: Value| user.put(ALL, &body).ok();
    let changed = put(json!({"id": made["id"], "name": "Bank", "properties": {"token": "a"}}));
    shows(&changed, &json!({"name": "Bank", "properties": {"token": "a"}}));
    let ignored = json!({
        "id": made["id"], "agentId": "x", "uuid": "2", "type": "APP", "email": "x", "userId": "1",
        "logo": "x", "dateAddedMs": "1", "createdAt": "1", "properties": {"token": "a"},
    });
    assert_eq!(put(ignored), changed, "read-only fields are ignored, and nothing changed");
    let cleared = put(json!({"id": made["id"], "properties": {"token": null, "new": "b"}}));
    assert_eq!(cleared["properties"], json!({"new": "b"}));
    assert_eq!(user.get(&path(&made)).ok(), cleared);
    for (body, status) in [
        (json!({"name": "x"}), 400),
        (json!({"id": made["id"], "name": " "}), 400),
        (json!({"id": made["id"], "properties": {"k".repeat(31): "v"}}), 400),
        (json!({"id": "1", "name": "x"}), 404),
    ] {
        let reason = if status == 404 { "notFound" } else { "badRequest" };
        user.put(ALL, &body).refused(status, reason);
    }
    assert_eq!(user.get(&path(&made)).ok(), cleared);
}

fn rule_9_5_invalid_connection_is_refused(server: &Server) {
    let (user, other) = (person(server, "user"), person(server, "other"));
    let hidden = app(&other);
    let closed = user.post("/v5/apps", &json!({"id": unique("bot"), "name": "Closed"})).ok();
    let with = |field: &str, value: Value| {
        let mut body = bank("1");
        body[field] = value;
        body
    };
    for body in [
        json!({"agentId": " ", "name": "A"}),
        json!({"agentId": unique("unknown"), "name": "A"}),
        json!({"agentId": hidden["id"], "name": "A"}),
        json!({"agentId": closed["id"], "name": "A"}),
        json!({"agentId": "some-bank", "type": "BANK", "name": " "}),
        with("agentId", json!("Some Bank")),
        with("uuid", json!("u".repeat(256))),
        with("properties", json!({"k": "v".repeat(90_001)})),
    ] {
        user.post(ALL, &body).refused(400, "badRequest");
    }
    user.post(ALL, &json!({"agentId": "some-bank", "type": "SHOP"})).refused(400, "invalid");
    assert_eq!(user.get(ALL).ok()["items"], json!([]));
}

/// The profile keeps `bankConnections` after the connection is deleted.
fn rule_9_5_banks_require_no_app(server: &Server) {
    let user = person(server, "user");
    let has_banks = || user.get("/v5/user").ok()["bankConnections"].clone();
    assert_eq!(has_banks(), false);
    connect(&user, json!({"agentId": app(&user)["id"], "name": "App"}));
    assert_eq!(has_banks(), false, "an app does not count as a bank");
    let made = connect(&user, bank("1"));
    shows(&made, &json!({"agentId": "some-bank", "type": "BANK", "name": "My Bank"}));
    assert_eq!(has_banks(), true);
    user.delete(&path(&made)).ok();
    assert_eq!(has_banks(), true);
}

fn rule_9_5_connections_of_others_are_not_found(server: &Server) {
    let (user, other) = (person(server, "user"), person(server, "other"));
    let made = connect(&user, bank("1"));
    assert_eq!(other.get(ALL).ok()["items"], json!([]));
    other.get(&path(&made)).refused(404, "notFound");
    other.delete(&path(&made)).refused(404, "notFound");
    other.get(&format!("{}/integrations", path(&made))).refused(404, "notFound");
    other.put(ALL, &json!({"id": made["id"], "name": "Mine"})).refused(404, "notFound");
    let own = connect(&other, bank("1"));
    assert_ne!(own["id"], made["id"], "the same uuid of another user");
    assert_eq!(user.get(ALL).ok()["items"], json!([made]));
}

fn rule_9_5_delete_removes_its_integrations(server: &Server) {
    let (cast, lost) = (Cast::new(server), Cast::new(server));
    lost.share(cast.owner.email(), "EDITOR");
    let made = connect(&cast.owner, bank("1"));
    let install = |cast: &Cast, by: &Client| {
        let body = json!({"agentId": "some-bank", "connectionId": made["id"]});
        by.post(&cast.path("/integrations"), &body).ok()
    };
    let here = install(&cast, &cast.owner);
    shows(&here, &json!({"connectionId": made["id"], "name": "My Bank", "agentId": "some-bank"}));
    install(&lost, &cast.owner);
    // The integration is also removed from a book that its user no longer sees.
    lost.share(cast.owner.email(), "NONE");
    let before = [&cast, &lost].map(|cast| events(cast).len());
    cast.owner.header("idempotency-key", "once").delete(&path(&made)).ok();
    for (cast, before) in [&cast, &lost].into_iter().zip(before) {
        let new = new_events(cast, before);
        assert_eq!(types(&new), ["INTEGRATION_DELETED"]);
        assert_eq!(new[0]["data"]["object"]["connectionId"], made["id"]);
        assert_eq!(cast.read("/integrations")["items"], json!([]));
    }
    let user = cast.owner.get("/v5/user").ok();
    assert_eq!(new_events(&lost, before[1])[0]["user"]["username"], user["username"]);
    let again = cast.owner.header("idempotency-key", "once").delete(&path(&made)).ok();
    assert_eq!(again["id"], made["id"], "0.16: a repetition gets the same answer");
}

fn rule_9_5_integrations_of_unreadable_books_are_hidden(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    other.share(cast.owner.email(), "EDITOR");
    let made = connect(&cast.owner, bank("1"));
    let of_it = || cast.owner.get(&format!("{}/integrations", path(&made))).ok();
    assert_eq!(of_it(), json!({"items": []}));
    let body = |name: &str| json!({"connectionId": made["id"], "name": name});
    let first = cast.post("/integrations", &body("B")).ok();
    let second = cast.owner.post(&other.path("/integrations"), &body("A")).ok();
    assert_eq!(of_it()["items"], json!([second, first]));
    other.share(cast.owner.email(), "RECORDER");
    assert_eq!(of_it()["items"], json!([first]), "a RECORDER does not read integrations");
    other.share(cast.owner.email(), "NONE");
    assert_eq!(of_it()["items"], json!([first]));
}

fn rule_9_4_an_app_is_installed_once_for_each_connection(server: &Server) {
    let cast = Cast::new(server);
    let bot = app(&cast.owner);
    let connections = ["1", "2"].map(|uuid| {
        connect(&cast.owner, json!({"agentId": bot["id"], "uuid": uuid, "name": "Mine"}))
    });
    let install = |connection: &Value| {
        let body = json!({"agentId": bot["id"], "connectionId": connection["id"]});
        cast.post("/integrations", &body).ok()
    };
    let made = [install(&connections[0]), install(&connections[1]), install(&Value::Null)];
    let again = [install(&connections[0]), install(&connections[1]), install(&Value::Null)];
    assert_eq!(made, again);
    let list = cast.read("/integrations");
    assert_eq!(items(&list).len(), 3);
    assert!(made[2].get("connectionId").is_none(), "{}", made[2]);
    assert_eq!(items(&cast.read("/apps")).len(), 1, "one app");
}

fn rule_9_4_connection_of_another_user_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let foreign = connect(&cast.editor, bank("1"));
    for connection in [foreign["id"].clone(), json!("1"), json!(unique("x"))] {
        let body = json!({"agentId": "some-bank", "connectionId": connection});
        cast.post("/integrations", &body).refused(400, "badRequest");
    }
    let of_app = connect(&cast.owner, json!({"agentId": app(&cast.owner)["id"], "name": "Mine"}));
    let body = json!({"agentId": "some-bank", "connectionId": of_app["id"]});
    let message = cast.post("/integrations", &body).refused(400, "badRequest");
    assert!(message.contains("some-bank"), "only banks require no app: {message}");
    let own = connect(&cast.owner, bank("1"));
    let body = json!({"agentId": "Some Bank", "connectionId": own["id"]});
    cast.post("/integrations", &body).refused(400, "badRequest");
    // 11.9.
    let limited = issued(server, &cast.owner, json!({"books": [cast.book]}));
    let body = json!({"connectionId": own["id"]});
    limited.post(&cast.path("/integrations"), &body).refused(403, "insufficientScope");
}

/// 9.5, 11.15: in the database, its stored responses, and backups.
fn secrets_are_sealed_and_not_recorded(server: &Server) {
    let user = person(server, "user");
    let (secret, uuid) = (unique("hush"), unique("uuid-of-a-bank"));
    let mut body = bank(&uuid);
    body["properties"] = json!({"token": secret});
    let keyed = user.header("idempotency-key", "create");
    let made = connect(&keyed, body.clone());
    assert_eq!(made["properties"]["token"], json!(secret));
    assert_eq!(connect(&keyed, body), made, "the repetition shows them, too");
    let changes = json!({"id": made["id"], "properties": {"more": secret}});
    let changed = user.header("idempotency-key", "update").put(ALL, &changes).ok();
    assert_eq!(changed["properties"]["more"], json!(secret));
    stands_nowhere(server, &secret, &uuid);
}

fn user_has_at_most_100_connections(server: &Server) {
    let user = person(server, "user");
    for number in 0..100 {
        connect(&user, bank(&number.to_string()));
    }
    user.post(ALL, &bank("one more")).refused(400, "badRequest");
    connect(&user, bank("7"));
    let first = user.get(ALL).ok()["items"][0].clone();
    user.delete(&path(&first)).ok();
    connect(&user, bank("one more"));
}
