//! General ledgers, row by row.

use time::Date;

use super::figures::{BookChart, Member, members};
use super::layout::{Class, Layout};
use super::period::{Period, month_words};
use super::request::Request;
use super::sums::PeriodSums;
use super::table::{Cell, Column, ColumnKind, Control, Row, RowKind, Subject};
use crate::account::Account;
use crate::balance::{BalanceScope, Sums};
use crate::id::{AccountId, TransactionId};

/// Limit of controls of single accounts.
const MAX_ACCOUNT_CONTROLS: usize = 20;

/// An account of a general ledger, with its balances from the totals of the book.
#[derive(Debug, Clone)]
pub struct LedgerAccount<'a> {
    /// The account.
    pub account: &'a Account,
    /// Its class, which determines the sign of its balances.
    pub class: Class,
    /// The sums before the period.
    pub opening: Sums,
    /// The sums to the end of the period.
    pub closing: Sums,
}

/// An entry of an account.
#[derive(Debug, Clone, Copy)]
pub struct LedgerEntry<'a> {
    /// The transaction.
    pub transaction: TransactionId,
    /// The day.
    pub day: Date,
    /// The description of the transaction.
    pub text: &'a str,
    /// The name of the account on the other side.
    pub other_account: &'a str,
    /// The debit or the credit of the account.
    pub sums: Sums,
    /// Whether the transaction is checked.
    pub is_checked: bool,
    /// The number of files of the transaction.
    pub files: usize,
}

/// Builds the rows of a general ledger.
///
/// The caller calls [`GeneralLedger::begin`] for each account, [`GeneralLedger::push`] for each of
/// its entries by date and id, and [`GeneralLedger::finish`] at the end. Running balances are those
/// of listTransactions (behaviour 2.9), with the sign that people expect.
#[derive(Debug)]
pub struct GeneralLedger {
    period: Period,
    open: Option<OpenAccount>,
    /// The sum of the closing balances that follow from the entries.
    computed: i128,
    /// The sum of the closing balances from the totals of the book.
    closing: i128,
    /// A control for each of the first accounts whose balances differ.
    differing: Vec<Control>,
}

/// The account whose entries are being pushed.
#[derive(Debug)]
struct OpenAccount {
    id: AccountId,
    name: String,
    class: Class,
    balance: i128,
    /// The entries so far.
    sums: Sums,
    /// The balance at the end of the period, from the totals of the book.
    closing: i128,
    month: Option<Month>,
}

/// The entries of a month so far.
#[derive(Debug)]
struct Month {
    period: Period,
    sums: Sums,
    entries: u32,
}

impl Request {
    /// Lists the accounts of a general ledger in its order: those with movements or a balance.
    ///
    /// `sums` are those of the only read of [`Request::plan`].
    pub fn ledger_accounts<'a>(
        &self,
        chart: &BookChart<'a>,
        scope: &BalanceScope,
        sums: &PeriodSums,
    ) -> Vec<LedgerAccount<'a>> {
        let Period { first, last } = self.period;
        let before = first.previous_day();
        let is_shown = |account: &LedgerAccount<'_>| {
            let has_moved = !sums.between(0, account.account.id, before, last).is_zero();
            has_moved || account.opening.balance() != 0 || (self.zeros && !account.account.archived)
        };
        let ledger_account = |member: Member<'a>| LedgerAccount {
            account: member.account,
            class: member.class,
            opening: before
                .map(|day| sums.between(0, member.account.id, None, day))
                .unwrap_or_default(),
            closing: sums.between(0, member.account.id, None, last),
        };
        let mut members = members(&Layout::new(chart.forest), chart, scope, None);
        // The sort is stable, so the accounts of a class keep their order.
        members.sort_by_key(|member| member.class);
        members.into_iter().map(ledger_account).filter(is_shown).collect()
    }
}

impl GeneralLedger {
    /// Starts a general ledger.
    pub fn new(request: &Request) -> Self {
        let period = request.period();
        Self { period, open: None, computed: 0, closing: 0, differing: Vec::new() }
    }

    /// Returns the columns.
    pub fn columns() -> Vec<Column> {
        vec![
            Column::new("date", "Date", ColumnKind::Date),
            Column::new("id", "ID", ColumnKind::Text),
            Column::new("text", "Text", ColumnKind::Text),
            Column::new("otherAccount", "Other account", ColumnKind::Text),
            Column::of_amount("debit", "Debit"),
            Column::of_amount("credit", "Credit"),
            Column::of_amount("balance", "Balance"),
            Column::new("checked", "Checked", ColumnKind::Text),
            Column::new("files", "Files", ColumnKind::Number),
        ]
    }

