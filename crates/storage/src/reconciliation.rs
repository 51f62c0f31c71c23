//! Reconciliations, and the transactions on them.
//!
//! The key of an entry is the transaction with its account, so a transaction is on at most one
//! reconciliation of each of its accounts. Sums and later changes are computed when they are read,
//! so that writes of transactions need no statement for them. An exception is the flag of entries
//! that a reconciliation has checked, which ends when a transaction is unchecked
//! ([`Reconciliations::clear_checked_flags`]).

use std::collections::{BTreeSet, HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::balance::Sums;
use daybook_domain::event::EventType;
use daybook_domain::id::{AccountId, FileId, ReconciliationId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::{Reconcile, Record};
use daybook_domain::reconciliation::{
    ClosingBalance, EntryChange, EntrySums, ReconciledEntry, Reconciliation,
};
use daybook_domain::storage_quota::ROW_BYTES;
use daybook_domain::transaction::Standing;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text};

use crate::access::AccessTo;
use crate::balance::{ENTRY_SUMS, Limbs};
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::planner::{Lookup, as_filter};
use crate::conn::sql::{Sql, Value, list, numbers};
use crate::error::{Error, Result};
use crate::page::PageKey;
use crate::rows::column;
use crate::rows::transaction::standing_to_column;
use crate::schema::reconciliations;
use crate::storage_quota::size::{length, of_bytes};

/// The columns of a [`Row`], of the table `r`.
const COLUMNS: &str = "r.id, r.account_id, r.day, r.closing, r.file_id, r.created_by, r.agent, \
     r.created_at, r.updated_at, r.version";

/// The columns of an [`EntryRow`].
const ENTRY_COLUMNS: &str = "transaction_id, account_id, reconciliation_id, sequence, checked";

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = reconciliations)]
struct Row {
    id: i64,
    account_id: i64,
    day: i32,
    closing: String,
    file_id: Option<i64>,
    created_by: i64,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl TryFrom<Row> for Reconciliation {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: ReconciliationId::new(row.id),
            account: AccountId::new(row.account_id),
            date: column::day_from_column(row.day, "day")?,
            closing: ClosingBalance::stored(&row.closing).ok_or(Error::Corrupt("closing"))?,
            file: row.file_id.map(FileId::new),
            created_by: UserId::new(row.created_by),
            stamp: column::stamp(row.agent, row.created_at, row.updated_at, row.version),
        })
    }
}

#[derive(QueryableByName)]
struct SumsRow {
    #[diesel(sql_type = BigInt)]
    reconciliation_id: i64,
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    limbs: Limbs,
}

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = BigInt)]
    transaction_id: i64,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Integer)]
    kind: i32,
    #[diesel(sql_type = BigInt)]
    user_id: i64,
    #[diesel(sql_type = Nullable<Text>)]
    agent: Option<String>,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
}

impl TryFrom<ChangeRow> for EntryChange {
    type Error = Error;

    fn try_from(row: ChangeRow) -> Result<Self> {
        let ChangeRow { transaction_id, sequence, kind, user_id, agent, created_at } = row;
        Ok(Self {
            transaction: TransactionId::new(transaction_id),
            sequence,
            kind: EventType::from_number(kind).ok_or(Error::Corrupt("kind"))?,
            user: UserId::new(user_id),
            agent,
            at: Instant::new(created_at),
        })
    }
}

