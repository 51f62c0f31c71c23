//! The effect of the lock date and the closing date (3.5). Their own changes are in `book_dates`.

use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Client, Lunch, Server, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{
    batch, check_totals, events, id, new_events, refused_400, totals, transaction, types,
};

/// The locked day; the day after it is open.
const LOCKED: &str = "2025-01-31";
const OPEN: &str = "2025-02-01";

const LUNCH: Lunch = Lunch { date: LOCKED, amount: "2.00" };

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

fn set(caller: &Client, cast: &Cast, body: Value) -> Answer {
    caller.put(&cast.path(""), &body)
}

/// States of [`make`].
const STATES: [&str; 6] =
    ["incomplete", "draft", "unchecked", "checked", "trashed_draft", "trashed_unchecked"];

#[track_caller]
fn make(cast: &Cast, state: &str) -> Value {
    let fields = match state {
        "incomplete" => json!({"amount": null}),
        "draft" | "trashed_draft" => json!({"draft": true}),
        "checked" => json!({"checked": true}),
        _ => json!({}),
    };
    let made = LUNCH.create(cast, fields);
    if state.starts_with("trashed") {
        cast.patch("/transactions/trash", &json!({"id": made["id"]})).ok();
    }
    transaction(cast, &id(&made))
}

/// The outcome of an operation on a locked date by behaviour 3.5.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// Performed, because it touches no balance (3.5.3).
    Done,
    /// 400 `lockedDate`.
    Locked,
    /// 400 for another reason by behaviour 3.4; either reason is accepted.
    Refused,
    /// A no-op by behaviour 3.4: nothing changes, with 200 or 400 `lockedDate`.
    Nothing,
}

use Outcome::{Done, Locked, Nothing, Refused};

/// Verbs, and their outcome per state of [`STATES`].
const TABLE: [(&str, [Outcome; 6]); 8] = [
    ("post", [Refused, Locked, Nothing, Nothing, Refused, Refused]),
    ("update", [Done, Done, Locked, Refused, Refused, Refused]),
    ("check", [Refused, Refused, Locked, Nothing, Refused, Refused]),
    ("uncheck", [Nothing, Nothing, Nothing, Locked, Refused, Refused]),
    ("trash", [Done, Done, Locked, Refused, Nothing, Nothing]),
    ("remove", [Done, Done, Locked, Refused, Nothing, Nothing]),
    ("untrash", [Nothing, Nothing, Nothing, Nothing, Done, Locked]),
    ("restore", [Nothing, Nothing, Nothing, Nothing, Done, Locked]),
];

/// Tests a cell for every caller who may do it on an open date, single and in a batch.
fn cell(server: &Server, field: &str, verb: &str, state: &str, outcome: Outcome) {
    let cast = cast(server);
    for (role, caller) in [("OWNER", &cast.owner), ("EDITOR", &cast.editor)] {
        set(&cast.owner, &cast, json!({field: "1900-00-00"})).ok();
        let before = make(&cast, state);
        set(&cast.owner, &cast, json!({field: LOCKED})).ok();
        let (known, sums) = (events(&cast).len(), totals(&cast));
        let body = if verb == "update" {
            json!({"id": before["id"], "properties": {"k": "v"}})
        } else {
            json!({"id": before["id"]})
        };
        let flags = "updateChecked=true&trashChecked=true";
        if outcome != Done && !matches!(verb, "remove" | "restore") {
            // 3.5.2, 3.6.3, 3.6.4: the item is skipped, and the flags do not override the lock.
            let (method, path, done) = match verb {
                "update" => ("PUT", "batch".to_owned(), 200),
                _ => ("PATCH", format!("{verb}/batch"), 204),
            };
            let path = cast.path(&format!("/transactions/{path}?{flags}"));
            let answer = caller.send(method, &path, &batch([body.clone()]));
            assert_eq!(answer.status, done, "{role}: a batch skips it: {}", answer.text);
        }
        let answer = match verb {
            "update" => caller.put(&cast.path("/transactions"), &body),
            _ => caller.patch(&cast.path(&format!("/transactions/{verb}")), &body),
        };
        let reason = answer.body["error"]["errors"][0]["reason"].clone();
        let fits = match outcome {
            Done => answer.status == 200,
            Locked => answer.status == 400 && reason == "lockedDate",
            Refused => answer.status == 400,
            Nothing => answer.status == 200 || reason == "lockedDate",
        };
        assert!(
            fits,
            "{role}: {verb} of {state} with {field} {LOCKED}: expected {outcome:?}, got {} {}",
            answer.status, answer.text
        );
        let changed = transaction(&cast, &id(&before)) != before;
        assert_eq!(
            (changed, new_events(&cast, known).len()),
            (outcome == Done, usize::from(outcome == Done)),
            "{role}: changes and events"
        );
        assert_eq!(totals(&cast), sums, "{role}: no balance moves on a locked date");
    }
}

