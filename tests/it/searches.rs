//! Searches from inside: random queries compared with the model (1.1 - 1.4, 2.4, 2.6), and the
//! trigram index, which must not change any result.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::id::TransactionId;
use daybook_domain::instant::Instant;
use daybook_domain::query::{ParseContext, Query};
use daybook_domain::transaction::{Changes, Verb};
use daybook_service::transaction::{Request, explain};
use daybook_service::{Ids, account, book, group};
use daybook_storage::{Address, Options, Store};
use daybook_tests::Engine;
use daybook_tests::RawSql;
use daybook_tests::rng::Rng;
use daybook_tests::sim::Oracle;

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::{Inside, only, side};
use crate::search_queries::{ACCOUNTS, GROUPS, query, retold, transaction};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_hundred_random_queries_find_what_the_model_finds,
        pages_are_stable_while_others_write,
        missing_chunks_are_indexed_at_start,
        rule_6_10_a_new_zone_counts_anew,
        rule_1_1_10_a_group_of_many_is_asked_for_twice,
        rule_1_7_3_long_texts_are_not_indexed_and_found,
    ]
}

pub fn nightly() -> Vec<Case> {
    crate::isolated![a_thousand_random_queries_find_what_the_model_finds]
}

/// 2025-05-20T12:00:00Z, the day of the examples of behaviour 1.6.
const TODAY: Instant = Instant::new(1_747_742_400_000);
const DAY: i64 = 86_400_000;
const ZONE: &str = "America/Sao_Paulo";

fn settings() -> daybook_domain::book::Changes {
    daybook_domain::book::Changes { time_zone: Some(ZONE.to_owned()), ..Default::default() }
}

fn reading(inside: &Inside) -> ParseContext {
    let view = inside
        .store
        .read(|tx| book::get(tx, &inside.cx, &inside.book, false, false))
        .expect("the book");
    let settings = view.access.book().settings.clone();
    ParseContext {
        today: inside.cx.today(view.access.book()),
        pattern: settings.date_pattern,
        separator: settings.decimal_separator,
    }
}

/// Waits until the index chunks are written, which happens in separate units of work.
fn wait_until_indexed(inside: &Inside) {
    let mut database = RawSql::open(&inside.server);
    let waiting = "UPDATE book_state SET unindexed = unindexed WHERE unindexed >= 4096";
    eventually("chunks are indexed", || database.execute(waiting) == 0);
}

/// A book with more than one chunk of the text index, with every kind of change after indexing.
fn random_book(engine: Engine, seed: u64) -> Inside {
    let mut inside =
        Inside::new(engine, Instant::new(TODAY.milliseconds() - 200 * DAY), settings());
    inside.chart(&GROUPS, &ACCOUNTS);
    let mut rng = Rng::new(seed);
    let mut made = Vec::new();
    for part in 0..9 {
        // Posted at different times of different days, some of them through an agent.
        inside.cx.now = Instant::new(inside.cx.now.milliseconds() + 20 * DAY + 5_000_000 * part);
        inside.cx.agent = (part % 3 == 1).then(|| "bot".to_owned());
        made.extend(
            inside
                .record((0..550).map(|index| transaction(&mut rng, made.len() + index)).collect()),
        );
    }
    wait_until_indexed(&inside);
    inside.cx.now = TODAY;
    // Two comments on some; those on every third of them are deleted.
    for (at, id) in made.iter().step_by(35).enumerate() {
        let of = id.to_string();
        let comments = (0..2).map(|_| inside.comment(&of)).collect::<Vec<_>>();
        comments.iter().filter(|_| at % 3 == 0).for_each(|one| inside.delete_comment(&of, one));
    }
    let some = |rng: &mut Rng, one_in: u64| {
        made.iter().filter(|_| rng.below(one_in) == 0).copied().map(only).collect::<Vec<Changes>>()
    };
    inside.perform(Verb::Trash, &some(&mut rng, 12));
    inside.perform(Verb::Untrash, &some(&mut rng, 40));
    inside.perform(Verb::Post, &some(&mut rng, 30));
    let mut changed = some(&mut rng, 50);
    changed.iter_mut().for_each(|changes| changes.description = retold(&mut rng));
    changed
        .iter_mut()
        .step_by(3)
        .for_each(|changes| changes.date = Field::Set("2024-07-04".to_owned()));
    inside.perform(Verb::Update, &changed);
    // Another process with a clock that is behind: its ids lie among the indexed ones.
    inside.cx.ids = Arc::new(Ids::new(3));
    inside.cx.now = Instant::new(TODAY.milliseconds() - 170 * DAY);
    inside.record((0..40).map(|index| transaction(&mut rng, 10_000 + index)).collect());
    inside.cx.now = TODAY;
    inside
}

