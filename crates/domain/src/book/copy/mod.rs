//! Copies of books (behaviour 6.6).
//!
//! A copy has the settings, the chart and optionally the transactions of its source, from a first
//! day if one is given. Opening balances replace the transactions before that day. Copied
//! transactions have no events. The first event of the copy contains their number and a hash
//! instead (behaviour 6.20).

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
    /// Creates the settings of a copy: those of this book, but private and without lock and closing
    /// date.
    ///
    /// # Errors
    /// [`Refusal::CopyNameRequired`]; the refusal of a name.
    pub fn copy_settings(
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

/// Parses the first day whose transactions are copied. `None` copies all.
///
/// # Errors
/// [`Refusal::CopyFromDate`].
pub fn first_day(text: Option<&str>) -> Result<Option<Date>, Refusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let is_digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let day = if is_digits { text.parse().ok().and_then(from_day_number) } else { None };
    day.map(Some).ok_or_else(|| Refusal::CopyFromDate(text.chars().take(40).collect()))
}

/// Parses the decimal places of a copy (behaviour 6.24). `None` keeps those of its source.
///
/// # Errors
/// [`Refusal::CopyFractionDigits`].
pub fn fraction_digits(text: Option<&str>) -> Result<Option<u32>, Refusal> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.parse().ok().filter(|digits| is_number && *digits <= MAX_FRACTION_DIGITS);
    digits.map(Some).ok_or_else(|| Refusal::CopyFractionDigits(text.chars().take(40).collect()))
}

/// The mapping from the source to a copy.
#[derive(Debug, Clone)]
pub struct Copier {
    /// The accounts of the source with their copies.
    pub accounts: HashMap<AccountId, AccountId>,
    /// The user who copies.
    pub user: UserId,
    /// The app and the time.
    pub stamp: Stamp,
}

impl Copier {
    /// Copies a transaction without files and comments (behaviour 6.14).
    ///
    /// The copying user becomes its creator, and it is posted now.
    pub fn transaction(&self, id: TransactionId, original: &Transaction) -> Transaction {
        let copy_of = |account: AccountId| self.accounts.get(&account).copied();
        Transaction {
            id,
            credit: original.credit.and_then(copy_of),
            debit: original.debit.and_then(copy_of),
            posted_at: original.is_posted().then_some(self.stamp.created_at),
            files: Vec::new(),
            comment_count: 0,
            created_by: self.user,
            stamp: self.stamp.clone(),
            ..original.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Changes;
    use crate::field::Field;
    use crate::fixture::{book, day, edits};

    #[test]
    fn copy_is_private_and_unlocked_with_the_same_settings() {
        let source = book(Changes {
            auto_post: Some(false),
            lock_date: Field::Set("2025-01-31".to_owned()),
            closing_date: Field::Set("2024-12-31".to_owned()),
            fraction_digits: Some(3),
            page_size: Some(7),
            time_zone: Some("Asia/Tokyo".to_owned()),
            visibility: Some(Visibility::Public),
            properties: edits(&[("code", Some("1"))]),
            ..Changes::default()
        });
        let copy = source.copy_settings(Some(" Copy "), None).unwrap();
        let expected = Settings {
            name: Name::new("Copy").unwrap(),
            visibility: Visibility::Private,
            lock_date: None,
            closing_date: None,
            ..source.settings
        };
        assert_eq!(copy, expected);
    }

    #[test]
    fn copy_requires_a_name() {
        let source = book(Changes::default());
        for name in [None, Some(""), Some("  ")] {
            let refused = source.copy_settings(name, None).unwrap_err();
            assert_eq!(refused, crate::Refusal::Book(Refusal::CopyNameRequired));
        }
        assert!(source.copy_settings(Some(&"x".repeat(256)), None).is_err());
    }

    #[test]
    fn first_day_is_eight_digits() {
        let invalid = "2024,2024-01-01,20241301,20240230,00000000,+2024010,202401011,now,2024 101";
        for text in invalid.split(',') {
            let refused = Err(Refusal::CopyFromDate(text.to_owned()));
            assert_eq!(first_day(Some(text)), refused, "{text}");
        }
        for (text, expected) in
            [(None, None), (Some(" "), None), (Some("20240229"), Some("2024-02-29"))]
        {
            assert_eq!(first_day(text), Ok(expected.map(day)));
        }
    }

    #[test]
    fn fraction_digits_are_at_most_eight() {
        for (text, expected) in [(None, None), (Some(" "), None), (Some("4"), Some(4))] {
            assert_eq!(fraction_digits(text), Ok(expected));
        }
        for text in ["9", "+4", "x"] {
            assert!(fraction_digits(Some(text)).is_err(), "{text}");
        }
    }
}
