//! Calendar arithmetic within the years 1 to 9999. Results outside are `None`.

use time::Date;

use crate::calendar::{from_parts, month_index, month_start};

/// Returns the last day of `months` months that start with the month of `first`.
pub(super) fn last_of_months(first: Date, months: i64) -> Option<Date> {
    let month = month_start(month_index(first).checked_add(months)?.checked_sub(1)?)?;
    from_parts(month.year(), u8::from(month.month()), month.month().length(month.year()))
}

/// Adds days, which may be negative.
pub(super) fn plus_days(day: Date, count: i64) -> Option<Date> {
    let number = i64::from(day.to_julian_day()).checked_add(count)?;
    let day = Date::from_julian_day(i32::try_from(number).ok()?).ok()?;
    (1..=9999).contains(&day.year()).then_some(day)
}

/// Returns the first day of the month that is `count` months after that of the day.
pub(super) fn plus_months(day: Date, count: i64) -> Option<Date> {
    month_start(month_index(day).checked_add(count)?)
}

/// Returns the number of days between two days.
pub(super) fn days_between(from: Date, until: Date) -> i64 {
    i64::from(until.to_julian_day()) - i64::from(from.to_julian_day())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::parse_iso;

    fn day(text: &str) -> Date {
        parse_iso(text).unwrap()
    }

    #[test]
    fn months_carry_over_into_years() {
        for (from, count, expected) in [
            ("2025-05-20", 0, "2025-05-01"),
            ("2025-05-20", 8, "2026-01-01"),
            ("2025-05-20", -5, "2024-12-01"),
            ("2025-12-31", 1, "2026-01-01"),
        ] {
            assert_eq!(plus_months(day(from), count), Some(day(expected)), "{from} {count}");
        }
        assert_eq!(last_of_months(day("2024-02-01"), 1), Some(day("2024-02-29")));
        assert_eq!(last_of_months(day("9999-01-01"), 12), Some(day("9999-12-31")));
    }

    #[test]
    fn results_outside_the_years_1_to_9999_are_none() {
        assert_eq!(plus_days(day("0001-01-01"), -1), None);
        assert_eq!(plus_days(day("9999-12-31"), 1), None);
        assert_eq!(plus_months(day("0001-01-01"), -1), None);
        assert_eq!(plus_months(day("9999-12-01"), 1), None);
        for far in [i64::MAX, i64::MIN] {
            assert_eq!(plus_days(day("2025-05-20"), far), None);
            assert_eq!(plus_months(day("2025-05-20"), far), None);
            assert_eq!(last_of_months(day("2025-05-20"), far), None);
        }
    }
}
