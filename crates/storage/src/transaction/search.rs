//! The query language as SQL: a tree of terms becomes a condition, and the term that narrows most becomes the index
//! range a page walks along.

use std::collections::HashMap;

use daybook_domain::book::Book;
use daybook_domain::id::{AccountId, GroupId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::query::{Comparison, DateBasis, Filter, Status, Term};
use daybook_domain::transaction::Standing;
use rust_decimal::Decimal;
use time::Date;

use super::row::standing_to_column;
use crate::column::day_to_column;
use crate::mark;
use crate::page::Place;
use crate::sql::{Sql, Value};

/// What the names and days of a query mean in the book; what is missing here means nothing (behaviour 1.2.6).
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Accounts by the text that names them.
    pub accounts: HashMap<String, AccountId>,
    /// Groups, with all groups below, by the text that names them.
    pub groups: HashMap<String, Vec<GroupId>>,
    /// Users by username or e-mail address.
    pub users: HashMap<String, UserId>,
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
}

/// The index a page walks along.
enum Path {
    /// The whole book by day.
    Book,
    /// One account's entries.
    Account(AccountId),
    /// One mark.
    Mark(String),
    /// Nothing can match.
    Nowhere,
}

impl<'a> Search<'a> {
    /// `FROM ... LIMIT`: the rows behind `after`, newest first.
    pub(super) fn page(&self, book: &Book, after: Option<Place>, limit: i64) -> Sql<'a> {
        let number = book.id.get();
        let (from, day, id) = match self.path() {
            Path::Book => (Sql::new(" FROM transactions t WHERE t.book_id = ").int(number), "t.day", "t.id"),
            Path::Account(account) => {
                // CROSS JOIN keeps SQLite from walking the tables in the other order.
                let join = Sql::new(" FROM entries d CROSS JOIN transactions t WHERE d.book_id = ")
                    .int(number)
                    .push(" AND d.account_id = ")
                    .int(account.get());
                (join.push(" AND t.book_id = d.book_id AND t.id = d.transaction_id"), "d.day", "d.transaction_id")
            }
            Path::Mark(mark) => {
                let join =
                    Sql::new(" FROM marks d CROSS JOIN transactions t WHERE d.book_id = ").int(number).push(" AND d.mark = ").text(mark);
                (join.push(" AND t.book_id = d.book_id AND t.id = d.transaction_id"), "d.day", "d.transaction_id")
            }
            Path::Nowhere => (Sql::new(" FROM transactions t WHERE 1 = 0 AND t.book_id = ").int(number), "t.day", "t.id"),
        };
        let mut sql = from;
        for (from, until) in self.days() {
            sql = bounded(sql.push(" AND "), day, from, until);
        }
        if let Some(place) = after {
            sql = sql.push(format!(" AND ({day}, {id}) < (")).int(i64::from(place.day)).push(", ").int(place.id).push(")");
        }
        if let Some(user) = self.drafts_of {
            sql = sql.push(" AND t.created_by = ").int(user.get()).push(" AND t.standing = ").int(standing_to_column(Standing::Draft));
        }
        sql.push(" AND ").append(self.condition(book, self.filter)).push(format!(" ORDER BY {day} DESC, {id} DESC LIMIT ")).int(limit)
    }

    /// The terms every match must satisfy.
    fn conjunction(&self) -> impl Iterator<Item = &'a Term> {
        let terms: &[Filter] = match self.filter {
            Filter::All(filters) => filters,
            one @ (Filter::Any(_) | Filter::Not(_) | Filter::Term(_)) => std::slice::from_ref(one),
        };
        terms.iter().filter_map(|filter| match filter {
            Filter::Term(term) => Some(term),
            Filter::All(_) | Filter::Any(_) | Filter::Not(_) => None,
        })
    }

    /// The narrowest index there is for the terms that must hold: exact marks before accounts before the whole book.
    fn path(&self) -> Path {
        let ranked = self.conjunction().filter_map(|term| match term {
            Term::RemoteId(id) => Some((0, Path::Mark(mark::remote_id(id)))),
            Term::Property { key, value: Some(value) } => Some((1, Path::Mark(mark::property(key, value)))),
            Term::Account(name) | Term::From(name) | Term::To(name) => {
                Some(self.names.accounts.get(name).map_or((0, Path::Nowhere), |id| (2, Path::Account(*id))))
            }
            Term::Tag(tag) => Some((3, Path::Mark(mark::tag(tag)))),
            Term::Property { key, value: None } => Some((4, Path::Mark(mark::key(key)))),
            Term::Group(_)
            | Term::Dated { .. }
            | Term::Amount { .. }
            | Term::Status(_)
            | Term::HasError(_)
            | Term::Text(_)
            | Term::By(_)
            | Term::Agent(_)
            | Term::AccountType(_)
            | Term::HasFile
            | Term::HasUrl => None,
        });
        ranked.min_by_key(|(rank, _)| *rank).map_or(Path::Book, |(_, path)| path)
    }

    /// The ranges of transaction days every match must lie in.
    fn days(&self) -> impl Iterator<Item = (Option<Date>, Option<Date>)> {
        self.conjunction().filter_map(|term| {
            if let Term::Dated { basis: DateBasis::Transaction, from, until } = term { Some((*from, *until)) } else { None }
        })
    }

    /// A condition that is true or false for every row, never unknown, so that NOT is the plain complement.
    fn condition(&self, book: &Book, filter: &'a Filter) -> Sql<'a> {
        match filter {
            Filter::All(filters) => self.joined(book, filters, " AND ", "1 = 1"),
            Filter::Any(filters) => self.joined(book, filters, " OR ", "1 = 0"),
            Filter::Not(filter) => Sql::new("NOT (").append(self.condition(book, filter)).push(")"),
            Filter::Term(term) => self.term(book, term),
        }
    }

    /// Joins conditions as a balanced tree: SQLite counts the depth of a plain chain, and refuses one of 1,000.
    fn joined(&self, book: &Book, filters: &'a [Filter], word: &'static str, empty: &'static str) -> Sql<'a> {
        match filters {
            [] => Sql::new(empty),
            [one] => self.condition(book, one),
            many => {
                let (left, right) = many.split_at(many.len() / 2);
                let left = Sql::new("(").append(self.joined(book, left, word, empty)).push(word);
                left.append(self.joined(book, right, word, empty)).push(")")
            }
        }
    }

    fn term(&self, book: &Book, term: &'a Term) -> Sql<'a> {
        match term {
            Term::Account(name) => self.side(name, &["t.credit_account_id", "t.debit_account_id"]),
            Term::From(name) => self.side(name, &["t.credit_account_id"]),
            Term::To(name) => self.side(name, &["t.debit_account_id"]),
            Term::Group(name) => self.group(book, name),
            Term::Dated { basis: DateBasis::Transaction, from, until } => {
                bounded(Sql::new("(t.dated = ").flag(true).push(" AND "), "t.day", *from, *until).push(")")
            }
            Term::Dated { basis: DateBasis::Posting, from, until } => self.posted(*from, *until),
            Term::Amount { comparison, value } => amount(*comparison, *value, book.scale),
            Term::Status(status) => status_is(*status),
            Term::Tag(tag) => marked(book, mark::tag(tag)),
            Term::RemoteId(id) => marked(book, mark::remote_id(id)),
            Term::Property { key, value: Some(value) } => marked(book, mark::property(key, value)),
            Term::Property { key, value: None } => marked(book, mark::key(key)),
            Term::Text(text) => contains(text),
            Term::By(name) => match self.names.users.get(name) {
                Some(user) => Sql::new("t.created_by = ").int(user.get()),
                None => Sql::new("1 = 0"),
            },
            Term::Agent(agent) => Sql::new("(t.agent IS NOT NULL AND t.agent = ").text(agent.as_str()).push(")"),
            Term::AccountType(kind) => {
                let accounts = |side: &'static str| {
                    let guard = Sql::new("(").push(side).push(" IS NOT NULL AND ").push(side);
                    let of_kind = guard.push(" IN (SELECT a.id FROM accounts a WHERE a.book_id = ").int(book.id.get());
                    of_kind.push(" AND a.kind = ").text(kind.as_str()).push("))")
                };
                Sql::new("(").append(accounts("t.credit_account_id")).push(" OR ").append(accounts("t.debit_account_id")).push(")")
            }
            // Nothing delivers events yet, so no transaction has an error.
            Term::HasError(wanted) => Sql::new(if *wanted { "1 = 0" } else { "1 = 1" }),
            Term::HasFile => Sql::new("t.files IS NOT NULL"),
            Term::HasUrl => Sql::new("t.urls IS NOT NULL"),
        }
    }

    fn side(&self, name: &str, columns: &[&'static str]) -> Sql<'a> {
        let Some(account) = self.names.accounts.get(name) else { return Sql::new("1 = 0") };
        let mut sql = Sql::new("(");
        for (index, column) in columns.iter().enumerate() {
            let word = if index == 0 { "COALESCE(" } else { " OR COALESCE(" };
            sql = sql.push(word).push(*column).push(", 0) = ").int(account.get());
        }
        sql.push(")")
    }

    fn group(&self, book: &Book, name: &str) -> Sql<'a> {
        let Some(groups) = self.names.groups.get(name) else { return Sql::new("1 = 0") };
        let members = |side: &'static str| {
            let ids = groups.iter().map(|id| Value::Int(id.get()));
            let guard = Sql::new("(").push(side).push(" IS NOT NULL AND ").push(side);
            let inside = guard.push(" IN (SELECT m.account_id FROM memberships m WHERE m.book_id = ").int(book.id.get());
            inside.push(" AND m.group_id IN ").list(ids).push("))")
        };
        Sql::new("(").append(members("t.credit_account_id")).push(" OR ").append(members("t.debit_account_id")).push(")")
    }

    fn posted(&self, from: Option<Date>, until: Option<Date>) -> Sql<'a> {
        let instant = |day: Option<Date>| day.and_then(|day| self.names.midnights.get(&day)).map(|at| at.milliseconds());
        let mut sql = Sql::new("(t.posted_at IS NOT NULL");
        if let Some(from) = instant(from) {
            sql = sql.push(" AND t.posted_at >= ").int(from);
        }
        if let Some(until) = instant(until) {
            sql = sql.push(" AND t.posted_at < ").int(until);
        }
        sql.push(")")
    }
}

