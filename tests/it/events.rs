//! The event log (8.1 - 8.4, 8.14 - 8.16): each change records one event with a snapshot, numbered
//! and chained by hash. Filters are in `event_filters`.

use daybook_domain::event::Hash;
use daybook_tests::{Cast, Server, column, shows, unique};
use serde_json::{Value, json};

use crate::reading::{
    Faults, absent, batch, events, id, items, new_events, resources, transaction, types,
};

fn cast(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.group("Daily");
    cast.account_in("Cash", "ASSET", &["Daily"]);
    cast.account("Food", "OUTGOING");
    cast
}

fn rule_8_1_each_operation_records_its_events(server: &Server) {
    let cast = cast(server);
    let owner = &cast.owner;
    let path = |rest: &str| cast.path(rest);
    let mut known = events(&cast).len();
    let mut faults = Faults::default();
    let mut step = |name: &str, wanted: &[&str]| {
        let new = new_events(&cast, known);
        known += new.len();
        faults.same(name, types(&new), wanted.to_vec());
    };
    let group = cast.group("Trips");
    step("createGroup", &["GROUP_CREATED"]);
    let account = cast.account_in("Train", "OUTGOING", &["Daily"]);
    step("createAccount in a group", &["ACCOUNT_CREATED"]);
    owner.put(&path("/accounts"), &json!({"id": account["id"], "name": "Rail"})).ok();
    step("updateAccount", &["ACCOUNT_UPDATED"]);
    owner.put(&path("/accounts"), &json!({"id": account["id"], "name": "Rail"})).ok();
    step("updateAccount without a change", &[]);
    owner.put(&path("/groups"), &json!({"id": group["id"], "hidden": true})).ok();
    step("updateGroup", &["GROUP_UPDATED"]);
    owner.delete(&path(&format!("/groups/{}", id(&group)))).ok();
    step("deleteGroup", &["GROUP_DELETED"]);
    owner.delete(&path(&format!("/accounts/{}", id(&account)))).ok();
    step("deleteAccount", &["ACCOUNT_DELETED"]);
    owner
        .post(&path("/accounts/batch"), &batch([json!({"name": "A1"}), json!({"name": "A2"})]))
        .ok();
    step("createAccountsBatch", &["ACCOUNT_CREATED", "ACCOUNT_CREATED"]);
    owner
        .post(
            &path("/groups/batch"),
            &batch([json!({"name": "G1"}), json!({"name": "G2", "parent": {"name": "G1"}})]),
        )
        .ok();
    step("createGroupsBatch", &["GROUP_CREATED", "GROUP_CREATED"]);
    let email = format!("{}@example.com", unique("new"));
    let collaborator = |permission: &str| {
        owner.post(&path("/collaborators"), &json!({"email": email, "permission": permission})).ok()
    };
    collaborator("VIEWER");
    step("addCollaborator", &["COLLABORATOR_ADDED"]);
    collaborator("EDITOR");
    step("addCollaborator again", &["COLLABORATOR_UPDATED"]);
    collaborator("EDITOR");
    step("addCollaborator without a change", &[]);
    owner.delete(&path(&format!("/collaborators/{email}"))).ok();
    step("removeCollaborator", &["COLLABORATOR_REMOVED"]);
    owner.put(&path(""), &json!({"name": "Renamed"})).ok();
    step("updateBook", &["BOOK_UPDATED"]);
    owner.put("/v5/books", &json!({"id": cast.book, "name": "Renamed"})).ok();
    step("updateBook without a change", &[]);
    faults.none();
}

fn rule_8_1_deleted_group_updates_its_members(server: &Server) {
    let cast = cast(server);
    let group = cast.group_under("Trips", "Daily");
    let child = cast.group_under("Far", "Trips");
    let account = cast.account_in("Train", "OUTGOING", &["Trips"]);
    let known = events(&cast).len();
    cast.delete(&format!("/groups/{}", id(&group))).ok();
    let new = new_events(&cast, known);
    let mut seen: Vec<_> =
        types(&new).into_iter().zip(resources(&new).into_iter().map(str::to_owned)).collect();
    seen.sort();
    let changed =
        [("ACCOUNT_UPDATED", &account), ("GROUP_DELETED", &group), ("GROUP_UPDATED", &child)];
    assert_eq!(seen, changed.map(|(kind, resource)| (kind, id(resource))));
}

