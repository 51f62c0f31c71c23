//! The invariants of every book (behaviour 5.12, 5.16, 6.10, 8.15). After any sequence of valid and
//! invalid requests, balances sum to zero and equal the sums of the listed transactions, events are
//! gapless and chained, and refused requests change nothing.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use daybook_domain::account::{Account, AccountRef, AccountType};
use daybook_domain::balance::{AccountBalances, Sums};
use daybook_domain::book::Book;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::id::AccountId;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Standing, Transaction, Verb};
use daybook_service::transaction::{CreateMode, Request, VerbRequest};
use daybook_service::{Context, Error, Ids, account, balance, book, event, transaction, user};
use daybook_storage::{Address, Options, ShardKey, Store, Tx};
use daybook_tests::rng::Rng;
use daybook_tests::{Engine, Server, unique};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![any_sequence_of_requests_keeps_the_laws]
}

const NOW: Instant = Instant::new(1_763_000_000_000);
/// The last account does not exist initially.
const NAMES: [&str; 7] = ["Cash", "Bank", "Loan", "Salary", "Food", "Rent", "Nowhere"];
/// Sums of the large ones exceed 64 bits; the last seven are missing, round to zero or are refused.
const AMOUNTS: [&str; 12] = [
    "1",
    "12.50",
    "0.01",
    "1234.567",
    "92233720368547758.07",
    "0",
    "",
    "0.0000000001",
    "-1",
    "abc",
    "1e30",
    "1,2",
];
const TEXTS: [&str; 6] = ["", "plain", "#food", "#Food and #home", "#home", "x#food,#food"];
/// The words of quick entries (3.8).
const WORDS: [&str; 12] = [
    "Cash",
    "bank",
    "LOAN",
    "salary",
    "Nowhere",
    "12.50",
    "92233720368547758.08",
    "0",
    "01/02/2025",
    "4x",
    "#food",
    "-#home",
];
const TAGS: [&[&str]; 4] = [&[], &["food"], &["home"], &["food", "home"]];
const VERBS: [Verb; 6] =
    [Verb::Post, Verb::Update, Verb::Check, Verb::Uncheck, Verb::Trash, Verb::Untrash];

