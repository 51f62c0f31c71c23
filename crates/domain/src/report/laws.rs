//! Property tests of reports against sums of single transactions.

use proptest::prelude::*;
use time::{Date, Duration};

use super::fixture::{BookFixture, NONE, Posted, facts};
use super::layout::Layout;
use super::{
    Cell, Class, GeneralLedger, Journal, JournalEntry, LedgerEntry, Parameters, Period, Report,
    ReportKind, Row, RowKind, Subject,
};
use crate::account::AccountType;
use crate::balance::Sums;
use crate::book::StartMonth;
use crate::calendar::format_iso;
use crate::id::{AccountId, TransactionId};
use crate::instant::Instant;

/// The reports that are computed from sums.
const COMPUTED: [ReportKind; 4] = [
    ReportKind::TrialBalance,
    ReportKind::BalanceSheet,
    ReportKind::IncomeStatement,
    ReportKind::CashFlow,
];

fn day(offset: i64) -> Date {
    crate::fixture::day("2024-02-10") + Duration::days(offset)
}

prop_compose! {
    /// Generates a book with up to six groups, six accounts in any of them and twelve transactions
    /// over three years. Groups may be marked as cash or equity.
    fn books()(
        start in prop::sample::select(StartMonth::ALL.to_vec()),
        groups in prop::collection::vec(
            (prop::option::of(0_i64..6), prop::sample::select(vec!["", "cash", "equity"])),
            0..6,
        ),
        accounts in prop::collection::vec(
            (0_usize..4, prop::collection::vec(0_i64..6, 0..3), any::<bool>()),
            2..7,
        ),
        posted in prop::collection::vec(
            (
                0_i64..1_100,
                0_usize..6,
                0_usize..6,
                1_i128..100_000,
                prop::sample::subsequence(vec!["a", "b", "closing"], 0..=3),
            ),
            0..12,
        ),
    ) -> BookFixture {
        let mut book = BookFixture::new(start);
        for (id, (parent, mark)) in (0_i64..).zip(&groups) {
            // Names in reverse order of the ids.
            let name = format!("Group {}", 9 - id);
            book = book.group(id, &name, parent.filter(|parent| *parent < id)).marked(mark);
        }
        let count = i64::try_from(groups.len()).unwrap();
        for (id, (kind, groups, archived)) in (0_i64..).zip(&accounts) {
            let groups: Vec<i64> = groups.iter().copied().filter(|id| *id < count).collect();
            let name = format!("Account {id}");
            let name = if id == 0 { "Opening Balances" } else { &name };
            book = book.account(id, name, AccountType::ALL[*kind], &groups);
            book.accounts.last_mut().unwrap().archived = *archived;
        }
        let id = |index: usize| i64::try_from(index % accounts.len()).unwrap();
        for (offset, credit, debit, amount, tags) in posted {
            book = book.posted(&format_iso(day(offset)), [id(credit), id(debit)], amount, &tags);
        }
        book
    }
}

fn periods() -> impl Strategy<Value = String> {
    let days = (0_i64..1_100, 0_i64..500).prop_map(|(first, length)| {
        format!("{}..{}", format_iso(day(first)), format_iso(day(first + length)))
    });
    let named = ["2024", "2025", "FY2024", "FY2025", "2025-Q2", "2025-02", "2024-02-29"];
    prop_oneof![days, prop::sample::select(named.map(str::to_owned).to_vec())]
}

fn columns() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "month", "quarter", "year", "#a,#b"])
}

fn is_supported(kind: ReportKind, columns: &str) -> bool {
    columns.is_empty() || kind != ReportKind::TrialBalance
}

/// Returns the rows of some kinds, with their first cells.
fn rows_of<'a>(report: &'a Report, kinds: &[RowKind]) -> Vec<&'a Row> {
    report.rows.iter().filter(|row| kinds.contains(&row.kind)).collect()
}

fn amounts(row: &Row) -> Vec<Option<i128>> {
    let amount = |cell: &Cell| if let Cell::Amount(amount) = cell { Some(*amount) } else { None };
    row.cells.iter().skip(1).map(amount).collect()
}

/// Returns the amounts of the row of an account; zeros if it has none.
fn line(report: &Report, account: AccountId) -> Vec<i128> {
    let subject = Some(Subject::Account(account));
    let row = report.rows.iter().find(|row| row.subject == subject);
    let zeros = vec![0; report.columns.len() - 1];
    row.map_or(zeros, |row| amounts(row).into_iter().map(Option::unwrap).collect())
}

