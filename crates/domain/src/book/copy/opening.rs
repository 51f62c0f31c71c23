//! Opening balances of a copy that omits earlier transactions (behaviour 6.19).

use time::Date;

use super::Copier;
use crate::amount::Amount;
use crate::id::{AccountId, TransactionId};
use crate::property::Properties;
use crate::transaction::{Standing, Transaction};

/// The name of the contra account of opening balances, and the description of their transactions.
pub const OPENING_ACCOUNT: &str = "Opening balances";

/// The opening balances of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Openings {
    /// The day before the first copied one.
    pub day: Date,
    /// The storage scale of the book.
    pub scale: u32,
    /// The contra account.
    pub contra: AccountId,
}

impl Openings {
    /// Creates the transactions that give an account its raw balance, in units of the storage
    /// scale.
    ///
    /// One transaction is enough unless the balance exceeds the limit of an amount (behaviour
    /// 3.12.5). A zero balance and the contra account need none.
    pub fn transactions(
        self,
        copier: &Copier,
        account: AccountId,
        balance: i128,
        mut next_id: impl FnMut() -> TransactionId,
    ) -> Vec<Transaction> {
        let mut left = if account == self.contra { 0 } else { balance.unsigned_abs() };
        // A raw balance is credits minus debits (behaviour 5.4).
        let (credit, debit) =
            if balance > 0 { (account, self.contra) } else { (self.contra, account) };
        let mut transactions = Vec::new();
        while left > 0 {
            let units = i64::try_from(left).unwrap_or(i64::MAX);
            left = left.saturating_sub(u128::from(units.unsigned_abs()));
            transactions.push(Transaction {
                id: next_id(),
                date: Some(self.day),
                list_day: self.day,
                amount: Amount::from_units(units, self.scale),
                description: OPENING_ACCOUNT.to_owned(),
                credit: Some(credit),
                debit: Some(debit),
                standing: Standing::Unchecked,
                trashed: false,
                posted_at: Some(copier.stamp.created_at),
                properties: Properties::default(),
                urls: Vec::new(),
                remote_ids: Vec::new(),
                files: Vec::new(),
                comment_count: 0,
                created_by: copier.user,
                stamp: copier.stamp.clone(),
            });
        }
        transactions
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{day, stamp};
    use crate::id::UserId;

    fn open(balance: i128) -> Vec<Transaction> {
        let copier = Copier { accounts: HashMap::new(), user: UserId::new(1), stamp: stamp() };
        let openings = Openings { day: day("2024-12-31"), scale: 3, contra: AccountId::new(9) };
        let mut last = 0;
        openings.transactions(&copier, AccountId::new(1), balance, || {
            last += 1;
            TransactionId::new(last)
        })
    }

    /// Returns the raw balance of account 1.
    fn raw_balance(transactions: &[Transaction]) -> i128 {
        let entries = transactions.iter().flat_map(Transaction::entries);
        let own = entries.filter(|entry| entry.account == AccountId::new(1));
        own.map(|entry| {
            let units = i128::from(entry.amount.units(3).unwrap());
            if entry.credit { units } else { -units }
        })
        .sum()
    }

    proptest! {
        #[test]
        fn openings_sum_to_the_balance(balance in -(1_i128 << 66)..(1_i128 << 66)) {
            let transactions = open(balance);
            prop_assert_eq!(raw_balance(&transactions), balance);
            prop_assert!(transactions.len() <= 9, "no more than necessary");
        }
    }

    #[test]
    fn number_of_openings_depends_on_the_balance() {
        assert_eq!(open(0), []);
        for (balance, count) in
            [(1, 1), (-1, 1), (i128::from(i64::MAX), 1), (i128::from(i64::MAX) + 1, 2)]
        {
            assert_eq!(open(balance).len(), count, "{balance}");
        }
        assert!(open(7).iter().all(|one| one.date == Some(day("2024-12-31"))));
    }
}
