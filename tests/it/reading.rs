//! Reads a book through the API, for the assertions of other modules.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::UNIX_EPOCH;

use daybook_tests::decimal::units;
use daybook_tests::{Answer, Cast, Client, bank, encode};
use serde_json::{Value, json};

/// listTransactions with this query and the maximum page size.
#[track_caller]
pub fn find(cast: &Cast, query: &str) -> Value {
    search(&cast.owner, cast, query).ok()
}

/// listTransactions as a caller.
#[track_caller]
pub fn search(reader: &Client, cast: &Cast, query: &str) -> Answer {
    reader.get(&cast.path(&format!("/transactions?limit=1000&query={}", encode(query))))
}

/// The rows of a list.
#[track_caller]
pub fn items(list: &Value) -> &Vec<Value> {
    list["items"].as_array().unwrap_or_else(|| panic!("2.7: a list has items: {list}"))
}

/// The ids of a list.
#[track_caller]
pub fn ids(list: &Value) -> Vec<String> {
    items(list).iter().map(id).collect()
}

/// The id of a resource.
#[track_caller]
pub fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap_or_else(|| panic!("no id: {resource}")).to_owned()
}

/// The first word of each description, by which the tests name transactions.
#[track_caller]
pub fn labels(list: &Value) -> Vec<String> {
    let first = |item: &Value| {
        item["description"]
            .as_str()
            .and_then(|text| text.split(' ').next())
            .unwrap_or("")
            .to_owned()
    };
    items(list).iter().map(first).collect()
}

/// The labels in alphabetical order.
#[track_caller]
pub fn sorted_labels(list: &Value) -> Vec<String> {
    let mut labels = labels(list);
    labels.sort();
    labels
}

/// getTransaction.
#[track_caller]
pub fn transaction(cast: &Cast, id: &str) -> Value {
    cast.get(&format!("/transactions/{id}")).ok()
}

/// A list body.
pub fn batch(items: impl IntoIterator<Item = Value>) -> Value {
    json!({"items": items.into_iter().collect::<Vec<_>>()})
}

/// getBalances.
#[track_caller]
pub fn balances(cast: &Cast, query: &str) -> Value {
    bank::balances(&cast.owner, &cast.book, query)
}

/// Debit and credit of every account with movements, over all time.
#[track_caller]
pub fn totals(cast: &Cast) -> BTreeMap<String, (i128, i128)> {
    // Yearly, to keep the response small; the bound ends the series.
    let answer = balances(cast, "before:2101 by:y");
    let sums = bank::accounts(&answer).into_iter().map(|(name, container)| {
        let sum = |key: &str| {
            units(container[key].as_str().unwrap_or_else(|| panic!("5.11: {key}: {container}")))
        };
        (name, (sum("cumulativeDebit"), sum("cumulativeCredit")))
    });
    sums.filter(|(_, sums)| *sums != (0, 0)).collect()
}

/// Debits and credits in the form of [`totals`]: `[(account, debit, credit)]` in decimals.
pub fn expected_totals(rows: &[(&str, &str, &str)]) -> BTreeMap<String, (i128, i128)> {
    rows.iter()
        .map(|(account, debit, credit)| ((*account).to_owned(), (units(debit), units(credit))))
        .collect()
}

/// Asserts debits and credits in the form of [`expected_totals`].
#[track_caller]
pub fn check_totals(cast: &Cast, rows: &[(&str, &str, &str)]) {
    assert_eq!(totals(cast), expected_totals(rows), "debit and credit of each account");
}

/// All events of the book, the oldest first.
#[track_caller]
pub fn events(cast: &Cast) -> Vec<Value> {
    let mut events = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let reader = match &cursor {
            Some(cursor) => cast.owner.header("cursor", cursor),
            None => cast.owner.clone(),
        };
        let page = reader.get(&cast.path("/events?limit=200")).ok();
        events.extend(items(&page).iter().cloned());
        cursor = page["cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    events.sort_by_key(|event| event["sequence"].as_i64());
    events
}

/// The events recorded after the first `known` ones.
#[track_caller]
pub fn new_events(cast: &Cast, known: usize) -> Vec<Value> {
    events(cast).split_off(known)
}

/// The types of events, in order.
pub fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap_or("?")).collect()
}

/// The ids of the resources of events, in order.
pub fn resources(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["resource"].as_str().unwrap_or("?")).collect()
}

/// Whether a field is missing; clients treat null as missing.
pub fn absent(value: &Value, field: &str) -> bool {
    value[field].is_null()
}

/// A time zone in which it is daytime, so that no case about today runs over midnight.
pub fn zone_at_day() -> &'static str {
    let hours = UNIX_EPOCH.elapsed().expect("after 1970").as_secs() / 3_600;
    // The other one is 14 hours ahead.
    if (6..18).contains(&(hours % 24)) { "UTC" } else { "Pacific/Kiritimati" }
}

/// The creation date of a resource in UTC.
#[track_caller]
pub fn day_of(resource: &Value) -> jiff::civil::Date {
    day_in("UTC", resource)
}

/// The creation date of a resource in a time zone.
#[track_caller]
pub fn day_in(zone: &str, resource: &Value) -> jiff::civil::Date {
    let zone = jiff::tz::TimeZone::get(zone).expect("a zone");
    let text = resource["createdAt"]
        .as_str()
        .unwrap_or_else(|| panic!("0.12: createdAt is a string of digits: {resource}"));
    let instant = jiff::Timestamp::from_millisecond(
        text.parse().unwrap_or_else(|_| panic!("createdAt: {text}")),
    );
    instant.expect("an instant").to_zoned(zone).date()
}

/// Collects the failures of a table, so that one does not hide the others.
#[derive(Default)]
pub struct Faults(Vec<String>);

impl Faults {
    /// Adds a line.
    pub fn add(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// Adds a line if the condition is false.
    pub fn check(&mut self, holds: bool, line: impl FnOnce() -> String) {
        if !holds {
            self.0.push(line());
        }
    }

    /// Adds a line if the values differ.
    pub fn same<A: PartialEq<B> + Debug, B: Debug>(&mut self, what: &str, found: A, wanted: B) {
        if found != wanted {
            self.0.push(format!("{what}: found {found:?}, expected {wanted:?}"));
        }
    }

    /// Fails with all lines.
    #[track_caller]
    pub fn none(self) {
        assert!(self.0.is_empty(), "{} wrong:\n  {}", self.0.len(), self.0.join("\n  "));
    }
}

/// Asserts a 400 with one of these reasons. The rules fix the status, and only some reasons.
#[track_caller]
pub fn refused_400(answer: Answer, reasons: &[&str]) -> String {
    let reason = answer.body["error"]["errors"][0]["reason"].as_str().unwrap_or("none").to_owned();
    assert!(
        answer.status == 400 && reasons.contains(&reason.as_str()),
        "expected 400 {reasons:?}, got {}: {}",
        answer.status,
        answer.text
    );
    answer.refused(400, &reason)
}
