//! The place of each account in a report: its class and its group.

use std::collections::HashMap;

use crate::account::{Account, AccountType};
use crate::group::{Forest, Group};
use crate::id::GroupId;
use crate::named::named;

/// The property of a group that says where its accounts stand: `equity` or `cash`.
const PROPERTY: &str = "report";

/// The normalized names of accounts that are equity when they are in no group.
const EQUITY_ACCOUNTS: [&str; 2] = ["opening_balances", "conversions"];

named! {
    /// The class of an account in reports, named by the title of its section.
    ///
    /// Equity accounts are permanent in reports, whatever their type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Class {
        /// Things that the owner of the book has.
        Asset = "Assets",
        /// Debts of the owner of the book.
        Liability = "Liabilities",
        /// The share of the owners, such as capital and results.
        Equity = "Equity",
        /// Revenue.
        Income = "Income",
        /// Expenses.
        Expense = "Expenses",
    }
}

impl Class {
    /// Returns whether credits increase the amount that is shown.
    pub const fn is_credit(self) -> bool {
        match self {
            Self::Liability | Self::Equity | Self::Income => true,
            Self::Asset | Self::Expense => false,
        }
    }

    /// Returns whether the accounts are part of the result of a period.
    pub const fn is_result(self) -> bool {
        match self {
            Self::Income | Self::Expense => true,
            Self::Asset | Self::Liability | Self::Equity => false,
        }
    }

    /// Converts a raw balance, credits minus debits, to the sign that people expect.
    pub const fn signed(self, balance: i128) -> i128 {
        if self.is_credit() { balance } else { balance.saturating_neg() }
    }
}

/// The place of an account in reports (behaviour 13.5, 13.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountPlace<'a> {
    /// The class.
    pub class: Class,
    /// Whether the account holds cash.
    pub is_cash: bool,
    /// The groups above it from the root; none if it is in no group.
    pub groups: Vec<&'a Group>,
}

/// Returns the places of accounts, in their order.
pub fn account_places<'a>(
    accounts: &'a [Account],
    forest: &'a Forest,
) -> impl Iterator<Item = (&'a Account, AccountPlace<'a>)> {
    let layout = Layout::new(forest);
    accounts.iter().map(move |account| {
        let class = layout.class(account);
        let groups = layout.path(None, layout.group(account));
        (account, AccountPlace { class, is_cash: layout.is_cash(account), groups })
    })
}

/// The groups of a book in the order of reports, with the marks that their accounts inherit.
pub(super) struct Layout<'a> {
    forest: &'a Forest,
    places: HashMap<GroupId, GroupPlace>,
}

#[derive(Debug, Clone, Copy, Default)]
struct GroupPlace {
    /// The position in a walk that visits parents first and siblings by name. So positions compare
    /// like the paths of names from the root.
    position: usize,
    /// The position after the last group below it.
    end: usize,
    is_equity: bool,
    is_cash: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(forest: &'a Forest) -> Self {
        let mut places: HashMap<GroupId, GroupPlace> = HashMap::new();
        let mut visited: Vec<&Group> = Vec::new();
        let is_root = |group: &&Group| group.parent.is_none_or(|id| forest.get(id).is_none());
        let mut open: Vec<&Group> = Vec::new();
        push_by_name(&mut open, forest.groups().filter(is_root));
        while let Some(group) = open.pop() {
            let above = group.parent.and_then(|id| places.get(&id).copied()).unwrap_or_default();
            let mark = group.properties.get(PROPERTY).map(str::trim).unwrap_or_default();
            let is_equity = above.is_equity
                || mark.eq_ignore_ascii_case("equity")
                || group.name.normalized() == "equity";
            let is_cash = above.is_cash || mark.eq_ignore_ascii_case("cash");
            let position = visited.len();
            let end = position.saturating_add(1);
            places.insert(group.id, GroupPlace { position, end, is_equity, is_cash });
            visited.push(group);
            push_by_name(
                &mut open,
                forest.children(group.id).iter().filter_map(|id| forest.get(*id)),
            );
        }
        for group in visited.iter().rev() {
            let end = places.get(&group.id).map_or(0, |place| place.end);
            if let Some(above) = group.parent.and_then(|id| places.get_mut(&id)) {
                above.end = above.end.max(end);
            }
        }
        Self { forest, places }
    }

    pub(super) fn class(&self, account: &Account) -> Class {
        let mut places = self.places_of(account).peekable();
        let is_equity = if places.peek().is_none() {
            EQUITY_ACCOUNTS.contains(&account.name.normalized())
        } else {
            places.any(|(_, place)| place.is_equity)
        };
        if is_equity {
            return Class::Equity;
        }
        match account.kind {
            AccountType::Asset => Class::Asset,
            AccountType::Liability => Class::Liability,
            AccountType::Incoming => Class::Income,
            AccountType::Outgoing => Class::Expense,
        }
    }

    /// Returns whether the account holds cash: an asset or a liability in a group marked so.
    pub(super) fn is_cash(&self, account: &Account) -> bool {
        let is_eligible = matches!(self.class(account), Class::Asset | Class::Liability);
        is_eligible && self.places_of(account).any(|(_, place)| place.is_cash)
    }

