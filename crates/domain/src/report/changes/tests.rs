//! Tests of the report of changes.

use super::*;
use crate::account::Directory;
use crate::event::{NewEvent, Previous, snapshot};
use crate::file::FilesById;
use crate::fixture::{self, day};
use crate::id::UserId;
use crate::property::Properties;
use crate::report::{Parameters, ReportKind};
use crate::transaction::{Standing, Transaction};

const NONE: [(&str, &str); 0] = [];

fn request(period: Option<&str>) -> Request {
    let settings = fixture::book(crate::book::Changes::default()).settings;
    let parameters = Parameters { period, ..Parameters::default() };
    parameters.read(ReportKind::Changes, &settings, day("2026-10-31")).unwrap()
}

/// The type, the resource, the snapshot and the previous values of an event.
type Recorded = (EventType, i64, Object, Vec<(&'static str, &'static str)>);

fn recorded(
    kind: EventType,
    resource: i64,
    object: Object,
    previous: &[(&'static str, &'static str)],
) -> Recorded {
    (kind, resource, object, previous.to_vec())
}

/// Chains events after an event.
fn chained(key: &BookKey, head: Head, events: Vec<Recorded>) -> (Vec<ReadEvent>, Head) {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let new = events.iter().map(|(kind, resource, object, previous)| {
        let previous: Previous = previous.iter().map(owned).collect();
        NewEvent::update(*kind, *resource, object.clone(), &previous)
    });
    let (stored, head) = fixture::origin(key).append(head, new.collect());
    let read = stored.into_iter().zip(events).map(|(event, (_, _, object, previous))| {
        let data = Object::new().with("object", Json::Object(object));
        let data = data.with_map("previousAttributes", previous.into_iter());
        ReadEvent::new(event, data).unwrap()
    });
    (read.collect(), head)
}

/// Two accounts in a group, and a transaction from the first to the second.
fn snapshots() -> (Vec<crate::account::Account>, Forest, Object, Object) {
    let accounts = vec![fixture::account(1, "Cash", &[9]), fixture::account(2, "Rent", &[])];
    let directory = Directory::new(accounts.clone());
    let snapshot = |transaction: &Transaction| {
        snapshot::transaction(transaction, &directory, &FilesById::default(), 2, UserId::new(7))
    };
    let posted = Transaction {
        description: "office".to_owned(),
        properties: fixture::properties(&[("note", "new")]),
        ..fixture::transaction(3, Standing::Unchecked)
    };
    let draft = Transaction {
        date: None,
        amount: None,
        debit: None,
        properties: Properties::default(),
        ..fixture::transaction(4, Standing::Draft)
    };
    let forest = Forest::new(vec![fixture::group(9, None)], []);
    (accounts, forest, snapshot(&posted), snapshot(&draft))
}

fn texts(row: &Row) -> String {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Date(day) => format_iso(*day),
        Cell::Number(number) => number.to_string(),
        Cell::Amount(units) => units.to_string(),
        Cell::Instant(_) => "at".to_owned(),
        Cell::Empty | Cell::Percent(_) => String::new(),
    };
    row.cells.iter().map(text).collect::<Vec<_>>().join("|")
}

fn run(period: Option<&str>, break_chain: bool) -> (Vec<String>, Control) {
    let book = fixture::book(crate::book::Changes::default());
    let (accounts, forest, posted, draft) = snapshots();
    let account = snapshot::account(&accounts[0], &forest);
    let group = snapshot::group(&fixture::group(9, None), &forest);
    let update = [
        ("amount", "12.00"),
        ("creditAccId", "2"),
        ("dateValue", "20241231"),
        ("debitAccId", "77"),
        ("note", "old"),
        ("urls", "[\"a\"]"),
    ];
    let moves = [("archived", "true"), ("groups", "[\"9\",\"8\"]"), ("type", "OUTGOING")];
    let start = Head { sequence: 5, hash: crate::event::Hash::of(b"5") };
    let (mut events, head) = chained(
        &book.key,
        start,
        vec![
            recorded(EventType::TransactionUpdated, 3, posted.clone(), &update),
            recorded(EventType::TransactionDeleted, 4, draft, &NONE),
            recorded(EventType::AccountUpdated, 1, account.clone(), &moves),
            recorded(EventType::AccountUpdated, 1, account, &[("archived", "true")]),
            recorded(EventType::GroupUpdated, 9, group, &[("report", "cash"), ("a", "b")]),
            recorded(EventType::TransactionPosted, 3, posted, &NONE),
        ],
    );
    if break_chain {
        events[1].event.user = UserId::new(8);
    }
    let chart = BookChart { book: &book, accounts: &accounts, forest: &forest };
    let mut changes = Changes::new(&request(period), &chart, start);
    let rows: Vec<Row> = events.iter().filter_map(|read| changes.push(read, "ada")).collect();
    assert!(rows.iter().all(|row| row.cells.len() == Changes::columns().len()));
    let control = changes.finish(&head).remove(0);
    (rows.iter().map(texts).collect(), control)
}

