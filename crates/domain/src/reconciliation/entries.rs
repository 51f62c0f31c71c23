//! The transactions on a reconciliation, and what this does to their state (behaviour 14.5, 14.6).

use super::{Reconciliation, Refusal, check_permanent};
use crate::account::{Account, Directory};
use crate::book::Book;
use crate::event::EventType;
use crate::id::{AccountId, ReconciliationId, TransactionId, UserId};
use crate::instant::Instant;
use crate::transaction::{self, LifecycleState, Transaction, Verb};

/// A transaction on a reconciliation of one of its accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReconciledEntry {
    /// The transaction.
    pub transaction: TransactionId,
    /// The account.
    pub account: AccountId,
    /// The reconciliation of the account.
    pub reconciliation: ReconciliationId,
    /// The number of the book's last event when it was put on. Changes after it are reported
    /// (behaviour 14.8).
    pub sequence: i64,
    /// Whether a reconciliation checked the transaction, which was not unchecked since. All entries
    /// of a transaction have the same value.
    pub checked: bool,
}

/// The last change of a transaction after it was put on a reconciliation (behaviour 14.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    /// The transaction.
    pub transaction: TransactionId,
    /// The number of the event.
    pub sequence: i64,
    /// The type of the event.
    pub kind: EventType,
    /// The author of the change.
    pub user: UserId,
    /// The app that caused it.
    pub agent: Option<String>,
    /// The time of the event.
    pub at: Instant,
}

impl EntryChange {
    /// The events that are reported. A check is not one of them, because it is the effect of a
    /// reconciliation.
    pub const REPORTED: [EventType; 4] = [
        EventType::TransactionUpdated,
        EventType::TransactionUnchecked,
        EventType::TransactionDeleted,
        EventType::TransactionRestored,
    ];
}

/// The transactions that a change has put on a reconciliation and taken off it.
///
/// An event has these alone: with all transactions, each of many small changes would repeat
/// thousands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryDelta {
    /// The transactions that were put on.
    pub added: Vec<TransactionId>,
    /// The transactions that were taken off.
    pub removed: Vec<TransactionId>,
}