    /// Returns the group under which the account stands: the first of its groups by path.
    pub(super) fn group(&self, account: &Account) -> Option<GroupId> {
        let first = self.places_of(account).min_by_key(|(_, place)| place.position);
        first.map(|(id, _)| id)
    }

    /// Returns the position of a group. Accounts in no group come last.
    pub(super) fn position(&self, group: Option<GroupId>) -> usize {
        let place = group.and_then(|id| self.places.get(&id));
        place.map_or(usize::MAX, |place| place.position)
    }

    /// Returns whether a group is the other group or above it.
    pub(super) fn contains(&self, above: GroupId, group: Option<GroupId>) -> bool {
        let position = self.position(group);
        self.places.get(&above).is_some_and(|place| (place.position..place.end).contains(&position))
    }

    /// Returns the groups below `above`, or from the root, down to this group.
    pub(super) fn path(&self, above: Option<GroupId>, group: Option<GroupId>) -> Vec<&'a Group> {
        let find = |id: Option<GroupId>| {
            id.filter(|id| Some(*id) != above).and_then(|id| self.forest.get(id))
        };
        let mut path: Vec<&Group> =
            std::iter::successors(find(group), |group| find(group.parent)).collect();
        path.reverse();
        path
    }

    fn places_of(&self, account: &Account) -> impl Iterator<Item = (GroupId, GroupPlace)> {
        account.groups.iter().filter_map(|id| self.places.get(id).map(|place| (*id, *place)))
    }
}

/// Pushes groups such that they are popped by name.
fn push_by_name<'a>(open: &mut Vec<&'a Group>, groups: impl Iterator<Item = &'a Group>) {
    let start = open.len();
    open.extend(groups);
    if let Some(pushed) = open.get_mut(start..) {
        pushed.sort_by_cached_key(|group| std::cmp::Reverse((group.name.normalized(), group.id)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountType::{Asset, Incoming, Liability, Outgoing};
    use crate::book::StartMonth;
    use crate::report::fixture::BookFixture;

    fn book() -> BookFixture {
        BookFixture::new(StartMonth::January)
            .group(1, "Owners", None)
            .marked("equity")
            .group(2, "Shares", Some(1))
            .group(3, "EQUITY", None)
            .group(4, "Bank", None)
            .marked(" Cash ")
            .group(5, "Giro", Some(4))
            .group(6, "Other", None)
            .marked("something")
    }

    #[test]
    fn accounts_are_classified_by_groups_names_and_types() {
        for (name, kind, groups, class, is_cash) in [
            ("A", Asset, &[][..], Class::Asset, false),
            ("A", Liability, &[], Class::Liability, false),
            ("A", Incoming, &[], Class::Income, false),
            ("A", Outgoing, &[6], Class::Expense, false),
            ("A", Asset, &[1], Class::Equity, false),
            ("A", Liability, &[2], Class::Equity, false),
            ("A", Outgoing, &[3], Class::Equity, false),
            ("A", Asset, &[6, 2], Class::Equity, false),
            ("A", Asset, &[4], Class::Asset, true),
            ("A", Liability, &[5], Class::Liability, true),
            ("A", Outgoing, &[5], Class::Expense, false),
            ("A", Asset, &[5, 1], Class::Equity, false),
            ("opening-balances", Asset, &[], Class::Equity, false),
            ("Conversions", Incoming, &[], Class::Equity, false),
            ("Conversions", Incoming, &[6], Class::Income, false),
            ("Equity", Asset, &[], Class::Asset, false),
            // Groups that do not exist do not count.
            ("Conversions", Asset, &[99], Class::Equity, false),
        ] {
            let book = book().account(1, name, kind, groups);
            let forest = book.forest();
            let layout = Layout::new(&forest);
            let account = &book.accounts[0];
            let found = (layout.class(account), layout.is_cash(account));
            assert_eq!(found, (class, is_cash), "{name} {kind:?} {groups:?}");
        }
    }

    #[test]
    fn account_stands_under_the_first_of_its_groups_by_path() {
        for (groups, expected) in [
            (&[][..], None),
            (&[99], None),
            (&[6, 4], Some(4)),
            // Bank/Giro is before Owners/Shares.
            (&[2, 5], Some(5)),
            // Bank is before Bank/Giro.
            (&[5, 4], Some(4)),
            // Equity is before Owners.
            (&[1, 2, 3], Some(3)),
        ] {
            let book = book().account(1, "A", Asset, groups);
            let forest = book.forest();
            let group = Layout::new(&forest).group(&book.accounts[0]);
            assert_eq!(group, expected.map(GroupId::new), "{groups:?}");
        }
    }

    #[test]
    fn layout_of_a_deep_chain_of_groups_is_linear() {
        let count = 20_000;
        let mut book = BookFixture::new(StartMonth::January);
        for id in 0..count {
            book = book.group(id, &format!("G{id}"), (id > 0).then(|| id - 1));
        }
        let forest = book.forest();
        let layout = Layout::new(&forest);
        let last = Some(GroupId::new(count - 1));
        assert!(layout.contains(GroupId::new(0), last));
        assert_eq!(layout.path(Some(GroupId::new(count - 3)), last).len(), 2);
    }
}
