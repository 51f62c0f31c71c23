//! Every cell of the transition table (3.4): each state and verb, single and in a batch, with the
//! effect on the transaction, the balances (3.1.3) and the event log (8.1).

use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Lunch, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{
    batch, events, expected_totals, id, items, new_events, refused_400, resources, totals,
    transaction, types,
};

/// The state of a transaction outside the trash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Incomplete,
    Draft,
    Unchecked,
    Checked,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    base: Base,
    trashed: bool,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Post,
    Update,
    Check,
    Uncheck,
    Trash,
    Untrash,
}

/// A cell: performed, a no-op, or refused with 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Done(State),
    Same,
    Error,
}

/// The form of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Single,
    /// The deprecated path: remove for trash, restore for untrash (3.4.6).
    Alias,
    Batch,
    /// updateChecked or trashChecked.
    Flag(bool),
}

use Cell::{Done, Error, Same};

const fn live(base: Base) -> State {
    State { base, trashed: false }
}

const fn trash(base: Base) -> State {
    State { base, trashed: true }
}

const INCOMPLETE: State = live(Base::Incomplete);
const DRAFT: State = live(Base::Draft);
const UNCHECKED: State = live(Base::Unchecked);
const CHECKED: State = live(Base::Checked);

const VERBS: [Verb; 6] =
    [Verb::Post, Verb::Update, Verb::Check, Verb::Uncheck, Verb::Trash, Verb::Untrash];

/// 3.4: single operations; the columns are [`VERBS`]. The row `Trashed (any)` applies to each
/// state.
const TABLE: [(State, [Cell; 6]); 8] = [
    (INCOMPLETE, [Error, Done(INCOMPLETE), Error, Same, Done(trash(Base::Incomplete)), Same]),
    (DRAFT, [Done(UNCHECKED), Done(DRAFT), Error, Same, Done(trash(Base::Draft)), Same]),
    (UNCHECKED, [Same, Done(UNCHECKED), Done(CHECKED), Same, Done(trash(Base::Unchecked)), Same]),
    (CHECKED, [Same, Error, Same, Done(UNCHECKED), Error, Same]),
    (trash(Base::Incomplete), [Error, Error, Error, Error, Same, Done(INCOMPLETE)]),
    (trash(Base::Draft), [Error, Error, Error, Error, Same, Done(DRAFT)]),
    (trash(Base::Unchecked), [Error, Error, Error, Error, Same, Done(UNCHECKED)]),
    (trash(Base::Checked), [Error, Error, Error, Error, Same, Done(CHECKED)]),
];

impl State {
    fn name(self) -> String {
        format!("{}{:?}", if self.trashed { "trashed_" } else { "" }, self.base).to_lowercase()
    }

    fn posted(self) -> bool {
        matches!(self.base, Base::Unchecked | Base::Checked)
    }

    /// Creates a transaction of 10.00 from Cash to Food in this state; returns it.
    #[track_caller]
    fn make(self, cast: &Cast) -> Value {
        let lunch = Lunch { date: "2025-01-15", amount: "10.00" };
        let mut body = lunch.with(json!({
            "description": "Lunch #food", "properties": {"note": "kept"},
            "draft": !self.posted(), "checked": self.base == Base::Checked,
        }));
        if self.base == Base::Incomplete {
            body["debitAccount"] = Value::Null;
        }
        let made = cast.post("/transactions", &body).ok();
        let id = id(&made["transaction"]);
        if self.trashed {
            // Checked ones are trashed by the batch form only.
            let path = cast.path("/transactions/trash/batch?trashChecked=true");
            cast.owner.patch(&path, &batch([json!({"id": id})])).no_content();
        }
        let made = transaction(cast, &id);
        self.holds(&made);
        made
    }

