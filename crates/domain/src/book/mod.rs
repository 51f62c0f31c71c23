//! Books: settings, lock and closing dates, closings, copies, transfer and deletion (behaviour 6,
//! 3.5 and 13.13).
//!
//! A book has an owner, [`Settings`] that owner and editors change, and a storage scale for its
//! amounts. Transactions on or before the lock or closing date cannot be changed. A book is copied
//! with or without its transactions. Its ownership is offered to another user, who accepts or
//! declines. A deleted book can be restored until its removal begins.

mod closing;
pub mod copy;
mod dates;
mod deletion;
mod events;
mod owned;
mod period;
mod refusal;
mod transfer;

use time::Date;

pub use closing::Closing;
pub use dates::CLEARED_DATE;
pub use deletion::Deletion;
pub use owned::{MAX_OWNED, MAX_OWNED_BY_TRANSFER};
pub use period::{Period, StartMonth};
pub use refusal::{MAX_RESCALED, Refusal};
pub use transfer::TransferOffer;

use crate::amount::{DecimalSeparator, MAX_FRACTION_DIGITS, Precision};
use crate::calendar::{DatePattern, format_iso};
use crate::event::Previous;
use crate::field::Field;
use crate::file::FileSecret;
use crate::id::{BookId, BookKey};
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::named::named;
use crate::permission::{Action, Permission};
use crate::property::{Edits, FieldTexts, Properties, previous_values};
use crate::version::Tag;
use dates::Dates;

/// The properties of a book that name its currency, in order of precedence.
const CURRENCY: [&str; 3] = ["currency", "exc_code", "commodity"];

named! {
    /// The visibility of a book.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Visibility {
        /// Everyone who knows the id may read it.
        Public = "PUBLIC",
        /// Only collaborators may read it.
        #[default]
        Private = "PRIVATE",
    }
}

/// The settings of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The name.
    pub name: Name,
    /// Whether new complete transactions are posted at once.
    pub auto_post: bool,
    /// Transactions on or before this day are closed.
    pub closing_date: Option<Date>,
    /// Transactions on or before this day are locked.
    pub lock_date: Option<Date>,
    /// The format of days.
    pub date_pattern: DatePattern,
    /// The decimal separator of amounts.
    pub decimal_separator: DecimalSeparator,
    /// Decimal places of new amounts.
    pub fraction_digits: u32,
    /// Rows per page in user interfaces; no effect on the API (behaviour 2.2).
    pub page_size: i32,
    /// The default period of user interfaces.
    pub period: Period,
    /// The first month of the year in user interfaces.
    pub period_start_month: StartMonth,
    /// An IANA zone name.
    pub time_zone: String,
    /// The visibility.
    pub visibility: Visibility,
    /// Custom properties.
    pub properties: Properties,
}

/// A book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// The id in the database.
    pub id: BookId,
    /// The public id.
    pub key: BookKey,
    /// The owner's username.
    pub owner_name: String,
    /// The settings.
    pub settings: Settings,
    /// The storage scale in decimal places; it never decreases (behaviour 3.12.7).
    pub scale: u32,
    /// The secret from which the addresses of its files are computed (behaviour 9.20).
    pub file_secret: FileSecret,
    /// The creator, the app and the times.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update.
///
/// The caller has parsed the names of enumerations and checked the time zone.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The name.
    pub name: Option<String>,
    /// Whether new complete transactions are posted at once.
    pub auto_post: Option<bool>,
    /// The closing date, or [`CLEARED_DATE`].
    pub closing_date: Field<String>,
    /// The lock date, or [`CLEARED_DATE`].
    pub lock_date: Field<String>,
    /// The format of days.
    pub date_pattern: Option<DatePattern>,
    /// The decimal separator of amounts.
    pub decimal_separator: Option<DecimalSeparator>,
    /// Decimal places of new amounts.
    pub fraction_digits: Option<i64>,
    /// Rows per page in user interfaces.
    pub page_size: Option<i64>,
    /// The default period of user interfaces.
    pub period: Option<Period>,
    /// The first month of the year in user interfaces.
    pub period_start_month: Option<StartMonth>,
    /// A valid IANA zone name.
    pub time_zone: Option<String>,
    /// The visibility.
    pub visibility: Option<Visibility>,
    /// Properties to merge.
    pub properties: Edits,
}

impl Settings {
    /// Creates the settings of a new book (behaviour 6.1).
    ///
    /// # Errors
    /// [`Refusal`] for invalid values; the refusal of a name or property.
    pub fn create(changes: Changes) -> Result<Self, crate::Refusal> {
        let name = changes
            .name
            .as_deref()
            .filter(|name| !name.trim().is_empty())
            .ok_or(Refusal::NameRequired)?;
        let defaults = Self {
            name: Name::new(name)?,
            auto_post: true,
            closing_date: None,
            lock_date: None,
            date_pattern: DatePattern::default(),
            decimal_separator: DecimalSeparator::default(),
            fraction_digits: 2,
            page_size: 100,
            period: Period::default(),
            period_start_month: StartMonth::default(),
            time_zone: "UTC".to_owned(),
            visibility: Visibility::default(),
            properties: Properties::default(),
        };
        defaults.apply(changes)
    }

