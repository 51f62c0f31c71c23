//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day, written `yyyy-MM-dd`.
///
/// ```
/// use daybook_client::Date;
///
/// let date: Date = "2026-02-28".parse()?;
/// assert_eq!((date.year(), date.month(), date.day()), (2026, 2, 28));
/// assert!(date < Date::new(2026, 3, 1)?);
/// assert!(Date::new(2026, 2, 29).is_err());
/// # Ok::<(), daybook_client::DateError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// A text or numbers that are not a day.
///
/// ```
/// let error = "28/02/2026".parse::<daybook_client::Date>().unwrap_err();
/// assert_eq!(error.to_string(), "invalid date \"28/02/2026\": expected a day as yyyy-MM-dd");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid date {0:?}: expected a day as yyyy-MM-dd")]
pub struct DateError(String);

impl Date {
    /// Returns the day of these numbers.
    ///
    /// # Errors
    /// [`DateError`] if the calendar has no such day, or the year has more than four digits.
    ///
    /// ```
    /// assert_eq!(daybook_client::Date::new(2026, 1, 5)?.to_string(), "2026-01-05");
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    pub fn new(year: u16, month: u8, day: u8) -> Result<Self, DateError> {
        let is_leap =
            (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
        let last = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 0,
        };
        if year > 9999 || day == 0 || day > last {
            return Err(DateError(format!("{year:04}-{month:02}-{day:02}")));
        }
        Ok(Self { year, month, day })
    }

    /// Returns the year.
    ///
    /// ```
    /// assert_eq!(daybook_client::Date::new(2026, 1, 5)?.year(), 2026);
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    #[must_use]
    pub const fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, from 1 to 12.
    ///
    /// ```
    /// assert_eq!(daybook_client::Date::new(2026, 1, 5)?.month(), 1);
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Returns the day of the month.
    ///
    /// ```
    /// assert_eq!(daybook_client::Date::new(2026, 1, 5)?.day(), 5);
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    #[must_use]
    pub const fn day(self) -> u8 {
        self.day
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("{:04}-{:02}-{:02}", self.year, self.month, self.day))
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let error = || DateError(text.to_owned());
        let mut parts = text.split('-');
        let mut next = |width: usize| -> Result<u16, DateError> {
            let part = parts.next().filter(|part| part.len() == width).ok_or_else(error)?;
            if !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(error());
            }
            part.parse().map_err(|_| error())
        };
        let (year, month, day) = (next(4)?, next(2)?, next(2)?);
        if parts.next().is_some() {
            return Err(error());
        }
        let small = |number: u16| u8::try_from(number).map_err(|_| error());
        Self::new(year, small(month)?, small(day)?).map_err(|_| error())
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_read() {
        for text in ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "2026-04-31",
            "26-01-01",
            "2026-1-1",
            "2026-01-01-",
            "2026-01",
            "",
            "+026-01-01",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }
}
