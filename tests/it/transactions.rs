//! Recording transactions: status (3.1) and create (3.2), without quick entry and files.

use daybook_tests::{CASH_BANK_FOOD, Cast, Client, Lunch, Server, shows};
use serde_json::{Value, json};

use crate::reading::{
    Faults, absent, day_of, events, find, id, items, new_events, totals, transaction, types,
};

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "12.00" };

/// A book with Cash, Bank and Food.
fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

fn rule_3_2_1_an_operation_with_full_accounts(server: &Server) {
    let cast = cast(server);
    let parent = cast.group("Assets");
    let group = cast.group_under("Liquid", "Assets");
    cast.put(
        "/groups",
        &json!({"id": group["id"], "properties": {"kind": "fast"}, "hidden": true}),
    )
    .ok();
    cast.account_in("Purse", "ASSET", &["Liquid"]);
    let operation =
        cast.post("/transactions", &LUNCH.with(json!({"creditAccount": {"name": "Purse"}}))).ok();
    let made = &operation["transaction"];
    let accounts = operation["accounts"].as_array().expect("3.2.1: accounts");
    let mut names: Vec<_> =
        accounts.iter().map(|account| account["name"].as_str().unwrap_or("?")).collect();
    names.sort_unstable();
    assert_eq!(names, ["Food", "Purse"], "3.2.1: the affected accounts");
    let read = transaction(&cast, &id(made));
    assert_eq!(&read, made, "getTransaction answers what the create answered");
    let side = accounts.iter().find(|account| account["name"] == "Purse").expect("Purse");
    for account in [side, &made["creditAccount"]] {
        let expected = json!({
            "name": "Purse", "normalizedName": "purse", "type": "ASSET", "properties": {},
            "credit": false, "permanent": true, "archived": false, "hasTransactionPosted": true,
        });
        shows(account, &expected);
        let expected = json!({
            "id": group["id"], "name": "Liquid", "normalizedName": "liquid", "hidden": true,
            "properties": {"kind": "fast"},
        });
        shows(&account["groups"][0], &expected);
        assert_eq!(account["groups"][0]["parent"]["id"], parent["id"], "4.18");
    }
    assert_eq!(made["debitAccount"]["groups"], json!([]), "4.18: no groups are []");
}

fn rule_3_2_2_posted_on_create(server: &Server) {
    let cast = cast(server);
    let mut faults = Faults::default();
    let callers: [(&str, &Client, bool); 4] = [
        ("OWNER", &cast.owner, true),
        ("EDITOR", &cast.editor, true),
        ("POSTER", &cast.poster, true),
        ("RECORDER", &cast.recorder, false),
    ];
    let mut expected_events = Vec::new();
    let known = events(&cast).len();
    for auto_post in [false, true] {
        cast.put("", &json!({"autoPost": auto_post})).ok();
        for (role, caller, may_post) in callers {
            for draft in [Value::Null, json!(false), json!(true)] {
                for missing in ["nothing", "date", "amount", "creditAccount", "debitAccount"] {
                    let mut body = LUNCH.with(json!({"draft": draft, "posted": true}));
                    body.as_object_mut().expect("an object").remove(missing);
                    let made =
                        caller.post(&cast.path("/transactions"), &body).ok()["transaction"].clone();
                    let posted =
                        auto_post && may_post && draft != json!(true) && missing == "nothing";
                    let row =
                        format!("autoPost {auto_post}, {role}, draft {draft}, without {missing}");
                    faults.same(
                        &row,
                        (&made["posted"], &made["draft"]),
                        (&json!(posted), &json!(!posted)),
                    );
                    expected_events.push(if posted {
                        "TRANSACTION_POSTED"
                    } else {
                        "TRANSACTION_CREATED"
                    });
                }
            }
        }
    }
    let found = new_events(&cast, known);
    let found: Vec<_> = types(&found).into_iter().filter(|kind| *kind != "BOOK_UPDATED").collect();
    faults.same("8.1: the events", found, expected_events);
    // 3.1.3: drafts never affect balances. Posted: 3 roles, two of the three draft values.
    faults.same(
        "balances",
        totals(&cast),
        crate::reading::expected_totals(&[("Cash", "0.00", "72.00"), ("Food", "72.00", "0.00")]),
    );
    faults.none();
}

