//! The filters of listEvents (8.5): time, type, resource and error.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, encode};
use serde_json::{Value, json};

use crate::reading::{events, id, items, refused_400, types};

#[track_caller]
fn list(cast: &Cast, parameters: &str) -> Vec<Value> {
    items(&cast.read(&format!("/events?limit=200&{parameters}"))).clone()
}

/// `event_times` tests each bound.
fn rule_8_5_events_are_filtered_by_time(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let all = events(&cast);
    let newest = all[0]["createdAt"].as_str().and_then(|text| text.parse().ok());
    let newest = jiff::Timestamp::from_millisecond(newest.expect("milliseconds")).expect("a time");
    let offset = newest.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(-3)));
    let offset = offset.strftime("%Y-%m-%dT%H:%M:%S%.3f-03:00").to_string();
    for at in [all[0]["createdOn"].as_str().expect("createdOn"), &offset] {
        let [after, before] =
            ["after", "before"].map(|bound| list(&cast, &format!("{bound}={}", encode(at))));
        assert!(after.contains(&all[0]) && !before.contains(&all[0]), "{at}");
        assert_eq!(after.len() + before.len(), all.len(), "{at}");
    }
    assert_eq!(list(&cast, "after=2099-01-01").len(), 0, "a plain date");
    assert_eq!(list(&cast, "before=2099-01-01").len(), all.len());
    for unreadable in
        ["after=yesterday", "before=2025-13-01", "after=12345x", "before=2025-01-01T99:00:00Z"]
    {
        refused_400(cast.get(&format!("/events?{unreadable}")), &["badRequest", "invalid"]);
    }
}

fn rule_8_5_a_plain_date_is_midnight_in_the_book_zone(server: &Server) {
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        let cast = Cast::with_settings(server, json!({"timeZone": zone}));
        let zone = jiff::tz::TimeZone::get(zone).expect("a zone");
        let all = events(&cast);
        let millis: i64 =
            all[0]["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("milliseconds");
        let today =
            jiff::Timestamp::from_millisecond(millis).expect("an instant").to_zoned(zone).date();
        assert_eq!(list(&cast, &format!("after={today}")).len(), all.len(), "since midnight");
        assert_eq!(list(&cast, &format!("before={today}")).len(), 0);
        assert_eq!(list(&cast, &format!("after={}", today.tomorrow().expect("a day"))).len(), 0);
    }
}

fn rule_8_5_events_are_filtered_by_type_and_resource(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = cast.record("2025-01-10", "8.00", "Cash", "Food", "Lunch");
    cast.patch("/transactions/check", &json!({"id": made["id"]})).ok();
    cast.record("2025-01-10", "8.00", "Cash", "Food", "Lunch");
    assert_eq!(types(&list(&cast, "type=TRANSACTION_POSTED")), ["TRANSACTION_POSTED"; 2]);
    assert_eq!(types(&list(&cast, "type=COMMENT_CREATED")), [""; 0]);
    refused_400(cast.get("/events?type=NONSENSE"), &["badRequest", "invalid"]);
    let both = ["TRANSACTION_CHECKED", "TRANSACTION_POSTED"];
    let made = id(&made);
    // The resource takes precedence over error and type, in both spellings.
    for parameters in [
        format!("resoureId={made}"),
        format!("resourceId={made}"),
        format!("resoureId={made}&type=BOOK_CREATED&error=true"),
    ] {
        assert_eq!(types(&list(&cast, &parameters)), both, "8.5: {parameters}");
    }
    assert_eq!(list(&cast, "resoureId=unknown").len(), 0);
    let all = events(&cast).len();
    // No event has an error; with `error` the type is ignored.
    assert_eq!(list(&cast, "error=true").len(), 0);
    assert_eq!(list(&cast, "error=true&type=TRANSACTION_POSTED").len(), 0);
    assert_eq!(list(&cast, "error=false").len(), all);
    assert_eq!(list(&cast, "error=false&type=TRANSACTION_POSTED").len(), all);
    assert_eq!(list(&cast, "error=").len(), all);
    // Ignored parameters are not validated.
    assert_eq!(types(&list(&cast, &format!("resoureId={made}&type=NONSENSE"))), both);
    assert_eq!(list(&cast, "error=true&type=NONSENSE").len(), 0);
    assert_eq!(list(&cast, "error=false&type=NONSENSE").len(), all);
    cast.recorder.get(&cast.path("/events")).refused(403, "forbidden");
    cast.stranger.get(&cast.path("/events")).refused(404, "notFound");
}

/// 2.5: also when the cursor can be decoded but contains an invalid filter.
fn rule_2_5_forged_cursor_returns_the_first_page(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let page =
        |cursor: &str| cast.owner.header("cursor", cursor).get(&cast.path("/events?limit=2")).ok();
    let first = page("");
    // Base64 of cursors after event 3: without a filter, with the type NONSENSE, and after
    // "yesterday".
    let behind = "eyJzZXF1ZW5jZSI6MywiYWZ0ZXIiOm51bGwsImJlZm9yZSI6bnVsbCwiZXJyb3IiOm51bG\
        wsInJlc291cmNlIjpudWxsLCJraW5kIjpudWxsfQ";
    let nonsense = "eyJzZXF1ZW5jZSI6MywiYWZ0ZXIiOm51bGwsImJlZm9yZSI6bnVsbCwiZXJyb3IiOm51bG\
        wsInJlc291cmNlIjpudWxsLCJraW5kIjoiTk9OU0VOU0UifQ";
    let yesterday = "eyJzZXF1ZW5jZSI6MywiYWZ0ZXIiOiJ5ZXN0ZXJkYXkiLCJiZWZvcmUiOm51bGwsImVycm\
        9yIjpudWxsLCJyZXNvdXJjZSI6bnVsbCwia2luZCI6bnVsbH0";
    assert_eq!(page(behind)["items"][0]["sequence"], 2, "such a cursor is read");
    assert_eq!((page(nonsense), page(yesterday)), (first.clone(), first));
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_8_5_events_are_filtered_by_time,
        rule_8_5_a_plain_date_is_midnight_in_the_book_zone,
        rule_8_5_events_are_filtered_by_type_and_resource,
        rule_2_5_forged_cursor_returns_the_first_page
    ]
}
