//! Dates in queries (1.3): the pattern, the zone and the today of the book. Tests of the domain
//! list the literals and variables.

use daybook_tests::{CASH_AND_FOOD, Cast, Server};
use jiff::Span;
use serde_json::json;

use crate::reading::{Faults, batch, find, items, sorted_labels};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_1_3_2_dates_follow_the_pattern_of_the_book,
        rule_1_3_5_today_in_the_book_zone,
        rule_1_3_4_nothing_is_posted_after_the_last_day,
    ]
}

fn rule_1_3_2_dates_follow_the_pattern_of_the_book(server: &Server) {
    let days = ["2024-12-31", "2025-01-01", "2025-01-02", "2025-01-31", "2025-02-01", "dateless"];
    let mut faults = Faults::default();
    for (pattern, second_of_january, last_of_january) in [
        ("dd/MM/yyyy", "02/01/2025", "31/01/2025"),
        ("MM/dd/yyyy", "01/02/2025", "01/31/2025"),
        ("yyyy/MM/dd", "2025/01/02", "2025/01/31"),
    ] {
        let cast = Cast::with_settings(server, json!({"datePattern": pattern}));
        let drafts = days.map(|day| {
            let date = if day == "dateless" { "" } else { day };
            json!({"date": date, "description": day, "amount": "1"})
        });
        cast.post("/transactions/batch", &batch(drafts)).ok();
        for (query, expected) in [
            (format!("on:{second_of_january}"), &days[2..3]),
            (format!("on: '{second_of_january}'"), &days[2..3]),
            (format!("after:{second_of_january} before:{last_of_january}"), &days[2..3]),
            (format!("after:{last_of_january}"), &days[3..5]),
            (format!("before:{second_of_january}"), &days[..2]),
            ("on:2025-1-2".to_owned(), &days[2..3]),
            ("on:2025-01".to_owned(), &days[1..4]),
            ("on:1/2025".to_owned(), &days[1..4]),
            ("period:jan/2025".to_owned(), &days[1..4]),
            ("on:2025".to_owned(), &days[1..5]),
            // The tightest bound wins.
            ("after:2013 after:2025 before:2026 before:2025-02".to_owned(), &days[1..4]),
            // 1.3.4: a transaction without a date matches no date term.
            ("-before:2025-02".to_owned(), &days[4..]),
            ("on:2025-02-30".to_owned(), &days[..0]),
        ] {
            faults.same(
                &format!("{pattern}: {query}"),
                sorted_labels(&find(&cast, &query)),
                expected,
            );
        }
    }
    faults.none();
}

fn rule_1_3_5_today_in_the_book_zone(server: &Server) {
    for zone in ["Pacific/Kiritimati", "America/Sao_Paulo", "Pacific/Pago_Pago", "UTC"] {
        let cast = Cast::with_settings(server, json!({"timeZone": zone}));
        let book = cast.get("").ok();
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
        cast.post("/transactions/batch", &batch(bodies)).ok();
        for (query, wanted) in [
            ("on:$d", vec!["t2"]),
            ("on:today", vec!["t2"]),
            ("on:$d/$m/$y", vec!["t2"]),
            ("before:$d", vec!["t0", "t1"]),
            ("after:$d", vec!["t2", "t3", "t4"]),
            ("on:yesterday", vec!["t1"]),
        ] {
            assert_eq!(sorted_labels(&find(&cast, query)), wanted, "{query} in {zone:?}");
        }
    }
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
