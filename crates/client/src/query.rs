//! Queries that are quoted correctly.

use std::fmt::{self, Display};

use crate::types::AccountType;

/// A query of transactions or balances (behaviour 1).
///
/// The functions add a term, and all terms must match. Names and texts are quoted where needed, so
/// that an apostrophe, a space or a keyword in a name cannot change the meaning. A blank value
/// matches nothing.
///
/// ```
/// use daybook_client::{Date, Query};
///
/// let query = Query::new()
///     .account("Owner's Equity")
///     .after(Date::new(2026, 1, 1)?)
///     .any([Query::new().tag("food"), Query::new().text("lunch")])
///     .not(Query::new().is("checked"));
/// assert_eq!(
///     query.to_string(),
///     r"account:'Owner\'s Equity' AND after:2026-01-01 (#food OR lunch) NOT (is:checked)"
/// );
/// # Ok::<(), daybook_client::DateError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Query {
    text: String,
}

/// A term that matches nothing, negated or not (1.1.9).
const NOTHING: &str = "is:nothing";

impl Query {
    /// Returns a query without terms, which matches everything that is not in the trash.
    ///
    /// ```
    /// assert_eq!(daybook_client::Query::new().to_string(), "");
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a query from the text of a user, as it is.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::verbatim("acc:Cash lunch").to_string(), "acc:Cash lunch");
    /// ```
    #[must_use]
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// Returns whether the query has no terms.
    ///
    /// ```
    /// assert!(daybook_client::Query::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Matches transactions with this account, by name or id, on either side.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().account("Credit Card").to_string(), "account:'Credit Card'");
    /// ```
    #[must_use]
    pub fn account(self, account: &str) -> Self {
        self.operator("account", account)
    }

    /// Matches transactions with an account of this group, by name or id.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().group("Assets").to_string(), "group:Assets");
    /// ```
    #[must_use]
    pub fn group(self, group: &str) -> Self {
        self.operator("group", group)
    }

    /// Matches transactions from this account, which is credited.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().from("Cash").to_string(), "from:Cash");
    /// ```
    #[must_use]
    pub fn from(self, account: &str) -> Self {
        self.operator("from", account)
    }

    /// Matches transactions to this account, which is debited.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().to("Food").to_string(), "to:Food");
    /// ```
    #[must_use]
    pub fn to(self, account: &str) -> Self {
        self.operator("to", account)
    }

    /// Matches the days of a date: a [`Date`](crate::Date), or a text such as `2026-03` or `$m-1`.
    ///
    /// ```
    /// # use daybook_client::{Date, Query};
    /// assert_eq!(Query::new().on("2026-03").to_string(), "on:2026-03");
    /// assert_eq!(Query::new().on(Date::new(2026, 3, 5)?).to_string(), "on:2026-03-05");
    /// # Ok::<(), daybook_client::DateError>(())
    /// ```
    #[must_use]
    pub fn on(self, date: impl Display) -> Self {
        self.operator("on", &date.to_string())
    }

    /// Matches from the first day of a date, inclusive.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().after("2026").to_string(), "after:2026");
    /// ```
    #[must_use]
    pub fn after(self, date: impl Display) -> Self {
        self.operator("after", &date.to_string())
    }

    /// Matches up to the first day of a date, exclusive.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().before("$m").to_string(), "before:$m");
    /// ```
    #[must_use]
    pub fn before(self, date: impl Display) -> Self {
        self.operator("before", &date.to_string())
    }

    /// Divides balances into slices: `d` for days, `m` for months, `y` for years.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().on("2026").by("m").to_string(), "on:2026 by:m");
    /// ```
    #[must_use]
    pub fn by(self, slice: &str) -> Self {
        self.operator("by", slice)
    }

    /// Matches a status: `draft`, `posted`, `checked`, `unchecked` or `trashed`.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().is("draft").to_string(), "is:draft");
    /// ```
    #[must_use]
    pub fn is(self, status: &str) -> Self {
        self.operator("is", status)
    }

    /// Compares the amount by `=`, `<`, `<=`, `>` or `>=`. Another comparison matches nothing.
    ///
    /// ```
    /// # use daybook_client::{Amount, Query};
    /// assert_eq!(Query::new().amount(">=", Amount::new(100, 0)).to_string(), "amount>=100");
    /// ```
    #[must_use]
    pub fn amount(self, comparison: &str, amount: crate::Amount) -> Self {
        match comparison {
            "=" | "<" | "<=" | ">" | ">=" => self.term(&format!("amount{comparison}{amount}")),
            _ => self.term(NOTHING),
        }
    }

    /// Matches a hashtag, with or without its `#`.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().tag("food").to_string(), "#food");
    /// ```
    #[must_use]
    pub fn tag(self, tag: &str) -> Self {
        let tag = tag.strip_prefix('#').unwrap_or(tag);
        let is_word = !tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_word { self.term(&format!("#{tag}")) } else { self.term(NOTHING) }
    }

    /// Matches a remote id.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().remote_id("bank 17").to_string(), "remoteId:'bank 17'");
    /// ```
    #[must_use]
    pub fn remote_id(self, remote_id: &str) -> Self {
        self.operator("remoteId", remote_id)
    }

    /// Matches a property. `*` as the value matches any.
    ///
    /// Keys are normalized as the server does, so only letters, digits, `_` and `-` are accepted;
    /// another key matches nothing.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().property("invoice", "17").to_string(), "property.invoice:17");
    /// ```
    #[must_use]
    pub fn property(self, key: &str, value: &str) -> Self {
        let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if key.is_empty() || !key.chars().all(is_key) {
            return self.term(NOTHING);
        }
        self.operator(&format!("property.{key}"), value)
    }

    /// Matches a side of this account type.
    ///
    /// ```
    /// # use daybook_client::{Query, types::AccountType};
    /// assert_eq!(Query::new().account_type(&AccountType::Asset).to_string(), "type:ASSET");
    /// ```
    #[must_use]
    pub fn account_type(self, account_type: &AccountType) -> Self {
        self.operator("type", account_type.as_str())
    }

    /// Matches transactions that have `file`, `url` or `comment`.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().has("file").to_string(), "has:file");
    /// ```
    #[must_use]
    pub fn has(self, part: &str) -> Self {
        self.operator("has", part)
    }

    /// Matches the creator by username or e-mail address.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().created_by("ann").to_string(), "createdBy:ann");
    /// ```
    #[must_use]
    pub fn created_by(self, user: &str) -> Self {
        self.operator("createdBy", user)
    }

    /// Matches a text in the description, as one phrase.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// assert_eq!(Query::new().text("AND").text("two words").to_string(), "'AND' AND 'two words'");
    /// ```
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        if text.trim().is_empty() {
            return self.term(NOTHING);
        }
        // A bare word may look like an operator, a keyword or a negation.
        let is_word = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let quoted = if is_word { text.to_owned() } else { quoted(text) };
        self.term(&quoted)
    }

    /// Matches what at least one of the queries matches. Without queries it matches nothing.
    ///
    /// Balances ignore it, with a warning (1.4.2).
    ///
    /// ```
    /// # use daybook_client::Query;
    /// let either = Query::new().any([Query::new().tag("a"), Query::new().tag("b")]);
    /// assert_eq!(either.to_string(), "(#a OR #b)");
    /// ```
    #[must_use]
    pub fn any(self, queries: impl IntoIterator<Item = Self>) -> Self {
        let queries: Vec<String> = queries.into_iter().map(|query| query.text).collect();
        // An alternative without terms matches everything.
        if queries.iter().any(|query| query.trim().is_empty()) {
            return self;
        }
        match queries.is_empty() {
            true => self.term(NOTHING),
            false => self.term(&format!("({})", queries.join(" OR "))),
        }
    }

    /// Excludes what the query matches. A query without terms excludes everything.
    ///
    /// Balances ignore it, with a warning (1.4.2).
    ///
    /// ```
    /// # use daybook_client::Query;
    /// let query = Query::new().not(Query::new().text("lunch"));
    /// assert_eq!(query.to_string(), "NOT (lunch)");
    /// ```
    #[must_use]
    pub fn not(self, query: Self) -> Self {
        match query.is_empty() {
            true => self.term(NOTHING),
            false => self.term(&format!("NOT ({})", query.text)),
        }
    }

    /// Adds the terms of another query.
    ///
    /// ```
    /// # use daybook_client::Query;
    /// let query = Query::new().account("Cash").and(Query::verbatim("lunch"));
    /// assert_eq!(query.to_string(), "account:Cash lunch");
    /// ```
    #[must_use]
    pub fn and(self, query: Self) -> Self {
        match query.is_empty() {
            true => self,
            false => self.term(&query.text),
        }
    }

    /// Adds a term with an operator.
    fn operator(self, name: &str, value: &str) -> Self {
        if value.trim().is_empty() {
            return self.term(NOTHING);
        }
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '$' | '+' | '.' | '@' | '_');
        let is_bare = value.starts_with(|c: char| c.is_alphanumeric() || c == '$' || c == '*')
            && value.chars().skip(1).all(|c| is_plain(c) || matches!(c, '-' | '/'))
            && !matches!(value, "AND" | "OR" | "NOT");
        let value = if is_bare { value.to_owned() } else { quoted(value) };
        self.term(&format!("{name}:{value}"))
    }

    /// Adds a term.
    fn term(mut self, term: &str) -> Self {
        if !self.text.is_empty() {
            // A keyword after a closing quote shows that the quote is not an apostrophe (1.1.5).
            let is_quoted = self.text.ends_with('\'');
            self.text.push_str(if is_quoted { " AND " } else { " " });
        }
        self.text.push_str(term);
        self
    }
}

