//! A small book for tests: accounts, groups, entries, and the totals that storage would read.

use std::collections::BTreeMap;

use time::Date;

use super::{
    BalanceFold, BalanceInputs, BalanceResult, BalanceScope, Level, PeriodTotal, Sums, segments,
};
use crate::account::{Account, AccountType};
use crate::calendar::parse_iso;
use crate::fixture;
pub(super) use crate::fixture::day as d;
use crate::group::{Forest, Group};
use crate::id::{AccountId, GroupId};
use crate::query::Periodicity;

impl super::Segment {
    pub(crate) fn contains(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day < until)
    }
}

pub(super) const TODAY: &str = "2025-05-20";

/// The range of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) from: Option<Date>,
    pub(super) until: Option<Date>,
    pub(super) periodicity: Periodicity,
}

/// Creates a range; `""` is an open bound.
pub(super) fn range(from: &str, until: &str, periodicity: Periodicity) -> Range {
    Range { from: parse_iso(from), until: parse_iso(until), periodicity }
}

/// One leg of a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg {
    pub(super) account: AccountId,
    pub(super) day: Date,
    pub(super) sums: Sums,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    pub(super) accounts: Vec<Account>,
    pub(super) groups: Vec<Group>,
    pub(super) legs: Vec<Leg>,
}

impl Book {
    pub(super) fn group(mut self, id: i64, parent: Option<i64>) -> Self {
        self.groups.push(fixture::group(id, parent));
        self
    }

    pub(super) fn account(mut self, id: i64, kind: AccountType, groups: &[i64]) -> Self {
        let account = fixture::account(id, &format!("Account {id}"), groups);
        self.accounts.push(Account { kind, ..account });
        self
    }

    /// Adds a transaction from the credit account to the debit account.
    pub(super) fn posted(mut self, day: &str, credit: i64, debit: i64, amount: i128) -> Self {
        for (account, sums) in [
            (credit, Sums { debit: 0, credit: amount }),
            (debit, Sums { debit: amount, credit: 0 }),
        ] {
            self.legs.push(Leg { account: AccountId::new(account), day: d(day), sums });
        }
        self
    }

    pub(super) fn forest(&self) -> Forest {
        let members = |account: &Account| {
            let kind = account.kind;
            account.groups.iter().map(move |group| (*group, kind)).collect::<Vec<_>>()
        };
        let members = self.accounts.iter().flat_map(members);
        Forest::new(self.groups.clone(), members)
    }

    /// Returns the totals that storage with day and month totals would read.
    pub(super) fn totals(&self, range: Range) -> Vec<PeriodTotal> {
        let mut totals = Vec::new();
        for segment in segments(range.from, range.until, range.periodicity) {
            let mut sums: BTreeMap<(AccountId, Option<Date>), Sums> = BTreeMap::new();
            for leg in &self.legs {
                let period = match segment.level {
                    Level::Day => leg.day,
                    Level::Month => leg.day.replace_day(1).unwrap(),
                };
                if segment.contains(period) {
                    let key = (leg.account, (!segment.fold).then_some(period));
                    let total = sums.entry(key).or_default();
                    *total = *total + leg.sums;
                }
            }
            totals.extend(sums.into_iter().map(|((account, period), sums)| PeriodTotal {
                account,
                period,
                debit: sums.debit,
                credit: sums.credit,
            }));
        }
        totals
    }

    pub(super) fn balances(&self, scope: &BalanceScope, range: Range) -> BalanceResult {
        self.with_inputs(range, |inputs| {
            let mut fold = BalanceFold::new(*inputs, scope);
            self.totals(range).iter().for_each(|total| fold.add(total));
            fold.finish()
        })
    }

    pub(super) fn with_inputs<T>(
        &self,
        range: Range,
        run: impl FnOnce(&BalanceInputs<'_>) -> T,
    ) -> T {
        let Range { from, until, periodicity } = range;
        let (accounts, forest, today) = (&self.accounts, &self.forest(), d(TODAY));
        run(&BalanceInputs { accounts, forest, from, until, periodicity, today })
    }
}

pub(super) fn named(accounts: &[i64], groups: &[i64]) -> BalanceScope {
    BalanceScope::Named {
        accounts: accounts.iter().copied().map(AccountId::new).collect(),
        groups: groups.iter().copied().map(GroupId::new).collect(),
    }
}

pub(super) fn accounts(ids: &[i64]) -> BalanceScope {
    named(ids, &[])
}

pub(super) fn groups(ids: &[i64]) -> BalanceScope {
    named(&[], ids)
}