fn rule_8_15_events_are_numbered_and_chained(server: &Server) {
    let cast = cast(server);
    let bodies = (0..50).map(|index| json!({"description": format!("t{index}"), "amount": "1"}));
    cast.post("/transactions/batch", &batch(bodies)).ok();
    cast.record("2025-01-01", "1.00", "Cash", "Food", "x");
    let events = events(&cast);
    assert_eq!(events[0]["type"], "BOOK_CREATED", "8.1: the first event");
    let first = events[0]["sequence"].as_i64().expect("8.15: sequence is a number");
    assert!(first == 0 || first == 1, "8.15: the numbers begin at {first}");
    let mut hashes = std::collections::BTreeSet::new();
    let mut ids = std::collections::BTreeSet::new();
    for (event, number) in events.iter().zip(first..) {
        assert_eq!(event["sequence"], number, "8.15: no gaps");
        let hash = event["hash"].as_str().unwrap_or("");
        assert!(
            hash.len() == 64
                && hash.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()),
            "8.15: 32 bytes in hex: {hash:?}"
        );
        assert!(hashes.insert(hash.to_owned()), "8.15: a hash twice");
        assert!(ids.insert(id(event)), "an id twice");
        assert_eq!(event["bookId"], cast.book);
    }
    // 8.14: events are immutable: reading again, after other changes, gives the same.
    cast.put("", &json!({"name": "Renamed"})).ok();
    let again = crate::reading::events(&cast);
    for (before, after) in events.iter().zip(&again) {
        for field in ["id", "type", "sequence", "hash", "createdAt", "createdOn", "resource"] {
            assert_eq!(before[field], after[field], "8.14: {field}");
        }
    }
    assert_eq!(again.len(), events.len() + 1);
}

fn rule_8_15_canonical_events_have_the_hashes_of_the_log(server: &Server) {
    let cast = cast(server);
    // These events share rows of the log.
    let lunch = json!({
        "date": "2025-01-10", "amount": "8", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"}, "description": "\"Größe\" \u{1f600}",
    });
    cast.post("/transactions/batch", &batch(vec![lunch; 20])).ok();
    let known = events(&cast);
    assert!(known.iter().all(|event| absent(event, "canonical")));
    let mut previous = Hash::ZERO;
    let log = cast.read("/events?limit=200&canonical=true");
    assert_eq!(items(&log).len(), known.len());
    for (event, known) in items(&log).iter().rev().zip(&known) {
        let canonical = event["canonical"].as_str().expect("8.15: canonical is a text");
        let hash = Hash::of(&[previous.as_bytes(), canonical.as_bytes()].concat());
        assert_eq!(event["hash"], hash.to_string(), "8.15: {canonical}");
        assert_eq!(event["hash"], known["hash"], "8.15: as without the parameter");
        let hashed: Value = serde_json::from_str(canonical).expect("8.15: JSON");
        for field in ["id", "bookId", "sequence", "type", "resource", "createdAt"] {
            assert_eq!(hashed[field], event[field], "8.15: {field}");
        }
        previous = hash;
    }

    let path = cast.path("/events?canonical=true");
    for (permission, member) in cast.members() {
        match permission {
            "RECORDER" => drop(member.get(&path).refused(403, "forbidden")),
            _ => drop(member.get(&path).ok()),
        }
    }
    cast.stranger.get(&path).refused(404, "notFound");
    cast.put("", &json!({"visibility": "PUBLIC"})).ok();
    cast.stranger.get(&cast.path("/events")).ok();
    cast.stranger.get(&path).refused(403, "forbidden");
}