/// The reconciliations of a book.
pub struct Reconciliations<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Reconciliations<'_, '_> {
    /// Finds a reconciliation by id.
    pub fn find(self, access: &Access, id: ReconciliationId) -> Result<Option<Reconciliation>> {
        let query = reconciliations::table.find((access.book().id.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Lists up to `limit` reconciliations, of one account or of all, by day and id, newest first.
    pub fn list(
        self,
        access: &Access,
        account: Option<AccountId>,
        after: Option<PageKey>,
        limit: i64,
    ) -> Result<Vec<Reconciliation>> {
        let mut query = Sql::new("SELECT {} FROM reconciliations r WHERE r.book_id = {}")
            .bind((Sql::new(COLUMNS), access.book().id));
        if let Some(account) = account {
            query = query.push(" AND r.account_id = {}").bind(account);
        }
        if let Some(PageKey { day, id }) = after {
            query = query.push(" AND (r.day, r.id) < ({}, {})").bind((i64::from(day), id));
        }
        let query = query.push(" ORDER BY r.day DESC, r.id DESC LIMIT {}").bind(limit);
        self.tx.flushed()?.load_as::<Row, _>(&query)
    }

    /// Returns the sums of these reconciliations of one book.
    pub fn sums(
        self,
        access: &Access,
        ids: &[ReconciliationId],
    ) -> Result<HashMap<ReconciliationId, EntrySums>> {
        let mut sums: HashMap<ReconciliationId, EntrySums> =
            ids.iter().map(|id| (*id, EntrySums::default())).collect();
        if ids.is_empty() {
            return Ok(sums);
        }
        let (lookup, scale) = (self.tx.lookup(), access.book().scale);
        let mut conn = self.tx.flushed()?;
        let openings = openings(lookup, access, ids);
        for (id, closing) in conn.rows::<(i64, Option<String>)>(&openings)? {
            let opening =
                closing.map(|text| ClosingBalance::stored(&text).ok_or(Error::Corrupt("closing")));
            let opening = opening.transpose()?.map_or(0, |closing| closing.units(scale));
            sums.entry(ReconciliationId::new(id)).or_default().opening = opening;
        }
        for row in conn.load::<SumsRow>(&movements(lookup, access, ids))? {
            let Sums { debit, credit } = row.limbs.sums();
            let sums = sums.entry(ReconciliationId::new(row.reconciliation_id)).or_default();
            sums.movement = credit.saturating_sub(debit);
            sums.count = row.total;
        }
        Ok(sums)
    }

    /// Lists the transactions on a reconciliation, by id.
    pub fn transactions(self, access: &Access, id: ReconciliationId) -> Result<Vec<TransactionId>> {
        let sql = Sql::new(
            "SELECT transaction_id FROM reconciled_entries \
             WHERE book_id = {} AND reconciliation_id = {} ORDER BY transaction_id",
        )
        .bind((access.book().id, id));
        let rows: Vec<i64> = self.tx.flushed()?.rows(&sql)?;
        Ok(rows.into_iter().map(TransactionId::new).collect())
    }

    /// Returns the last reported change of each transaction that was changed since it was put on a
    /// reconciliation, in the order of the log (behaviour 14.8).
    pub fn changes(self, access: &Access, id: ReconciliationId) -> Result<Vec<EntryChange>> {
        let sql = changes(self.tx.lookup(), access, id);
        let mut changes = self.tx.flushed()?.load_as::<ChangeRow, EntryChange>(&sql)?;
        changes.sort_unstable_by_key(|change| change.sequence);
        Ok(changes)
    }

    /// Loads the entries of these transactions on all reconciliations.
    pub fn entries_of(
        self,
        access: &Access,
        transactions: &[TransactionId],
    ) -> Result<HashMap<TransactionId, Vec<ReconciledEntry>>> {
        let mut entries: HashMap<TransactionId, Vec<ReconciledEntry>> = HashMap::new();
        let queries =
            Sql::new("SELECT {} FROM reconciled_entries WHERE book_id = {} AND transaction_id IN ")
                .bind((Sql::new(ENTRY_COLUMNS), access.book().id));
        for query in queries.in_chunks(transactions) {
            for row in self.tx.flushed()?.rows::<(i64, i64, i64, i64, bool)>(&query)? {
                let (transaction, account, reconciliation, sequence, checked) = row;
                let entry = ReconciledEntry {
                    transaction: TransactionId::new(transaction),
                    account: AccountId::new(account),
                    reconciliation: ReconciliationId::new(reconciliation),
                    sequence,
                    checked,
                };
                entries.entry(entry.transaction).or_default().push(entry);
            }
        }
        Ok(entries)
    }

    /// Returns the reconciliations of an account that these transactions are on (behaviour 14.9).
    pub fn of_transactions(
        self,
        access: &Access,
        account: AccountId,
        transactions: &[TransactionId],
    ) -> Result<HashMap<TransactionId, ReconciliationId>> {
        if transactions.is_empty() {
            return Ok(HashMap::new());
        }
        let query = Sql::new(
            "SELECT transaction_id, reconciliation_id FROM reconciled_entries \
             WHERE book_id = {} AND account_id = {} AND transaction_id IN {}",
        )
        .bind((access.book().id, account, list(transactions)))
        .cached_up_to(transactions.len());
        let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&query)?;
        let ids = |(transaction, id)| (TransactionId::new(transaction), ReconciliationId::new(id));
        Ok(rows.into_iter().map(ids).collect())
    }

    /// Returns those of these accounts that have reconciliations.
    pub fn accounts_among(
        self,
        access: &Access,
        accounts: &[AccountId],
    ) -> Result<HashSet<AccountId>> {
        let mut found = HashSet::new();
        let queries = Sql::new(
            "SELECT DISTINCT account_id FROM reconciliations WHERE book_id = {} AND account_id IN ",
        )
        .bind(access.book().id);
        for query in queries.in_chunks(accounts) {
            let rows: Vec<i64> = self.tx.flushed()?.rows(&query)?;
            found.extend(rows.into_iter().map(AccountId::new));
        }
        Ok(found)
    }

    /// Finds a reconciliation whose statement is this file.
    pub fn with_file(self, access: &Access, file: FileId) -> Result<Option<ReconciliationId>> {
        let sql =
            Sql::new("SELECT id FROM reconciliations WHERE book_id = {} AND file_id = {} LIMIT 1")
                .bind((access.book().id, file));
        Ok(self.tx.flushed()?.row::<i64>(&sql)?.map(ReconciliationId::new))
    }

    /// Inserts a reconciliation.
    pub fn insert(self, access: &AccessTo<Reconcile>, new: &Reconciliation) -> Result<()> {
        let Reconciliation { id, account, date, closing, file, created_by, stamp } = new;
        let mut rows = Bulk::new(
            "INSERT INTO reconciliations (book_id, id, account_id, day, closing, file_id, \
             created_by, agent, created_at, updated_at, version)",
            11,
            "",
        );
        rows.row([
            Value::Int(access.book().id.get()),
            Value::Int(id.get()),
            Value::Int(account.get()),
            Value::Int(column::day_to_column(*date).into()),
            Value::Text(closing.to_string().into()),
            Value::SomeInt(file.map(FileId::get)),
            Value::Int(created_by.get()),
            Value::SomeText(stamp.agent.as_deref().map(Into::into)),
            Value::Int(stamp.created_at.milliseconds()),
            Value::Int(stamp.updated_at.milliseconds()),
            Value::Int(stamp.version),
        ]);
        self.tx.flushed()?.write(rows)?;
        self.tx.add_usage(access.book().id, of_bytes(size_of(new)))
    }

    /// Saves a changed reconciliation. Its account does not change.
    pub fn update(self, access: &AccessTo<Reconcile>, changed: &Reconciliation) -> Result<()> {
        let Reconciliation { id, account: _, date, closing, file, created_by: _, stamp } = changed;
        let target = reconciliations::table.find((access.book().id.get(), id.get()));
        let set = (
            reconciliations::day.eq(column::day_to_column(*date)),
            reconciliations::closing.eq(closing.to_string()),
            reconciliations::file_id.eq(file.map(FileId::get)),
            reconciliations::updated_at.eq(stamp.updated_at.milliseconds()),
            reconciliations::version.eq(stamp.version),
        );
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes a reconciliation without entries.
    pub fn delete(self, access: &AccessTo<Reconcile>, deleted: &Reconciliation) -> Result<()> {
        let book = access.book().id;
        let target = reconciliations::table.find((book.get(), deleted.id.get()));
        self.tx.flushed()?.run(diesel::delete(target))?;
        self.tx.add_usage(book, of_bytes(size_of(deleted).saturating_neg()))
    }

    /// Saves entries, `added` of which are new.
    pub fn save_entries(
        self,
        access: &AccessTo<Reconcile>,
        entries: &[ReconciledEntry],
        added: usize,
    ) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut rows = Bulk::new(
            "INSERT INTO reconciled_entries (book_id, transaction_id, account_id, \
             reconciliation_id, sequence, checked)",
            6,
            " ON CONFLICT (book_id, transaction_id, account_id) DO UPDATE SET \
             sequence = excluded.sequence, checked = excluded.checked",
        );
        for entry in entries {
            let ReconciledEntry { transaction, account, reconciliation, sequence, checked } = entry;
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Int(transaction.get()),
                Value::Int(account.get()),
                Value::Int(reconciliation.get()),
                Value::Int(*sequence),
                Value::Flag(*checked),
            ]);
        }
        self.tx.flushed()?.write(rows)?;
        self.tx.add_usage(access.book().id, of_bytes(size_of_entries(added)))
    }