    /// Asserts the four booleans (3.1.1).
    #[track_caller]
    fn holds(self, transaction: &Value) {
        let expected = [
            ("posted", self.posted()),
            ("draft", !self.posted()),
            ("checked", self.base == Base::Checked),
            ("trashed", self.trashed),
        ];
        for (flag, value) in expected {
            assert_eq!(
                transaction[flag],
                json!(value),
                "3.1.1: `{flag}` of a transaction that is {}: {transaction}",
                self.name()
            );
        }
    }

    /// Asserts the balances, which ignore drafts and the trash (3.1.3).
    #[track_caller]
    fn balanced(self, cast: &Cast, amount: &str) {
        let rows: &[_] = if self.posted() && !self.trashed {
            &[("Cash", "0.00", amount), ("Food", amount, "0.00")]
        } else {
            &[]
        };
        assert_eq!(
            totals(cast),
            expected_totals(rows),
            "3.1.3: the balances (debit, credit) with one transaction {}",
            self.name()
        );
    }
}

impl Verb {
    fn event(self) -> &'static str {
        match self {
            Verb::Post => "TRANSACTION_POSTED",
            Verb::Update => "TRANSACTION_UPDATED",
            Verb::Check => "TRANSACTION_CHECKED",
            Verb::Uncheck => "TRANSACTION_UNCHECKED",
            Verb::Trash => "TRANSACTION_DELETED",
            Verb::Untrash => "TRANSACTION_RESTORED",
        }
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The body of the request. Except for updates and valid posts, other fields than the id must
    /// be ignored (3.4.4, 3.3.4), so they are wrong.
    fn body(self, id: &str, state: State) -> Value {
        match self {
            Verb::Update => json!({"id": id, "description": "Changed", "amount": "25.00"}),
            Verb::Post if !state.posted() => json!({"id": id}),
            _ => json!({
                "id": id,
                "date": "2024-02-29",
                "amount": "999.99",
                "description": "Must not matter",
                "checked": true,
                "urls": ["https://example.com/wrong"],
                "properties": {"note": "wrong"},
            }),
        }
    }

    fn send(self, cast: &Cast, form: Form, body: &Value) -> Answer {
        let base = cast.path("/transactions");
        let verb = match (self, form) {
            (Verb::Trash, Form::Alias) => "remove".to_owned(),
            (Verb::Untrash, Form::Alias) => "restore".to_owned(),
            _ => self.name(),
        };
        let single = matches!(form, Form::Single | Form::Alias);
        match (self, form) {
            (Verb::Update, Form::Flag(flag)) => {
                cast.owner.put(&format!("{base}/batch?updateChecked={flag}"), body)
            }
            (Verb::Update, _) if single => cast.owner.put(&base, body),
            (Verb::Update, _) => cast.owner.put(&format!("{base}/batch"), body),
            (_, Form::Flag(flag)) => {
                cast.owner.patch(&format!("{base}/{verb}/batch?trashChecked={flag}"), body)
            }
            _ if single => cast.owner.patch(&format!("{base}/{verb}"), body),
            _ => cast.owner.patch(&format!("{base}/{verb}/batch"), body),
        }
    }
}

/// Tests a cell in one form: the request, its response and everything it may change.
fn cell(server: &Server, state: State, verb: Verb, form: Form, cell: Cell) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let before = state.make(&cast);
    state.balanced(&cast, "10.00");
    let known = events(&cast).len();

    let id = id(&before);
    let body = verb.body(&id, state);
    if matches!(form, Form::Single | Form::Alias) {
        single(&cast, verb.send(&cast, form, &body), cell, state, verb, &id);
    } else {
        batched(verb.send(&cast, form, &batch([body])), verb, &id);
    }

    let after = transaction(&cast, &id);
    let events = new_events(&cast, known);
    let Done(target) = cell else {
        assert_eq!(
            after,
            before,
            "3.4: {verb:?} of a transaction {} changes nothing",
            state.name()
        );
        state.balanced(&cast, "10.00");
        assert_eq!(types(&events), [""; 0], "8.1: no event without a change");
        return;
    };
    target.holds(&after);
    let updated = verb == Verb::Update;
    target.balanced(&cast, if updated { "25.00" } else { "10.00" });
    assert_eq!(after["amount"], if updated { "25.00" } else { "10.00" });
    assert_eq!(
        after["description"],
        if updated { "Changed" } else { "Lunch #food" },
        "3.4.4: other fields"
    );
    assert_eq!(after["date"], "2025-01-15", "3.4.4: other fields");
    assert_eq!(after["properties"], json!({"note": "kept"}), "3.4.4: other fields");
    assert_eq!(types(&events), [verb.event()], "8.1: one event");
    assert_eq!(resources(&events), [id.as_str()], "8.4: of this transaction");
    target.holds(&events[0]["data"]["object"]["transaction"]);
}

