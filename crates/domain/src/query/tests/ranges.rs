//! Tests of ranges, previous and next ranges, and labels (behaviour 5.9).

use super::*;

/// A range, the previous and the next range, and the labels.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Checks queries that consist of their range.
#[track_caller]
fn check_all(context: &ParseContext, rows: &[Row<'_>]) {
    for (text, previous, next, labels) in rows {
        let query = BalanceQuery::parse(text, context).unwrap();
        assert_eq!(query.range, format!(" {text}"));
        let neighbours = [query.previous_range.trim_start(), query.next_range.trim_start()];
        assert_eq!(neighbours, [*previous, *next], "{text}");
        assert_eq!(format!("{}..{}", query.begin_label, query.end_label), *labels, "{text}");
    }
}

#[track_caller]
fn check_rows(rows: &[Row<'_>]) {
    check_all(&context(), rows);
}

#[test]
fn range_has_the_date_and_periodicity_terms() {
    for (text, range) in [
        ("group:'Assets' before:2025 by:m", " before:2025 by:m"),
        ("account:Cash on:2025-03 #x", " on:2025-03"),
        ("AFTER: 2025-01-01", " AFTER:2025-01-01"),
        ("period:'2025'", " period:2025"),
        ("account:Cash", ""),
        ("account:Cash by:m", ""),
        ("after:soon by:m", ""),
    ] {
        assert_eq!(balance(text).range, range, "{text}");
    }
    let query = balance("account:Cash by:m");
    let texts = [&query.previous_range, &query.next_range, &query.begin_label, &query.end_label];
    assert_eq!(texts, [""; 4]);
}

#[test]
fn ranges_shift_by_their_length() {
    check_rows(&[
        ("before:2025 by:m", "before:2024 by:m", "before:2026 by:m", "..31/12/2024"),
        ("on:2025-03", "on:2025-02", "on:2025-04", "01/03/2025..31/03/2025"),
        (
            "after:$m-1 before:$m",
            "after:$m-2 before:$m-1",
            "after:$m before:$m+1",
            "01/05/2025..31/05/2025",
        ),
        (
            "after:2025-01-10 before:2025-01-20",
            "after:2024-12-31 before:2025-01-10",
            "after:2025-01-20 before:2025-01-30",
            "10/01/2025..19/01/2025",
        ),
        // A single bound shifts by one unit.
        ("after:2025-03-01", "after:2025-02-28", "after:2025-03-02", "01/03/2025.."),
        ("before:$y", "before:$y-1", "before:$y+1", "..31/12/2025"),
        ("by:d on:$d", "by:d on:$d-1", "by:d on:$d+1", "20/05/2025..20/05/2025"),
        ("on:2024", "on:2023", "on:2025", "01/01/2024..31/12/2024"),
    ]);
}

#[test]
fn styles_are_kept() {
    check_rows(&[
        ("on:9/2018", "on:8/2018", "on:10/2018", "01/09/2018..30/09/2018"),
        ("on:01/2018", "on:12/2017", "on:02/2018", "01/01/2018..31/01/2018"),
        ("on:2018/12", "on:2018/11", "on:2019/01", "01/12/2018..31/12/2018"),
        ("on:jan/2013", "on:dec/2012", "on:feb/2013", "01/01/2013..31/01/2013"),
        ("on:MAY/2013", "on:APR/2013", "on:JUN/2013", "01/05/2013..31/05/2013"),
        ("on:March/2013", "on:February/2013", "on:April/2013", "01/03/2013..31/03/2013"),
        ("on:01/03/2025", "on:28/02/2025", "on:02/03/2025", "01/03/2025..01/03/2025"),
        ("on:9/3/2025", "on:8/3/2025", "on:10/3/2025", "09/03/2025..09/03/2025"),
        ("on:20/05", "on:19/05", "on:21/05", "20/05/2025..20/05/2025"),
        ("on:2025-3-31", "on:2025-3-30", "on:2025-4-1", "31/03/2025..31/03/2025"),
        ("on:$w", "on:$w-1", "on:$w+1", "19/05/2025..25/05/2025"),
        ("on:$q+1", "on:$q", "on:$q+2", "01/07/2025..30/09/2025"),
        (
            "after:$w-2 before:$w",
            "after:$w-4 before:$w-2",
            "after:$w before:$w+2",
            "12/05/2025..25/05/2025",
        ),
        (
            "after:2013 before:2015",
            "after:2011 before:2013",
            "after:2015 before:2017",
            "01/01/2013..31/12/2014",
        ),
        ("on:today", "on:$d-1", "on:$d+1", "20/05/2025..20/05/2025"),
        ("on:yesterday", "on:$d-2", "on:$d", "19/05/2025..19/05/2025"),
    ]);
}

#[test]
fn labels_and_styles_in_other_patterns() {
    let month_first = with_pattern(DatePattern::MonthFirst);
    check_all(
        &month_first,
        &[("on:03/01/2025", "on:02/28/2025", "on:03/02/2025", "03/01/2025..03/01/2025")],
    );
    let year_first = with_pattern(DatePattern::YearFirst);
    check_all(
        &year_first,
        &[
            ("on:2025/03/01", "on:2025/02/28", "on:2025/03/02", "2025/03/01..2025/03/01"),
            ("on:01/03/2025", "on:28/02/2025", "on:02/03/2025", "2025/03/01..2025/03/01"),
        ],
    );
}

#[test]
fn inexpressible_dates_are_formatted_in_iso() {
    check_rows(&[
        // Composed dates.
        ("after:15/$m", "after:2025-05-14", "after:2025-05-16", "15/05/2025.."),
        ("on:$m/$y", "on:2025-04", "on:2025-06", "01/05/2025..31/05/2025"),
        // A month of two digits has the same form with and without padding.
        (
            "after:2025-9 before:2025-10",
            "after:2025-8 before:2025-09",
            "after:2025-10 before:2025-11",
            "01/09/2025..30/09/2025",
        ),
        // Mixed granularity.
        (
            "after:2024 before:7/2025",
            "after:2022-07 before:1/2024",
            "after:2025-07 before:1/2027",
            "01/01/2024..30/06/2025",
        ),
        (
            "after:$w-1 before:2025-05-24",
            "after:2025-05-14 before:2025-05-19",
            "after:2025-05-24 before:2025-05-29",
            "19/05/2025..23/05/2025",
        ),
        // A year has no ISO form as a month, so two bounds replace it.
        (
            "on:2024 after:2024-07",
            "after:2023-07 before:2024-07 after:2024-01",
            "after:2024-07 before:2025-07 after:2025-01",
            "01/07/2024..31/12/2024",
        ),
        // Parsed in swapped order, but its neighbour would not be.
        ("on:01/13/2025", "on:2025-01-12", "on:01/14/2025", "13/01/2025..13/01/2025"),
        // A short day of another year.
        ("on:31/12", "on:30/12", "on:2026-01-01", "31/12/2025..31/12/2025"),
    ]);
}

#[test]
fn ranges_outside_the_calendar_are_empty() {
    check_rows(&[
        ("on:9999", "on:9998", "", "01/01/9999..31/12/9999"),
        ("on:0001", "", "on:0002", "01/01/0001..31/12/0001"),
        ("before:0001-01-01 by:m", "", "before:0001-01-02 by:m", ".."),
        ("after:$y+7973", "after:$y+7972", "", "01/01/9999.."),
    ]);
}

#[test]
fn dates_are_intersected() {
    check_rows(&[
        (
            "after:2024-01 after:2025-01 before:2025-04 before:2025-03",
            "after:2023-11 after:2024-11 before:2025-02 before:2025-01",
            "after:2024-03 after:2025-03 before:2025-06 before:2025-05",
            "01/01/2025..28/02/2025",
        ),
        // An empty range shifts by one unit.
        (
            "after:2025 before:2024",
            "after:2024 before:2023",
            "after:2026 before:2025",
            "01/01/2025..31/12/2023",
        ),
    ]);
}
