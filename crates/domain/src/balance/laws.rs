//! Property tests of balances against an oracle that sums raw entries.

use std::collections::BTreeSet;

use proptest::prelude::*;
use time::{Date, Duration};

use super::fixture::{Book, Range, TODAY, d};
use super::{AccountBalances, Amounts, BalanceScope, GroupBalances, Level, Slice, Sums, segments};
use crate::account::AccountType;
use crate::calendar::format_iso;
use crate::id::{AccountId, GroupId};
use crate::query::Periodicity;

fn day(offset: i64) -> Date {
    d("2022-11-20") + Duration::days(offset)
}

prop_compose! {
    pub(super) fn ranges()(
        from in prop::option::of(0_i64..1_100),
        until in prop::option::of(0_i64..1_100),
        periodicity in prop::sample::select(Periodicity::ALL.to_vec()),
    ) -> Range {
        Range { from: from.map(day), until: until.map(day), periodicity }
    }
}

prop_compose! {
    /// Generates a book with up to six groups, six accounts in any of them and twelve transactions.
    ///
    /// A group may be below an earlier one.
    pub(super) fn books()(
        parents in prop::collection::vec(prop::option::of(0_i64..6), 0..6),
        members in prop::collection::vec(
            (0_usize..4, prop::collection::vec(0_i64..6, 0..4), any::<bool>()),
            2..6,
        ),
        posted in prop::collection::vec(
            (0_i64..1_100, 0_usize..6, 0_usize..6, 1_i128..1_000),
            0..12,
        ),
    ) -> Book {
        let mut book = Book::default();
        for (id, parent) in (0_i64..).zip(&parents) {
            book = book.group(id, parent.filter(|parent| *parent < id));
        }
        let groups = i64::try_from(parents.len()).unwrap();
        for (id, (kind, member_of, archived)) in (0_i64..).zip(&members) {
            let member_of: Vec<i64> = member_of.iter().copied().filter(|id| *id < groups).collect();
            book = book.account(id, AccountType::ALL[*kind], &member_of);
            book.accounts.last_mut().unwrap().archived = *archived;
        }
        let id = |index: usize| i64::try_from(index % members.len()).unwrap();
        for (offset, credit, debit, amount) in posted {
            book = book.posted(&format_iso(day(offset)), id(credit), id(debit), amount);
        }
        book
    }
}

fn key(periodicity: Periodicity, day: Date) -> (i32, u8, u8) {
    let month = u8::from(day.month());
    match periodicity {
        Periodicity::Daily => (day.year(), month, day.day()),
        Periodicity::Monthly => (day.year(), month, 0),
        Periodicity::Yearly => (day.year(), 0, 0),
    }
}

/// An oracle that sums raw entries by the rules of behaviour 5.
struct Oracle<'a> {
    book: &'a Book,
    range: Range,
    /// The last day of the axis; `None` for an empty range.
    last: Option<Date>,
}

impl<'a> Oracle<'a> {
    fn new(book: &'a Book, range: Range) -> Self {
        let moved = book.legs.iter().map(|leg| leg.day).max();
        let open_end = [Some(d(TODAY)), range.from, moved].into_iter().flatten().max().unwrap();
        let last = range.until.map_or(open_end, |until| until.previous_day().unwrap());
        Self {
            book,
            range,
            last: Some(last).filter(|last| range.from.is_none_or(|from| from <= *last)),
        }
    }

    fn in_range(&self, day: Date) -> bool {
        self.last.is_some_and(|last| day <= last) && self.range.from.is_none_or(|from| from <= day)
    }

    fn sum(&self, ids: &BTreeSet<AccountId>, counts: impl Fn(Date, bool) -> bool) -> Sums {
        let permanent = |id: AccountId| {
            self.book.accounts.iter().any(|account| account.id == id && account.kind.is_permanent())
        };
        let counted = |leg: &&super::fixture::Leg| {
            ids.contains(&leg.account) && counts(leg.day, permanent(leg.account))
        };
        self.book.legs.iter().filter(counted).map(|leg| leg.sums).sum()
    }

    fn amounts(&self, ids: &BTreeSet<AccountId>) -> Amounts {
        let Some(last) = self.last else { return Amounts::default() };
        let counts = |day, permanent| if permanent { day <= last } else { self.in_range(day) };
        Amounts {
            cumulative: self.sum(ids, counts),
            period: self.sum(ids, |day, _| self.in_range(day)),
        }
    }

    fn first_movement(&self, ids: &BTreeSet<AccountId>) -> Option<Date> {
        let last = self.last?;
        let moves = |leg: &&super::fixture::Leg| ids.contains(&leg.account) && leg.day <= last;
        self.book.legs.iter().filter(moves).map(|leg| leg.day).min()
    }

