//! Reads the JSON of reports for the comparison with hledger.

use daybook_tests::decimal::units;
use daybook_tests::hledger::{Figures, Journal};
use serde_json::Value;

/// The amounts of the rows, one for each column of amounts.
///
/// A row is named by what the report shows around it: the section, the groups and the account. So
/// the names equal those of [`Journal`] if all stand in the right place. A section's total has the
/// name of the section, other rows have their label.
#[track_caller]
pub(super) fn figures(report: &Value, journal: &Journal) -> Figures {
    let columns = amount_columns(report);
    let mut figures = Figures::new();
    let mut path: Vec<&str> = Vec::new();
    for row in list(report, "rows") {
        let label = row["cells"][0].as_str().expect("a label");
        let depth = usize::try_from(row["depth"].as_u64().expect("a depth")).expect("a depth");
        let amounts: Vec<i128> =
            columns.iter().map(|column| amount(&row["cells"][*column])).collect();
        let name = match row["kind"].as_str().expect("a kind") {
            "section" => {
                path = vec![label];
                continue;
            }
            "group" => {
                path.truncate(depth + 1);
                path.push(label);
                continue;
            }
            "line" => {
                path.truncate(depth + 1);
                let name = format!("{}:{label}", path.join(":"));
                if let Some(id) = row["accountId"].as_str() {
                    assert_eq!(journal.name(id), name, "13.5, 13.6: the place of an account");
                    assert!(amounts.iter().any(|amount| *amount != 0), "13.2: zeros: {row}");
                }
                name
            }
            "subtotal" => {
                path.truncate(depth + 2);
                path.join(":")
            }
            "total" if label.eq_ignore_ascii_case(&format!("Total {}", path[0])) => {
                path[0].to_owned()
            }
            "total" | "result" | "balance" => label.to_owned(),
            other => panic!("a row of the kind {other}: {row}"),
        };
        let before = figures.insert(name.clone(), amounts);
        assert_eq!(before, None, "`{name}` stands once");
    }
    figures
}

/// The keys of the columns of amounts.
pub(super) fn keys(report: &Value) -> Vec<String> {
    let columns = list(report, "columns");
    amount_columns(report)
        .iter()
        .map(|column| columns[*column]["key"].as_str().expect("a key").to_owned())
        .collect()
}

/// Asserts that every control holds.
#[track_caller]
pub(super) fn assert_controls(report: &Value) {
    let controls = list(report, "controls");
    assert!(!controls.is_empty(), "13.4: controls: {report}");
    for control in controls {
        assert_eq!(control["left"], control["right"], "13.4: {control}");
        assert_eq!(control["holds"], true, "13.4: {control}");
    }
}

#[track_caller]
pub(super) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("no list `{field}`: {value}"))
}

/// The amount of a cell; an empty one counts as zero.
#[track_caller]
pub(super) fn amount(cell: &Value) -> i128 {
    cell.as_str().filter(|text| !text.is_empty()).map_or(0, units)
}

fn amount_columns(report: &Value) -> Vec<usize> {
    let columns = list(report, "columns").iter().enumerate();
    columns.filter(|(_, column)| column["kind"] == "amount").map(|(index, _)| index).collect()
}