/// The same book in the model. Also the ids of its transactions in the order of their creation,
/// by which the model names them.
fn oracle(inside: &Inside) -> (Oracle, Vec<TransactionId>) {
    let (accounts, groups) = inside
        .store
        .read(|tx| {
            let accounts = account::list(tx, &inside.cx, &inside.book)?.accounts;
            let groups = group::list(tx, &inside.cx, &inside.book)?.groups;
            Ok::<_, daybook_service::Error>((accounts, groups))
        })
        .expect("the chart");
    let user = &inside.cx.user;
    let today = "2025-05-20".parse().expect("a day");
    let mut oracle = Oracle::new(ZONE, today, user.username.as_str(), user.email.as_str());
    for (name, parent) in GROUPS {
        oracle.group(name, parent);
    }
    let group_name = |id| groups.iter().find(|group| group.id == id).map(|one| one.name.as_str());
    for account in &accounts {
        let groups = account.groups.iter().filter_map(|id| group_name(*id));
        oracle.account(account.name.as_str(), account.kind, account.archived, groups);
    }
    let account_name = |id| {
        let found = accounts.iter().find(|account| Some(account.id) == id);
        found.map(|account| account.name.as_str())
    };
    let mut rows = inside.all("is:posted is:draft is:trashed", 1000);
    rows.sort_by_key(|row| (row.stamp.created_at, row.id));
    for row in &rows {
        oracle.transaction(row, account_name(row.credit), account_name(row.debit));
    }
    (oracle, rows.into_iter().map(|row| row.id).collect())
}

/// The differences between a page and a count and the model.
fn difference(
    inside: &Inside,
    text: &str,
    limit: usize,
    expected: &[TransactionId],
) -> Option<String> {
    // A small page of a long list tests nothing more than its beginning.
    let (mut found, mut request) = (
        Vec::new(),
        Request { query: text.into(), limit: Some(limit), after: None, requested_at: None },
    );
    for _ in 0..4 {
        let page = inside.list(&request);
        found.extend(page.view.transactions.iter().map(|row| row.id));
        request.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    let whole = request.after.is_none();
    let cut = if whole { expected.len() } else { expected.len().min(4 * limit) };
    if found != expected[..cut]
        || (whole && found.len() != expected.len())
        || (!whole && found.len() >= expected.len())
    {
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        return Some(format!(
            "by {limit}: {} rows instead of {}, the first wrong at {wrong:?}",
            found.len(),
            cut
        ));
    }
    let count = inside.count(text);
    (usize::try_from(count) != Ok(expected.len()))
        .then(|| format!("counted {count} instead of {}", expected.len()))
}

fn a_hundred_random_queries_find_what_the_model_finds(engine: Engine) {
    random_queries_find_what_the_model_finds(engine, 100);
}

fn a_thousand_random_queries_find_what_the_model_finds(engine: Engine) {
    random_queries_find_what_the_model_finds(engine, 1_000);
}

/// `DAYBOOK_TEST_SEED` and `DAYBOOK_TEST_QUERIES` set the seed and the number of queries.
fn random_queries_find_what_the_model_finds(engine: Engine, count: u64) {
    let seed = daybook_tests::setting("DAYBOOK_TEST_SEED")
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_250_520);
    let count = daybook_tests::setting("DAYBOOK_TEST_QUERIES")
        .and_then(|count| count.parse().ok())
        .unwrap_or(count);
    let inside = random_book(engine, seed);
    let ((oracle, ids), reading) = (oracle(&inside), reading(&inside));
    assert_eq!(ids.len(), 9 * 550 + 40, "all that was recorded is listed");
    let expected = |text: &str| -> Vec<TransactionId> {
        let places = oracle.find(Query::parse(text, &reading).filter());
        places.into_iter().map(|place| ids[place]).collect()
    };
    let mut found = 0;
    for number in 0..count {
        let mut rng = Rng::new(seed ^ (number << 20));
        let mut pieces = query(&mut rng);
        let limit = [1, 7, 50, 50, 50, 50, 50, 1000]
            [usize::try_from(rng.below(8)).expect("a small number")];
        let wrong = |pieces: &[String]| {
            let text = pieces.join(" ");
            let run = catch_unwind(AssertUnwindSafe(|| {
                difference(&inside, &text, limit, &expected(&text))
            }));
            run.unwrap_or_else(|panic| {
                eprintln!("{engine}: seed {seed}, query {number}: `{text}`");
                resume_unwind(panic)
            })
        };
        let Some(mut what) = wrong(&pieces) else {
            found += usize::from(!expected(&pieces.join(" ")).is_empty());
            continue;
        };
        // Reduce to the shortest failing query.
        let mut index = 0;
        while index < pieces.len() {
            let mut fewer = pieces.clone();
            fewer.remove(index);
            match wrong(&fewer) {
                Some(still) => (pieces, what, index) = (fewer, still, 0),
                None => index += 1,
            }
        }
        panic!("{engine}: seed {seed}, query {number}: `{}`: {what}", pieces.join(" "));
    }
    assert!(
        found > usize::try_from(count / 3).expect("a small number"),
        "only {found} queries found anything: they show nothing"
    );
}

