//! Reads the file of each folder in `cases` and compares what is found with `expected.json`.
//!
//! A folder has a file `input`, perhaps `rules` for it, and `expected.json`, which may also state
//! `options`. Fields without a value are left out of it. The folders 01 to 25 are the problems of
//! real files that the import is designed for; the others are further inputs of the same kinds.

use std::fs;
use std::path::Path;

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::calendar::format_iso;
use daybook_interchange::read::day::DayOrder;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::original::Originals;
use daybook_interchange::read::problem::Problem;
use daybook_interchange::read::record::{
    Balance, Item, Leg, Record, Skip, Statement, Status, Summary,
};
use daybook_interchange::read::{rules, statements};
use serde_json::{Map, Value, json};

#[test]
fn cases_are_read_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut names: Vec<String> = fs::read_dir(folder.as_path())
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let failures: Vec<String> =
        names.iter().filter_map(|name| difference(name, &folder.join(name))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(names.len() >= 60, "{} cases are too few to be all", names.len());
}

/// Returns what is read if it is not what is expected.
fn difference(name: &str, case: &Path) -> Option<String> {
    let expected = fs::read_to_string(case.join("expected.json")).unwrap_or_default();
    let mut expected: Value = serde_json::from_str(&expected).unwrap_or_default();
    let options = expected.as_object_mut().and_then(|fields| fields.remove("options"));
    let input = fs::read(case.join("input")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rules = fs::read_to_string(case.join("rules")).ok();
    let found = read(&input, rules.as_deref(), &options.unwrap_or_default());
    (found != expected).then(|| format!("{name}\n{found:#}"))
}

/// The text of each record that is cut out of the file has the digits of its amount.
#[test]
fn originals_have_the_amounts_of_their_records() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut found = 0;
    for entry in fs::read_dir(folder).expect("the folder of the cases") {
        let case = entry.expect("an entry").path();
        let input = fs::read(case.join("input")).expect("an input");
        let rules = fs::read_to_string(case.join("rules")).unwrap_or_default();
        let rules = rules::parse(&rules, &|_| None).ok().filter(|_| case.join("rules").exists());
        let (mut records, options) = (Vec::new(), Options::default());
        let mut sink = |item| match item {
            // The amount of one with parts is their sum.
            Item::Record(record) if record.legs.is_empty() => {
                records.push((record.position, record.amount));
            }
            Item::Record(_) | Item::Skipped(_) | Item::Refused(_) => {}
        };
        if statements(&input, rules.as_ref(), &options, &mut sink).is_err() {
            continue;
        }
        let positions = records.iter().map(|(position, _)| *position).collect();
        let Some(originals) = Originals::cut(&input, rules.as_ref(), &options, positions) else {
            continue;
        };
        for (position, amount) in records {
            let digits =
                |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
            let (text, amount) = (originals.find(position), amount.to_string());
            let wanted = digits(&amount);
            let wanted = wanted.trim_matches('0');
            assert!(digits(text).contains(wanted), "{}: {amount}: {text}", case.display());
            found += 1;
        }
    }
    assert!(found > 100, "{found} records");
}

