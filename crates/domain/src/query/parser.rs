//! The parser of transaction queries. NOT binds tighter than AND, and AND tighter than OR
//! (behaviour 1.1.3).
//!
//! The parser uses its own stack, so no text overflows the stack of the thread. Parentheses nest up
//! to [`MAX_DEPTH`] levels. Deeper ones are ignored, so their content belongs to the enclosing one.

use super::ParseContext;
use super::filter::{DateBasis, Filter, Status, Term};
use super::lexer::{Lexer, Token};
use super::operator::{Operator, looks_like_operator};
use super::term::{self, Decoded};
use super::warning::{NamedTerm, Problem, Warning, Warnings};
use crate::transaction::tags;

/// Maximum depth of parentheses.
const MAX_DEPTH: usize = 64;

/// A filter that matches no transaction.
const MATCH_NOTHING: Filter = Filter::Any(Vec::new());

/// A parsed query.
pub(super) struct Parsed {
    pub(super) filter: Filter,
    /// The number of terms, without the exclusion of trashed transactions.
    pub(super) terms: usize,
    pub(super) warnings: Vec<Warning>,
    pub(super) names: Vec<NamedTerm>,
}

/// Parses a transaction query.
pub(super) fn parse(text: &str, context: &ParseContext) -> Parsed {
    let (parsed, basis) = parse_with_basis(text, DateBasis::Transaction, context);
    // `using:postDate` also applies to date terms before it, so the text is parsed again.
    if basis == DateBasis::Posting { parse_with_basis(text, basis, context).0 } else { parsed }
}

/// Parses with a basis for date terms. Returns the query and the basis that it requests.
fn parse_with_basis(text: &str, basis: DateBasis, context: &ParseContext) -> (Parsed, DateBasis) {
    let mut parser = Parser {
        context,
        basis,
        requested_basis: DateBasis::Transaction,
        has_trashed: false,
        outer: Vec::new(),
        current: Parenthesis::default(),
        skipped: 0,
        too_deep: false,
        never_matching_terms: 0,
        warnings: Warnings::default(),
    };
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next() {
        parser.add_token(token, lexer.written(), lexer.rest());
        if lexer.quotes_are_unclear() {
            parser.warnings.add(lexer.written(), Problem::Quotes);
        }
    }
    let requested_basis = parser.requested_basis;
    (parser.finish(), requested_basis)
}

struct Parser<'a> {
    context: &'a ParseContext,
    /// The basis of date terms.
    basis: DateBasis,
    /// The basis that `using:` requests.
    requested_basis: DateBasis,
    /// Whether a non-negated `is:trashed` occurred (behaviour 1.2.2).
    has_trashed: bool,
    /// The open parentheses around the current one, outermost first.
    outer: Vec<Parenthesis>,
    current: Parenthesis,
    /// The number of open parentheses beyond [`MAX_DEPTH`].
    skipped: usize,
    /// Whether any parenthesis was beyond [`MAX_DEPTH`].
    too_deep: bool,
    never_matching_terms: usize,
    warnings: Warnings,
}

/// An open parenthesis, or the whole query.
#[derive(Default)]
struct Parenthesis {
    /// Whether NOT precedes the parenthesis.
    negated: bool,
    /// Whether an odd number of NOTs applies to its content.
    inverted: bool,
    /// Whether NOT applies to the next term.
    not: bool,
    /// The terms since the last OR, and the alternatives before it.
    terms: Vec<Filter>,
    alternatives: Vec<Filter>,
}

