//! Reconciliations: permanent accounts compared with the statements of banks (behaviour 14).
//!
//! A [`Reconciliation`] has the last day and the closing balance of a statement. The user puts the
//! transactions of the statement on it. Its opening balance is the closing balance of the
//! reconciliation before, and its difference is what the transactions do not explain. Both are
//! computed when they are read, and a difference is allowed.
//!
//! `entries` decides which transactions may be put on a reconciliation. A transaction becomes
//! checked when each of its permanent accounts has it on a reconciliation, and unchecked when one
//! of them no longer has it. A reconciliation does not lock its transactions.

mod balance;
mod entries;
mod events;

use time::Date;

pub use balance::{ClosingBalance, EntrySums};
pub use entries::{
    EntryChange, EntryDelta, ReconciledEntry, check_entry, verb_after_add, verb_after_remove,
};

use crate::account::Account;
use crate::amount::Precision;
use crate::calendar::{format_iso, parse_iso};
use crate::event::Previous;
use crate::field::Field;
use crate::id::{AccountId, FileId, ReconciliationId, UserId};
use crate::instant::{Instant, Stamp};
use crate::reason::Reason;

/// The most transactions on a reconciliation (behaviour 14.5).
pub const MAX_ENTRIES: usize = 10_000;

/// Why a request about a reconciliation was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("reconciliation not found: {0}")]
    Unknown(String),
    #[error("{0} is required")]
    Required(&'static str),
    #[error("date \"{0}\" is not a date of the form yyyy-MM-dd")]
    Date(String),
    #[error("account \"{0}\" is not permanent: only ASSET and LIABILITY accounts are reconciled")]
    NotPermanent(String),
    #[error("file not found: {0}")]
    UnknownFile(String),
    #[error("account \"{0}\" is not an account of the transaction")]
    NotOfAccount(String),
    #[error("the transaction is on reconciliation {0} of this account: remove it there first")]
    OnAnother(ReconciliationId),
    #[error("a reconciliation has at most {MAX_ENTRIES} transactions; this one would have {0}")]
    TooManyEntries(i64),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::Required(_)
            | Self::Date(_)
            | Self::NotPermanent(_)
            | Self::UnknownFile(_)
            | Self::NotOfAccount(_)
            | Self::OnAnother(_)
            | Self::TooManyEntries(_) => Reason::BadRequest,
        }
    }
}

/// The comparison of an account with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciliation {
    /// The id; of two with the same date the later one is greater.
    pub id: ReconciliationId,
    /// The account.
    pub account: AccountId,
    /// The last day of the statement.
    pub date: Date,
    /// The balance at the end of the statement.
    pub closing: ClosingBalance,
    /// The file of the statement.
    pub file: Option<FileId>,
    /// The author.
    pub created_by: UserId,
    /// The app, the times and the version.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update, apart from its transactions.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The last day of the statement, as written.
    pub date: Field<String>,
    /// The closing balance, as written.
    pub closing_balance: Field<String>,
    /// The file of the statement.
    pub file: Field<FileId>,
}