    fn apply(self, changes: Changes) -> Result<Self, crate::Refusal> {
        let dates = Dates::of(&self).apply(&changes)?;
        Ok(Self {
            name: changes.name.map_or(Ok(self.name), |name| Name::new(&name))?,
            auto_post: changes.auto_post.unwrap_or(self.auto_post),
            closing_date: dates.closing,
            lock_date: dates.lock,
            date_pattern: changes.date_pattern.unwrap_or(self.date_pattern),
            decimal_separator: changes.decimal_separator.unwrap_or(self.decimal_separator),
            fraction_digits: changes
                .fraction_digits
                .map_or(Ok(self.fraction_digits), check_fraction_digits)?,
            page_size: changes.page_size.map_or(Ok(self.page_size), check_page_size)?,
            period: changes.period.unwrap_or(self.period),
            period_start_month: changes.period_start_month.unwrap_or(self.period_start_month),
            time_zone: changes.time_zone.unwrap_or(self.time_zone),
            visibility: changes.visibility.unwrap_or(self.visibility),
            properties: self.properties.merge(&changes.properties)?,
        })
    }

    /// Returns the last locked day: the later of lock and closing date (behaviour 3.5.1).
    pub fn locked_until(&self) -> Option<Date> {
        self.lock_date.max(self.closing_date)
    }

    /// Returns the currency of the book, if a property names it (behaviour 13.4).
    pub fn currency(&self) -> Option<&str> {
        CURRENCY.iter().find_map(|key| self.properties.get(key))
    }

    /// Returns whether `currency` is another currency than that of the book (behaviour 15.4).
    ///
    /// Returns `None` unless both are codes of three letters: a symbol can stand for several
    /// currencies.
    pub fn is_other_currency(&self, currency: &str) -> Option<bool> {
        let is_code =
            |text: &&str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_alphabetic());
        let own = self.currency().filter(is_code)?;
        is_code(&currency).then(|| !own.eq_ignore_ascii_case(currency))
    }

    /// Returns the names and texts of all fields but the properties.
    fn texts(&self) -> FieldTexts<12> {
        let date = |date: Option<Date>| date.map(format_iso).unwrap_or_default();
        [
            ("name", self.name.as_str().to_owned()),
            ("autoPost", self.auto_post.to_string()),
            ("closingDate", date(self.closing_date)),
            ("lockDate", date(self.lock_date)),
            ("datePattern", self.date_pattern.as_str().to_owned()),
            ("decimalSeparator", self.decimal_separator.as_str().to_owned()),
            ("fractionDigits", self.fraction_digits.to_string()),
            ("pageSize", self.page_size.to_string()),
            ("period", self.period.as_str().to_owned()),
            ("periodStartMonth", self.period_start_month.as_str().to_owned()),
            ("timeZone", self.time_zone.clone()),
            ("visibility", self.visibility.as_str().to_owned()),
        ]
    }
}

impl Book {
    /// Checks that the permission allows the changes of visibility and dates.
    ///
    /// A value equal to the stored one needs no permission (behaviour 3.5.4, 6.4). Invalid dates
    /// are ignored; [`Book::check_dates`] refuses them.
    ///
    /// # Errors
    /// [`Refusal::NotEnough`].
    pub fn check_permitted(
        &self,
        changes: &Changes,
        permission: Permission,
    ) -> Result<(), Refusal> {
        if changes.visibility.is_some_and(|visibility| visibility != self.settings.visibility)
            && !permission.may(Action::ChangeVisibility)
        {
            return Err(Refusal::NotEnough(permission.as_str(), "visibility"));
        }
        let before = Dates::of(&self.settings);
        let after = before.apply(changes).unwrap_or(before);
        before.check_permitted(after, permission)
    }

