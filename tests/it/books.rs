//! Books (6.1 - 6.13): create, get, list and search. Updates are in `book_settings`, deletion in
//! `deleted_books`.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, encode, id, pause, shows, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        create_uses_defaults,
        create_takes_the_name_from_the_query,
        create_includes_groups_and_accounts,
        create_ignores_read_only_fields,
        refused_create_leaves_no_book,
        get_includes_accounts_and_groups_by_flags,
        get_shows_the_permission_of_the_caller,
        list_is_sorted_ignoring_case,
        list_has_own_and_shared_books_only,
        search_matches_the_name,
        search_matches_owner_properties_and_id,
        public_book_is_readable_by_any_user,
        totals_count_posted_transactions,
        each_change_moves_last_update,
        time_zone_offset_is_positive_west_of_utc,
    ]
}

/// 6.1, 6.2.
fn create_uses_defaults(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("defaults")));
    let book = owner.post("/v5/books", &json!({"name": "Plain"})).ok();
    let expected = json!({
        "name": "Plain",
        "permission": "OWNER",
        "visibility": "PRIVATE",
        "autoPost": true,
        "fractionDigits": 2,
        "datePattern": "dd/MM/yyyy",
        "decimalSeparator": "DOT",
        "timeZone": "UTC",
        "timeZoneOffset": 0,
        "pageSize": 100,
        "period": "MONTH",
        "periodStartMonth": "JANUARY",
        "properties": {},
        "totalTransactions": 0,
        "totalTransactionsCurrentMonth": 0,
        "totalTransactionsCurrentYear": 0,
        "lockDate": null,
        "closingDate": null,
        "collection": null,
    });
    shows(&book, &expected);
    let read = owner.get(&format!("/v5/books/{}", id(&book))).ok();
    shows(&read, &expected);
    shows(
        &read,
        &json!({"id": book["id"], "createdAt": book["createdAt"], "ownerName": book["ownerName"]}),
    );
    let full = owner.get(&format!("/v5/books/{}?loadAccounts=true", id(&book))).ok();
    shows(&full, &json!({"accounts": [], "groups": []}));
}

/// 6.1: the name in the body takes precedence; one of the two is required.
fn create_takes_the_name_from_the_query(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("named")));
    let named = |query: &str, body: &Value| owner.post(&format!("/v5/books{query}"), body);
    assert_eq!(named("?name=My%20Book", &json!({})).ok()["name"], "My Book");
    assert_eq!(named("?name=Query", &json!({"name": "Body"})).ok()["name"], "Body");
    assert_eq!(named("?name=Query", &json!({"fractionDigits": 3})).ok()["fractionDigits"], 3);
    assert_eq!(named("?name=a%2Bb+c", &json!({})).ok()["name"], "a+b c", "a query is form-encoded");
    for query in ["", "?name=", "?name=%20"] {
        named(query, &json!({})).refused(400, "badRequest");
    }
    // 10.8: counted in characters, not bytes.
    named("", &json!({"name": "é".repeat(255)})).ok();
    named("", &json!({"name": "é".repeat(256)})).refused(400, "badRequest");
    assert_eq!(named("", &json!({"name": "  padded  "})).ok()["name"], "padded");
}

/// 6.1: embedded groups and accounts are created, groups first.
fn create_includes_groups_and_accounts(server: &Server) {
    let book = json!({
        "name": "Chart",
        "accounts": [
            {
                "name": "Cash", "type": "ASSET", "groups": [{"name": "Liquid"}],
                "properties": {"code": "10"},
            },
            {"name": "Sales", "type": "INCOMING"},
        ],
        "groups": [
            {"name": "Assets"}, {"name": "Liquid", "parent": {"name": "Assets"}, "hidden": true},
        ],
        "queries": [{"title": "x", "query": "y"}],
        "collection": {"name": "Mine"},
    });
    let cast = Cast::with_settings(server, book);
    let accounts = cast.read("/accounts");
    assert_eq!(column(&accounts, "name"), ["Cash", "Sales"]);
    let cash = &accounts["items"][0];
    shows(cash, &json!({"type": "ASSET", "properties": {"code": "10"}}));
    assert_eq!(cash["groups"][0]["name"], "Liquid");
    let groups = cast.read("/groups");
    assert_eq!(column(&groups, "name"), ["Assets", "Liquid"]);
    assert_eq!(groups["items"][1]["parent"]["id"], groups["items"][0]["id"]);
    shows(&groups["items"][1], &json!({"hidden": true, "type": "ASSET"}));
    shows(&cast.read(""), &json!({"collection": null}));
}

