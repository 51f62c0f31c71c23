//! The posted transactions of a period in the order of their days, for the journal and the general
//! ledger (behaviour 13.10).
//!
//! A page continues after the last row of the page before, in the same snapshot.

use daybook_domain::access::Access;
use daybook_domain::id::AccountId;
use daybook_domain::transaction::{Standing, Transaction};
use time::Date;

use super::Transactions;
use crate::balance::{bounded, day_value, has_tags};
use crate::conn::planner::Lookup;
use crate::conn::sql::{Sql, numbers};
use crate::error::Result;
use crate::page::{MAX_PAGE_TEXT_BYTES, PageKey};
use crate::rows::transaction::{COLUMNS, standing_to_column};

/// Rows of a page.
const JOURNAL_PAGE: i64 = 1_000;

/// A period, and the tags that all of its transactions must have.
#[derive(Debug, Clone, Copy)]
pub struct Period<'a> {
    /// The first day, inclusive.
    pub from: Date,
    /// The last day, inclusive.
    pub last: Date,
    /// The tags. Without tags, all transactions.
    pub tags: &'a [String],
}

impl Transactions<'_, '_> {
    /// Loads a page of the posted transactions of a period, by day and id, up to the text limit of
    /// a page. An empty page is the end.
    pub fn journal_page(
        self,
        access: &Access,
        period: &Period<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<Transaction>> {
        let sql = journal(self.tx.lookup(), access, period, after);
        Ok(self.part(access, &sql, MAX_PAGE_TEXT_BYTES)?.rows)
    }

    /// Loads a page of the posted transactions of an account in a period, by day and id, up to the
    /// text limit of a page. An empty page is the end.
    pub fn ledger_page(
        self,
        access: &Access,
        account: AccountId,
        period: &Period<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<Transaction>> {
        let sql = ledger(self.tx.lookup(), access, account, period, after);
        Ok(self.part(access, &sql, MAX_PAGE_TEXT_BYTES)?.rows)
    }
}

/// Selects the posted transactions of a period.
pub(crate) fn journal<'a>(
    lookup: Lookup,
    access: &Access,
    period: &Period<'_>,
    after: Option<PageKey>,
) -> Sql<'a> {
    let of_book = Sql::new("SELECT {} FROM {} WHERE t.book_id = {}").bind((
        Sql::new(COLUMNS),
        lookup.by_index("transactions t", "transactions_day"),
        access.book().id,
    ));
    let rows = posted(of_book, access, period, after);
    rows.push(" ORDER BY t.day, t.id LIMIT {}").bind(JOURNAL_PAGE).uncached()
}

/// Selects the posted transactions of an account in a period.
pub(crate) fn ledger<'a>(
    lookup: Lookup,
    access: &Access,
    account: AccountId,
    period: &Period<'_>,
    after: Option<PageKey>,
) -> Sql<'a> {
    let side = |column: &'static str, index: &'static str| {
        let side = Sql::new("SELECT {} FROM {} WHERE t.book_id = {} AND t.{} = {}").bind((
            Sql::new(COLUMNS),
            lookup.by_index("transactions t", index),
            access.book().id,
            Sql::new(column),
            account,
        ));
        posted(side, access, period, after)
    };
    let sides = [
        side("credit_account_id", "transactions_credit"),
        side("debit_account_id", "transactions_debit"),
    ];
    lookup.merge(sides, &Sql::new(" ORDER BY day, id LIMIT {}").bind(JOURNAL_PAGE)).uncached()
}

fn posted<'a>(
    sql: Sql<'a>,
    access: &Access,
    period: &Period<'_>,
    after: Option<PageKey>,
) -> Sql<'a> {
    let Period { from, last, tags } = period;
    let posted = numbers([Standing::Unchecked, Standing::Checked].map(standing_to_column));
    // SQLite searches the index from one lower bound: with both it would take the first day, and
    // pass all former pages again.
    let (sql, first_day) = match after {
        Some(PageKey { day, id }) => {
            (sql.push(" AND (t.day, t.id) > ({}, {})").bind((i64::from(day), id)), None)
        }
        None => (sql, Some(day_value(*from))),
    };
    let sql = bounded(sql, "t.day", first_day, last.next_day().map(day_value))
        .push(" AND t.standing IN {} AND t.trashed = {}")
        .bind((posted, false));
    match has_tags(access.book().id.get(), tags, "t.day", "t.id") {
        Some(tagged) => sql.push(" AND {}").bind(tagged),
        None => sql,
    }
}
