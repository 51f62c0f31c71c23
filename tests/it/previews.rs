//! previewTransaction (3.15): how a typed line would be read and recorded.

use daybook_tests::{Answer, Cast, Client, Server, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::quick_entry::cast;
use crate::reading::{day_of, events, id, new_events};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_14_1_preview_is_what_create_records,
        rule_3_14_1_preview_refuses_what_create_refuses,
        rule_3_14_1_known_transaction_is_returned,
        rule_3_14_2_tokens_have_utf_16_offsets,
        rule_3_14_3_missing_fields_and_sides,
        rule_3_14_4_duplicates,
        rule_3_14_4_recorder_sees_own_duplicates,
    ]
}

const PATH: &str = "/transactions/preview";

#[track_caller]
fn preview(cast: &Cast, body: &Value) -> Value {
    cast.post(PATH, body).ok()
}

#[track_caller]
fn typed(cast: &Cast, text: &str) -> Value {
    preview(cast, &json!({"description": text}))
}

/// Removes the fields that only a recorded transaction has.
fn unrecorded(mut transaction: Value) -> Value {
    if let Some(fields) = transaction.as_object_mut() {
        for field in
            ["id", "agentId", "agentName", "agentLogo", "agentLogoDark", "createdAt", "updatedAt"]
        {
            fields.remove(field);
        }
    }
    transaction
}

/// The simulation compares the previews of random lines with what a create records.
fn rule_3_14_1_preview_is_what_create_records(server: &Server) {
    let cast = cast(server, json!({"decimalSeparator": "COMMA"}));
    let known = events(&cast).len();
    let body = json!({
        "description": "#trip taxi cash 12,50 13/05/2025 https://a.b/c?d=1",
        "properties": {"a": "b"}, "remoteIds": [" r1 "],
    });
    let said = preview(&cast, &body);
    assert_eq!(new_events(&cast, known).len(), 0, "a preview records nothing");
    let made = cast.post("/transactions", &body).ok()["transaction"].clone();
    assert_eq!(said["transaction"], unrecorded(made.clone()));
    for (side, end) in [("creditAccount", "from"), ("debitAccount", "to")] {
        assert_eq!(said[end]["id"], made[side]["id"], "{end}");
    }
}

#[track_caller]
fn refused_alike(cast: &Cast, caller: &Client, query: &str, body: &Value) -> Answer {
    let said = caller.post(&cast.path(&format!("{PATH}{query}")), body);
    let made = caller.post(&cast.path(&format!("/transactions{query}")), body);
    assert!(said.status >= 400, "{body} is refused: {}", said.text);
    assert_eq!((said.status, &said.body["error"]), (made.status, &made.body["error"]), "{body}");
    said
}

fn rule_3_14_1_preview_refuses_what_create_refuses(server: &Server) {
    let cast = cast(server, json!({}));
    cast.put("/accounts", &json!({"name": "Cash", "minBalance": "0"})).ok();
    for (query, body) in [
        ("?timeZone=Mars/Base", json!({"description": "cash"})),
        ("", json!({"description": "x".repeat(65 * 1024)})),
        ("", json!({"description": "a", "debitAccount": {"name": "Nobody"}})),
        ("", json!({"amount": "much"})),
        ("", json!({"date": "31/01/2025"})),
        ("", json!([])),
    ] {
        refused_alike(&cast, &cast.owner, query, &body);
    }
    let spent = json!({"description": "cash food 25 13/05/2025"});
    refused_alike(&cast, &cast.owner, "", &spent).refused(400, "insufficientFunds");
    // A draft lowers no balance.
    assert_eq!(
        preview(&cast, &json!({"description": spent["description"], "draft": true}))["transaction"]
            ["draft"],
        true
    );
    refused_alike(&cast, &cast.viewer, "", &spent).refused(403, "forbidden");
    refused_alike(&cast, &cast.stranger, "", &spent).refused(404, "notFound");
    refused_alike(&cast, &cast.anonymous, "", &spent).refused(401, "required");
    let conditional = cast.owner.header("if-match", "\"1\"");
    conditional.post(&cast.path(PATH), &json!({"description": "a"})).refused(400, "badRequest");
    // Files are ignored: neither stored nor required to exist.
    let files = json!([{"id": "1"}, {"name": "a.txt", "content": "YQ=="}]);
    let said = preview(&cast, &json!({"description": "a", "files": files}));
    assert_eq!(said["transaction"]["files"], json!([]));
    assert_eq!(cast.read("/files")["items"], json!([]));
}

