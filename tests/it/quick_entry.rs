//! Quick entry (3.8): the transactions that typed lines become, single and in batches.

use daybook_tests::{Cast, Server, encode, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{
    Faults, batch, check_totals, day_of, events, find, id, items, new_events, transaction, types,
};

pub fn cast(server: &Server, settings: Value) -> Cast {
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    cast.account("Credit Card", "LIABILITY");
    cast.account("Táxi", "OUTGOING");
    cast.account("Food", "OUTGOING");
    cast.account("Food Court", "OUTGOING");
    cast
}

/// createTransaction with only a text.
#[track_caller]
pub fn typed(cast: &Cast, text: &str) -> Value {
    cast.post("/transactions", &json!({"description": text})).ok()["transaction"].clone()
}

/// Credit, debit, amount, date and description, blank if missing.
pub fn line(transaction: &Value) -> [String; 5] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sides = ["creditAccount", "debitAccount"].map(|side| text(&transaction[side]["name"]));
    let [credit, debit] = sides;
    [
        credit,
        debit,
        text(&transaction["amount"]),
        text(&transaction["date"]),
        text(&transaction["description"]),
    ]
}

/// 3.8.2.1 - 3.8.2.5: a line with all fields, in any order and case, is posted.
fn rule_3_8_2_a_whole_line(server: &Server) {
    let cast = cast(server, json!({"decimalSeparator": "COMMA"}));
    let known = events(&cast).len();
    let body = json!({"description": "#Trip 13/05/2025 to the airport CASH 12345 for taxi  \
        1.234,56 -#food https://x.org/a?b=1"});
    let answer = cast.post("/transactions", &body).ok();
    let made = &answer["transaction"];
    assert_eq!(
        *made,
        transaction(&cast, &id(made)),
        "the answer is the transaction as it is stored"
    );
    assert_eq!(
        line(made),
        ["Cash", "Táxi", "1234.56", "2025-05-13", "#Trip to the airport 12345 for"]
    );
    shows(
        made,
        &json!({
            "posted": true, "tags": ["Trip"], "urls": ["https://x.org/a?b=1"], "remoteIds": [],
            "properties": {},
        }),
    );
    let names: Vec<&str> = answer["accounts"]
        .as_array()
        .expect("accounts")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["Cash", "Táxi"], "3.2.1: the accounts affected");
    check_totals(&cast, &[("Cash", "0.00", "1234.56"), ("Táxi", "1234.56", "0.00")]);
    let new = new_events(&cast, known);
    assert_eq!(types(&new), ["TRANSACTION_POSTED"]);
    assert_eq!(new[0]["data"]["object"]["transaction"]["description"], made["description"]);
}

fn rule_3_8_2_what_is_found(server: &Server) {
    let dot = cast(server, json!({}));
    let comma = cast(server, json!({"decimalSeparator": "COMMA", "datePattern": "MM/dd/yyyy"}));
    let whole = cast(server, json!({"fractionDigits": 0, "datePattern": "yyyy/MM/dd"}));
    let mut faults = Faults::default();
    for (cast, text, expected) in [
        (
            &dot,
            "food court from CREDIT-CARD 7.5",
            ["Food Court", "Credit Card", "7.50", "", "from"],
        ),
        (&dot, "31/01/2025 cash food 3", ["Cash", "Food", "3.00", "2025-01-31", ""]),
        (&dot, "  just \t words ", ["", "", "", "", "just words"]),
        (&comma, "invoice 12345 value 12,34", ["", "", "12.34", "", "invoice 12345 value"]),
        (&comma, "12.5 food 01/31/2024", ["Food", "", "12.50", "2024-01-31", ""]),
        (&whole, "2024/01/31 25 3.7 cash", ["Cash", "", "25", "2024-01-31", "3.7"]),
    ] {
        faults.same(text, line(&typed(cast, text)), expected.map(str::to_owned));
    }
    faults.none();
}

