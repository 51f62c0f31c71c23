//! Builds the filter of a query: NOT binds closer than AND, AND closer than OR (behaviour 1.1.3).
//!
//! The parser has a stack of its own, so no text overflows the thread's. Parentheses nest up to
//! [`MAX_DEPTH`] levels; deeper ones are skipped, as if their content stood in the one around them.

use super::ParseContext;
use super::filter::{DateBasis, Filter, Status, Term};
use super::lexer::{Lexer, Token};
use super::operator::{Operator, looks_like_operator};
use super::term::{self, Decoded};
use super::warning::{NamedTerm, Problem, Warning, Warnings};
use crate::transaction::tags;

/// How deep parentheses may nest.
const MAX_DEPTH: usize = 64;

/// A condition that no transaction meets.
const NOTHING: Filter = Filter::Any(Vec::new());

/// A query as read.
pub(super) struct Parsed {
    pub(super) filter: Filter,
    /// How many terms it has, without the exclusion of trashed transactions.
    pub(super) terms: usize,
    pub(super) warnings: Vec<Warning>,
    pub(super) names: Vec<NamedTerm>,
}

/// Reads a query of transactions.
pub(super) fn parse(text: &str, reading: &ParseContext) -> Parsed {
    let (found, basis) = read(text, DateBasis::Transaction, reading);
    // `using:postDate` also applies to date terms before it, so the text is read again.
    if basis == DateBasis::Posting { read(text, basis, reading).0 } else { found }
}

fn read(text: &str, basis: DateBasis, reading: &ParseContext) -> (Parsed, DateBasis) {
    let mut parser = Parser {
        reading,
        basis,
        asked: DateBasis::Transaction,
        trashed: false,
        around: Vec::new(),
        current: Parenthesis::default(),
        skipped: 0,
        too_deep: false,
        void: 0,
        warnings: Warnings::default(),
    };
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next() {
        parser.take(token, (lexer.written(), lexer.behind()));
        if lexer.quotes_are_unclear() {
            parser.warnings.add(lexer.written(), Problem::Quotes);
        }
    }
    let asked = parser.asked;
    (parser.finish(), asked)
}

struct Parser<'a> {
    reading: &'a ParseContext,
    /// The basis that date terms are read with, and the one the query asks for.
    basis: DateBasis,
    asked: DateBasis,
    /// Whether a non-negated `is:trashed` occurred (behaviour 1.2.2).
    trashed: bool,
    /// The open parentheses around the current one, the outermost first.
    around: Vec<Parenthesis>,
    current: Parenthesis,
    /// How many open parentheses are too deep to count.
    skipped: usize,
    /// Whether any was.
    too_deep: bool,
    /// How many terms match nothing whatever is stored.
    void: usize,
    warnings: Warnings,
}

/// A parenthesis, or the whole query, while it is read.
#[derive(Default)]
struct Parenthesis {
    /// Whether NOT stands before the parenthesis.
    negated: bool,
    /// Whether its content is negated by an odd number of NOTs in all.
    inverted: bool,
    /// Whether NOT applies to the next term.
    not: bool,
    /// The terms since the last OR, and the alternatives before it.
    terms: Vec<Filter>,
    alternatives: Vec<Filter>,
}

