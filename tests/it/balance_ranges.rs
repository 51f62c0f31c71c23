//! Periodicity (5.8) and the range texts of balances (5.9): `range`, `previousRange` and
//! `nextRange` are queries in the style of the given dates.

use daybook_tests::{Cast, Server};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::json;

use crate::reading::{Faults, balances, day_of};

fn cast(server: &Server) -> (Cast, Date) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.group("Daily Money");
    let today = day_of(&cast.read(""));
    (cast, today)
}

/// The domain crate tests the full table.
fn rule_5_8_periodicity_follows_the_dates(server: &Server) {
    let (cast, _) = cast(server);
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

fn check(cast: &Cast, rows: &[Row]) {
    let label = |day: &Option<Date>| {
        day.map_or_else(String::new, |day| day.strftime("%d/%m/%Y").to_string())
    };
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
    let (cast, today) = cast(server);
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
    check(&cast, &rows);
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_5_8_periodicity_follows_the_dates, rule_5_9_ranges_of_the_table_of_the_rule]
}
