//! Dates in queries (1.3), literal and relative to the book's today, and the examples of behaviour
//! 1.6 that have dates.

use std::collections::BTreeSet;

use daybook_tests::{CASH_AND_FOOD, Cast, Server};
use jiff::civil::{Date, date};
use jiff::{Span, ToSpan};
use serde_json::json;

use crate::reading::{Faults, batch, day_in, find, items, sorted_labels, zone_at_day};

/// The first included and the first excluded day.
type Range = (Option<Date>, Option<Date>);

fn from_to(from: Date, to: Date) -> Range {
    (Some(from), Some(to))
}

/// A whole month, relative to the month of a day.
fn month(day: Date, offset: i32) -> Range {
    let first = day.first_of_month() + offset.months();
    from_to(first, first + 1.month())
}

fn year(year: i16) -> Range {
    from_to(date(year, 1, 1), date(year + 1, 1, 1))
}

fn day(day: Date) -> Range {
    from_to(day, day + 1.day())
}

/// An empty range.
const NEVER: Range = (Some(date(2025, 1, 1)), Some(date(2025, 1, 1)));

/// Days that reveal off-by-one bounds: ends of months and years, and all days around today.
fn days(today: Date) -> BTreeSet<Date> {
    let mut days = BTreeSet::new();
    let months = (-26..=26).map(|offset| today.first_of_month() + offset.months());
    let fixed = [
        date(2012, 12, 1),
        date(2013, 1, 1),
        date(2014, 4, 1),
        date(2015, 1, 1),
        date(2018, 7, 1),
        date(2018, 8, 1),
        date(2020, 1, 1),
        date(2024, 1, 1),
    ];
    for first in months
        .chain(fixed)
        .chain((2023..=2025).flat_map(|year| (1..=12).map(move |month| date(year, month, 1))))
    {
        days.extend([first, first - 1.day(), first + 1.day(), first + 14.days()]);
    }
    days.extend([24, 25, 26].map(|day| date(2020, 1, day)));
    days.extend([27, 28, 29].map(|day| date(2013, 1, day)));
    days.extend((-40..=20).map(|offset| today + Span::new().days(offset)));
    days
}

/// A book with a draft on each of those days and one without a date; today by its own clock.
fn fixture(server: &Server, pattern: &str) -> (Cast, Date) {
    let zone = zone_at_day();
    let cast = Cast::with_settings(server, json!({"datePattern": pattern, "timeZone": zone}));
    let today = day_in(zone, &cast.owner.get(&cast.path("")).ok());
    let mut bodies = vec![json!({"description": "dateless", "amount": "1"})];
    bodies.extend(days(today).iter().map(
        |day| json!({"date": day.to_string(), "description": day.to_string(), "amount": "1"}),
    ));
    let made = cast.owner.post(&cast.path("/transactions/batch"), &batch(bodies)).ok();
    assert!(items(&made).len() > 200);
    (cast, today)
}

fn check(cast: &Cast, today: Date, table: &[(&str, Range)]) {
    let mut faults = Faults::default();
    for (query, (from, to)) in table {
        let inside =
            |day: &&Date| from.is_none_or(|from| **day >= from) && to.is_none_or(|to| **day < to);
        let days = days(today);
        let mut wanted: Vec<String> = days.iter().filter(inside).map(Date::to_string).collect();
        if (*from, *to) == (None, None) {
            wanted.push("dateless".to_owned());
        }
        let found = sorted_labels(&find(cast, query));
        if found != wanted {
            let ends = |days: &[String]| {
                format!("{} days, {:?} to {:?}", days.len(), days.first(), days.last())
            };
            faults.add(format!(
                "`{query}` (today {today}): found {}, expected {}",
                ends(&found),
                ends(&wanted)
            ));
        }
    }
    faults.none();
}

