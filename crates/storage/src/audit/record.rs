//! Transactions as an audit reads them: each with whether it is found by what it says.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::audit::AuditedTransaction;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::LifecycleState;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};

use super::Audits;
use crate::conn::on_engine;
use crate::error::Result;
use crate::page::MAX_PAGE_TEXTS;
use crate::planner::Lookup;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::transaction::{folded_to_column, standing_from_column};
use crate::{column, index_term};

const RECORDS: &str = "SELECT t.id, t.day, t.dated, t.standing, t.trashed, t.amount, \
       t.credit_account_id, t.debit_account_id, t.description, t.folded_description, \
       t.properties, t.remote_ids, t.files \
     FROM transactions t \
     WHERE t.book_id = ";

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
}

impl Row {
    /// How many bytes its texts have.
    fn texts(&self) -> usize {
        let further = [&self.properties, &self.remote_ids, &self.files];
        let further = further.into_iter().flatten().map(String::len);
        let own = [self.description.len(), self.folded_description.len()];
        own.into_iter().chain(further).fold(0, usize::saturating_add)
    }

    /// The index terms it should have; none when its columns cannot be read.
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
                && self.folded_description == folded_to_column(&self.description),
            index_terms_found: terms_found,
        }
    }
}

#[derive(QueryableByName)]
struct TermCount {
    #[diesel(sql_type = BigInt)]
    transaction_id: i64,
    #[diesel(sql_type = BigInt)]
    found: i64,
}

impl Audits<'_, '_> {
    /// The next transactions behind one, in the order of ids: up to `limit`, and no more once their
    /// texts take so much as those of a page may.
    pub fn records(
        mut self,
        access: &Access,
        after: Option<TransactionId>,
        limit: i64,
    ) -> Result<Vec<AuditedTransaction>> {
        let after = after.map_or(i64::MIN, TransactionId::get);
        let sql = Sql::new(RECORDS).int(access.book().id.get()).push(" AND t.id > ").int(after);
        let sql = sql.push(" ORDER BY t.id LIMIT ").int(limit);
        let part = self.tx.flushed()?.load_part(&sql, MAX_PAGE_TEXTS, |row: Row| {
            let texts = row.texts();
            Ok((row, texts))
        })?;
        let rows = part.rows;
        let (mut expected, mut wanted) = (HashMap::new(), Vec::new());
        for row in &rows {
            if let Some(terms) = row.terms() {
                expected.insert(row.id, i64::try_from(terms.len()).unwrap_or(i64::MAX));
                wanted.extend(terms.into_iter().map(|term| (term, row.day, row.id)));
            }
        }
        let found = self.count_terms(access, &wanted)?;
        let record = |row: Row| {
            let (expected, found) = (expected.get(&row.id), found.get(&row.id));
            row.into_audited(expected.copied(), found.copied().unwrap_or_default())
        };
        Ok(rows.into_iter().map(record).collect())
    }

    /// How many of these terms are in the index, by transaction.
    fn count_terms(
        &mut self,
        access: &Access,
        wanted: &[(String, i32, i64)],
    ) -> Result<HashMap<i64, i64>> {
        let mut counts = HashMap::new();
        for chunk in wanted.chunks(MAX_NAMED) {
            let sql = terms_found(self.tx.lookup(), access.book().id.get(), chunk);
            let rows: Vec<TermCount> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
            for TermCount { transaction_id, found } in rows {
                *counts.entry(transaction_id).or_default() += found;
            }
        }
        Ok(counts)
    }
}

/// How many of these terms, each with its day and its transaction, are in the index, by
/// transaction.
pub(crate) fn terms_found<'a>(
    lookup: Lookup,
    book: i64,
    terms: &'a [(String, i32, i64)],
) -> Sql<'a> {
    let row = |(term, day, transaction): &'a (String, i32, i64)| {
        [Value::Text(term.into()), Value::Int(i64::from(*day)), Value::Int(*transaction)]
    };
    let key = Sql::new("m.book_id = ")
        .int(book)
        .push(" AND m.term = n.column1 AND m.day = n.column2 AND m.transaction_id = n.column3");
    let found = lookup.each_row_of(terms.iter().map(row)).look_up("index_terms", "m", key).sql();
    let count = Sql::new("SELECT m.transaction_id, COUNT(*) AS found").append(found);
    count.push(" GROUP BY m.transaction_id").uncached()
}