proptest! {
    #[test]
    fn controls_of_every_report_hold(
        book in books(),
        kind in prop::sample::select(COMPUTED.to_vec()),
        period in periods(),
        columns in columns(),
        compare in prop::option::of(periods()),
        depth in prop::sample::select(vec!["", "1", "2"]),
        zeros in prop::sample::select(vec!["", "true"]),
        query in prop::sample::select(vec!["", "#a", "account:'Account 1'", "group:'Group 9' #b"]),
    ) {
        let is_comparable = matches!(kind, ReportKind::BalanceSheet | ReportKind::IncomeStatement);
        let takes_accounts = matches!(kind, ReportKind::TrialBalance | ReportKind::IncomeStatement);
        let knows_group = !query.contains("group:") || !book.groups.is_empty();
        let is_accepted = !query.contains(':') || (takes_accounts && knows_group);
        let parameters = Parameters {
            period: Some(&period),
            columns: Some(columns).filter(|columns| is_supported(kind, columns)),
            compare: compare.as_deref().filter(|_| is_comparable && columns.is_empty()),
            depth: Some(depth),
            zeros: Some(zeros),
            query: Some(query).filter(|_| is_accepted),
            ..NONE
        };
        let report = book.report(kind, &parameters);
        prop_assert!(!report.controls.is_empty());
        for control in &report.controls {
            prop_assert!(control.holds(), "{control:?} of {report:#?}");
        }
        for row in &report.rows {
            prop_assert_eq!(row.cells.len(), report.columns.len());
        }
    }

    /// Rows that sum others have the sum of the accounts and results among them.
    #[test]
    fn rows_sum_the_rows_above(
        book in books(),
        kind in prop::sample::select(COMPUTED.to_vec()),
        columns in columns(),
        depth in prop::sample::select(vec!["", "1", "2"]),
    ) {
        let columns = Some(columns).filter(|columns| is_supported(kind, columns));
        let parameters =
            Parameters { columns, depth: Some(depth), period: Some("2025"), ..NONE };
        let report = book.report(kind, &parameters);
        for (index, row) in report.rows.iter().enumerate().filter(|(_, row)| row.sums > 0) {
            let sums = usize::try_from(row.sums).unwrap();
            let mut expected = vec![0; report.columns.len() - 1];
            let is_summed = |row: &&Row| matches!(row.kind, RowKind::Line | RowKind::Result);
            for summed in report.rows[index - sums..index].iter().filter(is_summed) {
                for (sum, amount) in expected.iter_mut().zip(amounts(summed)) {
                    *sum += amount.unwrap();
                }
            }
            let found: Vec<i128> = amounts(row).into_iter().map(Option::unwrap).collect();
            prop_assert_eq!(found, expected, "row {} of {:#?}", index, &report);
        }
    }

    /// The figures of accounts are sums of transactions.
    #[test]
    fn balance_sheet_has_the_balances_of_the_day(book in books(), offset in 0_i64..1_200) {
        let last = day(offset);
        let text = format_iso(last);
        let parameters = Parameters { period: Some(&text), ..NONE };
        let report = book.report(ReportKind::BalanceSheet, &parameters);
        let (forest, year) = (book.forest(), Period::fiscal_year(last, start(&book)));
        let layout = Layout::new(&forest);
        let (mut current, mut earlier) = (0, 0);
        for account in &book.accounts {
            let class = layout.class(account);
            let balance = book.balance(account.id, last);
            if class.is_result() {
                let before = book.balance(account.id, year.first.previous_day().unwrap());
                (current, earlier) = (current + balance - before, earlier + before);
            } else {
                prop_assert_eq!(line(&report, account.id), [class.signed(balance)]);
            }
        }
        let results: Vec<_> =
            rows_of(&report, &[RowKind::Result]).into_iter().map(amounts).collect();
        prop_assert_eq!(results, [[Some(earlier)], [Some(current)]]);
    }

    #[test]
    fn movements_are_differences_of_closings(
        book in books(), first in 0_i64..1_100, length in 0_i64..500,
    ) {
        let (first, last) = (day(first), day(first + length));
        let text = format!("{}..{}", format_iso(first), format_iso(last));
        let parameters = Parameters { period: Some(&text), ..NONE };
        let report = book.report(ReportKind::TrialBalance, &parameters);
        let forest = book.forest();
        let layout = Layout::new(&forest);
        let year = Period::fiscal_year(first, start(&book));
        let before = |day: Date| day.previous_day().unwrap();
        for account in &book.accounts {
            let [od, oc, md, mc, cd, cc] = line(&report, account.id)[..] else { unreachable!() };
            let start = match layout.class(account) {
                Class::Income | Class::Expense => book.balance(account.id, before(year.first)),
                Class::Asset | Class::Liability | Class::Equity => 0,
            };
            prop_assert_eq!(oc - od, book.balance(account.id, before(first)) - start);
            prop_assert_eq!(cc - cd, book.balance(account.id, last) - start);
            prop_assert_eq!(mc - md, (cc - cd) - (oc - od));
            prop_assert!(od.min(oc) == 0 && cd.min(cc) == 0, "balances are on one side");
        }
    }

    /// Closing entries are left out of income statements only.
    #[test]
    fn income_statement_has_the_movements_without_closing_entries(
        book in books(), period in periods(),
    ) {
        let parameters = Parameters { period: Some(&period), ..NONE };
        let report = book.report(ReportKind::IncomeStatement, &parameters);
        let mut others = book.clone();
        others.posted.retain(|posted| !posted.tags.contains(&"closing".to_owned()));
        let Period { first, last } = Period::parse(&period, start(&book)).unwrap();
        let forest = book.forest();
        let layout = Layout::new(&forest);
        for account in &book.accounts {
            let class = layout.class(account);
            if class.is_result() {
                let opening = others.balance(account.id, first.previous_day().unwrap());
                let moved = others.balance(account.id, last) - opening;
                prop_assert_eq!(line(&report, account.id)[0], class.signed(moved));
            }
        }
    }

    #[test]
    fn columns_sum_to_the_total(
        book in books(),
        period in periods(),
        columns in prop::sample::select(vec!["month", "quarter", "year"]),
        kind in prop::sample::select(vec![ReportKind::IncomeStatement, ReportKind::CashFlow]),
    ) {
        let whole = Parameters { period: Some(&period), ..NONE };
        let divided = Parameters { columns: Some(columns), ..whole.clone() };
        let (whole, divided) = (book.report(kind, &whole), book.report(kind, &divided));
        // The net amount is the third of a cash flow.
        let net = if kind == ReportKind::CashFlow { 2 } else { 0 };
        let kinds = [RowKind::Line, RowKind::Subtotal, RowKind::Total, RowKind::Result];
        let totals: Vec<(Option<Subject>, i128)> = rows_of(&divided, &kinds)
            .into_iter()
            .map(|row| (row.subject, amounts(row).last().unwrap().unwrap()))
            .filter(|(_, total)| *total != 0)
            .collect();
        let expected: Vec<(Option<Subject>, i128)> = rows_of(&whole, &kinds)
            .into_iter()
            .map(|row| (row.subject, amounts(row)[net].unwrap()))
            .filter(|(_, total)| *total != 0)
            .collect();
        prop_assert_eq!(totals, expected);
        if divided.columns.last().unwrap().key == "total" {
            for row in rows_of(&divided, &kinds) {
                let amounts: Vec<i128> = amounts(row).into_iter().map(Option::unwrap).collect();
                let (total, parts) = amounts.split_last().unwrap();
                prop_assert_eq!(parts.iter().sum::<i128>(), *total);
            }
        }
    }

    /// Each column of a balance sheet is the balance sheet of its day.
    #[test]
    fn columns_change_no_balance(mut book in books(), period in periods()) {
        // So that both reports have rows of all accounts.
        book.accounts.iter_mut().for_each(|account| account.archived = false);
        let divided = Parameters {
            period: Some(&period),
            columns: Some("quarter"),
            zeros: Some("true"),
            ..NONE
        };
        let divided = book.report(ReportKind::BalanceSheet, &divided);
        for (index, column) in divided.columns.iter().enumerate().skip(1) {
            let single = Parameters {
                period: Some(&column.key),
                zeros: Some("true"),
                ..NONE
            };
            let single = book.report(ReportKind::BalanceSheet, &single);
            for (row, expected) in divided.rows.iter().zip(&single.rows) {
                prop_assert_eq!(&row.cells[index], &expected.cells[1]);
            }
        }
    }

    #[test]
    fn depth_changes_no_total(
        book in books(),
        kind in prop::sample::select(COMPUTED.to_vec()),
        depth in prop::sample::select(vec!["1", "2", "3"]),
    ) {
        let whole = Parameters { period: Some("2025"), ..NONE };
        let shallow = Parameters { depth: Some(depth), ..whole.clone() };
        let (whole, shallow) = (book.report(kind, &whole), book.report(kind, &shallow));
        let kinds = [RowKind::Total, RowKind::Result, RowKind::Balance];
        let totals = |report| {
            rows_of(report, &kinds).into_iter().map(|row| row.cells.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(totals(&whole), totals(&shallow));
        prop_assert_eq!(&whole.controls, &shallow.controls);
        let limit = depth.parse::<u32>().unwrap();
        prop_assert!(shallow.rows.iter().all(|row| row.depth < limit));
    }

    /// The general ledger ends with the balances, and a missing entry breaks its control.
    #[test]
    fn general_ledger_ends_with_the_balances(book in books(), period in periods()) {
        let parameters = Parameters { period: Some(&period), ..NONE };
        let request = book.request(ReportKind::GeneralLedger, &parameters);
        let forest = book.forest();
        let chart = book.chart(&forest);
        let scope = request.scope(&chart).unwrap();
        prop_assert_eq!(request.heading(&chart, &scope, facts()).until, request.period().last);
        let sums = book.read(&request.plan(), None);
        let accounts = request.ledger_accounts(&chart, &scope, &sums);
        let build = |posted: &[Posted]| {
            let mut ledger = GeneralLedger::new(&request);
            let mut rows = Vec::new();
            for account in &accounts {
                rows.extend(ledger.begin(account));
                for (entry, id) in posted.iter().zip(1..) {
                    for (side, sums) in entry.sides() {
                        if side == account.account.id {
                            rows.extend(ledger.push(&ledger_entry(id, entry.day, sums)));
                        }
                    }
                }
            }
            let (last, controls) = ledger.finish();
            rows.extend(last);
            (rows, controls)
        };
        let Period { first, last } = request.period();
        let mut posted = book.posted.clone();
        posted.retain(|posted| (first..=last).contains(&posted.day));
        posted.sort_by_key(|posted| posted.day);
        let (rows, controls) = build(&posted);
        prop_assert!(controls.iter().all(super::Control::holds), "{controls:?}");
        let closing = Cell::Text("Closing balance".to_owned());
        let closings = rows.iter().filter(|row| row.cells[2] == closing);
        let mut closings = closings.map(|row| &row.cells[6]);
        for account in &accounts {
            let balance = book.balance(account.account.id, last);
            prop_assert_eq!(closings.next(), Some(&Cell::Amount(account.class.signed(balance))));
        }
        prop_assert_eq!(closings.next(), None);
        if posted.pop().is_some_and(|last| last.debit != last.credit) {
            let (_, controls) = build(&posted);
            prop_assert!(controls.iter().any(|control| !control.holds()), "{controls:?}");
        }
    }

    /// The journal sums to the totals of the book, or of an account, and a missing row breaks its
    /// control.
    #[test]
    fn journal_sums_to_the_totals(
        book in books(), period in periods(), account in prop::option::of(1_i64..4),
    ) {
        let parameters = Parameters { period: Some(&period), ..NONE };
        let request = book.request(ReportKind::Journal, &parameters);
        let sums = book.read(&request.plan(), None);
        let Period { first, last } = request.period();
        let account = account.map(AccountId::new);
        let is_shown = |posted: &&Posted| {
            (first..=last).contains(&posted.day)
                && account.is_none_or(|id| posted.sides().iter().any(|(side, _)| *side == id))
        };
        let shown: Vec<&Posted> = book.posted.iter().filter(is_shown).collect();
        let build = |posted: &[&Posted]| {
            let accounts = account.map(|id| [id].into());
            let mut journal = Journal::new(&request, &sums, accounts);
            let rows = posted.iter().filter_map(|posted| journal.push(&journal_entry(posted)));
            let rows = rows.inspect(|row| assert_eq!(row.cells.len(), Journal::columns().len()));
            (rows.count(), journal.finish().remove(0))
        };
        let all: Vec<&Posted> =
            book.posted.iter().filter(|posted| (first..=last).contains(&posted.day)).collect();
        let (rows, control) = build(&all);
        prop_assert!(control.holds(), "{control:?}");
        prop_assert_eq!(rows, shown.len());
        let count = format!("(transactions: {rows})");
        prop_assert!(control.label.ends_with(&count));
        let (_, control) = build(shown.get(1..).unwrap_or_default());
        prop_assert_eq!(control.holds(), shown.is_empty());
    }

    /// Every day through the last cut is in one segment, and its totals in one interval.
    #[test]
    fn plans_read_each_day_once(
        period in periods(), columns in columns(), offset in -100_i64..2_000,
    ) {
        let book = BookFixture::new(StartMonth::April);
        let parameters = Parameters {
            period: Some(&period),
            columns: Some(columns),
            ..NONE
        };
        let plan = book.request(ReportKind::IncomeStatement, &parameters).plan();
        let last = plan.intervals().last().unwrap().1;
        let day = day(offset);
        let segments = plan.segments();
        let covering = segments.iter().filter(|segment| segment.contains(day)).count();
        prop_assert_eq!(covering, usize::from(day <= last));
    }
}

fn start(book: &BookFixture) -> StartMonth {
    book.book.settings.period_start_month
}

fn ledger_entry(id: i64, day: Date, sums: Sums) -> LedgerEntry<'static> {
    LedgerEntry {
        transaction: TransactionId::new(id),
        day,
        text: "text",
        other_account: "other",
        sums,
        is_checked: false,
        files: 0,
    }
}

fn journal_entry(posted: &Posted) -> JournalEntry<'static> {
    JournalEntry {
        transaction: TransactionId::new(1),
        day: posted.day,
        text: "text",
        accounts: [posted.debit, posted.credit].map(Some),
        debit_account: "debit",
        credit_account: "credit",
        amount: posted.amount,
        recorded_by: "ada",
        recorded_at: Instant::new(0),
    }
}
