//! Copies of a book: their settings, which transactions they take and as what (behaviour 6.6), and
//! the proof of these that the log of the copy begins with (behaviour 6.20).

mod opening;
mod proof;

use std::collections::HashMap;

use time::Date;

pub use opening::{OPENING_ACCOUNT, Openings};
pub use proof::{CopyProof, CopySummary, row_digest};

use super::{Book, Refusal, Settings, Visibility};
use crate::amount::MAX_FRACTION_DIGITS;
use crate::calendar::from_day_number;
use crate::id::{AccountId, TransactionId, UserId};
use crate::instant::Stamp;
use crate::name::Name;
use crate::transaction::Transaction;

impl Book {
    /// The settings of a copy under another name, and with other decimal places where they are
    /// given: those of this book, but private and without lock and closing date.
    ///
    /// # Errors
    /// [`Refusal::CopyNameRequired`]; a refused name.
    pub fn settings_of_copy(
        &self,
        name: Option<&str>,
        fraction_digits: Option<u32>,
    ) -> Result<Settings, crate::Refusal> {
        let name = name.filter(|name| !name.trim().is_empty()).ok_or(Refusal::CopyNameRequired)?;
        Ok(Settings {
            name: Name::new(name)?,
            visibility: Visibility::Private,
            lock_date: None,
            closing_date: None,
            fraction_digits: fraction_digits.unwrap_or(self.settings.fraction_digits),
            ..self.settings.clone()
        })
    }
}

/// The first day whose transactions are copied; `None` copies all.
///
/// # Errors
/// [`Refusal::CopyFromDate`].
///
/// ```
/// use daybook_domain::book::copy::first_day;
/// assert_eq!(
///     first_day(Some("20240229")).unwrap(),
///     daybook_domain::calendar::parse_iso("2024-02-29")
/// );
/// assert_eq!(first_day(Some(" ")), Ok(None));
/// assert!(first_day(Some("20230229")).is_err());
/// ```
pub fn first_day(text: Option<&str>) -> Result<Option<Date>, Refusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let plain = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let day = text.parse().ok().filter(|_| plain).and_then(from_day_number);
    day.map(Some).ok_or_else(|| Refusal::CopyFromDate(text.chars().take(40).collect()))
}

/// The decimal places of a copy (behaviour 6.24); `None` leaves those of its source.
///
/// # Errors
/// [`Refusal::CopyFractionDigits`].
///
/// ```
/// use daybook_domain::book::copy::fraction_digits;
/// assert_eq!(fraction_digits(Some("4")), Ok(Some(4)));
/// assert_eq!(fraction_digits(Some(" ")), Ok(None));
/// assert!(fraction_digits(Some("9")).is_err() && fraction_digits(Some("+4")).is_err());
/// ```
pub fn fraction_digits(text: Option<&str>) -> Result<Option<u32>, Refusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.parse().ok().filter(|digits| plain && *digits <= MAX_FRACTION_DIGITS);
    digits.map(Some).ok_or_else(|| Refusal::CopyFractionDigits(text.chars().take(40).collect()))
}

/// Whose a copy is, and what the accounts of its source are in it.
#[derive(Debug, Clone)]
pub struct Copier {
    /// Each account of the source with its copy.
    pub accounts: HashMap<AccountId, AccountId>,
    /// Who copies.
    pub user: UserId,
    /// When, and through which app.
    pub stamp: Stamp,
}

impl Copier {
    /// The copy of a transaction: the copier's own, recorded and posted now, without files
    /// (behaviour 6.14).
    #[must_use]
    pub fn transaction(&self, id: TransactionId, original: &Transaction) -> Transaction {
        let Transaction {
            id: _,
            date,
            list_day,
            amount,
            description,
            credit,
            debit,
            standing,
            trashed,
            posted_at: _,
            properties,
            urls,
            remote_ids,
            files: _,
            created_by: _,
            stamp: _,
        } = original.clone();
        let copied = |account: AccountId| self.accounts.get(&account).copied();
        Transaction {
            id,
            date,
            list_day,
            amount,
            description,
            credit: credit.and_then(copied),
            debit: debit.and_then(copied),
            standing,
            trashed,
            posted_at: original.is_posted().then_some(self.stamp.created_at),
            properties,
            urls,
            remote_ids,
            files: Vec::new(),
            created_by: self.user,
            stamp: self.stamp.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Changes;
    use crate::field::Field;
    use crate::file::FileSecret;
    use crate::id::{BookId, BookKey};
    use crate::instant::{Instant, Stamp};

    fn source() -> Book {
        let changes = Changes {
            name: Some("Source".to_owned()),
            auto_post: Some(false),
            lock_date: Field::Set("2025-01-31".to_owned()),
            closing_date: Field::Set("2024-12-31".to_owned()),
            fraction_digits: Some(3),
            page_size: Some(7),
            time_zone: Some("Asia/Tokyo".to_owned()),
            visibility: Some(Visibility::Public),
            properties: [("code".to_owned(), Some("1".to_owned()))].into(),
            ..Changes::default()
        };
        let settings = Settings::create(changes).unwrap();
        let stamp = Stamp::new(None, Instant::new(0));
        Book {
            id: BookId::new(1),
            key: BookKey::new("k".to_owned()),
            owner_name: "alice".to_owned(),
            settings,
            scale: 4,
            file_secret: FileSecret::default(),
            stamp,
        }
    }

    #[test]
    fn a_copy_keeps_all_but_what_is_the_sources_own() {
        let source = source();
        let copy = source.settings_of_copy(Some(" Copy "), None).unwrap();
        assert_eq!(
            (copy.name.as_str(), copy.visibility, copy.lock_date, copy.closing_date),
            ("Copy", Visibility::Private, None, None)
        );
        let Settings { name, visibility, lock_date, closing_date, .. } = source.settings.clone();
        assert_eq!(Settings { name, visibility, lock_date, closing_date, ..copy }, source.settings);
    }

    #[test]
    fn a_name_is_required() {
        for name in [None, Some(""), Some("  ")] {
            let refused = source().settings_of_copy(name, None).unwrap_err();
            assert_eq!(refused, crate::Refusal::Book(Refusal::CopyNameRequired));
        }
        assert!(source().settings_of_copy(Some(&"x".repeat(256)), None).is_err());
    }

    #[test]
    fn days_are_eight_digits() {
        for text in [
            "2024",
            "2024-01-01",
            "20241301",
            "20240230",
            "00000000",
            "+2024010",
            "202401011",
            "now",
            "2024 101",
        ] {
            assert_eq!(
                first_day(Some(text)),
                Err(Refusal::CopyFromDate(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!(first_day(None), Ok(None));
    }
}
