//! Query plans of journals, general ledgers, cash flows (13.9, 13.10) and exports (16.2),
//! taken from the statements that the server sends: each must use an index.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::balance::segments;
use daybook_domain::calendar::{DatePattern, parse_iso};
use daybook_domain::permission::Action;
use daybook_domain::query::{ParseContext, Periodicity, Query};
use daybook_service::{Error, access};
use daybook_storage::page::PageKey;
use daybook_storage::transaction::{Period, ResolvedNames, Search};
use daybook_tests::Engine;
use time::Date;

use crate::Case;
use crate::inside::Inside;
use crate::plans::{BY_DAY, CREDIT, DEBIT, check, crowd, shelf, sorts};
use crate::reading::Faults;

pub fn tests() -> Vec<Case> {
    crate::isolated![reports_walk_an_index]
}

fn reports_walk_an_index(engine: Engine) {
    let inside = shelf(engine);
    crowd(&inside, false);
    walk_an_index(engine, &inside);
    // With statistics of this book, which Daybook collects on PostgreSQL alone.
    if engine == Engine::Postgres {
        inside.execute(&["ANALYZE"]);
        walk_an_index(engine, &inside);
    }
}

/// A page that begins behind the page before, and ends with the period.
const CONTINUED: [&str; 2] = [" AND (day,id)>(?,?) AND day<?)", "(ROW("];

fn walk_an_index(engine: Engine, inside: &Inside) {
    let mut faults = Faults::default();
    for tags in [&[][..], &["often".to_owned()]] {
        pages_walk_an_index(engine, inside, tags, &mut faults);
        flows_walk_an_index(engine, inside, tags, &mut faults);
    }
    scans_walk_an_index(engine, inside, &mut faults);
    faults.none();
}

fn day(text: &str) -> Date {
    parse_iso(text).expect("a day")
}

fn pages_walk_an_index(engine: Engine, inside: &Inside, tags: &[String], faults: &mut Faults) {
    let period = Period { from: day("2025-02-10"), last: day("2025-04-30"), tags };
    for after in [None, Some(PageKey { day: 20_250_301, id: 7 })] {
        let plans = inside.store.read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
            let account = tx.audits().accounts(&member)?[0].account;
            let journal = tx.plans().journal(&member, &period, after)?;
            Ok::<_, Error>((journal, tx.plans().ledger(&member, account, &period, after)?))
        });
        let (journal, ledger) = plans.expect("plans");
        let of_journal = format!("journal of {tags:?} after {after:?}");
        let of_ledger = format!("ledger of {tags:?} after {after:?}");
        check(faults, engine, &of_journal, BY_DAY, 1, &journal);
        for side in [CREDIT, DEBIT] {
            check(faults, engine, &of_ledger, side, 1, &ledger);
        }
        if after.is_some() {
            check(faults, engine, &of_journal, CONTINUED, 1, &journal);
            check(faults, engine, &of_ledger, CONTINUED, 2, &ledger);
        }
        for (what, steps) in [(of_journal, journal), (of_ledger, ledger)] {
            faults.check(sorts(&steps) == 0, || {
                format!("{what} sorts:\n      {}", steps.join("\n      "))
            });
        }
    }
}

fn scans_walk_an_index(engine: Engine, inside: &Inside, faults: &mut Faults) {
    let context = ParseContext {
        today: day("2025-05-20"),
        pattern: DatePattern::default(),
        separator: DecimalSeparator::default(),
    };
    let names = ResolvedNames::default();
    for text in ["", "after:2025-02-10 before:2025-05-01", "#often is:draft"] {
        let query = Query::parse(text, &context);
        let search =
            Search { filter: query.filter(), names: &names, drafts_of: None, similar: None };
        for after in [None, Some(PageKey { day: 20_250_301, id: 7 })] {
            let plan = inside.store.read(|tx| {
                let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
                Ok::<_, Error>(tx.plans().scan(&member, &search, after)?)
            });
            let (what, plan) = (format!("scan of {text:?} after {after:?}"), plan.expect("a plan"));
            check(faults, engine, &what, BY_DAY, 1, &plan);
            if after.is_some() && text.contains("before") {
                check(faults, engine, &what, CONTINUED, 1, &plan);
            }
            faults.check(sorts(&plan) == 0, || {
                format!("{what} sorts:\n      {}", plan.join("\n      "))
            });
        }
    }
}

fn flows_walk_an_index(engine: Engine, inside: &Inside, tags: &[String], faults: &mut Faults) {
    let months = segments(Some(day("2025-02-10")), Some(day("2025-05-01")), Periodicity::Monthly);
    for segment in months {
        let plan = inside.store.read(|tx| {
            let member = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
            let accounts = tx.audits().accounts(&member)?;
            let accounts: Vec<_> = accounts.iter().take(3).map(|flags| flags.account).collect();
            Ok::<_, Error>(tx.plans().counterparts(&member, &segment, &accounts, tags)?)
        });
        let steps = plan.expect("a plan");
        for side in [CREDIT, DEBIT] {
            check(faults, engine, &format!("cash flow of {tags:?}"), side, 1, &steps);
        }
    }
}
