//! Which index the statements of the event log use, checked on the statements that are sent (8.5).

use daybook_domain::account::AccountRef;
use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::transaction::Changes;
use daybook_service::reconciliation::{self, Input};
use daybook_service::{Error, access};
use daybook_storage::event::EventFilter;
use daybook_tests::Engine;

use crate::Case;
use crate::inside::{Inside, side};
use crate::plans::{NOW, check, crowd, shelf, sorts};
use crate::reading::Faults;

pub fn tests() -> Vec<Case> {
    crate::isolated![logs_and_reconciliations_walk_an_index]
}

/// The book takes longer to fill than the checks take, so they share it.
fn logs_and_reconciliations_walk_an_index(engine: Engine) {
    let inside = shelf(engine);
    logs_walk_an_index(engine, &inside);
    reconciliations_walk_an_index(engine, &inside);
    blocks_are_looked_up(engine, &inside);
}

/// The plan of a page of events.
pub fn page_steps(inside: &Inside, filter: &EventFilter) -> Vec<String> {
    inside
        .store
        .read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
            Ok::<_, Error>(tx.plans().events(&member, filter, 51)?)
        })
        .expect("a plan")
}

/// 8.5: filters by type, by resource and by time each use an index within the log of the book.
fn logs_walk_an_index(engine: Engine, inside: &Inside) {
    let mut faults = Faults::default();
    let number = [
        "SEARCH k USING PRIMARY KEY (book_id=? AND sequence>? AND sequence<?)",
        "events_pkey on events k",
    ];
    let kind = ["SEARCH k USING COVERING INDEX events_kind (book_id=? AND kind=?", "events_kind"];
    let resource = [
        "SEARCH k USING COVERING INDEX events_resource (book_id=? AND resource=?",
        "events_resource",
    ];
    let time = EventFilter {
        after: Some(Instant::new(NOW.milliseconds() - 1)),
        before: Some(NOW),
        ..EventFilter::default()
    };
    let rare = Some(EventType::BookCreated);
    for (what, filter, way) in [
        ("time", time.clone(), number),
        ("type", EventFilter { kind: rare, ..EventFilter::default() }, kind),
        ("type and time", EventFilter { kind: rare, ..time }, kind),
        ("resource", EventFilter { resource: Some(7), ..EventFilter::default() }, resource),
    ] {
        let steps = page_steps(inside, &filter);
        check(&mut faults, engine, what, way, 1, &steps);
        // The page is sorted once more; its rows come in order.
        let sorts = sorts(&steps);
        faults.check(sorts <= 1, || format!("{what} sorts:\n      {}", steps.join("\n      ")));
    }
    faults.none();
}

/// 8.5: the events of a batch share rows; an event that is not the last one is found by a range.
///
/// Runs after `crowd`.
fn blocks_are_looked_up(engine: Engine, inside: &Inside) {
    let way = [
        "SEARCH b USING COVERING INDEX events_blocks (book_id=? AND resource>? AND resource<?)",
        "events_blocks",
    ];
    let mut faults = Faults::default();
    let lunch = |number: usize| Changes {
        date: Field::Set("2025-05-05".to_owned()),
        amount: Field::Set("1".to_owned()),
        description: Field::Set(number.to_string()),
        credit: side("Account 1"),
        debit: side("Account 2"),
        ..Changes::default()
    };
    // Events of a millisecond have consecutive ids.
    let made = inside.record((0..200).map(lunch).collect());
    let resource = made[1].get();
    let blocks = inside
        .store
        .read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
            Ok::<_, Error>(tx.plans().event_block(&member, resource)?)
        })
        .expect("a plan");
    check(&mut faults, engine, "blocks", way, 1, &blocks);
    let filter = EventFilter { resource: Some(resource), ..EventFilter::default() };
    let page = page_steps(inside, &filter);
    let block =
        ["SEARCH k USING PRIMARY KEY (book_id=? AND sequence=?)", "events_pkey on events k"];
    for way in [block, ["INDEX events_resource (book_id=? AND resource=?", "events_resource"]] {
        check(&mut faults, engine, "a page with a block", way, 1, &page);
    }
    faults.none();
}

/// 14.4, 14.8: sums and later changes are found by the transactions of the reconciliation.
///
/// Ends with `crowd`.
fn reconciliations_walk_an_index(engine: Engine, inside: &Inside) {
    let own = inside.all("account:'Account 0' is:posted", 100);
    let input = Input {
        account: Some(AccountRef { id: None, name: Some("Account 0".to_owned()) }),
        date: Field::Set("2025-12-31".to_owned()),
        closing_balance: Field::Set("0".to_owned()),
        add: own.iter().map(|transaction| transaction.id.to_string()).collect(),
        ..Input::default()
    };
    let view = inside
        .write(move |tx, cx, book| reconciliation::create(tx, cx, book, input))
        .expect("a reconciliation");
    let id = view.reconciliations[0].id;
    // The book has many others, so that reading all of its rows costs more than an index.
    let others = (1..=400).map(|other| {
        format!(
            "INSERT INTO reconciliations (book_id, id, account_id, day, closing, created_by, \
             created_at, updated_at, version) SELECT book_id, id + {other}, account_id, day - \
             {other}, closing, created_by, created_at, updated_at, version FROM reconciliations \
             WHERE id = {}",
            id.get()
        )
    });
    let entries = (1..=40).map(|other| {
        format!(
            "INSERT INTO reconciled_entries (book_id, transaction_id, account_id, \
             reconciliation_id, sequence, checked) SELECT book_id, transaction_id + {other}, \
             account_id + {other}, reconciliation_id + {other}, sequence, checked FROM \
             reconciled_entries WHERE reconciliation_id = {}",
            id.get()
        )
    });
    let copies: Vec<String> = others.chain(entries).collect();
    inside.execute(&copies.iter().map(String::as_str).collect::<Vec<_>>());
    crowd(inside, true);
    let (sums, changes) = inside
        .store
        .read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
            let sums = tx.plans().reconciliation_sums(&member, &[id])?;
            Ok::<_, Error>((sums, tx.plans().reconciliation_changes(&member, id)?))
        })
        .expect("plans");
    let mut faults = Faults::default();
    let entries = "reconciled_entries_reconciliation";
    for (what, way, steps) in [
        ("the reconciliation before", "reconciliations_account", &sums),
        ("entries", entries, &sums),
        ("entries of changes", entries, &changes),
        ("events", "events_resource", &changes),
    ] {
        check(&mut faults, engine, what, [way, way], 1, steps);
    }
    let transactions = ["SEARCH t USING PRIMARY KEY (book_id=? AND id=?)", "transactions_pkey"];
    check(&mut faults, engine, "transactions", transactions, 1, &sums);
    let event = ["SEARCH e USING PRIMARY KEY (book_id=? AND sequence=?)", "events_pkey"];
    check(&mut faults, engine, "the last event", event, 1, &changes);
    faults.none();
}
