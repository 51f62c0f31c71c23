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

    /// Finds the separator with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Dot, Self::Comma].into_iter().find(|separator| separator.as_str() == name)
    }
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
        let (negative, body) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction, exponent) = plain(body).or_else(|| punctuated(body, separator))?;
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

/// `digits[.digits][e[+-]digits]`.
fn plain(body: &str) -> Option<(String, String, i64)> {
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (all_digits(whole) && all_digits(fraction))
        .then(|| (whole.to_owned(), fraction.to_owned(), exponent))
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

fn punctuated(body: &str, separator: DecimalSeparator) -> Option<(String, String, i64)> {
    let (decimal, thousand) = match separator {
        DecimalSeparator::Dot => ('.', ','),
        DecimalSeparator::Comma => (',', '.'),
    };
    let (whole, fraction) = body.split_once(decimal).unwrap_or((body, ""));
    let mut groups = whole.split(thousand);
    let first = groups.next()?;
    let grouped = whole.contains(thousand);
    // Zero is zero in any writing (behaviour 3.12.1).
    let leads = !first.starts_with('0') || !whole.contains(|c: char| ('1'..='9').contains(&c));
    let well_formed = all_digits(first)
        && (!grouped || (1..=3).contains(&first.len()) && leads)
        && groups.all(|group| group.len() == 3 && all_digits(group))
        && all_digits(fraction);
    well_formed.then(|| (whole.replace(thousand, ""), fraction.to_owned(), 0))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}