fn rule_3_2_3_flags_in_the_payload(server: &Server) {
    let cast = cast(server);
    let rows = [
        (json!({"checked": true}), (true, true)),
        (json!({"checked": true, "draft": true}), (false, false)),
        (json!({"checked": true, "amount": null}), (false, false)),
        (json!({"posted": true, "amount": null}), (false, false)),
        (json!({"trashed": true}), (true, false)),
    ];
    for (fields, (posted, checked)) in rows {
        let known = events(&cast).len();
        let made = LUNCH.create(&cast, fields.clone());
        assert_eq!(
            (&made["posted"], &made["checked"]),
            (&json!(posted), &json!(checked)),
            "{fields}"
        );
        assert_eq!(made["trashed"], false, "{fields}");
        let events = new_events(&cast, known);
        assert_eq!(
            types(&events),
            [if posted { "TRANSACTION_POSTED" } else { "TRANSACTION_CREATED" }],
            "8.1: {fields}"
        );
        assert_eq!(events[0]["data"]["object"]["transaction"]["checked"], checked, "8.1: {fields}");
    }
}

fn rule_3_2_4_dates(server: &Server) {
    let cast = cast(server);
    for date in [Value::Null, json!("")] {
        let made = LUNCH.create(&cast, json!({"date": date}));
        assert_eq!(made["posted"], false, "date {date}");
        assert!(absent(&made, "date") || made["date"] == "", "3.2.4: an empty date: {made}");
    }
    let mut faults = Faults::default();
    for date in ["2024-02-29", "1900-01-01"] {
        let made = LUNCH.create(&cast, json!({"date": date}));
        faults.same(date, (&made["date"], &made["posted"]), (&json!(date), &json!(true)));
    }
    let wrong = ["2025-02-30", "05/03/2025", "yesterday", "2025-03-05T00:00:00Z"];
    for date in wrong {
        let answer = cast.post("/transactions", &LUNCH.with(json!({"date": date})));
        faults.same(date, answer.status, 400);
    }
    for date in [json!(20_250_305), json!(["2025-03-05"])] {
        let answer = cast.post("/transactions", &LUNCH.with(json!({"date": date})));
        faults
            .check(answer.status == 400 && answer.text.contains("InvalidFormatException"), || {
                format!("0.10: date {date}: {}", answer.text)
            });
    }
    faults.none();
}

fn rule_3_2_5_read_only_fields_are_ignored(server: &Server) {
    let cast = cast(server);
    let made = LUNCH.create(
        &cast,
        json!({
            "id": "mine", "createdAt": "1", "updatedAt": "2", "createdBy": "somebody",
            "agentId": "robot", "agentName": "Robot",
            "agentLogo": "https://example.com/a", "agentLogoDark": "https://example.com/b",
            "dateValue": 19_990_101,
            "dateFormatted": "01/01/1999", "tags": ["wrong"], "unknownField": {"a": [1]},
        }),
    );
    assert_ne!(made["id"], "mine");
    assert_ne!(made["createdAt"], "1");
    assert_ne!(made["updatedAt"], "2");
    assert_ne!(made["createdBy"], "somebody");
    assert_ne!(made["agentId"], "robot");
    assert!(absent(&made, "agentName") || made["agentName"] != "Robot", "{made}");
    shows(&made, &json!({"dateValue": 20_250_305, "dateFormatted": "05/03/2025"}));
    assert_eq!(made["tags"], json!([]));
    cast.get("/transactions/mine").refused(404, "notFound");
}

fn rule_3_2_6_sides(server: &Server) {
    let cast = cast(server);
    let other = Cast::new(server);
    let bank = cast.get("/accounts/bank").ok();
    let (same_name, strange) = (other.account("Bank", "ASSET"), other.account("Nowhere", "ASSET"));
    let number: i64 = id(&bank).parse().expect("0.14: account ids fit int64");
    let rows = [
        ("by id", json!({"id": bank["id"]}), Some("Bank")),
        ("by id as a number (0.10)", json!({"id": number}), Some("Bank")),
        ("by name", json!({"name": "Bank"}), Some("Bank")),
        ("by normalized name", json!({"name": "  BÂNK "}), Some("Bank")),
        ("the id before the name", json!({"id": bank["id"], "name": "Food"}), Some("Bank")),
        ("the whole object", bank.clone(), Some("Bank")),
        ("another book's object, name known", same_name, Some("Bank")),
        ("another book's object, unknown", strange, None),
        ("an unknown id alone", json!({"id": "99999999999999"}), None),
        ("null", Value::Null, None),
    ];
    let mut faults = Faults::default();
    for (case, side, expected) in &rows {
        let answer = cast.post("/transactions", &LUNCH.with(json!({"creditAccount": side})));
        let made = &answer.body["transaction"];
        faults.same(
            case,
            (answer.status, made["creditAccount"]["name"].as_str()),
            (200, *expected),
        );
        faults.same(&format!("{case}: posted"), &made["posted"], &json!(expected.is_some()));
    }
    let message = cast
        .post("/transactions", &LUNCH.with(json!({"creditAccount": {"name": "Nobody"}})))
        .refused(400, "badRequest");
    faults.check(message.contains("Account not found: Nobody"), || format!("3.2.6: {message}"));
    let made = LUNCH.create(&cast, json!({}));
    for side in [json!({"name": "Nobody"}), json!({"id": "99999999999999"}), rows[7].1.clone()] {
        let answer = cast.put("/transactions", &json!({"id": made["id"], "creditAccount": side}));
        faults.same(&format!("an update to {side}"), answer.status, 400);
    }
    // 3.2.7: no account was created.
    let accounts = cast.get("/accounts").ok();
    faults.same("3.2.7: the accounts", items(&accounts).len(), 3);
    faults.none();
}

