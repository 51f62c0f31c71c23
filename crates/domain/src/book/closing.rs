//! The closing of a period (behaviour 13.13).

use time::Date;

use super::{Changes, Refusal, Settings};
use crate::calendar::{format_iso, parse_iso};
use crate::event::Head;
use crate::field::Field;
use crate::property::Edits;

/// The property, of a book and of the files of a closing, with the number of the last event that
/// the stored reports include.
pub(super) const CLOSING_EVENT: &str = "closing_event";
/// The property of the files of a closing with the last closed day.
const CLOSING_DATE: &str = "closing_date";

/// A closing: a last closed day, and the state of the book that its reports show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// The last closed day.
    pub day: Date,
    /// The last event that the stored reports include.
    pub head: Head,
}

impl Closing {
    /// Reads the last closed day.
    ///
    /// # Errors
    /// [`Refusal::Date`].
    pub fn parse_day(text: Option<&str>) -> Result<Date, Refusal> {
        let text = text.unwrap_or_default().trim();
        let invalid = || Refusal::Date("closingDate", text.chars().take(40).collect());
        parse_iso(text).ok_or_else(invalid)
    }

    /// Returns the changes of the book.
    pub fn changes(self) -> Changes {
        let event = self.head.sequence.to_string();
        Changes {
            properties: [(CLOSING_EVENT.to_owned(), Some(event))].into(),
            ..Self::date_changes(self.day)
        }
    }

    /// Returns the change of the closing date, with which permissions are checked in advance.
    pub fn date_changes(day: Date) -> Changes {
        Changes { closing_date: Field::Set(format_iso(day)), ..Changes::default() }
    }

    /// Returns the name of the file of a report.
    ///
    /// ```
    /// use daybook_domain::book::Closing;
    /// use daybook_domain::calendar::parse_iso;
    /// use daybook_domain::event::Head;
    /// let closing = Closing { day: parse_iso("2026-09-30").unwrap(), head: Head::default() };
    /// assert_eq!(closing.file_name("Balance sheet"), "2026-09-30 Balance sheet.xlsx");
    /// ```
    pub fn file_name(self, title: &str) -> String {
        format!("{} {title}.xlsx", format_iso(self.day))
    }

    /// Returns the properties of the files.
    pub fn file_properties(self) -> Edits {
        [(CLOSING_DATE, format_iso(self.day)), (CLOSING_EVENT, self.head.sequence.to_string())]
            .map(|(key, value)| (key.to_owned(), Some(value)))
            .into()
    }
}

impl Settings {
    /// Returns the number of the last event that the reports of the last closing include.
    ///
    /// The property may contain anything, because users can change it.
    pub fn closing_event(&self) -> Option<i64> {
        self.properties.get(CLOSING_EVENT)?.parse().ok().filter(|number| *number >= 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{book, day};

    #[test]
    fn closing_is_found_in_the_settings() {
        let head = Head { sequence: 7, ..Head::default() };
        let closing = Closing { day: day("2026-09-30"), head };
        let closed = book(closing.changes()).settings;
        assert_eq!(closed.closing_date, Some(closing.day));
        assert_eq!(closed.closing_event(), Some(7));
        for text in ["x", "-1", "1.5"] {
            let properties = crate::fixture::edits(&[(CLOSING_EVENT, Some(text))]);
            let other = book(Changes { properties, ..Changes::default() });
            assert_eq!(other.settings.closing_event(), None, "{text}");
        }
        assert_eq!(book(Changes::default()).settings.closing_event(), None);
    }

    #[test]
    fn closed_day_is_a_date() {
        assert_eq!(Closing::parse_day(Some(" 2026-09-30 ")), Ok(day("2026-09-30")));
        for text in [None, Some(""), Some("1900-00-00"), Some("2026-02-30"), Some("today")] {
            let refused = Refusal::Date("closingDate", text.unwrap_or_default().to_owned());
            assert_eq!(Closing::parse_day(text), Err(refused));
        }
    }
}
