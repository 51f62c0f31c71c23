//! The recount: every balance added up anew from the transactions, and compared with what is kept
//! beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, FindingKind, Findings};
use super::{
    AccountFlags, AuditedCounts, AuditedEntry, AuditedTotal, AuditedTransaction, EntryTotals,
    StrayEntry,
};
use crate::amount::write_units;
use crate::balance::Sums;
use crate::id::{AccountId, TransactionId};
use crate::transaction::Standing;

/// Days that differ are remembered one by one up to here. In a book with more, the accounts beyond
/// are told by their balance alone: an audit takes a bounded amount of memory whatever was done to
/// the book.
const MAX_SHIFTED_DAYS: usize = 100_000;

/// What the two sides of the comparison say of an account so far.
#[derive(Debug, Clone, Default)]
struct Audited {
    /// What its row says; none for an account that has none.
    kept: Option<AccountFlags>,
    /// The sum over the transactions.
    right: Sums,
    /// Entries found where a transaction has its own.
    met: i64,
    /// Something about it is wrong.
    doubted: bool,
    /// Its days are not comparable one by one any more.
    beyond: bool,
    /// A transaction that counts names it.
    posted: bool,
}

/// What became of the recount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecountResult {
    /// Every balance, entry and total is what the transactions make it.
    pub balances_match: bool,
    /// Credits and debits are equal, however they are added up.
    pub zero_sum: bool,
    /// How many accounts were looked at.
    pub accounts_checked: i64,
    /// How many transactions were read.
    pub transactions_checked: i64,
    /// What is wrong.
    pub findings: Findings,
    /// The accounts whose balance is verified now and was not, or the other way round.
    pub changed: Vec<(AccountId, bool)>,
}

/// Adds a book up anew: first every transaction ([`Recount::add_transaction`]), then what the entries sum to
/// ([`Recount::compare_sums`], [`Recount::add_stray`]), then day by day and month by month
/// ([`Recount::compare`]).
#[derive(Debug)]
pub struct Recount {
    book: String,
    /// The storage scale of the book, and the digits it shows.
    places: (u32, u32),
    accounts: BTreeMap<AccountId, Audited>,
    /// What the transactions have more than the entries, by account and day. A difference: its
    /// parts may be negative.
    shift: BTreeMap<(AccountId, i32), Sums>,
    transactions: i64,
    posted: i64,
    index_terms: i64,
    /// Raw balances of the book: by transactions, by entries, by months.
    sums: [i128; 3],
    findings: Findings,
}

impl Recount {
    /// Nothing counted yet in the book with that public id; `places` are its storage scale and the
    /// digits it shows.
    pub fn new(
        book: &str,
        places: (u32, u32),
        accounts: impl IntoIterator<Item = AccountFlags>,
    ) -> Self {
        let accounts = accounts
            .into_iter()
            .map(|kept| (kept.account, Audited { kept: Some(kept), ..Audited::default() }));
        Self {
            book: book.to_owned(),
            places,
            accounts: accounts.collect(),
            shift: BTreeMap::new(),
            transactions: 0,
            posted: 0,
            index_terms: 0,
            sums: [0; 3],
            findings: Findings::default(),
        }
    }

    /// Counts a transaction and compares the entries found where its own should be.
    pub fn add_transaction(&mut self, record: &AuditedTransaction) {
        let AuditedTransaction {
            id,
            day,
            dated: _,
            standing: _,
            trashed: _,
            amount,
            credit,
            debit,
            credit_entry,
            debit_entry,
            indexed,
            index_terms_found,
        } = record;
        self.index_terms = self.index_terms.saturating_add(*index_terms_found);
        self.transactions = self.transactions.saturating_add(1);
        let counts = counts(record);
        if counts {
            self.posted = self.posted.saturating_add(1);
        }
        for contradiction in self.contradictions(record, counts) {
            self.findings.add(Finding::new(
                FindingKind::Transaction,
                id.to_string(),
                "a transaction that holds",
                contradiction,
            ));
            credit.iter().chain(debit).for_each(|account| self.account(*account).doubted = true);
        }
        if !indexed {
            self.findings.add(Finding::new(
                FindingKind::Index,
                id.to_string(),
                "found by what it says",
                "found by something else",
            ));
        }
        let units = amount.filter(|_| counts).unwrap_or_default();
        let sides = [
            (*credit, *credit_entry, AuditedEntry { credit: true, amount: units }),
            (*debit, *debit_entry, AuditedEntry { credit: false, amount: units.saturating_neg() }),
        ];
        for (account, found, right) in sides {
            let Some(account) = account else { continue };
            let audited = self.account(account);
            audited.right = audited.right + right.sums();
            audited.posted |= counts;
            audited.met = audited.met.saturating_add(i64::from(found.is_some()));
            if found != Some(right) {
                let [expected, actual] = [Some(right), found].map(|entry| self.shown(entry));
                self.entry(*id, account, expected, actual);
                self.move_day(
                    account,
                    *day,
                    right.sums().minus(found.map(AuditedEntry::sums).unwrap_or_default()),
                );
            }
        }
    }