impl EntryDelta {
    /// Returns whether nothing was put on or taken off.
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// Checks that a transaction may be put on a reconciliation of `account`.
///
/// `entries` has the entries of the transaction. A locked date and a checked transaction are no
/// obstacle.
///
/// # Errors
/// [`Refusal`] for another account, an account that is not permanent, and a transaction on another
/// reconciliation of the account; [`transaction::Refusal`] for a draft and a trashed transaction.
pub fn check_entry(
    reconciliation: &Reconciliation,
    account: &Account,
    transaction: &Transaction,
    entries: &[ReconciledEntry],
) -> Result<(), crate::Refusal> {
    check_permanent(account)?;
    match transaction.state() {
        LifecycleState::Draft => return Err(transaction::Refusal::NotPosted.into()),
        LifecycleState::Trashed => return Err(transaction::Refusal::Trashed.into()),
        LifecycleState::Unchecked | LifecycleState::Checked => {}
    }
    if transaction.account_ids().all(|id| id != account.id) {
        return Err(Refusal::NotOfAccount(account.name.as_str().to_owned()).into());
    }
    let own = entries.iter().find(|entry| entry.account == account.id);
    match own.filter(|entry| entry.reconciliation != reconciliation.id) {
        Some(entry) => Err(Refusal::OnAnother(entry.reconciliation).into()),
        None => Ok(()),
    }
}

/// Returns whether every permanent account of a transaction has it on a reconciliation.
fn is_reconciled(
    transaction: &Transaction,
    accounts: &Directory,
    entries: &[ReconciledEntry],
) -> bool {
    let is_permanent = |id: AccountId| accounts.get(id).is_some_and(|a| a.kind.is_permanent());
    let is_on_one = |id: AccountId| entries.iter().any(|entry| entry.account == id);
    transaction.account_ids().all(|id| !is_permanent(id) || is_on_one(id))
}

/// Returns the verb for a transaction that was put on a reconciliation, if there is one.
///
/// `entries` includes the new entry. A locked date keeps the state (behaviour 3.5.2).
pub fn verb_after_add(
    book: &Book,
    accounts: &Directory,
    transaction: &Transaction,
    entries: &[ReconciledEntry],
) -> Option<Verb> {
    let checks = transaction.state() == LifecycleState::Unchecked
        && !book.is_locked(transaction.list_day)
        && is_reconciled(transaction, accounts, entries);
    checks.then_some(Verb::Check)
}

/// Returns the verb for a transaction that was taken off a reconciliation, if there is one.
///
/// Only a transaction that a reconciliation checked is unchecked. `was_checked` is the flag of its
/// entries, and `entries` has those that are left.
pub fn verb_after_remove(
    book: &Book,
    accounts: &Directory,
    transaction: &Transaction,
    was_checked: bool,
    entries: &[ReconciledEntry],
) -> Option<Verb> {
    let unchecks = was_checked
        && transaction.state() == LifecycleState::Checked
        && !book.is_locked(transaction.list_day)
        && !is_reconciled(transaction, accounts, entries);
    unchecks.then_some(Verb::Uncheck)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountType::{self, Asset, Liability, Outgoing};
    use crate::book::Changes;
    use crate::field::Field;
    use crate::fixture::{self, day, stamp};
    use crate::reconciliation::ClosingBalance;
    use crate::transaction::Standing::{self, Checked, Draft, Unchecked};

    /// A transaction from account 1 to account 2, dated 2025-01-15.
    fn of(standing: Standing, trashed: bool) -> Transaction {
        Transaction { trashed, ..fixture::transaction(3, standing) }
    }

    /// Accounts 1 to 3 of these types.
    fn accounts(kinds: [AccountType; 2]) -> Directory {
        let kinds = (1..).zip(kinds.into_iter().chain([Asset]));
        let account =
            |(id, kind)| Account { kind, ..fixture::account(id, &format!("Account {id}"), &[]) };
        Directory::new(kinds.map(account).collect())
    }

    /// An entry of account `account` on reconciliation `reconciliation`.
    fn entry((account, reconciliation): (i64, i64)) -> ReconciledEntry {
        ReconciledEntry {
            transaction: TransactionId::new(3),
            account: AccountId::new(account),
            reconciliation: ReconciliationId::new(reconciliation),
            sequence: 1,
            checked: false,
        }
    }

    fn entries(of: &[(i64, i64)]) -> Vec<ReconciledEntry> {
        of.iter().copied().map(entry).collect()
    }

    fn book(locked_until: Option<&str>) -> Book {
        let lock_date = locked_until.map_or(Field::Keep, |day| Field::Set(day.to_owned()));
        fixture::book(Changes { lock_date, ..Changes::default() })
    }

    #[test]
    fn only_posted_transactions_of_the_account_are_put_on() {
        let check = |account, kinds, transaction: &Transaction, on: &[(i64, i64)]| {
            let accounts = accounts(kinds);
            let account = accounts.get(AccountId::new(account)).unwrap();
            let reconciliation = Reconciliation {
                id: ReconciliationId::new(7),
                account: account.id,
                date: day("2025-01-31"),
                closing: ClosingBalance::stored("0").unwrap(),
                file: None,
                created_by: UserId::new(1),
                stamp: stamp(),
            };
            check_entry(&reconciliation, account, transaction, &entries(on))
                .map_err(|e| e.to_string())
        };
        let (assets, expense) = ([Asset, Asset], [Asset, Outgoing]);
        for (account, kinds, transaction, on, refused) in [
            (1, expense, of(Unchecked, false), &[][..], None),
            (1, expense, of(Checked, false), &[], None),
            (2, assets, of(Unchecked, false), &[(1, 7)], None),
            (1, assets, of(Unchecked, false), &[(1, 7), (2, 8)], None),
            (1, assets, of(Unchecked, false), &[(1, 8)], Some("reconciliation 0000000000000008")),
            (2, expense, of(Unchecked, false), &[], Some("not permanent")),
            (3, assets, of(Unchecked, false), &[], Some("not an account of the transaction")),
            (1, expense, of(Draft, false), &[], Some("not posted")),
            (1, expense, of(Checked, true), &[], Some("trashed")),
        ] {
            let outcome = check(account, kinds, &transaction, on);
            let case = format!("{account} {kinds:?} {:?} {on:?}", transaction.state());
            match (outcome, refused) {
                (Ok(()), None) => {}
                (Err(message), Some(part)) => assert!(message.contains(part), "{case}: {message}"),
                (outcome, _) => panic!("{case}: {outcome:?}"),
            }
        }
    }

    #[test]
    fn transaction_is_checked_when_every_permanent_side_is_on_one() {
        for (kinds, standing, on, lock, checks) in [
            ([Asset, Outgoing], Unchecked, &[(1, 7)][..], None, true),
            ([Asset, Outgoing], Unchecked, &[(1, 7)], Some("2025-01-14"), true),
            ([Asset, Outgoing], Unchecked, &[(1, 7)], Some("2025-01-15"), false),
            ([Asset, Outgoing], Checked, &[(1, 7)], None, false),
            ([Asset, Liability], Unchecked, &[(1, 7)], None, false),
            ([Asset, Liability], Unchecked, &[(2, 7)], None, false),
            ([Asset, Liability], Unchecked, &[(1, 7), (2, 8)], None, true),
        ] {
            let (book, accounts) = (book(lock), accounts(kinds));
            let verb = verb_after_add(&book, &accounts, &of(standing, false), &entries(on));
            assert_eq!(
                verb,
                checks.then_some(Verb::Check),
                "{kinds:?} {standing:?} {on:?} {lock:?}"
            );
        }
    }

    #[test]
    fn only_what_a_reconciliation_checked_is_unchecked() {
        for (kinds, transaction, was_checked, left, lock, unchecks) in [
            ([Asset, Outgoing], of(Checked, false), true, &[][..], None, true),
            ([Asset, Outgoing], of(Checked, false), false, &[], None, false),
            ([Asset, Outgoing], of(Checked, false), true, &[], Some("2025-01-15"), false),
            ([Asset, Outgoing], of(Unchecked, false), true, &[], None, false),
            ([Asset, Outgoing], of(Checked, true), true, &[], None, false),
            ([Asset, Liability], of(Checked, false), true, &[(2, 8)], None, true),
            // The account on the other side stays reconciled, and this one is not permanent now.
            ([Outgoing, Asset], of(Checked, false), true, &[(2, 8)], None, false),
        ] {
            let (book, accounts) = (book(lock), accounts(kinds));
            let verb =
                verb_after_remove(&book, &accounts, &transaction, was_checked, &entries(left));
            let state = transaction.state();
            assert_eq!(
                verb,
                unchecks.then_some(Verb::Uncheck),
                "{kinds:?} {state:?} {left:?} {lock:?}"
            );
        }
    }
}
