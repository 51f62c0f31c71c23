//! Builds the filter of a query: NOT binds closer than AND, AND closer than OR (behaviour 1.1.3).
//!
//! The parser has a stack of its own, so no text overflows the thread's. Parentheses nest up to
//! [`MAX_DEPTH`] levels; deeper ones are skipped, as if their content stood in the one around them.

use super::ParseContext;
use super::filter::{DateBasis, Filter, Status, Term};
use super::lexer::{Lexer, Token};
use super::operator::Operator;
use super::term;

/// How deep parentheses may nest.
const MAX_DEPTH: usize = 64;

/// Reads a query of transactions: its filter, and how many terms it has without the exclusion of
/// trashed transactions.
pub(super) fn parse(text: &str, reading: &ParseContext) -> (Filter, usize) {
    let (found, basis) = read(text, DateBasis::Transaction, reading);
    // `using:postDate` also applies to date terms before it, so the text is read again.
    if basis == DateBasis::Posting { read(text, basis, reading).0 } else { found }
}

fn read(text: &str, basis: DateBasis, reading: &ParseContext) -> ((Filter, usize), DateBasis) {
    let mut parser = Parser {
        reading,
        basis,
        asked: DateBasis::Transaction,
        trashed: false,
        around: Vec::new(),
        current: Parenthesis::default(),
        skipped: 0,
    };
    for token in Lexer::new(text, reading) {
        parser.take(token);
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
    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::And => {}
            Token::Or => self.current.end_conjunction(),
            Token::Not => self.current.not = !self.current.not,
            Token::Empty => self.add(None),
            Token::Word(word) => self.add(term::text(word)),
            Token::Phrase(phrase) => self.add(term::text(&phrase)),
            Token::Hashtag(tag) => self.add(term::hashtag(tag)),
            Token::Operator(operator) => self.operator(operator),
        }
    }

    fn operator(&mut self, operator: Operator<'_>) {
        let negated = self.current.inverted ^ self.current.not;
        if !negated && term::is_using_post_date(&operator) {
            self.asked = DateBasis::Posting;
        }
        let decoded = term::decode(operator, self.basis, self.reading);
        self.trashed |= !negated && decoded == Some(Term::Status(Status::Trashed));
        self.add(decoded);
    }

    /// Adds a term. A term that is ignored takes the NOT before it with it (behaviour 1.1.9).
    fn add(&mut self, term: Option<Term>) {
        let negated = std::mem::take(&mut self.current.not);
        if let Some(filter) = term::filter(term) {
            self.current.add(filter, negated);
        }
    }

    fn open(&mut self) {
        if self.around.len() == MAX_DEPTH {
            self.skipped += 1;
            return;
        }
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

    fn finish(mut self) -> (Filter, usize) {
        self.skipped = 0;
        while !self.around.is_empty() {
            self.close();
        }
        let mut conjunction = match self.current.finish() {
            None => Vec::new(),
            Some(Filter::All(filters)) => filters,
            Some(filter) => vec![filter],
        };
        let mut terms = 0_usize;
        let mut count = |_| terms = terms.saturating_add(1);
        conjunction.iter().for_each(|filter| filter.each_term(&mut count));
        if !self.trashed {
            conjunction.push(Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed)))));
        }
        (Filter::All(conjunction), terms)
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
            Some(Filter::Any(filters)) => self.alternatives.extend(filters),
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
