//! Cursors (2.1 - 2.5): the pages of transactions and events together are the whole list, also
//! under concurrent changes.

use daybook_tests::{Cast, Client, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, absent, batch, day_in, find, ids, items, labels, zone_at_day};

/// The path of a list with its query, without limit and cursor.
fn transactions(cast: &Cast, query: &str) -> String {
    cast.path(&format!("/transactions?query={}", encode(query)))
}

/// How a client sends the cursor.
#[derive(Clone, Copy, Debug)]
enum Way {
    Header,
    Parameter,
    /// Only the cursor, which contains the query (2.4).
    Bare,
}

/// One page.
#[track_caller]
fn page(reader: &Client, path: &str, limit: usize, cursor: Option<&str>, way: Way) -> Value {
    let path = format!("{path}&limit={limit}");
    let Some(cursor) = cursor else {
        return reader.get(&path).ok();
    };
    match way {
        Way::Header => reader.header("cursor", cursor).get(&path).ok(),
        Way::Parameter => reader.get(&format!("{path}&cursor={}", encode(cursor))).ok(),
        Way::Bare => {
            let bare = path.split('?').next().unwrap_or(&path);
            reader.header("cursor", cursor).get(&format!("{bare}?limit={limit}")).ok()
        }
    }
}

/// Reads all pages; each but the last is full and has a cursor (2.3).
#[track_caller]
fn walk(reader: &Client, path: &str, limit: usize, way: Way) -> Vec<String> {
    let mut walked = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..1000 {
        let page = page(reader, path, limit, cursor.as_deref(), way);
        walked.extend(ids(&page));
        if absent(&page, "cursor") {
            assert!(
                items(&page).len() <= limit,
                "a page of {limit} has {} rows",
                items(&page).len()
            );
            return walked;
        }
        assert_eq!(
            items(&page).len(),
            limit,
            "2.3: a page with a cursor is full: {path} by {way:?}"
        );
        let next = page["cursor"].as_str().expect("2.1: a cursor is a string").to_owned();
        assert!(
            !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_graphic()),
            "2.1: it fits a header: {next:?}"
        );
        assert_ne!(Some(&next), cursor.as_ref(), "2.3: the cursor moves");
        cursor = Some(next);
    }
    panic!("{path} by {way:?} never ends");
}

/// A book with 42 transactions: equal days, equal creation times within a batch, drafts without a
/// date, some with tags.
fn fixture(server: &Server) -> Cast {
    let cast = Cast::with_settings(server, json!({"timeZone": zone_at_day()}));
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let body = |index: usize| {
        let tag = if index.is_multiple_of(3) { " #third" } else { "" };
        let mut body = json!({
            "description": format!("t{index}{tag}"),
            "amount": format!("{}.00", index + 1),
            "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"},
        });
        if !index.is_multiple_of(7) {
            body["date"] = json!(format!("2025-01-{:02}", index % 4 + 1));
        }
        body
    };
    cast.post("/transactions/batch", &batch((0..30).map(body))).ok();
    for index in 30..42 {
        cast.post("/transactions", &body(index)).ok();
    }
    cast
}

const QUERIES: [&str; 7] = [
    "",
    "#third",
    "account:Cash amount>10",
    "on:2025-01-02",
    "-#third is:draft OR amount<5",
    "from:Cash 't1'",
    "is:trashed",
];

fn rule_2_3_pages_are_the_whole(server: &Server) {
    let cast = fixture(server);
    for query in QUERIES {
        let whole = ids(&find(&cast, query));
        let mut distinct = whole.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), whole.len(), "no row twice: {query}");
        // 42 is a multiple of all but the last: the last page is full and still has no cursor.
        for limit in [1, 2, 3, 7, 42, 41] {
            for way in [Way::Header, Way::Parameter, Way::Bare] {
                assert_eq!(
                    walk(&cast.owner, &transactions(&cast, query), limit, way),
                    whole,
                    "`{query}` by {limit}, {way:?}"
                );
            }
        }
    }
}