#[test]
fn changes_have_values_before_and_after() {
    let (rows, control) = run(None, false);
    assert_eq!(
        rows,
        [
            "6|at|ada||Transaction updated|2025-01-15|office|Rent|Cash|1000|Amount: 12.00; \
             Credit account: Rent; Date: 2024-12-31; Debit account: 77; note: old; Urls: \
             [\"a\"]|Amount: 10.00; Credit account: Cash; Date: 2025-01-15; Debit account: \
             Rent; note: new; Urls: []",
            "7|at|ada||Draft trashed||||Cash|||",
            "8|at|ada||Account changed||Cash||||Groups: Group 9, 8; Type: OUTGOING|Groups: \
             Group 9; Type: ASSET",
            "10|at|ada||Group changed||Group 9||||report: cash|report: ",
            "11|at|ada||Transaction posted|2025-01-15|office|Rent|Cash|1000||",
        ]
    );
    assert!(control.holds() && control.is_count && control.left == 6, "{control:?}");
    let label = "Events in the chain = events after 5 (last event 11, hash ";
    assert!(control.label.starts_with(label), "{control:?}");
    let counts = "; Account changed: 1, Draft trashed: 1, Group changed: 1, Transaction \
                  posted: 1, Transaction updated: 1)";
    assert!(control.label.ends_with(counts), "{control:?}");
}

#[test]
fn period_keeps_transactions_with_a_day_in_it() {
    let numbers = |period| {
        let (rows, _) = run(Some(period), false);
        rows.iter().map(|row| row.split('|').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(numbers("2024"), ["6", "8", "10"], "the day before the change");
    assert_eq!(numbers("2025-01"), ["6", "8", "10", "11"]);
    assert_eq!(numbers("2026"), ["8", "10"]);
}

#[test]
fn modified_event_fails_the_control() {
    let (_, control) = run(None, true);
    assert_eq!((control.left, control.right), (5, 6));
}

#[test]
fn heading_tells_where_the_changes_begin() {
    let book = fixture::book(crate::book::Changes::default());
    let (accounts, forest, ..) = snapshots();
    let chart = BookChart { book: &book, accounts: &accounts, forest: &forest };
    let facts = crate::report::fixture::facts();
    let heading = |period, after, start| {
        let request = request(period);
        let heading = request.heading(&chart, &crate::balance::BalanceScope::Book, facts);
        let heading = request.changes_heading(heading, after, &start);
        let from = heading.from.map(format_iso).unwrap_or_default();
        let [until, words] = [format_iso(heading.until), heading.period];
        [from, until, words, heading.filters.join(","), heading.notes.join(",")].join("|")
    };
    assert_eq!(heading(None, 0, ChangesStart::Beginning), "|2026-10-31|Since the beginning||");
    assert_eq!(
        heading(Some("2026-09"), 7, ChangesStart::Closing),
        "2026-09-01|2026-09-30|After event 7|Dated 1 to 30 September 2026|The reports of the \
         last closing include event 7"
    );
    let at = ChangesStart::Instant("2026-10-01T00:00:00.000Z".to_owned());
    assert!(heading(None, 7, at).ends_with("||Recorded since 2026-10-01T00:00:00.000Z"));
}

#[test]
fn start_of_the_fiscal_year_is_a_change() {
    let book = fixture::book(crate::book::Changes::default());
    let (accounts, forest, ..) = snapshots();
    let (object, name) = (snapshot::book(&book), ("name", "Old"));
    let updated = |previous: &[(&'static str, &'static str)]| {
        recorded(EventType::BookUpdated, 1, object.clone(), previous)
    };
    let updates = vec![updated(&[name, (START_MONTH, "JULY")]), updated(&[name])];
    let (events, _) = chained(&book.key, Head::default(), updates);
    let chart = BookChart { book: &book, accounts: &accounts, forest: &forest };
    let mut changes = Changes::new(&request(Some("2026")), &chart, Head::default());
    let rows: Vec<Row> = events.iter().filter_map(|read| changes.push(read, "ada")).collect();
    let name = book.settings.name.as_str();
    let expected = format!(
        "1|at|ada||Book changed||{name}||||Start of the fiscal year: JULY|Start of the fiscal \
         year: JANUARY"
    );
    assert_eq!(rows.iter().map(texts).collect::<Vec<_>>(), [expected]);
}
