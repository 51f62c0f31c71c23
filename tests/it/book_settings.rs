//! Changing a book (6.1, 6.4): allowed values, both PUT operations, visibility. Fraction digits are
//! in `amounts`.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        update_changes_the_book,
        only_the_owner_changes_visibility,
        time_zone_and_pattern_do_not_change_stored_dates,
        auto_post_does_not_post_existing_drafts,
    ];
    cases.extend(allowed().into_iter().map(|(field, value)| {
        Case::shared(format!("allowed_{field}_{}", plain(&value)), move |server| {
            check_accepted(server, field, &value)
        })
    }));
    cases.extend(not_allowed().into_iter().enumerate().map(|(number, (field, value))| {
        Case::shared(format!("refused_{field}_{number}"), move |server| {
            check_refused(server, field, &value)
        })
    }));
    cases
}

fn plain(value: &Value) -> String {
    value.to_string().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// 6.1.
fn allowed() -> Vec<(&'static str, Value)> {
    let months = ["JANUARY", "DECEMBER"];
    let zones = ["Europe/Berlin", "Asia/Kathmandu"];
    let patterns = ["dd/MM/yyyy", "MM/dd/yyyy", "yyyy/MM/dd"];
    let mut values: Vec<(&str, Value)> =
        [0, 8].map(|digits| ("fractionDigits", json!(digits))).to_vec();
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

/// 6.1: other values are refused.
fn not_allowed() -> Vec<(&'static str, Value)> {
    vec![
        ("fractionDigits", json!(-1)),
        ("fractionDigits", json!(9)),
        ("datePattern", json!("dd.MM.yyyy")),
        ("datePattern", json!("yyyy-MM-dd")),
        ("timeZone", json!("Europe/Atlantis")),
        ("decimalSeparator", json!(",")),
        ("period", json!("month")),
        ("periodStartMonth", json!("SMARCH")),
        ("visibility", json!("HIDDEN")),
        ("pageSize", json!(99_999_999_999_i64)),
        ("autoPost", json!("true")),
    ]
}

fn check_accepted(server: &Server, field: &str, value: &Value) {
    let created = Cast::with_settings(server, json!({field: value}));
    assert_eq!(&created.read("")[field], value, "on create");
    let owner = server.client(&format!("{}@example.com", unique("allowed")));
    let book = owner.post("/v5/books", &json!({"name": "B"})).ok();
    let answer = owner.put("/v5/books", &json!({"id": book["id"], field: value})).ok();
    assert_eq!(&answer[field], value, "on update");
}

fn check_refused(server: &Server, field: &str, value: &Value) {
    let cast = Cast::new(server);
    let before = cast.read("");
    let bodies = [
        cast.owner.post("/v5/books", &json!({"name": "B", field: value})),
        cast.put("", &json!({field: value})),
        cast.owner.put("/v5/books", &json!({"id": cast.book, field: value})),
    ];
    for answer in bodies {
        assert_eq!(answer.status, 400, "{field} {value}: {}", answer.text);
        let reason =
            answer.body["error"]["errors"][0]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(["badRequest", "invalid"].contains(&reason.as_str()), "{reason}");
        let _message = answer.refused(400, &reason);
    }
    assert_eq!(cast.read(""), before);
    assert_eq!(column(&cast.owner.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
}

/// Returns a value for each writable field, different from its default.
fn all_settings() -> Value {
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

/// 6.4: by the id in the body or in the path, which takes precedence.
fn update_changes_the_book(server: &Server) {
    for take in [|cast: &Cast| cast.owner.clone(), |cast: &Cast| cast.editor.clone()] {
        for by_path in [false, true] {
            let cast = Cast::new(server);
            let (mut body, expected) = (all_settings(), all_settings());
            let other = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
            let book = if by_path { other["id"].clone() } else { json!(cast.book) };
            body["id"] = book;
            let path = if by_path { cast.path("") } else { "/v5/books".to_owned() };
            let answer = take(&cast).put(&path, &body).ok();
            shows(&answer, &expected);
            shows(&answer, &json!({"id": cast.book, "timeZoneOffset": 180}));
            shows(&cast.viewer.get(&cast.path("")).ok(), &expected);
            let other = cast.owner.get(&format!("/v5/books/{}", id(&other))).ok();
            assert_eq!(other["name"], "Other");
        }
    }
}

/// 7.3; an equal value requires no permission (6.4).
fn only_the_owner_changes_visibility(server: &Server) {
    let cast = Cast::new(server);
    cast.editor.put(&cast.path(""), &json!({"visibility": "PUBLIC"})).refused(403, "forbidden");
    cast.editor.put(&cast.path(""), &json!({"visibility": "PRIVATE", "name": "Kept"})).ok();
    let mixed = json!({"visibility": "PUBLIC", "name": "Refused"});
    cast.editor
        .put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"}))
        .refused(403, "forbidden");
    cast.editor.put(&cast.path(""), &mixed).refused(403, "forbidden");
    assert_eq!(cast.read("")["name"], "Kept");
    cast.put("", &json!({"visibility": "PUBLIC"})).ok();
    cast.editor.put(&cast.path(""), &json!({"visibility": "PRIVATE"})).refused(403, "forbidden");
    cast.put("", &json!({"visibility": "PRIVATE"})).ok();
}

/// 6.4: datePattern, decimalSeparator and timeZone affect formatting and parsing only.
fn time_zone_and_pattern_do_not_change_stored_dates(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let transaction = cast.record("2025-01-31", "1234.5", "Cash", "Food", "Lunch");
    assert_eq!(transaction["dateFormatted"], "31/01/2025");
    let body = json!({
        "datePattern": "yyyy/MM/dd", "decimalSeparator": "COMMA", "timeZone": "Pacific/Kiritimati",
    });
    cast.put("", &body).ok();
    let read = cast.read(&format!("/transactions/{}", id(&transaction)));
    let expected = json!({
        "date": "2025-01-31", "dateFormatted": "2025/01/31", "dateValue": 20_250_131,
        "amount": "1234.50",
    });
    shows(&read, &expected);
}

/// 3.2.2, 3.4.3: switching autoPost on does not post the drafts that are there.
fn auto_post_does_not_post_existing_drafts(server: &Server) {
    let cast = Cast::with_settings(server, json!({"autoPost": false}));
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let draft = cast.record("2025-01-31", "5", "Cash", "Food", "Draft");
    shows(&draft, &json!({"posted": false, "draft": true}));
    cast.put("", &json!({"autoPost": true})).ok();
    let read = cast.read(&format!("/transactions/{}", id(&draft)));
    assert_eq!(read["posted"], false);
    assert_eq!(cast.record("2025-01-31", "5", "Cash", "Food", "Posted")["posted"], true);
}