    /// Compares what the entries of each account sum to, and answers which accounts have entries
    /// that no transaction accounts for.
    pub fn compare_sums(&mut self, ledgers: &[EntryTotals]) -> Vec<AccountId> {
        let mut strays = Vec::new();
        for EntryTotals { account, rows, sums } in ledgers {
            self.add(1, sums.balance());
            if *rows > self.account(*account).met {
                strays.push(*account);
            }
        }
        strays
    }

    /// Notes an entry that no transaction accounts for.
    pub fn add_stray(&mut self, stray: &StrayEntry) {
        let StrayEntry { account, day, transaction, entry } = stray;
        let [expected, actual] = [None, Some(*entry)].map(|entry| self.shown(entry));
        self.entry(*transaction, *account, expected, actual);
        self.move_day(*account, *day, Sums::default().minus(entry.sums()));
    }

    /// Takes note of accounts that have totals, whether or not anything else names them.
    pub fn add_accounts(&mut self, accounts: Vec<AccountId>) {
        for account in accounts {
            self.account(account);
        }
    }

    /// All accounts met so far, those without a row of their own included.
    pub fn accounts(&self) -> impl Iterator<Item = AccountId> {
        self.accounts.keys().copied()
    }

    /// Compares accounts day by day and month by month: what their entries sum to on each day, what
    /// is kept as the total of the day, what is kept as the total of the month.
    pub fn compare(
        &mut self,
        accounts: &[AccountId],
        entries: &[AuditedTotal],
        days: &[AuditedTotal],
        months: &[AuditedTotal],
    ) {
        let [entries, days, months] = [entries, days, months].map(by_place);
        for account in accounts {
            let audited = self.account(*account).clone();
            let mut right = row(&entries, *account);
            for ((_, day), shift) in self.shift.range((*account, i32::MIN)..=(*account, i32::MAX)) {
                let sums = right.entry(*day).or_default();
                *sums = *sums + *shift;
            }
            let mut by_month: BTreeMap<i32, Sums> = BTreeMap::new();
            for (day, sums) in &right {
                let month = by_month.entry(day.div_euclid(100)).or_default();
                *month = *month + *sums;
            }
            let (days, months) = (row(&days, *account), row(&months, *account));
            if !audited.beyond {
                self.periods(FindingKind::DayTotal, *account, &right, &days);
                self.periods(FindingKind::MonthTotal, *account, &by_month, &months);
            }
            let kept: Sums = months.values().copied().sum();
            self.add(2, kept.balance());
            if kept.balance() != audited.right.balance() {
                let [expected, actual] =
                    [audited.right, kept].map(|sums| self.money(sums.balance()));
                self.findings.add(Finding::new(
                    FindingKind::Balance,
                    account.to_string(),
                    expected,
                    actual,
                ));
                self.account(*account).doubted = true;
            }
        }
    }

    /// Ends the recount.
    #[must_use]
    pub fn finish(mut self, counted: AuditedCounts) -> RecountResult {
        // Missing index_terms are told by their transactions; here it shows when there are more.
        for (kind, right, kept) in [
            (FindingKind::Count, self.posted, counted.posted),
            (FindingKind::Index, self.index_terms, counted.index_terms),
        ] {
            if right != kept {
                self.findings.add(Finding::new(
                    kind,
                    &self.book,
                    right.to_string(),
                    kept.to_string(),
                ));
            }
        }
        let right = self
            .accounts
            .values()
            .map(|audited| audited.right.balance())
            .fold(0, i128::saturating_add);
        self.add(0, right);
        for sum in self.sums.into_iter().filter(|sum| *sum != 0).collect::<BTreeSet<i128>>() {
            let [zero, sum] = [0, sum].map(|units| self.money(units));
            self.findings.add(Finding::new(FindingKind::ZeroSum, &self.book, zero, sum));
        }
        let kept =
            self.accounts.values().filter_map(|audited| audited.kept.map(|kept| (kept, audited)));
        let (mut changed, mut checked) = (Vec::new(), 0_i64);
        for (AccountFlags { account, verified, posted }, audited) in kept {
            checked = checked.saturating_add(1);
            // The mark is for ever, so only its absence can be wrong (behaviour 4.7).
            if audited.posted && !posted {
                self.findings.add(Finding::new(
                    FindingKind::Posted,
                    account.to_string(),
                    "true",
                    "false",
                ));
            }
            if verified == audited.doubted {
                changed.push((account, !audited.doubted));
            }
        }
        RecountResult {
            balances_match: self.accounts.values().all(|audited| !audited.doubted),
            zero_sum: self.sums == [0; 3],
            accounts_checked: checked,
            transactions_checked: self.transactions,
            findings: self.findings,
            changed,
        }
    }