fn rule_8_2_transaction_events_show_accounts_in_full(server: &Server) {
    let cast = cast(server);
    let known = events(&cast).len();
    let body = json!({
        "date": "2025-01-10", "amount": "8.5", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": "Lunch #food",
        "properties": {"a": "b"}, "urls": ["https://example.com"], "remoteIds": [unique("r")],
    });
    let robot = cast.owner.header("service-agent-id", "robot");
    let made = robot.post(&cast.path("/transactions"), &body).ok();
    let event = &new_events(&cast, known)[0];
    let object = &event["data"]["object"];
    let shown = &object["transaction"];
    for side in ["creditAccount", "debitAccount"] {
        for field in ["id", "name", "type", "properties", "groups"] {
            assert_eq!(shown[side][field], made["transaction"][side][field], "{side}.{field}");
        }
        assert!(
            shown[side]["properties"].is_object() && shown[side]["groups"].is_array(),
            "8.2: {side}: {shown}"
        );
    }
    for field in ["id", "name", "properties"] {
        assert!(
            !shown["creditAccount"]["groups"][0][field].is_null(),
            "8.2: groups[0].{field}: {shown}"
        );
    }
    let mut names = column(&json!({"items": object["accounts"]}), "name");
    names.sort();
    assert_eq!(names, ["Cash", "Food"]);
    assert!(absent(&event["data"], "previousAttributes"), "8.3: only on *_UPDATED: {event}");
    assert_eq!(event["resource"], made["transaction"]["id"]);
    assert_eq!(event["agent"]["id"], "robot");
    let draft = cast.post("/transactions", &json!({"amount": "1", "description": "x"})).ok();
    let event = new_events(&cast, known + 1)[0].clone();
    assert_eq!(event["data"]["object"]["transaction"]["id"], draft["transaction"]["id"]);
    // 8.2: always an object.
    assert_eq!(event["data"]["object"]["transaction"]["properties"], json!({}));
    assert_eq!(event["data"]["object"]["transaction"]["urls"], json!([]));
    assert_eq!(event["agent"]["id"], "api", "8.4: without an agent header");
    cast.patch("/transactions/check", &made["transaction"]).ok();
    let checked = &new_events(&cast, known + 2)[0];
    let later = &checked["data"]["object"]["transaction"];
    assert_eq!(later["createdAt"], made["transaction"]["createdAt"], "8.2");
    assert_eq!(later["updatedAt"], checked["createdAt"], "8.2");
}

/// Updates a resource and checks `previousAttributes`.
fn check_previous_attributes(
    cast: &Cast,
    path: &str,
    before: &Value,
    mut change: Value,
    wanted: Value,
) {
    let known = events(cast).len();
    change["id"] = before["id"].clone();
    cast.put(path, &change).ok();
    let events = new_events(cast, known);
    assert_eq!(events.len(), 1, "{change}: {:?}", types(&events));
    assert_eq!(events[0]["data"]["previousAttributes"], wanted, "8.3: after {change}");
    assert_eq!(resources(&events), [id(before)]);
}

fn rule_8_3_previous_attributes_of_transactions(server: &Server) {
    let cast = cast(server);
    let bank = cast.account("Bank", "ASSET");
    let by_name = |name: &str| id(&cast.read(&format!("/accounts/{name}")));
    let (cash, food) = (by_name("cash"), by_name("food"));
    let made = cast.record("2025-01-10", "8.00", "Cash", "Food", "Lunch");
    let check = |change: Value, wanted: Value| {
        check_previous_attributes(&cast, "/transactions", &made, change, wanted)
    };
    check(json!({"creditAccount": {"name": "Bank"}}), json!({"creditAccId": cash}));
    check(json!({"debitAccount": {"name": "Cash"}}), json!({"debitAccId": food}));
    check(
        json!({"creditAccount": {"name": "Food"}, "debitAccount": {"name": "Bank"}}),
        json!({"creditAccId": bank["id"], "debitAccId": cash}),
    );
    check(json!({"date": "2025-02-01"}), json!({"dateValue": "20250110"}));
    check(json!({"amount": "9.50"}), json!({"amount": "8.00"}));
    check(json!({"description": "Dinner"}), json!({"description": "Lunch"}));
    check(json!({"urls": ["a", "b"]}), json!({"urls": "[]"}));
    check(json!({"urls": []}), json!({"urls": "[\"a\",\"b\"]"}));
    check(json!({"remoteIds": ["r1"]}), json!({"remoteIds": "[]"}));
    check(
        json!({"remoteIds": ["r2"], "amount": "1"}),
        json!({"remoteIds": "[\"r1\"]", "amount": "9.50"}),
    );
    check(json!({"properties": {"tax_included_amount": "5"}}), json!({"tax_included_amount": ""}));
    check(
        json!({"properties": {"tax_included_amount": "6", "other": "x"}}),
        json!({"tax_included_amount": "5", "other": ""}),
    );
    check(json!({"properties": {"other": null}}), json!({"other": "x"}));
    // The field takes precedence over a property of that name.
    check(
        json!({"properties": {"amount": "a property"}, "amount": "2.00"}),
        json!({"amount": "1.00"}),
    );
    let draft =
        cast.post("/transactions", &json!({"amount": "3", "description": "x"})).ok()["transaction"]
            .clone();
    let check = |change: Value, wanted: Value| {
        check_previous_attributes(&cast, "/transactions", &draft, change, wanted)
    };
    check(
        json!({"date": "2025-02-01", "creditAccount": {"name": "Cash"}}),
        json!({"dateValue": "", "creditAccId": ""}),
    );
    check(
        json!({"date": null, "amount": "", "creditAccount": null}),
        json!({"dateValue": "20250201", "amount": "3.00", "creditAccId": cash}),
    );
    check(json!({"amount": "4"}), json!({"amount": ""}));
}