/// 3.8.1: beside an account the text is kept, and also beside an amount or a date unless it names
/// two accounts.
fn rule_3_8_1_anything_else_is_verbatim(server: &Server) {
    let cast = cast(server, json!({}));
    let text = " Cash  Food 25 13/05/2025 #tag\n-#no https://x.org 4x ";
    let one_name = " Cash  'Food' 25 13/05/2025 #tag\n-#no https://x.org 4x ";
    let mut faults = Faults::default();
    for (fields, text) in [
        (json!({"amount": "3", "date": "2025-01-31"}), one_name),
        (json!({"creditAccount": {"name": "Cash"}}), text),
        (json!({"creditAccount": {"id": "9999999999"}}), text),
    ] {
        let mut body = fields.clone();
        body["description"] = json!(text);
        let made = cast.post("/transactions", &body).ok()["transaction"].clone();
        faults.same(&fields.to_string(), &made["description"], text);
        faults.same(
            "3.9.1: hashtags are computed all the same",
            &made["tags"],
            &json!(["tag", "no"]),
        );
        faults.same("urls", &made["urls"], &json!([]));
    }
    // An empty value counts as absent (3.2.4, 3.2.6, 3.12.1).
    for fields in [
        json!({"amount": "0.00", "date": ""}),
        json!({"amount": null, "creditAccount": {"name": " "}}),
    ] {
        let mut body = fields.clone();
        body["description"] = json!("Lunch 25");
        let made = cast.post("/transactions", &body).ok()["transaction"].clone();
        faults.same(
            &fields.to_string(),
            line(&made),
            ["", "", "25.00", "", "Lunch"].map(str::to_owned),
        );
    }
    // Updates do not parse the text.
    let made = typed(&cast, "Lunch");
    let updated =
        cast.put("/transactions", &json!({"id": made["id"], "description": "Cash 25"})).ok();
    faults.same(
        "update",
        line(&updated["transaction"]),
        ["", "", "", "", "Cash 25"].map(str::to_owned),
    );
    faults.none();
}

/// 3.8.1: beside an amount and a date only the names of two accounts are parsed. `v5_clients` has
/// the requests of a tax bot.
fn rule_3_8_1_names_beside_amount_and_date(server: &Server) {
    let cast = cast(server, json!({}));
    let record = |path: &str, body: &Value| cast.post(path, body).ok();
    let mut faults = Faults::default();
    let text = " taxi  25 FOOD 13/05 \"cash\" #a\n-#no https://x.org  4x ";
    let left = "25 13/05 \"cash\" #a\n-#no https://x.org 4x";
    for (body, amount, date, posted) in [
        (json!({"amount": "3", "date": "2025-01-31"}), "3.00", "2025-01-31", true),
        (json!({"amount": "3", "date": "2025-01-31", "draft": true}), "3.00", "2025-01-31", false),
        (
            json!({"amount": "3", "date": "", "creditAccount": {}, "debitAccount": null}),
            "3.00",
            "",
            false,
        ),
    ] {
        let mut body = body;
        body["description"] = json!(text);
        let single = record("/transactions", &body)["transaction"].clone();
        let list = record("/transactions/batch", &batch([body.clone()]));
        for made in [&single, &list["items"][0]] {
            let expected = ["Táxi", "Food", amount, date, left].map(str::to_owned);
            faults.same(&body.to_string(), line(made), expected);
            faults.same(&body.to_string(), &made["posted"], &json!(posted));
            faults.same(&body.to_string(), &made["urls"], &json!([]));
        }
    }
    // A post without an id parses them too (3.8.5).
    let body = json!({"amount": "3", "date": "2025-01-31", "description": "cash food"});
    let posted = cast.patch("/transactions/post", &body).ok();
    faults.same(
        "post",
        line(&posted["transaction"]),
        ["Cash", "Food", "3.00", "2025-01-31", ""].map(str::to_owned),
    );
    // Archived accounts are ignored (3.8.2.2).
    cast.put("/accounts", &json!({"name": "Táxi", "archived": true})).ok();
    let text = "taxi cash";
    let made = record("/transactions", &json!({"amount": "3", "description": text}));
    faults.same(text, line(&made["transaction"]), ["", "", "3.00", "", text].map(str::to_owned));
    faults.none();
}

