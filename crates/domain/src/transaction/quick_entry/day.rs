//! Reads dates in a text, and finds the same day of later months (behaviour 3.8.2.3, 3.8.2.8).

use time::Date;

use super::scanner::ISO_DAY;
use crate::calendar::{DatePattern, from_parts, month_index, month_start, parse_digits, parse_iso};

/// Reads a date in the date pattern of the book or as `yyyy-MM-dd`. A date without a year is in the
/// year of `today`.
pub(super) fn read(text: &str, pattern: DatePattern, today: Date) -> Option<Date> {
    if text.len() == ISO_DAY && text.contains('-') {
        return parse_iso(text);
    }
    let parts: Vec<&str> = text.splitn(4, '/').collect();
    let (year, month, day) = match (parts.as_slice(), pattern) {
        ([day, month, year], DatePattern::DayFirst)
        | ([month, day, year], DatePattern::MonthFirst) => (full_year(year)?, *month, *day),
        ([year, month, day], DatePattern::YearFirst) => (full_year(year)?, *month, *day),
        ([day, month], DatePattern::DayFirst) => (today.year(), *month, *day),
        ([month, day], DatePattern::MonthFirst | DatePattern::YearFirst) => {
            (today.year(), *month, *day)
        }
        _ => return None,
    };
    from_parts(year, short(month)?, short(day)?)
}

fn full_year(text: &str) -> Option<i32> {
    if text.len() == 4 { parse_digits(text) } else { None }
}

fn short(text: &str) -> Option<u8> {
    if text.len() <= 2 { parse_digits(text) } else { None }
}

/// Returns the same day of each of the `count` following months, or the last day of a shorter
/// month. `None` if a date would be outside the calendar.
pub(super) fn following_months(first: Date, count: u8) -> Option<Vec<Date>> {
    (1..=i32::from(count)).map(|months| add_months(first, months)).collect()
}

/// Adds a positive or negative number of months to a date. The result is the same day, or the last
/// day of a shorter month. `None` if it would be outside the calendar.
pub(super) fn add_months(first: Date, months: i32) -> Option<Date> {
    let month = month_start(month_index(first).checked_add(i64::from(months))?)?;
    month.replace_day(first.day().min(month.month().length(month.year()))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::format_iso;
    use crate::fixture::{items, shared_cases, text_in};

    #[test]
    fn dates_follow_the_pattern_of_the_book() {
        use DatePattern::{DayFirst, MonthFirst, YearFirst};
        let today = parse_iso("2025-05-20").unwrap();
        for (pattern, text, expected) in [
            (DayFirst, "31/01/2024", Some("2024-01-31")),
            (DayFirst, "1/2/2024", Some("2024-02-01")),
            (DayFirst, "01/31/2024", None),
            (DayFirst, "31/01", Some("2025-01-31")),
            (DayFirst, "3/1", Some("2025-01-03")),
            (DayFirst, "01/31", None),
            (DayFirst, "29/02", None),
            (DayFirst, "31/01/24", None),
            (DayFirst, "2024/01/31", None),
            (DayFirst, "01/2024", None),
            (DayFirst, "1/2/3/4", None),
            (DayFirst, "2024-01-31", Some("2024-01-31")),
            (DayFirst, "2024-02-30", None),
            (MonthFirst, "01/31/2024", Some("2024-01-31")),
            (MonthFirst, "01/31", Some("2025-01-31")),
            (MonthFirst, "31/01", None),
            (YearFirst, "2024/01/31", Some("2024-01-31")),
            (YearFirst, "31/01/2024", None),
            (YearFirst, "1/31", Some("2025-01-31")),
            (DayFirst, "001/01/2024", None),
            (DayFirst, "10:30", None),
        ] {
            assert_eq!(
                read(text, pattern, today).map(format_iso).as_deref(),
                expected,
                "{text} {pattern:?}"
            );
        }
    }

    #[test]
    fn following_months_end_on_existing_days() {
        let months = |text: &str, count| following_months(parse_iso(text).unwrap(), count);
        let shown =
            |days: Option<Vec<Date>>| days.unwrap().into_iter().map(format_iso).collect::<Vec<_>>();
        assert_eq!(
            shown(months("2024-10-31", 4)),
            ["2024-11-30", "2024-12-31", "2025-01-31", "2025-02-28"]
        );
        assert_eq!(shown(months("2024-01-30", 1)), ["2024-02-29"]);
        assert_eq!(shown(months("2025-01-15", 36)).last().map(String::as_str), Some("2028-01-15"));
        assert_eq!(months("9999-10-31", 3), None);
    }

    #[test]
    fn days_are_read_and_follow_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../../../tests/cases/days.json"));
        let today = parse_iso(text_in(&cases, "today")).unwrap();
        for case in items(&cases["typed"]) {
            let pattern = DatePattern::from_name(text_in(case, "pattern")).unwrap();
            let day = read(text_in(case, "text"), pattern, today).map(format_iso);
            assert_eq!(day.as_deref(), case["day"].as_str(), "{case}");
        }
        for case in items(&cases["months"]) {
            let days = items(&case["days"]);
            let first = parse_iso(text_in(case, "from")).unwrap();
            let following = following_months(first, u8::try_from(days.len()).unwrap()).unwrap();
            let following: Vec<String> = following.into_iter().map(format_iso).collect();
            assert_eq!(following, *days, "{case}");
        }
    }
}
