//! Splits a query into tokens (behaviour 1.1). Every character is visited a bounded number of
//! times.

use super::filter::Comparison;
use super::literal::DateOperator;
use super::operator::{self, Operator};
use super::quotes::{self, ends_word};

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(` at the start of a term.
    Open,
    /// `)`.
    Close,
    /// `AND`.
    And,
    /// `OR`.
    Or,
    /// `NOT`, or dashes that negate.
    Not,
    /// A text word.
    Word(&'a str),
    /// A quoted phrase.
    Phrase(String),
    /// The text after a `#`, which may contain characters that hashtags cannot.
    Hashtag(&'a str),
    /// A term with an operator and a value.
    Operator(Operator<'a>),
    /// A term that is ignored: an operator without a value, or empty quotes (behaviour 1.1.9).
    Empty,
}

/// Reads the tokens of a query one by one.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// The last token as written.
    written: &'a str,
    /// Whether a dash stands directly before the rest of the text.
    negated: bool,
    /// Whether a quoted value has ended.
    has_quoted: bool,
    /// Whether it is in doubt which quote ends a value of the last token.
    unclear: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning, after a leading `= ` (behaviour 1.1.7).
    pub(super) fn new(text: &'a str) -> Self {
        let start = text.trim_start();
        let rest = start
            .strip_prefix('=')
            .filter(|rest| rest.starts_with(char::is_whitespace))
            .unwrap_or(start);
        Self { rest, written: "", negated: false, has_quoted: false, unclear: false }
    }

    /// The last token as written.
    pub(super) const fn written(&self) -> &'a str {
        self.written
    }

    /// Whether it is in doubt which quote ends a value of the last token.
    pub(super) const fn quotes_are_unclear(&self) -> bool {
        self.unclear
    }

    /// The text behind the last token.
    pub(super) const fn behind(&self) -> &'a str {
        self.rest
    }

    fn term(&mut self, first: char, negated: bool) -> Token<'a> {
        match first {
            '(' => self.sign(Token::Open),
            ')' => self.sign(Token::Close),
            '\'' | '"' => match self.quoted(first) {
                phrase if phrase.trim().is_empty() => Token::Empty,
                phrase => Token::Phrase(phrase),
            },
            _ => self.word(negated),
        }
    }

    fn sign(&mut self, token: Token<'a>) -> Token<'a> {
        self.rest = self.rest.get(1..).unwrap_or_default();
        token
    }

    /// A word, a keyword, a hashtag or an operator term. After a dash keywords are words.
    fn word(&mut self, negated: bool) -> Token<'a> {
        if let Some((token, rest)) = split_keyword(self.rest).filter(|_| !negated) {
            self.rest = rest;
            return token;
        }
        if let Some((name, behind)) = split_operator(self.rest) {
            self.rest = behind;
            return self.operator(name);
        }
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        // The rest of a value that ended before.
        self.unclear = self.has_quoted && word.ends_with(is_quote);
        match word.strip_prefix('#') {
            Some(tag) if !tag.is_empty() => Token::Hashtag(tag),
            _ => Token::Word(word),
        }
    }

    /// The term of an operator whose name and colon have been read.
    fn operator(&mut self, name: &'a str) -> Token<'a> {
        let mut comparison = self.comparison(name);
        if self.rest.starts_with(|c: char| c.is_whitespace() || c == ')') || self.rest.is_empty() {
            self.rest = self.rest.trim_start();
            if comparison.is_none() {
                comparison = self.comparison(name);
                self.rest = self.rest.trim_start();
            }
            if is_own_term(self.rest) {
                return Token::Empty;
            }
        }
        let (value, quoted) = self.value();
        found(Operator { name, comparison, value, quoted })
    }

    /// The comparison of an amount term, if one stands here.
    fn comparison(&mut self, name: &str) -> Option<Comparison> {
        if !operator::is_amount(name) {
            return None;
        }
        // Longer signs first: `>` would match the beginning of `>=`.
        let signs = [
            (">=", Comparison::Ge),
            ("<=", Comparison::Le),
            (">", Comparison::Gt),
            ("<", Comparison::Lt),
            ("=", Comparison::Eq),
        ];
        let (rest, comparison) = signs
            .iter()
            .find_map(|(sign, comparison)| Some((self.rest.strip_prefix(sign)?, *comparison)))?;
        self.rest = rest;
        Some(comparison)
    }

    /// A bare word or a quoted string, and whether it was quoted (behaviour 1.1.4).
    fn value(&mut self) -> (String, bool) {
        if let Some(quote) = self.rest.chars().next().filter(|first| is_quote(*first)) {
            return (self.quoted(quote), true);
        }
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        (word.to_owned(), false)
    }

    /// A quoted string. Without a closing quote it extends to the end of the text (behaviour 1.1.5,
    /// 1.1.10). A backslash escapes only the quote and a backslash; an apostrophe needs none.
    fn quoted(&mut self, quote: char) -> String {
        let mut value = String::new();
        let mut chars = self.rest.chars();
        chars.next();
        while let Some(c) = chars.next() {
            if c == quote
                && !quotes::belongs_to_value(
                    value.chars().next_back(),
                    chars.as_str(),
                    quote,
                    begins_term,
                )
            {
                self.has_quoted = true;
                self.unclear =
                    !value.is_empty() && quotes::is_unclear(chars.as_str(), quote, begins_term);
                break;
            }
            let escaped = if c == '\\' {
                chars.clone().next().filter(|next| *next == quote || *next == '\\')
            } else {
                None
            };
            if escaped.is_some() {
                chars.next();
            }
            value.push(escaped.unwrap_or(c));
        }
        self.rest = chars.as_str();
        value
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.unclear = false;
        self.rest = self.rest.trim_start();
        let dashless = self.rest.trim_start_matches('-');
        let dashes = self.rest.len() - dashless.len();
        // Dashes not followed by a term are text: `Freight - Intergroup`.
        if dashes > 0 && dashless.starts_with(|next: char| !ends_word(next)) {
            self.rest = dashless;
            self.negated = true;
            if dashes % 2 == 1 {
                return Some(Token::Not);
            }
        }
        let negated = std::mem::take(&mut self.negated);
        let first = self.rest.chars().next()?;
        let start = self.rest;
        let token = self.term(first, negated);
        let length = start.len().saturating_sub(self.rest.len());
        self.written = start.get(..length).unwrap_or_default().trim_end();
        Some(token)
    }
}