impl Parser<'_> {
    fn take(&mut self, token: Token<'_>, (written, behind): (&str, &str)) {
        match token {
            Token::Open if self.around.len() == MAX_DEPTH => {
                // Once is enough.
                if !self.too_deep {
                    self.warnings.add(written, Problem::TooDeep);
                }
                self.too_deep = true;
                self.skipped += 1;
            }
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::And => {}
            Token::Or => self.current.end_conjunction(),
            Token::Not => self.current.not = !self.current.not,
            Token::Empty => self.ignore(written, Problem::Empty),
            Token::Word(word) => {
                if looks_like_operator(word, behind) {
                    self.warnings.add(written, Problem::ReadAsText);
                }
                self.text(word, written);
            }
            Token::Phrase(phrase) => self.text(&phrase, written),
            Token::Hashtag(tag) if term::is_tag(tag) => {
                self.add(Filter::Term(Term::Tag(tags::key(tag))));
            }
            // What no hashtag can be (`#a-b`) is searched for as text.
            Token::Hashtag(_) => {
                self.warnings.add(written, Problem::ReadAsText);
                self.text(written, written);
            }
            Token::Operator(operator) => self.operator(operator, written),
        }
    }

    fn text(&mut self, text: &str, written: &str) {
        match term::text(text) {
            _ if text.contains('\0') => self.nothing(),
            Some(term) => self.add(Filter::Term(term)),
            None => self.ignore(written, Problem::Empty),
        }
    }

    fn operator(&mut self, operator: Operator<'_>, written: &str) {
        let negated = self.is_negated();
        let nul = operator.has_nul();
        match term::decode(operator, self.basis, self.reading) {
            Decoded::Term(_) if nul => self.nothing(),
            Decoded::Term(term) => {
                self.trashed |= !negated && term == Term::Status(Status::Trashed);
                if let Some((name, problem)) = term.chart_name() {
                    self.warnings.name(written, name, problem);
                }
                self.add(Filter::Term(term));
            }
            Decoded::PostingDates if negated => self.ignore(written, Problem::Negated),
            Decoded::PostingDates => {
                self.asked = DateBasis::Posting;
                self.current.not = false;
            }
            Decoded::Ignored(problem) => self.ignore(written, problem),
            Decoded::Unreadable(problem) => {
                self.warnings.add(written, problem);
                self.unreadable();
            }
        }
    }

    /// Whether the next term is negated by an odd number of NOTs in all.
    const fn is_negated(&self) -> bool {
        self.current.inverted ^ self.current.not
    }

    /// Adds a term.
    fn add(&mut self, filter: Filter) {
        let negated = std::mem::take(&mut self.current.not);
        self.current.add(filter, negated);
    }

    /// Passes over a term, which takes the NOT before it with it.
    fn ignore(&mut self, written: &str, problem: Problem) {
        self.warnings.add(written, problem);
        self.current.not = false;
    }

    /// Adds what no transaction is (behaviour 0.23): its negation is every transaction.
    fn nothing(&mut self) {
        self.void = self.void.saturating_add(1);
        self.add(NOTHING);
    }

    /// Adds a term that cannot be read. Nobody knows what it matches, so nothing is found by it,
    /// negated or not: it is what the negations around it turn into nothing (behaviour 1.1.9).
    fn unreadable(&mut self) {
        if self.is_negated() {
            self.void = self.void.saturating_add(1);
            self.add(Filter::Not(Box::new(NOTHING)));
        } else {
            self.nothing();
        }
    }

    fn open(&mut self) {
        let negated = std::mem::take(&mut self.current.not);
        let inner = Parenthesis {
            negated,
            inverted: self.current.inverted ^ negated,
            ..Parenthesis::default()
        };
        self.around.push(std::mem::replace(&mut self.current, inner));
    }

    /// Ends a parenthesis; one that was not opened is skipped (behaviour 1.1.10).
    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(outer) = self.around.pop() {
            let closed = std::mem::replace(&mut self.current, outer);
            let negated = closed.negated;
            if let Some(filter) = closed.finish() {
                self.current.add(filter, negated);
            }
        }
    }

    fn finish(mut self) -> Parsed {
        self.skipped = 0;
        while !self.around.is_empty() {
            self.close();
        }
        let mut conjunction = match self.current.finish() {
            None => Vec::new(),
            Some(Filter::All(filters)) => filters,
            Some(filter) => vec![filter],
        };
        let mut terms = self.void;
        let mut count = |_| terms = terms.saturating_add(1);
        conjunction.iter().for_each(|filter| filter.each_term(&mut count));
        if !self.trashed {
            conjunction.push(Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed)))));
        }
        let (warnings, names) = self.warnings.finish();
        Parsed { filter: Filter::All(conjunction), terms, warnings, names }
    }
}

impl Parenthesis {
    /// Adds an operand. Parentheses and double negations without effect leave no trace, so that
    /// `(account:Cash)` equals `account:Cash`.
    fn add(&mut self, filter: Filter, negated: bool) {
        match (filter, negated) {
            (Filter::All(filters), false) => self.terms.extend(filters),
            (filter, false) => self.terms.push(filter),
            (Filter::Not(filter), true) => self.terms.push(*filter),
            (filter, true) => self.terms.push(Filter::Not(Box::new(filter))),
        }
    }

    /// Ends the terms before an OR; without terms there is no alternative.
    fn end_conjunction(&mut self) {
        self.not = false;
        match conjunction(std::mem::take(&mut self.terms)) {
            None => {}
            Some(Filter::Any(filters)) if !filters.is_empty() => self.alternatives.extend(filters),
            Some(filter) => self.alternatives.push(filter),
        }
    }

    /// The filter of the parenthesis; `None` when nothing in it counts.
    fn finish(mut self) -> Option<Filter> {
        self.end_conjunction();
        one_or(self.alternatives, Filter::Any)
    }
}

/// The conjunction of terms, in which several `is:` terms are one alternative (behaviour 1.2.1).
fn conjunction(terms: Vec<Filter>) -> Option<Filter> {
    if terms.iter().filter(|filter| filter.status().is_some()).nth(1).is_none() {
        return one_or(terms, Filter::All);
    }
    let (statuses, mut others): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|filter| filter.status().is_some());
    let mut distinct = Vec::with_capacity(Status::ALL.len());
    for status in statuses {
        if !distinct.contains(&status) {
            distinct.push(status);
        }
    }
    others.extend(one_or(distinct, Filter::Any));
    one_or(others, Filter::All)
}

fn one_or(mut filters: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Option<Filter> {
    if filters.len() > 1 { Some(join(filters)) } else { filters.pop() }
}
