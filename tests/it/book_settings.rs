//! Changing a book (6.1, 6.4, 3.12.7): allowed values, both PUTs, visibility, fraction digits.

use daybook_tests::{Cast, Server, column, shows, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        update_by_body,
        update_by_path,
        path_id_wins,
        update_leaves_what_is_absent,
        update_ignores_other_resources,
        whole_book_goes_back_unchanged,
        refused_update_changes_nothing,
        visibility_is_the_owners,
        time_zone_and_pattern_affect_formatting_only,
        more_fraction_digits_show_more_decimals,
        fewer_fraction_digits_round_new_amounts_only,
        fraction_digits_that_do_not_fit,
        auto_post_decides_later_creates_only,
    ];
    cases.extend(allowed().into_iter().map(|(field, value)| {
        Case::shared(format!("allowed_{field}_{}", plain(&value)), move |server| {
            accepted(server, field, &value)
        })
    }));
    cases.extend(not_allowed().into_iter().enumerate().map(|(turn, (field, value))| {
        Case::shared(format!("refused_{field}_{turn}"), move |server| {
            refused(server, field, &value)
        })
    }));
    cases
}

fn plain(value: &Value) -> String {
    value.to_string().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// 6.1.
fn allowed() -> Vec<(&'static str, Value)> {
    let months = [
        "JANUARY",
        "FEBRUARY",
        "MARCH",
        "APRIL",
        "MAY",
        "JUNE",
        "JULY",
        "AUGUST",
        "SEPTEMBER",
        "OCTOBER",
        "NOVEMBER",
        "DECEMBER",
    ];
    let zones = [
        "UTC",
        "Europe/Berlin",
        "America/Argentina/Buenos_Aires",
        "Asia/Kathmandu",
        "Africa/Abidjan",
    ];
    let patterns = ["dd/MM/yyyy", "MM/dd/yyyy", "yyyy/MM/dd"];
    let mut values: Vec<(&str, Value)> =
        (0..=8).map(|digits| ("fractionDigits", json!(digits))).collect();
    values.extend(months.map(|month| ("periodStartMonth", json!(month))));
    values.extend(zones.map(|zone| ("timeZone", json!(zone))));
    values.extend(patterns.map(|pattern| ("datePattern", json!(pattern))));
    values.extend(["DOT", "COMMA"].map(|separator| ("decimalSeparator", json!(separator))));
    values.extend(["MONTH", "QUARTER", "YEAR"].map(|period| ("period", json!(period))));
    values.extend(["PUBLIC", "PRIVATE"].map(|visibility| ("visibility", json!(visibility))));
    values.extend([true, false].map(|on| ("autoPost", json!(on))));
    values.extend([1, 1000].map(|size| ("pageSize", json!(size))));
    values
}

/// 6.1: anything else answers 400.
fn not_allowed() -> Vec<(&'static str, Value)> {
    vec![
        ("fractionDigits", json!(-1)),
        ("fractionDigits", json!(9)),
        ("fractionDigits", json!(3_000_000_000_i64)),
        ("datePattern", json!("dd.MM.yyyy")),
        ("datePattern", json!("DD/MM/YYYY")),
        ("datePattern", json!("yyyy-MM-dd")),
        ("datePattern", json!("d/M/yyyy")),
        ("timeZone", json!("Europe/Atlantis")),
        ("timeZone", json!("+02:00")),
        ("timeZone", json!("GMT+2")),
        ("timeZone", json!("../../etc/passwd")),
        ("decimalSeparator", json!(",")),
        ("decimalSeparator", json!("SPACE")),
        ("period", json!("month")),
        ("period", json!("DAY")),
        ("periodStartMonth", json!("SMARCH")),
        ("visibility", json!("HIDDEN")),
        ("pageSize", json!(99_999_999_999_i64)),
        ("autoPost", json!("true")),
    ]
}

fn accepted(server: &Server, field: &str, value: &Value) {
    let created = Cast::with_settings(server, json!({field: value}));
    assert_eq!(&created.owner.get(&created.path("")).ok()[field], value, "on create");
    let owner = server.client(&format!("{}@example.com", unique("allowed")));
    let book = owner.post("/v5/books", &json!({"name": "B"})).ok();
    let answer = owner.put("/v5/books", &json!({"id": book["id"], field: value})).ok();
    assert_eq!(&answer[field], value, "on update");
}

fn refused(server: &Server, field: &str, value: &Value) {
    let cast = Cast::new(server);
    let before = cast.owner.get(&cast.path("")).ok();
    let bodies = [
        cast.owner.post("/v5/books", &json!({"name": "B", field: value})),
        cast.owner.put(&cast.path(""), &json!({field: value})),
        cast.owner.put("/v5/books", &json!({"id": cast.book, field: value})),
    ];
    for answer in bodies {
        assert_eq!(answer.status, 400, "{field} {value}: {}", answer.text);
        let reason =
            answer.body["error"]["errors"][0]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(["badRequest", "invalid"].contains(&reason.as_str()), "{reason}");
        let _message = answer.refused(400, &reason);
    }
    assert_eq!(cast.owner.get(&cast.path("")).ok(), before);
    assert_eq!(column(&cast.owner.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
}

/// A value for every writable field, each different from its default.
fn everything() -> Value {
    json!({
        "name": "Renamed",
        "autoPost": false,
        "closingDate": "2020-12-31",
        "lockDate": "2021-06-30",
        "datePattern": "MM/dd/yyyy",
        "decimalSeparator": "COMMA",
        "fractionDigits": 4,
        "pageSize": 50,
        "period": "QUARTER",
        "periodStartMonth": "JULY",
        "properties": {"colour": "green"},
        "timeZone": "America/Sao_Paulo",
    })
}

/// PUT /books takes the id from the body; EDITOR or OWNER.
fn update_by_body(server: &Server) {
    for take in [|cast: &Cast| cast.owner.clone(), |cast: &Cast| cast.editor.clone()] {
        let cast = Cast::new(server);
        let mut body = everything();
        body["id"] = json!(cast.book);
        let answer = take(&cast).put("/v5/books", &body).ok();
        shows(&answer, &body);
        shows(&answer, &json!({"timeZoneOffset": 180}));
        shows(&cast.viewer.get(&cast.path("")).ok(), &body);
    }
}

fn update_by_path(server: &Server) {
    for take in [|cast: &Cast| cast.owner.clone(), |cast: &Cast| cast.editor.clone()] {
        let cast = Cast::new(server);
        let answer = take(&cast).put(&cast.path(""), &everything()).ok();
        shows(&answer, &everything());
        shows(&cast.viewer.get(&cast.path("")).ok(), &everything());
    }
}

/// 6.4: in PUT /books/{id} the path id wins.
fn path_id_wins(server: &Server) {
    let cast = Cast::new(server);
    let other = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let answer =
        cast.owner.put(&cast.path(""), &json!({"id": other["id"], "name": "By path"})).ok();
    shows(&answer, &json!({"id": cast.book, "name": "By path"}));
    let other_now = cast.owner.get(&format!("/v5/books/{}", daybook_tests::id(&other))).ok();
    assert_eq!(other_now["name"], "Other");
}

/// 6.4: absent fields stay.
fn update_leaves_what_is_absent(server: &Server) {
    let cast = Cast::with_settings(server, everything());
    let whole = everything();
    for (field, value) in
        [("name", json!("One field")), ("pageSize", json!(7)), ("autoPost", json!(true))]
    {
        let mut expected = cast.owner.get(&cast.path("")).ok();
        let answer = cast.owner.put(&cast.path(""), &json!({field: value})).ok();
        expected[field] = value;
        for kept in whole.as_object().expect("an object").keys() {
            assert_eq!(answer[kept], expected[kept], "{kept} after changing {field}");
        }
    }
}

/// 6.4: accounts, groups, collection, permission and totals in the body are ignored.
fn update_ignores_other_resources(server: &Server) {
    let cast = Cast::new(server);
    let cash = cast.account("Cash", "ASSET");
    let before = cast.owner.get(&cast.path("")).ok();
    let body = json!({
        "accounts": [{"name": "New"}], "groups": [], "collection": {"name": "C"},
        "permission": "VIEWER",
        "totalTransactions": 5, "ownerName": "me", "lastUpdateMs": "5", "timeZoneOffset": 5,
        "createdAt": "5", "agentId": "forged",
    });
    let answer = cast.owner.put(&cast.path(""), &body).ok();
    for field in [
        "permission",
        "totalTransactions",
        "ownerName",
        "timeZoneOffset",
        "createdAt",
        "collection",
        "agentId",
    ] {
        assert_eq!(answer.get(field), before.get(field), "{field}");
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([cash]));
}

/// EDITORs read a whole book, change one field and send all of it back.
fn whole_book_goes_back_unchanged(server: &Server) {
    let mut settings = everything();
    settings["visibility"] = json!("PUBLIC");
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    let whole = cast.editor.get(&cast.path("?loadAccounts=true")).ok();
    let events = cast.owner.get(&cast.path("/events")).ok();
    let answers =
        [cast.editor.put(&cast.path(""), &whole).ok(), cast.editor.put("/v5/books", &whole).ok()];
    for answer in answers {
        shows(&answer, &everything());
        shows(&answer, &json!({"permission": "EDITOR", "visibility": "PUBLIC"}));
    }
    // 8.1: a no-op has no event.
    assert_eq!(cast.owner.get(&cast.path("/events")).ok(), events);
}

/// One bad value refuses the whole update.
fn refused_update_changes_nothing(server: &Server) {
    let cast = Cast::new(server);
    let before = cast.owner.get(&cast.path("")).ok();
    let mut body = everything();
    body["fractionDigits"] = json!(9);
    cast.owner.put(&cast.path(""), &body).refused(400, "badRequest");
    body["fractionDigits"] = json!(2);
    body["properties"]["a key that is much longer than thirty characters"] = json!("x");
    cast.owner.put(&cast.path(""), &body).refused(400, "badRequest");
    assert_eq!(cast.owner.get(&cast.path("")).ok(), before);
}

/// 7.3: change visibility is the OWNER's; an equal value never needs a permission (6.4).
fn visibility_is_the_owners(server: &Server) {
    let cast = Cast::new(server);
    cast.editor.put(&cast.path(""), &json!({"visibility": "PUBLIC"})).refused(403, "forbidden");
    cast.editor.put(&cast.path(""), &json!({"visibility": "PRIVATE", "name": "Kept"})).ok();
    let mixed = json!({"visibility": "PUBLIC", "name": "Refused"});
    cast.editor
        .put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"}))
        .refused(403, "forbidden");
    cast.editor.put(&cast.path(""), &mixed).refused(403, "forbidden");
    assert_eq!(cast.owner.get(&cast.path("")).ok()["name"], "Kept");
    cast.owner.put(&cast.path(""), &json!({"visibility": "PUBLIC"})).ok();
    cast.editor.put(&cast.path(""), &json!({"visibility": "PRIVATE"})).refused(403, "forbidden");
    cast.owner.put(&cast.path(""), &json!({"visibility": "PRIVATE"})).ok();
}

/// A book with one posted amount, and what the transaction and the balances show of it.
fn with_amount(server: &Server, settings: Value, amount: &str) -> (Cast, Value) {
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", amount, "Cash", "Food", "Lunch");
    assert_eq!(transaction["posted"], true, "{transaction}");
    (cast, transaction)
}

#[track_caller]
fn amount_is(cast: &Cast, transaction: &Value, amount: &str) {
    let read = cast
        .owner
        .get(&cast.path(&format!("/transactions/{}", daybook_tests::id(transaction))))
        .ok();
    assert_eq!(read["amount"], amount);
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], amount);
    let list = cast.owner.get(&cast.path("/transactions")).ok();
    assert!(column(&list, "amount").contains(&amount.to_owned()), "{list}");
}

/// 6.4: datePattern, decimalSeparator and timeZone affect formatting and parsing only.
fn time_zone_and_pattern_affect_formatting_only(server: &Server) {
    let (cast, transaction) = with_amount(server, json!({}), "1234.5");
    assert_eq!(transaction["dateFormatted"], "31/01/2025");
    let body = json!({
        "datePattern": "yyyy/MM/dd", "decimalSeparator": "COMMA", "timeZone": "Pacific/Kiritimati",
    });
    cast.owner.put(&cast.path(""), &body).ok();
    let read = cast
        .owner
        .get(&cast.path(&format!("/transactions/{}", daybook_tests::id(&transaction))))
        .ok();
    shows(
        &read,
        &json!({
            "date": "2025-01-31", "dateFormatted": "2025/01/31", "dateValue": 20_250_131,
            "amount": "1234.50",
        }),
    );
}

/// 3.12.6, 3.12.7.
fn more_fraction_digits_show_more_decimals(server: &Server) {
    let (cast, transaction) = with_amount(server, json!({"fractionDigits": 0}), "12.5");
    // 3.12.4: half-up, at record time.
    amount_is(&cast, &transaction, "13");
    for (digits, shown) in [(2, "13.00"), (8, "13.00000000"), (0, "13")] {
        cast.owner.put(&cast.path(""), &json!({"fractionDigits": digits})).ok();
        amount_is(&cast, &transaction, shown);
    }
}

/// 3.12.7: lowering never rewrites stored amounts; only new writes round.
fn fewer_fraction_digits_round_new_amounts_only(server: &Server) {
    let (cast, old) = with_amount(server, json!({"fractionDigits": 4}), "1.2345");
    cast.owner.put(&cast.path(""), &json!({"fractionDigits": 2})).ok();
    amount_is(&cast, &old, "1.2345");
    let new = cast.record("2025-01-31", "1.2345", "Cash", "Food", "Later");
    assert_eq!(new["amount"], "1.23");
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "2.4645");
    cast.owner.put(&cast.path(""), &json!({"fractionDigits": 4})).ok();
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "2.4645");
}

