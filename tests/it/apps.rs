//! Apps (9.3): created from a manifest, visible to the users it names, changed by its developers,
//! published by administrators. Client secrets are sealed and never returned.

use daybook_tests::{Client, RawSql, Server, column, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::secrets::stands_nowhere;

pub fn tests() -> Vec<Case> {
    crate::cases![
        manifest_is_created_then_updated,
        update_keeps_absent_and_clears_null_fields,
        developers_change_and_users_see_an_app,
        manifest_name_is_not_inherited_by_later_users,
        private_fields_are_shown_to_developers_only,
        list_is_ordered_by_name_without_deprecated_apps,
        invalid_manifest_is_refused,
        concurrent_creates_take_an_id_once,
        user_owns_at_most_100_apps,
        client_secret_is_sealed_and_never_returned,
    ]
}

/// A new user of a domain that no app of another case names.
fn person(server: &Server, kind: &str) -> Client {
    server.client(&format!("{}@apps.example", unique(kind)))
}

/// Returns the username that the profile shows.
fn username(person: &Client) -> String {
    person.get("/v5/user").ok()["username"].as_str().expect("a username").to_owned()
}

fn path(id: &str) -> String {
    format!("/v5/apps/{id}")
}

/// Follows the command line tool of such apps: GET, then POST on 404, otherwise PUT.
fn manifest_is_created_then_updated(server: &Server) {
    let developer = person(server, "developer");
    let id = unique("tax-bot");
    let mut manifest = json!({
        "$schema": "https://example.com/manifest.json",
        "id": id,
        "name": "Tax Bot",
        "description": "Adds taxes",
        "apiVersion": "v5",
        "clientId": "client",
        "clientSecret": "very secret",
        "webhookUrl": "https://bot.example/hook",
        "webhookUrlDev": "http://localhost:3001",
        "events": ["TRANSACTION_POSTED", "FILE_DELETED", "COMMENT_CREATED"],
        "filePatterns": ["*.csv", "*.ofx"],
        "menuUrl": "https://bot.example/menu?book=${book.id}&query=${transactions.query}",
        "menuPopupHeight": 500,
        "logoUrl": "https://bot.example/logo.png",
        "scopes": ["email"],
        "deployment": {"type": "functions", "memory": 256},
        "propertiesSchema": {
            "account": {"keys": ["tax_rate"], "values": ["10", "20"]},
            "future": {"keys": ["x"]},
        },
        "readme": "# Tax Bot",
        "readmeMd": "# Tax Bot\n\n    code\n",
    });
    let message = developer.get(&path(&id)).refused(404, "notFound");
    assert!(message.contains(&id), "{message}");
    let created = developer.post("/v5/apps", &manifest).ok();
    let expected = json!({
        "id": id,
        "name": "Tax Bot",
        "description": "Adds taxes",
        "clientId": "client",
        "webhookUrl": "https://bot.example/hook",
        "events": ["TRANSACTION_POSTED", "FILE_DELETED", "COMMENT_CREATED"],
        "menuUrl": manifest["menuUrl"],
        "menuPopupHeight": "500",
        "menuText": "Tax Bot",
        "menuOpenMode": "SIDEBAR",
        "installable": true,
        "connectable": false,
        "published": false,
        "propertiesSchema": {"account": {"keys": ["tax_rate"], "values": ["10", "20"]}},
        "readmeMd": "# Tax Bot\n\n    code\n",
        "ownerEmail": developer.email(),
    });
    shows(&created, &expected);
    assert_eq!(created["ownerId"], developer.get("/v5/user").ok()["id"]);
    for unknown in ["$schema", "deployment", "clientSecret"] {
        assert!(created[unknown].is_null(), "{unknown}: {created}");
    }
    assert_eq!(developer.get(&path(&id)).ok(), created);
    developer.post("/v5/apps", &manifest).refused(409, "conflict");
    manifest["description"] = json!("Adds more taxes");
    let updated = developer.put("/v5/apps", &manifest).ok();
    assert_eq!(updated["description"], "Adds more taxes");
    manifest["name"] = json!("Tax Robot");
    assert_eq!(developer.patch("/v5/apps", &manifest).ok()["name"], "Tax Robot");
    assert_eq!(developer.get(&path(&id)).ok()["menuText"], "Tax Robot");
}

fn update_keeps_absent_and_clears_null_fields(server: &Server) {
    let developer = person(server, "developer");
    let id = unique("app");
    let full = json!({
        "id": id, "name": "App", "description": "Text", "installable": false, "connectable": true,
        "events": ["FILE_CREATED"], "scopes": ["email"], "website": "https://app.example",
        "propertiesSchema": {"book": {"keys": ["a"]}}, "menuText": "Menu",
    });
    let created = developer.post("/v5/apps", &full).ok();
    let put = |body: Value| developer.put("/v5/apps", &body).ok();
    assert_eq!(put(json!({"id": id})), created, "an absent field stays");
    let cleared = put(json!({
        "id": id, "description": null, "installable": null, "connectable": null, "events": [],
        "scopes": null, "website": " ", "propertiesSchema": null, "menuText": "",
    }));
    let expected = json!({
        "name": "App", "installable": true, "connectable": false, "events": [], "scopes": [],
        "propertiesSchema": {}, "menuText": "App",
    });
    shows(&cleared, &expected);
    for absent in ["description", "website"] {
        assert!(cleared[absent].is_null(), "{absent}: {cleared}");
    }
    assert_eq!(put(created.clone()), created, "a response can be sent back");
    developer.put("/v5/apps", &json!({"name": "No id"})).refused(400, "badRequest");
    developer.put("/v5/apps", &json!({"id": id, "name": " "})).refused(400, "badRequest");
}

fn developers_change_and_users_see_an_app(server: &Server) {
    let [owner, developer, colleague, tester, stranger] =
        ["owner", "developer", "colleague", "tester", "stranger"].map(|kind| person(server, kind));
    let domain = unique("team").to_lowercase();
    let member = server.client(&format!("{}@{domain}.example", unique("member")));
    let id = unique("app");
    let named = format!("{}, {}  *@{domain}.EXAMPLE", username(&developer), username(&colleague));
    let body = json!({"id": id, "name": "App", "developers": named, "users": username(&tester)});
    let created = owner.post("/v5/apps", &body).ok();
    for caller in [&developer, &colleague, &member] {
        assert_eq!(caller.get(&path(&id)).ok()["developers"], created["developers"]);
        let text = unique("text");
        let change = json!({"id": id, "description": text});
        assert_eq!(caller.put("/v5/apps", &change).ok()["description"], text);
    }
    let created = owner.get(&path(&id)).ok();
    tester.get(&path(&id)).ok();
    tester.put("/v5/apps", &json!({"id": id, "name": "Mine"})).refused(403, "forbidden");
    let message = stranger.get(&path(&id)).refused(404, "notFound");
    let unknown = unique("unknown");
    let expected = stranger.get(&path(&unknown)).refused(404, "notFound");
    assert_eq!(message.replace(&id, &unknown), expected, "the same as for an unknown app");
    stranger.put("/v5/apps", &json!({"id": id, "name": "Mine"})).refused(404, "notFound");
    stranger.post("/v5/apps", &json!({"id": id, "name": "Mine"})).refused(409, "conflict");
    server.anonymous().get(&path(&id)).refused(401, "required");
    for (caller, is_listed) in
        [(&owner, true), (&developer, true), (&member, true), (&tester, true), (&stranger, false)]
    {
        let listed = column(&caller.get("/v5/apps").ok(), "id");
        assert_eq!(listed.contains(&id), is_listed, "{}", caller.email());
    }
    // A user who is no longer named does not see the app.
    owner.put("/v5/apps", &json!({"id": id, "developers": null, "published": true})).ok();
    developer.get(&path(&id)).refused(404, "notFound");
    assert!(!column(&member.get("/v5/apps").ok(), "id").contains(&id));
    // Only administrators publish.
    assert_eq!(owner.get(&path(&id)).ok()["published"], json!(false));
    assert_eq!(owner.get(&path(&id)).ok()["description"], created["description"]);
}

/// Unknown names in a manifest are ignored. A user who later gets that name, or the name of a
/// deleted user, gets no access.
fn manifest_name_is_not_inherited_by_later_users(server: &Server) {
    let (owner, deleted) = (person(server, "owner"), person(server, "deleted"));
    let (id, early) = (unique("app"), unique("early"));
    let name = username(&deleted);
    let named = format!("{early}, {name}");
    owner.post("/v5/apps", &json!({"id": id, "name": "App", "developers": named})).ok();
    deleted.get(&path(&id)).ok();
    let gone = server.admin(&["user", "delete", "--email", deleted.email()]).output();
    assert!(gone.expect("daybook runs").status.success());
    for taken in [&early, &name] {
        let other = server.client(&format!("{taken}@elsewhere.example"));
        assert_ne!(&username(&other), taken);
        other.get(&path(&id)).refused(404, "notFound");
        other.put("/v5/apps", &json!({"id": id, "name": "Mine"})).refused(404, "notFound");
    }
}

fn private_fields_are_shown_to_developers_only(server: &Server) {
    let (owner, tester) = (person(server, "owner"), person(server, "tester"));
    let id = unique("app");
    let body = json!({
        "id": id, "name": "App", "users": username(&tester), "developers": "another",
        "webhookUrl": "https://a.example", "webhookUrlDev": "http://localhost:1",
        "menuUrlDev": "http://localhost:2", "menuUrl": "https://m.example", "clientId": "c",
    });
    let whole = owner.post("/v5/apps", &body).ok();
    let seen = tester.get(&path(&id)).ok();
    let private = "webhookUrl webhookUrlDev menuUrlDev developers users clientId ownerEmail";
    for hidden in private.split(' ') {
        assert!(whole[hidden].is_string(), "{hidden}: {whole}");
        assert!(seen[hidden].is_null(), "{hidden}: {seen}");
    }
    shows(&seen, &json!({"menuUrl": "https://m.example", "ownerId": whole["ownerId"]}));
}

fn list_is_ordered_by_name_without_deprecated_apps(server: &Server) {
    let owner = person(server, "owner");
    for (name, deprecated) in
        [("beta", false), ("Gamma", true), ("Alpha", false), ("alpha 2", false)]
    {
        let id = unique("app");
        let body = json!({"id": id, "name": name, "deprecated": deprecated, "readme": "Read me"});
        owner.post("/v5/apps", &body).ok();
        assert_eq!(owner.get(&path(&id)).ok()["readme"], "Read me", "also of {name}");
    }
    let listed = owner.get("/v5/apps").ok();
    assert_eq!(column(&listed, "name"), ["Alpha", "alpha 2", "beta"]);
    assert!(listed["items"][0]["readme"].is_null(), "{listed}");
}

fn invalid_manifest_is_refused(server: &Server) {
    let owner = person(server, "owner");
    let id = unique("app");
    owner.post("/v5/apps", &json!({"id": id, "name": "App"})).ok();
    owner.put("/v5/apps", &json!({"id": id, "name": "App", "menuOpenMode": " "})).ok();
    let before = owner.get(&path(&id)).ok();
    for (field, value, expected) in [
        ("webhookUrl", json!("bot.example"), "absolute http or https address"),
        ("menuUrl", json!("javascript:alert(1)"), "absolute http or https address"),
        ("propertiesSchema", json!({"account": {"keys": ["k".repeat(31)]}}), "30 characters"),
        ("filePatterns", json!(vec!["*"; 101]), "101 items"),
        ("ownerName", json!("n".repeat(256)), "256 characters"),
    ] {
        let refused = owner.put("/v5/apps", &json!({"id": id, field: value}));
        let message = refused.refused(400, "badRequest");
        assert!(message.contains(expected) && message.contains(field), "{field}: {message}");
    }
    for (field, value, expected) in [
        ("apiVersion", json!("v6"), "v0, v1, v2, v3, v4, v5"),
        ("apiVersion", json!(5), "apiVersion must be a string"),
        ("description", json!(5), "description must be a string"),
        ("menuText", json!(1.5), "menuText must be a string"),
        ("webhookUrl", json!(5), "webhookUrl must be a string"),
        ("readme", json!(true), "readme must be a string"),
        ("menuOpenMode", json!("POPUP"), "SIDEBAR, EXPANDED, NEW_TAB"),
        ("events", json!(["BOOK_OPENED"]), "BOOK_OPENED"),
        ("description", json!(["x"]), "description"),
        ("events", json!("all"), "events"),
        ("id", json!([]), "id"),
    ] {
        let refused = owner.put("/v5/apps", &json!({"id": id, "name": "x", field: value}));
        let message = refused.refused(400, "invalid");
        assert!(message.contains("InvalidFormatException"), "0.10: {message}");
        assert!(message.contains(expected) && message.contains(field), "{field}: {message}");
    }
    assert_eq!(owner.get(&path(&id)).ok(), before, "a refused request changes nothing");
    for bad in ["Tax Bot", "tax_bot", "", "daybook", "api"] {
        owner.post("/v5/apps", &json!({"id": bad, "name": "App"})).refused(400, "badRequest");
    }
    owner.post("/v5/apps", &json!({"id": unique("app")})).refused(400, "badRequest");
    owner.get("/v5/apps/%00").refused(404, "notFound");
}

fn concurrent_creates_take_an_id_once(server: &Server) {
    let people: Vec<Client> = (0..4).map(|_| person(server, "racer")).collect();
    let id = unique("app");
    let statuses = std::thread::scope(|scope| {
        let create =
            |racer: &Client| racer.post("/v5/apps", &json!({"id": id, "name": "App"})).status;
        let running: Vec<_> =
            people.iter().map(|racer| scope.spawn(move || create(racer))).collect();
        running.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
}

fn user_owns_at_most_100_apps(server: &Server) {
    let owner = person(server, "owner");
    let user = owner.get("/v5/user").ok();
    let id = user["id"].as_str().expect("an id").parse::<i64>().expect("digits");
    let prefix = unique("app");
    owner.post("/v5/apps", &json!({"id": format!("{prefix}-0"), "name": "App"})).ok();
    let mut raw_sql = RawSql::open(server);
    for number in 1..100 {
        let copy = format!(
            "INSERT INTO apps (id, owner_id, name, texts, connectable, deprecated, installable, \
             repo_private, published, created_at, updated_at) SELECT '{prefix}-{number}', \
             owner_id, name, texts, connectable, deprecated, installable, repo_private, published, \
             created_at, updated_at FROM apps WHERE id = '{prefix}-0' AND owner_id = {id}"
        );
        assert_eq!(raw_sql.execute(&copy), 1);
    }
    let one_more = json!({"id": format!("{prefix}-100"), "name": "App"});
    let message = owner.post("/v5/apps", &one_more).refused(400, "badRequest");
    assert!(message.contains("100 apps"), "{message}");
    assert_eq!(column(&owner.get("/v5/apps").ok(), "id").len(), 100);
}

/// 9.3, 11.15: the secret is in no response, no file or backup of the database, and not in the log.
fn client_secret_is_sealed_and_never_returned(server: &Server) {
    let owner = person(server, "owner").header("Idempotency-Key", &unique("key"));
    let (id, secret) = (unique("app"), unique("secret-of-a-client"));
    let body = json!({"id": id, "name": "App", "clientSecret": secret});
    let created = owner.post("/v5/apps", &body);
    assert!(!created.text.contains(&secret), "{}", created.text);
    assert_eq!(owner.post("/v5/apps", &body).ok(), created.ok(), "0.16: it is repeated");
    for shown in [owner.get(&path(&id)), owner.get("/v5/apps")] {
        assert!(!shown.text.contains(&secret) && !shown.text.contains("clientSecret"));
    }
    let mut raw_sql = RawSql::open(server);
    let sealed = |raw_sql: &mut RawSql, condition: &str| {
        raw_sql.execute(&format!("UPDATE apps SET name = name WHERE id = '{id}' AND {condition}"))
    };
    assert_eq!(sealed(&mut raw_sql, "client_secret IS NOT NULL"), 1);
    stands_nowhere(server, &secret, &id);
    let plain = server.client_with_token(owner.token().expect("a token"));
    plain.put("/v5/apps", &json!({"id": id, "name": "Renamed"})).ok();
    assert_eq!(sealed(&mut raw_sql, "client_secret IS NOT NULL"), 1, "it stays unless sent");
    plain.put("/v5/apps", &json!({"id": id, "clientSecret": " "})).ok();
    assert_eq!(sealed(&mut raw_sql, "client_secret IS NULL"), 1, "blank text clears");
}
