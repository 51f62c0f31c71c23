//! Which index the statements of searches use, checked on the statements that are sent: the cost of
//! a page depends on its rows, not on the size of the book.

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::query::Periodicity;
use daybook_domain::transaction::{Changes, Span, Verb};
use daybook_service::transaction::{Request, explain};
use daybook_service::{Error, access, collection};
use daybook_storage::ShardKey;
use daybook_storage::page::PageKey;
use daybook_tests::Engine;

use crate::Case;
use crate::inside::{Inside, only, side};
use crate::reading::Faults;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        pages_counts_and_running_balances_walk_an_index,
        pages_of_a_book_never_counted_walk_an_index,
        lists_of_books_begin_with_the_reader,
    ]
}

pub const NOW: Instant = Instant::new(1_763_000_000_000);

/// The indexes of a book, in the notation of SQLite's and of PostgreSQL's plans.
pub const BY_DAY: [&str; 2] = [
    "SEARCH t USING INDEX transactions_day (book_id=?",
    "using transactions_day on transactions t",
];
const DAYS: [&str; 2] =
    ["SEARCH t USING INDEX transactions_day (book_id=? AND day>? AND day<?)", "transactions_day"];
pub const CREDIT: [&str; 2] =
    ["INDEX transactions_credit (book_id=? AND credit_account_id=?", " transactions_credit "];
pub const DEBIT: [&str; 2] =
    ["INDEX transactions_debit (book_id=? AND debit_account_id=?", " transactions_debit "];
const TERM: [&str; 2] = ["SEARCH d USING PRIMARY KEY (book_id=? AND term=?", "on index_terms d"];
const ERROR: [&str; 2] = ["SEARCH d USING ", "on failed_transactions d"];
const TEXT: [&str; 2] =
    ["SEARCH b USING PRIMARY KEY (book_id=? AND block=?)", "on trigram_blocks b"];

/// A query, the index it must use, and how many times.
const PAGES: [(&str, [&str; 2], usize); 33] = [
    ("", BY_DAY, 1),
    ("on:2025-03", DAYS, 1),
    ("on:2025-03 amount>=100 amount<200", DAYS, 1),
    ("common", BY_DAY, 1),
    ("is:unchecked", BY_DAY, 1),
    ("account:'Account 3'", CREDIT, 1),
    ("account:'Account 3'", DEBIT, 1),
    ("account:'Account 3' after:2025-03", CREDIT, 1),
    ("account:'Account 3' after:2025-03", DEBIT, 1),
    ("account:'Account 3' common #often", CREDIT, 1),
    ("from:'Account 3' to:'Account 4'", CREDIT, 1),
    ("to:'Account 4' is:posted", DEBIT, 1),
    ("account:'Account 3' OR account:'Account 4'", CREDIT, 2),
    ("account:'Account 3' OR account:'Account 4'", DEBIT, 2),
    ("group:Few", CREDIT, 3),
    ("group:Few", DEBIT, 3),
    ("group:Few on:2025-03 -is:checked", CREDIT, 3),
    ("#often", TERM, 1),
    ("#often is:checked", TERM, 1),
    ("#often OR #seldom", TERM, 2),
    ("remoteId:R77", TERM, 1),
    ("account:'Account 3' remoteId:R77", TERM, 1),
    ("number:7", TERM, 1),
    ("number:*", TERM, 1),
    ("is:draft", TERM, 1),
    ("is:draft is:trashed", TERM, 2),
    ("zyzzyva", TEXT, 1),
    ("account:'Account 3' zyzzyva", TEXT, 1),
    ("zyzzyva OR remoteId:R77", TEXT, 1),
    ("error:true", ERROR, 1),
    ("error:true common is:unchecked", ERROR, 1),
    ("error:true account:'Account 3'", CREDIT, 1),
    ("error:false", BY_DAY, 1),
];