/// 3.8.4, 3.2.2, 3.3.2: `draft: true` parses the text and stays a draft; otherwise completeness
/// decides. A post without an id parses the text, too.
fn rule_3_8_4_drafts_and_posts(server: &Server) {
    let cast = cast(server, json!({"lockDate": "2025-01-31"}));
    let text = "cash food 25 13/05/2025";
    let record = |body: Value| cast.post("/transactions", &body).ok()["transaction"].clone();
    let draft = record(json!({"description": text, "draft": true}));
    assert_eq!(
        (line(&draft), &draft["posted"]),
        (["Cash", "Food", "25.00", "2025-05-13", ""].map(str::to_owned), &json!(false))
    );
    assert_eq!(record(json!({"description": text, "checked": true}))["checked"], true);
    assert_eq!(record(json!({"description": "cash food 25"}))["posted"], false, "no date");
    let locked = record(json!({"description": "cash food 25 31/01/2025"}));
    assert_eq!(
        (&locked["posted"], &locked["date"]),
        (&json!(false), &json!("2025-01-31")),
        "3.5.3: a draft on a locked date"
    );
    let post = |text: &str| cast.patch("/transactions/post", &json!({"description": text}));
    assert_eq!(post(text).ok()["transaction"]["posted"], true);
    post("cash food 25").refused(400, "badRequest");
    post("cash food 25 31/01/2025").refused(400, "lockedDate");
    // Archived accounts are ignored (3.8.2.2).
    cast.put("/accounts", &json!({"name": "Food", "archived": true})).ok();
    let made = record(json!({"description": "cash food 25 13/05/2025"}));
    assert_eq!(line(&made), ["Cash", "", "25.00", "2025-05-13", "food"]);
    // The text of a RECORDER is parsed the same way, and the response shows only names (7.3).
    let made = cast
        .recorder
        .post(&cast.path("/transactions"), &json!({"description": "taxi cash 3 13/05/2025"}))
        .ok();
    assert_eq!(line(&made["transaction"]), ["Táxi", "Cash", "3.00", "2025-05-13", ""]);
    assert_eq!((&made["transaction"]["posted"], made.get("accounts")), (&json!(false), None));
    assert!(made["transaction"]["creditAccount"].get("type").is_none());
}