/// 9.13.
fn create_ignores_read_only_fields(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("readonly")));
    let sent = json!({
        "id": "mine", "name": "B", "permission": "VIEWER", "ownerName": "somebody",
        "logoUrl": "http://x", "agentId": "forged",
        "totalTransactions": 9, "lastUpdateMs": "1", "createdAt": "1", "updatedAt": "1",
        "timeZoneOffset": 77,
    });
    let book = owner.post("/v5/books", &sent).ok();
    let expected = json!({
        "permission": "OWNER", "totalTransactions": 0, "timeZoneOffset": 0, "logoUrl": null,
    });
    shows(&book, &expected);
    for field in ["id", "ownerName", "lastUpdateMs", "createdAt", "updatedAt", "agentId"] {
        assert_ne!(book[field], sent[field], "{field}");
    }
}

/// A duplicate account refuses the whole create.
fn refused_create_leaves_no_book(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("half")));
    let twice = json!({"name": "Half", "accounts": [{"name": "Cash"}, {"name": "cash"}]});
    let message = owner.post("/v5/books", &twice).refused(400, "badRequest");
    assert!(message.contains("already exists"), "4.5: {message}");
    assert_eq!(owner.get("/v5/books").ok()["items"], json!([]));
}

/// 6.2: clients treat a present array as fully loaded; `loadAccounts` includes groups.
fn get_includes_accounts_and_groups_by_flags(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.account_in("Cash", "ASSET", &["Assets"]);
    let accounts = cast.read("/accounts")["items"].clone();
    let groups = cast.read("/groups")["items"].clone();
    for (query, accounts, groups) in [
        ("", &Value::Null, &Value::Null),
        ("?loadAccounts=false&loadGroups=false", &Value::Null, &Value::Null),
        ("?loadGroups=true", &Value::Null, &groups),
        ("?loadAccounts=true", &accounts, &groups),
        ("?loadAccounts=true&loadGroups=false", &accounts, &groups),
    ] {
        shows(&cast.read(query), &json!({"accounts": accounts, "groups": groups}));
    }
}

/// 6.2, 7.3: a RECORDER never gets accounts and groups.
fn get_shows_the_permission_of_the_caller(server: &Server) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    let username = cast.owner.get("/v5/user").ok()["username"].clone();
    assert!(username.is_string());
    for (permission, member) in cast.members() {
        let book = member.get(&cast.path("?loadAccounts=true&loadGroups=true")).ok();
        assert_eq!(book["permission"], permission);
        assert_eq!(book["ownerName"], username, "6.13");
        assert_eq!(book.get("accounts").is_some(), permission != "RECORDER", "{permission}");
        assert_eq!(book.get("groups").is_some(), permission != "RECORDER", "{permission}");
        let listed = member.get("/v5/books").ok();
        assert_eq!(listed["items"][0]["permission"], permission);
    }
}

/// 6.8: sorted by name, ignoring case; no accounts and groups.
fn list_is_sorted_ignoring_case(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("sorted")));
    for name in ["beta", "Alpha", "alpha 2", "Gamma", "ALPHA 3", "1st"] {
        owner.post("/v5/books", &json!({"name": name, "accounts": [{"name": "Cash"}]})).ok();
    }
    let listed = owner.get("/v5/books").ok();
    assert_eq!(column(&listed, "name"), ["1st", "Alpha", "alpha 2", "ALPHA 3", "beta", "Gamma"]);
    for book in listed["items"].as_array().expect("items") {
        let expected =
            json!({"accounts": null, "groups": null, "permission": "OWNER", "properties": {}});
        shows(book, &expected);
    }
}