    fn series(&self, ids: &BTreeSet<AccountId>) -> Vec<Slice> {
        let Some(last) = self.last else { return Vec::new() };
        let first = self.first_movement(ids).unwrap_or(last);
        let first = self.range.from.map_or(first, |from| from.max(first));
        let of = |day| key(self.range.periodicity, day);
        let mut keys: BTreeSet<(i32, u8, u8)> = BTreeSet::new();
        let mut day = first;
        while day <= last {
            keys.insert(of(day));
            day = day.next_day().unwrap();
        }
        let slice = |at: (i32, u8, u8)| Slice {
            year: at.0,
            month: at.1,
            day: at.2,
            amounts: Amounts {
                cumulative: self.sum(ids, |day, permanent| {
                    day <= last && of(day) <= at && (permanent || self.in_range(day))
                }),
                period: self.sum(ids, |day, _| of(day) == at && self.in_range(day)),
            },
        };
        keys.into_iter().map(slice).collect()
    }

    fn check_account(&self, found: &AccountBalances) {
        let ids = BTreeSet::from([found.account]);
        assert_eq!(found.amounts, self.amounts(&ids));
        assert_eq!(found.series, self.series(&ids));
        assert_eq!(found.empty, self.first_movement(&ids).is_none());
    }

    fn check_group(&self, found: &GroupBalances) {
        let (forest, accounts) = (self.book.forest(), &self.book.accounts);
        for (_, group) in found.outline() {
            let below: BTreeSet<GroupId> = forest.descendants(group.group).into_iter().collect();
            let inside = accounts.iter().filter(|account| !account.groups.is_disjoint(&below));
            let ids = inside.map(|account| account.id).collect();
            assert_eq!(group.amounts, self.amounts(&ids));
            assert_eq!(group.series, self.series(&ids));
            group.accounts.iter().for_each(|account| self.check_account(account));
            let children: BTreeSet<GroupId> =
                group.groups.iter().map(|child| child.group).collect();
            assert_eq!(children, forest.children(group.group).iter().copied().collect());
            let direct = accounts.iter().filter(|account| account.groups.contains(&group.group));
            let is_shown = |account: &&crate::account::Account| {
                !account.archived || self.first_movement(&BTreeSet::from([account.id])).is_some()
            };
            let shown = direct.filter(is_shown).map(|account| account.id);
            assert!(group.accounts.iter().map(|account| account.account).eq(shown));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Totals and series of accounts are sums of entries, and those of groups are sums of their
    /// distinct accounts.
    #[test]
    fn balances_of_the_book_are_sums_of_entries(book in books(), range in ranges()) {
        let oracle = Oracle::new(&book, range);
        let found = book.balances(&BalanceScope::Book, range);
        let (accounts, groups) = (found.accounts.unwrap(), found.groups.unwrap());
        accounts.iter().for_each(|account| oracle.check_account(account));
        groups.iter().for_each(|group| oracle.check_group(group));
        let roots = book.groups.iter().filter(|group| group.parent.is_none()).map(|group| group.id);
        prop_assert!(groups.iter().map(|group| group.group).eq(roots));
    }

    /// Tests named accounts and groups. Only their movements extend a range without end.
    #[test]
    fn balances_of_named_containers_are_sums_of_entries(
        book in books(),
        range in ranges(),
        all in any::<bool>(),
    ) {
        let is_named = |id: i64| all || id == 0;
        let accounts = book.accounts.iter().map(|one| one.id).filter(|id| is_named(id.get()));
        let groups = book.groups.iter().map(|one| one.id).filter(|id| is_named(id.get()));
        let scope = BalanceScope::Named { accounts: accounts.collect(), groups: groups.collect() };
        let within = scope.accounts(&book.accounts, &book.forest());
        let mut counted = book.clone();
        counted.legs.retain(|leg| within.iter().any(|account| account.id == leg.account));
        let oracle = Oracle::new(&counted, range);
        let found = book.balances(&scope, range);
        found.accounts.unwrap().iter().for_each(|account| oracle.check_account(account));
        found.groups.unwrap_or_default().iter().for_each(|group| oracle.check_group(group));
    }

    /// Every day before the end of the range is in exactly one segment, which is folded if the day
    /// is before the range.
    #[test]
    fn segments_are_disjoint_and_cover(
        range in ranges(),
        offsets in prop::collection::vec(-50_i64..1_200, 1..40),
    ) {
        let plan = segments(range.from, range.until, range.periodicity);
        prop_assert!(plan.len() <= 5);
        prop_assert!(plan.iter().all(|segment| segment.level == Level::Day
            || [segment.from, segment.until].iter().flatten().all(|day| day.day() == 1)));
        let void = range.from.zip(range.until).is_some_and(|(from, until)| until <= from);
        let last = range.until.and_then(Date::previous_day);
        for day in offsets.into_iter().map(day).chain(range.from).chain(last) {
            let holding: Vec<_> = plan.iter().filter(|segment| segment.contains(day)).collect();
            let wanted = !void && range.until.is_none_or(|until| day < until);
            prop_assert_eq!(holding.len(), usize::from(wanted));
            let is_opening = range.from.is_some_and(|from| day < from);
            prop_assert!(holding.iter().all(|segment| segment.fold == is_opening));
        }
    }
}
