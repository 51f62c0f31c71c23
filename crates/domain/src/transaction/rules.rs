//! The rules for new transactions: drafts, and drafts that are posted at once (behaviour 3.2).

use time::Date;

use crate::access::Access;
use crate::account::Directory;
use crate::amount;
use crate::book::Book;
use crate::calendar::parse_iso;
use crate::field::Field;
use crate::id::TransactionId;
use crate::import::uncopied_keys;
use crate::instant::{Instant, Stamp};
use crate::permission::Action;
use crate::property::Properties;

use super::changes::{description, files_of_create, urls};
use super::{Changes, Refusal, Standing, Transaction, check_sides, remote_ids};

/// The rules for recording transactions, with everything they depend on except the body.
#[derive(Debug, Clone, Copy)]
pub struct TransactionRules<'a> {
    /// The caller and the book.
    pub access: &'a Access,
    /// The accounts that the body may refer to.
    pub accounts: &'a Directory,
    /// Now.
    pub now: Instant,
    /// Today in the time zone of the book.
    pub today: Date,
    /// The day on which the transaction was created, in the time zone of the book. It is listed
    /// under this day while it has no date (behaviour 2.6). Today for a new transaction.
    pub created_on: Date,
}

/// Whether a new transaction must be posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// A create: it is posted if it can be (behaviour 3.2.2).
    Create,
    /// A post without id: it must be posted, whatever `autoPost` and `draft` are (behaviour 3.3.2).
    Post,
}

impl TransactionRules<'_> {
    /// Creates a transaction, posted or not (behaviour 3.2.2, 3.3.2).
    ///
    /// # Errors
    /// Unreadable values, unknown account names, the same account twice, a posting on an archived
    /// account; for [`Intent::Post`] also a missing permission or field and a locked date.
    pub fn create(
        &self,
        id: TransactionId,
        agent: Option<String>,
        changes: &Changes,
        intent: Intent,
    ) -> Result<Transaction, crate::Refusal> {
        if intent == Intent::Post && !self.access.may(Action::Post) {
            return Err(Refusal::NotEnough(self.access.permission().as_str()).into());
        }
        let draft = self.draft(id, agent, changes)?;
        let checked = changes.checked && self.access.may(Action::Check);
        match intent {
            Intent::Post => self.post_draft(draft, checked),
            Intent::Create if changes.draft || !self.posts_automatically(&draft) => Ok(draft),
            Intent::Create => self.post_draft(draft, checked),
        }
    }

    /// Repeats a transaction as a draft on another day, because its text requests repetitions in
    /// the following months. The copy has no remote ids, because it is another transaction in the
    /// other system, and belongs to no entry and to no import (behaviour 3.8.2.8).
    pub fn repeat(&self, first: &Transaction, id: TransactionId, day: Date) -> Transaction {
        Transaction {
            id,
            date: Some(day),
            list_day: day,
            standing: Standing::Draft,
            posted_at: None,
            properties: first.properties.without(uncopied_keys(&first.properties)),
            remote_ids: Vec::new(),
            files: Vec::new(),
            stamp: Stamp::new(first.stamp.agent.clone(), self.now),
            ..first.clone()
        }
    }

    /// Posts a draft, and checks it if `checked` is set (behaviour 3.3.3).
    pub(super) fn post_draft(
        &self,
        draft: Transaction,
        checked: bool,
    ) -> Result<Transaction, crate::Refusal> {
        let missing = draft.missing();
        if !missing.is_empty() {
            return Err(Refusal::Incomplete(missing).into());
        }
        self.check_unlocked(draft.list_day)?;
        for account in draft.account_ids().filter_map(|id| self.accounts.get(id)) {
            account.check_postable()?;
        }
        let standing = if checked { Standing::Checked } else { Standing::Unchecked };
        Ok(Transaction { standing, posted_at: Some(self.now), ..draft })
    }

    /// Refuses a locked or closed day (behaviour 3.5.2).
    pub(super) fn check_unlocked(&self, day: Date) -> Result<(), Refusal> {
        if self.book().is_locked(day) {
            Err(Refusal::Locked(crate::calendar::format_iso(day)))
        } else {
            Ok(())
        }
    }

    pub(super) const fn book(&self) -> &Book {
        self.access.book()
    }

    fn posts_automatically(&self, draft: &Transaction) -> bool {
        draft.missing().is_empty()
            && self.book().settings.auto_post
            && self.access.may(Action::Post)
            && !self.book().is_locked(draft.list_day)
    }

    fn draft(
        &self,
        id: TransactionId,
        agent: Option<String>,
        changes: &Changes,
    ) -> Result<Transaction, crate::Refusal> {
        let sides = changes.sides_of_create(self.accounts)?;
        let (credit, debit) = (sides.credit.value(), sides.debit.value());
        check_sides(credit, debit)?;
        let date = read_date(&changes.date)?.value();
        let amount = match changes.amount.as_ref().value() {
            Some(text) => amount::read(text, self.book().settings.decimal_separator)?,
            None => None,
        };
        Ok(Transaction {
            id,
            date,
            list_day: date.unwrap_or(self.created_on),
            amount: amount.map(|reading| reading.round(self.book().precision())).transpose()?,
            description: description(
                changes.description.as_ref().value().cloned().unwrap_or_default(),
            )?,
            credit,
            debit,
            standing: Standing::Draft,
            trashed: false,
            posted_at: None,
            properties: Properties::default().merge(&changes.properties)?,
            urls: urls(changes.urls.clone().unwrap_or_default())?,
            remote_ids: remote_ids(changes.remote_ids.as_deref().unwrap_or_default())?,
            files: files_of_create(changes.files.as_deref().unwrap_or_default())?,
            comment_count: 0,
            created_by: self.access.user(),
            stamp: Stamp::new(agent, self.now),
        })
    }
}