fn rule_2_1_the_header_wins(server: &Server) {
    let cast = fixture(server);
    let path = transactions(&cast, "");
    let whole = ids(&find(&cast, ""));
    let cursor = |limit| {
        page(&cast.owner, &path, limit, None, Way::Header)["cursor"]
            .as_str()
            .expect("a cursor")
            .to_owned()
    };
    let (after_two, after_five) = (cursor(2), cursor(5));
    let both = cast
        .owner
        .header("cursor", &after_five)
        .get(&format!("{path}&limit=3&cursor={}", encode(&after_two)))
        .ok();
    assert_eq!(ids(&both), &whole[5..8]);
    // The page size may change between pages.
    let next = page(&cast.owner, &path, 40, Some(&after_two), Way::Header);
    assert_eq!(ids(&next), &whole[2..42]);
    assert!(absent(&next, "cursor"));
}

fn rule_2_4_a_query_filters_and_the_cursor_is_a_position(server: &Server) {
    let cast = fixture(server);
    let whole = ids(&find(&cast, ""));
    let third = ids(&find(&cast, "#third"));
    for place in [1, 10, 20, 41] {
        let first = page(&cast.owner, &transactions(&cast, ""), place, None, Way::Header);
        let cursor = first["cursor"].as_str().expect("a cursor");
        let rest =
            page(&cast.owner, &transactions(&cast, "#third"), 1000, Some(cursor), Way::Header);
        let wanted: Vec<&String> = whole[place..].iter().filter(|id| third.contains(id)).collect();
        assert_eq!(
            ids(&rest).iter().collect::<Vec<_>>(),
            wanted,
            "a cursor of the whole list after {place} rows, with the query #third"
        );
        // A query of the request replaces that of the cursor.
        let narrow = page(&cast.owner, &transactions(&cast, "#third"), 1, None, Way::Header);
        let cursor = narrow["cursor"].as_str().expect("a cursor");
        let position = whole.iter().position(|id| *id == ids(&narrow)[0]).expect("listed");
        let all = page(
            &cast.owner,
            &transactions(&cast, "account:Cash"),
            1000,
            Some(cursor),
            Way::Header,
        );
        assert_eq!(ids(&all), &whole[position + 1..]);
    }
}

fn rule_2_4_stable_under_changes(server: &Server) {
    let cast = fixture(server);
    let whole = ids(&find(&cast, ""));
    let path = transactions(&cast, "");
    let mut walked = Vec::new();
    let mut cursor: Option<String> = None;
    let mut round = 0;
    loop {
        let page = page(&cast.owner, &path, 4, cursor.as_deref(), Way::Bare);
        walked.extend(ids(&page));
        let Some(next) = page["cursor"].as_str() else { break };
        cursor = Some(next.to_owned());
        // Before and at the position: neither may appear, nor push a row out.
        for date in ["2090-01-01", items(&page)[0]["date"].as_str().unwrap_or("2090-01-01")] {
            cast.post(
                "/transactions",
                &json!({"description": format!("new{round}"), "amount": "1", "date": date}),
            )
            .ok();
        }
        // The row of the cursor is deleted; the position stays valid.
        let last = items(&page).last().expect("a row").clone();
        cast.patch("/transactions/trash", &json!({"id": last["id"]})).ok();
        round += 1;
    }
    assert_eq!(walked, whole, "2.4: all rows of the beginning, each once, and no new ones");
}