fn found(operator: Operator<'_>) -> Token<'_> {
    if operator.value.trim().is_empty() { Token::Empty } else { Token::Operator(operator) }
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

/// The word at the beginning of the text, and the text after it.
fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(ends_word).unwrap_or(text.len()))
}

/// Splits off a keyword: upper case and a whole word. A parenthesis may follow at once, as in
/// `NOT(a OR b)`.
fn split_keyword(text: &str) -> Option<(Token<'_>, &str)> {
    let (token, rest) = [("AND", Token::And), ("OR", Token::Or), ("NOT", Token::Not)]
        .into_iter()
        .find_map(|(keyword, token)| Some((token, text.strip_prefix(keyword)?)))?;
    (rest.is_empty() || rest.starts_with(|next| ends_word(next) || next == '('))
        .then_some((token, rest))
}

/// Splits off an operator: its name and the text after the colon, or after the name if that is
/// `amount` before a comparison sign. `10:30` and web addresses are words (behaviour 1.1.11). Reads
/// no further than the name, because terms with quoted values may follow one another without white
/// space.
fn split_operator(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(char::is_alphabetic) {
        return None;
    }
    let amount =
        text.split_at_checked("amount".len()).filter(|(name, _)| operator::is_amount(name));
    if let Some((name, behind)) = amount.filter(|(_, behind)| behind.starts_with(['=', '<', '>'])) {
        return Some((name, behind));
    }
    let (name, behind) = text.split_at(text.find(|c| c == ':' || ends_word(c))?);
    let behind = behind.strip_prefix(':')?;
    let scheme = name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("https");
    if scheme && behind.starts_with("//") { None } else { Some((name, behind)) }
}

/// Whether a keyword or the term of an operator begins here, which may follow a quoted value
/// without white space. Properties do not count: `'Owner's: cash'` has none.
fn begins_term(text: &str) -> bool {
    let is_known = |name: &str| {
        DateOperator::from_name(name).is_some() || operator::is_operator(&name.to_ascii_lowercase())
    };
    split_operator(text).is_some_and(|(name, _)| is_known(name)) || split_keyword(text).is_some()
}

/// Whether the text begins with a term of its own, which is not the value of the operator before
/// it: an operator term, a hashtag, a keyword, a group, or the negation of one of these (behaviour
/// 1.1.6).
fn is_own_term(text: &str) -> bool {
    let (word, _) = split_word(text);
    let dashless = word.trim_start_matches('-');
    let negated = dashless.len() < word.len();
    match dashless.chars().next() {
        None => !negated,
        Some('(' | '#') => true,
        Some(first) if is_quote(first) => negated,
        Some(_) => {
            split_operator(dashless).is_some() || (!negated && split_keyword(text).is_some())
        }
    }
}
