//! Exact decimals for assertions: the suite computes with its own arithmetic, never with the
//! server's and never in floating point.

/// The decimals of a unit: no book shows more (behaviour 3.12.4).
const DIGITS: usize = 8;

/// Parses a decimal as the API prints it (3.12.6: plain, no exponent, no separators), in units of
/// 10^-8.
///
/// # Panics
/// For any other text, for example a negative zero.
#[track_caller]
pub fn units(text: &str) -> i128 {
    try_units(text).unwrap_or_else(|| panic!("3.12.6: `{text}` is not a plain decimal"))
}

/// Parses as [`units`]; `None` for another text.
pub fn try_units(text: &str) -> Option<i128> {
    let (negative, plain) = match text.strip_prefix('-') {
        Some(plain) => (true, plain),
        None => (false, text),
    };
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > DIGITS {
        return None;
    }
    let magnitude: i128 = format!("{whole}{fraction:0<DIGITS$}").parse().ok()?;
    match (negative, magnitude) {
        (true, 0) => None,
        (true, _) => Some(-magnitude),
        (false, _) => Some(magnitude),
    }
}

/// Formats units with this many decimals, or more if the value needs them (3.12.6).
pub fn show(units: i128, digits: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let plain = format!("{:0>1$}", units.unsigned_abs(), DIGITS + 1);
    let (whole, fraction) = plain.split_at(plain.len() - DIGITS);
    let needed = fraction.trim_end_matches('0').len().max(digits);
    match fraction.get(..needed) {
        Some(shown) if needed > 0 => format!("{sign}{whole}.{shown}"),
        _ => format!("{sign}{whole}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{show, try_units, units};

    #[test]
    fn reads_and_shows() {
        for (text, digits) in
            [("0.00", 2), ("-12.30", 2), ("7", 0), ("0.00000001", 8), ("184467440737095516.14", 2)]
        {
            assert_eq!(show(units(text), digits), text);
        }
        assert_eq!(show(units("100.50"), 0), "100.5");
        for text in ["", "-0.00", "1e2", "1,000", ".5", "5.", "+1", "0.123456789"] {
            assert_eq!(try_units(text), None, "{text}");
        }
    }
}