fn rule_8_3_previous_attributes_of_accounts_and_groups(server: &Server) {
    let cast = cast(server);
    let (trips, far) = (cast.group("Trips"), cast.group("Far"));
    let account = cast.account("Train", "OUTGOING");
    let check = |change: Value, wanted: Value| {
        check_previous_attributes(&cast, "/accounts", &account, change, wanted)
    };
    check(json!({"name": "Rail"}), json!({"name": "Train"}));
    check(json!({"type": "ASSET"}), json!({"type": "OUTGOING"}));
    check(json!({"archived": true}), json!({"archived": "false", "active": "true"}));
    check(
        json!({"archived": false, "name": "Train", "properties": {"active": "perhaps"}}),
        json!({"archived": "true", "active": "false", "name": "Rail"}),
    );
    check(json!({"properties": {"active": null}}), json!({"active": "perhaps"}));
    check(json!({"properties": {"parent_account": "p"}}), json!({"parent_account": ""}));
    check(json!({"properties": {"parent_account": ""}}), json!({"parent_account": "p"}));
    check(json!({"groups": [{"name": "Trips"}]}), json!({"groups": "[]"}));
    check(json!({"groups": []}), json!({"groups": format!("[\"{}\"]", id(&trips))}));
    let check = |change: Value, wanted: Value| {
        check_previous_attributes(&cast, "/groups", &far, change, wanted)
    };
    check(json!({"name": "Away"}), json!({"name": "Far"}));
    check(json!({"parent": {"name": "Trips"}}), json!({"parent": ""}));
    check(json!({"parent": null}), json!({"parent": trips["id"]}));
    check(json!({"hidden": true}), json!({"hidden": "false"}));
    check(json!({"locked": true}), json!({"locked": "false"}));
    check(json!({"locked": false, "properties": {"k": "v"}}), json!({"locked": "true", "k": ""}));
}

fn rule_8_3_previous_attributes_of_books_and_collaborators(server: &Server) {
    let cast = cast(server);
    let changed = |known: usize| {
        let events = new_events(&cast, known);
        assert_eq!(events.len(), 1, "{:?}", types(&events));
        let previous = events[0]["data"]["previousAttributes"]
            .as_object()
            .unwrap_or_else(|| panic!("8.3: {}", events[0]["data"]))
            .clone();
        assert!(
            previous.values().all(Value::is_string),
            "8.3: a flat map of strings: {previous:?}"
        );
        let mut keys: Vec<_> = previous.keys().cloned().collect();
        keys.sort();
        (keys.join(" "), Value::Object(previous))
    };
    let rows = [
        (json!({"name": "Renamed", "fractionDigits": 3}), "fractionDigits name"),
        (json!({"autoPost": false}), "autoPost"),
        (json!({"lockDate": "2020-01-01"}), "lockDate"),
        (json!({"properties": {"color": "red"}}), "color"),
    ];
    for (change, keys) in rows {
        let known = events(&cast).len();
        cast.put("", &change).ok();
        assert_eq!(changed(known).0, keys, "8.3: {change}");
    }
    let known = events(&cast).len();
    cast.share(cast.viewer.email(), "POSTER");
    let (keys, previous) = changed(known);
    assert_eq!((keys.as_str(), &previous["permission"]), ("permission", &json!("VIEWER")));
}