/// 2.4: reading all pages returns every row of the start exactly once, whatever is recorded
/// meanwhile.
fn pages_are_stable_while_others_write(engine: Engine) {
    let inside = Inside::new(engine, TODAY, settings());
    inside.chart(&GROUPS, &ACCOUNTS);
    let mut rng = Rng::new(4);
    inside.record((0..240).map(|number| transaction(&mut rng, number)).collect());
    let queries = [
        "",
        "account:Cash",
        "#food OR #fuel",
        "group:Costs",
        "payment",
        "is:draft",
        "-account:Food lunch",
    ];
    let before: Vec<Vec<_>> = queries
        .iter()
        .map(|query| inside.all(query, 1000).iter().map(|row| row.id).collect())
        .collect();
    let (done, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut rng = Rng::new(5);
            let mut number = 1000;
            while !done.load(Ordering::Relaxed) && number < 9000 {
                inside.record((0..5).map(|index| transaction(&mut rng, number + index)).collect());
                number += 5;
                written.store(number, Ordering::Relaxed);
            }
            number
        });
        // Once, or until another thread has written.
        loop {
            for (query, before) in queries.iter().zip(&before) {
                let walked: Vec<_> = inside.all(query, 3).iter().map(|row| row.id).collect();
                let old: Vec<_> = walked.iter().filter(|id| before.contains(id)).copied().collect();
                assert_eq!(
                    &old, before,
                    "2.4: `{query}`: the rows of the beginning, each once and in order"
                );
                let mut distinct = walked.clone();
                distinct.sort();
                distinct.dedup();
                assert_eq!(distinct.len(), walked.len(), "2.4: `{query}`: no row twice");
            }
            if written.load(Ordering::Relaxed) > 1010 || writer.is_finished() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(writer.join().expect("the writer") > 1010, "the writer wrote meanwhile");
    });
}

/// A chunk that was not indexed before the process ended is indexed at the next start.
fn missing_chunks_are_indexed_at_start(engine: Engine) {
    let inside = Inside::new(engine, TODAY, settings());
    inside.chart(&GROUPS, &ACCOUNTS);
    let mut rng = Rng::new(6);
    let mut items: Vec<Changes> = (0..4_100).map(|number| transaction(&mut rng, number)).collect();
    items[7].description = Field::Set("a zyzzyva for sure".to_owned());
    inside.record(items);
    wait_until_indexed(&inside);
    let rare =
        Request { query: "zyzzyva".into(), limit: Some(50), after: None, requested_at: None };
    let walks = |store: &Store| {
        let steps = store.read(|tx| explain(tx, &inside.cx, &inside.book, &rare)).expect("a plan");
        steps.iter().any(|step| {
            step.contains("trigram_blocks")
                || step.contains("SEARCH b USING PRIMARY KEY (book_id=? AND block=?)")
        })
    };
    let before: Vec<_> = inside.all(&rare.query.text, 1000);
    assert!(walks(&inside.store) && !before.is_empty());
    inside.execute(&[
        "DELETE FROM trigrams",
        "DELETE FROM trigram_blocks",
        "UPDATE book_state SET unindexed = 4100, indexed_chunks = 0, indexed_until_id = 0",
    ]);
    assert!(!walks(&inside.store), "without an index the book is passed by day");
    assert_eq!(inside.all(&rare.query.text, 1000), before);
    let address =
        Address::parse(inside.server.database_url()).expect("the harness knows the form of URLs");
    let repeated = Store::open(&Options::new(address)).expect("the store opens");
    assert!(walks(&repeated), "indexed before anyone is served");
    assert_eq!(inside.all(&rare.query.text, 1000), before);
}

