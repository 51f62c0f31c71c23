//! Numbers as written: digits and a power of ten of any length, not yet rounded.

use rust_decimal::Decimal;

/// The character between units and decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecimalSeparator {
    /// `1,234.56`, the default.
    #[default]
    Dot,
    /// `1.234,56`.
    Comma,
}

impl DecimalSeparator {
    /// The separator as the API names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dot => "DOT",
            Self::Comma => "COMMA",
        }
    }

    /// The character.
    pub(crate) const fn character(self) -> char {
        match self {
            Self::Dot => '.',
            Self::Comma => ',',
        }
    }

    /// The separator of the other convention, which separates thousands in this one.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Dot => Self::Comma,
            Self::Comma => Self::Dot,
        }
    }

    /// Finds the separator with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Dot, Self::Comma].into_iter().find(|separator| separator.as_str() == name)
    }
}

/// How a number in a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writing {
    /// Whether it has the separators of the book, not those of the other convention.
    pub(crate) own: bool,
    /// How many decimals it has.
    pub(crate) decimals: usize,
}

/// `digits` x 10^`exponent`, digits without leading or trailing zeros; empty digits are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numeral {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// The most digits an integer is computed with; more are beyond every limit.
const MAX_DIGITS: i64 = 30;

impl Numeral {
    /// Reads a plain number with a dot (and perhaps an exponent), else one punctuated as in the
    /// book (behaviour 3.12.3). Thousand separators must stand before groups of three, and behind a
    /// digit that counts: `12,34` is refused, not read as 1234, and `0,500` not as 500.
    pub(crate) fn read(text: &str, separator: DecimalSeparator) -> Option<Self> {
        let (negative, body) = signed(text);
        Self::of(&plain(body).or_else(|| punctuated(body, separator))?, negative)
    }

    /// As [`Numeral::read`], but thousands as in the book come before a plain number: `1.234` is
    /// 1234 in a COMMA book (behaviour 1.2.8).
    pub(crate) fn read_literal(text: &str, separator: DecimalSeparator) -> Option<Self> {
        let (negative, body) = signed(text);
        let parts = punctuated(body, separator).or_else(|| plain(body))?;
        Self::of(&parts, negative)
    }

    /// Reads a number without sign or exponent in a text: punctuated as in the book, else by the
    /// other convention (behaviour 3.8.2.1).
    pub(crate) fn read_typed(text: &str, separator: DecimalSeparator) -> Option<(Self, Writing)> {
        let own = punctuated(text, separator);
        let writing =
            |parts: &Parts| Writing { own: own.is_some(), decimals: parts.fraction.len() };
        let parts = own.clone().or_else(|| punctuated(text, separator.other()))?;
        Some((Self::of(&parts, false)?, writing(&parts)))
    }

    fn of(Parts { whole, fraction, exponent }: &Parts, negative: bool) -> Option<Self> {
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0').trim_end_matches('0');
        let dropped = all.len() - all.trim_end_matches('0').len();
        let shift =
            i64::try_from(dropped).ok()?.saturating_sub(i64::try_from(fraction.len()).ok()?);
        Some(Self {
            negative,
            digits: significant.to_owned(),
            exponent: exponent.saturating_add(shift),
        })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) const fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn equals(&self, value: Decimal) -> bool {
        let value = value.normalize();
        let exponent = -i64::from(value.scale());
        let mantissa = value.mantissa().unsigned_abs().to_string();
        let trimmed = mantissa.trim_end_matches('0');
        let trailing = i64::try_from(mantissa.len() - trimmed.len()).unwrap_or(i64::MAX);
        self.digits == trimmed
            && (trimmed.is_empty() || self.exponent == exponent.saturating_add(trailing))
            && self.negative == value.is_sign_negative()
    }

    /// The absolute value as an integer at `places` decimal places, rounded half-up; `None` when it
    /// has too many digits.
    pub(crate) fn rounded(&self, places: u32) -> Option<i128> {
        let exponent = self.exponent.saturating_add(i64::from(places));
        let length = i64::try_from(self.digits.len()).ok()?;
        let kept = length.saturating_add(exponent);
        if kept > MAX_DIGITS {
            return None;
        }
        if exponent >= 0 {
            let zeros = usize::try_from(exponent).ok()?;
            return format!("{}{}", self.digits, "0".repeat(zeros)).parse().ok();
        }
        if kept < 0 {
            return Some(0);
        }
        let (head, tail) = self.digits.split_at(usize::try_from(kept).ok()?);
        let units: i128 = if head.is_empty() { 0 } else { head.parse().ok()? };
        Some(if tail >= "5" { units + 1 } else { units })
    }
}

/// Whether a number has a minus sign, and what is behind its sign.
fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits of a number before and after its decimal separator, and its power of ten.
#[derive(Debug, Clone)]
struct Parts {
    whole: String,
    fraction: String,
    exponent: i64,
}

/// `digits[.digits][e[+-]digits]`.
fn plain(body: &str) -> Option<Parts> {
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (all_digits(whole) && all_digits(fraction)).then(|| Parts {
        whole: whole.to_owned(),
        fraction: fraction.to_owned(),
        exponent,
    })
}

fn power(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !all_digits(digits) {
        return None;
    }
    // An exponent that is too long is read as one beyond every limit.
    Some(sign * digits.parse::<i64>().unwrap_or(i64::MAX / 4).min(i64::MAX / 4))
}

fn punctuated(body: &str, separator: DecimalSeparator) -> Option<Parts> {
    let (decimal, thousand) = (separator.character(), separator.other().character());
    let (whole, fraction) = body.split_once(decimal).unwrap_or((body, ""));
    // All groups are separated alike.
    let between = whole.chars().find(|c| *c == thousand || is_group_separator(*c));
    let mut groups = whole.split(|c| Some(c) == between);
    let first = groups.next()?;
    // Zero is zero in any writing (behaviour 3.12.1).
    let leads = !first.starts_with('0') || !whole.contains(|c: char| ('1'..='9').contains(&c));
    let well_formed = all_digits(first)
        && (between.is_none() || (1..=3).contains(&first.len()) && leads)
        && groups.all(|group| group.len() == 3 && all_digits(group))
        && all_digits(fraction);
    well_formed.then(|| Parts {
        whole: whole.chars().filter(char::is_ascii_digit).collect(),
        fraction: fraction.to_owned(),
        exponent: 0,
    })
}

/// Whether the character separates thousands in every book (behaviour 3.12.3): a space that text is
/// typed or typeset with, or an apostrophe.
pub(crate) const fn is_group_separator(c: char) -> bool {
    c == ' ' || is_fixed_space(c) || is_apostrophe(c)
}

/// Whether the character is a space that text is not broken at.
pub(crate) const fn is_fixed_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

/// Whether the character is typed as an apostrophe.
pub(crate) const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{b4}' | '`')
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}