/// 6.8: owner or collaborator; not PUBLIC books of others, not books one has left.
fn list_has_own_and_shared_books_only(server: &Server) {
    let public = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    let cast = Cast::new(server);
    cast.owner.get(&public.path("")).ok();
    assert_eq!(column(&cast.owner.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
    assert_eq!(column(&cast.viewer.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
    assert_eq!(cast.stranger.get("/v5/books").ok()["items"], json!([]));
    cast.delete(&format!("/collaborators/{}", cast.viewer.email())).ok();
    assert_eq!(cast.viewer.get("/v5/books").ok()["items"], json!([]));
}

/// 1.5: the term is plain text that must occur in the name, ignoring case.
fn search_matches_the_name(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("search")));
    for name in ["Café Central", "Household 2025", "100% Organic", "Under_score"] {
        owner.post("/v5/books", &json!({"name": name})).ok();
    }
    let table: [(&str, &[&str]); 8] = [
        ("HOLD 20", &["Household 2025"]),
        ("2025 household", &[]),
        ("CAFÉ", &["Café Central"]),
        ("%", &["100% Organic"]),
        ("_", &["Under_score"]),
        ("d", &["Household 2025", "Under_score"]),
        ("name:house", &[]),
        ("\\", &[]),
    ];
    for (term, expected) in table {
        let found = owner.get(&format!("/v5/books?query={}", encode(term))).ok();
        assert_eq!(column(&found, "name"), expected, "{term}");
    }
    for blank in ["", "%20"] {
        let found = owner.get(&format!("/v5/books?query={blank}")).ok();
        assert_eq!(column(&found, "name").len(), 4, "`{blank}` matches all");
    }
}

/// 1.5.
fn search_matches_owner_properties_and_id(server: &Server) {
    let cast = Cast::with_settings(
        server,
        json!({"name": "Plain", "properties": {"industry": "Coffee Roasting"}}),
    );
    cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let find = |term: &str| {
        column(&cast.owner.get(&format!("/v5/books?query={}", encode(term))).ok(), "name")
    };
    assert_eq!(find("coffee ro"), ["Plain"]);
    assert_eq!(find("industry"), Vec::<String>::new(), "values, not keys");
    assert_eq!(find(&cast.book), ["Plain"]);
    assert_eq!(find(&cast.book[..cast.book.len() - 1]), Vec::<String>::new(), "a whole id only");
    let owner = cast.read("")["ownerName"].as_str().expect("a name").to_owned();
    assert_eq!(find(&owner.to_uppercase()), ["Other", "Plain"]);
}

/// 6.9: as a VIEWER; the permission matrix tests each operation.
fn public_book_is_readable_by_any_user(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    cast.account("Cash", "ASSET");
    let book = cast.stranger.get(&cast.path("?loadAccounts=true")).ok();
    shows(&book, &json!({"permission": "VIEWER", "visibility": "PUBLIC"}));
    assert_eq!(book["accounts"][0]["name"], "Cash");
    // A collaborator keeps the higher permission.
    assert_eq!(cast.editor.get(&cast.path("")).ok()["permission"], "EDITOR");
    cast.put("", &json!({"visibility": "PRIVATE"})).ok();
    cast.stranger.get(&cast.path("")).refused(404, "notFound");
}

/// 6.10: posted and not trashed; drafts do not count.
fn totals_count_posted_transactions(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let old = cast.record("2001-01-31", "5", "Cash", "Food", "posted today, dated long ago");
    cast.record("2025-01-31", "5", "Cash", "Food", "second");
    cast.record("2025-01-31", "", "Cash", "Food", "a draft");
    let expect = |count: i64| {
        let book = cast.read("");
        // Counted by the instant of posting. At midnight of a month's end this would see 0.
        let expected = json!({
            "totalTransactions": count, "totalTransactionsCurrentMonth": count,
            "totalTransactionsCurrentYear": count,
        });
        shows(&book, &expected);
    };
    expect(2);
    cast.patch("/transactions/trash", &json!({"id": old["id"]})).ok();
    expect(1);
    cast.patch("/transactions/untrash", &json!({"id": old["id"]})).ok();
    expect(2);
}

/// 6.11.
fn each_change_moves_last_update(server: &Server) {
    let cast = Cast::new(server);
    let moment = || -> i64 {
        let book = cast.read("");
        // Let a millisecond pass so that the next change differs.
        pause(std::time::Duration::from_millis(3));
        book["lastUpdateMs"].as_str().and_then(|text| text.parse().ok()).expect("milliseconds")
    };
    let mut last = moment();
    assert_eq!(moment(), last, "reading changes nothing");
    let changes: [(&str, &dyn Fn()); 7] = [
        ("account created", &|| drop(cast.account("Cash", "ASSET"))),
        ("second account", &|| drop(cast.account("Food", "OUTGOING"))),
        ("group created", &|| drop(cast.group("Assets"))),
        ("transaction recorded", &|| drop(cast.record("2025-01-31", "5", "Cash", "Food", "x"))),
        ("collaborator added", &|| drop(cast.share("new@example.com", "VIEWER"))),
        ("book renamed", &|| drop(cast.put("", &json!({"name": "New"})).ok())),
        ("account archived", &|| {
            drop(cast.put("/accounts", &json!({"name": "Cash", "archived": true})).ok())
        }),
    ];
    for (what, change) in changes {
        change();
        let now = moment();
        assert!(now > last, "6.11: {what}");
        last = now;
    }
}

/// 6.3: in minutes. The zones have no summer time.
fn time_zone_offset_is_positive_west_of_utc(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("zones")));
    let table = [
        ("America/Sao_Paulo", 180),
        ("Asia/Kathmandu", -345),
        ("Pacific/Kiritimati", -840),
        ("Etc/GMT+12", 720),
    ];
    for (zone, offset) in table {
        let book = owner.post("/v5/books", &json!({"name": zone, "timeZone": zone})).ok();
        shows(&book, &json!({"timeZone": zone, "timeZoneOffset": offset}));
    }
}
