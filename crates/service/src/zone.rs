//! Time zones. The domain gets dates, never zones.

use daybook_domain::calendar::{from_parts, month_number};
use daybook_domain::instant::Instant;
use daybook_storage::book::CurrentMonths;
use daybook_storage::posted_months::PostedMonths;
use jiff::Timestamp;
use jiff::civil;
use jiff::tz::TimeZone;
use time::Date;

/// Returns the IANA name of a zone in the spelling of the zone database.
#[must_use]
pub fn canonical_name(name: &str) -> Option<String> {
    let zone = TimeZone::get(name.trim()).ok()?;
    zone.iana_name().map(str::to_owned)
}

/// Returns the day at an instant in a zone.
#[must_use]
pub fn day(at: Instant, zone: &str) -> Date {
    let local = timestamp(at).to_zoned(find(zone)).date();
    let month = u8::try_from(local.month()).unwrap_or(1);
    let day = u8::try_from(local.day()).unwrap_or(1);
    from_parts(i32::from(local.year()), month, day).unwrap_or(Date::MIN)
}

/// Returns the month at an instant in a zone, as yyyymm.
#[must_use]
pub fn month(at: Instant, zone: &str) -> i32 {
    month_number(day(at, zone))
}

/// Returns the month at an instant in a zone, and the instants at which it and the eleven months
/// before it began.
#[must_use]
pub fn current_month(at: Instant, zone: &str) -> CurrentMonths {
    let today = day(at, zone);
    let began = |first: Option<Date>| first.and_then(|first| midnight(first, zone)).unwrap_or(at);
    let month = month_number(today);
    let first = |month: i32| {
        from_parts(month.div_euclid(100), u8::try_from(month.rem_euclid(100)).unwrap_or(1), 1)
    };
    CurrentMonths { month, starts: PostedMonths::months(month).map(|month| began(first(month))) }
}

/// Returns the instant at which a day begins in a zone.
#[must_use]
pub fn midnight(day: Date, zone: &str) -> Option<Instant> {
    let year = i16::try_from(day.year()).ok()?;
    let month = i8::try_from(u8::from(day.month())).ok()?;
    let local = civil::Date::new(year, month, i8::try_from(day.day()).ok()?).ok()?;
    let start = local.to_zoned(find(zone)).ok()?.timestamp();
    Some(Instant::new(start.as_millisecond()))
}

/// Returns the minutes to add to a zone-less midnight to get the UTC instant (behaviour 6.3).
///
/// They are positive west of Greenwich.
#[must_use]
pub fn offset_minutes(at: Instant, zone: &str) -> i32 {
    find(zone).to_offset(timestamp(at)).seconds().div_euclid(60).saturating_neg()
}

/// Parses an RFC 3339 instant, or a plain date as midnight in the zone (behaviour 8.5).
#[must_use]
pub fn parse_instant(text: &str, zone: &str) -> Option<Instant> {
    // A plus sign that was not percent-encoded in a query string arrives as a space.
    let text = text.trim().replace(' ', "+");
    match daybook_domain::calendar::parse_iso(&text) {
        Some(day) => midnight(day, zone),
        None => text.parse::<Timestamp>().ok().map(|at| Instant::new(at.as_millisecond())),
    }
}

/// Formats an instant as RFC 3339 in UTC, with milliseconds.
#[must_use]
pub fn rfc3339(at: Instant) -> String {
    format!("{:.3}", timestamp(at))
}

fn timestamp(at: Instant) -> Timestamp {
    Timestamp::from_millisecond(at.milliseconds()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns the zone with this name, or UTC if the zone database no longer knows it.
///
/// Zones are checked before they are stored, but the zone database may change.
fn find(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_positive_west_of_greenwich() {
        let winter = Instant::new(1_736_899_200_000);
        assert_eq!(offset_minutes(winter, "America/Sao_Paulo"), 180);
        assert_eq!(offset_minutes(winter, "UTC"), 0);
        assert_eq!(offset_minutes(winter, "Europe/Berlin"), -60);
    }

    #[test]
    fn days_are_local() {
        let late = Instant::new(1_736_899_200_000 + 23 * 3_600_000);
        assert_eq!(day(late, "UTC").to_string(), "2025-01-15");
        assert_eq!(day(late, "Asia/Tokyo").to_string(), "2025-01-16");
        let start = midnight(day(late, "Asia/Tokyo"), "Asia/Tokyo").unwrap();
        assert_eq!(day(start, "UTC").to_string(), "2025-01-15");
    }

    #[test]
    fn months_begin_locally() {
        let new_year_in_tokyo = Instant::new(1_735_660_800_000);
        let CurrentMonths { starts, .. } = current_month(new_year_in_tokyo, "Asia/Tokyo");
        assert_eq!(
            (rfc3339(starts[11]).as_str(), rfc3339(starts[0]).as_str()),
            ("2024-12-31T15:00:00.000Z", "2024-01-31T15:00:00.000Z")
        );
        let CurrentMonths { starts, .. } = current_month(new_year_in_tokyo, "UTC");
        assert_eq!(
            (rfc3339(starts[11]).as_str(), rfc3339(starts[0]).as_str()),
            ("2024-12-01T00:00:00.000Z", "2024-01-01T00:00:00.000Z")
        );
    }

    #[test]
    fn zones_and_instants_are_checked() {
        assert_eq!(canonical_name("europe/paris").as_deref(), Some("Europe/Paris"));
        assert_eq!(canonical_name("Mars/Olympus"), None);
        let midnight = parse_instant("2025-01-15", "UTC");
        assert_eq!(parse_instant("2025-01-15T00:00:00Z", "UTC"), midnight);
        assert_eq!(parse_instant("2025-01-15T01:00:00 01:00", "UTC"), midnight);
        assert_eq!(parse_instant("yesterday", "UTC"), None);
        assert_eq!(rfc3339(Instant::new(1_736_899_200_007)), "2025-01-15T00:00:00.007Z");
    }
}
