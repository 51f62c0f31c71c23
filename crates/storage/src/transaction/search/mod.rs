//! The query language as SQL: a tree of terms becomes a condition, and the terms that narrow most
//! become the index ranges a page walks along.
//!
//! **The condition** ([`Search`]) is true or false for every row, never unknown: each part guards
//! its NULLs, so NOT is the plain complement. Every row is held against the whole condition,
//! whatever the ranges. Chains are joined as balanced trees, because SQLite refuses deep
//! expressions. The domain's `Filter::matches` says what the condition must mean.
//!
//! **The access path** ([`PathSelector`]) is chosen from the terms that must hold: a remote id
//! or a property value before a rare text, an account, a hashtag, drafts or the trash, the
//! presence of a property, the accounts of a group; else it is the whole book by day. Alternatives
//! have the ranges of all, if each has some. All these indexes end in (day, transaction), so a page
//! starts at `(day, id) < (?, ?)`, and a page deep in the list costs what the first one does. With
//! several ranges, each gives its newest few rows first (`index_ranges.rs`).

mod access_path;
pub(super) mod index_ranges;
mod terms;

use std::borrow::Cow;
use std::collections::HashMap;

use daybook_domain::book::Book;
use daybook_domain::id::{AccountId, GroupId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::query::{DateBasis, Filter, Term};
use daybook_domain::transaction::Standing;
use time::Date;

use super::row::{COLUMNS, standing_to_column};
use crate::engine::Contains;
use crate::page::PageKey;
use crate::planner::{Lookup, as_filter, without_order};
use crate::sql::Sql;
use access_path::{AccessPath, IndexRange};
use terms::bounded;

pub(super) use access_path::PathSelector;

/// What the names and days of a query mean in the book; what is missing here means nothing
/// (behaviour 1.2.6).
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Accounts by the text that names them.
    pub accounts: HashMap<String, AccountId>,
    /// Groups, with all groups below, by the text that names them.
    pub groups: HashMap<String, Vec<GroupId>>,
    /// Users by username or e-mail address.
    pub users: HashMap<String, UserId>,
    /// Whether what the chart tells of transactions, and what apps said of them, is hidden: no
    /// type of account and no error matches.
    pub hides_chart: bool,
    /// When days begin in the book zone, for posting dates.
    pub midnights: HashMap<Date, Instant>,
}

/// A search in one book.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The tree of terms.
    pub filter: &'a Filter,
    /// What its names mean.
    pub names: &'a Names,
    /// Only this user's drafts: all a recorder may see (behaviour 7.3).
    pub drafts_of: Option<UserId>,
    /// Only those that new transactions may be made like.
    pub like: Option<PrecedentFilter<'a>>,
}

/// Transactions that a look for one to be made like passes at most, the newest first, where no
/// index of texts narrows it: it happens in a unit of work (behaviour 3.8.3).
const MAX_LOOKED_AT: i64 = 1_000;
/// Blocks of the index of texts that it passes at most, the newest first: about as many.
const MAX_BLOCKS_LOOKED_AT: usize = 16;

/// Transactions that new ones may be made like: their accounts are not archived (behaviour 3.8.3).
#[derive(Debug, Clone, Copy)]
pub struct PrecedentFilter<'a> {
    /// Their whole description, folded, when it matters.
    pub description: Option<&'a str>,
}

/// A search with its access path, ready to be written for an engine.
pub(super) struct SearchPlan<'s, 'a> {
    pub(super) search: &'s Search<'a>,
    pub(super) path: AccessPath,
    pub(super) lookup: Lookup,
    pub(super) contains: Contains,
    pub(super) folded_description: &'static str,
    /// What the condition begins with.
    pub(super) stoppable: Cow<'static, str>,
}

/// The index of a side, and its column.
const CREDITED: [&str; 2] = ["transactions_credit", "t.credit_account_id"];
const DEBITED: [&str; 2] = ["transactions_debit", "t.debit_account_id"];

/// Where the rows of a range come from: tables and their joins, and what the day and the id of a
/// row are called there.
struct Source<'a> {
    from: Sql<'a>,
    day: &'static str,
    id: &'static str,
}

