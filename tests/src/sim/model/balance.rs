//! Balances, from behaviour 5, summed from the transactions on each request.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::dates::{self, DateOperator, Literal, Range, Unit, within};
use super::group::is_permanent;
use super::text::normalized;
use super::{Book, Caller, Model, may};
use crate::sim::body::Named;
use crate::sim::facts::{Account, Container, Empty, Of, Refusal, Sides};
use crate::sim::label;

/// A balance query.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub accounts: Vec<Named<label::Account>>,
    pub groups: Vec<Named<label::Group>>,
    pub tags: Vec<String>,
    pub dates: Vec<(DateOperator, Literal)>,
    /// `by:`.
    pub by: Option<Unit>,
    /// A term that balances ignore (1.4.1, 1.4.2), after all others.
    pub ignored: Option<&'static str>,
    /// A term that cannot be parsed (1.1.9), after all others.
    pub unreadable: Option<&'static str>,
}

/// The time axis of all series of an answer.
struct PeriodAxis<'b> {
    book: &'b Book,
    tags: &'b [String],
    range: Range,
    unit: Unit,
    /// The first day of the last slice; `None` for a range that ends before it starts.
    last: Option<Date>,
}

/// The movements of an account.
struct AccountMovements {
    moved: BTreeMap<Date, Sides>,
    permanent: bool,
}

impl Model {
    pub fn balances(
        &self,
        caller: &Caller,
        question: &Question,
    ) -> Result<Vec<Container>, Refusal> {
        let (book, _) = self.enter(caller, may::READ)?;
        let today = dates::day(caller.now, &book.settings.zone);
        Ok(book.balances(today, question))
    }
}

impl Book {
    /// The containers of an answer; nested ones follow their parent.
    pub fn balances(&self, today: Date, question: &Question) -> Vec<Container> {
        if question.unreadable.is_some() {
            return Vec::new();
        }
        let range = dates::tightest(
            question.dates.iter().map(|(operator, literal)| literal.range(*operator, today)),
        );
        let unit = question
            .by
            .or(question.dates.iter().map(|(_, literal)| literal.unit()).min())
            .unwrap_or(Unit::Month);
        let accounts: BTreeSet<_> = question
            .accounts
            .iter()
            .filter_map(|named| self.find_account(named))
            .map(|one| one.label)
            .collect();
        let groups: BTreeSet<_> = question
            .groups
            .iter()
            .filter_map(|named| self.find_group(named))
            .map(|one| one.label)
            .collect();
        let whole = question.accounts.is_empty() && question.groups.is_empty();
        let mut axis = PeriodAxis { book: self, tags: &question.tags, range, unit, last: None };
        let scope = axis.scope(whole, &accounts, &groups);
        axis.last = axis.last(&scope, today);
        let mut containers = Vec::new();
        let loose = |account: &&Account| {
            if whole { account.groups.is_empty() } else { accounts.contains(&account.label) }
        };
        for account in axis.by_name(loose) {
            containers.extend(axis.account(account, 0, !whole));
        }
        let roots: Vec<_> = if whole { self.children(None) } else { groups.into_iter().collect() };
        for group in axis.groups_by_name(roots) {
            axis.group(group, 0, &mut containers);
        }
        containers
    }
}