impl Reconciliation {
    /// Creates a reconciliation of an account.
    ///
    /// # Errors
    /// [`Refusal`] for a missing or unreadable field, and for an account that is not permanent; the
    /// refusals of amounts.
    pub fn create(
        id: ReconciliationId,
        account: &Account,
        changes: Changes,
        precision: Precision,
        created_by: UserId,
        stamp: Stamp,
    ) -> Result<Self, crate::Refusal> {
        let Changes { date, closing_balance, file } = changes;
        check_permanent(account)?;
        let date = read_date(date)?.value().ok_or(Refusal::Required("date"))?;
        let closing = read_required("closingBalance", closing_balance)?
            .value()
            .ok_or(Refusal::Required("closingBalance"))?;
        let closing = ClosingBalance::read(&closing, account.kind, None, precision)?;
        Ok(Self { id, account: account.id, date, closing, file: file.value(), created_by, stamp })
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// # Errors
    /// See [`Reconciliation::create`].
    pub fn update(
        self,
        account: &Account,
        changes: Changes,
        precision: Precision,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let Changes { date, closing_balance, file } = changes;
        let before = self.clone();
        let closing = read_required("closingBalance", closing_balance)?.try_map(|text| {
            ClosingBalance::read(&text, account.kind, Some(before.closing), precision)
        })?;
        let after = Self {
            date: read_date(date)?.value().unwrap_or(before.date),
            closing: closing.value().unwrap_or(before.closing),
            file: file.apply(before.file),
            ..self
        };
        let mut previous = Previous::new();
        let mut add = |key: &str, changed: bool, old: String| {
            if changed {
                previous.insert(key.to_owned(), old);
            }
        };
        add("date", before.date != after.date, format_iso(before.date));
        let closing = before.closing.write(account.kind, precision);
        add("closingBalance", before.closing != after.closing, closing);
        let file = before.file.map(|id| id.to_string()).unwrap_or_default();
        add("fileId", before.file != after.file, file);
        Ok((after, previous))
    }

    /// Records a change of its fields or transactions now.
    #[must_use]
    pub fn touch(self, now: Instant) -> Self {
        Self { stamp: self.stamp.touch(now), ..self }
    }
}

/// Refuses an account whose balance does not last (behaviour 14.1).
///
/// # Errors
/// [`Refusal::NotPermanent`].
pub fn check_permanent(account: &Account) -> Result<(), Refusal> {
    if account.kind.is_permanent() {
        Ok(())
    } else {
        Err(Refusal::NotPermanent(account.name.as_str().to_owned()))
    }
}

/// Refuses to clear a field.
fn read_required(name: &'static str, field: Field<String>) -> Result<Field<String>, Refusal> {
    match field {
        Field::Keep => Ok(Field::Keep),
        Field::Set(text) if !text.trim().is_empty() => Ok(Field::Set(text)),
        Field::Set(_) | Field::Clear => Err(Refusal::Required(name)),
    }
}

fn read_date(field: Field<String>) -> Result<Field<Date>, Refusal> {
    read_required("date", field)?.try_map(|text| {
        parse_iso(text.trim()).ok_or_else(|| Refusal::Date(text.chars().take(40).collect()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountType;
    use crate::book;
    use crate::fixture::{self, day, pairs, stamp};

    fn precision() -> Precision {
        fixture::book(book::Changes::default()).precision()
    }

    fn account(kind: AccountType) -> Account {
        Account { kind, ..fixture::account(1, "Bank", &[]) }
    }

    fn changes(date: &str, closing: &str) -> Changes {
        Changes {
            date: Field::Set(date.to_owned()),
            closing_balance: Field::Set(closing.to_owned()),
            file: Field::Keep,
        }
    }

    fn create(kind: AccountType, changes: Changes) -> Result<Reconciliation, crate::Refusal> {
        let id = ReconciliationId::new(7);
        Reconciliation::create(id, &account(kind), changes, precision(), UserId::new(2), stamp())
    }

    #[test]
    fn required_fields_and_permanent_accounts_are_checked() {
        use AccountType::{Asset, Incoming, Liability, Outgoing};
        let absent = |changes: Changes| Changes { date: Field::Keep, ..changes };
        let cleared = |changes: Changes| Changes { closing_balance: Field::Clear, ..changes };
        let good = || changes(" 2025-01-31 ", "1.00");
        for (kind, changes, expected) in [
            (Asset, good(), Ok(())),
            (Liability, good(), Ok(())),
            (Incoming, good(), Err(Refusal::NotPermanent("Bank".to_owned()))),
            (Outgoing, good(), Err(Refusal::NotPermanent("Bank".to_owned()))),
            (Asset, absent(good()), Err(Refusal::Required("date"))),
            (Asset, changes("", "1"), Err(Refusal::Required("date"))),
            (Asset, changes("31/01/2025", "1"), Err(Refusal::Date("31/01/2025".to_owned()))),
            (Asset, cleared(good()), Err(Refusal::Required("closingBalance"))),
            (Asset, changes("2025-01-31", " "), Err(Refusal::Required("closingBalance"))),
        ] {
            assert_eq!(create(kind, changes).map(drop), expected.map_err(Into::into), "{kind:?}");
        }
        let unreadable = create(Asset, changes("2025-01-31", "much"));
        assert!(matches!(unreadable, Err(crate::Refusal::Amount(_))));
    }

    #[test]
    fn update_returns_previous_values() {
        let bank = account(AccountType::Asset);
        let file = Some(FileId::new(9));
        let before = create(AccountType::Asset, changes("2025-01-31", "-12.5")).unwrap();
        let update = |changes| before.clone().update(&bank, changes, precision()).unwrap();
        let (same, previous) = update(changes("2025-01-31", "-12.50"));
        assert_eq!((same, previous.len()), (before.clone(), 0));
        let moved = Changes { file: Field::Set(FileId::new(9)), ..changes("2025-02-01", "0") };
        let (after, previous) = update(moved);
        assert_eq!((after.date, after.file), (day("2025-02-01"), file));
        assert_eq!(after.closing.units(2), 0);
        let expected = [("closingBalance", "-12.50"), ("date", "2025-01-31"), ("fileId", "")];
        assert_eq!(pairs(&previous), expected);
        let kept = after.update(&bank, Changes::default(), precision()).unwrap();
        assert_eq!((kept.0.file, kept.1.len()), (file, 0));
        let cleared = Changes { date: Field::Clear, ..Changes::default() };
        let refused = before.update(&bank, cleared, precision());
        assert_eq!(refused, Err(Refusal::Required("date").into()));
    }
}
