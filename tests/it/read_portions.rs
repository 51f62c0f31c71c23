//! Large reads are done in portions, each with at most the text size of a page (0.33), so that
//! memory does not grow with the stored data. The cases check the portions from inside, because no
//! response shows them.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::event::snapshot::Snapshot;
use daybook_domain::field::Field;
use daybook_domain::group::GroupRef;
use daybook_domain::id::TransactionId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::property::Edits;
use daybook_domain::transaction::Changes;
use daybook_service::{Error, access, account, audit, event, group};
use daybook_storage::page::MAX_PAGE_TEXT_BYTES;
use daybook_tests::receiver::Receiver;
use daybook_tests::{Engine, bots, unique};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_6_7_an_audit_reads_in_portions,
        rule_2_11_pages_end_before_many_deleted_resources,
        rule_0_33_one_event_may_name_too_much,
        rule_2_11_pages_end_before_many_responses,
    ]
}

const NOW: Instant = Instant::new(1_767_225_600_000);

/// Nearly the most properties that a resource may have: 56 KB.
fn properties() -> Edits {
    (0..7).map(|number| (format!("p{number}"), Some("x".repeat(8_000)))).collect()
}

fn fixture(engine: Engine) -> Inside {
    Inside::new(engine, NOW, daybook_domain::book::Changes::default())
}

/// Creates groups with large properties.
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

/// 6.7: a portion ends with the row that reaches 8 MB of text, and the next one starts after it.
fn rule_6_7_an_audit_reads_in_portions(engine: Engine) {
    let inside = fixture(engine);
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
            assert!(data <= MAX_PAGE_TEXT_BYTES + 200_000, "{data} bytes");
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
        // They are as old as their book, like the rows of a copy.
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
    for (what, rows, each) in
        [("events", 301, 56_000), ("records", 100, 116_000), ("copied", 100, 116_000)]
    {
        let read = &portions[what];
        assert_eq!(read.iter().sum::<usize>(), rows, "{what}: {read:?}");
        let most = MAX_PAGE_TEXT_BYTES / each + 2;
        assert!(read.iter().all(|count| *count <= most), "{what}: {read:?}, at most {most}");
    }
    let (cx, book) = (inside.cx.clone(), inside.book.clone());
    let requested = inside.write(move |tx, _, _| audit::request(tx, &cx, &book));
    requested.expect("an audit is asked for");
    let key = daybook_domain::id::BookKey::new(inside.book.clone());
    let made = inside.store.read(|tx| audit::run(tx, &key, &|| false)).expect("an audit");
    let report = made.expect("it was asked for").report;
    assert_eq!((report.events_checked, report.transactions_checked), (301, 100));
    assert_eq!(report.findings.count(), 0, "{:?}", report.findings);
}

/// A page of a list of events.
fn page(inside: &Inside, kind: &str, below: Option<i64>) -> event::View {
    let request = event::Request {
        kind: Some(kind.to_owned()),
        limit: Some(200),
        below,
        ..event::Request::default()
    };
    let page = inside.store.read(|tx| event::list(tx, &inside.cx, &inside.book, &request));
    page.expect("a page")
}

fn named(group: &str) -> GroupRef {
    GroupRef { id: None, name: Some(group.to_owned()) }
}

/// Creates accounts in the groups with these names.
fn accounts_in(inside: &Inside, count: usize, groups: &[String]) {
    let groups: Vec<GroupRef> = groups.iter().map(|name| named(name)).collect();
    let name = |number: usize| format!("A{number} in {}", groups[0].name.as_deref().unwrap_or(""));
    let account = |number: usize| account::Input {
        changes: daybook_domain::account::Changes {
            name: Some(name(number)),
            kind: Some(AccountType::Asset),
            ..Default::default()
        },
        groups: Field::Set(groups.clone()),
    };
    let inputs: Vec<account::Input> = (0..count).map(account).collect();
    inside.write(move |tx, cx, book| account::create(tx, cx, book, inputs)).expect("accounts");
}