fn read(input: &[u8], rules: Option<&str>, options: &Value) -> Value {
    let rules = match rules.map(|text| rules::parse(text, &|_| None)).transpose() {
        Ok(rules) => rules,
        Err(problem) => return json!({ "rules": problem.to_string() }),
    };
    let options = Options {
        day_order: options["dayOrder"].as_str().map(|order| match order {
            "monthFirst" => DayOrder::MonthFirst,
            _ => DayOrder::DayFirst,
        }),
        decimal_mark: options["decimalMark"].as_str().map(|mark| match mark {
            "," => DecimalSeparator::Comma,
            _ => DecimalSeparator::Dot,
        }),
        encoding: options["encoding"].as_str().map(str::to_owned),
        sheet: options["sheet"].as_str().map(str::to_owned),
    };
    let (mut records, mut skipped, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let mut sink = |item| match item {
        Item::Record(record) => records.push(show_record(&record)),
        Item::Skipped(Skip { position, reason }) => skipped.push(format!("{position}: {reason}")),
        Item::Refused(problem) => refused.push(problem.to_string()),
    };
    match statements(input, rules.as_ref(), &options, &mut sink) {
        Ok(summary) => {
            assert_eq!(summary.detection.records, records.len());
            assert_eq!((summary.skipped, summary.refused), (skipped.len(), refused.len()));
            show_summary(&summary, records, skipped, refused)
        }
        Err(problem) => json!({ "error": problem.to_string() }),
    }
}

fn show_summary(
    summary: &Summary,
    records: Vec<Value>,
    skipped: Vec<String>,
    refused: Vec<String>,
) -> Value {
    let warnings: Vec<String> = summary.warnings.iter().map(Problem::to_string).collect();
    let statements: Vec<Value> = summary.statements.iter().map(show_statement).collect();
    compact(vec![
        ("detected", json!(summary.detection.to_string())),
        ("statements", json!(statements)),
        ("records", json!(records)),
        ("skipped", json!(skipped)),
        ("refused", json!(refused)),
        ("warnings", json!(warnings)),
    ])
}

fn show_statement(statement: &Statement) -> Value {
    let balance = |balance: Option<Balance>| {
        balance.map(|balance| match balance.date {
            Some(date) => format!("{} on {}", balance.amount, format_iso(date)),
            None => balance.amount.to_string(),
        })
    };
    let period = statement.period.map(|(first, last)| [format_iso(first), format_iso(last)]);
    compact(vec![
        ("account", json!(statement.account)),
        ("currency", json!(statement.currency)),
        ("period", json!(period)),
        ("opening", json!(balance(statement.opening))),
        ("closing", json!(balance(statement.closing))),
        ("sum", json!(statement.sum.map(|sum| sum.to_string()))),
    ])
}

fn show_record(record: &Record) -> Value {
    let legs: Vec<Value> = record.legs.iter().map(show_leg).collect();
    let original = record.original.as_ref().map(|original| {
        let rate = original.rate.as_deref().map(|rate| format!(" at {rate}")).unwrap_or_default();
        format!("{} {}{rate}", original.amount, original.currency)
    });
    let properties: Map<String, Value> =
        record.properties.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    compact(vec![
        ("place", json!(format!("{}:{}", record.position.line, record.position.column))),
        ("statement", json!(Some(record.statement).filter(|index| *index > 0))),
        ("date", json!(record.date.map(format_iso))),
        ("valueDate", json!(record.value_date.map(format_iso))),
        ("amount", json!(record.amount.to_string())),
        ("currency", json!(record.currency)),
        ("description", json!(record.description)),
        ("payee", json!(record.payee)),
        ("memo", json!(record.memo)),
        ("reference", json!(record.reference)),
        ("id", json!(record.source_id)),
        ("pending", json!((record.status == Status::Pending).then_some(true))),
        ("checked", json!(record.is_checked.then_some(true))),
        ("account", json!(record.account)),
        ("counterparty", json!(record.counterparty)),
        ("legs", json!(legs)),
        ("original", json!(original)),
        ("balance", json!(record.balance.map(|balance| balance.to_string()))),
        ("properties", json!(properties)),
    ])
}

fn show_leg(leg: &Leg) -> Value {
    compact(vec![
        ("account", json!(leg.account)),
        ("transfer", json!(leg.is_transfer.then_some(true))),
        ("amount", json!(leg.amount.to_string())),
        ("currency", json!(leg.currency)),
        ("description", json!(leg.description)),
    ])
}

/// Makes an object of the fields that have a value.
fn compact(fields: Vec<(&str, Value)>) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    let fields = fields.into_iter().filter(|(_, value)| !is_empty(value));
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).collect())
}
