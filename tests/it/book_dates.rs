//! Lock date and closing date of a book: who may change them (3.5.4) and how they are cleared
//! (3.5.5). Their effect is in `locks`.

use daybook_tests::{Cast, Client, Server, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        invalid_dates_are_refused,
        create_accepts_and_clears_dates,
        moving_one_date_back_requires_the_owner
    ];
    for field in ["lockDate", "closingDate"] {
        for change in CHANGES {
            for (role, expected) in
                ["OWNER", "EDITOR", "POSTER", "RECORDER", "VIEWER"].into_iter().zip(change.expected)
            {
                cases.push(Case::shared(
                    format!("{field}_{}_by_{}", change.name, role.to_lowercase()),
                    move |server| check_change(server, field, change, role, expected),
                ));
            }
        }
    }
    cases
}

/// One way to change a date: the JSON stored and sent, and the status for OWNER, EDITOR, POSTER,
/// RECORDER, VIEWER.
struct Change {
    name: &'static str,
    stored: &'static str,
    sent: &'static str,
    expected: [u16; 5],
}

const fn change(
    name: &'static str,
    stored: &'static str,
    sent: &'static str,
    expected: [u16; 5],
) -> Change {
    Change { name, stored, sent, expected }
}

/// OWNER and EDITOR may set and advance a date; only the OWNER may move it back or clear it.
const SET: [u16; 5] = [200, 200, 403, 403, 403];
const UNDO: [u16; 5] = [200, 403, 403, 403, 403];

const CHANGES: &[Change] = &[
    change("set", "null", "\"2024-06-30\"", SET),
    change("set_far_in_the_future", "null", "\"9999-12-31\"", SET),
    change("advanced_by_a_day", "\"2024-06-30\"", "\"2024-07-01\"", SET),
    change("moved_back_by_a_day", "\"2024-06-30\"", "\"2024-06-29\"", UNDO),
    change("moved_back_far", "\"2024-06-30\"", "\"1999-12-31\"", UNDO),
    change("cleared_by_sentinel", "\"2024-06-30\"", "\"1900-00-00\"", UNDO),
    change("cleared_by_null", "\"2024-06-30\"", "null", UNDO),
    change("cleared_by_blank", "\"2024-06-30\"", "\"\"", UNDO),
];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn member<'a>(cast: &'a Cast, role: &str) -> &'a Client {
    cast.members().into_iter().find(|(name, _)| *name == role).expect("a member").1
}

/// A refused update changes nothing. An equal value requires no permission.
fn check_change(server: &Server, field: &str, change: &Change, role: &str, expected: u16) {
    let (stored, sent) = (parse(change.stored), parse(change.sent));
    let cast = Cast::with_settings(server, json!({field: stored}));
    let caller = member(&cast, role);
    if role == "OWNER" || role == "EDITOR" {
        let equal = caller.put(&cast.path(""), &json!({field: stored, "name": "Same date"})).ok();
        shows(&equal, &json!({field: stored, "name": "Same date"}));
    }
    let before = cast.owner.get(&cast.path("")).ok();
    let answer = caller.put("/v5/books", &json!({"id": cast.book, field: sent, "name": "Changed"}));
    assert_eq!(answer.status, expected, "{}", answer.text);
    if expected != 200 {
        answer.refused(expected, "forbidden");
        assert_eq!(cast.owner.get(&cast.path("")).ok(), before, "a refused update changes nothing");
        return;
    }
    let cleared = sent.is_null() || sent == "" || sent == "1900-00-00";
    let shown = if cleared { Value::Null } else { sent };
    shows(&answer.ok(), &json!({field: shown, "name": "Changed"}));
    // 3.5.5: omitted when unset.
    shows(&cast.viewer.get(&cast.path("")).ok(), &json!({field: shown}));
    if cleared {
        // Clearing an unset date is an equal value.
        for nothing in [json!(null), json!(""), json!("1900-00-00")] {
            cast.editor.put(&cast.path(""), &json!({field: nothing})).ok();
        }
    }
}

/// 3.5.5.
fn invalid_dates_are_refused(server: &Server) {
    let cast =
        Cast::with_settings(server, json!({"lockDate": "2024-06-30", "closingDate": "2024-06-30"}));
    let before = cast.owner.get(&cast.path("")).ok();
    let dates = [
        "2025-02-30",
        "2025-13-01",
        "2025-00-10",
        "1901-00-00",
        "1900-00-01",
        "1900-01-00",
        "2025-1-1",
        "20250101",
        "01/02/2025",
        "2025-01-01T00:00:00Z",
        "tomorrow",
        "0000-00-00",
        "2023-02-29",
        "+2025-01-01",
        "-2025-01-01",
        "２０２５-01-01",
    ];
    for date in dates {
        for field in ["lockDate", "closingDate"] {
            let answer = cast.owner.put(&cast.path(""), &json!({field: date}));
            assert_eq!(answer.status, 400, "{field} {date}: {}", answer.text);
            assert_eq!(
                cast.owner.post("/v5/books", &json!({"name": "B", field: date})).status,
                400,
                "{field} {date}"
            );
        }
    }
    assert_eq!(cast.owner.get(&cast.path("")).ok(), before);
}

/// Null, blank and the sentinel 1900-00-00 store no date.
fn create_accepts_and_clears_dates(server: &Server) {
    for nothing in [json!(null), json!(""), json!("1900-00-00")] {
        let cast =
            Cast::with_settings(server, json!({"lockDate": nothing, "closingDate": nothing}));
        shows(
            &cast.owner.get(&cast.path("")).ok(),
            &json!({"lockDate": null, "closingDate": null}),
        );
    }
    let cast =
        Cast::with_settings(server, json!({"lockDate": "2024-02-29", "closingDate": "1999-12-31"}));
    shows(
        &cast.owner.get(&cast.path("")).ok(),
        &json!({"lockDate": "2024-02-29", "closingDate": "1999-12-31"}),
    );
}

fn moving_one_date_back_requires_the_owner(server: &Server) {
    let cast =
        Cast::with_settings(server, json!({"lockDate": "2024-06-30", "closingDate": "2024-06-30"}));
    let before = cast.owner.get(&cast.path("")).ok();
    for body in [
        json!({"lockDate": "2024-07-31", "closingDate": "2024-05-31"}),
        json!({"lockDate": "2024-05-31", "closingDate": "2024-07-31"}),
        json!({"lockDate": "2024-07-31", "closingDate": null}),
        json!({"lockDate": "1900-00-00", "closingDate": "1900-00-00"}),
    ] {
        cast.editor.put(&cast.path(""), &body).refused(403, "forbidden");
    }
    assert_eq!(cast.owner.get(&cast.path("")).ok(), before);
    // An absent date stays (6.4).
    let advanced = cast.editor.put(&cast.path(""), &json!({"lockDate": "2024-07-31"})).ok();
    shows(&advanced, &json!({"lockDate": "2024-07-31", "closingDate": "2024-06-30"}));
    let cleared =
        cast.owner.put(&cast.path(""), &json!({"lockDate": "1900-00-00", "closingDate": ""})).ok();
    shows(&cleared, &json!({"lockDate": null, "closingDate": null}));
}
