//! Table tests of the rules of behaviour 5. The laws compare results with an oracle.

use time::Date;

use super::fixture::{Book, Range, accounts, d, groups, named, range};
use super::{
    AccountBalances, Amounts, BalanceResult, BalanceScope, GroupBalances, Level, Slice, segments,
};
use crate::account::AccountType::{Asset, Incoming, Liability, Outgoing};
use crate::id::AccountId;
use crate::query::Periodicity::{self, Daily, Monthly, Yearly};

/// Formats amounts as raw `cumulative/period`.
fn totals(amounts: Amounts) -> String {
    format!("{}/{}", amounts.cumulative.balance(), amounts.period.balance())
}

/// Formats a series as `fuzzyDate:cumulative/period`.
fn format_series(series: &[Slice]) -> String {
    series
        .iter()
        .map(|slice| format!("{}:{}", slice.fuzzy_date(), totals(slice.amounts)))
        .collect::<Vec<_>>()
        .join(" ")
}

fn account(book: &Book, id: i64, range: Range) -> AccountBalances {
    book.balances(&accounts(&[id]), range).accounts.unwrap().pop().unwrap()
}

fn group(book: &Book, id: i64, range: Range) -> GroupBalances {
    book.balances(&groups(&[id]), range).groups.unwrap().pop().unwrap()
}

/// Creates group 1 with asset 1 and liability 2, and group 2 with incoming 3 and outgoing 4.
fn book() -> Book {
    let groups = Book::default().group(1, None).group(2, None);
    let accounts = groups
        .account(1, Asset, &[1])
        .account(2, Liability, &[1])
        .account(3, Incoming, &[2])
        .account(4, Outgoing, &[2]);
    accounts
        .posted("2024-11-15", 3, 1, 100)
        .posted("2025-01-10", 2, 1, 30)
        .posted("2025-01-31", 1, 4, 40)
        .posted("2025-03-05", 3, 1, 7)
}

#[test]
fn raw_sign_is_credit_minus_debit() {
    // Behaviour 5.4: 100 of assets and 30 of liabilities are raw -70; incoming 100 with outgoing 40
    // is raw +60.
    let book = book();
    let all = |until| range("", until, Monthly);
    assert_eq!(group(&book, 1, all("2025-01-31")).amounts.cumulative.balance(), -100);
    assert_eq!(group(&book, 2, all("2025-03-01")).amounts.cumulative.balance(), 60);
    let cash = account(&book, 1, all("")).amounts.cumulative;
    assert_eq!((cash.debit, cash.credit, cash.balance()), (137, 40, -97));
}

#[test]
fn permanence_decides_the_opening() {
    // Behaviour 5.5, 5.15.
    let book = book();
    let january = range("2025-01-01", "2025-02-01", Monthly);
    for (id, expected, series) in [
        (1, "-90/10", "20250100:-90/10"),
        (2, "30/30", "20250100:30/30"),
        (3, "0/0", "20250100:0/0"),
        (4, "-40/-40", "20250100:-40/-40"),
    ] {
        let found = account(&book, id, january);
        assert!(!found.empty);
        let shown = [totals(found.amounts), format_series(&found.series)];
        assert_eq!(shown, [expected, series], "account {id}");
    }
    assert_eq!(totals(group(&book, 2, january).amounts), "-40/-40");
}

#[test]
fn slices_run_from_the_first_movement_or_the_start_to_the_end() {
    // Behaviour 5.6, 5.7; today is 20 May 2025.
    for (id, from, until, periodicity, expected) in [
        (2, "", "2025-04-01", Monthly, "20250100:30/30 20250200:30/0 20250300:30/0"),
        (2, "2024-12-01", "2025-03-01", Monthly, "20250100:30/30 20250200:30/0"),
        (3, "2025-02-01", "2025-05-01", Monthly, "20250200:0/0 20250300:7/7 20250400:7/0"),
        (1, "2025-02-01", "2025-04-01", Monthly, "20250200:-90/0 20250300:-97/-7"),
        (
            2,
            "",
            "",
            Monthly,
            "20250100:30/30 20250200:30/0 20250300:30/0 20250400:30/0 20250500:30/0",
        ),
        (1, "", "", Yearly, "20240000:-100/-100 20250000:-97/3"),
        (1, "2025-01-20", "2025-03-05", Yearly, "20250000:-90/40"),
        (1, "2025-01-11", "2025-03-06", Monthly, "20250100:-90/40 20250200:-90/0 20250300:-97/-7"),
        (1, "2025-01-11", "2025-01-31", Monthly, "20250100:-130/0"),
        (1, "2025-01-09", "2025-01-12", Daily, "20250109:-100/0 20250110:-130/-30 20250111:-130/0"),
        (2, "2025-01-09", "2025-01-12", Daily, "20250110:30/30 20250111:30/0"),
        (2, "2025-05-19", "", Daily, "20250519:30/0 20250520:30/0"),
        (4, "", "2026-02-01", Yearly, "20250000:-40/-40 20260000:-40/0"),
        (2, "2030-01-01", "", Yearly, "20300000:30/0"),
    ] {
        let found = format_series(&account(&book(), id, range(from, until, periodicity)).series);
        assert_eq!(found, expected, "account {id} from {from} until {until}");
    }
}

