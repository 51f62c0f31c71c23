//! Tests of ranges, previous and next ranges, and labels (behaviour 5.9).

use super::*;

/// Checks the range, the previous and the next range, and the labels.
#[track_caller]
fn check(text: &str, ranges: [&str; 3], labels: [&str; 2]) {
    check_with(&context(), text, ranges, labels);
}

#[track_caller]
fn check_with(context: &ParseContext, text: &str, ranges: [&str; 3], labels: [&str; 2]) {
    let query = BalanceQuery::parse(text, context).unwrap();
    assert_eq!([query.range.as_str(), &query.previous_range, &query.next_range], ranges, "{text}");
    assert_eq!([query.begin_label.as_str(), &query.end_label], labels, "{text}");
}

#[test]
fn ranges_shift_by_their_length() {
    check(
        "group:'Assets' before:2025 by:m",
        [" before:2025 by:m", " before:2024 by:m", " before:2026 by:m"],
        ["", "31/12/2024"],
    );
    check(
        "account:Cash on:2025-03",
        [" on:2025-03", " on:2025-02", " on:2025-04"],
        ["01/03/2025", "31/03/2025"],
    );
    check(
        "group:X after:$m-1 before:$m",
        [" after:$m-1 before:$m", " after:$m-2 before:$m-1", " after:$m before:$m+1"],
        ["01/05/2025", "31/05/2025"],
    );
    check(
        "group:X after:$m-12 before:$m-6",
        [" after:$m-12 before:$m-6", " after:$m-18 before:$m-12", " after:$m-6 before:$m"],
        ["01/06/2024", "30/11/2024"],
    );
    check(
        "after:2025-01-10 before:2025-01-20",
        [
            " after:2025-01-10 before:2025-01-20",
            " after:2024-12-31 before:2025-01-10",
            " after:2025-01-20 before:2025-01-30",
        ],
        ["10/01/2025", "19/01/2025"],
    );
}

#[test]
fn query_without_dates_has_no_range() {
    for text in ["account:Cash", "account:Cash by:m", "by:d", "after:soon by:m"] {
        check(text, [""; 3], [""; 2]);
    }
}

#[test]
fn single_bound_shifts_by_one_unit() {
    check(
        "after:2025-03-01",
        [" after:2025-03-01", " after:2025-02-28", " after:2025-03-02"],
        ["01/03/2025", ""],
    );
    check("before:$y", [" before:$y", " before:$y-1", " before:$y+1"], ["", "31/12/2025"]);
    check("by:d on:$d", [" by:d on:$d", " by:d on:$d-1", " by:d on:$d+1"], ["20/05/2025"; 2]);
    check("on:2024", [" on:2024", " on:2023", " on:2025"], ["01/01/2024", "31/12/2024"]);
}

#[test]
fn styles_are_kept() {
    check("on:7/2018", [" on:7/2018", " on:6/2018", " on:8/2018"], ["01/07/2018", "31/07/2018"]);
    check("on:9/2018", [" on:9/2018", " on:8/2018", " on:10/2018"], ["01/09/2018", "30/09/2018"]);
    check(
        "on:01/2018",
        [" on:01/2018", " on:12/2017", " on:02/2018"],
        ["01/01/2018", "31/01/2018"],
    );
    check(
        "on:2018/12",
        [" on:2018/12", " on:2018/11", " on:2019/01"],
        ["01/12/2018", "31/12/2018"],
    );
    check(
        "on:jan/2013",
        [" on:jan/2013", " on:dec/2012", " on:feb/2013"],
        ["01/01/2013", "31/01/2013"],
    );
    check(
        "on:MAY/2013",
        [" on:MAY/2013", " on:APR/2013", " on:JUN/2013"],
        ["01/05/2013", "31/05/2013"],
    );
    check(
        "on:March/2013",
        [" on:March/2013", " on:February/2013", " on:April/2013"],
        ["01/03/2013", "31/03/2013"],
    );
    check(
        "on:01/03/2025",
        [" on:01/03/2025", " on:28/02/2025", " on:02/03/2025"],
        ["01/03/2025"; 2],
    );
    check("on:9/3/2025", [" on:9/3/2025", " on:8/3/2025", " on:10/3/2025"], ["09/03/2025"; 2]);
    check("on:20/05", [" on:20/05", " on:19/05", " on:21/05"], ["20/05/2025"; 2]);
    check("on:$w", [" on:$w", " on:$w-1", " on:$w+1"], ["19/05/2025", "25/05/2025"]);
    check("on:$q+1", [" on:$q+1", " on:$q", " on:$q+2"], ["01/07/2025", "30/09/2025"]);
    check(
        "after:$q-1 before:$q",
        [" after:$q-1 before:$q", " after:$q-2 before:$q-1", " after:$q before:$q+1"],
        ["01/04/2025", "30/06/2025"],
    );
    check(
        "after:$w-2 before:$w",
        [" after:$w-2 before:$w", " after:$w-4 before:$w-2", " after:$w before:$w+2"],
        ["12/05/2025", "25/05/2025"],
    );
    check(
        "after:2013 before:2015",
        [" after:2013 before:2015", " after:2011 before:2013", " after:2015 before:2017"],
        ["01/01/2013", "31/12/2014"],
    );
    check("on:today", [" on:today", " on:$d-1", " on:$d+1"], ["20/05/2025"; 2]);
    check("on:yesterday", [" on:yesterday", " on:$d-2", " on:$d"], ["19/05/2025"; 2]);
    check(
        "AFTER: 2025-01-01",
        [" AFTER:2025-01-01", " AFTER:2024-12-31", " AFTER:2025-01-02"],
        ["01/01/2025", ""],
    );
    check(
        "period:'2025'",
        [" period:2025", " period:2024", " period:2026"],
        ["01/01/2025", "31/12/2025"],
    );
}