fn rule_1_3_1_literals(server: &Server) {
    let (cast, today) = fixture(server, "dd/MM/yyyy");
    let table = [
        ("on:2025-01-31", day(date(2025, 1, 31))),
        ("on:2025-01", month(date(2025, 1, 1), 0)),
        ("period:2025-01", month(date(2025, 1, 1), 0)),
        ("on:2025", year(2025)),
        ("on:31/01/2025", day(date(2025, 1, 31))),
        ("on:02/01/2025", day(date(2025, 1, 2))),
        ("on:2/1/2025", day(date(2025, 1, 2))),
        ("on:01/31/2025", day(date(2025, 1, 31))),
        ("on: 25/01/2020", day(date(2020, 1, 25))),
        ("on:'25/01/2020'", day(date(2020, 1, 25))),
        ("ON:25/01/2020", day(date(2020, 1, 25))),
        ("on:01/2025", month(date(2025, 1, 1), 0)),
        ("on:1/2025", month(date(2025, 1, 1), 0)),
        ("on:2025/01", month(date(2025, 1, 1), 0)),
        ("on:jan/2013", month(date(2013, 1, 1), 0)),
        ("on:January/2013", month(date(2013, 1, 1), 0)),
        ("after:jul/2018 before:aug/2018", month(date(2018, 7, 1), 0)),
        ("on:31/01", day(date(today.year(), 1, 31))),
        ("on:2024-02-29", day(date(2024, 2, 29))),
        ("after:2025-01-31", (Some(date(2025, 1, 31)), None)),
        ("after:01/04/2014", (Some(date(2014, 4, 1)), None)),
        ("after:2014", (Some(date(2014, 1, 1)), None)),
        ("before:2025-02-01", (None, Some(date(2025, 2, 1)))),
        ("before:2014", (None, Some(date(2014, 1, 1)))),
        ("after:2013 before:2015", from_to(date(2013, 1, 1), date(2015, 1, 1))),
        ("after:7/2018 before:8/2018", month(date(2018, 7, 1), 0)),
        ("after:01/2024 before:01/2025", year(2024)),
        ("after:28/01/2013 before:29/01/2013", day(date(2013, 1, 28))),
        // The tightest bound wins.
        ("after:2013 after:2024 before:2026 before:2025", year(2024)),
        ("on:2025 after:2025-01-31", from_to(date(2025, 1, 31), date(2026, 1, 1))),
        ("on:2025 on:2025-02", month(date(2025, 2, 1), 0)),
        // Without zeros.
        ("on:2025-1-31", day(date(2025, 1, 31))),
        ("on:2025-01-2", day(date(2025, 1, 2))),
        ("on: 2025-1", month(date(2025, 1, 1), 0)),
        ("after:2025-1-2 before:2025-2", from_to(date(2025, 1, 2), date(2025, 2, 1))),
        // Invalid dates match nothing.
        ("on:2025-02-30", NEVER),
        ("-on:2025-2-30", NEVER),
        ("on:31/02/2025", NEVER),
        ("on:13/13/2025", NEVER),
        ("before:2025-13", NEVER),
    ];
    check(&cast, today, &table);
}

fn rule_1_3_2_other_patterns(server: &Server) {
    let (cast, today) = fixture(server, "MM/dd/yyyy");
    let table = [
        ("on:01/31/2025", day(date(2025, 1, 31))),
        ("on:31/01/2025", day(date(2025, 1, 31))),
        ("on:02/01/2025", day(date(2025, 2, 1))),
        ("on:01/01/2025", day(date(2025, 1, 1))),
        ("on:01/31", day(date(today.year(), 1, 31))),
        ("after:7/2018 before:8/2018", month(date(2018, 7, 1), 0)),
    ];
    check(&cast, today, &table);
    let (cast, today) = fixture(server, "yyyy/MM/dd");
    let table = [
        ("on:2025/01/31", day(date(2025, 1, 31))),
        ("on:31/01/2025", day(date(2025, 1, 31))),
        ("on:01/31/2025", day(date(2025, 1, 31))),
        ("on:02/01/2025", day(date(2025, 1, 2))),
        ("on:01/01/2025", day(date(2025, 1, 1))),
        ("on:01/31", day(date(today.year(), 1, 31))),
        ("on:2025/01", month(date(2025, 1, 1), 0)),
    ];
    check(&cast, today, &table);
}

fn rule_1_3_5_variables(server: &Server) {
    let (cast, today) = fixture(server, "dd/MM/yyyy");
    let first = |offset: i32| today.first_of_month() + offset.months();
    let monday = today - Span::new().days(i64::from(today.weekday().to_monday_zero_offset()));
    let quarter = date(today.year(), (today.month() - 1) / 3 * 3 + 1, 1);
    let january = |offset: i16| date(today.year() + offset, 1, 1);
    let table = [
        ("after:$m-1 before:$m", from_to(first(0), first(1))),
        ("before:$m", (None, Some(first(1)))),
        ("after:$m-12 before:$m-6", from_to(first(-11), first(-5))),
        ("after:$m-3 before:$m+1", from_to(first(-2), first(2))),
        ("after:$m+1", (Some(first(2)), None)),
        ("on:$m-1", month(today, -1)),
        ("on:$m", month(today, 0)),
        ("on:$m+1", month(today, 1)),
        ("on:$M-13", month(today, -13)),
        ("after:$y-1 before:$y", from_to(january(0), january(1))),
        ("before:$y-1", (None, Some(january(0)))),
        ("on:$y", from_to(january(0), january(1))),
        ("on:$y-1", from_to(january(-1), january(0))),
        ("before:$d", (None, Some(today))),
        ("after:$d", (Some(today), None)),
        ("after:$d-30", (Some(today - 30.days()), None)),
        ("after:$d-4", (Some(today - 4.days()), None)),
        ("after:$d-4 before:$d+1", from_to(today - 4.days(), today + 1.day())),
        ("on:$d", day(today)),
        ("on:$d-1", day(today - 1.day())),
        ("on:$d+7", day(today + 7.days())),
        ("after:$w-1 before:$w", from_to(monday, monday + 7.days())),
        ("on:$w", from_to(monday, monday + 7.days())),
        ("on:$w-2", from_to(monday - 14.days(), monday - 7.days())),
        ("after:$q-1 before:$q", from_to(quarter, quarter + 3.months())),
        ("on:$q", from_to(quarter, quarter + 3.months())),
        ("on:$q-1", from_to(quarter - 3.months(), quarter)),
        ("on:today", day(today)),
        ("after:yesterday", (Some(today - 1.day()), None)),
        ("before:today", (None, Some(today))),
        ("on:yesterday", day(today - 1.day())),
    ];
    check(&cast, today, &table);
}

