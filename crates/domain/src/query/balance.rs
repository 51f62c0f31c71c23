//! Queries of balances: which accounts and groups to sum, over which days, in which slices
//! (behaviour 1.4, 5.1, 5.8, 5.9).

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
    /// How many other terms it has: dates, `by:`, and what is ignored.
    pub others: usize,
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
    /// Whether a term cannot be read, so that nothing is summed (behaviour 1.1.9). Then there are
    /// no range, neighbours and labels either.
    pub unreadable: bool,
    /// What was read as less than it says (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
    names: Vec<NamedTerm>,
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
            others: 0,
            ranged: Vec::new(),
            unreadable: false,
            warnings: Warnings::default(),
        };
        let mut scope = TokenFilter::default();
        let mut lexer = Lexer::new(text);
        while let Some(token) = lexer.next() {
            terms.take(scope.role(&token), token, lexer.written());
            if lexer.quotes_are_unclear() {
                terms.warnings.add(lexer.written(), Problem::Quotes);
            }
        }
        Some(terms.finish())
    }

    /// Refuses a query of more accounts and groups, more hashtags, or more other terms than are
    /// evaluated (behaviour 5.17): of these each is read, and may be warned of.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub fn check_size(&self) -> Result<(), Refusal> {
        let named = self.accounts.len().saturating_add(self.groups.len());
        Refusal::check("accounts and groups", named, MAX_TERMS)?;
        Refusal::check("hashtags", self.tags.len(), MAX_TERMS)?;
        Refusal::check("terms beside accounts, groups and hashtags", self.others, MAX_TERMS)
    }

    /// Warns of the accounts and groups that the query names and that are unknown (behaviour
    /// 1.1.13).
    pub fn warn_of_unknown(
        &mut self,
        knows_account: impl Fn(&str) -> bool,
        knows_group: impl Fn(&str) -> bool,
    ) {
        warning::add_unknown(&mut self.warnings, &self.names, knows_account, knows_group);
    }

    /// Refuses a query of which a part would be ignored (behaviour 1.1.14).
    ///
    /// # Errors
    /// [`Refusal::NotUnderstood`].
    pub fn check_understood(&self) -> Result<(), Refusal> {
        Refusal::check_understood(&self.warnings)
    }

    /// Whether accounts or groups are asked for, also by a filter that matches nothing (behaviour
    /// 5.1).
    #[must_use]
    pub const fn is_filtered(&self) -> bool {
        !self.accounts.is_empty() || !self.groups.is_empty()
    }
}

/// What a token is in a query of balances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// No term.
    Sign,
    /// A term behind NOT.
    Negated,
    /// A term that counts.
    Counted,
}

/// Tells the tokens that count. There is no boolean logic, and a negated term or group is ignored
/// as a whole (behaviour 1.4.2).
#[derive(Default)]
struct TokenFilter {
    not: bool,
    /// How many parentheses of a negated group are open.
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
    reading: &'a ParseContext,
    accounts: Vec<String>,
    groups: Vec<String>,
    tags: Vec<String>,
    others: usize,
    ranged: Vec<RangeTerm<'a>>,
    unreadable: bool,
    warnings: Warnings,
}

impl<'a> BalanceTerms<'a> {
    fn take(&mut self, role: Role, token: Token<'a>, written: &str) {
        let counts = role == Role::Counted;
        let is_term = role != Role::Sign;
        let named = self.named();
        let problem = match token {
            Token::Open | Token::Close | Token::And | Token::Not => None,
            Token::Or => Some(Problem::NotForBalances),
            Token::Empty => Some(Problem::Empty),
            Token::Word(_) | Token::Phrase(_) | Token::Hashtag(_)
                if written.contains('\0') && counts =>
            {
                self.unreadable = true;
                Some(Problem::Nul)
            }
            Token::Word(_) | Token::Phrase(_) => Some(Problem::NotForBalances),
            Token::Hashtag(_) if !counts => Some(Problem::NotForBalances),
            // A tag that no transaction can have is kept: with it the sum is nothing, without it
            // the sum would be everything.
            Token::Hashtag(tag) => {
                self.tags.push(tags::key(tag));
                (!term::is_tag(tag)).then_some(Problem::NotATag)
            }
            Token::Operator(operator) => self.operator(operator, counts, written),
        };
        if let Some(problem) = problem {
            self.warnings.add(written, problem);
        }
        if is_term && self.named() == named {
            self.others = self.others.saturating_add(1);
        }
    }

    /// Terms that name an account, a group or a hashtag.
    const fn named(&self) -> usize {
        let accounts = self.accounts.len().saturating_add(self.groups.len());
        accounts.saturating_add(self.tags.len())
    }

    /// Takes a term with an operator; what is wrong with it, if something is.
    fn operator(&mut self, operator: Operator<'a>, counts: bool, written: &str) -> Option<Problem> {
        let nul = operator.has_nul();
        let Operator { name, ref value, .. } = operator;
        let value = value.trim().to_owned();
        let date = DateOperator::from_name(name).zip(DateLiteral::read(&value, self.reading));
        // All terms are read, also those that balances do not have: what cannot be read was meant
        // to restrict the sums.
        match term::decode(operator, DateBasis::Transaction, self.reading) {
            Decoded::Unreadable(problem) => {
                self.unreadable = true;
                return Some(problem);
            }
            Decoded::Term(_) if nul && counts => {
                self.unreadable = true;
                return Some(Problem::Nul);
            }
            Decoded::Ignored(Problem::NotAPeriodicity) => return Some(Problem::NotAPeriodicity),
            Decoded::Term(_) | Decoded::PostingDates | Decoded::Ignored(_) if !counts => {
                return Some(Problem::NotForBalances);
            }
            Decoded::Term(_) | Decoded::PostingDates | Decoded::Ignored(_) => {}
        }
        if let Some((operator, literal)) = date {
            let term = DateTerm::new(name, operator, literal, value);
            self.ranged.extend(term.map(RangeTerm::Date));
            return None;
        }
        match name.to_ascii_lowercase().as_str() {
            "account" | "acc" => {
                self.warnings.name(written, &value, Problem::UnknownAccount);
                self.accounts.push(value);
            }
            "group" => {
                self.warnings.name(written, &value, Problem::UnknownGroup);
                self.groups.push(value);
            }
            "by" => {
                let Some(periodicity) = Periodicity::from_letter(&value) else {
                    return Some(Problem::NotForBalances);
                };
                self.ranged.push(RangeTerm::By { periodicity, text: format!(" {name}:{value}") });
            }
            _ => return Some(Problem::NotForBalances),
        }
        None
    }

    fn finish(self) -> BalanceQuery {
        // Whatever was meant, it is not the range of the other terms.
        let ranged = if self.unreadable { &[] } else { self.ranged.as_slice() };
        let range = DateRange::new(ranged, self.reading);
        let bounds = range.bounds();
        let label = |day: Option<Date>| {
            day.filter(|day| day.year() >= 1).map(|day| self.reading.pattern.format(day))
        };
        let (warnings, names) = self.warnings.finish();
        BalanceQuery {
            from: bounds.from,
            until: bounds.until(),
            periodicity: DateRange::new(&self.ranged, self.reading).periodicity(),
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
