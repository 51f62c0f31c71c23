//! Periodicity (5.8) and the range texts of balances (5.9).

use daybook_tests::{Cast, Server};
use jiff::civil::{Date, date};
use jiff::{Span, ToSpan};
use serde_json::{Value, json};

use crate::reading::{Faults, balances, day_of};

fn cast(server: &Server, settings: Value) -> (Cast, Date) {
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    cast.group("Daily Money");
    let today = day_of(&cast.owner.get(&cast.path("")).ok());
    (cast, today)
}

fn rule_5_8_periodicity(server: &Server) {
    let (cast, _) = cast(server, json!({}));
    let rows = [
        ("", "MONTHLY"),
        ("on:2025-01-10", "DAILY"),
        ("on:10/01/2025", "DAILY"),
        ("on:10/01", "DAILY"),
        ("on:2025-01", "MONTHLY"),
        ("on:01/2025", "MONTHLY"),
        ("on:jan/2025", "MONTHLY"),
        ("on:2025", "YEARLY"),
        ("before:2025", "YEARLY"),
        ("after:2024 before:2024-07", "MONTHLY"),
        ("after:2024-06 before:2024-07-10", "DAILY"),
        ("after:2024 before:01/07/2025", "DAILY"),
        ("on:$d", "DAILY"),
        ("on:$m", "MONTHLY"),
        ("on:$y", "YEARLY"),
        ("on:$q", "MONTHLY"),
        ("on:$w", "DAILY"),
        ("on:today", "DAILY"),
        ("after:15/$m", "DAILY"),
        ("on:$m/$y", "MONTHLY"),
        ("on:2025 by:d", "DAILY"),
        ("on:2025-01-10 by:y", "YEARLY"),
        ("on:2025-01-10 by:m", "MONTHLY"),
        ("by:d", "DAILY"),
        ("by:y", "YEARLY"),
        ("BY:y", "YEARLY"),
        ("on:2025 by:w", "YEARLY"),
        ("by:w", "MONTHLY"),
        ("on:2025-1-2", "DAILY"),
        ("on:2025-1", "MONTHLY"),
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

fn rule_5_9_the_table(server: &Server) {
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
            "group:X after:$m-12 before:$m-6",
            " after:$m-12 before:$m-6",
            " after:$m-18 before:$m-12",
            " after:$m-6 before:$m",
            Some(month(-11)),
            Some(month(-5) - 1.day()),
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

fn rule_5_9_styles(server: &Server) {
    let (cast, _) = cast(server, json!({}));
    let day = |year, month, day| Some(date(year, month, day));
    let january = |year| Some(date(year, 1, 1));
    let rows = [
        (
            "on:25/01/2020",
            " on:25/01/2020",
            " on:24/01/2020",
            " on:26/01/2020",
            day(2020, 1, 25),
            day(2020, 1, 25),
        ),
        (
            "on:01/03/2024 account:Cash",
            " on:01/03/2024",
            " on:29/02/2024",
            " on:02/03/2024",
            day(2024, 3, 1),
            day(2024, 3, 1),
        ),
        (
            "on:2025-01-01",
            " on:2025-01-01",
            " on:2024-12-31",
            " on:2025-01-02",
            day(2025, 1, 1),
            day(2025, 1, 1),
        ),
        ("on:2024", " on:2024", " on:2023", " on:2025", january(2024), day(2024, 12, 31)),
        (
            "on:2025-01",
            " on:2025-01",
            " on:2024-12",
            " on:2025-02",
            january(2025),
            day(2025, 1, 31),
        ),
        (
            "on:01/2025",
            " on:01/2025",
            " on:12/2024",
            " on:02/2025",
            january(2025),
            day(2025, 1, 31),
        ),
        (
            "on:2025/01",
            " on:2025/01",
            " on:2024/12",
            " on:2025/02",
            january(2025),
            day(2025, 1, 31),
        ),
        (
            "on:jan/2013",
            " on:jan/2013",
            " on:dec/2012",
            " on:feb/2013",
            january(2013),
            day(2013, 1, 31),
        ),
        (
            "after:01/2024 before:01/2025",
            " after:01/2024 before:01/2025",
            " after:01/2023 before:01/2024",
            " after:01/2025 before:01/2026",
            january(2024),
            day(2024, 12, 31),
        ),
        (
            "after:2013 before:2015",
            " after:2013 before:2015",
            " after:2011 before:2013",
            " after:2015 before:2017",
            january(2013),
            day(2014, 12, 31),
        ),
        (
            "before:2015 after:2013",
            " before:2015 after:2013",
            " before:2013 after:2011",
            " before:2017 after:2015",
            january(2013),
            day(2014, 12, 31),
        ),
        (
            "after:2024-06",
            " after:2024-06",
            " after:2024-05",
            " after:2024-07",
            day(2024, 6, 1),
            None,
        ),
        (
            "before:01/03/2024",
            " before:01/03/2024",
            " before:29/02/2024",
            " before:02/03/2024",
            None,
            day(2024, 2, 29),
        ),
        (
            "by:y before:2025-06",
            " by:y before:2025-06",
            " by:y before:2025-05",
            " by:y before:2025-07",
            None,
            day(2025, 5, 31),
        ),
        // A value that cannot be written in its style after the shift is written in ISO form of the
        // unit.
        (
            "after:2024 before:2024-07",
            " after:2024 before:2024-07",
            " after:2023-07 before:2024-01",
            " after:2024-07 before:2025-01",
            january(2024),
            day(2024, 6, 30),
        ),
    ];
    check(&cast, "%d/%m/%Y", &rows);
}

fn rule_5_9_variables_shift_by_their_offset(server: &Server) {
    let (cast, today) = cast(server, json!({}));
    let day = |year, month, day| Some(date(year, month, day));
    let january = |year| Some(date(year, 1, 1));
    let rows = [
        ("before:$d", " before:$d", " before:$d-1", " before:$d+1", None, Some(today - 1.day())),
        ("on:$d-1", " on:$d-1", " on:$d-2", " on:$d", Some(today - 1.day()), Some(today - 1.day())),
        (
            "after:$d-30 before:$d",
            " after:$d-30 before:$d",
            " after:$d-60 before:$d-30",
            " after:$d before:$d+30",
            Some(today - 30.days()),
            Some(today - 1.day()),
        ),
        (
            "after:$y-1 before:$y",
            " after:$y-1 before:$y",
            " after:$y-2 before:$y-1",
            " after:$y before:$y+1",
            january(today.year()),
            day(today.year(), 12, 31),
        ),
        (
            "on:$y+1",
            " on:$y+1",
            " on:$y",
            " on:$y+2",
            january(today.year() + 1),
            day(today.year() + 1, 12, 31),
        ),
        (
            "on:$m",
            " on:$m",
            " on:$m-1",
            " on:$m+1",
            Some(today.first_of_month()),
            Some(today.last_of_month()),
        ),
    ];
    check(&cast, "%d/%m/%Y", &rows);
}

fn rule_5_9_composed_dates(server: &Server) {
    let (cast, today) = cast(server, json!({}));
    let fifteenth = today.first_of_month() + 14.days();
    let iso = |offset: i64| format!(" after:{}", fifteenth + Span::new().days(offset));
    let (previous, next) = (iso(-1), iso(1));
    check(
        &cast,
        "%d/%m/%Y",
        &[("account:Cash after:15/$m", " after:15/$m", &previous, &next, Some(fifteenth), None)],
    );
}

fn rule_5_9_only_dates_and_periods_are_kept(server: &Server) {
    let (cast, _) = cast(server, json!({}));
    let (first, last) = (Some(date(2025, 3, 1)), Some(date(2025, 3, 31)));
    let march = |query| (query, " on:2025-03", " on:2025-02", " on:2025-04", first, last);
    let nothing = |query| (query, "", "", "", None, None);
    let rows = [
        march("on:2025-03"),
        march("on:2025-03 account:Cash"),
        march("account:Cash   on:2025-03   #tag"),
        march("#tag on:2025-03 group:'Daily Money'"),
        march("= account:'Cash' on:2025-03"),
        (
            "by:d account:Cash on:2025-03",
            " by:d on:2025-03",
            " by:d on:2025-02",
            " by:d on:2025-04",
            first,
            last,
        ),
        (
            "on:2025-03 group:X by:d",
            " on:2025-03 by:d",
            " on:2025-02 by:d",
            " on:2025-04 by:d",
            first,
            last,
        ),
        nothing("account:Cash"),
        nothing("account:Cash by:m"),
        nothing("by:y"),
        nothing("#tag group:X"),
        nothing("account:Cash on:"),
        nothing("account:Cash on:2025-02-30"),
        // 1.1.9: whatever was meant, it is not the range of the other terms.
        nothing("account:Cash on:2025-03 on:2025-02-30"),
        (
            "account:Cash on:2025-3",
            " on:2025-3",
            " on:2025-2",
            " on:2025-4",
            Some(date(2025, 3, 1)),
            Some(date(2025, 3, 31)),
        ),
    ];
    check(&cast, "%d/%m/%Y", &rows);
}

fn rule_5_9_labels_in_the_book_pattern(server: &Server) {
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
        rule_5_8_periodicity,
        rule_5_9_the_table,
        rule_5_9_styles,
        rule_5_9_variables_shift_by_their_offset,
        rule_5_9_composed_dates,
        rule_5_9_only_dates_and_periods_are_kept,
        rule_5_9_labels_in_the_book_pattern,
    ]
}
