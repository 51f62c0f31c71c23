//! Periodicity (5.8) and the range texts of balances (5.9): `range`, `previousRange` and
//! `nextRange` are queries in the style of the given dates.

use daybook_tests::{Cast, Server};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::reading::{Faults, balances, day_of};

fn cast(server: &Server, settings: Value) -> (Cast, Date) {
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    cast.group("Daily Money");
    let today = day_of(&cast.read(""));
    (cast, today)
}

/// The domain crate tests the full table.
fn rule_5_8_periodicity_follows_the_dates(server: &Server) {
    let (cast, _) = cast(server, json!({}));
    let rows = [
        ("", "MONTHLY"),
        ("on:10/01", "DAILY"),
        ("before:2025", "YEARLY"),
        ("after:2024-06 before:2024-07-10", "DAILY"),
        ("on:2025-01-10 by:m", "MONTHLY"),
        ("on:2025 by:w", "YEARLY"),
    ];
    let mut faults = Faults::default();
    for (dates, wanted) in rows {
        let answer = balances(&cast, &format!("account:Cash {dates}"));
        faults.same(&format!("`{dates}`"), &answer["periodicity"], &json!(wanted));
        let slices = answer["accountBalances"][0]["balances"].as_array().map_or(0, Vec::len);
        faults.check(slices > 0, || format!("5.8: `{dates}` gives at least one slice"));
    }
    faults.none();
}

/// Query, range, previousRange, nextRange, first and last day.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str, Option<Date>, Option<Date>);

fn check(cast: &Cast, pattern: &str, rows: &[Row]) {
    let label =
        |day: &Option<Date>| day.map_or_else(String::new, |day| day.strftime(pattern).to_string());
    let mut faults = Faults::default();
    for (query, range, previous, next, first, last) in rows {
        let answer = balances(cast, query);
        let wanted = [
            ("range", (*range).to_owned()),
            ("previousRange", (*previous).to_owned()),
            ("nextRange", (*next).to_owned()),
            ("rangeBeginLabel", label(first)),
            ("rangeEndLabel", label(last)),
        ];
        for (field, wanted) in wanted {
            faults.same(&format!("`{query}`: {field}"), &answer[field], &json!(wanted));
        }
    }
    faults.none();
}

fn rule_5_9_ranges_of_the_table_of_the_rule(server: &Server) {
    let (cast, today) = cast(server, json!({}));
    let month = |offset: i32| today.first_of_month() + offset.months();
    let day = |year, month, day| Some(date(year, month, day));
    let rows = [
        (
            "group:'Daily Money' before:2025 by:m",
            " before:2025 by:m",
            " before:2024 by:m",
            " before:2026 by:m",
            None,
            day(2024, 12, 31),
        ),
        (
            "account:Cash on:2025-03",
            " on:2025-03",
            " on:2025-02",
            " on:2025-04",
            day(2025, 3, 1),
            day(2025, 3, 31),
        ),
        (
            "group:X after:$m-1 before:$m",
            " after:$m-1 before:$m",
            " after:$m-2 before:$m-1",
            " after:$m before:$m+1",
            Some(month(0)),
            Some(month(1) - 1.day()),
        ),
        (
            "after:2025-01-10 before:2025-01-20",
            " after:2025-01-10 before:2025-01-20",
            " after:2024-12-31 before:2025-01-10",
            " after:2025-01-20 before:2025-01-30",
            day(2025, 1, 10),
            day(2025, 1, 19),
        ),
    ];
    check(&cast, "%d/%m/%Y", &rows);
}

fn rule_5_9_ranges_contain_only_dates_and_periods(server: &Server) {
    let (cast, _) = cast(server, json!({}));
    let (first, last) = (Some(date(2025, 3, 1)), Some(date(2025, 3, 31)));
    let march = |query| (query, " on:2025-03", " on:2025-02", " on:2025-04", first, last);
    let nothing = |query| (query, "", "", "", None, None);
    let rows = [
        march("on:2025-03"),
        march("#tag   on:2025-03 group:'Daily Money'"),
        march("= account:'Cash' on:2025-03"),
        (
            "by:d account:Cash on:2025-03",
            " by:d on:2025-03",
            " by:d on:2025-02",
            " by:d on:2025-04",
            first,
            last,
        ),
        nothing("account:Cash by:m"),
        nothing("#tag group:X"),
        nothing("account:Cash on:"),
        // 1.1.9: an invalid date makes the whole range empty.
        nothing("account:Cash on:2025-03 on:2025-02-30"),
    ];
    check(&cast, "%d/%m/%Y", &rows);
}

fn rule_5_9_labels_use_the_pattern_of_the_book(server: &Server) {
    for (pattern, format, written) in [
        ("MM/dd/yyyy", "%m/%d/%Y", ["02/01/2025", "01/31/2025", "02/02/2025"]),
        ("yyyy/MM/dd", "%Y/%m/%d", ["2025/02/01", "2025/01/31", "2025/02/02"]),
    ] {
        let (cast, _) = cast(server, json!({"datePattern": pattern}));
        let [same, previous, next] = written.map(|date| format!(" on:{date}"));
        let query = format!("account:Cash{same}");
        let day = Some(date(2025, 2, 1));
        let month = (Some(date(2025, 2, 1)), Some(date(2025, 2, 28)));
        let rows = [
            (query.as_str(), same.as_str(), previous.as_str(), next.as_str(), day, day),
            ("on:2025-02", " on:2025-02", " on:2025-01", " on:2025-03", month.0, month.1),
        ];
        check(&cast, format, &rows);
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_5_8_periodicity_follows_the_dates,
        rule_5_9_ranges_of_the_table_of_the_rule,
        rule_5_9_ranges_contain_only_dates_and_periods,
        rule_5_9_labels_use_the_pattern_of_the_book,
    ]
}
