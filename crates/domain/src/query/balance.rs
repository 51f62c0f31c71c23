//! Balance queries: accounts and groups, range of days and periodicity (behaviour 1.4, 5.1, 5.8,
//! 5.9).

use time::Date;

use super::ParseContext;
use super::filter::DateBasis;
use super::lexer::{Lexer, Token};
use super::literal::{DateLiteral, DateOperator};
use super::operator::Operator;
use super::range::{DateRange, DateTerm, RangeTerm};
use super::refusal::{MAX_TERMS, Refusal};
use super::term::{self, Decoded};
use super::unit::Periodicity;
use super::warning::{self, NamedTerm, Problem, Warning, Warnings};
use crate::transaction::tags;

/// A query of getBalances.
///
/// ```
/// use daybook_domain::amount::DecimalSeparator;
/// use daybook_domain::calendar::{DatePattern, parse_iso};
/// use daybook_domain::query::{BalanceQuery, ParseContext, Periodicity};
///
/// let today = parse_iso("2025-05-20").unwrap();
/// let context =
///     ParseContext { today, pattern: DatePattern::DayFirst, separator: DecimalSeparator::Dot };
/// let query = BalanceQuery::parse("group:'Assets' before:2025 by:m", &context).unwrap();
/// assert_eq!(query.groups, ["Assets"]);
/// assert_eq!(query.until, parse_iso("2025-01-01"));
/// assert_eq!(query.periodicity, Periodicity::Monthly);
/// assert_eq!(query.previous_range, " before:2024 by:m");
/// assert_eq!(query.end_label, "31/12/2024");
/// assert_eq!(BalanceQuery::parse("  ", &context), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalanceQuery {
    /// The accounts to sum, by id or name, in the order of the query.
    pub accounts: Vec<String>,
    /// The groups to sum, by id or name, in the order of the query.
    pub groups: Vec<String>,
    /// The hashtags that all counted transactions must have, in lower case without `#`.
    pub tags: Vec<String>,
    /// The number of other terms: dates, `by:` and ignored terms.
    pub others: usize,
    /// First day of the range; open when absent.
    pub from: Option<Date>,
    /// First day after the range; open when absent.
    pub until: Option<Date>,
    /// The length of a slice.
    pub periodicity: Periodicity,
    /// The date and `by:` terms, each after a space; empty without date terms.
    pub range: String,
    /// The previous range in the same style; empty if it is outside the calendar.
    pub previous_range: String,
    /// The next range in the same style; empty if it is outside the calendar.
    pub next_range: String,
    /// The first day of the range in the book's pattern; empty when open.
    pub begin_label: String,
    /// The last day of the range in the book's pattern; empty when open.
    pub end_label: String,
    /// Whether a term has an invalid value. Then nothing is summed, and ranges and labels are empty
    /// (behaviour 1.1.9).
    pub unreadable: bool,
    /// The warnings (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
    names: Vec<NamedTerm>,
}

impl BalanceQuery {
    /// Parses a query. Returns `None` for blank text, which callers refuse (behaviour 5.1).
    pub fn parse(text: &str, context: &ParseContext) -> Option<Self> {
        if text.trim().is_empty() {
            return None;
        }
        let mut terms = BalanceTerms {
            context,
            accounts: Vec::new(),
            groups: Vec::new(),
            tags: Vec::new(),
            others: 0,
            range_terms: Vec::new(),
            unreadable: false,
            warnings: Warnings::default(),
        };
        let mut scope = TokenFilter::default();
        let mut lexer = Lexer::new(text);
        while let Some(token) = lexer.next() {
            terms.add(scope.role(&token), token, lexer.written());
            if lexer.quotes_are_unclear() {
                terms.warnings.add(lexer.written(), Problem::Quotes);
            }
        }
        Some(terms.finish())
    }

    /// Checks the numbers of accounts and groups, of hashtags and of other terms (behaviour 5.17).
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub fn check_size(&self) -> Result<(), Refusal> {
        let named = self.accounts.len().saturating_add(self.groups.len());
        Refusal::check("accounts and groups", named, MAX_TERMS)?;
        Refusal::check("hashtags", self.tags.len(), MAX_TERMS)?;
        Refusal::check("terms beside accounts, groups and hashtags", self.others, MAX_TERMS)
    }

    /// Adds warnings of unknown accounts and groups (behaviour 1.1.13).
    pub fn warn_of_unknown(
        &mut self,
        knows_account: impl Fn(&str) -> bool,
        knows_group: impl Fn(&str) -> bool,
    ) {
        warning::add_unknown(&mut self.warnings, &self.names, knows_account, knows_group);
    }

    /// Refuses a query with warnings (behaviour 1.1.14).
    ///
    /// # Errors
    /// [`Refusal::NotUnderstood`].
    pub fn check_understood(&self) -> Result<(), Refusal> {
        Refusal::check_understood(&self.warnings)
    }

    /// Returns whether the query has accounts or groups, even unknown ones (behaviour 5.1).
    pub const fn is_filtered(&self) -> bool {
        !self.accounts.is_empty() || !self.groups.is_empty()
    }
}

/// The role of a token in a balance query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Not a term.
    Sign,
    /// A negated term, which is ignored.
    Negated,
    /// A term that is evaluated.
    Counted,
}

/// Determines the roles of tokens.
///
/// Balance queries have no boolean logic. A negated term or parenthesis is ignored (behaviour
/// 1.4.2).
#[derive(Default)]
struct TokenFilter {
    not: bool,
    /// The number of open parentheses within a negated one.
    ignored: usize,
}