    /// Deletes the entries of these transactions for an account.
    pub fn delete_entries(
        self,
        access: &AccessTo<Reconcile>,
        account: AccountId,
        transactions: &[TransactionId],
    ) -> Result<()> {
        let book = access.book().id;
        let queries = Sql::new(
            "DELETE FROM reconciled_entries WHERE book_id = {} AND account_id = {} \
             AND transaction_id IN ",
        )
        .bind((book, account));
        for query in queries.in_chunks(transactions) {
            self.tx.flushed()?.run(&query)?;
        }
        let bytes = size_of_entries(transactions.len());
        self.tx.add_usage(book, of_bytes(bytes.saturating_neg()))
    }

    /// Records that these transactions are unchecked, so no reconciliation has checked them any
    /// more.
    pub fn clear_checked_flags(
        self,
        access: &AccessTo<Record>,
        transactions: &BTreeSet<TransactionId>,
    ) -> Result<()> {
        let transactions: Vec<TransactionId> = transactions.iter().copied().collect();
        let queries = Sql::new(
            "UPDATE reconciled_entries SET checked = {} WHERE book_id = {} AND checked = {} \
             AND transaction_id IN ",
        )
        .bind((false, access.book().id, true));
        for query in queries.in_chunks(&transactions) {
            self.tx.flushed()?.run(&query)?;
        }
        Ok(())
    }
}

