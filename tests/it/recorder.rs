//! The RECORDER (7.1 - 7.3): creates drafts, sees only its own, and names accounts without seeing
//! them.

use daybook_tests::{CASH_AND_FOOD, Cast, Client, Lunch, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        sides_show_id_and_name_only,
        accounts_resolve_as_for_others,
        own_draft_is_updated,
        own_draft_is_trashed_and_back,
        own_posted_transaction_is_out_of_reach,
        batches_of_own_drafts,
        book_without_accounts,
        queries_see_own_drafts_only,
        two_recorders,
        recorder_finds_nothing_by_hidden_fields,
        accounts_are_not_found_by_their_names,
        recorder_of_a_public_book,
    ]
}

fn fixture(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

fn complete(description: &str) -> Value {
    let lunch = Lunch { date: "2025-01-31", amount: "5" };
    lunch.with(json!({"description": description}))
}

fn draft(cast: &Cast, description: &str) -> Value {
    cast.recorder.post(&cast.path("/transactions"), &complete(description)).ok()["transaction"]
        .clone()
}

fn own(cast: &Cast) -> Vec<String> {
    let mut found = column(&cast.recorder.get(&cast.path("/transactions")).ok(), "description");
    found.sort();
    found
}

fn read(cast: &Cast, transaction: &Value) -> Value {
    cast.get(&format!("/transactions/{}", id(transaction))).ok()
}

fn verb(name: &str, cast: &Cast, transaction: &Value) -> daybook_tests::Answer {
    cast.recorder
        .patch(&cast.path(&format!("/transactions/{name}")), &json!({"id": transaction["id"]}))
}

/// 7.3: the sides have only `id` and `name`.
fn sides_show_id_and_name_only(server: &Server) {
    let cast = fixture(server);
    cast.put("/accounts", &json!({"name": "Cash", "properties": {"iban": "secret"}})).ok();
    let cash = cast.get("/accounts/cash").ok();
    let created = draft(&cast, "mine");
    let single = cast.recorder.get(&cast.path(&format!("/transactions/{}", id(&created)))).ok();
    let listed = cast.recorder.get(&cast.path("/transactions")).ok()["items"][0].clone();
    let body = json!({"id": created["id"], "description": "mine too"});
    let updated = cast.recorder.put(&cast.path("/transactions"), &body).ok()["transaction"].clone();
    let trashed = verb("trash", &cast, &created).ok()["transaction"].clone();
    for transaction in [created, single, listed, updated, trashed] {
        let side = transaction["creditAccount"].as_object().expect("a side");
        let mut fields: Vec<&str> = side.keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["id", "name"], "{transaction}");
        assert_eq!((&side["id"], &side["name"]), (&cash["id"], &cash["name"]));
    }
}

/// 7.3: account references resolve as for other permissions (3.2.6).
fn accounts_resolve_as_for_others(server: &Server) {
    let cast = fixture(server);
    let cash = cast.get("/accounts/cash").ok();
    let path = cast.path("/transactions");
    let by_id = json!({
        "description": "by id", "creditAccount": {"id": cash["id"]},
        "debitAccount": {"name": "FOOD"},
    });
    let created = cast.recorder.post(&path, &by_id).ok()["transaction"].clone();
    assert_eq!(
        (&created["creditAccount"]["name"], &created["debitAccount"]["name"]),
        (&json!("Cash"), &json!("Food"))
    );
    let unknown = json!({"description": "unknown", "creditAccount": {"name": "Nowhere"}});
    let message = cast.recorder.post(&path, &unknown).refused(400, "badRequest");
    assert!(message.contains("Account not found: Nowhere"), "3.2.6: {message}");
}

fn own_draft_is_updated(server: &Server) {
    let cast = fixture(server);
    let mine = draft(&cast, "mine");
    let body = json!({
        "id": mine["id"], "description": "changed", "amount": "7", "properties": {"a": "b"},
    });
    let updated = cast.recorder.put(&cast.path("/transactions"), &body).ok();
    shows(
        &updated["transaction"],
        &json!({
            "description": "changed", "amount": "7.00", "properties": {"a": "b"}, "posted": false,
        }),
    );
    shows(&read(&cast, &mine), &json!({"description": "changed", "amount": "7.00"}));
}

/// 7.2: may trash drafts; `remove` and `restore` are the same verbs (3.4.6).
fn own_draft_is_trashed_and_back(server: &Server) {
    let cast = fixture(server);
    let mine = draft(&cast, "mine");
    for (away, back) in [("trash", "untrash"), ("remove", "restore")] {
        assert_eq!(verb(away, &cast, &mine).ok()["transaction"]["trashed"], true);
        assert_eq!(own(&cast), Vec::<String>::new());
        assert_eq!(verb(back, &cast, &mine).ok()["transaction"]["trashed"], false);
        assert_eq!(own(&cast), ["mine"]);
    }
}