/// `column` within half-open bounds.
fn bounded<'a>(sql: Sql<'a>, column: &'static str, from: Option<Date>, until: Option<Date>) -> Sql<'a> {
    let number = |day: Date| i64::from(day_to_column(day));
    match (from, until) {
        (None, None) => sql.push("1 = 1"),
        (Some(from), None) => sql.push(column).push(" >= ").int(number(from)),
        (None, Some(until)) => sql.push(column).push(" < ").int(number(until)),
        (Some(from), Some(until)) => {
            sql.push(column).push(" >= ").int(number(from)).push(" AND ").push(column).push(" < ").int(number(until))
        }
    }
}

fn marked<'a>(book: &Book, mark: String) -> Sql<'a> {
    let inside = Sql::new("t.id IN (SELECT m.transaction_id FROM marks m WHERE m.book_id = ").int(book.id.get());
    inside.push(" AND m.mark = ").text(mark).push(")")
}

fn status_is<'a>(status: Status) -> Sql<'a> {
    let standing = |comparison: &'static str, standing| {
        Sql::new("(t.trashed = ").flag(false).push(" AND t.standing ").push(comparison).int(standing_to_column(standing)).push(")")
    };
    match status {
        Status::Trashed => Sql::new("t.trashed = ").flag(true),
        Status::Draft => standing("= ", Standing::Draft),
        Status::Unchecked => standing("= ", Standing::Unchecked),
        Status::Checked => standing("= ", Standing::Checked),
        Status::Posted => standing("> ", Standing::Draft),
    }
}