/// 3.12.5, 3.12.7: a stored amount that would leave the range answers 400 and changes nothing; a
/// server with a wider range shows it exactly.
fn fraction_digits_that_do_not_fit(server: &Server) {
    let (cast, transaction) =
        with_amount(server, json!({"fractionDigits": 0}), "9223372036854775807");
    let before = cast.owner.get(&cast.path("")).ok();
    let answer = cast.owner.put(&cast.path(""), &json!({"fractionDigits": 8, "name": "Finer"}));
    if answer.status == 200 {
        amount_is(&cast, &transaction, "9223372036854775807.00000000");
    } else {
        let _message = answer.refused(400, "badRequest");
        assert_eq!(cast.owner.get(&cast.path("")).ok(), before);
        amount_is(&cast, &transaction, "9223372036854775807");
    }
}

/// 3.2.2, 3.4.3: switching autoPost on does not post the drafts that are there.
fn auto_post_decides_later_creates_only(server: &Server) {
    let cast = Cast::with_settings(server, json!({"autoPost": false}));
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let draft = cast.record("2025-01-31", "5", "Cash", "Food", "Draft");
    shows(&draft, &json!({"posted": false, "draft": true}));
    cast.owner.put(&cast.path(""), &json!({"autoPost": true})).ok();
    let read =
        cast.owner.get(&cast.path(&format!("/transactions/{}", daybook_tests::id(&draft)))).ok();
    assert_eq!(read["posted"], false);
    assert_eq!(cast.record("2025-01-31", "5", "Cash", "Food", "Posted")["posted"], true);
}