    /// Checks the syntax of the dates in the changes.
    ///
    /// # Errors
    /// [`Refusal::Date`].
    pub fn check_dates(&self, changes: &Changes) -> Result<(), Refusal> {
        Dates::of(&self.settings).apply(changes).map(drop)
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// The caller must have called [`Book::check_permitted`].
    ///
    /// # Errors
    /// [`Refusal`] for invalid values; the refusal of a name or property.
    pub fn update(
        self,
        changes: Changes,
        now: Instant,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let settings = self.settings.clone().apply(changes)?;
        let properties = [&self.settings.properties, &settings.properties];
        let previous = previous_values([self.settings.texts(), settings.texts()], properties);
        if previous.is_empty() {
            return Ok((self, previous));
        }
        let scale = self.scale.max(settings.fraction_digits);
        Ok((Self { settings, scale, stamp: self.stamp.touch(now), ..self }, previous))
    }

    /// Returns the precision with which the book reads and stores amounts.
    pub const fn precision(&self) -> Precision {
        Precision {
            fraction_digits: self.settings.fraction_digits,
            scale: self.scale,
            separator: self.settings.decimal_separator,
        }
    }

    /// Returns whether the day is locked or closed (behaviour 3.5.1).
    pub fn is_locked(&self, day: Date) -> bool {
        self.settings.locked_until().is_some_and(|until| day <= until)
    }
}

fn check_fraction_digits(value: i64) -> Result<u32, Refusal> {
    u32::try_from(value)
        .ok()
        .filter(|digits| *digits <= MAX_FRACTION_DIGITS)
        .ok_or(Refusal::FractionDigits(value))
}

fn check_page_size(value: i64) -> Result<i32, Refusal> {
    i32::try_from(value)
        .ok()
        .filter(|size| (1..=1000).contains(size))
        .ok_or(Refusal::PageSize(value))
}

impl From<&Book> for Tag {
    fn from(book: &Book) -> Self {
        Self::new("book", &book.key, book.stamp.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{book, day, pairs};

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    fn lock(date: &str) -> Changes {
        Changes { lock_date: Field::Set(date.to_owned()), ..Changes::default() }
    }

    #[test]
    fn new_book_has_default_settings() {
        let settings = Settings::create(named("Home")).unwrap();
        assert!(settings.auto_post);
        let Settings { fraction_digits, page_size, time_zone, .. } = settings;
        assert_eq!((fraction_digits, page_size, time_zone.as_str()), (2, 100, "UTC"));
        assert!(Settings::create(named("  ")).is_err());
        assert!(Settings::create(Changes { fraction_digits: Some(9), ..named("a") }).is_err());
    }

    #[test]
    fn date_changes_depend_on_permission() {
        for (from, to, permission, allowed) in [
            ("", "2025-01-31", Permission::Editor, true),
            ("2025-01-31", "2025-02-28", Permission::Editor, true),
            ("2025-02-28", "2025-01-31", Permission::Editor, false),
            ("2025-02-28", CLEARED_DATE, Permission::Editor, false),
            ("2025-02-28", "2025-02-28", Permission::Editor, true),
            ("2025-02-28", CLEARED_DATE, Permission::Owner, true),
            ("2025-02-28", "2025-01-31", Permission::Owner, true),
            ("2025-02-28", "2025-13-31", Permission::Owner, false),
        ] {
            let book = book(lock(from));
            let checked = book.check_permitted(&lock(to), permission);
            let checked = checked.and_then(|()| book.check_dates(&lock(to)));
            assert_eq!(checked.is_ok(), allowed, "{from} to {to} by {permission:?}");
        }
    }

    #[test]
    fn scale_never_decreases() {
        let digits = |digits| Changes { fraction_digits: Some(digits), ..Changes::default() };
        let (finer, previous) =
            book(Changes::default()).update(digits(4), Instant::new(1)).unwrap();
        assert_eq!((finer.scale, pairs(&previous)), (4, vec![("fractionDigits", "2")]));
        let (coarser, _) = finer.update(digits(0), Instant::new(2)).unwrap();
        let digits = coarser.settings.fraction_digits;
        assert_eq!((coarser.scale, digits, coarser.stamp.version), (4, 0, 3));
    }

    #[test]
    fn book_is_locked_until_the_later_date() {
        let book = book(Changes {
            lock_date: Field::Set("2025-01-31".to_owned()),
            closing_date: Field::Set("2024-12-31".to_owned()),
            ..Changes::default()
        });
        assert!(book.is_locked(day("2025-01-31")) && !book.is_locked(day("2025-02-01")));
    }

    /// 15.4: codes are compared without case; a symbol does not tell.
    #[test]
    fn other_currencies_are_told_by_their_codes() {
        for (properties, currency, is_other) in [
            (&[("currency", "EUR")][..], "EUR", Some(false)),
            (&[("currency", "EUR")], "eur", Some(false)),
            (&[("currency", "eur")], "USD", Some(true)),
            (&[("exc_code", "USD")], "EUR", Some(true)),
            (&[("commodity", "EUR")], "EUR", Some(false)),
            (&[("commodity", "USD"), ("exc_code", "CHF"), ("currency", "EUR")], "EUR", Some(false)),
            (&[("commodity", "USD"), ("exc_code", "CHF")], "USD", Some(true)),
            // The first property decides, also when it is a symbol.
            (&[("currency", "$"), ("exc_code", "USD")], "EUR", None),
            (&[("currency", "$")], "$", None),
            (&[("currency", "USD")], "$", None),
            (&[("currency", "USD")], "US$", None),
            (&[("currency", "USD")], "\u{20ac}", None),
            (&[("currency", "USD")], "", None),
            (&[("currency", "POINTS")], "EUR", None),
            (&[], "EUR", None),
        ] {
            let edits = properties.iter().map(|(key, value)| {
                let value = Some((*value).to_owned());
                ((*key).to_owned(), value)
            });
            let changes = Changes { properties: edits.collect(), ..named("Home") };
            let found = Settings::create(changes).unwrap().is_other_currency(currency);
            assert_eq!(found, is_other, "{properties:?}, {currency}");
        }
    }
}
