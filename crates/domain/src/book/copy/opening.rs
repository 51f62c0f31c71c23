//! What the accounts of a copy begin with when it has not all transactions (behaviour 6.19).

use time::Date;

use super::Copier;
use crate::amount::Amount;
use crate::id::{AccountId, TransactionId};
use crate::property::Properties;
use crate::transaction::{Standing, Transaction};

/// The name of the account that opening balances are posted against, and what these postings say.
pub const OPENING_ACCOUNT: &str = "Opening balances";

/// The opening balances of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Openings {
    /// The day before the first that is copied.
    pub day: Date,
    /// The storage scale of the book.
    pub scale: u32,
    /// The account they are posted against.
    pub against: AccountId,
}

impl Openings {
    /// The postings that give an account of the copy its raw balance, in units of the storage
    /// scale. One is enough unless the balance is beyond what an amount may be (behaviour 3.12.5);
    /// none for zero, and for the account that all are posted against.
    pub fn of_account(
        self,
        copier: &Copier,
        (account, balance): (AccountId, i128),
        mut mint: impl FnMut() -> TransactionId,
    ) -> Vec<Transaction> {
        let mut left = if account == self.against { 0 } else { balance.unsigned_abs() };
        // Raw means credits minus debits (behaviour 5.4).
        let (credit, debit) =
            if balance > 0 { (account, self.against) } else { (self.against, account) };
        let mut made = Vec::new();
        while left > 0 {
            let units = i64::try_from(left).unwrap_or(i64::MAX);
            left = left.saturating_sub(u128::from(units.unsigned_abs()));
            made.push(Transaction {
                id: mint(),
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
                created_by: copier.user,
                stamp: copier.stamp.clone(),
            });
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::calendar::parse_iso;
    use crate::id::UserId;
    use crate::instant::{Instant, Stamp};

    fn opened(balance: i128) -> Vec<Transaction> {
        let copier = Copier {
            accounts: HashMap::new(),
            user: UserId::new(1),
            stamp: Stamp::new(None, Instant::new(5)),
        };
        let openings = Openings {
            day: parse_iso("2024-12-31").unwrap(),
            scale: 3,
            against: AccountId::new(9),
        };
        let mut last = 0;
        openings.of_account(&copier, (AccountId::new(1), balance), || {
            last += 1;
            TransactionId::new(last)
        })
    }

    /// The raw balance that postings give account 1.
    fn raw(made: &[Transaction]) -> i128 {
        let entries = made.iter().flat_map(Transaction::entries);
        let own = entries.filter(|entry| entry.account == AccountId::new(1));
        own.map(|entry| {
            let units = i128::from(entry.amount.units(3).unwrap());
            if entry.credit { units } else { -units }
        })
        .sum()
    }

    proptest! {
        #[test]
        fn the_postings_are_the_balance(balance in -(1_i128 << 66)..(1_i128 << 66)) {
            let made = opened(balance);
            prop_assert_eq!(raw(&made), balance);
            prop_assert!(made.len() <= 9, "no more than are needed");
        }
    }

    #[test]
    fn zero_needs_none_and_the_limit_one() {
        assert_eq!(opened(0), []);
        for (balance, count) in
            [(1, 1), (-1, 1), (i128::from(i64::MAX), 1), (i128::from(i64::MAX) + 1, 2)]
        {
            assert_eq!(opened(balance).len(), count, "{balance}");
        }
        assert!(opened(7).iter().all(|one| one.date == Some(parse_iso("2024-12-31").unwrap())));
    }
}