impl<'a> SearchPlan<'_, 'a> {
    /// The ranges, when there are several: a page is merged from what each of them gives.
    pub(super) fn ranges_to_merge(&self) -> Option<&[IndexRange]> {
        match &self.path {
            AccessPath::Ranges(ranges) if ranges.len() != 1 => Some(ranges),
            AccessPath::Ranges(_) | AccessPath::Book => None,
        }
    }

    /// The range, when there is one; the whole book when there is none.
    fn only_range(&self) -> Option<&IndexRange> {
        match &self.path {
            AccessPath::Ranges(ranges) => ranges.first(),
            AccessPath::Book => None,
        }
    }

    /// The rows behind `after`, newest first, when there is one range, or none but the book.
    pub(super) fn page(&self, book: &Book, after: Option<PageKey>, limit: i64) -> Sql<'a> {
        let select = Sql::new("SELECT ").push(COLUMNS);
        let sources = self.sources(book, self.only_range());
        self.newest(|_| select.clone(), &sources, (book, after, limit))
    }

    /// How many rows there are.
    pub(super) fn count(&self, book: &Book) -> Sql<'a> {
        let (ranges, union): (Vec<_>, _) = match self.ranges_to_merge() {
            None => (vec![self.only_range()], " UNION ALL "),
            // A transaction may be in more than one of them.
            Some(ranges) => (ranges.iter().map(Some).collect(), " UNION "),
        };
        let sources = ranges.into_iter().flat_map(|range| self.sources(book, range));
        let found = sources.map(|source| {
            let from = Sql::new("SELECT ").push(source.id).push(" AS id").append(source.from);
            self.filtered(from, (source.day, source.id), book, None)
        });
        let ids = found.reduce(|all, one| all.push(union).append(one));
        let none = || Sql::new("SELECT 0 AS id WHERE 1 = 0");
        Sql::new("SELECT COUNT(*) AS total FROM (").append(ids.unwrap_or_else(none)).push(") p")
    }

    /// The newest rows of sources that share none.
    fn newest(
        &self,
        select: impl Fn(&Source<'a>) -> Sql<'a>,
        sources: &[Source<'a>],
        (book, after, limit): (&Book, Option<PageKey>, i64),
    ) -> Sql<'a> {
        let rows = |source: &Source<'a>| {
            let from = select(source).append(source.from.clone());
            self.filtered(from, (source.day, source.id), book, after)
        };
        let first = |day: &str, id: &str| {
            Sql::new("").push(format!(" ORDER BY {day} DESC, {id} DESC LIMIT ")).int(limit)
        };
        match sources {
            [only] => rows(only).append(first(only.day, only.id)),
            several => self.lookup.merge(several.iter().map(rows), &first("day", "id")),
        }
    }

    /// `FROM left JOIN transactions t WHERE ...`: the transactions of each row on the left side.
    /// Where it is known, the day stands beside the id: an engine that knows nothing of a new book
    /// may take the index by day for the better one, and with the day it is as good.
    fn looked_up(
        &self,
        book: &Book,
        left: Sql<'a>,
        (of_left, of_both): (Sql<'a>, &'static str),
    ) -> Sql<'a> {
        let key = Sql::new("t.book_id = ").int(book.id.get()).push(" AND ").push(of_both);
        self.lookup.rows(left, of_left).look_up("transactions", "t", key).sql()
    }

    /// Where the rows of a range are, each of them once; without a range, the whole book by day.
    fn sources(&self, book: &Book, range: Option<&IndexRange>) -> Vec<Source<'a>> {
        let number = book.id.get();
        let of_book = || Sql::new("transactions t WHERE t.book_id = ").int(number);
        let all = || Sql::new(" FROM ").append(of_book());
        let joined = |left: &'static str, of_left: Sql<'a>| Source {
            from: self.looked_up(
                book,
                Sql::new(left),
                (of_left, "t.id = d.transaction_id AND t.day = d.day"),
            ),
            day: "d.day",
            id: "d.transaction_id",
        };
        let unordered = |from: Sql<'a>| Source {
            from,
            day: without_order!("t.day"),
            id: without_order!("t.id"),
        };
        let only = match range {
            None if self.search.like.is_some() => {
                let from = few_newest(of_book(), " ORDER BY t.day DESC, t.id DESC LIMIT ");
                Source { from, day: "t.day", id: "t.id" }
            }
            None => Source { from: all(), day: "t.day", id: "t.id" },
            Some(IndexRange::Account(account)) => {
                return self.both_sides(book, &Sql::new("").int(account.get())).into();
            }
            Some(IndexRange::Credit(account)) => {
                self.of_side(book, CREDITED, Sql::new("").int(account.get()))
            }
            Some(IndexRange::Debit(account)) => {
                self.of_side(book, DEBITED, Sql::new("").int(account.get()))
            }
            Some(IndexRange::Term(term)) if self.search.like.is_some() => {
                let of_term = Sql::new("d.book_id = ").int(number).push(" AND d.term = ");
                let few = Sql::new("(SELECT d.day, d.transaction_id FROM index_terms d WHERE ")
                    .append(of_term.text(term.clone()))
                    .push(" ORDER BY d.day DESC, d.transaction_id DESC LIMIT ")
                    .int(MAX_LOOKED_AT)
                    .push(") d");
                let both = "t.id = d.transaction_id AND t.day = d.day";
                let from = self.looked_up(book, few, (Sql::new("1 = 1"), both));
                Source { from, day: "d.day", id: "d.transaction_id" }
            }
            Some(IndexRange::Term(term)) => joined(
                "index_terms d",
                Sql::new("d.book_id = ").int(number).push(" AND d.term = ").text(term.clone()),
            ),
            Some(IndexRange::Blocks(blocks)) => {
                let most =
                    if self.search.like.is_some() { MAX_BLOCKS_LOOKED_AT } else { usize::MAX };
                let inside = Sql::new("b.book_id = ").int(number).push(" AND b.block IN ");
                let inside = inside.numbers(blocks.iter().rev().take(most).copied());
                unordered(self.looked_up(
                    book,
                    Sql::new("trigram_blocks b"),
                    (inside, "t.id > b.after_id AND t.id <= b.last_id"),
                ))
            }
            Some(IndexRange::Errors) => {
                joined("failed_transactions d", Sql::new("d.book_id = ").int(number))
            }
            Some(IndexRange::Tail(until)) if self.search.like.is_some() => {
                let tail = of_book().push(" AND t.id > ").int(*until);
                unordered(few_newest(tail, " ORDER BY t.id DESC LIMIT "))
            }
            Some(IndexRange::Tail(until)) => unordered(all().push(" AND t.id > ").int(*until)),
        };
        vec![only]
    }

    /// What credits an account, and what debits it.
    fn both_sides(&self, book: &Book, account: &Sql<'a>) -> [Source<'a>; 2] {
        [CREDITED, DEBITED].map(|side| self.of_side(book, side, account.clone()))
    }

    fn of_side(&self, book: &Book, side: [&'static str; 2], account: Sql<'a>) -> Source<'a> {
        let [index, column] = side;
        let from = Sql::new(" FROM ").append(self.lookup.by_index("transactions t", index));
        let from = from.push(" WHERE t.book_id = ").int(book.id.get()).push(" AND ").push(column);
        Source { from: from.push(" = ").append(account), day: "t.day", id: "t.id" }
    }

    /// Adds everything that rows must satisfy.
    fn filtered(
        &self,
        from: Sql<'a>,
        (day, id): (&'static str, &'static str),
        book: &Book,
        after: Option<PageKey>,
    ) -> Sql<'a> {
        let search = self.search;
        let mut sql = from;
        for (from, until) in search.days() {
            sql = bounded(sql.push(" AND "), day, from, until);
        }
        if let Some(place) = after {
            sql = sql
                .push(format!(" AND ({day}, {id}) < ("))
                .int(i64::from(place.day))
                .push(", ")
                .int(place.id)
                .push(")");
        }
        let mut condition = self.condition(book, search.filter);
        if let Some(user) = search.drafts_of {
            condition = condition
                .push(" AND t.created_by = ")
                .int(user.get())
                .push(" AND t.standing = ")
                .int(standing_to_column(Standing::Draft));
        }
        if let Some(PrecedentFilter { description }) = search.like {
            if let Some(text) = description {
                // A much longer one is not the same, and is not folded to find that out.
                let longest = text.len().saturating_mul(4).saturating_add(1_024);
                condition = condition.push(" AND octet_length(t.description) <= ");
                condition = condition.int(i64::try_from(longest).unwrap_or(i64::MAX));
                condition = condition.push(" AND ").push(self.folded_description);
                condition = condition.push(" = ").text(text);
            }
            for side in ["t.credit_account_id", "t.debit_account_id"] {
                let active = condition.push(" AND ").push(side).push(" IN (SELECT a.id ");
                let active = active.push("FROM accounts a WHERE a.book_id = ").int(book.id.get());
                condition = active.push(" AND a.archived = ").flag(false).push(")");
            }
        }
        sql.push(" AND ").push(self.stoppable.clone()).append(as_filter(condition))
    }
}

/// The newest transactions of those, for a look for one to be made like.
fn few_newest<'a>(of: Sql<'a>, order: &'static str) -> Sql<'a> {
    let newest = Sql::new(" FROM (SELECT t.* FROM ").append(of).push(order).int(MAX_LOOKED_AT);
    newest.push(") t WHERE 1 = 1")
}

impl Search<'_> {
    /// The ranges of transaction days every match must lie in.
    fn days(&self) -> impl Iterator<Item = (Option<Date>, Option<Date>)> {
        let terms: &[Filter] = match self.filter {
            Filter::All(filters) => filters,
            one @ (Filter::Any(_) | Filter::Not(_) | Filter::Term(_)) => std::slice::from_ref(one),
        };
        terms.iter().filter_map(|filter| {
            if let Filter::Term(Term::Dated { basis: DateBasis::Transaction, from, until }) = filter
            {
                Some((*from, *until))
            } else {
                None
            }
        })
    }
}
