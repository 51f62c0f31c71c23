//! Minimum balances: which accounts a request lowers, and whether it may (behaviour 3.13).

use std::collections::{BTreeMap, HashMap};

use super::{Refusal, Transaction};
use crate::account::{Account, Directory, MinBalance};
use crate::amount::write_units;
use crate::balance::PeriodTotal;
use crate::book::Book;
use crate::id::AccountId;

/// The accounts with a minimum balance whose total a request lowers.
///
/// Storage reads the totals of these accounts alone, so other requests read none.
#[derive(Debug)]
pub struct LoweredAccounts<'a> {
    book: &'a Book,
    accounts: BTreeMap<AccountId, Lowered<'a>>,
}

/// An account with a minimum balance.
#[derive(Debug)]
struct Lowered<'a> {
    account: &'a Account,
    minimum: MinBalance,
    /// The change of the raw balance, in units at the scale of the book.
    change: i128,
}

impl<'a> LoweredAccounts<'a> {
    /// Adds up the changes of a request: transactions before, if they existed, and after.
    ///
    /// `accounts` has all accounts of these transactions.
    pub fn of<'t>(
        book: &'a Book,
        accounts: &'a Directory,
        changes: impl Iterator<Item = (Option<&'t Transaction>, &'t Transaction)>,
    ) -> Self {
        let limited = accounts.iter().filter_map(|account| {
            Some((account.id, Lowered { account, minimum: account.min_balance?, change: 0 }))
        });
        let mut lowered = Self { book, accounts: limited.collect() };
        if !lowered.accounts.is_empty() {
            for (before, after) in changes {
                before.into_iter().for_each(|before| lowered.add(before, -1));
                lowered.add(after, 1);
            }
        }
        lowered.accounts.retain(|_, one| one.account.kind.normal_balance(one.change) < 0);
        lowered
    }

    /// Adds the entries of a transaction, or with the sign -1 subtracts them.
    fn add(&mut self, transaction: &Transaction, sign: i128) {
        for entry in transaction.entries() {
            if let Some(lowered) = self.accounts.get_mut(&entry.account) {
                // Storage refuses an amount that does not fit the scale.
                let units = i128::from(entry.amount.units(self.book.scale).unwrap_or_default());
                let raw = if entry.credit { units } else { -units };
                lowered.change = lowered.change.saturating_add(sign * raw);
            }
        }
    }

    /// Returns the ids of the accounts.
    pub fn ids(&self) -> Vec<AccountId> {
        self.accounts.keys().copied().collect()
    }

    /// Checks that no account falls below its minimum.
    ///
    /// `totals` are the sums of the accounts over all time before the request.
    ///
    /// # Errors
    /// [`Refusal::InsufficientFunds`] for the account with the lowest id.
    pub fn check(&self, totals: &[PeriodTotal]) -> Result<(), Refusal> {
        let scale = self.book.scale;
        let raw = |total: &PeriodTotal| total.credit.saturating_sub(total.debit);
        let totals: HashMap<AccountId, i128> =
            totals.iter().map(|total| (total.account, raw(total))).collect();
        for (id, Lowered { account, minimum, change }) in &self.accounts {
            let before = totals.get(id).copied().unwrap_or_default();
            let balance = account.kind.normal_balance(before.saturating_add(*change));
            if minimum.is_above(balance, scale) {
                return Err(Refusal::InsufficientFunds {
                    account: account.name.as_str().to_owned(),
                    balance: write_units(balance, scale, self.book.settings.fraction_digits),
                    minimum: minimum.to_string(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountType;
    use crate::amount::Amount;
    use crate::fixture;
    use crate::transaction::Standing;

    /// A posting of these cents from account 1 to account 2.
    fn posted(cents: i64) -> Transaction {
        let amount = Amount::from_units(cents, 2);
        Transaction { amount, ..fixture::transaction(7, Standing::Unchecked) }
    }

    /// Accounts 1 and 2 of this type, with this minimum.
    fn accounts(kind: AccountType, minimum: &str) -> Directory {
        let limited = |id| Account {
            kind,
            min_balance: MinBalance::stored(minimum),
            ..fixture::account(id, &format!("Account {id}"), &[])
        };
        Directory::new(vec![limited(1), limited(2)])
    }

    /// The refusal of changes to an account with a raw balance of `cents`.
    fn refusal(
        accounts: &Directory,
        cents: i128,
        changes: &[(Option<&Transaction>, &Transaction)],
    ) -> Option<String> {
        let book = fixture::book(crate::book::Changes::default());
        let lowered = LoweredAccounts::of(&book, accounts, changes.iter().copied());
        let total = |account| PeriodTotal {
            account,
            period: None,
            debit: cents.min(0).saturating_neg(),
            credit: cents.max(0),
        };
        let totals: Vec<_> = lowered.ids().into_iter().map(total).collect();
        lowered.check(&totals).err().map(|refusal| refusal.to_string())
    }

    #[test]
    fn an_account_may_fall_to_its_minimum() {
        let ten = posted(1_000);
        for (kind, spent, cents) in [
            (AccountType::Asset, "Account 1", -3_000),
            (AccountType::Outgoing, "Account 1", -3_000),
            (AccountType::Liability, "Account 2", 3_000),
            (AccountType::Incoming, "Account 2", 3_000),
        ] {
            assert_eq!(refusal(&accounts(kind, "20.00"), cents, &[(None, &ten)]), None);
            let expected =
                format!("account \"{spent}\" would have 20.00; its minimum balance is 20.01");
            let refused = refusal(&accounts(kind, "20.01"), cents, &[(None, &ten)]);
            assert_eq!(refused, Some(expected), "{kind:?}");
        }
    }

    #[test]
    fn changes_of_a_request_count_together() {
        let accounts = accounts(AccountType::Asset, "0.00");
        let (ten, nine) = (posted(1_000), posted(900));
        let back = Transaction { credit: ten.debit, debit: ten.credit, ..ten.clone() };
        let trashed = Transaction { trashed: true, ..ten.clone() };
        let draft = Transaction { standing: Standing::Draft, ..ten.clone() };
        let below = -500;
        assert!(refusal(&accounts, below, &[(None, &ten)]).is_some());
        assert_eq!(refusal(&accounts, below, &[(None, &ten), (None, &back)]), None);
        assert_eq!(refusal(&accounts, below, &[(None, &draft)]), None);
        assert!(refusal(&accounts, below, &[(Some(&draft), &ten)]).is_some());
        // Account 2 loses what it had received.
        assert!(refusal(&accounts, 0, &[(Some(&ten), &trashed)]).is_some());
        assert!(refusal(&accounts, 0, &[(Some(&ten), &nine)]).is_some());
    }

    #[test]
    fn an_account_below_its_minimum_may_be_raised() {
        let book = fixture::book(crate::book::Changes::default());
        let accounts = accounts(AccountType::Asset, "1000.00");
        let (ten, nine) = (posted(1_000), posted(900));
        let lowered = |before, after| {
            LoweredAccounts::of(&book, &accounts, [(before, after)].into_iter()).ids()
        };
        assert_eq!(lowered(None, &ten), [AccountId::new(1)]);
        assert_eq!(lowered(Some(&ten), &nine), [AccountId::new(2)]);
        assert_eq!(lowered(Some(&ten), &ten), []);
    }
}