type Work = Box<dyn FnOnce(&mut Tx<'_>, &Context, &str) -> Result<(), Error> + Send>;
/// Movements, debit and credit, by account and slice.
type Movements = BTreeMap<(AccountId, i32), (i128, i128)>;

struct Bench {
    store: Store,
    cx: Context,
    book: String,
}

/// The state that a request may change.
#[derive(PartialEq, Debug)]
struct State {
    transactions: Vec<Transaction>,
    accounts: Vec<Account>,
    book: Book,
    posted: i64,
}

fn any_sequence_of_requests_keeps_the_laws(engine: Engine) {
    let server = Server::start(engine);
    let address =
        Address::parse(server.database_url()).expect("the harness knows the form of URLs");
    let store = Store::open(&Options::new(address)).expect("the store opens");
    let ids = Arc::new(Ids::new(8));
    let (email, minted) =
        (Email::stored(format!("{}@example.com", unique("laws"))), Arc::clone(&ids));
    let user = store
        .write(ShardKey::NO_BOOK, move |tx| user::sign_in(tx, &email, &minted, NOW))
        .expect("a user");
    let mut bench =
        Bench { store, cx: Context::new(Arc::new(user), NOW, ids), book: String::new() };
    let books = if engine == Engine::Sqlite { 30 } else { 6 };
    for seed in 0..books {
        let mut rng = Rng::new(seed);
        bench.found(&mut rng);
        let (mut state, mut events) = (bench.state(), bench.check(&bench.state()));
        for step in 0..60 {
            let (name, work) = request(&mut rng, &state);
            // A failure reports the seed and the request.
            (state, events) = catch_unwind(AssertUnwindSafe(|| bench.step(work, &state, events)))
                .unwrap_or_else(|panic| {
                    eprintln!("{engine}: the laws broke at seed {seed}, step {step}: {name}");
                    resume_unwind(panic)
                });
        }
    }
}

impl Bench {
    fn found(&mut self, rng: &mut Rng) {
        let (name, auto_post) = (Some("Laws".to_owned()), Some(rng.below(3) > 0));
        let changes = daybook_domain::book::Changes { name, auto_post, ..Default::default() };
        let accounts = NAMES[..6]
            .iter()
            .zip(AccountType::ALL.iter().cycle())
            .map(|(name, kind)| named(name, *kind))
            .collect();
        let (input, cx) = (book::Input { changes, accounts, groups: Vec::new() }, self.cx.clone());
        let view = self
            .store
            .write(ShardKey::NO_BOOK, move |tx| book::create(tx, &cx, input))
            .expect("a book");
        self.book = view.access.book().key.as_str().to_owned();
    }

    /// Runs a request and compares the state before and after.
    fn step(&self, work: Work, before: &State, count: usize) -> (State, usize) {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        let outcome =
            self.store.write(ShardKey::of_book(&self.book), move |tx| work(tx, &cx, &book));
        let state = self.state();
        let events = self.check(&state);
        if let Err(error) = outcome {
            assert!(!matches!(error, Error::Storage(_)), "not a refusal: {error}");
            assert_eq!(
                (&state, events),
                (before, count),
                "refused ({error}), but something changed"
            );
        }
        // Other changes, such as a new scale, may change amounts and totals together.
        let touched = |now: &Transaction| {
            !before
                .transactions
                .iter()
                .any(|old| old.id == now.id && old.stamp.version == now.stamp.version)
        };
        assert!(
            state.transactions.iter().all(|now| touched(now) || before.transactions.contains(now)),
            "changed without a version"
        );
        assert_eq!(
            state != *before,
            events > count,
            "8.1: events record changes and nothing else; {count} became {events}"
        );
        (state, events)
    }

    fn state(&self) -> State {
        let read = |tx: &mut Tx<'_>| {
            let mut transactions = Vec::new();
            for query in ["", "is:trashed"] {
                let request = Request {
                    query: query.into(),
                    limit: Some(1000),
                    after: None,
                    requested_at: None,
                };
                let listed = transaction::list(tx, &self.cx, &self.book, &request)?;
                assert!(listed.next.is_none(), "more transactions than a page takes");
                transactions.extend(listed.view.transactions);
            }
            let accounts = account::list(tx, &self.cx, &self.book)?.accounts;
            let view = book::get(tx, &self.cx, &self.book, false, false)?;
            Ok::<_, Error>(State {
                transactions,
                accounts,
                book: view.access.book().clone(),
                posted: view.counters.posted,
            })
        };
        self.store.read(read).expect("the state of the book")
    }

    /// Checks the invariants and counts the events.
    fn check(&self, state: &State) -> usize {
        let counting = state.transactions.iter().filter(|transaction| counts(transaction));
        assert_eq!(
            usize::try_from(state.posted).ok(),
            Some(counting.count()),
            "6.10: the number of postings"
        );
        for tags in TAGS {
            ["y", "m", "d"].into_iter().for_each(|by| self.check_balances(state, tags, by));
        }
        self.check_events()
    }

    fn check_balances(&self, state: &State, tags: &[&str], by: &str) {
        let text = tags.iter().map(|tag| format!("#{tag} ")).collect::<String>() + "by:" + by;
        let view = self
            .store
            .read(|tx| balance::get(tx, &self.cx, &self.book, &text.clone().into()))
            .expect("balances");
        let accounts = view.balances.accounts.expect("no account is in a group");
        let sum: i128 = accounts.iter().map(|account| account.amounts.cumulative.balance()).sum();
        assert_eq!(sum, 0, "5.16: {text}");
        let expected = movements(state, tags, by);
        let mut totals = Movements::new();
        for ((account, _), (debit, credit)) in &expected {
            let total = totals.entry((*account, 0)).or_default();
            *total = (total.0 + debit, total.1 + credit);
        }
        let sides = |sums: Sums| (sums.debit, sums.credit);
        let moved = |(_, sums): &(_, (i128, i128))| *sums != (0, 0);
        let found = accounts
            .iter()
            .map(|account| ((account.account, 0), sides(account.amounts.cumulative)))
            .filter(moved);
        assert_eq!(found.collect::<Movements>(), totals, "5.5: totals of {text}");
        let slices = |account: &AccountBalances| {
            let id = account.account;
            account
                .series
                .iter()
                .map(move |slice| ((id, slice.fuzzy_date()), sides(slice.amounts.period)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            accounts.iter().flat_map(slices).filter(moved).collect::<Movements>(),
            expected,
            "5.5: series of {text}"
        );
    }

    fn check_events(&self) -> usize {
        let (mut below, mut events) = (None, Vec::new());
        while events.is_empty() || below.is_some() {
            let request = event::Request { limit: Some(200), below, ..event::Request::default() };
            let view = self
                .store
                .read(|tx| event::list(tx, &self.cx, &self.book, &request))
                .expect("events");
            events.extend(view.events.into_iter().map(|read| read.event));
            below = view.next;
        }
        let (key, mut previous) = (
            daybook_domain::id::BookKey::new(self.book.clone()),
            daybook_domain::event::Hash::ZERO,
        );
        for (event, number) in events.iter().rev().zip(1..) {
            assert_eq!(event.sequence, number, "8.15: numbered without gaps");
            assert_eq!(
                event.hash,
                event.hash_after(&previous, &key),
                "8.15: event {number} is chained to its predecessor"
            );
            previous = event.hash;
        }
        events.len()
    }
}

/// The balances computed from the listed transactions.
fn movements(state: &State, tags: &[&str], by: &str) -> Movements {
    let mut movements = Movements::new();
    for transaction in state.transactions.iter().filter(|transaction| counts(transaction)) {
        if tags
            .iter()
            .any(|tag| !transaction.tags().iter().any(|carried| carried.to_lowercase() == *tag))
        {
            continue;
        }
        let day = transaction.date_value().expect("a posted transaction has a date");
        let length = if by == "y" {
            10_000
        } else if by == "m" {
            100
        } else {
            1
        };
        let slice = day - day % length;
        let units = transaction
            .amount
            .and_then(|amount| amount.units(state.book.scale))
            .map(i128::from)
            .expect("a posting has an amount");
        movements.entry((transaction.debit.expect("a destination"), slice)).or_default().0 += units;
        movements.entry((transaction.credit.expect("an origin"), slice)).or_default().1 += units;
    }
    movements
}

/// Posted and not trashed, spelled out, so that the test does not rely on the function under test.
fn counts(transaction: &Transaction) -> bool {
    transaction.standing != Standing::Draft && !transaction.trashed
}

fn named(name: &str, kind: AccountType) -> account::Input {
    let changes = daybook_domain::account::Changes {
        name: Some(name.to_owned()),
        kind: Some(kind),
        ..Default::default()
    };
    account::Input { changes, groups: Field::Keep }
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[usize::try_from(rng.below(from.len() as u64)).expect("a small number")].clone()
}

/// Draws a request: usually about transactions, sometimes about what they depend on.
fn request(rng: &mut Rng, state: &State) -> (String, Work) {
    let unrestricted = rng.below(3) == 0;
    match rng.below(22) {
        20 => {
            let items: Vec<Changes> = (0..if unrestricted { rng.below(4) } else { 2 })
                .map(|_| edit(rng, state, unrestricted))
                .collect();
            (
                format!("merge {items:?}"),
                Box::new(move |tx, cx, book| transaction::merge(tx, cx, book, items).map(drop)),
            )
        }
        21 => {
            let text: Vec<&str> = (0..rng.below(6)).map(|_| pick(rng, &WORDS)).collect();
            let item = Changes {
                description: Field::Set(text.join(" ")),
                draft: rng.below(6) == 0,
                ..Changes::default()
            };
            let recording = CreateMode { single: true, ..Intent::Create.into() };
            (
                format!("{item:?}"),
                Box::new(move |tx, cx, book| {
                    transaction::create(tx, cx, book, vec![item], recording).map(drop)
                }),
            )
        }
        roll if roll < 6 || (state.transactions.is_empty() && !unrestricted) => {
            let count = if rng.below(3) > 0 { 1 } else { rng.below(5) };
            let items: Vec<Changes> = (0..count).map(|_| draft(rng, unrestricted)).collect();
            let intent = if rng.below(4) == 0 { Intent::Post } else { Intent::Create };
            (
                format!("{intent:?} {items:?}"),
                Box::new(move |tx, cx, book| {
                    transaction::create(tx, cx, book, items, intent).map(drop)
                }),
            )
        }
        6..16 => {
            let (verb, batch) = (pick(rng, &VERBS), rng.below(2) == 0);
            let order = if batch {
                VerbRequest::batch(verb, rng.below(2) == 0)
            } else {
                VerbRequest::single(verb)
            };
            let count = if batch { rng.below(6) } else { 1 };
            let items: Vec<Changes> = (0..count).map(|_| edit(rng, state, unrestricted)).collect();
            (
                format!("{order:?} {items:?}"),
                Box::new(move |tx, cx, book| {
                    transaction::perform(tx, cx, book, order, items).map(drop)
                }),
            )
        }
        16 => {
            let mut changes = daybook_domain::book::Changes::default();
            match rng.below(4) {
                0 => changes.lock_date = Field::Clear,
                1 => changes.fraction_digits = Some(pick(rng, &[0, 1, 2, 3, 4])),
                2 => changes.auto_post = Some(rng.below(2) == 0),
                _ => changes.lock_date = Field::Set(date(rng, unrestricted)),
            }
            (
                format!("{changes:?}"),
                Box::new(move |tx, cx, book| book::update(tx, cx, book, changes).map(drop)),
            )
        }
        17 | 18 => {
            let mut input = named(pick(rng, &NAMES), pick(rng, &AccountType::ALL));
            input.changes.archived = Some(rng.below(3) == 0);
            let work = if rng.below(2) == 0 { account::update } else { account::create };
            (
                format!("{input:?}"),
                Box::new(move |tx, cx, book| work(tx, cx, book, vec![input]).map(drop)),
            )
        }
        _ => {
            let reference =
                AccountRef::id_or_name(pick(rng, if unrestricted { &NAMES } else { &NAMES[4..6] }));
            (
                format!("delete {reference:?}"),
                Box::new(move |tx, cx, book| account::delete(tx, cx, book, &[reference]).map(drop)),
            )
        }
    }
}

fn date(rng: &mut Rng, unrestricted: bool) -> String {
    if unrestricted && rng.below(4) == 0 {
        return pick(rng, &["", "2025-02-30", "yesterday"]).to_owned();
    }
    format!("{}-{:02}-{:02}", 2024 + rng.below(3), 1 + 3 * rng.below(4), 1 + rng.below(3))
}

/// Only unrestricted requests are invalid in every book, because one invalid item refuses the whole
/// batch.
fn draft(rng: &mut Rng, unrestricted: bool) -> Changes {
    let mut side = |names: &[&str]| match rng.below(10) {
        0 if unrestricted => Field::Set(AccountRef { id: Some("999".to_owned()), name: None }),
        1 if unrestricted => Field::Clear,
        _ => Field::Set(AccountRef { id: None, name: Some(pick(rng, names).to_owned()) }),
    };
    // The accounts differ, except in unrestricted requests.
    let (credit, debit) = if unrestricted {
        (side(&NAMES), side(&NAMES))
    } else {
        (side(&NAMES[..2]), side(&NAMES[2..4]))
    };
    Changes {
        date: Field::Set(date(rng, unrestricted)),
        amount: Field::Set(
            pick(rng, if unrestricted { &AMOUNTS } else { &AMOUNTS[..5] }).to_owned(),
        ),
        description: Field::Set(pick(rng, &TEXTS).to_owned()),
        credit,
        debit,
        checked: rng.below(6) == 0,
        draft: rng.below(6) == 0,
        remote_ids: (rng.below(4) == 0)
            .then(|| vec![pick(rng, &["r1", "r2", "r3", "r4"]).to_owned()]),
        round_trip: rng.below(8) == 0,
        ..Changes::default()
    }
}

/// Some fields of a draft, for a transaction of the book or, in unrestricted requests, an unknown
/// one.
fn edit(rng: &mut Rng, state: &State, unrestricted: bool) -> Changes {
    let id = if state.transactions.is_empty() || (unrestricted && rng.below(5) == 0) {
        pick(rng, &[None, Some("unknown"), Some("")]).map(str::to_owned)
    } else {
        Some(pick(rng, &state.transactions).id.to_string())
    };
    let mut item = Changes { id, ..draft(rng, unrestricted) };
    for field in [&mut item.date, &mut item.amount, &mut item.description] {
        match rng.below(8) {
            0..4 => *field = Field::Keep,
            4 if unrestricted => *field = Field::Clear,
            _ => {}
        }
    }
    if rng.below(2) == 0 {
        (item.credit, item.debit) = (Field::Keep, Field::Keep);
    }
    item
}