/// 2.11: a page ends before it shows too much about deleted resources, and the next one starts
/// there; every event is complete.
fn rule_2_11_pages_end_before_many_deleted_resources(engine: Engine) {
    let inside = fixture(engine);
    // Each account is in forty groups of its own, which have 2.2 MB together.
    let names: Vec<String> =
        large_groups(&inside, 240).into_iter().filter_map(|group| group.changes.name).collect();
    for groups in names.chunks(40) {
        accounts_in(&inside, 1, groups);
    }
    for names in names.chunks(100) {
        let gone: Vec<GroupRef> = names.iter().map(|name| named(name)).collect();
        inside.write(move |tx, cx, book| group::delete(tx, cx, book, &gone)).expect("deleted");
    }
    let (mut seen, mut below, mut pages) = (Vec::new(), None, 0);
    loop {
        let view = page(&inside, "ACCOUNT_CREATED", below);
        let texts = view.deleted_groups.len() * 56_000;
        assert!(texts <= MAX_PAGE_TEXT_BYTES + 100_000, "2.11: {texts} bytes");
        for read in &view.events {
            let Snapshot::Account(account) = &read.snapshot else { panic!("{read:?}") };
            let groups = account.groups.as_deref().unwrap_or_default();
            assert_eq!(groups.len(), 40);
            let shown = groups.iter().all(|group| view.deleted_groups.contains_key(&group.id));
            assert!(shown, "8.2: as they were last");
            seen.push(read.event.sequence);
        }
        pages += 1;
        below = view.next;
        if below.is_none() {
            break;
        }
    }
    assert_eq!((seen.len(), pages), (6, 2), "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a > b), "{seen:?}");
}

/// 0.33: an event that is too large to show is refused when it is requested. Clients cannot create
/// one, because so many groups cannot exist at once (4.22).
fn rule_0_33_one_event_may_name_too_much(engine: Engine) {
    let inside = fixture(engine);
    let names: Vec<String> =
        large_groups(&inside, 1).into_iter().filter_map(|group| group.changes.name).collect();
    accounts_in(&inside, 1, &names);
    let event = page(&inside, "ACCOUNT_CREATED", None).events.remove(0).event;
    let deleted = page(&inside, "GROUP_CREATED", None).events.remove(0).event;
    let kind = EventType::GroupDeleted.number();
    let book = event.book.get();
    // Data in an older format with ids of deleted groups: more than an SQLite statement may have
    // values.
    let naming = |count: i64| {
        let groups = (1..=count).map(|id| format!(r#"{{"id":"{id}","name":"G"}}"#));
        let groups = groups.collect::<Vec<_>>().join(",");
        let (before, after) = event.data.split_once(r#""groups":["#).expect("groups");
        let (_, after) = after.split_once(']').expect("an end of them");
        let data = format!(r#"{before}"groups":[{groups}]{after}"#);
        let bytes = inside.literal(data.as_bytes());
        let at = event.sequence;
        format!("UPDATE events SET data = {bytes} WHERE book_id = {book} AND sequence = {at}")
    };
    inside.execute(&[&naming(40_000)]);
    let view = page(&inside, "ACCOUNT_CREATED", None);
    assert_eq!((view.events.len(), view.is_too_large), (1, false), "none of them is known");
    // 700 groups with 39 MB exist.
    let copied = format!(
        "INSERT INTO events \
         (book_id, sequence, resource, created_at, user_id, kind, agent, data, hash) \
         SELECT e.book_id, n.number, n.number - 1000, e.created_at, e.user_id, {kind}, e.agent, \
           e.data, e.hash \
         FROM events e, numbers n WHERE e.book_id = {book} AND e.sequence = {}",
        deleted.sequence
    );
    let numbers: Vec<String> = (1_001..=1_700).map(|number| format!("({number})")).collect();
    let numbers = format!("INSERT INTO numbers VALUES {}", numbers.join(", "));
    let table = "CREATE TABLE numbers (number BIGINT)";
    inside.execute(&[table, &numbers, &copied, "DROP TABLE numbers"]);
    let read = |most: usize| {
        let ids: Vec<i64> = (1..=40_000).collect();
        let found = inside.store.read(|tx| {
            let access = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
            Ok::<_, Error>(tx.events().deletions(&access, EventType::GroupDeleted, &ids, most)?)
        });
        let found = found.expect("snapshots");
        (found.snapshots.len(), found.covered)
    };
    assert_eq!(read(usize::MAX), (700, 40_000));
    let (snapshots, covered) = read(MAX_PAGE_TEXT_BYTES);
    assert!(snapshots < 152 && covered == snapshots, "{snapshots} for {covered}");
    let view = page(&inside, "ACCOUNT_CREATED", None);
    assert!(view.is_too_large, "0.33: {} groups", view.deleted_groups.len());
    let caller = inside.server.client(inside.cx.user.email.as_str());
    let path = |path: &str| format!("/v5/books/{}/events{path}", inside.book);
    let message = caller.get(&path("?type=ACCOUNT_CREATED")).refused(400, "answerTooLarge");
    assert!(message.contains("before="), "{message}");

    // 8.8: the event is not sent to apps, and does not block the next ones.
    let receiver = Receiver::start();
    let app = json!({"id": unique("bot"), "name": "Bot", "webhookUrl": receiver.url(),
        "events": ["ACCOUNT_CREATED"]});
    let app = daybook_tests::id(&caller.post("/v5/apps", &app).ok()).to_owned();
    bots::install(&caller, &inside.book, &app);
    let id = event.public_id(&view.access.book().key);
    caller.patch(&path("/replay/batch"), &json!({"items": [{"id": id}]})).no_content();
    eventually("8.8: nothing waits", || caller.get(&path("/backlog")).ok()["count"] == 0);
    assert!(receiver.received().is_empty(), "nothing of it was sent");
    inside.execute(&[&naming(300)]);
    let view = page(&inside, "ACCOUNT_CREATED", None);
    assert!(!view.is_too_large, "a first event is whole");
    let shown = caller.get(&path(&format!("/{id}"))).ok();
    let output = &shown["botResponses"][0];
    assert_eq!((&output["agentId"], &output["type"]), (&json!(app), &json!("ERROR")), "{output}");
    assert_eq!(
        output["message"],
        "not delivered: the event exceeds the size limit of a response; read it from the API"
    );
}

/// Adds responses of 30 KB to events directly; only the last one is not an error.
fn respond(inside: &Inside, sequences: &[i64], count: usize) {
    let message = "x".repeat(30_000);
    for sequence in sequences {
        let rows = (1..=count).map(|app| {
            let kind = if app == count { "INFO" } else { "ERROR" };
            format!("({sequence}, 'app{app:04}', '{kind}')")
        });
        let rows: Vec<String> = rows.collect();
        let rows = format!(
            "INSERT INTO bot_responses (book_id, sequence, app_id, kind, message, created_at) \
             SELECT b.id, n.column1, n.column2, n.column3, '{message}', 0 \
             FROM books b, (VALUES {}) n WHERE b.public_id = '{}'",
            rows.join(", "),
            inside.book
        );
        inside.execute(&[&rows]);
    }
}

/// 2.11: a page ends before it would show more than 8 MB of responses. 8.12: the response of a
/// replay contains none of them.
fn rule_2_11_pages_end_before_many_responses(engine: Engine) {
    let inside = fixture(engine);
    inside.record((0..7).map(|_| Changes::default()).collect());
    let all = page(&inside, "TRANSACTION_CREATED", None);
    let sequences: Vec<i64> = all.events.iter().map(|read| read.event.sequence).collect();
    assert_eq!(sequences.len(), 7);
    // 3 MB each, and 15 MB for the last but one.
    respond(&inside, &sequences[..5], 100);
    respond(&inside, &sequences[5..6], 500);
    let (mut seen, mut pages, mut below) = (Vec::new(), Vec::new(), None);
    loop {
        let view = page(&inside, "TRANSACTION_CREATED", below);
        assert!(!view.is_too_large && !view.events.is_empty());
        for read in &view.events {
            let shown = view.responses.get(&read.event.sequence).map_or(0, Vec::len);
            let at = sequences.iter().position(|one| *one == read.event.sequence);
            let expected = [100, 100, 100, 100, 100, 500, 0][at.expect("one of them")];
            assert_eq!(shown, expected, "each event with all of them");
            seen.push(read.event.sequence);
        }
        pages.push(view.events.len());
        below = view.next;
        if below.is_none() {
            break;
        }
    }
    assert_eq!((seen, pages), (sequences.clone(), vec![2, 2, 1, 1, 1]));
    let errors = inside.store.read(|tx| {
        let access = access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents)?;
        Ok::<_, Error>(tx.bot_responses().errors_to(&access, &sequences)?)
    });
    let errors = errors.expect("who answered what with an error");
    assert_eq!(errors.len(), 5 * 99 + 499);
    assert!(!errors.iter().any(|(_, app)| app.as_str() == "app0500"));
}