fn rule_3_14_1_known_transaction_is_returned(server: &Server) {
    let cast = cast(server, json!({}));
    let body = json!({
        "description": "cash food 25 13/05/2025", "remoteIds": [unique("bank")],
    });
    let made = cast.post("/transactions", &body).ok();
    let said = preview(&cast, &body);
    assert_eq!(said["transaction"], made["transaction"]);
    assert_eq!((&said["known"], &said["duplicates"]), (&json!([{"index": 0}]), &json!([])));
    // 3.7.2: a RECORDER sees only the id of another user's transaction.
    let masked = cast.recorder.post(&cast.path(PATH), &body).ok();
    let expected = json!({"id": made["transaction"]["id"], "remoteIds": body["remoteIds"]});
    assert_eq!(masked["transaction"], expected);
    assert_eq!((masked.get("from"), masked.get("to")), (None, None));
    assert_eq!((&masked["missing"], &masked["duplicates"]), (&json!([]), &json!([])));
}

fn rule_3_14_2_tokens_have_utf_16_offsets(server: &Server) {
    let cast = cast(server, json!({}));
    let text =
        "  \u{1f355} TA\u{301}XI #é 31/10/2025 -#no 1,234.50 food $2x https://a.b \u{1f355}25";
    let units: Vec<u16> = text.encode_utf16().collect();
    let shown = |said: &Value| -> Vec<String> {
        let offset =
            |value: &Value| usize::try_from(value.as_u64().expect("an offset")).expect("a length");
        let tokens = said["tokens"].as_array().expect("tokens").iter();
        tokens
            .map(|token| {
                let part = &units[offset(&token["start"])..offset(&token["end"])];
                let part = String::from_utf16(part).expect("whole characters");
                let account = token["account"]["name"].as_str().unwrap_or("-");
                format!("{part} {} {account}", token["kind"].as_str().expect("a kind"))
            })
            .collect()
    };
    let expected = [
        "TA\u{301}XI creditAccount Táxi",
        "#é hashtag -",
        "31/10/2025 date -",
        "-#no removedHashtag -",
        "1,234.50 amount -",
        "food debitAccount Food",
        "$2x repeats -",
        "https://a.b url -",
    ];
    let said = typed(&cast, text);
    assert_eq!(shown(&said), expected);
    assert_eq!(said["repeats"], json!(["2025-11-30", "2025-12-31"]));
    // A recorder sees the names of accounts (7.3).
    let body = json!({"description": text});
    assert_eq!(shown(&cast.recorder.post(&cast.path(PATH), &body).ok()), expected);
    // 3.8.1: beside an amount only two names are read, and beside an account nothing.
    let said = preview(&cast, &json!({"description": text, "amount": "3"}));
    assert_eq!(shown(&said), [expected[0], expected[5]]);
    let account = json!({"name": "Cash"});
    let said = preview(&cast, &json!({"description": text, "creditAccount": account}));
    assert_eq!(said["tokens"], json!([]));
}

fn rule_3_14_3_missing_fields_and_sides(server: &Server) {
    let cast = cast(server, json!({"properties": {"learn_from_history": "true"}}));
    for (text, missing) in [
        ("", json!(["date", "amount", "creditAccount", "debitAccount"])),
        ("cash 25", json!(["date", "debitAccount"])),
        ("cash food 25 13/05/2025", json!([])),
    ] {
        let said = typed(&cast, text);
        assert_eq!(said["missing"], missing, "{text}");
        assert_eq!(said["transaction"]["posted"], json!(missing == json!([])), "{text}");
    }
    let said = typed(&cast, "food 25");
    assert_eq!((&said["from"]["name"], said.get("to")), (&json!("Food"), None));
    // 3.8.3: sides from earlier transactions have no tokens.
    let day = cast.post("/transactions", &json!({"description": "x"})).ok()["transaction"].clone();
    let today = day_of(&day).to_string();
    cast.record(&today, "10", "Cash", "Food", "at Joe's");
    let said = typed(&cast, "12 at Joe's");
    assert_eq!((&said["from"]["name"], &said["to"]["name"]), (&json!("Cash"), &json!("Food")));
    assert_eq!(said["tokens"], json!([{"start": 0, "end": 2, "kind": "amount"}]));
}

