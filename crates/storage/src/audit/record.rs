//! Transactions for an audit, with a check of their index terms.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::audit::AuditedTransaction;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::LifecycleState;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};

use super::Audits;
use crate::conn::planner::Lookup;
use crate::conn::sql::{MAX_NAMED, Sql, Value};
use crate::error::Result;
use crate::index_term;
use crate::page::MAX_PAGE_TEXT_BYTES;
use crate::rows::column;
use crate::rows::transaction::{folded_to_column, standing_from_column};

const RECORDS: &str = "SELECT t.id, t.day, t.dated, t.standing, t.trashed, t.amount, \
       t.credit_account_id, t.debit_account_id, t.description, t.folded_description, \
       t.properties, t.remote_ids, t.files, t.comment_count, \
       (SELECT COUNT(*) FROM comments c WHERE c.book_id = {} \
        AND c.transaction_id = t.id) AS comments_found \
     FROM transactions t \
     WHERE t.book_id = {} AND t.id > {} ORDER BY t.id LIMIT {}";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Integer)]
    day: i32,
    #[diesel(sql_type = Bool)]
    dated: bool,
    #[diesel(sql_type = Integer)]
    standing: i32,
    #[diesel(sql_type = Bool)]
    trashed: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    amount: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    credit_account_id: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    debit_account_id: Option<i64>,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    folded_description: String,
    #[diesel(sql_type = Nullable<Text>)]
    properties: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    remote_ids: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    files: Option<String>,
    #[diesel(sql_type = Integer)]
    comment_count: i32,
    #[diesel(sql_type = BigInt)]
    comments_found: i64,
}

impl Row {
    /// Returns the size of the texts.
    fn texts(&self) -> usize {
        let optional = [&self.properties, &self.remote_ids, &self.files];
        let optional = optional.into_iter().flatten().map(String::len);
        let own = [self.description.len(), self.folded_description.len()];
        own.into_iter().chain(optional).fold(0, usize::saturating_add)
    }

    /// Returns the expected index terms, unless a column is unreadable.
    fn terms(&self) -> Option<BTreeSet<String>> {
        let properties = column::properties_from_text(self.properties.clone()).ok()?;
        let remote_ids = column::texts_from_text(self.remote_ids.clone(), "remote_ids").ok()?;
        let files = column::files_from_text(self.files.clone()).ok()?;
        let state = LifecycleState::of(standing_from_column(self.standing).ok()?, self.trashed);
        let fields = index_term::IndexedFields {
            remote_ids: &remote_ids,
            description: &self.description,
            properties: &properties,
            files: &files,
            state,
            has_comments: self.comments_found > 0,
        };
        Some(fields.terms())
    }

    fn into_audited(self, terms_expected: Option<i64>, terms_found: i64) -> AuditedTransaction {
        AuditedTransaction {
            id: TransactionId::new(self.id),
            day: self.day,
            dated: self.dated,
            standing: standing_from_column(self.standing).ok(),
            trashed: self.trashed,
            amount: self.amount,
            credit: self.credit_account_id.map(AccountId::new),
            debit: self.debit_account_id.map(AccountId::new),
            indexed: terms_expected == Some(terms_found)
                && self.folded_description == folded_to_column(&self.description)
                && i64::from(self.comment_count) == self.comments_found,
            index_terms_found: terms_found,
        }
    }
}

impl Audits<'_, '_> {
    /// Lists the next transactions after an id, by id: up to `limit`, and up to the text limit of a
    /// page.
    pub fn records(
        mut self,
        access: &Access,
        after: Option<TransactionId>,
        limit: i64,
    ) -> Result<Vec<AuditedTransaction>> {
        let after = after.map_or(i64::MIN, TransactionId::get);
        let book = access.book().id;
        let sql = Sql::new(RECORDS).bind((book, book, after, limit));
        let part = self.tx.flushed()?.load_part(&sql, MAX_PAGE_TEXT_BYTES, |row: Row| {
            let texts = row.texts();
            Ok((row, texts))
        })?;
        let rows = part.rows;
        let mut expected = HashMap::new();
        let mut all_terms = Vec::new();
        for row in &rows {
            if let Some(terms) = row.terms() {
                expected.insert(row.id, i64::try_from(terms.len()).unwrap_or(i64::MAX));
                all_terms.extend(terms.into_iter().map(|term| (term, row.day, row.id)));
            }
        }
        let found = self.count_terms(access, &all_terms)?;
        let record = |row: Row| {
            let (expected, found) = (expected.get(&row.id), found.get(&row.id));
            row.into_audited(expected.copied(), found.copied().unwrap_or_default())
        };
        Ok(rows.into_iter().map(record).collect())
    }

    /// Counts the terms that are in the index, by transaction.
    fn count_terms(
        &mut self,
        access: &Access,
        terms: &[(String, i32, i64)],
    ) -> Result<HashMap<i64, i64>> {
        let mut counts = HashMap::new();
        for chunk in terms.chunks(MAX_NAMED) {
            let sql = terms_found(self.tx.lookup(), access.book().id.get(), chunk);
            let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&sql)?;
            for (transaction_id, found) in rows {
                *counts.entry(transaction_id).or_default() += found;
            }
        }
        Ok(counts)
    }
}

/// Returns the statement that counts terms in the index, by transaction.
///
/// Each term has its day and its transaction.
pub(crate) fn terms_found<'a>(
    lookup: Lookup,
    book: i64,
    terms: &'a [(String, i32, i64)],
) -> Sql<'a> {
    let row = |(term, day, transaction): &'a (String, i32, i64)| {
        [Value::Text(term.into()), Value::Int(i64::from(*day)), Value::Int(*transaction)]
    };
    let key = Sql::new(
        "m.book_id = {} AND m.term = n.column1 AND m.day = n.column2 \
         AND m.transaction_id = n.column3",
    )
    .bind(book);
    let found = lookup.each_row_of(terms.iter().map(row)).look_up("index_terms", "m", key).sql();
    Sql::new("SELECT m.transaction_id, COUNT(*) AS found{} GROUP BY m.transaction_id")
        .bind(found)
        .uncached()
}