#[test]
fn labels_and_styles_in_other_patterns() {
    let month_first = with_pattern(DatePattern::MonthFirst);
    check_with(
        &month_first,
        "on:03/01/2025",
        [" on:03/01/2025", " on:02/28/2025", " on:03/02/2025"],
        ["03/01/2025"; 2],
    );
    let year_first = with_pattern(DatePattern::YearFirst);
    check_with(
        &year_first,
        "on:2025/03/01",
        [" on:2025/03/01", " on:2025/02/28", " on:2025/03/02"],
        ["2025/03/01"; 2],
    );
    check_with(
        &year_first,
        "on:01/03/2025",
        [" on:01/03/2025", " on:28/02/2025", " on:02/03/2025"],
        ["2025/03/01"; 2],
    );
}

#[test]
fn unpadded_days_stay_unpadded() {
    check(
        "on:2025-3-31",
        [" on:2025-3-31", " on:2025-3-30", " on:2025-4-1"],
        ["31/03/2025", "31/03/2025"],
    );
    check(
        "after:2025-9 before:2025-10",
        [
            " after:2025-9 before:2025-10",
            " after:2025-8 before:2025-09",
            " after:2025-10 before:2025-11",
        ],
        ["01/09/2025", "30/09/2025"],
    );
}

#[test]
fn inexpressible_dates_are_formatted_in_iso() {
    // Composed dates.
    check(
        "after:15/$m",
        [" after:15/$m", " after:2025-05-14", " after:2025-05-16"],
        ["15/05/2025", ""],
    );
    check("on:$m/$y", [" on:$m/$y", " on:2025-04", " on:2025-06"], ["01/05/2025", "31/05/2025"]);
    // Mixed granularity.
    check(
        "after:2024 before:7/2025",
        [
            " after:2024 before:7/2025",
            " after:2022-07 before:1/2024",
            " after:2025-07 before:1/2027",
        ],
        ["01/01/2024", "30/06/2025"],
    );
    check(
        "after:$y-1 before:$m",
        [" after:$y-1 before:$m", " after:2024-08 before:$m-5", " after:2025-06 before:$m+5"],
        ["01/01/2025", "31/05/2025"],
    );
    check(
        "after:$w-1 before:2025-05-24",
        [
            " after:$w-1 before:2025-05-24",
            " after:2025-05-14 before:2025-05-19",
            " after:2025-05-24 before:2025-05-29",
        ],
        ["19/05/2025", "23/05/2025"],
    );
    // A year has no ISO form as a month, so two bounds replace it.
    check(
        "on:2024 after:2024-07",
        [
            " on:2024 after:2024-07",
            " after:2023-07 before:2024-07 after:2024-01",
            " after:2024-07 before:2025-07 after:2025-01",
        ],
        ["01/07/2024", "31/12/2024"],
    );
    // Parsed in swapped order, but its neighbour would not be.
    check(
        "on:01/13/2025",
        [" on:01/13/2025", " on:2025-01-12", " on:01/14/2025"],
        ["13/01/2025"; 2],
    );
    // A short day of another year.
    check("on:31/12", [" on:31/12", " on:30/12", " on:2026-01-01"], ["31/12/2025"; 2]);
}

#[test]
fn ranges_outside_the_calendar_are_empty() {
    check("on:9999", [" on:9999", " on:9998", ""], ["01/01/9999", "31/12/9999"]);
    check("on:0001", [" on:0001", "", " on:0002"], ["01/01/0001", "31/12/0001"]);
    check(
        "before:0001-01-01 by:m",
        [" before:0001-01-01 by:m", "", " before:0001-01-02 by:m"],
        ["", ""],
    );
    check("after:$y+7973", [" after:$y+7973", " after:$y+7972", ""], ["01/01/9999", ""]);
}

#[test]
fn dates_are_intersected() {
    check(
        "after:2024-01 after:2025-01 before:2025-04 before:2025-03",
        [
            " after:2024-01 after:2025-01 before:2025-04 before:2025-03",
            " after:2023-11 after:2024-11 before:2025-02 before:2025-01",
            " after:2024-03 after:2025-03 before:2025-06 before:2025-05",
        ],
        ["01/01/2025", "28/02/2025"],
    );
    // An empty range shifts by one unit.
    check(
        "after:2025 before:2024",
        [" after:2025 before:2024", " after:2024 before:2023", " after:2026 before:2025"],
        ["01/01/2025", "31/12/2023"],
    );
}

#[test]
fn shifting_back_restores_the_range() {
    for text in [
        "on:2025-03",
        "after:$m-12 before:$m-6",
        "after:2025-01-10 before:2025-01-20",
        "on:$w",
        "after:9/3/2025 before:11/3/2025 by:m",
        "on:feb/2024",
    ] {
        let there = balance(&balance(text).next_range);
        assert_eq!(there.previous_range, balance(text).range, "{text}");
        let back = balance(&balance(text).previous_range);
        assert_eq!(back.next_range, balance(text).range, "{text}");
    }
}