/// A book of 6,000 transactions among others of the same size, so that a table scan is never the
/// best plan.
pub fn shelf(engine: Engine) -> Inside {
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    let names: Vec<String> = (0..40).map(|number| format!("Account {number}")).collect();
    let chart: Vec<(&str, AccountType, &[&str])> = names
        .iter()
        .enumerate()
        .map(|(number, name)| {
            (
                name.as_str(),
                AccountType::ALL[number % 4],
                if number < 3 { &["Few"][..] } else { &[] },
            )
        })
        .collect();
    inside.chart(&[("Few", "")], &chart);
    let item = |number: usize| Changes {
        date: Field::Set(format!("2025-{:02}-{:02}", 1 + number % 12, 1 + number % 28)),
        amount: Field::Set((1 + number % 500).to_string()),
        description: Field::Set(format!(
            "common text {number}{}{}",
            if number.is_multiple_of(3) { " #often" } else { "" },
            if number % 2999 == 7 { " zyzzyva #seldom" } else { "" }
        )),
        credit: side(&names[number % 40]),
        debit: side(&names[(number * 7 + 1) % 40]),
        draft: number % 900 == 5,
        checked: number.is_multiple_of(4),
        remote_ids: (number % 5 == 2).then(|| vec![format!("R{number}")]),
        properties: if number.is_multiple_of(50) {
            [("number".to_owned(), Some(number.to_string()))].into()
        } else {
            [].into()
        },
        ..Changes::default()
    };
    let same = |number: usize| number % 40 == (number * 7 + 1) % 40;
    let made = inside.record((0..6000).filter(|number| !same(*number)).map(item).collect());
    inside.perform(Verb::Trash, &made.iter().step_by(700).copied().map(only).collect::<Vec<_>>());
    inside.execute(&[&errors("sequence % 300 = 3"), FAILED]);
    inside
}

/// Adds error responses of an app to events of the book.
fn errors(to: &str) -> String {
    format!(
        "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
         SELECT book_id, sequence, 'bot', 'ERROR', 'no', 0 FROM events WHERE {to}"
    )
}

/// Derives the rows about failed transactions.
const FAILED: &str = "INSERT INTO failed_transactions (book_id, transaction_id, day) \
     SELECT t.book_id, t.id, t.day FROM events e \
     JOIN transactions t ON t.book_id = e.book_id AND t.id = e.resource \
     WHERE EXISTS (SELECT 1 FROM bot_responses r \
       WHERE r.book_id = e.book_id AND r.sequence = e.sequence) \
     ON CONFLICT (book_id, transaction_id) DO NOTHING";

