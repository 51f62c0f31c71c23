//! The reads of a preview from the book, on one snapshot.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::Account;
use daybook_domain::book::Book;
use daybook_domain::file::File;
use daybook_domain::id::{AccountId, FileId, ImportId, TransactionId};
use daybook_domain::import::{
    Finding, FindingState, Offers, RUN_PROPERTY, Record, TransactionFacts,
};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::query::{DateBasis, Filter, Status, Term};
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::page::PageKey;
use daybook_storage::transaction::{ResolvedNames, Search};

use super::parts::load_in_parts;
use crate::access;
use crate::context::Context;
use crate::error::Result;
use crate::transaction::drafts_of;

/// The property of files with rules for imports (behaviour 15.3).
const RULES_PROPERTY: &str = "import_rules";

/// The newest transactions of an account that suggestions are made from.
const MAX_HISTORY: usize = 10_000;

/// The rows that are read at once.
const PAGE_ROWS: i64 = 1_000;

/// The remote ids that are looked up at once.
const LOOKED_UP: usize = 500;

/// The most files of a book among which rules are searched.
const MAX_FILES: i64 = 10_000;

/// Bytes of the transactions that are loaded at once.
const MAX_TEXTS: usize = 256 * 1024 * 1024;

/// A file with rules for imports.
#[derive(Debug, Clone)]
pub struct RulesFile {
    /// The file.
    pub file: File,
    /// The id of the account that the rules are for, or another text.
    pub account: String,
}

/// A book as a preview sees it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The author's access.
    pub access: Access,
    /// The accounts.
    pub chart: Vec<Account>,
    /// The number of the last event of the book.
    pub sequence: i64,
}