/// A draft posted by another user is no longer visible (7.8).
fn own_posted_transaction_is_out_of_reach(server: &Server) {
    let cast = fixture(server);
    let mine = draft(&cast, "mine");
    cast.patch("/transactions/post", &json!({"id": mine["id"]})).ok();
    assert_eq!(own(&cast), Vec::<String>::new());
    cast.recorder.get(&cast.path(&format!("/transactions/{}", id(&mine)))).refused(404, "notFound");
    let before = read(&cast, &mine);
    let body = json!({"id": mine["id"], "description": "changed"});
    cast.recorder.put(&cast.path("/transactions"), &body).refused(404, "notFound");
    for name in ["trash", "untrash"] {
        verb(name, &cast, &mine).refused(404, "notFound");
    }
    assert_eq!(read(&cast, &mine), before);
}

fn batches_of_own_drafts(server: &Server) {
    let cast = fixture(server);
    let (one, two) = (draft(&cast, "one"), draft(&cast, "two"));
    let ids = json!({"items": [{"id": one["id"]}, {"id": two["id"]}]});
    cast.recorder.patch(&cast.path("/transactions/trash/batch"), &ids).no_content();
    assert_eq!(own(&cast), Vec::<String>::new());
    cast.recorder.patch(&cast.path("/transactions/untrash/batch"), &ids).no_content();
    assert_eq!(own(&cast), ["one", "two"]);
    let changes = json!({
        "items": [{"id": two["id"], "description": "2"}, {"id": one["id"], "description": "1"}],
    });
    let updated = cast.recorder.put(&cast.path("/transactions/batch"), &changes).ok();
    assert_eq!(column(&updated, "description"), ["2", "1"]);
}

/// 6.2: a RECORDER never gets accounts and groups.
fn book_without_accounts(server: &Server) {
    let cast = fixture(server);
    for query in ["?loadAccounts=true", "?loadGroups=true", "?loadAccounts=true&loadGroups=true"] {
        shows(
            &cast.recorder.get(&cast.path(query)).ok(),
            &json!({"accounts": null, "groups": null, "permission": "RECORDER"}),
        );
    }
}

/// A query cannot widen the visibility.
fn queries_see_own_drafts_only(server: &Server) {
    let cast = fixture(server);
    cast.record("2025-01-31", "5", "Cash", "Food", "posted secret");
    let trashed = cast.record("2025-01-31", "", "Cash", "Food", "trashed secret");
    cast.patch("/transactions/trash", &json!({"id": trashed["id"]})).ok();
    draft(&cast, "mine");
    for query in [
        "account:Cash",
        "secret",
        "is:unchecked",
        "is:trashed",
        "amount%3E0",
        "on:2025",
        "is:posted%20OR%20is:draft",
    ] {
        let found = cast.recorder.get(&cast.path(&format!("/transactions?query={query}"))).ok();
        let found = column(&found, "description");
        assert!(found.iter().all(|description| description == "mine"), "{query}: {found:?}");
    }
}

/// 7.3: groups, account types and app responses are neither shown nor searchable.
fn recorder_finds_nothing_by_hidden_fields(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.account_in("Cash", "ASSET", &["Assets"]);
    cast.account("Food", "OUTGOING");
    draft(&cast, "mine");
    let count = |caller: &Client, query: &str| {
        let path = cast.path(&format!("/transactions/count?query={query}"));
        caller.get(&path).ok()["total"].clone()
    };
    for (query, owner, recorder) in [
        ("group:Assets", 1, 0),
        ("type:ASSET", 1, 0),
        ("type:LIABILITY", 0, 0),
        ("error:true", 0, 0),
        ("error:false", 1, 0),
        ("account:Cash", 1, 1),
    ] {
        let found = [&cast.owner, &cast.recorder].map(|caller| count(caller, query));
        assert_eq!(found, [json!(owner), json!(recorder)], "{query}");
    }
    // Addresses are visible to readers of the collaborators, and to their owner.
    let by = |email: &str| format!("by:{email}");
    let (recorder, owner) = (by(cast.recorder.email()), by(cast.owner.email()));
    assert_eq!(count(&cast.recorder, &recorder), 1);
    assert_eq!(count(&cast.owner, &recorder), 1);
    cast.owner.put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"})).ok();
    cast.record("2025-01-31", "5", "Cash", "Food", "of the owner");
    let name = cast.owner.get("/v5/user").ok()["username"].as_str().expect("a name").to_owned();
    assert_eq!(count(&cast.stranger, &by(&name)), 1);
    assert_eq!(count(&cast.stranger, &owner), 0);
    assert_eq!(count(&cast.viewer, &owner), 1);
}