impl TokenFilter {
    fn role(&mut self, token: &Token<'_>) -> Role {
        match token {
            Token::And => return Role::Sign,
            Token::Not => {
                self.not = !self.not;
                return Role::Sign;
            }
            Token::Open => self.ignored += usize::from(self.not || self.ignored > 0),
            Token::Close => self.ignored = self.ignored.saturating_sub(1),
            Token::Or => {}
            Token::Word(_)
            | Token::Phrase(_)
            | Token::Hashtag(_)
            | Token::Operator(_)
            | Token::Empty => {
                let counted = !std::mem::take(&mut self.not) && self.ignored == 0;
                return if counted { Role::Counted } else { Role::Negated };
            }
        }
        self.not = false;
        Role::Sign
    }
}

struct BalanceTerms<'a> {
    context: &'a ParseContext,
    accounts: Vec<String>,
    groups: Vec<String>,
    tags: Vec<String>,
    others: usize,
    range_terms: Vec<RangeTerm<'a>>,
    unreadable: bool,
    warnings: Warnings,
}

impl<'a> BalanceTerms<'a> {
    fn add(&mut self, role: Role, token: Token<'a>, written: &str) {
        let is_counted = role == Role::Counted;
        let is_term = role != Role::Sign;
        let count = self.count();
        let problem = match token {
            Token::Open | Token::Close | Token::And | Token::Not => None,
            Token::Or => Some(Problem::NotForBalances),
            Token::Empty => Some(Problem::Empty),
            Token::Word(_) | Token::Phrase(_) | Token::Hashtag(_)
                if written.contains('\0') && is_counted =>
            {
                self.unreadable = true;
                Some(Problem::Nul)
            }
            Token::Word(_) | Token::Phrase(_) => Some(Problem::NotForBalances),
            Token::Hashtag(_) if !is_counted => Some(Problem::NotForBalances),
            // An invalid tag stays, so it matches no transaction instead of all.
            Token::Hashtag(tag) => {
                self.tags.push(tags::key(tag));
                (!term::is_tag(tag)).then_some(Problem::NotATag)
            }
            Token::Operator(operator) => self.add_operator(operator, is_counted, written),
        };
        if let Some(problem) = problem {
            self.warnings.add(written, problem);
        }
        if is_term && self.count() == count {
            self.others = self.others.saturating_add(1);
        }
    }

    /// Returns the number of accounts, groups and hashtags.
    const fn count(&self) -> usize {
        let accounts = self.accounts.len().saturating_add(self.groups.len());
        accounts.saturating_add(self.tags.len())
    }

    /// Adds an operator term. Returns its problem, if it has one.
    fn add_operator(
        &mut self,
        operator: Operator<'a>,
        is_counted: bool,
        written: &str,
    ) -> Option<Problem> {
        let has_nul = operator.has_nul();
        let Operator { name, ref value, .. } = operator;
        let value = value.trim().to_owned();
        let date = DateOperator::from_name(name).zip(DateLiteral::read(&value, self.context));
        // Ignored terms are decoded too, because an invalid value was meant to restrict the sums.
        match term::decode(operator, DateBasis::Transaction, self.context) {
            Decoded::Unreadable(problem) => {
                self.unreadable = true;
                return Some(problem);
            }
            Decoded::Term(_) if has_nul && is_counted => {
                self.unreadable = true;
                return Some(Problem::Nul);
            }
            Decoded::Ignored(Problem::NotAPeriodicity) => return Some(Problem::NotAPeriodicity),
            Decoded::Term(_) | Decoded::PostingDates | Decoded::Ignored(_) if !is_counted => {
                return Some(Problem::NotForBalances);
            }
            Decoded::Term(_) | Decoded::PostingDates | Decoded::Ignored(_) => {}
        }
        if let Some((operator, literal)) = date {
            let term = DateTerm::new(name, operator, literal, value);
            self.range_terms.extend(term.map(RangeTerm::Date));
            return None;
        }
        match name.to_ascii_lowercase().as_str() {
            "account" | "acc" => {
                self.warnings.add_name(written, &value, Problem::UnknownAccount);
                self.accounts.push(value);
            }
            "group" => {
                self.warnings.add_name(written, &value, Problem::UnknownGroup);
                self.groups.push(value);
            }
            "by" => {
                let Some(periodicity) = Periodicity::from_letter(&value) else {
                    return Some(Problem::NotForBalances);
                };
                let text = format!(" {name}:{value}");
                self.range_terms.push(RangeTerm::By { periodicity, text });
            }
            _ => return Some(Problem::NotForBalances),
        }
        None
    }

    fn finish(self) -> BalanceQuery {
        // The invalid value may have been meant to restrict the range.
        let terms = if self.unreadable { &[] } else { self.range_terms.as_slice() };
        let range = DateRange::new(terms, self.context);
        let bounds = range.bounds();
        let label = |day: Option<Date>| {
            day.filter(|day| day.year() >= 1).map(|day| self.context.pattern.format(day))
        };
        let (warnings, names) = self.warnings.finish();
        BalanceQuery {
            from: bounds.from,
            until: bounds.until(),
            periodicity: DateRange::new(&self.range_terms, self.context).periodicity(),
            range: range.text(),
            previous_range: range.shifted(-1),
            next_range: range.shifted(1),
            begin_label: label(bounds.from).unwrap_or_default(),
            end_label: label(bounds.last).unwrap_or_default(),
            accounts: self.accounts,
            groups: self.groups,
            tags: self.tags,
            others: self.others,
            unreadable: self.unreadable,
            warnings,
            names,
        }
    }
}