impl Snapshot {
    /// Reads the accounts of a book.
    ///
    /// # Errors
    /// 403 or 404 if the author may not record in it any more.
    pub fn open(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Self> {
        let access = access::enter(tx, cx, book, Action::RecordDraft)?;
        Self::load(tx, access)
    }

    /// Reads the accounts of a book, to show an import that the caller has read.
    ///
    /// # Errors
    /// 403 or 404 if the caller may not read the book.
    pub fn open_to_read(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Self> {
        let access = access::enter(tx, cx, book, Action::ReadBook)?;
        Self::load(tx, access)
    }

    fn load(tx: &mut Tx<'_>, access: Access) -> Result<Self> {
        let chart = tx.accounts().list(&access)?;
        let sequence = tx.events().last_number(&access);
        Ok(Self { access, chart, sequence })
    }

    /// Returns the book.
    #[must_use]
    pub const fn book(&self) -> &Book {
        self.access.book()
    }

    /// Returns whether the author sees what others have recorded.
    #[must_use]
    pub fn sees_all(&self) -> bool {
        drafts_of(&self.access).is_none()
    }

    /// Lists the files of the book with rules for imports.
    pub fn rules_files(&self, tx: &mut Tx<'_>) -> Result<Vec<RulesFile>> {
        let creator = self.access.restricted_to(Action::ReadFiles);
        let (mut found, mut below) = (Vec::new(), None);
        let mut left = MAX_FILES;
        loop {
            let rows = tx.files().list(&self.access, creator, below, PAGE_ROWS)?.rows;
            left = left.saturating_sub(PAGE_ROWS);
            below = rows.last().map(|file| file.id);
            found.extend(rows.into_iter().filter_map(|file| {
                let account = file.properties.get(RULES_PROPERTY)?.trim().to_owned();
                Some(RulesFile { file, account })
            }));
            if below.is_none() || left <= 0 {
                return Ok(found);
            }
        }
    }

    /// Finds a file of the book that the author may read.
    pub fn file(&self, tx: &mut Tx<'_>, id: FileId) -> Result<Option<File>> {
        let file = tx.files().find(&self.access, id)?;
        let may_read = |file: &File| self.access.may_touch(Action::ReadFiles, file.created_by);
        Ok(file.filter(may_read))
    }

    /// Finds the transactions with the remote ids of records, for each record.
    ///
    /// `lookups` has the remote ids of each record. Of transactions that the author may not see
    /// nothing but their existence is known.
    pub fn findings(
        &self,
        tx: &mut Tx<'_>,
        lookups: &[(&Record, Vec<String>)],
    ) -> Result<Vec<Vec<Finding>>> {
        let ids: HashSet<&str> =
            lookups.iter().flat_map(|(_, ids)| ids).map(String::as_str).collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        let mut by_remote_id: HashMap<String, Vec<Transaction>> = HashMap::new();
        for transaction in self.with_remote_ids(tx, &ids)? {
            for id in &transaction.remote_ids {
                by_remote_id.entry(id.clone()).or_default().push(transaction.clone());
            }
        }
        let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        let pairs = tx.imports().matches(&self.access, &ids)?;
        let paired: Vec<TransactionId> = pairs.iter().map(|(_, id)| *id).collect();
        let paired = self.with_ids(tx, &paired)?;
        for (remote_id, id) in pairs {
            let known = by_remote_id.entry(remote_id).or_default();
            if let Some(transaction) = paired.get(&id)
                && known.iter().all(|other| other.id != id)
            {
                known.push(transaction.clone());
            }
        }
        let undone = self.undone_imports(tx, by_remote_id.values().flatten())?;
        let of_record = |(record, ids): &(&Record, Vec<String>)| -> Vec<Finding> {
            let named = ids.iter().filter_map(|id| Some((id, by_remote_id.get(id)?)));
            let each = named.flat_map(|(id, found)| found.iter().map(move |one| (id, one)));
            each.map(|(id, transaction)| self.finding(record, id, transaction, &undone)).collect()
        };
        Ok(lookups.iter().map(of_record).collect())
    }

    /// Finds which of these remote ids transactions have. A live one counts before one in the
    /// trash, and that before one whose import is undone.
    pub fn known(
        &self,
        tx: &mut Tx<'_>,
        remote_ids: &[String],
    ) -> Result<HashMap<String, (TransactionId, FindingState)>> {
        let ids: Vec<&str> = remote_ids.iter().map(String::as_str).collect();
        let found = self.with_remote_ids(tx, &ids)?;
        let undone = self.undone_imports(tx, found.iter())?;
        let rank = |state: FindingState| match state {
            FindingState::Live => 2,
            FindingState::Trashed => 1,
            FindingState::Undone => 0,
        };
        let mut known: HashMap<String, (TransactionId, FindingState)> = HashMap::new();
        for row in &found {
            let state = state_of(row, &undone);
            for id in &row.remote_ids {
                let entry = known.entry(id.clone()).or_insert((row.id, state));
                if rank(state) > rank(entry.1) {
                    *entry = (row.id, state);
                }
            }
        }
        Ok(known)
    }

    /// Loads the transactions with any of these remote ids, trashed ones included.
    fn with_remote_ids(&self, tx: &mut Tx<'_>, ids: &[&str]) -> Result<Vec<Transaction>> {
        let mut load = |ids: &[&str]| {
            Ok(tx.transactions().by_remote_ids_even_trashed(&self.access, ids, MAX_TEXTS)?)
        };
        load_in_parts(ids, &mut load)
    }

    fn with_ids(
        &self,
        tx: &mut Tx<'_>,
        ids: &[TransactionId],
    ) -> Result<HashMap<TransactionId, Transaction>> {
        let mut load = |ids: &[TransactionId]| {
            let found = tx.transactions().by_ids(&self.access, ids, MAX_TEXTS)?;
            Ok(found.map(|found| found.into_values().collect()))
        };
        let found = load_in_parts(ids, &mut load)?;
        Ok(found.into_iter().map(|row| (row.id, row)).collect())
    }

    fn finding(
        &self,
        record: &Record,
        remote_id: &str,
        transaction: &Transaction,
        undone: &UndoneImports,
    ) -> Finding {
        let state = state_of(transaction, undone);
        let is_visible = self.access.sees(transaction.created_by, transaction.is_posted());
        // The legs of an entry are found by the first one, whose amount is not that of the record.
        let is_leg = transaction.properties.get(daybook_domain::import::ENTRY_PROPERTY).is_some();
        let units = transaction.amount.and_then(|amount| amount.units(self.book().scale));
        let units = match (transaction.credit, transaction.debit) {
            (Some(credit), _) if credit == record.account => units.map(i64::saturating_neg),
            (_, Some(debit)) if debit == record.account => units,
            _ => None,
        };
        Finding {
            remote_id: remote_id.to_owned(),
            transaction: transaction.id,
            state,
            units: if is_visible && !is_leg { units } else { Some(record.units) },
            date: if is_visible { transaction.date } else { record.date },
            description: if is_visible { transaction.description.clone() } else { String::new() },
        }
    }

    /// Returns the imports of trashed transactions that are undone, with the begin of the undo.
    fn undone_imports<'t>(
        &self,
        tx: &mut Tx<'_>,
        transactions: impl Iterator<Item = &'t Transaction>,
    ) -> Result<UndoneImports> {
        let trashed = transactions.filter(|transaction| transaction.trashed);
        let runs: HashSet<ImportId> = trashed.filter_map(run_of).collect();
        Ok(tx.imports().undone(&self.access, &runs)?)
    }

    /// Offers the transactions that new records may belong to.
    pub fn offer(&self, tx: &mut Tx<'_>, offers: &mut Offers<'_>) -> Result<()> {
        let Some((first, last)) = offers.days() else { return Ok(()) };
        let accounts = offers.accounts();
        let days = Term::Dated {
            basis: DateBasis::Transaction,
            from: Some(first),
            until: last.next_day(),
        };
        let mut seen = HashSet::new();
        let mut offer = |tx: &mut Tx<'_>, rows: &[Transaction]| -> Result<()> {
            let ids: Vec<TransactionId> = rows.iter().map(|row| row.id).collect();
            let paired = tx.imports().remote_ids_of(&self.access, &ids)?;
            for row in rows.iter().filter(|row| seen.insert(row.id)) {
                let of_row = paired.get(&row.id).into_iter().flatten().map(String::as_str);
                let is_locked = self.book().is_locked(row.list_day);
                let is_editable = self.access.may_touch(row.edit_action(), row.created_by);
                let scale = self.book().scale;
                let facts = TransactionFacts::of(row, of_row, scale, is_locked, is_editable);
                offers.add_transaction(&facts);
            }
            Ok(())
        };
        self.each_of(tx, &accounts, Some(days.clone()), usize::MAX, &mut offer)?;
        // A draft whose account is another one may be the other half of a transfer.
        let of_status = |status| Filter::Term(Term::Status(status));
        let live = Filter::Not(Box::new(of_status(Status::Trashed)));
        let drafts = Filter::All(vec![of_status(Status::Draft), live, Filter::Term(days)]);
        self.each_found(tx, &drafts, HashMap::new(), usize::MAX, &mut offer)
    }

