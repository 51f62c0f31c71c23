//! Query plans of balances, account deletions and audits, taken from the statements that the server
//! sends: each must use an index.

use daybook_domain::balance::{Level, Segment, segments};
use daybook_domain::calendar::parse_iso;
use daybook_domain::permission::Action;
use daybook_domain::query::Periodicity;
use daybook_service::{Error, access};
use daybook_storage::balance::{AccountScope, TotalsQuery};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, RawSql, Server, unique};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::plans::{CREDIT, DEBIT, NOW, check, crowd, shelf};
use crate::reading::Faults;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        balances_of_a_tag_read_the_term_index,
        partial_month_reads_totals_by_account,
        updated_totals_are_found_by_primary_key,
        deletions_and_audits_use_indexes,
    ]
}

fn of_book(inside: &Inside, segment: &Segment, tags: &[String]) -> Vec<String> {
    let query = TotalsQuery { scope: AccountScope::Book, tags, by_month: false };
    let plan = inside.store.read(|tx| {
        let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
        Ok::<_, Error>(tx.plans().totals(&member, segment, &query)?)
    });
    plan.expect("a plan")
}

fn balances_of_a_tag_read_the_term_index(engine: Engine) {
    let inside = shelf(engine);
    crowd(&inside, true);
    let mut faults = Faults::default();
    let tags = ["often".to_owned(), "seldom".to_owned()];
    let terms = ["SEARCH m USING PRIMARY KEY (book_id=? AND term=? AND day", "on index_terms m"];
    // By id, or by day and id.
    let transactions =
        ["SEARCH t USING PRIMARY KEY (book_id=? AND id=?)", "(id = m.transaction_id)"];
    for segment in segments(parse_iso("2025-02-10"), parse_iso("2025-05-01"), Periodicity::Monthly)
    {
        let steps = of_book(&inside, &segment, &tags);
        check(&mut faults, engine, "balances of a tag: terms", terms, 1, &steps);
        check(&mut faults, engine, "balances of a tag: transactions", transactions, 1, &steps);
    }
    faults.none();
}

/// Without statistics PostgreSQL assumed few rows and joined 1,000 accounts with all totals in a
/// nested loop.
fn partial_month_reads_totals_by_account(engine: Engine) {
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    let numbers = |max: usize| {
        format!("WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {max})")
    };
    inside.execute(&[
        &format!(
            "INSERT INTO accounts (book_id, id, name, normalized_name, kind, archived, \
               balance_verified, has_transaction_posted, created_at, updated_at, version) \
             {} SELECT b.id, n.n, 'A' || n.n, 'a' || n.n, 'ASSET', b.id < 0, b.id > 0, b.id > 0, \
               0, 0, 1 FROM books b CROSS JOIN n",
            numbers(1_000)
        ),
        &format!(
            "INSERT INTO month_totals (book_id, account_id, month, debit_high, debit_low, \
               credit_high, credit_low, days) \
             {} SELECT a.book_id, a.id, 202501 + n.n, 0, 1, 0, 0, {} \
             FROM n CROSS JOIN accounts a",
            numbers(11),
            if engine == Engine::Sqlite { "x'022102'" } else { "'\\x022102'" }
        ),
    ]);
    let mut faults = Faults::default();
    let by_account = [
        "SEARCH c USING PRIMARY KEY (book_id=? AND account_id=? AND month>? AND month<?)",
        "(account_id = a.id)",
    ];
    let range = segments(parse_iso("2025-02-10"), parse_iso("2025-02-20"), Periodicity::Daily);
    for segment in range.iter().filter(|segment| segment.level == Level::Day) {
        let steps = of_book(&inside, segment, &[]);
        check(&mut faults, engine, "balances in a month", by_account, 1, &steps);
        faults.check(!steps.iter().any(|step| step.contains("Join Filter")), || {
            format!("nested loop over all pairs:\n      {}", steps.join("\n      "))
        });
    }
    faults.none();
}

/// A cached plan made for a small table must still use the key when the table grows.
fn updated_totals_are_found_by_primary_key(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "1", "Cash", "Food", "Counted");
    let mut database = RawSql::open(&server);
    database.execute("ANALYZE month_totals");
    let mut scans = |kind: &str| {
        let scans = "pg_stat_user_tables WHERE relname = 'month_totals'";
        database.count(&format!("SELECT COALESCE({kind}, 0) FROM {scans}"))
    };
    let (by_key, whole) = (scans("idx_scan"), scans("seq_scan"));
    for day in 1..=20 {
        cast.record(&format!("2025-02-{day:02}"), "1", "Cash", "Food", "More");
    }
    // A connection that writes again reports its scans after a second, an idle one after ten.
    eventually("the statistics are updated", || {
        cast.group(&unique("Group"));
        scans("idx_scan") >= by_key + 40
    });
    assert_eq!(scans("seq_scan"), whole);
}

/// Plans without statistics.
fn deletions_and_audits_use_indexes(engine: Engine) {
    let inside = shelf(engine);
    crowd(&inside, false);
    let plans = inside.store.read(|tx| {
        let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
        let accounts = tx.audits().accounts(&member)?;
        let some: Vec<_> = accounts.iter().take(3).map(|flags| flags.account).collect();
        let set = some.iter().copied().collect();
        let terms: Vec<_> =
            (0..3_000).map(|number| (format!("t{number}"), 20_250_101, number)).collect();
        let of_sides = [
            tx.plans().drafts_of_accounts(&member, &set)?,
            tx.plans().count_drafts_of_accounts(&member, &set)?,
            tx.plans().entry_days(&member, &some)?,
        ];
        Ok::<_, Error>((of_sides, tx.plans().terms_found(&member, &terms)?))
    });
    let (of_sides, of_terms) = plans.expect("plans");
    let mut faults = Faults::default();
    let what = ["drafts of accounts", "count of drafts of accounts", "entries of days"];
    for (what, steps) in what.into_iter().zip(of_sides) {
        for side in [CREDIT, DEBIT] {
            check(&mut faults, engine, what, side, 1, &steps);
        }
    }
    let key = [
        "SEARCH m USING PRIMARY KEY (book_id=? AND term=? AND day=? AND transaction_id=?)",
        "index_terms_pkey on index_terms m",
    ];
    check(&mut faults, engine, "terms of an audit", key, 1, &of_terms);
    faults.none();
}