fn rule_2_5_damaged_cursors(server: &Server) {
    let cast = fixture(server);
    let path = transactions(&cast, "");
    let first = page(&cast.owner, &path, 5, None, Way::Header);
    let good = first["cursor"].as_str().expect("a cursor").to_owned();
    let half = good[..good.len() / 2].to_owned();
    let longer = format!("{good}x");
    let mut faults = Faults::default();
    for damaged in ["nonsense", "%00", half.as_str(), &"A".repeat(3000)] {
        for way in [Way::Header, Way::Parameter] {
            let answer = match way {
                Way::Header => cast.owner.header("cursor", damaged).get(&format!("{path}&limit=5")),
                _ => cast.owner.get(&format!("{path}&limit=5&cursor={}", encode(damaged))),
            };
            let shown: String = damaged.chars().take(30).collect();
            faults.check(answer.status == 200 && answer.body["items"] == first["items"], || {
                format!(
                    "{way:?} {shown}: not the first page: {} {:.200}",
                    answer.status, answer.text
                )
            });
        }
    }
    let answer = cast.owner.header("cursor", &longer).get(&format!("{path}&limit=5"));
    faults.same("2.5: a longer cursor is never an error", answer.status, 200);
    // An empty cursor is ignored; one of another list or book is ignored or a position, but never
    // an error.
    for path in [format!("{path}&limit=5&cursor="), format!("{path}&limit=5")] {
        faults.same(
            &path,
            cast.owner.header("cursor", "").get(&path).body["items"].clone(),
            first["items"].clone(),
        );
    }
    let other = Cast::new(server);
    other.post("/transactions", &json!({"description": "t1", "amount": "1"})).ok();
    faults.same(
        "another book's",
        other.owner.header("cursor", &good).get(&other.path("/transactions")).status,
        200,
    );
    faults.same(
        "on events",
        cast.owner.header("cursor", &good).get(&cast.path("/events")).status,
        200,
    );
    faults.none();
}

fn rule_2_4_dateless_drafts_tie_with_today(server: &Server) {
    let zone = zone_at_day();
    let cast = Cast::with_settings(server, json!({"timeZone": zone}));
    let create = |fields: Value| cast.post("/transactions", &fields).ok()["transaction"].clone();
    let today = day_in(zone, &create(json!({"description": "t0", "amount": "1"}))).to_string();
    for index in 1..9 {
        let mut body = json!({"description": format!("t{index}"), "amount": "1"});
        if index % 2 == 0 {
            body["date"] = json!(today);
        }
        create(body);
    }
    let list = find(&cast, "");
    assert_eq!(
        labels(&list),
        ["t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1", "t0"],
        "2.6: by creation among rows of today"
    );
    for limit in 1..5 {
        assert_eq!(
            walk(&cast.owner, &transactions(&cast, ""), limit, Way::Bare),
            ids(&list),
            "by {limit}"
        );
    }
}

fn rule_2_events_are_paged_alike(server: &Server) {
    let cast = Cast::new(server);
    let bodies = (0..230).map(|index| json!({"description": format!("t{index}"), "amount": "1"}));
    cast.post("/transactions/batch", &batch(bodies)).ok();
    let made = cast.post("/transactions", &json!({"description": "last", "amount": "1"})).ok();
    let mut faults = Faults::default();
    for (parameter, wanted) in [
        ("", 50),
        ("limit=0", 50),
        ("limit=-5", 50),
        ("limit=x", 50),
        ("limit=1", 1),
        ("limit=200", 200),
        ("limit=201", 200),
        ("limit=1000", 200),
    ] {
        let list = cast.get(&format!("/events?{parameter}")).ok();
        faults.same(parameter, items(&list).len(), wanted);
        faults.same(
            "2.6: the newest first",
            &list["items"][0]["resource"],
            &made["transaction"]["id"],
        );
    }
    // 236 events: the book, four collaborators, 231 transactions.
    let path = cast.path("/events?");
    let whole = walk(&cast.owner, &path, 200, Way::Header);
    faults.same("all", whole.len(), 236);
    for (limit, way) in [(59, Way::Header), (7, Way::Parameter), (118, Way::Bare)] {
        faults.check(walk(&cast.owner, &path, limit, way) == whole, || {
            format!("by {limit}, {way:?}: not the whole")
        });
    }
    let typed = cast.path("/events?type=COLLABORATOR_ADDED");
    faults.same("filtered, by 1", walk(&cast.owner, &typed, 1, Way::Header).len(), 4);
    faults.none();
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_2_1_the_header_wins,
        rule_2_3_pages_are_the_whole,
        rule_2_4_a_query_filters_and_the_cursor_is_a_position,
        rule_2_4_stable_under_changes,
        rule_2_4_dateless_drafts_tie_with_today,
        rule_2_5_damaged_cursors,
        rule_2_events_are_paged_alike,
    ]
}