    /// Passes the newest transactions of an account on, newest first; none if the author may not
    /// see all of them.
    pub fn history(
        &self,
        tx: &mut Tx<'_>,
        account: AccountId,
        mut each: impl FnMut(&Transaction),
    ) -> Result<()> {
        if !self.sees_all() {
            return Ok(());
        }
        self.each_of(
            tx,
            &[account],
            None,
            MAX_HISTORY,
            &mut |_: &mut Tx<'_>, rows: &[Transaction]| {
                rows.iter().for_each(&mut each);
                Ok(())
            },
        )
    }

    /// Loads transactions by id, as far as the author sees them.
    pub fn transactions(
        &self,
        tx: &mut Tx<'_>,
        ids: &[TransactionId],
    ) -> Result<HashMap<TransactionId, Transaction>> {
        let mut found = self.with_ids(tx, ids)?;
        found.retain(|_, row| self.access.sees(row.created_by, row.is_posted()));
        Ok(found)
    }

    /// Finds the transactions that an import has recorded, by the remote ids of its records.
    pub fn recorded(
        &self,
        tx: &mut Tx<'_>,
        import: ImportId,
        remote_ids: &[String],
    ) -> Result<HashMap<String, TransactionId>> {
        let (run, mut recorded) = (import.to_string(), HashMap::new());
        for chunk in remote_ids.chunks(LOOKED_UP) {
            let ids: Vec<&str> = chunk.iter().map(String::as_str).collect();
            let mut load =
                |ids: &[&str]| Ok(tx.transactions().by_remote_ids(&self.access, ids, MAX_TEXTS)?);
            for row in load_in_parts(&ids, &mut load)? {
                if row.properties.get(RUN_PROPERTY) == Some(run.as_str()) {
                    recorded.extend(row.remote_ids.iter().map(|id| (id.clone(), row.id)));
                }
            }
        }
        Ok(recorded)
    }

    /// Passes the transactions of accounts that are not in the trash on, in pages, newest first.
    fn each_of(
        &self,
        tx: &mut Tx<'_>,
        accounts: &[AccountId],
        days: Option<Term>,
        max: usize,
        each: &mut EachPage<'_>,
    ) -> Result<()> {
        if accounts.is_empty() {
            return Ok(());
        }
        let sides = accounts.iter().map(|id| Filter::Term(Term::Account(id.to_string()))).collect();
        let trashed = Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed))));
        let terms = [Filter::Any(sides), trashed].into_iter().chain(days.map(Filter::Term));
        let filter = Filter::All(terms.collect());
        let named = accounts.iter().map(|id| (id.to_string(), *id)).collect();
        self.each_found(tx, &filter, named, max, each)
    }

    /// Passes the transactions of a search on, in pages, newest first.
    fn each_found(
        &self,
        tx: &mut Tx<'_>,
        filter: &Filter,
        accounts: HashMap<String, AccountId>,
        max: usize,
        each: &mut EachPage<'_>,
    ) -> Result<()> {
        let names = ResolvedNames { accounts, ..ResolvedNames::default() };
        let drafts_of = drafts_of(&self.access);
        let search = Search { filter, names: &names, drafts_of, similar: None };
        let (mut after, mut count) = (None, 0_usize);
        loop {
            let page = tx.transactions().search(&self.access, &search, after, PAGE_ROWS)?;
            let Some(last) = page.rows.last().map(PageKey::of) else { return Ok(()) };
            each(tx, &page.rows)?;
            count = count.saturating_add(page.rows.len());
            if count >= max {
                return Ok(());
            }
            after = Some(last);
        }
    }
}

/// A visitor of the pages of a search.
type EachPage<'e> = dyn FnMut(&mut Tx<'_>, &[Transaction]) -> Result<()> + 'e;

/// Imports that are undone, with the instants at which their undo began.
type UndoneImports = HashMap<ImportId, Instant>;

/// The version of a transaction that an import has recorded, and its undo has moved to the trash.
const UNDONE_VERSION: i64 = 2;

fn run_of(transaction: &Transaction) -> Option<ImportId> {
    transaction.properties.get(RUN_PROPERTY)?.parse().ok()
}

/// A person, not the undo, has trashed a transaction before the undo began, or restored it since.
fn state_of(transaction: &Transaction, undone: &UndoneImports) -> FindingState {
    let undo_started_at = run_of(transaction).and_then(|run| undone.get(&run));
    let by_undo = undo_started_at.is_some_and(|start| {
        transaction.stamp.version == UNDONE_VERSION && transaction.stamp.updated_at >= *start
    });
    match (transaction.trashed, by_undo) {
        (false, _) => FindingState::Live,
        (true, true) => FindingState::Undone,
        (true, false) => FindingState::Trashed,
    }
}
