//! Number formats, which tell days from other numbers.

use std::collections::HashMap;

use super::number::Display;

/// The formats of a workbook by their number, and those of its cells.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    formats: HashMap<u32, Display>,
    cells: Vec<Display>,
}

impl Styles {
    /// Defines a format.
    pub(crate) fn define(&mut self, number: u32, code: &str) {
        self.formats.insert(number, of_code(code));
    }

    /// Adds a format of cells that refers to a number format.
    pub(crate) fn push(&mut self, number: u32) {
        let defined = self.formats.get(&number).copied();
        self.cells.push(defined.unwrap_or_else(|| of_number(number)));
    }

    /// Returns the number of formats of cells.
    pub(crate) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns how the cells with a format are shown.
    pub(crate) fn get(&self, index: usize) -> Display {
        self.cells.get(index).copied().unwrap_or_default()
    }
}

/// Returns the kind of a format that is not defined in the workbook (ECMA-376, 18.8.30).
const fn of_number(number: u32) -> Display {
    match number {
        14..=17 | 22 | 27..=31 | 36 | 50..=54 | 57..=58 => Display::Date,
        18..=21 | 32..=35 | 45..=47 | 55..=56 => Display::Time,
        _ => Display::Number,
    }
}

/// Returns the kind of a format by its letters, without texts in quotes and brackets.
fn of_code(code: &str) -> Display {
    let (mut has_date, mut has_time, mut has_month) = (false, false, false);
    let mut characters = code.chars();
    // The format of positive numbers is enough.
    while let Some(c) = characters.next().filter(|c| *c != ';') {
        match c.to_ascii_lowercase() {
            '"' => {
                characters.by_ref().find(|c| *c == '"');
            }
            '[' => {
                // `[h]` counts hours; others are colours, conditions and locales.
                let inside: String = characters.by_ref().take_while(|c| *c != ']').collect();
                has_time |=
                    matches!(inside.to_ascii_lowercase().as_str(), "h" | "hh" | "mm" | "ss");
            }
            '\\' | '_' | '*' => {
                characters.next();
            }
            'd' | 'y' | 'e' => has_date = true,
            'h' | 's' => has_time = true,
            'm' => has_month = true,
            // `General`, and the digits of numbers; `0.00E+00` has an `E`.
            'g' | '0' | '#' | '?' | '@' if !has_date && !has_time && !has_month => {
                return Display::Number;
            }
            _ => {}
        }
    }
    if has_date || (has_month && !has_time) {
        Display::Date
    } else if has_time {
        Display::Time
    } else {
        Display::Number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognized() {
        for (code, expected) in [
            ("yyyy\\-mm\\-dd", Display::Date),
            ("[$-407]d/\\ mmm/\\ yyyy;@", Display::Date),
            ("dd.mm.yyyy hh:mm", Display::Date),
            ("mmm", Display::Date),
            ("h:mm:ss", Display::Time),
            ("[h]:mm", Display::Time),
            ("ss.000", Display::Time),
            ("General", Display::Number),
            ("0.00", Display::Number),
            ("#,##0.00\\ [$\u{20ac}-407];[Red]-#,##0.00", Display::Number),
            ("0.00E+00", Display::Number),
            ("\"Day\" 0", Display::Number),
            ("_-* #,##0.00\\ \"DM\"_-", Display::Number),
            ("@", Display::Number),
            ("", Display::Number),
        ] {
            assert_eq!(of_code(code), expected, "{code}");
        }
    }
}