/// Quotes a value (1.1.5).
fn quoted(value: &str) -> String {
    let mut made = String::from("'");
    for c in value.chars() {
        if matches!(c, '\'' | '\\') {
            made.push('\\');
        }
        made.push(c);
    }
    made.push('\'');
    made
}

impl Display for Query {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Self {
        Self::verbatim(text)
    }
}

impl From<String> for Query {
    fn from(text: String) -> Self {
        Self::verbatim(text)
    }
}

impl From<Query> for String {
    fn from(query: Query) -> Self {
        query.text
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::amount::DecimalSeparator;
    use daybook_domain::calendar::DatePattern;
    use daybook_domain::query::{Filter, ParseContext, Query as Parsed, Term};
    use proptest::prelude::*;

    use super::*;

    fn parse(query: &Query) -> Parsed {
        let today = time::Date::from_calendar_date(2026, time::Month::May, 20).unwrap();
        let (pattern, separator) = (DatePattern::default(), DecimalSeparator::default());
        Parsed::parse(&query.to_string(), &ParseContext { today, pattern, separator })
    }

    fn is_in(filter: &Filter, term: &Term) -> bool {
        match filter {
            Filter::All(parts) | Filter::Any(parts) => parts.iter().any(|part| is_in(part, term)),
            Filter::Not(part) => is_in(part, term),
            Filter::Term(own) => own == term,
        }
    }

    proptest! {
        /// The server reads back every name, whatever stands around it.
        #[test]
        fn names_are_read_back(names in prop::collection::vec("[ -~é]{1,12}", 3)) {
            prop_assume!(names.iter().all(|name| !name.trim().is_empty()));
            let query = Query::new()
                .account(&names[0])
                .text("x y")
                .not(Query::new().from(&names[1]).text("o'clock"))
                .any([Query::new().to(&names[2]), Query::new().tag("t")]);
            let parsed = parse(&query);
            prop_assert_eq!(parsed.warnings(), &[], "{}", query);
            // Names have no white space around them, so the parser drops it.
            let name = |index: usize| names[index].trim().to_owned();
            for term in [Term::Account(name(0)), Term::From(name(1)), Term::To(name(2))] {
                prop_assert!(is_in(parsed.filter(), &term), "{} {:?}", query, parsed);
            }
        }
    }

    #[test]
    fn blank_values_match_nothing() {
        for query in [
            Query::new().account(" "),
            Query::new().tag("a b"),
            Query::new().property("a:b", "c"),
            Query::new().text(""),
            Query::new().amount("~", crate::Amount::ZERO),
            Query::new().any([]),
            Query::new().not(Query::new()),
        ] {
            assert_eq!(query.to_string(), NOTHING);
            assert_eq!(parse(&query).warnings().len(), 1);
        }
    }
}
