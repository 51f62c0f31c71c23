//! The clock of this machine: the one place that reads it.

use daybook_client::Date;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns today's date in a time zone, by its IANA name; in UTC if it is unknown.
#[expect(clippy::disallowed_methods, reason = "days on a command line are relative to today")]
pub(crate) fn today_in(zone: &str) -> Date {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let day = Timestamp::now().to_zoned(zone).date();
    day.to_string().parse().unwrap_or_default()
}