impl PeriodAxis<'_> {
    /// The accounts of the query.
    fn scope(
        &self,
        whole: bool,
        accounts: &BTreeSet<label::Account>,
        groups: &BTreeSet<label::Group>,
    ) -> Vec<&Account> {
        let below: BTreeSet<_> = groups.iter().flat_map(|group| self.book.below(*group)).collect();
        let counts = |one: &&Account| {
            whole || accounts.contains(&one.label) || !one.groups.is_disjoint(&below)
        };
        self.book.accounts.values().filter(counts).collect()
    }

    /// The first day of the last slice (5.7).
    fn last(&self, scope: &[&Account], today: Date) -> Option<Date> {
        if let (Some(from), Some(until)) = self.range
            && from >= until
        {
            return None;
        }
        if let Some(until) = self.range.1 {
            return Some(self.unit.begin(until - 1.day()));
        }
        let moved = scope
            .iter()
            .filter_map(|account| self.movements(account).moved.keys().next_back().copied());
        moved.chain([today]).chain(self.range.0).max().map(|day| self.unit.begin(day))
    }

    /// The movements up to the end of the range, by day.
    fn movements(&self, account: &Account) -> AccountMovements {
        let mut moved: BTreeMap<Date, Sides> = BTreeMap::new();
        let void = matches!(self.range, (Some(from), Some(until)) if from >= until);
        for one in self.book.transactions.values().filter(|one| one.counts() && !void) {
            let (Some(day), Some(amount)) = (one.date, one.amount) else { continue };
            let tagged = self
                .tags
                .iter()
                .all(|tag| one.tags.iter().any(|own| own.to_lowercase() == tag.to_lowercase()));
            if !tagged || self.range.1.is_some_and(|until| day >= until) {
                continue;
            }
            if one.debit == Some(account.label) {
                moved.entry(day).or_default().0 += amount;
            }
            if one.credit == Some(account.label) {
                moved.entry(day).or_default().1 += amount;
            }
        }
        AccountMovements { moved, permanent: is_permanent(account.kind) }
    }

    fn container(&self, of: Of, depth: usize, movements: &[AccountMovements]) -> Container {
        let from = self.range.0;
        let (mut opening, mut inside) = ((0, 0), BTreeMap::<Date, Sides>::new());
        for movements in movements {
            for (day, sides) in &movements.moved {
                if within(*day, self.range) {
                    let slot = inside.entry(self.unit.begin(*day)).or_default();
                    *slot = sum(*slot, *sides);
                } else if movements.permanent {
                    // A permanent account carries forward its movements before the range (5.5).
                    opening = sum(opening, *sides);
                }
            }
        }
        let period = inside.values().fold((0, 0), |all, sides| sum(all, *sides));
        let mut series = Vec::new();
        if let Some(last) = self.last {
            let begins = |movements: &AccountMovements| {
                movements
                    .moved
                    .keys()
                    .next()
                    .map(|first| self.unit.begin(from.map_or(*first, |from| from.max(*first))))
            };
            let mut at = movements.iter().filter_map(begins).min().unwrap_or(last);
            let mut cumulative = opening;
            while at <= last {
                let moved = inside.get(&at).copied().unwrap_or_default();
                cumulative = sum(cumulative, moved);
                series.push((self.unit.fuzzy(at), moved, cumulative));
                at = self.unit.next(at);
            }
        }
        Container { depth, of, cumulative: sum(opening, period), period, series }
    }

    /// The container of an account; `None` if it is archived, empty and not named (5.11).
    fn account(&self, account: &Account, depth: usize, named: bool) -> Option<Container> {
        let movements = self.movements(account);
        let empty = movements.moved.is_empty();
        let of = Of::Account(account.label, Empty(empty));
        (!(account.archived && empty) || named).then(|| self.container(of, depth, &[movements]))
    }

    /// The container of a group, followed by its members.
    fn group(&self, group: label::Group, depth: usize, containers: &mut Vec<Container>) {
        let below = self.book.below(group);
        // Each account counts once, even if it is in several of the groups (4.13).
        let accounts =
            self.book.accounts.values().filter(|account| !account.groups.is_disjoint(&below));
        let movements: Vec<AccountMovements> =
            accounts.map(|account| self.movements(account)).collect();
        containers.push(self.container(
            Of::Group(group, self.book.nature(group)),
            depth,
            &movements,
        ));
        for child in self.groups_by_name(self.book.children(Some(group))) {
            self.group(child, depth + 1, containers);
        }
        for account in self.by_name(|account| account.groups.contains(&group)) {
            containers.extend(self.account(account, depth + 1, false));
        }
    }

    fn by_name(&self, takes: impl Fn(&&Account) -> bool) -> Vec<&Account> {
        let mut accounts: Vec<&Account> = self.book.accounts.values().filter(takes).collect();
        accounts.sort_by_key(|account| normalized(&account.name));
        accounts
    }

    fn groups_by_name(&self, mut groups: Vec<label::Group>) -> Vec<label::Group> {
        groups.sort_by_key(|group| normalized(&self.book.groups[group].name));
        groups
    }
}

fn sum(a: Sides, b: Sides) -> Sides {
    (a.0 + b.0, a.1 + b.1)
}
