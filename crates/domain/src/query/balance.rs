//! Queries of balances: which accounts and groups to sum, over which days, in which slices
//! (behaviour 1.4, 5.1, 5.8, 5.9).

use time::Date;

use super::ParseContext;
use super::lexer::{Lexer, Token};
use super::literal::{DateLiteral, DateOperator};
use super::operator::Operator;
use super::range::{DateRange, DateTerm, RangeTerm};
use super::refusal::{MAX_TERMS, Refusal};
use super::unit::Periodicity;

/// A query of getBalances.
///
/// ```
/// use daybook_domain::amount::DecimalSeparator;
/// use daybook_domain::calendar::{DatePattern, parse_iso};
/// use daybook_domain::query::{BalanceQuery, ParseContext, Periodicity};
///
/// let today = parse_iso("2025-05-20").unwrap();
/// let reading =
///     ParseContext { today, pattern: DatePattern::DayFirst, separator: DecimalSeparator::Dot };
/// let query = BalanceQuery::parse("group:'Assets' before:2025 by:m", &reading).unwrap();
/// assert_eq!(query.groups, ["Assets"]);
/// assert_eq!(query.until, parse_iso("2025-01-01"));
/// assert_eq!(query.periodicity, Periodicity::Monthly);
/// assert_eq!(query.previous_range, " before:2024 by:m");
/// assert_eq!(query.end_label, "31/12/2024");
/// assert_eq!(BalanceQuery::parse("  ", &reading), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalanceQuery {
    /// The accounts to sum, by id or name, in the order of the query.
    pub accounts: Vec<String>,
    /// The groups to sum, by id or name, in the order of the query.
    pub groups: Vec<String>,
    /// The hashtags that every counted transaction must have, in lower case without `#`.
    pub tags: Vec<String>,
    /// First day of the range; open when absent.
    pub from: Option<Date>,
    /// First day after the range; open when absent.
    pub until: Option<Date>,
    /// The length of a slice.
    pub periodicity: Periodicity,
    /// The date and `by:` terms of the query, each after a space; empty without date terms.
    pub range: String,
    /// The range one step earlier, written like it; empty when it would leave the calendar.
    pub previous_range: String,
    /// The range one step later, likewise.
    pub next_range: String,
    /// The first day of the range in the book's pattern; empty when open.
    pub begin_label: String,
    /// The last day of the range in the book's pattern; empty when open.
    pub end_label: String,
}

impl BalanceQuery {
    /// Reads a query; `None` for blank text, which is refused (behaviour 5.1).
    #[must_use]
    pub fn parse(text: &str, reading: &ParseContext) -> Option<Self> {
        if text.trim().is_empty() {
            return None;
        }
        let mut terms = BalanceTerms {
            reading,
            accounts: Vec::new(),
            groups: Vec::new(),
            tags: Vec::new(),
            ranged: Vec::new(),
        };
        let mut scope = TokenFilter::default();
        for token in Lexer::new(text, reading) {
            if scope.admits(&token) {
                terms.take(token);
            }
        }
        Some(terms.finish())
    }

    /// Refuses a query of more accounts and groups, or more hashtags, than are evaluated (behaviour
    /// 5.17).
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub fn check_size(&self) -> Result<(), Refusal> {
        let named = self.accounts.len().saturating_add(self.groups.len());
        Refusal::check("accounts and groups", named, MAX_TERMS)?;
        Refusal::check("hashtags", self.tags.len(), MAX_TERMS)
    }

    /// Whether accounts or groups are asked for, also by a filter that matches nothing (behaviour
    /// 5.1).
    #[must_use]
    pub const fn is_filtered(&self) -> bool {
        !self.accounts.is_empty() || !self.groups.is_empty()
    }
}

/// Selects the tokens that count. There is no boolean logic, and a negated term or group is ignored
/// as a whole (behaviour 1.4.2).
#[derive(Default)]
struct TokenFilter {
    not: bool,
    /// How many parentheses of a negated group are open.
    ignored: usize,
}

impl TokenFilter {
    /// Whether a token is a term that counts.
    fn admits(&mut self, token: &Token<'_>) -> bool {
        match token {
            Token::And => return false,
            Token::Not => {
                self.not = !self.not;
                return false;
            }
            Token::Open => self.ignored += usize::from(self.not || self.ignored > 0),
            Token::Close => self.ignored = self.ignored.saturating_sub(1),
            Token::Or => {}
            Token::Word(_)
            | Token::Phrase(_)
            | Token::Hashtag(_)
            | Token::Operator(_)
            | Token::Empty => {
                return !std::mem::take(&mut self.not) && self.ignored == 0;
            }
        }
        self.not = false;
        false
    }
}

struct BalanceTerms<'a> {
    reading: &'a ParseContext,
    accounts: Vec<String>,
    groups: Vec<String>,
    tags: Vec<String>,
    ranged: Vec<RangeTerm<'a>>,
}

impl<'a> BalanceTerms<'a> {
    fn take(&mut self, token: Token<'a>) {
        match token {
            // A tag that no transaction can have is kept: with it the sum is nothing, without it
            // the sum would be everything.
            Token::Hashtag(tag) => self.tags.push(tag.to_lowercase()),
            Token::Operator(operator) => self.operator(&operator),
            Token::Open
            | Token::Close
            | Token::And
            | Token::Or
            | Token::Not
            | Token::Word(_)
            | Token::Phrase(_)
            | Token::Empty => {}
        }
    }

    fn operator(&mut self, operator: &Operator<'a>) {
        let value = operator.value.trim();
        if let Some(date) = DateOperator::from_name(operator.name) {
            let term = DateLiteral::read(value, self.reading)
                .and_then(|literal| DateTerm::new(operator.name, date, literal, value.to_owned()));
            self.ranged.extend(term.map(RangeTerm::Date));
            return;
        }
        match operator.name.to_ascii_lowercase().as_str() {
            "account" | "acc" => self.accounts.push(value.to_owned()),
            "group" => self.groups.push(value.to_owned()),
            "by" => {
                let periodicity = Periodicity::from_letter(value);
                self.ranged.extend(periodicity.map(|periodicity| RangeTerm::By {
                    periodicity,
                    text: format!(" {}:{value}", operator.name),
                }));
            }
            _ => {}
        }
    }

    fn finish(self) -> BalanceQuery {
        let range = DateRange::new(&self.ranged, self.reading);
        let bounds = range.bounds();
        let label = |day: Option<Date>| {
            day.filter(|day| day.year() >= 1).map(|day| self.reading.pattern.format(day))
        };
        BalanceQuery {
            from: bounds.from,
            until: bounds.until(),
            periodicity: range.periodicity(),
            range: range.text(),
            previous_range: range.shifted(-1),
            next_range: range.shifted(1),
            begin_label: label(bounds.from).unwrap_or_default(),
            end_label: label(bounds.last).unwrap_or_default(),
            accounts: self.accounts,
            groups: self.groups,
            tags: self.tags,
        }
    }
}