impl Parser<'_> {
    /// Adds a token. `written` is its text, and `rest` the text after it.
    fn add_token(&mut self, token: Token<'_>, written: &str, rest: &str) {
        match token {
            Token::Open if self.outer.len() == MAX_DEPTH => {
                // Warn once only.
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
                if looks_like_operator(word, rest) {
                    self.warnings.add(written, Problem::ReadAsText);
                }
                self.add_text(word, written);
            }
            Token::Phrase(phrase) => self.add_text(&phrase, written),
            Token::Hashtag(tag) if term::is_tag(tag) => {
                self.add(Filter::Term(Term::Tag(tags::key(tag))));
            }
            // An invalid hashtag such as `#a-b` is searched as text.
            Token::Hashtag(_) => {
                self.warnings.add(written, Problem::ReadAsText);
                self.add_text(written, written);
            }
            Token::Operator(operator) => self.add_operator(operator, written),
        }
    }

    fn add_text(&mut self, text: &str, written: &str) {
        match term::text(text) {
            _ if text.contains('\0') => self.add_never_matching(),
            Some(term) => self.add(Filter::Term(term)),
            None => self.ignore(written, Problem::Empty),
        }
    }

    fn add_operator(&mut self, operator: Operator<'_>, written: &str) {
        let negated = self.is_negated();
        let has_nul = operator.has_nul();
        match term::decode(operator, self.basis, self.context) {
            Decoded::Term(_) if has_nul => self.add_never_matching(),
            Decoded::Term(term) => {
                self.has_trashed |= !negated && term == Term::Status(Status::Trashed);
                if let Some((name, problem)) = term.chart_name() {
                    self.warnings.add_name(written, name, problem);
                }
                self.add(Filter::Term(term));
            }
            Decoded::PostingDates if negated => self.ignore(written, Problem::Negated),
            Decoded::PostingDates => {
                self.requested_basis = DateBasis::Posting;
                self.current.not = false;
            }
            Decoded::Ignored(problem) => self.ignore(written, problem),
            Decoded::Unreadable(problem) => {
                self.warnings.add(written, problem);
                self.add_unreadable();
            }
        }
    }

    /// Returns whether an odd number of NOTs applies to the next term.
    const fn is_negated(&self) -> bool {
        self.current.inverted ^ self.current.not
    }

    /// Adds a filter with the pending NOT.
    fn add(&mut self, filter: Filter) {
        let negated = std::mem::take(&mut self.current.not);
        self.current.add(filter, negated);
    }

    /// Ignores a term together with the pending NOT.
    fn ignore(&mut self, written: &str, problem: Problem) {
        self.warnings.add(written, problem);
        self.current.not = false;
    }

    /// Adds a term that never matches (behaviour 0.23). Its negation always matches.
    fn add_never_matching(&mut self) {
        self.never_matching_terms = self.never_matching_terms.saturating_add(1);
        self.add(MATCH_NOTHING);
    }

    /// Adds a term with an invalid value, which matches nothing, negated or not (behaviour 1.1.9).
    ///
    /// Within negations it is the complement, so the result matches nothing too.
    fn add_unreadable(&mut self) {
        if self.is_negated() {
            self.never_matching_terms = self.never_matching_terms.saturating_add(1);
            self.add(Filter::Not(Box::new(MATCH_NOTHING)));
        } else {
            self.add_never_matching();
        }
    }

    fn open(&mut self) {
        let negated = std::mem::take(&mut self.current.not);
        let inner = Parenthesis {
            negated,
            inverted: self.current.inverted ^ negated,
            ..Parenthesis::default()
        };
        self.outer.push(std::mem::replace(&mut self.current, inner));
    }

    /// Closes a parenthesis. One that was not opened is ignored (behaviour 1.1.10).
    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(outer) = self.outer.pop() {
            let closed = std::mem::replace(&mut self.current, outer);
            let negated = closed.negated;
            if let Some(filter) = closed.finish() {
                self.current.add(filter, negated);
            }
        }
    }

    fn finish(mut self) -> Parsed {
        self.skipped = 0;
        while !self.outer.is_empty() {
            self.close();
        }
        let mut conjunction = match self.current.finish() {
            None => Vec::new(),
            Some(Filter::All(filters)) => filters,
            Some(filter) => vec![filter],
        };
        let mut terms = self.never_matching_terms;
        let mut count = |_| terms = terms.saturating_add(1);
        conjunction.iter().for_each(|filter| filter.each_term(&mut count));
        if !self.has_trashed {
            conjunction.push(Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed)))));
        }
        let (warnings, names) = self.warnings.finish();
        Parsed { filter: Filter::All(conjunction), terms, warnings, names }
    }
}

impl Parenthesis {
    /// Adds an operand. Redundant parentheses and double negations are dropped, so `(account:Cash)`
    /// equals `account:Cash`.
    fn add(&mut self, filter: Filter, negated: bool) {
        match (filter, negated) {
            (Filter::All(filters), false) => self.terms.extend(filters),
            (filter, false) => self.terms.push(filter),
            (Filter::Not(filter), true) => self.terms.push(*filter),
            (filter, true) => self.terms.push(Filter::Not(Box::new(filter))),
        }
    }

    /// Ends an alternative at an OR. An alternative without terms is dropped.
    fn end_conjunction(&mut self) {
        self.not = false;
        match conjunction(std::mem::take(&mut self.terms)) {
            None => {}
            Some(Filter::Any(filters)) if !filters.is_empty() => self.alternatives.extend(filters),
            Some(filter) => self.alternatives.push(filter),
        }
    }

    /// Returns the filter of the parenthesis; `None` when it has no terms.
    fn finish(mut self) -> Option<Filter> {
        self.end_conjunction();
        single_or(self.alternatives, Filter::Any)
    }
}

/// Joins terms by AND, and several `is:` terms among them by OR (behaviour 1.2.1).
fn conjunction(terms: Vec<Filter>) -> Option<Filter> {
    if terms.iter().filter(|filter| filter.status().is_some()).nth(1).is_none() {
        return single_or(terms, Filter::All);
    }
    let (statuses, mut others): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|filter| filter.status().is_some());
    let mut distinct = Vec::with_capacity(Status::ALL.len());
    for status in statuses {
        if !distinct.contains(&status) {
            distinct.push(status);
        }
    }
    others.extend(single_or(distinct, Filter::Any));
    single_or(others, Filter::All)
}

/// Returns the only filter, or joins several.
fn single_or(mut filters: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Option<Filter> {
    if filters.len() > 1 { Some(join(filters)) } else { filters.pop() }
}