fn rule_8_4_event_shows_user_agent_and_book(server: &Server) {
    let cast = cast(server);
    cast.put(
        "",
        &json!({"properties": {"a": "b"}, "lockDate": "2020-01-31", "closingDate": "2020-02-29"}),
    )
    .ok();
    let made = cast
        .editor
        .post(&cast.path("/transactions"), &json!({"amount": "1", "description": "x"}))
        .ok();
    let editor = cast.editor.get("/v5/user").ok();
    for (role, reader) in [("OWNER", &cast.owner), ("VIEWER", &cast.viewer)] {
        let list = reader.get(&cast.path("/events?limit=1")).ok();
        let event = &list["items"][0];
        let expected =
            json!({"type": "TRANSACTION_CREATED", "resource": made["transaction"]["id"]});
        shows(event, &expected);
        assert_eq!(event["user"]["username"], editor["username"], "8.4: who did it");
        assert!(event["user"].get("name").is_some(), "8.4: {event}");
        assert_eq!(event["agent"]["id"], "api");
        assert_eq!(event["botResponses"], json!([]));
        let milliseconds: i64 = event["createdAt"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("8.4: createdAt in milliseconds");
        let on: jiff::Timestamp = event["createdOn"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("8.4: createdOn in RFC 3339");
        assert_eq!(on.as_millisecond(), milliseconds);
        let book = reader.get(&cast.path("")).ok();
        let fields = "id name properties fractionDigits datePattern decimalSeparator timeZone \
                      timeZoneOffset lockDate closingDate period periodStartMonth pageSize \
                      permission ownerName";
        for field in fields.split(' ') {
            assert_eq!(event["book"][field], book[field], "8.4: book.{field}");
        }
        assert_eq!(event["book"]["permission"], role, "8.4: that of the reader");
        // 8.4: no accounts or groups.
        assert!(absent(&event["book"], "accounts") && absent(&event["book"], "groups"));
    }
}

fn rule_8_16_events_keep_the_state_of_their_time(server: &Server) {
    let cast = cast(server);
    let made = cast.record("2025-01-10", "8.00", "Cash", "Food", "Lunch");
    cast.put(
        "/transactions",
        &json!({"id": made["id"], "amount": "9.00", "description": "Dinner"}),
    )
    .ok();
    cast.patch("/transactions/trash", &json!({"id": made["id"]})).ok();
    let all = events(&cast);
    let shown: Vec<_> = all[all.len() - 3..]
        .iter()
        .map(|event| &event["data"]["object"]["transaction"])
        .map(|shown| {
            (shown["amount"].clone(), shown["description"].clone(), shown["trashed"].clone())
        })
        .collect();
    let wanted = [("8.00", "Lunch", false), ("9.00", "Dinner", false), ("9.00", "Dinner", true)]
        .map(|(a, b, c)| (json!(a), json!(b), json!(c)));
    assert_eq!(shown, wanted, "8.14: each event keeps the state of its time");
    // deleteAccount: drafts lose that side, each with an event of its own (4.7).
    let train = cast.account("Train", "OUTGOING");
    let drafts = [0, 1].map(|_| {
        cast.post("/transactions", &json!({"amount": "1", "debitAccount": {"name": "Train"}})).ok()
            ["transaction"]
            .clone()
    });
    let known = events(&cast).len();
    cast.delete(&format!("/accounts/{}", id(&train))).ok();
    let new = new_events(&cast, known);
    let mut kinds = types(&new);
    kinds.sort_unstable();
    assert_eq!(kinds, ["ACCOUNT_DELETED", "TRANSACTION_UPDATED", "TRANSACTION_UPDATED"]);
    for event in new.iter().filter(|event| event["type"] == "TRANSACTION_UPDATED") {
        assert_eq!(event["data"]["previousAttributes"], json!({"debitAccId": train["id"]}));
    }
    assert!(absent(&transaction(&cast, &id(&drafts[0])), "debitAccount"));
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_8_1_each_operation_records_its_events,
        rule_8_1_deleted_group_updates_its_members,
        rule_8_2_transaction_events_show_accounts_in_full,
        rule_8_3_previous_attributes_of_transactions,
        rule_8_3_previous_attributes_of_accounts_and_groups,
        rule_8_3_previous_attributes_of_books_and_collaborators,
        rule_8_4_event_shows_user_agent_and_book,
        rule_8_15_events_are_numbered_and_chained,
        rule_8_15_canonical_events_have_the_hashes_of_the_log,
        rule_8_16_events_keep_the_state_of_their_time,
    ]
}