fn rule_3_5_2_edits_that_touch_a_locked_date(server: &Server) {
    let cast = cast(server);
    let (locked, open) =
        (LUNCH.create(&cast, json!({})), LUNCH.create(&cast, json!({"date": OPEN})));
    let drafts = [
        LUNCH.create(&cast, json!({"draft": true})),
        LUNCH.create(&cast, json!({"draft": true, "date": OPEN})),
    ];
    set(&cast.owner, &cast, json!({"lockDate": LOCKED})).ok();
    let (before, known) = (transaction(&cast, &id(&locked)), events(&cast).len());
    let edits = [
        json!({"properties": {"a": "b"}}),
        json!({"urls": ["u"]}),
        json!({"remoteIds": ["r"]}),
        json!({"description": "Other"}),
        json!({"amount": "3.00"}),
        json!({"date": OPEN}),
        json!({"checked": true}),
    ];
    for mut edit in edits {
        edit["id"] = locked["id"].clone();
        cast.put("/transactions", &edit).refused(400, "lockedDate");
    }
    let into = json!({"id": open["id"], "date": LOCKED});
    cast.put("/transactions", &into).refused(400, "lockedDate");
    let list = cast.put("/transactions/batch", &batch([into])).ok();
    assert_eq!(list["items"][0]["date"], OPEN, "3.6.3: left unchanged");
    assert_eq!((transaction(&cast, &id(&locked)), new_events(&cast, known).len()), (before, 0));
    // 3.5.3: drafts move in and out.
    for (draft, date) in drafts.iter().zip([OPEN, LOCKED]) {
        let moved = cast.put("/transactions", &json!({"id": draft["id"], "date": date})).ok();
        assert_eq!(moved["transaction"]["date"], date);
    }
    cast.patch("/transactions/post", &json!({"id": drafts[0]["id"]})).ok();
    cast.patch("/transactions/post", &json!({"id": drafts[1]["id"]})).refused(400, "lockedDate");
    // A post whose body moves the draft to a locked date.
    let third = LUNCH.create(&cast, json!({"draft": true, "date": OPEN}));
    cast.patch("/transactions/post", &json!({"id": third["id"], "date": LOCKED}))
        .refused(400, "lockedDate");
    assert_eq!(transaction(&cast, &id(&third)), third, "a refused post changes nothing");
}

fn rule_3_5_1_the_later_date_counts(server: &Server) {
    for (lock, closing) in [
        ("2025-01-10", "2025-01-20"),
        ("2025-01-20", "2025-01-10"),
        ("1900-00-00", "2025-01-20"),
        ("2025-01-20", "1900-00-00"),
    ] {
        let cast = cast(server);
        set(&cast.owner, &cast, json!({"lockDate": lock, "closingDate": closing})).ok();
        for (date, posted) in [
            ("2025-01-09", false),
            ("2025-01-15", false),
            ("2025-01-20", false),
            ("2025-01-21", true),
        ] {
            let known = events(&cast).len();
            let made = LUNCH.create(&cast, json!({"date": date, "checked": true}));
            // 3.5.3: a create that would post on a locked date is stored as a draft.
            assert_eq!(
                (&made["posted"], &made["checked"]),
                (&json!(posted), &json!(posted)),
                "{lock} {closing} {date}"
            );
            assert_eq!(
                types(&new_events(&cast, known)),
                [if posted { "TRANSACTION_POSTED" } else { "TRANSACTION_CREATED" }]
            );
            let explicit = cast.patch("/transactions/post", &LUNCH.with(json!({"date": date})));
            if posted {
                explicit.ok();
            } else {
                explicit.refused(400, "lockedDate");
            }
        }
        let list = cast
            .post(
                "/transactions/batch",
                &batch([
                    LUNCH.with(json!({"date": "2025-01-20"})),
                    LUNCH.with(json!({"date": OPEN})),
                ]),
            )
            .ok();
        assert_eq!(
            (&list["items"][0]["posted"], &list["items"][1]["posted"]),
            (&json!(false), &json!(true)),
            "in a batch too"
        );
        check_totals(&cast, &[("Cash", "0.00", "6.00"), ("Food", "6.00", "0.00")]);
    }
}