fn rule_1_3_6_composed_dates(server: &Server) {
    for (pattern, month_first) in [("dd/MM/yyyy", false), ("MM/dd/yyyy", true)] {
        let (cast, today) = fixture(server, pattern);
        let first = today.first_of_month();
        // In the order of the pattern.
        let written = |day: &str, month: &str| {
            if month_first { format!("{month}/{day}") } else { format!("{day}/{month}") }
        };
        let day_of_month = i64::from(today.day());
        let rows = [
            (format!("after:{}", written("15", "$m")), (Some(first + 14.days()), None)),
            (format!("before:{}", written("15", "$m")), (None, Some(first + 14.days()))),
            (format!("on:{}", written("15", "$m-1")), day(first - 1.month() + 14.days())),
            (format!("on:{}/$y", written("01", "$m-1")), day(first - 1.month())),
            (
                format!("on:{}/$y-1", written("01", "$m")),
                day(date(today.year() - 1, today.month(), 1)),
            ),
            (format!("on:{}", written("1", "$m+1")), day(first + 1.month())),
            // Offsets carry over into the next field.
            (
                format!("after:{}", written("$d-15", "$m")),
                (Some(first + Span::new().days(day_of_month - 16)), None),
            ),
            (format!("on:{}", written("$d", "$m")), day(today)),
            ("on:$m/$y".to_owned(), month(today, 0)),
            ("on:$m-1/$y".to_owned(), month(today, -1)),
            ("after:$m/$y".to_owned(), (Some(first), None)),
        ];
        let table: Vec<(&str, Range)> =
            rows.iter().map(|(query, range)| (query.as_str(), *range)).collect();
        check(&cast, today, &table);
    }
}

fn rule_1_3_5_today_in_the_book_zone(server: &Server) {
    for zone in ["Pacific/Kiritimati", "America/Sao_Paulo", "Pacific/Pago_Pago", "UTC"] {
        let cast = Cast::with_settings(server, json!({"timeZone": zone}));
        let book = cast.owner.get(&cast.path("")).ok();
        let instant: i64 =
            book["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("milliseconds");
        let zone = jiff::tz::TimeZone::get(zone).expect("a zone");
        let now =
            jiff::Timestamp::from_millisecond(instant).expect("an instant").to_zoned(zone.clone());
        if (now.hour(), now.minute()) == (23, 59) {
            continue; // The day may change before the last request.
        }
        let today = now.date();
        let bodies = (-2..=2).map(|offset| {
            let day = today + Span::new().days(offset);
            json!({
                "date": day.to_string(), "description": format!("t{}", offset + 2), "amount": "1",
            })
        });
        cast.owner.post(&cast.path("/transactions/batch"), &batch(bodies)).ok();
        for (query, wanted) in [
            ("on:$d", vec!["t2"]),
            ("before:$d", vec!["t0", "t1"]),
            ("after:$d", vec!["t2", "t3", "t4"]),
            ("on:yesterday", vec!["t1"]),
        ] {
            assert_eq!(sorted_labels(&find(&cast, query)), wanted, "{query} in {zone:?}");
        }
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_1_3_1_literals,
        rule_1_3_2_other_patterns,
        rule_1_3_5_variables,
        rule_1_3_6_composed_dates,
        rule_1_3_5_today_in_the_book_zone,
        rule_1_3_4_nothing_is_posted_after_the_last_day,
    ]
}

fn rule_1_3_4_nothing_is_posted_after_the_last_day(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "1", "Cash", "Food", "posted");
    for (query, found) in [
        ("using:postDate after:9999-12-31", 0),
        ("using:postDate on:9999-12-31", 0),
        ("using:postDate before:9999-12-31", 1),
        ("using:postDate after:0001-01-01", 1),
    ] {
        assert_eq!(items(&find(&cast, query)).len(), found, "{query}");
    }
}
