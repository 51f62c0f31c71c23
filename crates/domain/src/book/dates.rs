//! Changes of the lock and closing dates, and the required permission (behaviour 3.5.4, 3.5.5).

use time::Date;

use super::{Changes, Refusal, Settings};
use crate::calendar::parse_iso;
use crate::field::Field;
use crate::permission::{Action, Permission};

/// The text that clears a date (behaviour 3.5.5).
pub const CLEARED_DATE: &str = "1900-00-00";

/// The two dates of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dates {
    pub(super) closing: Option<Date>,
    pub(super) lock: Option<Date>,
}

impl Dates {
    /// Returns the dates of the settings.
    pub(super) const fn of(settings: &Settings) -> Self {
        Self { closing: settings.closing_date, lock: settings.lock_date }
    }

    pub(super) fn apply(self, changes: &Changes) -> Result<Self, Refusal> {
        Ok(Self {
            closing: read("closingDate", &changes.closing_date, self.closing)?,
            lock: read("lockDate", &changes.lock_date, self.lock)?,
        })
    }

    /// Checks that the permission allows changing these dates to `after`.
    pub(super) fn check_permitted(
        self,
        after: Self,
        permission: Permission,
    ) -> Result<(), Refusal> {
        check_date("lockDate", self.lock, after.lock, permission)?;
        check_date("closingDate", self.closing, after.closing, permission)
    }
}

/// Checks a change of one date. Moving it back needs a higher permission (behaviour 3.5.4).
fn check_date(
    field: &'static str,
    old: Option<Date>,
    new: Option<Date>,
    permission: Permission,
) -> Result<(), Refusal> {
    let action = match (old, new) {
        (old, new) if old == new => return Ok(()),
        (None, Some(_)) => Action::AdvanceDates,
        (Some(old), Some(new)) if new > old => Action::AdvanceDates,
        _ => Action::ReopenDates,
    };
    if permission.may(action) {
        Ok(())
    } else {
        Err(Refusal::NotEnough(permission.as_str(), field))
    }
}

/// Parses a date or the text that clears it (behaviour 3.5.5).
fn read(
    name: &'static str,
    field: &Field<String>,
    old: Option<Date>,
) -> Result<Option<Date>, Refusal> {
    let new = field.as_ref().try_map(|text| match text.trim() {
        "" | CLEARED_DATE => Ok(None),
        text => parse_iso(text)
            .map(Some)
            .ok_or_else(|| Refusal::Date(name, text.chars().take(40).collect())),
    })?;
    Ok(new.apply(Some(old)).flatten())
}