/// 3.8.2.8: following months become drafts that only events show.
fn rule_3_8_2_8_repeats(server: &Server) {
    let cast = cast(server, json!({}));
    let known = events(&cast).len();
    let remote = unique("r");
    let body = json!({
        "description": "Rent #home 4x cash food 800 31/10/2024", "remoteIds": [remote],
        "properties": {"entry_id": "e1", "flat": "3", "import_run": "9", "source": "bank.csv:2"},
    });
    let made = cast.post("/transactions", &body).ok()["transaction"].clone();
    assert_eq!(line(&made), ["Cash", "Food", "800.00", "2024-10-31", "Rent #home"]);
    assert_eq!((&made["posted"], &made["remoteIds"]), (&json!(true), &json!([remote])));
    shows(&made, &json!({"properties": body["properties"]}));
    let new = new_events(&cast, known);
    let created = "TRANSACTION_CREATED";
    assert_eq!(
        types(&new),
        ["TRANSACTION_POSTED", created, created, created, created],
        "reported by events"
    );
    let dates = ["2024-11-30", "2024-12-31", "2025-01-31", "2025-02-28"];
    for (event, date) in new[1..].iter().zip(dates) {
        let draft = transaction(&cast, event["resource"].as_str().expect("an id"));
        assert_eq!(line(&draft), ["Cash", "Food", "800.00", date, "Rent #home"]);
        shows(
            &draft,
            &json!({
                "posted": false, "remoteIds": [], "tags": ["home"], "properties": {"flat": "3"},
            }),
        );
    }
    // The same text again is a duplicate (3.7.1) and repeats nothing.
    let count = items(&find(&cast, "")).len();
    assert_eq!(cast.post("/transactions", &body).ok()["transaction"]["id"], made["id"]);
    assert_eq!(items(&find(&cast, "")).len(), count);
    // Without a date it is plain text.
    let known = events(&cast).len();
    assert_eq!(typed(&cast, "Rent 4x cash food 800")["description"], "Rent 4x");
    assert_eq!(types(&new_events(&cast, known)), [created]);
    let made = typed(&cast, "$36x Rent 15/01/2024 1");
    assert_eq!((&made["description"], &made["date"]), (&json!("Rent"), &json!("2024-01-15")));
    assert_eq!(items(&find(&cast, "on:2027-01-15")).len(), 1);
    // A batch repeats nothing, even with one item.
    let known = events(&cast).len();
    let list = cast
        .post("/transactions/batch", &batch([json!({"description": "Rent 4x 31/10/2024"})]))
        .ok();
    assert_eq!(
        (&list["items"][0]["description"], new_events(&cast, known).len()),
        (&json!("Rent 4x"), 1)
    );
    let post = cast
        .patch("/transactions/post", &json!({"description": "Rent 4x 31/10/2024 cash food 1"}))
        .ok();
    assert_eq!(post["transaction"]["description"], "Rent 4x");
}

/// 3.8.1: texts in batches, among other items.
fn rule_3_8_in_a_batch(server: &Server) {
    let cast = cast(server, json!({}));
    let remote = unique("r");
    let body = batch([
        json!({"description": "cash food 25 13/05/2025"}),
        json!({"description": "cash food 25 13/05/2025", "amount": "3"}),
        json!({"description": "taxi 7", "remoteIds": [remote]}),
        json!({"description": "taxi 7", "remoteIds": [remote]}),
    ]);
    let list = cast.post("/transactions/batch", &body).ok();
    let lines: Vec<[String; 5]> = items(&list).iter().map(line).collect();
    let taxi = ["Táxi", "", "7.00", "", ""];
    let expected = [
        ["Cash", "Food", "25.00", "2025-05-13", ""],
        ["Cash", "Food", "3.00", "", "25 13/05/2025"],
        taxi,
        taxi,
    ];
    assert_eq!(lines, expected.map(|line| line.map(str::to_owned)));
    assert_eq!(
        (&list["items"][0]["posted"], &list["items"][2]["id"]),
        (&json!(true), &list["items"][3]["id"])
    );
    // All or nothing, with the index (3.6.5).
    let bad =
        batch([json!({"description": "cash 1"}), json!({"description": "x", "amount": "-1"})]);
    let output = cast.post("/transactions/batch", &bad).refused(400, "badRequest");
    assert!(output.contains("item 1"), "{output}");
    let long = json!({"description": format!("cash {}", "x".repeat(65_536))});
    cast.post("/transactions", &long).refused(400, "badRequest");
    assert_eq!(items(&find(&cast, "")).len(), 3);
}