/// Copies all rows to other books. With `counted` the engine's statistics include our book;
/// otherwise they were taken before it existed.
pub fn crowd(inside: &Inside, counted: bool) {
    const TABLES: [(&str, &str); 7] = [
        (
            "transactions",
            "id, day, dated, standing, trashed, amount, credit_account_id, debit_account_id, \
             description, folded_description, posted_at, properties, \
             urls, remote_ids, created_by, agent, created_at, updated_at, version",
        ),
        ("index_terms", "term, day, transaction_id"),
        ("trigrams", "trigram, chunk, block_bitmap"),
        ("trigram_blocks", "block, after_id, last_id"),
        ("events", "sequence, kind, resource, created_at, user_id, agent, data, hash, count"),
        ("bot_responses", "sequence, app_id, kind, message, created_at"),
        ("failed_transactions", "transaction_id, day"),
    ];
    let mut statements = Vec::new();
    for other in 1000..1015 {
        for (table, columns) in TABLES {
            let others = format!("SELECT {other}, {columns} FROM {table} WHERE book_id < 1000");
            statements.push(format!("INSERT INTO {table} (book_id, {columns}) {others}"));
        }
    }
    if !counted {
        statements
            .extend(TABLES.map(|(table, _)| format!("DELETE FROM {table} WHERE book_id < 1000")));
    }
    // Daybook collects no statistics on SQLite.
    if inside.server.engine() == Engine::Postgres {
        statements.push("ANALYZE".to_owned());
    }
    if !counted {
        let book = "(SELECT MAX(id) FROM books)";
        let back = |(table, columns)| {
            format!(
                "INSERT INTO {table} (book_id, {columns}) SELECT \
            {book}, {columns} FROM {table} WHERE book_id = 1000"
            )
        };
        statements.extend(TABLES.map(back));
    }
    inside.execute(&statements.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Whether a step scans a table that grows with the book.
fn passes(step: &str) -> bool {
    let scanned = ["SCAN t", "SCAN transactions", "SCAN d", "SCAN m"];
    let whole =
        scanned.iter().any(|scan| step.trim() == *scan || step.contains(&format!("{scan} ")));
    whole
        || ["transactions", "index_terms", "trigrams", "events"]
            .iter()
            .any(|table| step.contains(&format!("Seq Scan on {table}")))
}

/// Whether a step starts its index scan after the previous page. SQLite uses one upper bound, which
/// may be that of the date range.
fn begins_behind(step: &str) -> bool {
    step.contains(")<(?,?)") || step.contains("Index Cond: ") && step.contains("(ROW(")
}

/// Counts the sorts of a plan. Merging sorted inputs is not a sort.
pub fn sorts(steps: &[String]) -> usize {
    let counted = |text: &str| steps.iter().filter(|step| step.contains(text)).count();
    counted("TEMP B-TREE FOR ORDER BY") + counted("Sort Key") - counted("Merge Append")
}

pub fn check(
    faults: &mut Faults,
    engine: Engine,
    what: &str,
    way: [&str; 2],
    times: usize,
    steps: &[String],
) {
    let way = way[usize::from(engine == Engine::Postgres)];
    let shown = || format!("{what}\n      {}", steps.join("\n      "));
    faults.check(!steps.iter().any(|step| passes(step)), || format!("passes a table: {}", shown()));
    let accepted = steps.iter().filter(|step| step.contains(way)).count();
    faults.check(accepted == times, || {
        format!("`{way}` is taken {accepted} times instead of {times}: {}", shown())
    });
}

/// The book takes longer to fill than the checks take, so they share it.
fn pages_counts_and_running_balances_walk_an_index(engine: Engine) {
    let inside = shelf(engine);
    crowd(&inside, true);
    counts_and_running_balances_walk_an_index(engine, &inside);
    walk_an_index(engine, &inside);
    // However common errors are.
    inside.execute(&[&errors("book_id < 1000 AND sequence % 300 <> 3"), FAILED]);
    walk_an_index(engine, &inside);
}

fn steps(inside: &Inside, query: &str, after: Option<PageKey>) -> Vec<String> {
    let request = Request { query: query.into(), limit: Some(50), after, requested_at: None };
    inside.store.read(|tx| explain(tx, &inside.cx, &inside.book, &request)).expect("a plan")
}

/// PostgreSQL assumes that a book without statistics has no rows, even if it has grown since.
fn pages_of_a_book_never_counted_walk_an_index(engine: Engine) {
    let inside = shelf(engine);
    crowd(&inside, false);
    walk_an_index(engine, &inside);
}

fn walk_an_index(engine: Engine, inside: &Inside) {
    let mut faults = Faults::default();
    for (query, way, times) in PAGES {
        // PostgreSQL plans the lookup of an account once for all of them.
        let once = engine == Engine::Postgres && [CREDIT, DEBIT].contains(&way);
        let times = if once { 1 } else { times };
        for after in [None, Some(PageKey { day: 20_250_615, id: i64::MAX / 2 })] {
            let steps = steps(inside, query, after);
            check(&mut faults, engine, query, way, times, &steps);
            // PostgreSQL hashes what it scans; a count, which needs the whole range, may do so.
            faults.check(!steps.iter().any(|step| step.contains("Hash Cond")), || {
                format!("`{query}` hashes:\n      {}", steps.join("\n      "))
            });
            // A page deep in the list starts after the previous one and does not scan it.
            let dated = ["on:", "after:"].iter().any(|word| query.contains(word));
            let by_page_key = [BY_DAY, CREDIT, DEBIT, TERM, ERROR].contains(&way) && !dated;
            if after.is_some() && by_page_key {
                let begun = steps.iter().filter(|step| begins_behind(step)).count();
                faults.check(begun >= times, || {
                    format!("`{query}` passes former pages:\n      {}", steps.join("\n      "))
                });
            }
            // The index provides the order; a union of several, and a rare text, sort their few
            // results.
            let sorts = sorts(&steps) > 0;
            faults.check(!sorts || times > 1 || way == TEXT, || {
                format!("`{query}` sorts:\n      {}", steps.join("\n      "))
            });
        }
    }
    let listed = inside
        .list(&Request { query: "".into(), limit: Some(1000), after: None, requested_at: None })
        .view
        .transactions;
    let ids: Vec<_> = listed.iter().map(|transaction| transaction.id).collect();
    let remote_ids: Vec<String> = (0..1000).map(|number| format!("R{}", number * 7)).collect();
    let remote_ids: Vec<&str> = remote_ids.iter().map(String::as_str).collect();
    let [by_ids, by_remote_ids] = inside
        .store
        .read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadTransactions)?;
            let by_ids = tx.plans().by_ids(&member, &ids)?;
            Ok::<_, Error>([by_ids, tx.plans().by_remote_ids(&member, &remote_ids)?])
        })
        .expect("plans");
    let key = [
        "SEARCH t USING PRIMARY KEY (book_id=? AND id=?)",
        "using transactions_pkey on transactions t",
    ];
    check(&mut faults, engine, "a thousand ids", key, 1, &by_ids);
    let terms = [
        "SEARCH m USING PRIMARY KEY (book_id=? AND term=?)",
        "using index_terms_pkey on index_terms m",
    ];
    check(&mut faults, engine, "a thousand remote ids", terms, 1, &by_remote_ids);
    faults.none();
}