#[test]
fn zero_total_is_not_a_movement() {
    let mut book = book().account(9, Asset, &[]).posted("2025-01-01", 9, 1, 0);
    book.legs.retain(|leg| leg.account == AccountId::new(9));
    assert!(account(&book, 9, range("", "", Monthly)).empty);
    assert!(account(&book, 9, range("2025-02-01", "", Monthly)).empty);
}

#[test]
fn range_before_the_calendar_has_no_series() {
    let before_calendar = Range { from: None, until: Some(Date::MIN), periodicity: Daily };
    assert!(account(&book(), 1, before_calendar).series.is_empty());
    assert_eq!(segments(None, Some(Date::MIN), Daily), []);
}

#[test]
fn above_5000_slices_zero_slices_are_omitted() {
    let long = Book::default()
        .group(1, None)
        .group(2, Some(1))
        .account(1, Asset, &[1, 2])
        .account(2, Incoming, &[1])
        .account(9, Asset, &[1]);
    let long = long.posted("2000-01-01", 2, 1, 5).posted("2013-09-08", 2, 1, 6);
    let long = long.posted("2020-02-03", 2, 1, 7);
    for (id, from, until, expected) in [
        (1, "", "", "20000101:-5/-5 20130908:-11/-6 20200203:-18/-7"),
        (1, "2001-01-01", "", "20010101:-5/0 20130908:-11/-6 20200203:-18/-7"),
        (2, "2001-01-01", "", "20130908:6/6 20200203:13/7"),
        (1, "2020-03-01", "2040-01-01", "20200301:-18/0"),
        (2, "2020-03-01", "2040-01-01", "20391231:0/0"),
        (9, "", "", "20250520:0/0"),
    ] {
        let found = format_series(&account(&long, id, range(from, until, Daily)).series);
        assert_eq!(found, expected, "account {id} from {from}");
    }
    let found = format_series(&group(&long, 1, range("2001-01-01", "", Daily)).series);
    assert_eq!(found, "20010101:-5/0 20130908:-5/0 20200203:-5/0");
    // 8 September 2013 is the 5,000th day.
    let filled = |until| account(&long, 1, range("", until, Daily)).series.len();
    let limit = d("2000-01-01").to_julian_day() + 5_000;
    let end = |day: i32| crate::calendar::format_iso(Date::from_julian_day(day).unwrap());
    assert_eq!((filled(&end(limit)), filled(&end(limit + 1))), (5_000, 2));
}

fn names(balances: &BalanceResult) -> (Option<Vec<i64>>, Option<Vec<i64>>) {
    let accounts = balances.accounts.as_ref();
    let groups = balances.groups.as_ref();
    (
        accounts.map(|found| found.iter().map(|account| account.account.get()).collect()),
        groups.map(|found| found.iter().map(|group| group.group.get()).collect()),
    )
}