/// 3.2.9: short dates have the current year in the given zone, or in the book's; an unknown zone is
/// refused.
fn rule_3_2_9_time_zone(server: &Server) {
    let cast = cast(server, json!({"timeZone": "Pacific/Kiritimati"}));
    let create = |path: &str, zone: &str, body: &Value| {
        cast.post(&format!("{path}?timeZone={}", encode(zone)), body)
    };
    let body = json!({"description": "lunch 15/06 5"});
    let made = create("/transactions", "America/Adak", &body).ok()["transaction"].clone();
    // UTC, Adak and Kiritimati have the same year except around New Year.
    let years =
        [-1, 0, 1].map(|days| day_of(&made).saturating_add(jiff::Span::new().days(days)).year());
    for answer in [
        &made,
        &typed(&cast, "lunch 15/06 5"),
        &create("/transactions/batch", "UTC", &batch([body.clone()])).ok()["items"][0],
    ] {
        let date = answer["date"].as_str().unwrap_or_default();
        assert!(years.iter().any(|year| date == format!("{year}-06-15")), "{answer}");
    }
    for zone in ["Mars/Olympus", "GMT+2", "../etc"] {
        for (path, body) in [
            ("/transactions", body.clone()),
            ("/transactions", json!({"amount": "1"})),
            ("/transactions/batch", batch([body.clone()])),
        ] {
            let output = create(path, zone, &body).refused(400, "badRequest");
            assert!(output.contains("timeZone"), "{output}");
        }
        let output = cast
            .patch(&format!("/transactions/post?timeZone={}", encode(zone)), &body)
            .refused(400, "badRequest");
        assert!(output.contains("timeZone"), "{output}");
    }
    create("/transactions", "", &body).ok();
    let dateless = create("/transactions", "europe/paris", &json!({"amount": "1"})).ok();
    assert_eq!(dateless["transaction"].get("date"), None, "the parameter never supplies a date");
    let dated = json!({"amount": "1", "date": "2025-03-05"});
    let dated = create("/transactions", "Pacific/Kiritimati", &dated).ok();
    assert_eq!(dated["transaction"]["date"], "2025-03-05", "dates in yyyy-MM-dd have no zone");
}

/// Any text is recorded: hostile ones neither fail nor take long in a book with many names.
fn any_text_is_recorded(server: &Server) {
    let cast = cast(server, json!({}));
    let names: Vec<Value> =
        (0..1000).map(|number| json!({"name": format!("a a a {number}")})).collect();
    cast.post("/accounts/batch", &batch(names)).ok();
    let pieces = [
        "a ",
        "'a ",
        "\"a",
        "-#",
        "#",
        "1.1",
        "9",
        "http://(",
        "4x ",
        "1/1 ",
        "\u{301}",
        "é-",
        "a a a 999 ",
        "\t\n",
        "𝟙",
    ];
    let bodies = pieces
        .map(|piece| json!({"description": piece.repeat(65_000 / piece.len()), "draft": true}));
    let list = cast.post("/transactions/batch", &batch(bodies)).ok();
    assert_eq!(items(&list).len(), pieces.len());
    let found = &list["items"][12];
    assert_eq!(found["creditAccount"]["name"], "a a a 999");
    check_totals(&cast, &[]);
}

/// 4.3, 3.9.1: combining marks of other scripts distinguish names and hashtags, in lines and in
/// queries.
fn rule_4_3_other_scripts(server: &Server) {
    let cast = cast(server, json!({}));
    cast.account("कार", "ASSET");
    cast.account("कर", "OUTGOING");
    let made = typed(&cast, "13/05/2025 Cash कर 200 #कर्ज़");
    assert_eq!(line(&made), ["Cash", "कर", "200.00", "2025-05-13", "#कर्ज़"]);
    assert_eq!(made["tags"], json!(["कर्ज़"]));
    for (query, count) in
        [("account:कर", 1), ("account:कार", 0), ("#कर्ज़", 1), ("#कर", 0), ("कर्ज़", 1), ("कार", 0)]
    {
        assert_eq!(items(&find(&cast, query)).len(), count, "{query}");
    }
}

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_4_3_other_scripts,
        rule_3_8_2_a_whole_line,
        rule_3_8_2_what_is_found,
        rule_3_8_1_anything_else_is_verbatim,
        rule_3_8_1_names_beside_amount_and_date,
        rule_3_8_4_drafts_and_posts,
        rule_3_8_2_8_repeats,
        rule_3_8_in_a_batch,
        rule_3_2_9_time_zone,
        any_text_is_recorded,
    ]
}
