//! A position within the tokens of a line, and the expressions there.

use serde::{Deserialize, Serialize};
use time::Date;

use super::lexer::{Token, TokenKind, unescape};
use crate::read::amount::{MAX_DECIMALS, SignedAmount};
use crate::read::journal::Quantity;
use crate::read::limits::MAX_DEPTH;
use crate::read::problem::{Kind, Position, Problem, excerpt};
use daybook_domain::calendar;

/// A number with the decimal places as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Number {
    pub(crate) value: SignedAmount,
    pub(crate) decimals: u32,
}

/// A field of metadata.
pub(crate) type Field = (String, String);

/// Reads the tokens of a line one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a, 't> {
    rest: &'t [Token<'a>],
    /// The place behind the last token.
    position: Position,
}

impl<'a, 't> Cursor<'a, 't> {
    pub(crate) const fn new(tokens: &'t [Token<'a>], position: Position) -> Self {
        Self { rest: tokens, position }
    }

    pub(crate) fn position(&self) -> Position {
        self.rest.first().map_or(self.position, |token| token.position)
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.rest.first().copied()
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.rest.split_first()?;
        (self.rest, self.position) = (rest, first.position);
        Some(*first)
    }

    /// Takes the next token if it has this kind.
    pub(crate) fn take(&mut self, kind: TokenKind) -> Option<&'a str> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next();
        Some(token.text)
    }

    /// Takes the next token, which must have this kind.
    pub(crate) fn expect(&mut self, kind: TokenKind) -> Result<&'a str, Problem> {
        let problem = self.unexpected();
        self.take(kind).ok_or(problem)
    }

    /// Takes a mark.
    pub(crate) fn take_mark(&mut self, mark: &str) -> bool {
        let is_next = self.sees_mark(mark);
        if is_next {
            self.next();
        }
        is_next
    }

    fn sees_mark(&self, mark: &str) -> bool {
        self.peek().is_some_and(|token| token.kind == TokenKind::Mark && token.text == mark)
    }

    /// Describes the next token as one that must not stand there.
    pub(crate) fn unexpected(&self) -> Problem {
        let text = self.rest.first().map_or("", |token| token.text);
        Problem::at(self.position(), Kind::UnexpectedLine(excerpt(text)))
    }

    pub(crate) fn date(&mut self) -> Result<Option<Date>, Problem> {
        let position = self.position();
        let Some(text) = self.take(TokenKind::Date) else { return Ok(None) };
        let invalid = || Problem::at(position, Kind::InvalidDate(excerpt(text)));
        parse_date(text).map(Some).ok_or_else(invalid)
    }

    /// Takes a number, or an expression of numbers; `None` if none follows.
    pub(crate) fn number(&mut self) -> Result<Option<Number>, Problem> {
        let begins = self.peek().is_some_and(|token| {
            token.kind == TokenKind::Number
                || (token.kind == TokenKind::Mark && matches!(token.text, "-" | "+" | "("))
        });
        if begins { self.sum(0).map(Some) } else { Ok(None) }
    }

    fn sum(&mut self, depth: usize) -> Result<Number, Problem> {
        let mut left = self.product(depth)?;
        loop {
            let position = self.position();
            let is_minus = self.sees_mark("-");
            if !is_minus && !self.sees_mark("+") {
                return Ok(left);
            }
            self.next();
            let right = self.product(depth)?;
            let value = if is_minus {
                left.value.checked_sub(right.value)
            } else {
                left.value.checked_add(right.value)
            };
            left = Number {
                value: value.ok_or_else(|| too_long(position))?,
                decimals: left.decimals.max(right.decimals),
            };
        }
    }

    fn product(&mut self, depth: usize) -> Result<Number, Problem> {
        let mut left = self.factor(depth)?;
        loop {
            let position = self.position();
            let is_quotient = self.sees_mark("/");
            if !is_quotient && !self.sees_mark("*") {
                return Ok(left);
            }
            self.next();
            let right = self.factor(depth)?;
            let value = if is_quotient {
                left.value.checked_div(right.value, MAX_DECIMALS)
            } else {
                left.value.checked_mul(right.value)
            };
            let value = value.ok_or_else(|| too_long(position))?;
            let decimals = if is_quotient {
                value.decimals()
            } else {
                left.decimals.saturating_add(right.decimals)
            };
            left = Number { value, decimals };
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Number, Problem> {
        if depth >= MAX_DEPTH {
            return Err(Problem::at(self.position(), Kind::TooDeep));
        }
        if self.take_mark("-") {
            let number = self.factor(depth + 1)?;
            return Ok(Number { value: number.value.negated(), ..number });
        }
        if self.take_mark("+") {
            return self.factor(depth + 1);
        }
        if self.take_mark("(") {
            let number = self.sum(depth + 1)?;
            return if self.take_mark(")") { Ok(number) } else { Err(self.unexpected()) };
        }
        let position = self.position();
        let text = self.expect(TokenKind::Number)?;
        let invalid = || Problem::at(position, Kind::InvalidAmount(excerpt(text)));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let value = SignedAmount::from_digits(false, &whole.replace(',', ""), fraction);
        let decimals = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
        Ok(Number { value: value.ok_or_else(invalid)?, decimals })
    }

    /// Takes a text in quotes.
    pub(crate) fn plain_text(&mut self) -> Result<String, Problem> {
        self.expect(TokenKind::Text).map(unescape)
    }

    /// Takes a field of metadata up to the end of the line: a name, and a value of any kind.
    pub(crate) fn field(&mut self) -> Result<Field, Problem> {
        let key = self.expect(TokenKind::Key)?.to_owned();
        let mut value = String::new();
        while let Some(token) = self.next() {
            if !value.is_empty() && token.kind != TokenKind::Mark {
                value.push(' ');
            }
            match token.kind {
                TokenKind::Text => value.push_str(&unescape(token.text)),
                TokenKind::Tag => value.push_str(&format!("#{}", token.text)),
                TokenKind::Link => value.push_str(&format!("^{}", token.text)),
                TokenKind::Key => value.push_str(&format!("{}:", token.text)),
                TokenKind::Date
                | TokenKind::Number
                | TokenKind::Account
                | TokenKind::Word
                | TokenKind::Symbol
                | TokenKind::Mark => value.push_str(token.text),
            }
        }
        Ok((key, value))
    }

    /// Takes an amount with its currency.
    pub(crate) fn amount(&mut self) -> Result<Quantity, Problem> {
        let number = self.number()?.ok_or_else(|| self.unexpected())?;
        let commodity = self.expect(TokenKind::Symbol)?.into();
        Ok(Quantity { amount: number.value, commodity, decimals: number.decimals })
    }
}

fn too_long(position: Position) -> Problem {
    Problem::at(position, Kind::InvalidAmount("the result".to_owned()))
}

/// Parses `2024-01-31` or `2024/1/31`.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split(['-', '/']);
    let year = parts.next()?.parse().ok()?;
    calendar::from_parts(year, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)
}
