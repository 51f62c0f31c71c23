//! Billing (9.8, 9.11): the plan is free, and postings are counted by month.

use daybook_tests::{CASH_AND_FOOD, Cast, Client, RawSql, Server, encode, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{day_of, id};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_9_11_nothing_is_billed,
        rule_9_11_checkout_and_portal_return_the_given_url,
        rule_9_8_postings_of_twelve_months_are_counted,
        rule_9_8_only_owned_books_are_counted,
        rule_9_8_month_is_that_of_the_posting_in_the_time_zone,
    ]
}

const COUNTS: &str = "/v5/user/billing/counts";

fn posted(user: &Client) -> Vec<i64> {
    let counts = user.get(COUNTS).ok();
    let rows = counts["posted"].as_array().expect("rows");
    rows.iter().map(|row| row["total"].as_i64().expect("a number")).collect()
}

#[track_caller]
fn record(cast: &Cast, count: usize) -> Vec<Value> {
    let items: Vec<Value> = (0..count)
        .map(|number| {
            json!({
                "date": "2024-05-01", "amount": "1", "description": format!("Row {number}"),
                "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
            })
        })
        .collect();
    let created = cast.post("/transactions/batch", &json!({"items": items})).ok();
    created["items"].as_array().expect("items").clone()
}

fn rule_9_11_nothing_is_billed(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    record(&cast, 3);
    let billing = cast.owner.get("/v5/user/billing").ok();
    let expected = json!({
        "email": cast.owner.email(), "plan": "FREE", "enabled": false, "planOverdue": false,
        "startedTrial": false, "daysLeftInTrial": 0, "totalTransactionsThisMonth": 3,
        "totalTransactionsThisYear": 3,
    });
    assert_eq!(billing, expected);
    shows(&cast.owner.get("/v5/user").ok(), &json!({"totalTransactionsThisMonth": 3}));
    cast.anonymous.get("/v5/user/billing").refused(401, "required");
}

fn rule_9_11_checkout_and_portal_return_the_given_url(server: &Server) {
    let user = server.client(&format!("{}@example.com", unique("user")));
    let ask = |operation: &str, parameters: &[(&str, &str)]| {
        let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", encode(value)));
        user.get(&format!("/v5/user/billing/{operation}?{}", pairs.collect::<Vec<_>>().join("&")))
    };
    let (there, back) = ("https://app.example/done?a=b#c", "http://localhost:3000/back");
    let whole = [("plan", "PRO"), ("cycle", "never"), ("successUrl", there), ("cancelUrl", back)];
    assert_eq!(ask("checkout", &whole).ok(), json!({"url": there}));
    assert_eq!(ask("portal", &[("returnUrl", back)]).ok(), json!({"url": back}));
    for missing in ["plan", "successUrl", "cancelUrl"] {
        let rest: Vec<_> = whole.into_iter().filter(|(name, _)| *name != missing).collect();
        let message = ask("checkout", &rest).refused(400, "badRequest");
        assert!(message.contains(missing), "{message}");
    }
    ask("portal", &[]).refused(400, "badRequest");
    for wrong in
        ["javascript:alert(1)", "/done", "app.example", "ftp://app.example", "http://", " "]
    {
        ask("portal", &[("returnUrl", wrong)]).refused(400, "badRequest");
        let with =
            |name| [("plan", "PRO"), ("successUrl", back), ("cancelUrl", back), (name, wrong)];
        let [plan, _, cancel, success] = with("successUrl");
        ask("checkout", &[plan, success, cancel]).refused(400, "badRequest");
        let [plan, success, _, cancel] = with("cancelUrl");
        ask("checkout", &[plan, success, cancel]).refused(400, "badRequest");
    }
}

fn rule_9_8_postings_of_twelve_months_are_counted(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let before = cast.owner.get(COUNTS).ok();
    let rows = before["posted"].as_array().expect("rows").clone();
    assert_eq!((rows.len(), &before["trashed"]), (12, &json!(rows)), "rows of zeros");
    for pair in rows.windows(2) {
        let month = |row: &Value| {
            row["year"].as_i64().expect("a year") * 12 + row["month"].as_i64().expect("a month")
        };
        assert_eq!(month(&pair[0]) + 1, month(&pair[1]), "9.8: contiguous");
    }
    let last = &rows[11];
    let fuzzy =
        last["year"].as_i64().zip(last["month"].as_i64()).map(|(y, m)| y * 10_000 + m * 100);
    shows(last, &json!({"day": 0, "fuzzyDate": fuzzy, "total": 0}));
    let items = record(&cast, 4);
    assert_eq!(posted(&cast.owner)[11], 4, "counted by the day of posting, not by date");
    let first = json!({"id": id(&items[0])});
    cast.patch("/transactions/trash", &first).ok();
    assert_eq!(posted(&cast.owner)[11], 3);
    cast.patch("/transactions/untrash", &first).ok();
    assert_eq!(posted(&cast.owner)[11], 4);
    let trashed = cast.owner.get(COUNTS).ok()["trashed"].clone();
    assert_eq!(trashed, json!(rows), "zeros");
}

fn rule_9_8_only_owned_books_are_counted(server: &Server) {
    let (cast, other) =
        (Cast::with_accounts(server, &CASH_AND_FOOD), Cast::with_accounts(server, &CASH_AND_FOOD));
    other.share(cast.owner.email(), "EDITOR");
    record(&cast, 1);
    record(&other, 2);
    assert_eq!(posted(&cast.owner)[11], 1);
    other.give(&other.owner, &cast.owner);
    assert_eq!((posted(&cast.owner)[11], posted(&other.owner)[11]), (3, 0));
}

/// Moves a posting to an earlier month in the database; changing the time zone recounts.
fn rule_9_8_month_is_that_of_the_posting_in_the_time_zone(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let items = record(&cast, 3);
    let rows = cast.owner.get(COUNTS).ok();
    let row = &rows["posted"][8];
    let (year, month) = (row["year"].as_i64().expect("a year"), &row["month"]);
    let begin = format!("{year}-{:02}-01T00:00:00Z", month.as_i64().expect("a month"));
    let begin: i64 = jiff::Timestamp::as_millisecond(begin.parse().expect("an instant"));
    // Two zones that disagree on the month of the instant and are both in the current month of UTC:
    // late in a month zones behind UTC, early in a month zones ahead of it.
    let (here, behind, hours) = match day_of(&cast.read("")).day() {
        16.. => ("Africa/Abidjan", "America/New_York", 3),
        _ => ("Asia/Tokyo", "Africa/Abidjan", -3),
    };
    let at = begin + hours * 60 * 60 * 1000;
    let mut raw_sql = RawSql::open(server);
    let number = i64::from_str_radix(&id(&items[0]), 16).expect("an id");
    let moved = format!("UPDATE transactions SET posted_at = {at} WHERE id = {number}");
    assert_eq!(raw_sql.execute(&moved), 1);
    let in_zone = |zone: &str| {
        cast.put("", &json!({"timeZone": zone})).ok();
        posted(&cast.owner)
    };
    assert_eq!(in_zone(here)[7..], [0, 1, 0, 0, 2]);
    assert_eq!(in_zone(behind)[7..], [1, 0, 0, 0, 2]);
    record(&cast, 1);
    assert_eq!(posted(&cast.owner)[7..], [1, 0, 0, 0, 3]);
    let first = json!({"id": id(&items[0])});
    cast.patch("/transactions/trash", &first).ok();
    // It is removed from the month of its posting.
    assert_eq!(posted(&cast.owner)[7..], [0, 0, 0, 0, 3]);
}
