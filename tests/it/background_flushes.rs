//! Long batches are flushed in the background while the next unit of work runs. Later units must
//! see their rows, and no write is acknowledged before its rows are written.

use std::sync::Arc;

use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{self, VerbRequest, View};
use daybook_service::{Context, Error, Ids};
use daybook_storage::Tx;
use daybook_tests::Engine;

use crate::Case;
use crate::store::{Bench, draft};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        later_writes_see_a_batch_in_flight,
        refused_long_batch_leaves_no_rows,
        failed_flush_fails_its_whole_group,
    ]
}

/// Long enough for a background flush, also when the batch is alone in its group.
const LONG: usize = 1_000;

type Work = Box<dyn FnOnce(&mut Tx<'_>) -> Result<View, Error> + Send>;

/// Creates transactions with remote ids that begin with this name.
fn batch(cx: &Context, book: &str, name: &str, length: usize) -> Work {
    let item = |number: usize| Changes {
        remote_ids: Some(vec![format!("{name}-{number}")]),
        ..draft(&format!("{name} {number}"))
    };
    let (cx, book) = (cx.clone(), book.to_owned());
    let items: Vec<Changes> = (0..length).map(item).collect();
    Box::new(move |tx| transaction::create(tx, &cx, &book, items, Intent::Create))
}

fn later_writes_see_a_batch_in_flight(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let of = |name: &str, length: usize| batch(&bench.cx, &bench.book, name, length);
    let release = bench.occupy();
    let first = bench.submit(of("first", LONG));
    // Its savepoint is set while rows are still being flushed.
    let in_place = bench.refused_after(|tx, cx, book| {
        let made = transaction::create(tx, cx, book, vec![draft("in place")], Intent::Create)?;
        let item = Changes { id: Some(made.transactions[0].id.to_string()), ..Changes::default() };
        let verb = VerbRequest::single(Verb::Check);
        transaction::perform(tx, cx, book, verb, vec![item]).map(drop)
    });
    let queued = of("refused", LONG);
    let refused = bench.refused_after(|tx, _, _| queued(tx).map(drop));
    let second = bench.submit(of("second", LONG));
    let again = bench.submit(of("first", 2));
    let sum = bench.submit(bench.credited());
    let third = bench.submit(of("third", LONG));
    release.send(()).expect("the writer waits");
    let ids = |view: View| view.transactions.iter().map(|made| made.id).collect::<Vec<_>>();
    let first = ids(first.recv().expect("an answer").expect("a write"));
    let again = ids(again.recv().expect("an answer").expect("a write"));
    assert_eq!(again, first[..2], "3.7.2: duplicates are answered with what is there");
    for refused in [in_place, refused] {
        let refusal = refused.recv().expect("an answer").expect_err("an id is required");
        assert_eq!(refusal.without_index().to_string(), "id is required");
    }
    let expected = 100 * i128::try_from(2 * LONG).expect("few");
    assert_eq!(sum.recv().expect("an answer").expect("balances"), expected);
    for later in [second, third] {
        assert_eq!(later.recv().expect("an answer").expect("a write").transactions.len(), LONG);
    }
    bench.check_recorded(3 * LONG);
}

fn refused_long_batch_leaves_no_rows(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // Alone in its group, it is rolled back with the database transaction and the flush.
    let queued = batch(&bench.cx, &bench.book, "alone", LONG);
    let refused = bench.refused_after(|tx, _, _| queued(tx).map(drop));
    let refusal = refused.recv().expect("an answer").expect_err("an id is required");
    assert_eq!(refusal.without_index().to_string(), "id is required");
    bench.check_recorded(0);
    let second = bench.submit(batch(&bench.cx, &bench.book, "second", LONG));
    second.recv().expect("an answer").expect("a write");
    bench.check_recorded(LONG);
}

fn failed_flush_fails_its_whole_group(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.submit(bench.creation("before")).recv().expect("an answer").expect("a write");
    // The same source of ids again: the id of the first transaction is taken.
    let model = Context { ids: Arc::new(Ids::new(7)), ..bench.cx.clone() };
    let is_unavailable = |answer: &Result<View, Error>| {
        matches!(answer, Err(Error::Storage(daybook_storage::Error::Unavailable(_))))
    };
    let release = bench.occupy();
    let lost = bench.submit(batch(&model, &bench.book, "taken", LONG));
    let beside: Vec<_> =
        (0..3).map(|_| bench.submit(Box::new(bench.creation("beside")) as Work)).collect();
    release.send(()).expect("the writer waits");
    let lost = lost.recv().expect("an answer");
    assert!(is_unavailable(&lost), "{lost:?}");
    let beside = beside.into_iter().map(|answer| answer.recv().expect("an answer"));
    // On a busy machine, the last writes may form a group of their own.
    let (kept, lost): (Vec<_>, Vec<_>) = beside.partition(Result::is_ok);
    assert!(lost.iter().all(is_unavailable), "a group is lost as a whole: {lost:?}");
    bench.check_recorded(1 + kept.len());
    let model = Context { ids: Arc::new(Ids::new(7)), ..bench.cx.clone() };
    let alone = bench.submit(batch(&model, &bench.book, "taken", LONG));
    let alone = alone.recv().expect("an answer");
    let is_refused = |answer: &Result<View, Error>| {
        matches!(answer, Err(Error::Storage(daybook_storage::Error::UniqueViolation(_))))
    };
    assert!(is_refused(&alone), "0.43: the same write fails again: {alone:?}");
    bench.check_recorded(1 + kept.len());
    bench.submit(bench.creation("after")).recv().expect("an answer").expect("the writer goes on");
    bench.check_recorded(2 + kept.len());
}
