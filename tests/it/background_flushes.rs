//! Rows of long batches that are flushed while the next work runs: what comes after sees them, and
//! nobody is answered for what was not written.

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
        what_follows_a_long_batch_sees_it,
        a_long_batch_that_is_refused_leaves_nothing,
        a_flush_that_fails_is_acknowledged_to_nobody,
    ]
}

/// So many that they are flushed when the next unit of work of the group begins, or, where a batch
/// is alone, while it goes on.
const LONG: usize = 1_000;

type Work = Box<dyn FnOnce(&mut Tx<'_>) -> Result<View, Error> + Send>;

/// Creates transactions with remote ids made of this name.
fn batch(cx: &Context, book: &str, name: &str, length: usize) -> Work {
    let item = |number: usize| Changes {
        remote_ids: Some(vec![format!("{name}-{number}")]),
        ..draft(&format!("{name} {number}"))
    };
    let (cx, book) = (cx.clone(), book.to_owned());
    let items: Vec<Changes> = (0..length).map(item).collect();
    Box::new(move |tx| transaction::create(tx, &cx, &book, items, Intent::Create))
}

fn what_follows_a_long_batch_sees_it(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let of = |name: &str, length: usize| batch(&bench.cx, &bench.book, name, length);
    let release = bench.occupy();
    let first = bench.submit(of("first", LONG));
    // Its savepoint stands behind the rows that are being flushed when it begins.
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
        assert_eq!(refusal.alone().to_string(), "id is required");
    }
    let expected = 100 * i128::try_from(2 * LONG).expect("few");
    assert_eq!(sum.recv().expect("an answer").expect("balances"), expected);
    for later in [second, third] {
        assert_eq!(later.recv().expect("an answer").expect("a write").transactions.len(), LONG);
    }
    bench.check_recorded(3 * LONG);
}

fn a_long_batch_that_is_refused_leaves_nothing(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    // Alone it is undone with its database transaction, and with its flush.
    let queued = batch(&bench.cx, &bench.book, "alone", LONG);
    let refused = bench.refused_after(|tx, _, _| queued(tx).map(drop));
    let refusal = refused.recv().expect("an answer").expect_err("an id is required");
    assert_eq!(refusal.alone().to_string(), "id is required");
    bench.check_recorded(0);
    let kept = bench.submit(batch(&bench.cx, &bench.book, "kept", LONG));
    kept.recv().expect("an answer").expect("a write");
    bench.check_recorded(LONG);
}

fn a_flush_that_fails_is_acknowledged_to_nobody(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.submit(bench.creation("before")).recv().expect("an answer").expect("a write");
    // Another source of the same ids: that of the first transaction is taken.
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
    // On a machine that does much else, the last of them are a group of their own.
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