/// Reads `date`; a blank text clears it (behaviour 3.2.4).
pub(super) fn read_date(field: &Field<String>) -> Result<Field<Date>, Refusal> {
    match field {
        Field::Keep => Ok(Field::Keep),
        Field::Clear => Ok(Field::Clear),
        Field::Set(text) if text.trim().is_empty() => Ok(Field::Clear),
        Field::Set(text) => parse_iso(text.trim())
            .map(Field::Set)
            .ok_or_else(|| Refusal::Date(text.chars().take(40).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Directory;
    use crate::fixture::{self, day, properties};
    use crate::id::UserId;
    use crate::permission::Permission;

    #[test]
    fn repetition_belongs_to_no_entry_and_no_import() {
        let book = fixture::book(crate::book::Changes::default());
        let (owner, user) = (Some(Permission::Owner), UserId::new(7));
        let access = Access::admit(book, owner, user, Action::Post).unwrap();
        let (accounts, today) = (Directory::default(), day("2025-01-15"));
        let rules = TransactionRules {
            access: &access,
            accounts: &accounts,
            now: Instant::new(500),
            today,
            created_on: today,
        };
        let pairs = [
            ("entry_id", "e1"),
            ("flat", "3"),
            ("import_run", "9"),
            ("source", "bank.csv:2"),
            ("source_of_income", "rent"),
        ];
        let first = Transaction {
            properties: properties(&pairs),
            remote_ids: fixture::owned(&["r"]),
            ..fixture::transaction(90, Standing::Checked)
        };
        let id = TransactionId::new(91);
        let repeated = rules.repeat(&first, id, day("2025-02-15"));
        let expected = Transaction {
            id,
            date: Some(day("2025-02-15")),
            list_day: day("2025-02-15"),
            properties: properties(&[("flat", "3"), ("source_of_income", "rent")]),
            stamp: Stamp::new(None, Instant::new(500)),
            ..fixture::transaction(90, Standing::Draft)
        };
        assert_eq!(repeated, expected);
        let own = properties(&[("source", "rent")]);
        let typed = Transaction { properties: own.clone(), ..first };
        assert_eq!(rules.repeat(&typed, id, day("2025-02-15")).properties, own, "no import set it");
    }
}