fn rule_3_5_3_dateless_drafts(server: &Server) {
    let cast = cast(server);
    // 3.5.1: a draft without a date counts as dated today, so this lock covers it. Drafts may still
    // be edited.
    set(&cast.owner, &cast, json!({"lockDate": "2100-01-01"})).ok();
    let draft = LUNCH.create(&cast, json!({"date": null}));
    let one = json!({"id": draft["id"]});
    for (verb, trashed) in [("trash", true), ("untrash", false)] {
        let answer = cast.patch(&format!("/transactions/{verb}"), &one).ok();
        assert_eq!(answer["transaction"]["trashed"], trashed);
    }
    cast.put("/transactions", &json!({"id": draft["id"], "amount": "5.00"})).ok();
    refused_400(cast.patch("/transactions/post", &one), &["badRequest", "lockedDate"]);
    cast.patch("/transactions/post", &json!({"id": draft["id"], "date": "2099-12-31"}))
        .refused(400, "lockedDate");
    cast.put("/transactions", &json!({"id": draft["id"], "date": "2100-01-02"})).ok();
    assert_eq!(cast.patch("/transactions/post", &one).ok()["transaction"]["posted"], true);
}

fn rule_3_5_4_moving_the_date_opens_again(server: &Server) {
    let cast = cast(server);
    let made = LUNCH.create(&cast, json!({}));
    set(&cast.owner, &cast, json!({"lockDate": LOCKED})).ok();
    let trash = || cast.patch("/transactions/trash", &json!({"id": made["id"]}));
    trash().refused(400, "lockedDate");
    set(&cast.owner, &cast, json!({"lockDate": "2025-01-30"})).ok();
    trash().ok();
    assert_eq!(totals(&cast).len(), 0);
}

fn rule_3_5_7_accounts_change_whatever_the_lock(server: &Server) {
    let cast = cast(server);
    LUNCH.create(&cast, json!({}));
    let group = cast.group("Daily");
    set(&cast.owner, &cast, json!({"lockDate": LOCKED, "closingDate": LOCKED})).ok();
    let food = cast.get("/accounts/food").ok();
    let change = json!({"id": food["id"], "name": "Meals", "type": "ASSET", "archived": true});
    shows(&cast.put("/accounts", &change).ok(), &change);
    cast.put("/groups", &json!({"id": group["id"], "name": "Weekly"})).ok();
    check_totals(&cast, &[("Cash", "0.00", "2.00"), ("Meals", "2.00", "0.00")]);
}

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        rule_3_5_1_the_later_date_counts,
        rule_3_5_2_edits_that_touch_a_locked_date,
        rule_3_5_3_dateless_drafts,
        rule_3_5_4_moving_the_date_opens_again,
        rule_3_5_7_accounts_change_whatever_the_lock,
    ];
    for field in ["lockDate", "closingDate"] {
        for (verb, row) in TABLE {
            for (state, outcome) in STATES.into_iter().zip(row) {
                // Of the two dates, the later one counts; the cells that it refuses suffice.
                if field == "closingDate" && outcome != Locked {
                    continue;
                }
                let name = format!("rule_3_5_2_{}_{verb}_{state}", field.to_lowercase());
                cases.push(Case::shared(name, move |server| {
                    cell(server, field, verb, state, outcome)
                }));
            }
        }
    }
    cases
}
