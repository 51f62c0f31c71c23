//! The accounts of a report with their sums.

use std::collections::{HashMap, HashSet};

use time::Date;

use super::layout::{Class, Layout};
use super::period::Period;
use super::plan::{Slice, Source};
use super::sections::Line;
use super::sums::PeriodSums;
use crate::account::Account;
use crate::balance::{BalanceScope, Sums};
use crate::book::Book;
use crate::group::Forest;
use crate::id::{AccountId, GroupId};

/// A book with its accounts and groups.
#[derive(Debug, Clone, Copy)]
pub struct BookChart<'a> {
    /// The book.
    pub book: &'a Book,
    /// All accounts of the book.
    pub accounts: &'a [Account],
    /// All groups of the book.
    pub forest: &'a Forest,
}

/// An account in the scope of a report.
pub(super) struct Member<'a> {
    pub(super) account: &'a Account,
    pub(super) class: Class,
    pub(super) group: Option<GroupId>,
    pub(super) is_cash: bool,
    /// The account in the book; `None` if only the book to compare with has it.
    own: Option<AccountId>,
    /// The account of the same name in the book to compare with.
    compared: Option<AccountId>,
}

/// The accounts in the scope of a report, in its order, with their sums.
pub(super) struct Figures<'a> {
    pub(super) layout: &'a Layout<'a>,
    pub(super) members: Vec<Member<'a>>,
    pub(super) sums: &'a PeriodSums,
    /// Whether lines without amounts are shown.
    pub(super) zeros: bool,
    pub(super) scales: Scales,
}

/// The factors that convert amounts to the scale of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    pub(super) scale: u32,
    book: i128,
    compared: i128,
}

impl Scales {
    /// Converts both books to the finer one of their storage scales.
    pub(super) fn new(book: &Book, compared: Option<&BookChart<'_>>) -> Self {
        let scale = compared.map_or(book.scale, |other| other.book.scale.max(book.scale));
        let factor = |from: u32| 10_i128.saturating_pow(scale.saturating_sub(from));
        let compared = compared.map_or(1, |other| factor(other.book.scale));
        Self { scale, book: factor(book.scale), compared }
    }

    fn convert(self, source: Source, sums: Sums) -> Sums {
        let factor = match source {
            Source::Book | Source::CashCounterparts => self.book,
            Source::ComparedBook => self.compared,
        };
        let Sums { debit, credit } = sums;
        Sums { debit: debit.saturating_mul(factor), credit: credit.saturating_mul(factor) }
    }
}

/// Lists the accounts in scope in the order of the report.
///
/// Accounts that only the book to compare with has stand in no group.
pub(super) fn members<'a>(
    layout: &Layout<'_>,
    own: &BookChart<'a>,
    scope: &BalanceScope,
    compared: Option<&BookChart<'a>>,
) -> Vec<Member<'a>> {
    let mut others: HashMap<&str, &Account> = HashMap::new();
    if let Some(compared) = compared {
        others.extend(compared.accounts.iter().map(|account| (account.name.normalized(), account)));
    }
    let in_scope: HashSet<AccountId> =
        scope.accounts(own.accounts, own.forest).iter().map(|account| account.id).collect();
    let mut members: Vec<Member<'a>> = Vec::new();
    for account in own.accounts {
        // A match outside the scope is removed, too.
        let other = others.remove(account.name.normalized());
        if in_scope.contains(&account.id) {
            members.push(Member {
                account,
                class: layout.class(account),
                group: layout.group(account),
                is_cash: layout.is_cash(account),
                own: Some(account.id),
                compared: other.map(|other| other.id),
            });
        }
    }
    if let Some(compared) = compared {
        let other_layout = Layout::new(compared.forest);
        let other_scope = translate_scope(scope, own, compared);
        let unmatched: HashSet<AccountId> = others.values().map(|account| account.id).collect();
        let in_scope = other_scope.accounts(compared.accounts, compared.forest);
        for account in in_scope.into_iter().filter(|account| unmatched.contains(&account.id)) {
            members.push(Member {
                account,
                class: other_layout.class(account),
                group: None,
                is_cash: false,
                own: None,
                compared: Some(account.id),
            });
        }
    }
    let key = |member: &Member<'a>| {
        (layout.position(member.group), member.account.name.normalized(), member.account.id)
    };
    members.sort_by(|one, other| key(one).cmp(&key(other)));
    members
}

/// Returns the scope of the accounts and groups of the same names in another book.
fn translate_scope(
    scope: &BalanceScope,
    own: &BookChart<'_>,
    other: &BookChart<'_>,
) -> BalanceScope {
    let BalanceScope::Named { accounts, groups } = scope else { return BalanceScope::Book };
    let named: HashSet<&str> = own
        .accounts
        .iter()
        .filter(|account| accounts.contains(&account.id))
        .map(|account| account.name.normalized())
        .collect();
    let same = |group: &GroupId| {
        let name = own.forest.get(*group)?.name.normalized();
        other.forest.directory().find_normalized(name).map(|group| group.id)
    };
    BalanceScope::Named {
        accounts: other
            .accounts
            .iter()
            .filter(|account| named.contains(account.name.normalized()))
            .map(|account| account.id)
            .collect(),
        groups: groups.iter().filter_map(same).collect(),
    }
}

impl Figures<'_> {
    /// Returns the sums of an account in a slice, after a day through another day.
    pub(super) fn between(
        &self,
        member: &Member<'_>,
        slice: &Slice,
        after: Option<Date>,
        through: Date,
    ) -> Sums {
        let account = match slice.source {
            Source::Book | Source::CashCounterparts => member.own,
            Source::ComparedBook => member.compared,
        };
        let Some(account) = account else { return Sums::default() };
        let read = |read| self.sums.between(read, account, after, through);
        let without = slice.without.map(read).unwrap_or_default();
        self.scales.convert(slice.source, read(slice.read).minus(without))
    }

    /// Returns the sums of an account in the period of a slice.
    pub(super) fn movement(&self, member: &Member<'_>, slice: &Slice) -> Sums {
        let after = slice.period.first.previous_day();
        self.between(member, slice, after, slice.period.last)
    }

    /// Returns the sums of the entries of an account that have a cash account on the other side.
    pub(super) fn counterpart(&self, member: &Member<'_>, slice: &Slice) -> Sums {
        let Some((read, account)) = slice.counterparts.zip(member.own) else {
            return Sums::default();
        };
        let Period { first, last } = slice.period;
        let sums = self.sums.between(read, account, first.previous_day(), last);
        self.scales.convert(Source::CashCounterparts, sums)
    }

    /// Creates the lines of some accounts. Lines without amounts are shown on request.
    pub(super) fn lines(
        &self,
        is_included: impl Fn(&Member<'_>) -> bool,
        values: impl Fn(&Member<'_>) -> Vec<i128>,
    ) -> Vec<Line<'_>> {
        let members = self.members.iter().filter(|member| is_included(member));
        members.filter_map(|member| self.line(member, values(member))).collect()
    }

    fn line<'m>(&self, member: &'m Member<'_>, values: Vec<i128>) -> Option<Line<'m>> {
        let is_zero = values.iter().all(|value| *value == 0);
        let is_shown = !is_zero || (self.zeros && !member.account.archived);
        is_shown.then(|| Line {
            account: member.own,
            name: member.account.name.as_str(),
            group: member.group,
            values,
        })
    }
}