    /// Begins an account. Returns the last rows of the account before, its title and its opening
    /// balance.
    pub fn begin(&mut self, account: &LedgerAccount<'_>) -> Vec<Row> {
        let mut rows = self.end();
        let LedgerAccount { account, class, opening, closing } = account;
        let (id, name) = (account.id, account.name.as_str().to_owned());
        let balance = class.signed(opening.balance());
        let cells = LedgerCells { text: name.clone(), ..LedgerCells::default() };
        rows.push(cells.row(RowKind::Group, 0, Some(Subject::Account(id))));
        let none = Sums::default();
        rows.push(balance_row(id, "Opening balance", self.period.first, none, balance));
        let (class, closing) = (*class, class.signed(closing.balance()));
        self.open =
            Some(OpenAccount { id, name, class, balance, sums: none, closing, month: None });
        rows
    }

    /// Adds an entry of the account. Returns its row, after the subtotal of the month before.
    pub fn push(&mut self, entry: &LedgerEntry<'_>) -> Vec<Row> {
        let Some(open) = &mut self.open else { return Vec::new() };
        let mut rows = Vec::with_capacity(2);
        let is_next = |month: &Month| month.period.last < entry.day;
        if open.month.as_ref().is_some_and(is_next) {
            rows.extend(open.month.take().map(Month::row));
        }
        let month = open.month.get_or_insert_with(|| Month {
            period: Period::month_of(entry.day),
            sums: Sums::default(),
            entries: 0,
        });
        month.sums = month.sums + entry.sums;
        month.entries = month.entries.saturating_add(1);
        open.sums = open.sums + entry.sums;
        open.balance = open.balance.saturating_add(open.class.signed(entry.sums.balance()));
        let cells = LedgerCells {
            day: Some(entry.day),
            id: Some(entry.transaction),
            text: entry.text.to_owned(),
            other_account: Some(entry.other_account.to_owned()),
            sums: entry.sums,
            balance: Some(open.balance),
            is_checked: entry.is_checked,
            files: Some(entry.files),
        };
        rows.push(cells.row(RowKind::Entry, 1, Some(Subject::Transaction(entry.transaction))));
        rows
    }

    /// Ends the ledger. Returns the last rows and the controls.
    ///
    /// The control compares the balances that follow from the entries with those from the totals of
    /// the book. If they differ in accounts, these have controls of their own.
    pub fn finish(mut self) -> (Vec<Row>, Vec<Control>) {
        let rows = self.end();
        let (left, right) = (self.computed, self.closing);
        let mut controls = vec![Control::of_amounts(CONTROL, left, right)];
        controls.append(&mut self.differing);
        (rows, controls)
    }

    /// Ends the account whose entries were pushed.
    fn end(&mut self) -> Vec<Row> {
        let Some(open) = self.open.take() else { return Vec::new() };
        let mut rows: Vec<Row> = open.month.map(Month::row).into_iter().collect();
        let OpenAccount { id, sums, balance, .. } = open;
        rows.push(balance_row(id, "Closing balance", self.period.last, sums, balance));
        self.computed = self.computed.saturating_add(open.balance);
        self.closing = self.closing.saturating_add(open.closing);
        if open.balance != open.closing && self.differing.len() < MAX_ACCOUNT_CONTROLS {
            let label = format!("{CONTROL}, {}", open.name);
            self.differing.push(Control::of_amounts(label, open.balance, open.closing));
        }
        rows
    }
}

const CONTROL: &str = "Opening + movements = closing";

impl Month {
    fn row(self) -> Row {
        let cells = LedgerCells {
            text: month_words(self.period.first),
            sums: self.sums,
            ..LedgerCells::default()
        };
        Row { sums: self.entries, ..cells.row(RowKind::Subtotal, 1, None) }
    }
}

/// The contents of a row. Absent ones are empty cells.
#[derive(Default)]
struct LedgerCells {
    day: Option<Date>,
    id: Option<TransactionId>,
    text: String,
    other_account: Option<String>,
    sums: Sums,
    balance: Option<i128>,
    is_checked: bool,
    files: Option<usize>,
}

impl LedgerCells {
    fn row(self, kind: RowKind, depth: u32, subject: Option<Subject>) -> Row {
        let amount = |amount: Option<i128>| amount.map_or(Cell::Empty, Cell::Amount);
        let text = |text: Option<String>| text.map_or(Cell::Empty, Cell::Text);
        let non_zero = |value: i128| amount(Some(value).filter(|value| *value != 0));
        let files = self.files.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let cells = vec![
            self.day.map_or(Cell::Empty, Cell::Date),
            text(self.id.map(|id| id.to_string())),
            Cell::Text(self.text),
            text(self.other_account),
            non_zero(self.sums.debit),
            non_zero(self.sums.credit),
            amount(self.balance),
            text(self.is_checked.then(|| "checked".to_owned())),
            files.map_or(Cell::Empty, Cell::Number),
        ];
        Row { kind, depth, subject, cells, sums: 0 }
    }
}

fn balance_row(account: AccountId, label: &str, day: Date, sums: Sums, balance: i128) -> Row {
    let cells = LedgerCells {
        day: Some(day),
        text: label.to_owned(),
        sums,
        balance: Some(balance),
        ..LedgerCells::default()
    };
    cells.row(RowKind::Balance, 1, Some(Subject::Account(account)))
}