fn counts_and_running_balances_walk_an_index(engine: Engine, inside: &Inside) {
    let mut faults = Faults::default();
    let by_day = [
        "SEARCH t USING COVERING INDEX transactions_day (book_id=? AND day>? AND day<?)",
        "transactions_day",
    ];
    let count = |query: &str| -> Vec<String> {
        let request = Request { query: query.into(), limit: None, after: None, requested_at: None };
        let steps = inside.store.read(|tx| explain(tx, &inside.cx, &inside.book, &request));
        // PostgreSQL scans a table of one page.
        let stored = |step: &String| engine == Engine::Sqlite || !step.contains("month_counts");
        steps.expect("a plan").into_iter().filter(stored).collect()
    };
    let broken = "after:2025-02-10 before:2025-04-10";
    let months = ["SEARCH m USING PRIMARY KEY (book_id=?", "on index_terms d"];
    let by_counts = ["", "on:2025-03", broken].map(|query| (query, TERM, 1));
    // A count by day may use any index of the book.
    let by_any = ["", "on:2025-03", "common", "is:unchecked", "error:false"];
    let by_rows = PAGES.into_iter().filter(|(query, ..)| !by_any.contains(query));
    for (query, way, times) in by_counts.into_iter().chain([(broken, months, 1)]).chain(by_rows) {
        check(&mut faults, engine, &format!("count of {query}"), way, times, &count(query));
    }
    let span = Span::read(Some("2025-02-01"), Some("2025-05-01"), Some("MONTHLY")).expect("a span");
    let page = inside.list(&Request {
        query: "account:'Account 3'".into(),
        limit: Some(20),
        after: None,
        requested_at: None,
    });
    let account = page.account.expect("behaviour 2.8");
    let rows: Vec<_> = page.view.transactions.iter().filter(|row| row.counts()).collect();
    let days = Span { periodicity: Periodicity::Daily, ..span };
    let (counts, months, moved) = inside
        .store
        .read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
            let counts = tx.plans().counts(&member, &days)?;
            let months = tx.plans().counts(&member, &span)?;
            Ok::<_, Error>((counts, months, tx.plans().sums_within_day(&member, account, &rows)?))
        })
        .expect("plans");
    check(&mut faults, engine, "counts of days", by_day, 1, &counts);
    if engine == Engine::Sqlite {
        check(&mut faults, engine, "count of broken months", by_day, 2, &count(broken));
    }
    let by_month = [
        "SEARCH m USING PRIMARY KEY (book_id=? AND month>? AND month<?)",
        "month_counts_pkey on month_counts m",
    ];
    // PostgreSQL scans a table of one page.
    if engine == Engine::Sqlite {
        check(&mut faults, engine, "counts of months", by_month, 1, &months);
    }
    for side in [CREDIT, DEBIT] {
        check(&mut faults, engine, "running balances", side, 1, &moved);
    }
    faults.none();
}

