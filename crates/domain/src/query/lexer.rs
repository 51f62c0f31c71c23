//! The lexer of queries (behaviour 1.1). It visits each character a bounded number of times.

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

/// An iterator over the tokens of a query.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// The text of the last token.
    written: &'a str,
    /// Whether a dash directly precedes the rest of the text.
    negated: bool,
    /// Whether any quoted value has ended.
    has_quoted: bool,
    /// Whether the closing quote of the last token is ambiguous.
    unclear: bool,
}

impl<'a> Lexer<'a> {
    /// Starts after a leading `= ` (behaviour 1.1.7).
    pub(super) fn new(text: &'a str) -> Self {
        let start = text.trim_start();
        let rest = start
            .strip_prefix('=')
            .filter(|rest| rest.starts_with(char::is_whitespace))
            .unwrap_or(start);
        Self { rest, written: "", negated: false, has_quoted: false, unclear: false }
    }

    /// Returns the text of the last token.
    pub(super) const fn written(&self) -> &'a str {
        self.written
    }

    /// Returns whether the closing quote of the last token is ambiguous.
    pub(super) const fn quotes_are_unclear(&self) -> bool {
        self.unclear
    }

    /// Returns the text after the last token.
    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    fn read_term(&mut self, first: char, negated: bool) -> Token<'a> {
        match first {
            '(' => self.read_sign(Token::Open),
            ')' => self.read_sign(Token::Close),
            '\'' | '"' => match self.read_quoted(first) {
                phrase if phrase.trim().is_empty() => Token::Empty,
                phrase => Token::Phrase(phrase),
            },
            _ => self.read_word(negated),
        }
    }

    fn read_sign(&mut self, token: Token<'a>) -> Token<'a> {
        self.rest = self.rest.get(1..).unwrap_or_default();
        token
    }

    /// Reads a word, a keyword, a hashtag or an operator term. After a dash, keywords are words.
    fn read_word(&mut self, negated: bool) -> Token<'a> {
        if !negated && let Some((token, rest)) = split_keyword(self.rest) {
            self.rest = rest;
            return token;
        }
        if let Some((name, rest)) = split_operator(self.rest) {
            self.rest = rest;
            return self.read_operator(name);
        }
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        // The word may be the rest of a quoted value that ended too early.
        self.unclear = self.has_quoted && word.ends_with(is_quote);
        match word.strip_prefix('#') {
            Some(tag) if !tag.is_empty() => Token::Hashtag(tag),
            _ => Token::Word(word),
        }
    }

    /// Reads the value of an operator term after its name and colon.
    fn read_operator(&mut self, name: &'a str) -> Token<'a> {
        let mut comparison = self.read_comparison(name);
        if self.rest.starts_with(|c: char| c.is_whitespace() || c == ')') || self.rest.is_empty() {
            self.rest = self.rest.trim_start();
            if comparison.is_none() {
                comparison = self.read_comparison(name);
                self.rest = self.rest.trim_start();
            }
            if is_own_term(self.rest) {
                return Token::Empty;
            }
        }
        let (value, quoted) = self.read_value();
        if value.trim().is_empty() {
            return Token::Empty;
        }
        Token::Operator(Operator { name, comparison, value, quoted })
    }

    /// Reads the comparison sign of an amount term, if there is one.
    fn read_comparison(&mut self, name: &str) -> Option<Comparison> {
        if !operator::is_amount(name) {
            return None;
        }
        // Longer signs first, because `>` is a prefix of `>=`.
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

    /// Reads a word or a quoted string. Returns it and whether it was quoted (behaviour 1.1.4).
    fn read_value(&mut self) -> (String, bool) {
        if let Some(quote) = self.rest.chars().next().filter(|first| is_quote(*first)) {
            return (self.read_quoted(quote), true);
        }
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        (word.to_owned(), false)
    }

    /// Reads a quoted string (behaviour 1.1.5, 1.1.10).
    ///
    /// Without a closing quote it extends to the end of the text. A backslash escapes only the
    /// quote and a backslash. An apostrophe in a word needs no escape.
    fn read_quoted(&mut self, quote: char) -> String {
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
        // Dashes that are not followed by a term are text: `Freight - Intergroup`.
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
        let token = self.read_term(first, negated);
        let length = start.len().saturating_sub(self.rest.len());
        self.written = start.get(..length).unwrap_or_default().trim_end();
        Some(token)
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

/// Splits off the word at the beginning of the text.
fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(ends_word).unwrap_or(text.len()))
}

/// Splits off a keyword: a whole word in upper case. A parenthesis may follow directly, as in
/// `NOT(a OR b)`.
fn split_keyword(text: &str) -> Option<(Token<'_>, &str)> {
    let (token, rest) = [("AND", Token::And), ("OR", Token::Or), ("NOT", Token::Not)]
        .into_iter()
        .find_map(|(keyword, token)| Some((token, text.strip_prefix(keyword)?)))?;
    (rest.is_empty() || rest.starts_with(|next| ends_word(next) || next == '('))
        .then_some((token, rest))
}

/// Splits off the name of an operator. Returns it and the text after the colon.
///
/// `amount` may have a comparison sign instead of a colon. `10:30` and web addresses are words
/// (behaviour 1.1.11). The value is not inspected, because terms with quoted values may follow one
/// another without white space.
fn split_operator(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(char::is_alphabetic) {
        return None;
    }
    let amount =
        text.split_at_checked("amount".len()).filter(|(name, _)| operator::is_amount(name));
    if let Some((name, rest)) = amount.filter(|(_, rest)| rest.starts_with(['=', '<', '>'])) {
        return Some((name, rest));
    }
    let (name, rest) = text.split_at(text.find(|c| c == ':' || ends_word(c))?);
    let rest = rest.strip_prefix(':')?;
    let is_scheme = name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("https");
    if is_scheme && rest.starts_with("//") { None } else { Some((name, rest)) }
}

/// Returns whether the text begins with a keyword or an operator term, which may follow a quoted
/// value without white space.
///
/// Property terms are excluded, because `'Owner's: cash'` contains none.
fn begins_term(text: &str) -> bool {
    let is_known = |name: &str| {
        DateOperator::from_name(name).is_some() || operator::is_operator(&name.to_ascii_lowercase())
    };
    split_operator(text).is_some_and(|(name, _)| is_known(name)) || split_keyword(text).is_some()
}

/// Returns whether the text begins with a separate term instead of the value of the preceding
/// operator (behaviour 1.1.6).
///
/// Separate terms are operator terms, hashtags, keywords, parentheses and negations of these.
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
