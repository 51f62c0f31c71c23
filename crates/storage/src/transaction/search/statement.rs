//! The statements of a search.

use daybook_domain::book::Book;
use daybook_domain::transaction::Standing;

use super::plan::{MAX_SIMILAR_BLOCKS, MAX_SIMILAR_ROWS, SearchPlan, SimilarTransactionFilter};
use super::range::{AccessPath, IndexRange, Source};
use super::terms::bounded;
use crate::conn::planner::{as_filter, without_order};
use crate::conn::sql::{Sql, numbers};
use crate::page::PageKey;
use crate::rows::transaction::{COLUMNS, standing_to_column};

/// A side of transactions: its index and its column.
#[derive(Debug, Clone, Copy)]
struct Side {
    index: &'static str,
    column: &'static str,
}

const CREDIT: Side = Side { index: "transactions_credit", column: "t.credit_account_id" };
const DEBIT: Side = Side { index: "transactions_debit", column: "t.debit_account_id" };

/// The position and length of a page in one book.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageBounds<'b> {
    pub(super) book: &'b Book,
    pub(super) after: Option<PageKey>,
    pub(super) limit: i64,
}

impl<'a> SearchPlan<'_, 'a> {
    /// Returns the ranges if there are several, or none. A page is merged from their rows.
    pub(crate) fn ranges_to_merge(&self) -> Option<&[IndexRange]> {
        match &self.path {
            AccessPath::Ranges(ranges) if ranges.len() != 1 => Some(ranges),
            AccessPath::Ranges(_) | AccessPath::Book => None,
        }
    }

    /// Returns the only range. `None` means the whole book.
    fn only_range(&self) -> Option<&IndexRange> {
        match &self.path {
            AccessPath::Ranges(ranges) => ranges.first(),
            AccessPath::Book => None,
        }
    }

    /// Returns the statement of a page with one range, or with the whole book.
    pub(crate) fn page(&self, book: &Book, after: Option<PageKey>, limit: i64) -> Sql<'a> {
        let select = Sql::new("SELECT ").push(COLUMNS);
        let sources = self.sources(book, self.only_range());
        self.newest(|_| select.clone(), &sources, PageBounds { book, after, limit })
    }

    /// Returns the statement that counts the matches.
    pub(crate) fn count(&self, book: &Book) -> Sql<'a> {
        let (ranges, union): (Vec<_>, _) = match self.ranges_to_merge() {
            None => (vec![self.only_range()], " UNION ALL "),
            // A transaction may be in several ranges.
            Some(ranges) => (ranges.iter().map(Some).collect(), " UNION "),
        };
        let sources = ranges.into_iter().flat_map(|range| self.sources(book, range));
        let found = sources.map(|source| {
            let from = Sql::new("SELECT {} AS id{}").bind((Sql::new(source.id), source.from));
            self.filtered(from, source.day, source.id, book, None)
        });
        let ids = found.reduce(|all, one| all.push(union).append(one));
        let none = || Sql::new("SELECT 0 AS id WHERE 1 = 0");
        Sql::new("SELECT COUNT(*) AS total FROM ({}) p").bind(ids.unwrap_or_else(none))
    }

    /// Returns the newest rows of disjoint sources.
    pub(super) fn newest(
        &self,
        select: impl Fn(&Source<'a>) -> Sql<'a>,
        sources: &[Source<'a>],
        bounds: PageBounds<'_>,
    ) -> Sql<'a> {
        let rows = |source: &Source<'a>| {
            let from = select(source).append(source.from.clone());
            self.filtered(from, source.day, source.id, bounds.book, bounds.after)
        };
        let first = |day: &str, id: &str| {
            Sql::new(format!(" ORDER BY {day} DESC, {id} DESC LIMIT {{}}")).bind(bounds.limit)
        };
        match sources {
            [only] => rows(only).append(first(only.day, only.id)),
            several => self.lookup.merge(several.iter().map(rows), &first("day", "id")),
        }
    }

    /// Returns `FROM left JOIN transactions t WHERE ...`: the transactions of each row of `left`.
    ///
    /// `join_condition` names the day beside the id where it is known. Without statistics on a new
    /// book an engine may choose the index by day, which is then equally good.
    fn joined(
        &self,
        book: &Book,
        left: Sql<'a>,
        left_condition: Sql<'a>,
        join_condition: &'static str,
    ) -> Sql<'a> {
        let key = Sql::new("t.book_id = {} AND {}").bind((book.id, Sql::new(join_condition)));
        self.lookup.rows(left, left_condition).look_up("transactions", "t", key).sql()
    }

    /// Returns the sources of a range, which are disjoint. `None` is the whole book by day.
    pub(super) fn sources(&self, book: &Book, range: Option<&IndexRange>) -> Vec<Source<'a>> {
        let number = book.id.get();
        let seeks_similar = self.search.similar.is_some();
        let of_book = || Sql::new("transactions t WHERE t.book_id = {}").bind(number);
        let all = || Sql::new(" FROM {}").bind(of_book());
        let by_id = "t.id = d.transaction_id AND t.day = d.day";
        let joined = |left: &'static str, condition: Sql<'a>| Source {
            from: self.joined(book, Sql::new(left), condition, by_id),
            day: "d.day",
            id: "d.transaction_id",
        };
        let unordered = |from: Sql<'a>| Source {
            from,
            day: without_order!("t.day"),
            id: without_order!("t.id"),
        };
        let only = match range {
            None if seeks_similar => {
                let from = newest_only(of_book(), " ORDER BY t.day DESC, t.id DESC LIMIT ");
                Source { from, day: "t.day", id: "t.id" }
            }
            None => Source { from: all(), day: "t.day", id: "t.id" },
            Some(IndexRange::Account(account)) => {
                return self.both_sides(book, &Sql::from(account)).into();
            }
            Some(IndexRange::Credit(account)) => self.of_side(book, CREDIT, Sql::from(account)),
            Some(IndexRange::Debit(account)) => self.of_side(book, DEBIT, Sql::from(account)),
            Some(IndexRange::Term(term)) if seeks_similar => {
                let newest = Sql::new(
                    "(SELECT d.day, d.transaction_id FROM index_terms d \
                     WHERE d.book_id = {} AND d.term = {} \
                     ORDER BY d.day DESC, d.transaction_id DESC LIMIT {}) d",
                )
                .bind((number, term.clone(), MAX_SIMILAR_ROWS));
                let from = self.joined(book, newest, Sql::new("1 = 1"), by_id);
                Source { from, day: "d.day", id: "d.transaction_id" }
            }
            Some(IndexRange::Term(term)) => joined(
                "index_terms d",
                Sql::new("d.book_id = {} AND d.term = {}").bind((number, term.clone())),
            ),
            Some(IndexRange::Blocks(blocks)) => {
                let max_blocks = if seeks_similar { MAX_SIMILAR_BLOCKS } else { usize::MAX };
                let condition = Sql::new("b.book_id = {} AND b.block IN ").bind(number);
                unordered(self.joined(
                    book,
                    Sql::new("trigram_blocks b"),
                    condition.append(numbers(blocks.iter().rev().take(max_blocks).copied())),
                    "t.id > b.after_id AND t.id <= b.last_id",
                ))
            }
            Some(IndexRange::Errors) => {
                joined("failed_transactions d", Sql::new("d.book_id = {}").bind(number))
            }
            Some(IndexRange::Unindexed(until)) if seeks_similar => {
                let tail = of_book().push(" AND t.id > {}").bind(*until);
                unordered(newest_only(tail, " ORDER BY t.id DESC LIMIT "))
            }
            Some(IndexRange::Unindexed(until)) => {
                unordered(all().push(" AND t.id > {}").bind(*until))
            }
        };
        vec![only]
    }

    /// Returns the credits and the debits of an account.
    pub(super) fn both_sides(&self, book: &Book, account: &Sql<'a>) -> [Source<'a>; 2] {
        [CREDIT, DEBIT].map(|side| self.of_side(book, side, account.clone()))
    }

    fn of_side(&self, book: &Book, side: Side, account: Sql<'a>) -> Source<'a> {
        let Side { index, column } = side;
        let from = Sql::new(" FROM {} WHERE t.book_id = {} AND {}").bind((
            self.lookup.by_index("transactions t", index),
            book.id,
            Sql::new(column),
        ));
        Source { from: from.push(" = ").append(account), day: "t.day", id: "t.id" }
    }

    /// Adds all conditions on the rows. `day` and `id` are the columns of the source.
    fn filtered(
        &self,
        from: Sql<'a>,
        day: &'static str,
        id: &'static str,
        book: &Book,
        after: Option<PageKey>,
    ) -> Sql<'a> {
        let mut sql = from;
        for (from, until) in self.search.days() {
            sql = bounded(sql.push(" AND "), day, from, until);
        }
        if let Some(key) = after {
            sql = sql
                .push(format!(" AND ({day}, {id}) < ({{}}, {{}})"))
                .bind((i64::from(key.day), key.id));
        }
        self.matching(sql, book)
    }

    /// Returns the statement of a page of the whole book, oldest first.
    pub(crate) fn oldest(&self, book: &Book, after: Option<PageKey>, limit: i64) -> Sql<'a> {
        let mut sql = Sql::new("SELECT {} FROM {} WHERE t.book_id = {}").bind((
            Sql::new(COLUMNS),
            self.lookup.by_index("transactions t", "transactions_day"),
            book.id,
        ));
        // SQLite starts an index scan at one lower bound. If the statement had two, it would use
        // the bound of the query, and read all earlier pages again.
        if let Some(PageKey { day, id }) = after {
            sql = sql.push(" AND (t.day, t.id) > ({}, {})").bind((i64::from(day), id));
        }
        for (from, until) in self.search.days() {
            sql = bounded(sql.push(" AND "), "t.day", from.filter(|_| after.is_none()), until);
        }
        self.matching(sql, book).push(" ORDER BY t.day, t.id LIMIT {}").bind(limit)
    }

    /// Adds the conditions of the search.
    fn matching(&self, sql: Sql<'a>, book: &Book) -> Sql<'a> {
        let search = self.search;
        let mut condition = self.condition(book, search.filter);
        if let Some(user) = search.drafts_of {
            condition = condition
                .push(" AND t.created_by = {} AND t.standing = {}")
                .bind((user, standing_to_column(Standing::Draft)));
        }
        if let Some(SimilarTransactionFilter { description }) = search.similar {
            if let Some(text) = description {
                // A much longer description cannot be equal, so it is not folded.
                let longest = text.len().saturating_mul(4).saturating_add(1_024);
                let longest = i64::try_from(longest).unwrap_or(i64::MAX);
                let folded = Sql::new(self.folded_description);
                condition = condition
                    .push(" AND octet_length(t.description) <= {} AND {} = {}")
                    .bind((longest, folded, text));
            }
            for side in ["t.credit_account_id", "t.debit_account_id"] {
                let active = condition.push(" AND ").push(side).push(" IN (SELECT a.id ");
                let active = active.push("FROM accounts a WHERE a.book_id = {}").bind(book.id);
                condition = active.push(" AND a.archived = {})").bind(false);
            }
        }
        sql.push(" AND {}{}").bind((Sql::new(self.stop_check.clone()), as_filter(condition)))
    }
}

/// Limits transactions to the newest ones, for a search for a similar transaction.
fn newest_only<'a>(of: Sql<'a>, order: &'static str) -> Sql<'a> {
    Sql::new(" FROM (SELECT t.* FROM {}{}{}) t WHERE 1 = 1").bind((
        of,
        Sql::new(order),
        MAX_SIMILAR_ROWS,
    ))
}