#[track_caller]
fn single(cast: &Cast, answer: Answer, cell: Cell, state: State, verb: Verb, id: &str) {
    if cell == Error {
        // Behaviour 3.4.1 defines the reason for the update of a checked transaction; elsewhere any
        // reason of a 400 is accepted.
        let only_checked = state == CHECKED && verb == Verb::Update;
        refused_400(
            answer,
            if only_checked {
                &["checkedTransaction"]
            } else {
                &["badRequest", "checkedTransaction"]
            },
        );
        return;
    }
    let operation = answer.ok();
    assert_eq!(
        operation["transaction"],
        transaction(cast, id),
        "3.2.1: the answer is the transaction as it is stored"
    );
    let accounts: Vec<&str> = operation["accounts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|account| account["name"].as_str())
        .collect();
    for side in ["creditAccount", "debitAccount"] {
        if let Some(name) = operation["transaction"][side]["name"].as_str() {
            assert!(accounts.contains(&name), "3.2.1: `accounts` holds {name}: {accounts:?}");
        }
    }
}

#[track_caller]
fn batched(answer: Answer, verb: Verb, id: &str) {
    if verb == Verb::Update {
        let list = answer.ok();
        assert_eq!(items(&list).len(), 1, "3.6.3: all requested items come back");
        assert_eq!(list["items"][0]["id"], id, "3.6.3: all requested items come back");
    } else {
        answer.no_content();
    }
}

/// The outcome in a batch: an item that the single operation refuses is skipped (3.6.3, 3.6.4),
/// unless a flag includes it.
fn in_batch(state: State, verb: Verb, form: Form, single: Cell) -> Cell {
    match (verb, form) {
        (Verb::Update, Form::Flag(true)) if state == CHECKED => Done(CHECKED),
        (Verb::Trash, Form::Flag(true)) if state == CHECKED => Done(trash(Base::Checked)),
        _ if single == Error => Same,
        _ => single,
    }
}

fn forms(verb: Verb) -> &'static [Form] {
    match verb {
        Verb::Update => &[Form::Single, Form::Batch, Form::Flag(false), Form::Flag(true)],
        Verb::Trash => {
            &[Form::Single, Form::Alias, Form::Batch, Form::Flag(false), Form::Flag(true)]
        }
        Verb::Untrash => &[Form::Single, Form::Alias, Form::Batch],
        Verb::Post | Verb::Check | Verb::Uncheck => &[Form::Single, Form::Batch],
    }
}

/// One case per cell and form.
pub fn tests() -> Vec<Case> {
    let mut cases = Vec::new();
    for (state, row) in TABLE {
        for (verb, outcome) in VERBS.into_iter().zip(row) {
            for &form in forms(verb) {
                let outcome = match form {
                    Form::Single | Form::Alias => outcome,
                    Form::Batch | Form::Flag(_) => in_batch(state, verb, form, outcome),
                };
                let form_name = format!("{form:?}").to_lowercase().replace(['(', ')'], "_");
                let name = format!(
                    "rule_3_4_{}_{}_{}",
                    state.name(),
                    verb.name(),
                    form_name.trim_end_matches('_')
                );
                cases.push(Case::shared(name, move |server| {
                    cell(server, state, verb, form, outcome)
                }));
            }
        }
    }
    cases
}
