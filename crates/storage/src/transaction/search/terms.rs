//! The terms of a query as conditions on a row.

use daybook_domain::book::Book;
use daybook_domain::query::{Comparison, DateBasis, Filter, Status, Term};
use daybook_domain::transaction::Standing;
use rust_decimal::Decimal;
use time::Date;

use super::plan::SearchPlan;
use crate::conn::sql::{Sql, numbers};
use crate::index_term;
use crate::rows::column::day_to_column;
use crate::rows::transaction::standing_to_column;

impl<'a> SearchPlan<'_, 'a> {
    /// Returns a condition that is true or false for every row, never NULL.
    pub(super) fn condition(&self, book: &Book, filter: &'a Filter) -> Sql<'a> {
        match filter {
            Filter::All(filters) => self.chain(book, filters, " AND ", "1 = 1"),
            Filter::Any(filters) => self.chain(book, filters, " OR ", "1 = 0"),
            Filter::Not(filter) => Sql::new("NOT ({})").bind(self.condition(book, filter)),
            Filter::Term(term) => self.term(book, term),
        }
    }

    /// Joins conditions as a balanced tree, because SQLite refuses an expression of depth 1,000.
    fn chain(
        &self,
        book: &Book,
        filters: &'a [Filter],
        word: &'static str,
        empty: &'static str,
    ) -> Sql<'a> {
        match filters {
            [] => Sql::new(empty),
            [one] => self.condition(book, one),
            many => {
                let (left, right) = many.split_at(many.len() / 2);
                Sql::new("({}{}{})").bind((
                    self.chain(book, left, word, empty),
                    Sql::new(word),
                    self.chain(book, right, word, empty),
                ))
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
                bounded(Sql::new("(t.dated = {} AND ").bind(true), "t.day", *from, *until).push(")")
            }
            Term::Dated { basis: DateBasis::Posting, from, until } => self.posted(*from, *until),
            Term::Amount { comparison, value } => amount(*comparison, *value, book.scale),
            Term::Status(status) => status_is(*status),
            Term::Tag(tag) => has_term(book, index_term::tag(tag)),
            Term::RemoteId(id) => has_term(book, index_term::remote_id(id)),
            Term::Property { key, value: Some(value) } => {
                has_term(book, index_term::property(key, value))
            }
            Term::Property { key, value: None } => has_term(book, index_term::key(key)),
            Term::Text(text) => (self.contains)(self.folded_description, text),
            Term::By(name) => match self.search.names.users.get(name) {
                Some(user) => Sql::new("t.created_by = {}").bind(user),
                None => Sql::new("1 = 0"),
            },
            Term::Agent(agent) => {
                Sql::new("(t.agent IS NOT NULL AND t.agent = {})").bind(agent.as_str())
            }
            Term::AccountType(_) | Term::HasError(_) if !self.search.names.chart_visible => {
                Sql::new("1 = 0")
            }
            Term::AccountType(kind) => {
                let accounts = |side: &'static str| {
                    let guard =
                        Sql::new("({} IS NOT NULL AND {}").bind((Sql::new(side), Sql::new(side)));
                    let of_kind = guard
                        .push(" IN (SELECT a.id FROM accounts a WHERE a.book_id = {}")
                        .bind(book.id);
                    of_kind.push(" AND a.kind = {}))").bind(kind.as_str())
                };
                Sql::new("({} OR {})")
                    .bind((accounts("t.credit_account_id"), accounts("t.debit_account_id")))
            }
            Term::HasError(wanted) => {
                let word = if *wanted { "EXISTS (" } else { "NOT EXISTS (" };
                let failed = "SELECT 1 FROM failed_transactions f WHERE f.book_id = {} \
                     AND f.transaction_id = t.id)";
                Sql::new(word).push(failed).bind(book.id)
            }
            Term::HasFile => Sql::new("t.files IS NOT NULL"),
            Term::HasUrl => Sql::new("t.urls IS NOT NULL"),
            Term::HasComment if !self.search.names.comments_visible => Sql::new("1 = 0"),
            Term::HasComment => Sql::new("t.comment_count > 0"),
        }
    }

    fn side(&self, name: &str, columns: &[&'static str]) -> Sql<'a> {
        let Some(account) = self.search.names.accounts.get(name) else { return Sql::new("1 = 0") };
        let mut sql = Sql::new("(");
        for (index, column) in columns.iter().enumerate() {
            let word = if index == 0 { "COALESCE(" } else { " OR COALESCE(" };
            sql = sql.push(word).push(*column).push(", 0) = {}").bind(account);
        }
        sql.push(")")
    }

    fn group(&self, book: &Book, name: &str) -> Sql<'a> {
        let Some(groups) = self.search.names.groups.get(name) else { return Sql::new("1 = 0") };
        let members = |side: &'static str| {
            let ids = groups.iter().map(|id| id.get());
            let guard = Sql::new("({} IS NOT NULL AND {}").bind((Sql::new(side), Sql::new(side)));
            let inside = guard
                .push(" IN (SELECT m.account_id FROM memberships m WHERE m.book_id = {}")
                .bind(book.id);
            inside.push(" AND m.group_id IN {}))").bind(numbers(ids))
        };
        Sql::new("({} OR {})").bind((members("t.credit_account_id"), members("t.debit_account_id")))
    }

    fn posted(&self, from: Option<Date>, until: Option<Date>) -> Sql<'a> {
        // The last days of the calendar have no instant. Nothing is that late.
        let instant = |day: Option<Date>| {
            let midnight = |day| self.search.names.midnights.get(&day);
            day.map(|day| midnight(day).map_or(i64::MAX, |at| at.milliseconds()))
        };
        let mut sql = Sql::new("(t.posted_at IS NOT NULL");
        if let Some(from) = instant(from) {
            sql = sql.push(" AND t.posted_at >= {}").bind(from);
        }
        if let Some(until) = instant(until) {
            sql = sql.push(" AND t.posted_at < {}").bind(until);
        }
        sql.push(")")
    }
}