fn duplicates(said: &Value) -> Vec<&str> {
    let rows = said["duplicates"].as_array().expect("duplicates").iter();
    rows.map(|row| row["description"].as_str().expect("a description")).collect()
}

fn rule_3_14_4_duplicates(server: &Server) {
    let cast = cast(server, json!({}));
    let record = |date: &str, amount: &str, credit: &str, debit: &str, text: &str| {
        cast.record(date, amount, credit, debit, text)
    };
    record("2025-05-10", "25", "Cash", "Food", "three days before");
    record("2025-05-09", "25", "Cash", "Food", "four days before");
    record("2025-05-16", "25.00", "Cash", "Food", "three days after");
    record("2025-05-17", "25", "Cash", "Food", "four days after");
    record("2025-05-13", "25.01", "Cash", "Food", "another amount");
    record("2025-05-13", "25", "Food", "Cash", "other sides");
    record("2025-05-13", "25", "Cash", "Táxi", "another account");
    let trashed = record("2025-05-13", "25", "Cash", "Food", "trashed");
    cast.patch("/transactions/trash", &json!({"id": id(&trashed)})).ok();
    let side = |name: &str| json!({"name": name});
    let draft = json!({
        "date": "2025-05-13", "amount": "25", "description": "draft", "draft": true,
        "creditAccount": side("Cash"), "debitAccount": side("Food"),
    });
    let draft = cast.post("/transactions", &draft).ok()["transaction"].clone();
    let said = typed(&cast, "lunch cash food 25 13/05/2025");
    assert_eq!(duplicates(&said), ["three days after", "draft", "three days before"]);
    shows(
        &said["duplicates"][1],
        &json!({
            "id": id(&draft), "date": "2025-05-13", "amount": "25.00", "description": "draft",
            "posted": false,
        }),
    );
    assert_eq!(said["duplicates"][0]["posted"], true);
    for text in ["cash 25 13/05/2025", "cash food 13/05/2025", "cash food 26 13/05/2025"] {
        assert_eq!(duplicates(&typed(&cast, text)), [""; 0], "{text}");
    }
    for number in 0..4 {
        record("2025-05-12", "25", "Cash", "Food", &format!("number {number}"));
    }
    let said = typed(&cast, "lunch cash food 25 13/05/2025");
    let expected = ["three days after", "draft", "number 3", "number 2", "number 1"];
    assert_eq!(duplicates(&said), expected, "at most five, the latest first");
    // Without a date it is today.
    assert_eq!(duplicates(&typed(&cast, "cash food 25")), [""; 0]);
    let undated = cast.post("/transactions", &json!({"description": "x"})).ok();
    let today = day_of(&undated["transaction"]).to_string();
    record(&today, "25", "Cash", "Food", "today");
    assert_eq!(duplicates(&typed(&cast, "cash food 25")), ["today"]);
}

/// 7.3: a RECORDER sees only its own drafts.
fn rule_3_14_4_recorder_sees_own_duplicates(server: &Server) {
    let cast = cast(server, json!({}));
    let body = json!({"description": "cash food 25 13/05/2025 of the owner"});
    cast.post("/transactions", &body).ok();
    let mut draft = body;
    draft["draft"] = json!(true);
    cast.post("/transactions", &draft).ok();
    let own = json!({"description": "cash food 25 13/05/2025 of the recorder"});
    let ask = || cast.recorder.post(&cast.path(PATH), &own).ok();
    assert_eq!(duplicates(&ask()), [""; 0]);
    cast.recorder.post(&cast.path("/transactions"), &own).ok();
    assert_eq!(duplicates(&ask()), ["of the recorder"]);
    let viewed = cast.poster.post(&cast.path(PATH), &own).ok();
    assert_eq!(duplicates(&viewed).len(), 3);
}