#[test]
fn scope_selects_the_containers() {
    // Behaviour 5.1-5.3, 5.11.
    let mut book = book()
        .group(3, Some(1))
        .account(10, Asset, &[])
        .account(9, Asset, &[3])
        .account(8, Asset, &[]);
    book.accounts
        .iter_mut()
        .filter(|account| [1, 8, 9].contains(&account.id.get()))
        .for_each(|account| account.archived = true);
    book.groups[0].hidden = true;
    let open = range("", "", Monthly);
    for (scope, expected) in [
        (BalanceScope::Book, (Some(vec![10]), Some(vec![1, 2]))),
        (accounts(&[8, 2, 2]), (Some(vec![2, 8]), None)),
        (groups(&[3, 1, 3]), (None, Some(vec![1, 3]))),
        (named(&[4, 4], &[2]), (Some(vec![4]), Some(vec![2]))),
        (groups(&[]), (None, None)),
        (groups(&[77]), (None, Some(vec![]))),
        (accounts(&[77]), (Some(vec![]), None)),
    ] {
        assert_eq!(names(&book.balances(&scope, open)), expected, "{scope:?}");
    }
    let nested = group(&book, 1, open);
    let direct: Vec<i64> = nested.accounts.iter().map(|account| account.account.get()).collect();
    assert_eq!(direct, [1, 2]);
    assert_eq!((nested.groups.len(), nested.groups[0].accounts.len()), (1, 0));
    let empty = Book::default().balances(&BalanceScope::Book, open);
    assert_eq!(names(&empty), (Some(vec![]), Some(vec![])));
}

#[test]
fn containers_below_several_named_groups_are_repeated() {
    let book = Book::default().group(1, None).group(2, Some(1)).group(3, Some(2));
    let count = |ids: &[i64]| groups(ids).count_repeated(&[], &book.forest());
    assert_eq!((count(&[1]), count(&[1, 2, 3])), (0, 3));
}

#[test]
fn containers_are_ordered_by_normalized_name_then_id() {
    let mut book =
        Book::default().account(1, Asset, &[]).account(2, Asset, &[]).account(3, Asset, &[]);
    for (account, name) in book.accounts.iter_mut().zip(["bank", "Ágio", "Agio"]) {
        account.name = crate::name::Name::new(name).unwrap();
    }
    let found = book.balances(&BalanceScope::Book, range("", "", Monthly));
    assert_eq!(names(&found).0, Some(vec![2, 3, 1]));
}

#[test]
fn chain_of_10_000_groups_does_not_overflow_the_stack() {
    let chain =
        (1..10_000).fold(Book::default().group(0, None), |book, id| book.group(id, Some(id - 1)));
    let chain = chain
        .account(1, Asset, &[9_999])
        .account(2, Liability, &[4_000, 9_999])
        .posted("2025-05-01", 2, 1, 9)
        .posted("2025-05-02", 2, 2, 1);
    let root = group(&chain, 0, range("", "", Monthly));
    assert_eq!((root.outline().len(), totals(root.amounts)), (10_000, "0/0".to_owned()));
    assert_eq!(root.amounts.period.debit, 10);
    drop(root);
}

#[test]
fn segments_read_whole_months_where_they_can() {
    let plan = |from, until, periodicity: Periodicity| {
        let Range { from, until, .. } = range(from, until, periodicity);
        let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
        let level = |level| if level == Level::Day { "d" } else { "m" };
        let text = |s: &super::Segment| {
            let fold = if s.fold { "+" } else { "" };
            format!("{}{fold} {}..{}", level(s.level), day(s.from), day(s.until))
        };
        segments(from, until, periodicity).iter().map(text).collect::<Vec<_>>().join(", ")
    };
    for (from, until, periodicity, expected) in [
        ("", "", Daily, "d .."),
        ("", "", Yearly, "m .."),
        ("", "2025-03-01", Monthly, "m ..2025-03-01"),
        ("", "2025-03-09", Monthly, "m ..2025-03-01, d 2025-03-01..2025-03-09"),
        ("2025-01-01", "", Daily, "m+ ..2025-01-01, d 2025-01-01.."),
        (
            "2025-01-05",
            "",
            Yearly,
            "m+ ..2025-01-01, d+ 2025-01-01..2025-01-05, d 2025-01-05..2025-02-01, m 2025-02-01..",
        ),
        (
            "2025-01-05",
            "2025-02-09",
            Monthly,
            "m+ ..2025-01-01, d+ 2025-01-01..2025-01-05, d 2025-01-05..2025-02-09",
        ),
        ("2025-01-01", "2025-01-09", Yearly, "m+ ..2025-01-01, d 2025-01-01..2025-01-09"),
        ("9999-12-05", "", Monthly, "m+ ..9999-12-01, d+ 9999-12-01..9999-12-05, d 9999-12-05.."),
    ] {
        assert_eq!(plan(from, until, periodicity), expected, "from {from} until {until}");
    }
}
