//! What reads much reads it in portions, each with as many texts as a page may have (0.33), so that
//! memory does not grow with what somebody has stored. The cases look at what is held between two
//! portions, which no answer shows.

use std::collections::BTreeMap;

use daybook_domain::field::Field;
use daybook_domain::id::TransactionId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::property::Edits;
use daybook_domain::transaction::Changes;
use daybook_service::{Error, access, audit, group};
use daybook_storage::page::MAX_PAGE_TEXTS;
use daybook_tests::Engine;

use crate::Lone;
use crate::inside::Inside;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_6_7_an_audit_reads_in_portions]
}

const NOW: Instant = Instant::new(1_767_225_600_000);

/// Nearly as many properties as a resource may have: 56 KB.
fn properties() -> Edits {
    (0..7).map(|number| (format!("p{number}"), Some("x".repeat(8_000)))).collect()
}

fn stage(engine: Engine) -> Inside {
    Inside::new(engine, NOW, daybook_domain::book::Changes::default())
}

/// So many groups with large properties.
fn large_groups(inside: &Inside, count: usize) -> Vec<group::Input> {
    let group = |number: usize| group::Input {
        changes: daybook_domain::group::Changes {
            name: Some(format!("G{number}")),
            properties: properties(),
            ..Default::default()
        },
        parent: Field::Keep,
    };
    let inputs: Vec<group::Input> = (0..count).map(group).collect();
    let made = inputs.clone();
    inside.write(move |tx, cx, book| group::create(tx, cx, book, made)).expect("groups");
    inputs
}

/// 6.7: a portion ends with the row with which its texts reach 8 MB, and the next one goes on
/// behind it.
fn rule_6_7_an_audit_reads_in_portions(engine: Engine) {
    let inside = stage(engine);
    large_groups(&inside, 200);
    let long = |number: usize| Changes {
        description: Field::Set(format!("{number} {}", "y".repeat(60_000))),
        properties: properties(),
        ..Changes::default()
    };
    inside.record((0..100).map(long).collect());
    let portions = inside.store.read(|tx| {
        let access = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
        let mut portions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut after = i64::MIN;
        loop {
            let events = tx.audits().events(&access, after, 2_000)?;
            let Some(last) = events.last() else { break };
            after = last.sequence;
            let data = events.iter().filter_map(|one| Some(one.event.as_ref()?.data.len()));
            let data: usize = data.sum();
            assert!(data <= MAX_PAGE_TEXTS + 200_000, "{data} bytes");
            portions.entry("events").or_default().push(events.len());
        }
        let mut after: Option<TransactionId> = None;
        while let Some(last) = {
            let records = tx.audits().records(&access, after, 2_000)?;
            portions.entry("records").or_default().push(records.len());
            records.last().map(|record| record.id)
        } {
            after = Some(last);
        }
        // They are as old as their book, as those are that a copy comes with.
        let mut after: Option<TransactionId> = None;
        while let Some((last, _)) = {
            let copied = tx.audits().copied(&access, after, 2_000)?;
            portions.entry("copied").or_default().push(copied.len());
            copied.last().copied()
        } {
            after = Some(last);
        }
        Ok::<_, Error>(portions)
    });
    let portions = portions.expect("portions");
    // A description counts twice in a record: also as it is searched.
    for (what, rows, each) in
        [("events", 301, 56_000), ("records", 100, 176_000), ("copied", 100, 116_000)]
    {
        let read = &portions[what];
        assert_eq!(read.iter().sum::<usize>(), rows, "{what}: {read:?}");
        let most = MAX_PAGE_TEXTS / each + 2;
        assert!(read.iter().all(|count| *count <= most), "{what}: {read:?}, at most {most}");
    }
    let (cx, book) = (inside.cx.clone(), inside.book.clone());
    let asked = inside.write(move |tx, _, _| audit::request(tx, &cx, &book));
    asked.expect("an audit is asked for");
    let key = daybook_domain::id::BookKey::new(inside.book.clone());
    let made = inside.store.read(|tx| audit::run(tx, &key, &|| false)).expect("an audit");
    let report = made.expect("it was asked for").report;
    assert_eq!((report.events_checked, report.transactions_checked), (301, 100));
    assert_eq!(report.findings.count(), 0, "{:?}", report.findings);
}