/// 2.8: the list would reveal the id of an account by its name.
fn accounts_are_not_found_by_their_names(server: &Server) {
    let cast = fixture(server);
    draft(&cast, "mine");
    let path = cast.path("/transactions?query=account:Cash");
    let cash = cast.get("/accounts/cash").ok();
    assert_eq!(cast.owner.get(&path).ok()["account"], cash["id"]);
    for query in ["account:Cash", "from:Cash", "account:Nowhere"] {
        let found = cast.recorder.get(&cast.path(&format!("/transactions?query={query}")));
        assert_eq!(found.ok().get("account"), None, "{query}");
    }
}

fn two_recorders(server: &Server) {
    let cast = fixture(server);
    cast.share(cast.stranger.email(), "RECORDER");
    let mine = draft(&cast, "mine");
    let other =
        cast.stranger.post(&cast.path("/transactions"), &complete("theirs")).ok()["transaction"]
            .clone();
    assert_eq!(own(&cast), ["mine"]);
    cast.stranger.get(&cast.path(&format!("/transactions/{}", id(&mine)))).refused(404, "notFound");
    verb("trash", &cast, &other).refused(404, "notFound");
}

/// Behaviour 6.9 gives any user VIEWER; a collaborator keeps the own permission.
fn recorder_of_a_public_book(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    assert_eq!(cast.recorder.get(&cast.path("")).ok()["permission"], "RECORDER");
    let body = json!({"description": "mine"});
    cast.recorder.post(&cast.path("/transactions"), &body).ok();
    cast.stranger.post(&cast.path("/transactions"), &body).refused(403, "forbidden");
    // 7.3: it sees the same as the public.
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let posted =
        id(&cast.record("2025-01-31", "5", "Cash", "Food", "posted by the owner")).to_owned();
    let trashed =
        id(&cast.record("2025-01-31", "6", "Cash", "Food", "trashed by the owner")).to_owned();
    cast.patch("/transactions/trash", &json!({"id": trashed})).ok();
    let file = cast.post("/files", &json!({"name": "f.txt", "content": "YQ=="}));
    let file = id(&file.ok()).to_owned();
    for rest in [
        "/transactions",
        "/transactions?query=is:trashed",
        "/transactions/count?query=account:Cash",
        &format!("/transactions/{posted}"),
        &format!("/transactions?ids={trashed},{posted}"),
        "/accounts",
        "/groups",
        "/balances?query=on:2025",
        "/queries",
        "/files",
        &format!("/files/{file}"),
    ] {
        let seen = cast.recorder.get(&cast.path(rest)).ok();
        assert_eq!(seen, cast.viewer.get(&cast.path(rest)).ok(), "{rest}");
        assert_eq!(seen, cast.stranger.get(&cast.path(rest)).ok(), "{rest}");
    }
    let whole = cast.recorder.get(&cast.path("?loadAccounts=true")).ok();
    assert_eq!(column(&json!({"items": whole["accounts"]}), "name"), ["Cash", "Food"]);
    // A duplicate create shows the whole transaction of another user (3.7.2), and sides show all
    // fields.
    let remote = unique("r");
    let others =
        json!({"description": "others", "remoteIds": [remote], "creditAccount": {"name": "Cash"}});
    cast.post("/transactions", &others).ok();
    let repeated = cast.recorder.post(&cast.path("/transactions"), &others).ok();
    assert_eq!(repeated["transaction"]["description"], "others");
    assert_eq!(repeated["transaction"]["creditAccount"]["type"], "ASSET");
    // It may not change more than before: a visible transaction of another user is refused instead
    // of missing.
    let draft = id(&repeated["transaction"]).to_owned();
    for (method, rest, body) in [
        ("PUT", "/transactions", json!({"id": draft, "description": "taken"})),
        ("PATCH", "/transactions/trash", json!({"id": draft})),
        ("PATCH", "/transactions/trash/batch", json!({"items": [{"id": draft}]})),
        ("PATCH", "/transactions/trash", json!({"id": posted})),
        ("PUT", "/files", json!({"id": file, "name": "taken.txt"})),
        ("PUT", "/files", json!({"id": file, "content": "Yg=="})),
        ("DELETE", &format!("/files/{file}"), Value::Null),
        ("POST", "/accounts", json!({"name": "New"})),
    ] {
        cast.recorder.send(method, &cast.path(rest), &body).refused(403, "forbidden");
    }
    let stored = cast.get(&format!("/files/{file}")).ok();
    assert_eq!((&stored["name"], &stored["content"]), (&json!("f.txt"), &json!("YQ==")));
    cast.recorder.post(&cast.path("/copy?name=Mine"), &Value::Null).ok();
    // When the book is private again, this ends.
    cast.put("", &json!({"visibility": "PRIVATE"})).ok();
    assert_eq!(own(&cast), ["mine"]);
    cast.recorder.get(&cast.path("/accounts")).refused(403, "forbidden");
    cast.recorder.get(&cast.path(&format!("/files/{file}"))).refused(404, "notFound");
}