/// The list of a user's books reads only those, however many others exist.
fn lists_of_books_begin_with_the_reader(engine: Engine) {
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    let (cx, book) = (inside.cx.clone(), inside.book.clone());
    let shelved = inside.store.write(ShardKey::of_user(cx.user.id), move |tx| {
        let shelf = collection::create(tx, &cx, Some("Shelf"))?;
        collection::add(tx, &cx, &shelf.collection.id.to_string(), vec![Some(book)])
    });
    shelved.expect("a collection");
    crowd_of_books(&inside);
    let reader = inside.cx.user.clone();
    let [mine, collected, around, pending, due] = inside
        .store
        .read(|tx| {
            let mine = tx.plans().books_of_user(&reader.email)?;
            let collected = tx.plans().books_of_collections(reader.id, &reader.email)?;
            let pending = tx.plans().pending(&reader.email)?;
            let around = tx.plans().collections_around_books(&reader)?;
            let due = tx.plans().due_books(Instant::new(1_763_000_000_000))?;
            Ok::<_, Error>([mine, collected, around, pending, due])
        })
        .expect("plans");
    let mut faults = Faults::default();
    for (what, steps) in [
        ("books of a user", mine),
        ("books of collections", collected),
        ("collections around books", around),
        ("books with a pending collaborator", pending),
    ] {
        let scanned = ["SCAN b", "SCAN s", "SCAN u", "SCAN c", "SCAN p", "SCAN m", "Seq Scan"];
        let passes = steps.iter().any(|step| {
            scanned.iter().any(|scan| step.trim() == *scan || step.contains(&format!("{scan} ")))
        });
        faults.check(!passes, || format!("{what} pass a table:\n      {}", steps.join("\n      ")));
    }
    faults.check(due.iter().any(|step| step.contains("books_deleted")), || {
        format!("deleted books are not found by their index:\n      {}", due.join("\n      "))
    });
    faults.none();
}

/// Adds thousands of users with a book in a collection each.
fn crowd_of_books(inside: &Inside) {
    const SETTINGS: &str = "auto_post, date_pattern, decimal_separator, fraction_digits, scale, \
        page_size, period, period_start_month, time_zone, visibility, file_secret";
    const COUNTS: &str = "sequence, hash, changed_at, posted, month, month_posted, year_posted, \
        posted_months";
    let others = "WITH RECURSIVE others (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM others \
        WHERE n < 6000)";
    let rows = |table: &str, own: &str, own_values: &str, (same, from): (&str, &str)| {
        format!(
            "{others} INSERT INTO {table} ({own}{same}) SELECT {own_values}{same} FROM others{from}"
        )
    };
    let (email, stamp) =
        ("'other' || n || '@example.com'", ("created_at, updated_at, version", "0, 0, 1"));
    let statements = [
        rows(
            "users",
            "id, email, username, created_at",
            &format!("n, {email}, 'other' || n, 0"),
            ("", ""),
        ),
        rows(
            "books",
            &format!("id, public_id, owner_id, name, {}, ", stamp.0),
            &format!("n, 'other' || n, n, 'Other', {}, ", stamp.1),
            (SETTINGS, ", books b WHERE b.id < 1000"),
        ),
        rows("book_state", "book_id, ", "n, ", (COUNTS, ", book_state h WHERE h.book_id < 1000")),
        rows(
            "collaborators",
            &format!("book_id, id, email, permission, {}", stamp.0),
            &format!("n, n, {email}, 'OWNER', {}", stamp.1),
            ("", ""),
        ),
        rows(
            "collections",
            &format!("user_id, id, name, {}", stamp.0),
            &format!("n, n, 'Shelf', {}", stamp.1),
            ("", ""),
        ),
        rows("collection_books", "user_id, book_id, collection_id", "n, n, n", ("", "")),
        "ANALYZE".to_owned(),
    ];
    inside.execute(&statements.iter().map(String::as_str).collect::<Vec<_>>());
}