/// 6.10: the postings of the month and the year, by the current time zone of the book.
fn rule_6_10_a_new_zone_counts_anew(engine: Engine) {
    // 2025-12-31T23:30:00Z: in Tokyo the year has begun.
    let late = Instant::new(1_767_223_800_000);
    let utc =
        daybook_domain::book::Changes { time_zone: Some("UTC".to_owned()), ..Default::default() };
    let mut inside = Inside::new(engine, Instant::new(late.milliseconds() - 40 * DAY), utc);
    inside.chart(&GROUPS, &ACCOUNTS);
    let posting = || Changes {
        date: Field::Set("2025-01-01".to_owned()),
        amount: Field::Set("5".to_owned()),
        credit: side("Cash"),
        debit: side("Food"),
        ..Changes::default()
    };
    inside.record(vec![posting()]);
    inside.cx.now = Instant::new(late.milliseconds() - 10 * DAY);
    inside.record(vec![posting(), posting()]);
    inside.cx.now = late;
    let last = inside.record(vec![posting(), posting(), posting(), posting()]);
    inside.perform(Verb::Trash, &[only(last[0])]);
    let totals = |inside: &Inside| {
        let view = inside
            .store
            .read(|tx| book::get(tx, &inside.cx, &inside.book, false, false))
            .expect("the book");
        let month = daybook_domain::calendar::month_number(inside.cx.today(view.access.book()));
        (view.counters.posted, view.counters.current(month))
    };
    assert_eq!(totals(&inside), (6, (5, 6)));
    let settle = |inside: &Inside, zone: &str| {
        let changes = daybook_domain::book::Changes {
            time_zone: Some(zone.to_owned()),
            ..Default::default()
        };
        let view =
            inside.write(move |tx, cx, id| book::update(tx, cx, id, changes)).expect("a new zone");
        let month = daybook_domain::calendar::month_number(inside.cx.today(view.access.book()));
        (view.counters.posted, view.counters.current(month))
    };
    assert_eq!(
        settle(&inside, "Asia/Tokyo"),
        (6, (3, 3)),
        "only the last ones were posted in 2026"
    );
    assert_eq!(totals(&inside), (6, (3, 3)), "and so it is stored");
    inside.perform(Verb::Trash, &[only(last[1])]);
    assert_eq!(totals(&inside), (5, (2, 2)), "trashing counts by the new zone");
    assert_eq!(settle(&inside, "UTC"), (5, (4, 5)));
    assert_eq!(settle(&inside, "America/Sao_Paulo"), (5, (4, 5)));
}

/// 1.1.10: each term names all groups below, on both sides, for each account of a page.
fn rule_1_1_10_a_group_of_many_is_asked_for_twice(engine: Engine) {
    let inside = Inside::new(engine, TODAY, settings());
    let below: Vec<String> = (0..150).map(|number| format!("Below {number}")).collect();
    let accounts: Vec<String> = (0..64).map(|number| format!("Account {number}")).collect();
    let groups: Vec<(&str, &str)> =
        std::iter::once(("A", "")).chain(below.iter().map(|name| (name.as_str(), "A"))).collect();
    let chart: Vec<(&str, AccountType, &[&str])> =
        accounts.iter().map(|name| (name.as_str(), AccountType::Asset, &["Below 7"][..])).collect();
    inside.chart(&groups, &chart);
    inside.record(vec![Changes {
        credit: side("Account 5"),
        debit: side("Account 6"),
        ..Changes::default()
    }]);
    for query in ["group:A", "group:A group:A", "group:A OR group:A"] {
        assert_eq!((inside.all(query, 10).len(), inside.count(query)), (1, 1), "`{query}`");
    }
}

/// A chunk of texts without common trigrams would write a million rows while other writes wait.
fn rule_1_7_3_long_texts_are_not_indexed_and_found(engine: Engine) {
    let inside = Inside::new(engine, TODAY, settings());
    let text = |number: u32| {
        (0..300)
            .filter_map(|place| char::from_u32(0x4e00 + (number * 300 + place) % 20_900))
            .collect::<String>()
    };
    let item = |text: String| Changes { description: Field::Set(text), ..Changes::default() };
    let mut made = inside.record((0..2_000).map(|number| item(text(number))).collect());
    made.extend(
        inside.record((0..2_100).map(|number| item(format!("short no{number}"))).collect()),
    );
    wait_until_indexed(&inside);
    // Now within an indexed chunk: one text becomes long, one short.
    let changed =
        [(made[3_000], format!("{} zyzzyva", text(9_999))), (made[5], "zyzzyva".to_owned())];
    inside.perform(
        Verb::Update,
        &changed.map(|(id, text)| Changes { description: Field::Set(text), ..only(id) }),
    );
    let mut found: Vec<_> = inside.all("zyzzyva", 50).iter().map(|row| row.id).collect();
    found.sort();
    assert_eq!(found, [made[5], made[3_000]]);
    let part: String = text(77).chars().skip(290).collect();
    assert!(
        inside.all(&part, 1000).iter().any(|row| row.id == made[77]),
        "the end of a long text is found"
    );
    assert_eq!(inside.count("'short no1234'"), 1);
    let mut database = RawSql::open(&inside.server);
    assert_eq!(
        database.execute("DELETE FROM trigrams WHERE trigram = 0"),
        1,
        "a row for all the long texts of the chunk"
    );
    let rows = database.execute("DELETE FROM trigrams");
    assert!(rows < 5_000, "{rows} rows for short texts of few words");
}