    /// What a row says that cannot be together.
    fn contradictions(&self, record: &AuditedTransaction, counts: bool) -> Vec<String> {
        let AuditedTransaction { dated, standing, amount, credit, debit, .. } = record;
        let mut wrong = Vec::new();
        if standing.is_none() {
            wrong.push("neither draft nor posted".to_owned());
        }
        if amount.is_some_and(|amount| amount <= 0) {
            wrong.push("an amount that is not positive".to_owned());
        }
        if credit.is_some() && credit == debit {
            wrong.push("the same account on both sides".to_owned());
        }
        for account in credit.iter().chain(debit) {
            if self.accounts.get(account).is_none_or(|audited| audited.kept.is_none()) {
                wrong.push(format!("account {account}, which does not exist"));
            }
        }
        let parts = [
            ("date", *dated),
            ("amount", amount.is_some()),
            ("creditAccount", credit.is_some()),
            ("debitAccount", debit.is_some()),
        ];
        wrong.extend(
            parts
                .iter()
                .filter(|(_, there)| counts && !there)
                .map(|(part, _)| format!("posted without {part}")),
        );
        wrong
    }

    fn periods(
        &mut self,
        kind: FindingKind,
        account: AccountId,
        right: &BTreeMap<i32, Sums>,
        kept: &BTreeMap<i32, Sums>,
    ) {
        let periods: BTreeSet<i32> = right.keys().chain(kept.keys()).copied().collect();
        for period in periods {
            let [expected, actual] =
                [right, kept].map(|side| side.get(&period).copied().unwrap_or_default());
            if expected != actual {
                let [expected, actual] = [expected, actual].map(|sums| self.both(sums));
                let finding = Finding::new(kind, account.to_string(), expected, actual);
                self.findings.add(Finding { period: Some(dashed(period)), ..finding });
                self.account(account).doubted = true;
            }
        }
    }

    fn entry(
        &mut self,
        transaction: TransactionId,
        account: AccountId,
        expected: String,
        actual: String,
    ) {
        let finding = Finding::new(FindingKind::Entry, transaction.to_string(), expected, actual);
        self.findings.add(Finding { account: Some(account), ..finding });
        self.account(account).doubted = true;
    }

    fn move_day(&mut self, account: AccountId, day: i32, by: Sums) {
        let full = self.shift.len() >= MAX_SHIFTED_DAYS;
        match self.shift.get_mut(&(account, day)) {
            Some(sums) => *sums = *sums + by,
            None if full => self.account(account).beyond = true,
            None => {
                self.shift.insert((account, day), by);
            }
        }
    }

    fn account(&mut self, id: AccountId) -> &mut Audited {
        self.accounts.entry(id).or_default()
    }

    fn add(&mut self, place: usize, balance: i128) {
        if let Some(sum) = self.sums.get_mut(place) {
            *sum = sum.saturating_add(balance);
        }
    }

    fn money(&self, units: i128) -> String {
        write_units(units, self.places.0, self.places.1)
    }

    fn both(&self, sums: Sums) -> String {
        format!("debit {}, credit {}", self.money(sums.debit), self.money(sums.credit))
    }

    fn shown(&self, entry: Option<AuditedEntry>) -> String {
        let Some(AuditedEntry { credit, amount }) = entry else { return "none".to_owned() };
        format!("{} {}", if credit { "credit" } else { "debit" }, self.money(i128::from(amount)))
    }
}

/// Whether a transaction counts in balances: posted and not trashed (behaviour 5.12).
const fn counts(record: &AuditedTransaction) -> bool {
    matches!(record.standing, Some(Standing::Unchecked | Standing::Checked)) && !record.trashed
}

fn by_place(cells: &[AuditedTotal]) -> BTreeMap<(AccountId, i32), Sums> {
    cells.iter().map(|cell| ((cell.account, cell.period), cell.sums)).collect()
}

/// The cells of one account, by period.
fn row(cells: &BTreeMap<(AccountId, i32), Sums>, account: AccountId) -> BTreeMap<i32, Sums> {
    cells
        .range((account, i32::MIN)..=(account, i32::MAX))
        .map(|((_, period), sums)| (*period, *sums))
        .collect()
}

/// A day or month number as text: 20250131 is `2025-01-31`, 202501 is `2025-01`; what is neither
/// stays a number.
fn dashed(period: i32) -> String {
    let digits = period.to_string();
    match (digits.get(..4), digits.get(4..6), digits.get(6..)) {
        (Some(year), Some(month), Some("")) => format!("{year}-{month}"),
        (Some(year), Some(month), Some(day)) if day.len() == 2 => format!("{year}-{month}-{day}"),
        _ => digits,
    }
}
