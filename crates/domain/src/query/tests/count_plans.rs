//! Tests of plans to count matches by month (behaviour 1.7.2).

use super::*;
use crate::query::CountPlan;

fn plan(text: &str) -> Option<CountPlan> {
    CountPlan::new(query(text).filter())
}

#[test]
fn plan_has_whole_months_and_the_rest_of_the_range() {
    for (text, from, until, rest) in [
        ("is:posted", "", "", ""),
        ("on:2024 is:posted", "2024-01-01", "2025-01-01", ""),
        ("on:2024", "2024-01-01", "2025-01-01", "[2024-01-01,2025-01-01) is:draft"),
        (
            "after:2024-01-15 is:posted",
            "2024-02-01",
            "",
            "[2024-01-15,) is:posted is:posted [2024-01-15,2024-02-01)",
        ),
        (
            "before:2024-01-15 is:posted",
            "",
            "2024-01-01",
            "[,2024-01-15) is:posted is:posted [2024-01-01,2024-01-15)",
        ),
        (
            "after:2024-01-31 before:2024-03-02",
            "2024-02-01",
            "2024-03-01",
            "[2024-01-31,) [,2024-03-02) is:draft\n\
             [2024-01-31,) [,2024-03-02) is:posted [2024-01-31,2024-02-01)\n\
             [2024-01-31,) [,2024-03-02) is:posted [2024-03-01,2024-03-02)",
        ),
        ("after:2024-01 after:2024-03 is:posted", "2024-03-01", "", ""),
        ("on:9999-12 is:posted", "9999-12-01", "", ""),
        (
            "before:0001-02-15 is:posted",
            "",
            "0001-02-01",
            "[,0001-02-15) is:posted is:posted [0001-02-01,0001-02-15)",
        ),
    ] {
        let plan = plan(text).unwrap_or_else(|| panic!("{text}: a plan"));
        assert_eq!((plan.from, plan.until), (parse_iso(from), parse_iso(until)), "{text}");
        let shown: Vec<String> =
            plan.rest.iter().map(|filter| show(filter).replace("!is:trashed ", "")).collect();
        assert_eq!(shown.join("\n"), rest, "{text}");
        assert!(!plan.all_drafts, "{text}");
    }
    assert!(plan("").is_some_and(|plan| plan.all_drafts && plan.rest.is_empty()));
}

#[test]
fn other_filters_have_no_plan() {
    for text in [
        "lunch",
        "account:Cash",
        "is:draft",
        "is:trashed",
        "-is:posted",
        "on:2024-02-03",
        "after:2024-01-02 before:2024-02-28",
        "after:2025 before:2024",
        "after:9999-12-15",
        "on:2024 OR on:2025",
        "on:2024 using:postDate",
    ] {
        assert_eq!(plan(text), None, "{text}");
    }
}
