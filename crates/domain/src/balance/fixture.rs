//! A small book for tests: accounts, groups, entries, and the totals that storage would read.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use super::{
    BalanceFold, BalanceInputs, BalanceResult, BalanceScope, Level, PeriodTotal, Sums, segments,
};
use crate::account::{Account, AccountType, Changes};
use crate::calendar::parse_iso;
use crate::group::{Forest, Group};
use crate::id::{AccountId, GroupId};
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::property::Properties;
use crate::query::Periodicity;

pub(super) const TODAY: &str = "2025-05-20";

/// Parses an ISO date.
#[track_caller]
pub(super) fn d(text: &str) -> Date {
    parse_iso(text).unwrap()
}

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
        let (id, parent) = (GroupId::new(id), parent.map(GroupId::new));
        let (name, stamp) =
            (Name::new(&format!("Group {id}")).unwrap(), Stamp::new(None, Instant::new(0)));
        self.groups.push(Group {
            id,
            name,
            parent,
            hidden: false,
            locked: false,
            properties: Properties::default(),
            stamp,
        });
        self
    }

    pub(super) fn account(mut self, id: i64, kind: AccountType, groups: &[i64]) -> Self {
        let changes =
            Changes { name: Some(format!("Account {id}")), kind: Some(kind), ..Changes::default() };
        let mut account = Account::create(
            AccountId::new(id),
            changes,
            &BTreeSet::new(),
            Stamp::new(None, Instant::new(0)),
        )
        .unwrap();
        account.groups = groups.iter().copied().map(GroupId::new).collect();
        self.accounts.push(account);
        self
    }

    /// Adds a transaction from the credit account to the debit account.
    pub(super) fn posted(mut self, day: &str, credit: i64, debit: i64, amount: i128) -> Self {
        let (credit_sums, debit_sums) =
            (Sums { debit: 0, credit: amount }, Sums { debit: amount, credit: 0 });
        for (account, sums) in [(credit, credit_sums), (debit, debit_sums)] {
            self.legs.push(Leg { account: AccountId::new(account), day: d(day), sums });
        }
        self
    }

    pub(super) fn forest(&self) -> Forest {
        let members = self
            .accounts
            .iter()
            .flat_map(|account| account.groups.iter().map(|group| (*group, account.kind)));
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
                if segment.from.is_none_or(|from| from <= period)
                    && segment.until.is_none_or(|until| period < until)
                {
                    let total =
                        sums.entry((leg.account, (!segment.fold).then_some(period))).or_default();
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
        let inputs = BalanceInputs {
            accounts: &self.accounts,
            forest: &self.forest(),
            from,
            until,
            periodicity,
            today: d(TODAY),
        };
        run(&inputs)
    }
}

pub(super) fn accounts(ids: &[i64]) -> BalanceScope {
    BalanceScope::Named {
        accounts: ids.iter().copied().map(AccountId::new).collect(),
        groups: vec![],
    }
}

pub(super) fn groups(ids: &[i64]) -> BalanceScope {
    BalanceScope::Named {
        accounts: vec![],
        groups: ids.iter().copied().map(GroupId::new).collect(),
    }
}