/// Returns the bytes for which a reconciliation counts (behaviour 10.14).
fn size_of(reconciliation: &Reconciliation) -> i64 {
    let agent = reconciliation.stamp.agent.as_deref();
    agent.map_or(0, length).saturating_add(ROW_BYTES)
}

/// Returns the bytes for which entries count (behaviour 10.14).
fn size_of_entries(count: usize) -> i64 {
    ROW_BYTES.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Selects these reconciliations, each with the closing balance of the one before it.
pub(crate) fn openings<'a>(
    lookup: Lookup,
    access: &Access,
    ids: &'a [ReconciliationId],
) -> Sql<'a> {
    Sql::new(
        "SELECT r.id, (SELECT p.closing FROM {} WHERE p.book_id = {} \
         AND p.account_id = r.account_id AND (p.day, p.id) < (r.day, r.id) \
         ORDER BY p.day DESC, p.id DESC LIMIT 1) AS opening FROM reconciliations r \
         WHERE r.book_id = {} AND r.id IN {}",
    )
    .bind((
        lookup.by_index("reconciliations p", "reconciliations_account"),
        access.book().id,
        access.book().id,
        list(ids),
    ))
    .cached_up_to(ids.len())
}

/// Selects the number and the sums of the entries of each reconciliation.
///
/// A trashed transaction, and one that was moved to other accounts, has an amount of zero.
pub(crate) fn movements<'a>(
    lookup: Lookup,
    access: &Access,
    ids: &'a [ReconciliationId],
) -> Sql<'a> {
    let book = access.book().id;
    let on_one = Sql::new("r.book_id = {} AND r.reconciliation_id IN {}").bind((book, list(ids)));
    let of = Sql::new("t.book_id = {} AND t.id = r.transaction_id").bind(book);
    let entries = lookup
        .rows(lookup.by_index("reconciled_entries r", "reconciled_entries_reconciliation"), on_one)
        .look_up("transactions", "t", of)
        .sql();
    let posted = numbers([Standing::Unchecked, Standing::Checked].map(standing_to_column));
    Sql::new(
        "SELECT e.reconciliation_id, COUNT(*) AS total, {} FROM (SELECT r.reconciliation_id, \
         COALESCE(t.credit_account_id = r.account_id, FALSE) AS credit, \
         CASE WHEN (t.credit_account_id = r.account_id OR t.debit_account_id = r.account_id) \
         AND t.standing IN {} AND t.trashed = {} THEN COALESCE(t.amount, 0) ELSE 0 END AS amount\
         {}) e GROUP BY e.reconciliation_id",
    )
    .bind((Sql::new(ENTRY_SUMS), posted, false, entries))
    .uncached()
}

/// Selects the last reported event of each transaction on a reconciliation after it was put on.
///
/// Blocks of the log have postings only, so each of these events is a row. A transaction without
/// such an event has no number, which finds no row; SQLite would compute a number twice to test it.
pub(crate) fn changes<'a>(lookup: Lookup, access: &Access, id: ReconciliationId) -> Sql<'a> {
    let book = access.book().id;
    let reported = EntryChange::REPORTED.map(|kind| i64::from(kind.number()));
    let is_reported = as_filter(Sql::new("k.kind IN {}").bind(list(reported)));
    let last = Sql::new(
        "(SELECT r.transaction_id, (SELECT MAX(k.sequence) FROM {} WHERE k.book_id = {} \
         AND k.resource = r.transaction_id AND k.sequence > r.sequence AND {}) AS last \
         FROM {} WHERE r.book_id = {} AND r.reconciliation_id = {}) c",
    )
    .bind((
        lookup.by_index("events k", "events_resource"),
        book,
        is_reported,
        lookup.by_index("reconciled_entries r", "reconciled_entries_reconciliation"),
        book,
        id,
    ));
    let event = Sql::new("e.book_id = {} AND e.sequence = c.last").bind(book);
    let rows = lookup.rows(last, Sql::new("1 = 1")).look_up("events", "e", event).sql();
    Sql::new("SELECT c.transaction_id, e.sequence, e.kind, e.user_id, e.agent, e.created_at{}")
        .bind(rows)
}