/// SQLite refuses LIKE patterns beyond 50,000 bytes; longer texts are found another way.
const LONGEST_PATTERN: usize = 10_000;

fn contains<'a>(text: &'a str) -> Sql<'a> {
    if text.len() > LONGEST_PATTERN {
        return Sql::new("REPLACE(t.search, ").text(text).push(", '') <> t.search");
    }
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    Sql::new("t.search LIKE ").text(format!("%{escaped}%")).push(" ESCAPE '\\'")
}

/// Compares stored units with a value that may lie between two of them or beyond them all.
fn amount<'a>(comparison: Comparison, value: Decimal, scale: u32) -> Sql<'a> {
    let factor = Decimal::from(10_u64.pow(scale));
    let known = || Sql::new("(t.amount IS NOT NULL AND t.amount ");
    let Some(scaled) = value.checked_mul(factor) else {
        // Beyond every amount that can be stored.
        let above = value.is_sign_positive();
        return match comparison {
            Comparison::Lt | Comparison::Le if above => known().push("> 0)"),
            Comparison::Gt | Comparison::Ge if !above => known().push("> 0)"),
            Comparison::Eq | Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => Sql::new("1 = 0"),
        };
    };
    let floor = scaled.floor();
    let whole = floor == scaled;
    let units =
        i64::try_from(floor.mantissa() / 10_i128.pow(floor.scale())).unwrap_or(if value.is_sign_positive() { i64::MAX } else { i64::MIN });
    match comparison {
        Comparison::Eq if whole => known().push("= ").int(units).push(")"),
        Comparison::Eq => Sql::new("1 = 0"),
        Comparison::Lt if whole => known().push("< ").int(units).push(")"),
        Comparison::Lt | Comparison::Le => known().push("<= ").int(units).push(")"),
        Comparison::Ge if whole => known().push(">= ").int(units).push(")"),
        Comparison::Gt | Comparison::Ge => known().push("> ").int(units).push(")"),
    }
}
