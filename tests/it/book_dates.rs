//! Lock date and closing date of a book: who may change them (3.5.4) and how they are cleared
//! (3.5.5). Their effect is in `locks`.

use daybook_tests::{Cast, Server, shows};
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
            let case = move |server: &Server| check_change(server, field, *change);
            cases.push(Case::shared(format!("{field}_is_{}", change.0), case));
        }
    }
    cases
}

/// Name, the JSON stored and sent, and whether an EDITOR may do it. The permission matrix tests the
/// other callers.
type Change = (&'static str, &'static str, &'static str, bool);

/// OWNER and EDITOR may set and advance a date; only the OWNER may move it back or clear it.
const CHANGES: &[Change] = &[
    ("set", "null", "\"2024-06-30\"", true),
    ("advanced_by_a_day", "\"2024-06-30\"", "\"2024-07-01\"", true),
    ("moved_back_by_a_day", "\"2024-06-30\"", "\"2024-06-29\"", false),
    ("cleared_by_sentinel", "\"2024-06-30\"", "\"1900-00-00\"", false),
    ("cleared_by_null", "\"2024-06-30\"", "null", false),
    ("cleared_by_blank", "\"2024-06-30\"", "\"\"", false),
];

/// A refused update changes nothing. An equal value requires no permission.
fn check_change(server: &Server, field: &str, (_, stored, sent, by_editor): Change) {
    let [stored, sent] =
        [stored, sent].map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    let cast = Cast::with_settings(server, json!({field: stored}));
    let equal = json!({field: stored, "name": "Same date"});
    shows(&cast.editor.put(&cast.path(""), &equal).ok(), &equal);
    let before = cast.read("");
    let change = json!({"id": cast.book, field: sent, "name": "Changed"});
    let mut answer = cast.editor.put("/v5/books", &change);
    if !by_editor {
        answer.refused(403, "forbidden");
        assert_eq!(cast.read(""), before, "a refused update changes nothing");
        answer = cast.owner.put("/v5/books", &change);
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
    let before = cast.read("");
    for date in [
        "2025-02-30",
        "31/01/2025",
        "1900-00-01",
        "1900-01-00",
        "2025-00-00",
        "2025-1-1",
        "2025-01-01T00:00:00Z",
        "tomorrow",
    ] {
        for field in ["lockDate", "closingDate"] {
            let answer = cast.put("", &json!({field: date}));
            assert_eq!(answer.status, 400, "{field} {date}: {}", answer.text);
            let created = cast.owner.post("/v5/books", &json!({"name": "B", field: date}));
            assert_eq!(created.status, 400, "{field} {date}");
        }
    }
    assert_eq!(cast.read(""), before);
}

/// Null, blank and the sentinel 1900-00-00 store no date.
fn create_accepts_and_clears_dates(server: &Server) {
    for nothing in [json!(null), json!(""), json!("1900-00-00")] {
        let cast =
            Cast::with_settings(server, json!({"lockDate": nothing, "closingDate": nothing}));
        shows(&cast.read(""), &json!({"lockDate": null, "closingDate": null}));
    }
    let cast =
        Cast::with_settings(server, json!({"lockDate": "2024-02-29", "closingDate": "1999-12-31"}));
    shows(&cast.read(""), &json!({"lockDate": "2024-02-29", "closingDate": "1999-12-31"}));
}

fn moving_one_date_back_requires_the_owner(server: &Server) {
    let cast =
        Cast::with_settings(server, json!({"lockDate": "2024-06-30", "closingDate": "2024-06-30"}));
    let before = cast.read("");
    for body in [
        json!({"lockDate": "2024-07-31", "closingDate": "2024-05-31"}),
        json!({"lockDate": "2024-05-31", "closingDate": "2024-07-31"}),
        json!({"lockDate": "2024-07-31", "closingDate": null}),
        json!({"lockDate": "1900-00-00", "closingDate": "1900-00-00"}),
    ] {
        cast.editor.put(&cast.path(""), &body).refused(403, "forbidden");
    }
    assert_eq!(cast.read(""), before);
    // An absent date stays (6.4).
    let advanced = cast.editor.put(&cast.path(""), &json!({"lockDate": "2024-07-31"})).ok();
    shows(&advanced, &json!({"lockDate": "2024-07-31", "closingDate": "2024-06-30"}));
    let cleared = cast.put("", &json!({"lockDate": "1900-00-00", "closingDate": ""})).ok();
    shows(&cleared, &json!({"lockDate": null, "closingDate": null}));
}