fn rule_3_2_8_the_same_account_twice(server: &Server) {
    let cast = cast(server);
    let cash = cast.get("/accounts/cash").ok();
    for side in [json!({"name": "Cash"}), json!({"name": "cash"}), json!({"id": cash["id"]})] {
        for draft in [false, true] {
            cast.post("/transactions", &LUNCH.with(json!({"debitAccount": side, "draft": draft})))
                .refused(400, "badRequest");
        }
    }
    let made = LUNCH.create(&cast, json!({}));
    cast.put("/transactions", &json!({"id": made["id"], "debitAccount": {"name": "Cash"}}))
        .refused(400, "badRequest");
    assert_eq!(items(&find(&cast, "")).len(), 1);
}

fn rule_3_2_11_the_answer(server: &Server) {
    for (pattern, formatted) in
        [("dd/MM/yyyy", "05/03/2025"), ("MM/dd/yyyy", "03/05/2025"), ("yyyy/MM/dd", "2025/03/05")]
    {
        let cast = Cast::with_settings(server, json!({"datePattern": pattern}));
        let body = json!({"date": "2025-03-05", "amount": "1", "description": "Half"});
        let made = cast.post("/transactions", &body).ok()["transaction"].clone();
        assert_eq!(
            (&made["dateValue"], &made["dateFormatted"]),
            (&json!(20_250_305), &json!(formatted)),
            "{pattern}"
        );
        let user = cast.owner.get("/v5/user").ok();
        assert_eq!(made["createdBy"], user["username"]);
        day_of(&made);
        assert_eq!(made["updatedAt"], made["createdAt"], "millisecond strings, equal at first");
        assert_eq!(made["properties"], json!({}), "always an object");
        for list in ["files", "remoteIds", "urls", "tags"] {
            assert_eq!(made[list], json!([]), "{list} is always an array");
        }
        shows(&made, &json!({"posted": false, "draft": true, "checked": false, "trashed": false}));
        assert!(absent(&made, "creditAccount") && absent(&made, "debitAccount"), "{made}");
    }
    let cast = cast(server);
    let robot = cast.owner.header("service-agent-id", "some-robot");
    let made = robot
        .post(
            &cast.path("/transactions"),
            &LUNCH.with(
                json!({"agentId": "other", "properties": {"A Key": "v"}, "remoteIds": ["r"]}),
            ),
        )
        .ok();
    let made = &made["transaction"];
    assert_eq!(made["agentId"], "some-robot", "9.2: the agent header is stored");
    assert_eq!(made["properties"], json!({"a_key": "v"}), "4.6: keys are normalized");
    assert_eq!(made["remoteIds"], json!(["r"]));
    let changed = cast
        .owner
        .header("service-agent-id", "second")
        .put(&cast.path("/transactions"), &json!({"id": made["id"], "description": "x"}))
        .ok();
    assert_eq!(changed["transaction"]["agentId"], "some-robot", "the creating agent stays");
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_2_1_an_operation_with_full_accounts,
        rule_3_2_2_posted_on_create,
        rule_3_2_3_flags_in_the_payload,
        rule_3_2_4_dates,
        rule_3_2_5_read_only_fields_are_ignored,
        rule_3_2_6_sides,
        rule_3_2_8_the_same_account_twice,
        rule_3_2_11_the_answer,
    ]
}
