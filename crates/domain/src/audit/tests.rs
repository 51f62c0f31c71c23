//! Tests of audits on small books.

use super::*;
use crate::event::{Event, EventType, Hash, Head, NewEvent};
use crate::fixture::origin;
use crate::id::BookKey;
use crate::json::Object;

const CASH: AccountId = AccountId::new(1);
const FOOD: AccountId = AccountId::new(2);
const RENT: AccountId = AccountId::new(3);
const DAY: i32 = 20_250_131;

/// The stored data of a book.
#[derive(Clone)]
struct StoredBook {
    stored: Vec<AccountFlags>,
    records: Vec<AuditedTransaction>,
    entries: Vec<AuditedTotal>,
    days: Vec<AuditedTotal>,
    months: Vec<AuditedTotal>,
    counted: AuditedCounts,
}

const fn credit(units: i128) -> Sums {
    Sums { debit: 0, credit: units }
}

const fn debit(units: i128) -> Sums {
    Sums { debit: units, credit: 0 }
}

fn record(id: i64, amount: i64, to: AccountId) -> AuditedTransaction {
    AuditedTransaction {
        id: TransactionId::new(id),
        day: DAY,
        dated: true,
        standing: Some(Standing::Unchecked),
        trashed: false,
        amount: Some(amount),
        credit: Some(CASH),
        debit: Some(to),
        indexed: true,
        index_terms_found: 1,
    }
}

/// Returns a correct book with three accounts and two transactions.
fn correct_book() -> StoredBook {
    let sums = [(CASH, credit(150)), (FOOD, debit(100)), (RENT, debit(50))];
    let cells = |period| {
        sums.iter()
            .map(|(account, sums)| AuditedTotal { account: *account, period, sums: *sums })
            .collect::<Vec<_>>()
    };
    StoredBook {
        stored: [CASH, FOOD, RENT]
            .map(|account| AccountFlags { account, verified: true, posted: true })
            .to_vec(),
        records: vec![record(10, 100, FOOD), record(11, 50, RENT)],
        entries: cells(DAY),
        days: cells(DAY),
        months: cells(202_501),
        counted: counted(2),
    }
}

fn counted(posted: i64) -> AuditedCounts {
    let months = [(202_501, DatedCounts { posted, trashed: 0 })].into();
    AuditedCounts { posted, index_terms: posted, stored: StorageUsage::default(), months }
}

fn audit(book: &StoredBook) -> RecountResult {
    let mut recount = Recount::new("book", 2, 2, book.stored.iter().copied());
    book.records.iter().for_each(|record| recount.add_transaction(record));
    let accounts: Vec<AccountId> = recount.accounts().map(|(account, _)| account).collect();
    recount.compare(&accounts, &book.entries, &book.days, &book.months);
    recount.finish(book.counted.clone())
}

fn kinds(result: &RecountResult) -> Vec<&'static str> {
    result.findings.all().map(|finding| finding.kind.as_str()).collect()
}

#[test]
fn correct_book_has_no_findings() {
    let result = audit(&correct_book());
    assert_eq!(result.findings, Findings::default());
    assert!(result.balances_match && result.zero_sum && result.changed.is_empty());
    assert_eq!((result.accounts_checked, result.transactions_checked), (3, 2));
}