/// Adds that a column is within half-open bounds.
pub(super) fn bounded<'a>(
    sql: Sql<'a>,
    column: &'static str,
    from: Option<Date>,
    until: Option<Date>,
) -> Sql<'a> {
    let number = |day: Date| i64::from(day_to_column(day));
    match (from, until) {
        (None, None) => sql.push("1 = 1"),
        (Some(from), None) => sql.push(column).push(" >= {}").bind(number(from)),
        (None, Some(until)) => sql.push(column).push(" < {}").bind(number(until)),
        (Some(from), Some(until)) => sql.push(column).push(" >= {} AND {} < {}").bind((
            number(from),
            Sql::new(column),
            number(until),
        )),
    }
}

/// Returns the condition that a row has an index term.
///
/// It looks each row up by the whole key. A list of all rows with a common term would be long.
fn has_term<'a>(book: &Book, term: String) -> Sql<'a> {
    Sql::new(
        "EXISTS (SELECT 1 FROM index_terms m WHERE m.book_id = {} AND m.term = {} \
         AND m.day = t.day AND m.transaction_id = t.id)",
    )
    .bind((book.id, term))
}

fn status_is<'a>(status: Status) -> Sql<'a> {
    let standing = |comparison: &'static str, standing| {
        Sql::new("(t.trashed = {} AND t.standing {}{})").bind((
            false,
            Sql::new(comparison),
            standing_to_column(standing),
        ))
    };
    match status {
        Status::Trashed => Sql::new("t.trashed = {}").bind(true),
        Status::Draft => standing("= ", Standing::Draft),
        Status::Unchecked => standing("= ", Standing::Unchecked),
        Status::Checked => standing("= ", Standing::Checked),
        Status::Posted => standing("> ", Standing::Draft),
    }
}

/// Compares stored units with a value that may be between two of them or out of range.
fn amount<'a>(comparison: Comparison, value: Decimal, scale: u32) -> Sql<'a> {
    let known = || Sql::new("(t.amount IS NOT NULL AND t.amount ");
    let Some((units, whole)) = in_units(value, scale) else {
        // No stored amount is that large.
        let above = value.is_sign_positive();
        return match comparison {
            Comparison::Lt | Comparison::Le if above => known().push("> 0)"),
            Comparison::Gt | Comparison::Ge if !above => known().push("> 0)"),
            Comparison::Eq | Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => {
                Sql::new("1 = 0")
            }
        };
    };
    match comparison {
        Comparison::Eq if whole => known().push("= {})").bind(units),
        Comparison::Eq => Sql::new("1 = 0"),
        Comparison::Lt if whole => known().push("< {})").bind(units),
        Comparison::Lt | Comparison::Le => known().push("<= {})").bind(units),
        Comparison::Ge if whole => known().push(">= {})").bind(units),
        Comparison::Gt | Comparison::Ge => known().push("> {})").bind(units),
    }
}

/// Returns the units of a value, rounded down, and whether the value is whole.
///
/// Returns nothing if the units exceed 64 bits.
fn in_units(value: Decimal, scale: u32) -> Option<(i64, bool)> {
    let scaled = value.checked_mul(Decimal::from(10_u64.pow(scale)))?;
    let floor = scaled.floor();
    let units = i64::try_from(floor.mantissa() / 10_i128.pow(floor.scale())).ok()?;
    Some((units, floor == scaled))
}