type Tamper = fn(&mut StoredBook);
/// A change to the book: its name, the function that makes it, the expected findings, the accounts
/// that are no longer verified, and whether the book still sums to zero.
type Case = (&'static str, Tamper, &'static [&'static str], &'static [AccountId], bool);

const CASES: [Case; 11] = [
    (
        "an amount",
        |s| {
            s.records[0].amount = Some(101);
            (s.entries[0].sums, s.entries[1].sums) = (credit(151), debit(101));
        },
        &["balance", "balance", "monthTotal", "monthTotal", "dayTotal", "dayTotal"],
        &[CASH, FOOD],
        true,
    ),
    ("a total of a day", |s| s.days[1].sums = debit(99), &["dayTotal"], &[FOOD], true),
    (
        "a total of a month",
        |s| s.months[2].sums = debit(49),
        &["balance", "zeroSum", "monthTotal"],
        &[RENT],
        false,
    ),
    (
        "both sides of a total",
        |s| s.days[2].sums = Sums { debit: 51, credit: 1 },
        &["dayTotal"],
        &[RENT],
        true,
    ),
    (
        "a total of nothing",
        |s| s.days.push(AuditedTotal { account: FOOD, period: 20_250_201, sums: debit(1) }),
        &["dayTotal"],
        &[FOOD],
        true,
    ),
    ("the count", |s| s.counted.posted = 3, &["count"], &[], true),
    ("the count of a month", |s| s.counted.months.clear(), &["count"], &[], true),
    ("the flag of a posting", |s| s.stored[1].posted = false, &["hasTransactionPosted"], &[], true),
    ("an index", |s| s.records[0].indexed = false, &["index"], &[], true),
    ("an index term too many", |s| s.counted.index_terms = 3, &["index"], &[], true),
    (
        "a missing account",
        |s| {
            s.stored.remove(2);
        },
        &["transaction"],
        &[CASH],
        true,
    ),
];

#[test]
fn tampering_is_found_and_other_accounts_stay_verified() {
    for (name, tamper, expected, unverified, zero) in CASES {
        let mut tampered = correct_book();
        tamper(&mut tampered);
        let result = audit(&tampered);
        assert_eq!(kinds(&result), expected, "{name}: {:#?}", result.findings);
        let changed: Vec<_> = unverified.iter().map(|account| (*account, false)).collect();
        assert_eq!(result.changed, changed, "{name}");
        assert_eq!(result.zero_sum, zero, "{name}");
        assert_eq!(result.balances_match, unverified.is_empty(), "{name}");
    }
}

#[test]
fn finding_shows_period_and_sums() {
    let mut tampered = correct_book();
    tampered.days[0].sums = credit(149);
    let result = audit(&tampered);
    let day = result.findings.all().next().unwrap();
    let texts = (day.period.as_deref(), day.expected.as_str(), day.actual.as_str());
    let expected = (Some("2025-01-31"), "debit 0.00, credit 1.50", "debit 0.00, credit 1.49");
    assert_eq!(texts, expected);
}

#[test]
fn accounts_have_numbers_of_entries() {
    let book = correct_book();
    let mut recount = Recount::new("book", 2, 2, book.stored.iter().copied());
    book.records.iter().for_each(|record| recount.add_transaction(record));
    assert_eq!(recount.accounts().collect::<Vec<_>>(), [(CASH, 2), (FOOD, 1), (RENT, 1)]);
}

#[test]
fn contradictions_are_findings() {
    type Tamper = fn(&mut AuditedTransaction);
    let contradictions: [(Tamper, &str); 6] = [
        (|r| r.standing = None, "unknown standing"),
        (|r| r.dated = false, "posted without date"),
        (|r| r.amount = None, "posted without amount"),
        (|r| r.amount = Some(-100), "amount is not positive"),
        (|r| r.debit = None, "posted without debitAccount"),
        (|r| r.debit = Some(CASH), "same account on both sides"),
    ];
    for (tamper, expected) in contradictions {
        let mut tampered = correct_book();
        tamper(&mut tampered.records[0]);
        let result = audit(&tampered);
        let found = result
            .findings
            .all()
            .find(|finding| finding.kind == FindingKind::Transaction)
            .map(|finding| finding.actual.as_str());
        assert_eq!(found, Some(expected));
        assert!(result.changed.contains(&(CASH, false)), "{expected}");
    }
    // A draft may have no fields.
    let mut draft = correct_book();
    draft.records.push(AuditedTransaction {
        index_terms_found: 0,
        standing: Some(Standing::Draft),
        dated: false,
        amount: None,
        credit: None,
        debit: None,
        ..record(12, 1, FOOD)
    });
    assert_eq!(audit(&draft).findings.count(), 0);
}

#[test]
fn correct_account_is_verified_again() {
    let mut book = correct_book();
    book.stored[1].verified = false;
    assert_eq!(audit(&book).changed, [(FOOD, true)]);
}

#[test]
fn findings_are_limited_and_counted() {
    let mut findings = Findings::default();
    for number in 0..100 {
        findings.add(Finding::new(FindingKind::Balance, number.to_string(), "", ""));
    }
    let mut all = Findings::default();
    all.add(Finding::new(FindingKind::Count, "book", "1", "2"));
    all.extend(findings);
    assert_eq!((all.count(), all.all().count()), (101, MAX_PER_KIND + 1));
    let first = all.all().next().map(|finding| finding.kind);
    assert_eq!(first, Some(FindingKind::Balance), "the most serious kind first");
}

fn key() -> BookKey {
    BookKey::new("book".to_owned())
}

fn chain(count: usize) -> (Vec<Event>, Head) {
    let key = key();
    let events = (1..=count).map(|number| {
        NewEvent::new(EventType::AccountCreated, i64::try_from(number).unwrap(), Object::new())
    });
    origin(&key).append(Head::default(), events.collect())
}

fn check_chain(events: &[Event], head: Head) -> Vec<(&'static str, String)> {
    let key = key();
    let mut chain = ChainCheck::new(&key);
    events.iter().for_each(|event| {
        chain.check_next(&AuditedEvent { sequence: event.sequence, event: Some(event.clone()) })
    });
    chain.check_head(Some(head));
    chain
        .into_findings()
        .all()
        .map(|finding| (finding.kind.as_str(), finding.resource.clone()))
        .collect()
}

fn at(kind: &'static str, number: i64) -> (&'static str, String) {
    (kind, format!("{number:012x}book"))
}

#[test]
fn breaks_of_the_chain_are_found() {
    let (events, head) = chain(6);
    assert_eq!(check_chain(&events, head), []);
    assert_eq!(check_chain(&[], Head::default()), []);

    let mut forged = events.clone();
    forged[2].data = r#"{"object":{"name":"forged"}}"#.to_owned();
    assert_eq!(check_chain(&forged, head), [at("event", 3)]);

    let mut swapped = events.clone();
    (swapped[1].hash, swapped[4].hash) = (events[4].hash, events[1].hash);
    assert_eq!(check_chain(&swapped, head), [2, 3, 5, 6].map(|number| at("event", number)));

    let mut gap = events.clone();
    gap.drain(2..4);
    assert_eq!(check_chain(&gap, head), [at("eventMissing", 3)]);
    assert_eq!(check_chain(&events[1..], head), [at("eventMissing", 1)]);
    assert_eq!(check_chain(&events[..4], head), [at("eventMissing", 5)]);

    let mut twice = events.clone();
    twice.insert(4, events[2].clone());
    assert_eq!(check_chain(&twice, head), [at("event", 3)]);

    assert_eq!(check_chain(&events, Head { sequence: 5, ..head }), [at("eventHead", 6)]);
    assert_eq!(check_chain(&events, Head { hash: Hash::ZERO, ..head }), [at("eventHead", 6)]);
}

#[test]
fn invalid_event_row_is_a_finding() {
    let (events, head) = chain(3);
    let key = key();
    let mut chain = ChainCheck::new(&key);
    for event in &events {
        chain.check_next(&AuditedEvent {
            sequence: event.sequence,
            event: (event.sequence != 2).then(|| event.clone()),
        });
    }
    chain.check_head(Some(head));
    assert_eq!((chain.sequence(), chain.checked()), (3, 3));
    assert_eq!(
        chain.into_findings().all().map(|finding| finding.kind).collect::<Vec<_>>(),
        [FindingKind::Event]
    );
}
