//! The formats of `date-format`, as `strptime` has them.

use daybook_domain::calendar;
use time::Date;

/// A parsed date format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DateFormat {
    items: Vec<Item>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Literal(char),
    /// Any amount of white space.
    Blank,
    Year,
    YearOfCentury,
    Month,
    MonthName,
    Day,
    DayOfYear,
    /// Digits of a time, up to so many.
    Digits(usize),
    /// A decimal point and digits of a second, or nothing.
    Fraction,
    /// The seconds since 1970 in UTC.
    Epoch,
    /// A word, such as the name of a weekday or a zone.
    Word,
    /// A zone such as `+0100` or `Z`.
    Zone,
}

impl DateFormat {
    /// Parses a format.
    ///
    /// # Errors
    /// The specifier that is not known.
    pub(crate) fn parse(format: &str) -> Result<Self, String> {
        let mut items = Vec::new();
        let mut rest = format.trim().chars();
        while let Some(c) = rest.next() {
            if c.is_whitespace() {
                items.push(Item::Blank);
                continue;
            }
            if c != '%' {
                items.push(Item::Literal(c));
                continue;
            }
            let mut specifier = rest.next();
            // Flags for padding; numbers are read with any padding.
            while let Some('-' | '_' | '0' | '^' | '#') = specifier {
                specifier = rest.next();
            }
            let specifier = specifier.ok_or_else(|| "%".to_owned())?;
            items.extend_from_slice(expand(specifier).ok_or_else(|| format!("%{specifier}"))?);
        }
        Ok(Self { items })
    }

    /// Parses a date that has this format completely.
    pub(crate) fn read(&self, text: &str) -> Option<Date> {
        let mut rest = text.trim();
        let (mut year, mut month, mut day, mut day_of_year) = (None, None, None, None);
        let mut epoch_day = None;
        for item in &self.items {
            rest = match item {
                Item::Literal(c) => rest.strip_prefix(*c)?,
                Item::Blank => rest.trim_start(),
                Item::Year => number(rest, 4, &mut year)?,
                Item::YearOfCentury => {
                    let mut short = None;
                    let after = number(rest, 2, &mut short)?;
                    // As `strptime`: 69 to 99 are of the last century.
                    year = short.map(|short| if short < 69 { 2000 + short } else { 1900 + short });
                    after
                }
                Item::Month => number(rest, 2, &mut month)?,
                Item::MonthName => {
                    let after = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
                    month = Some(month_number(rest.strip_suffix(after)?)?);
                    after
                }
                Item::Day => number(rest.trim_start(), 2, &mut day)?,
                Item::DayOfYear => number(rest, 3, &mut day_of_year)?,
                Item::Digits(most) => number(rest.trim_start(), *most, &mut None)?,
                Item::Fraction => rest.strip_prefix('.').map_or(rest, |fraction| {
                    fraction.trim_start_matches(|c: char| c.is_ascii_digit())
                }),
                Item::Epoch => {
                    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    let seconds: i64 = rest.strip_suffix(after)?.parse().ok()?;
                    epoch_day = Some(Date::from_julian_day(
                        EPOCH_JULIAN_DAY.checked_add(i32::try_from(seconds / 86_400).ok()?)?,
                    ));
                    after
                }
                Item::Word => {
                    let after = rest.trim_start_matches(char::is_alphabetic);
                    (after.len() < rest.len()).then_some(after)?
                }
                Item::Zone => zone(rest)?,
            };
        }
        if !rest.trim().is_empty() {
            return None;
        }
        if let Some(day) = epoch_day {
            return day.ok();
        }
        if let Some(ordinal) = day_of_year {
            return Date::from_ordinal_date(year?, u16::try_from(ordinal).ok()?).ok();
        }
        calendar::from_parts(year?, u8::try_from(month?).ok()?, u8::try_from(day?).ok()?)
    }
}

/// The Julian day of 1 January 1970.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

fn expand(specifier: char) -> Option<&'static [Item]> {
    use Item::{Blank, Day, Digits, Literal, Month, MonthName, Word, Year, YearOfCentury, Zone};
    Some(match specifier {
        'Y' => &[Year],
        'y' => &[YearOfCentury],
        'm' => &[Month],
        'b' | 'B' | 'h' => &[MonthName],
        'd' | 'e' => &[Day],
        'j' => &[Item::DayOfYear],
        'H' | 'I' | 'k' | 'l' | 'M' | 'S' => &[Digits(2)],
        'q' => &[Digits(12)],
        'Q' => &[Item::Fraction],
        's' => &[Item::Epoch],
        'p' | 'P' | 'a' | 'A' => &[Word],
        'z' | 'Z' => &[Zone],
        'n' | 't' => &[Blank],
        '%' => &[Literal('%')],
        'D' => &[Month, Literal('/'), Day, Literal('/'), YearOfCentury],
        'F' => &[Year, Literal('-'), Month, Literal('-'), Day],
        'R' => &[Digits(2), Literal(':'), Digits(2)],
        'T' => &[Digits(2), Literal(':'), Digits(2), Literal(':'), Digits(2)],
        _ => return None,
    })
}

/// Splits at most so many digits off, and stores their value.
fn number<'a>(text: &'a str, most: usize, value: &mut Option<i32>) -> Option<&'a str> {
    let digits = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(digits).filter(|(digits, _)| !digits.is_empty())?;
    // A fraction of a second may be longer than a number; only its extent matters.
    *value = digits.parse().ok();
    Some(rest)
}

fn month_number(name: &str) -> Option<i32> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let name = name.to_ascii_lowercase();
    let is_named = |full: &str| full == name || full.get(..3) == Some(&name);
    let index = NAMES.iter().position(|full| is_named(full))?;
    i32::try_from(index + 1).ok()
}

/// Splits a zone off: `Z`, a name, `+01`, `+0100` or `+01:00`.
fn zone(text: &str) -> Option<&str> {
    if let Some(offset) = text.strip_prefix(['+', '-']) {
        let after = offset.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        return (after.len() < offset.len()).then_some(after);
    }
    let after = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (after.len() < text.len()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_format() {
        for (format, text, expected) in [
            ("%Y-%m-%d", "2026-01-05", "2026-01-05"),
            ("%-d/%-m/%Y", "5/1/2026", "2026-01-05"),
            ("%d.%m.%y", "05.01.26", "2026-01-05"),
            ("%d.%m.%y", "05.01.70", "1970-01-05"),
            ("%Y%m%d", "20260105", "2026-01-05"),
            ("%d %b %Y", "5 Jan 2026", "2026-01-05"),
            ("%d-%B-%Y", "05-January-2026", "2026-01-05"),
            ("%m/%d/%Y %l:%M %p", "1/5/2026  3:04 PM", "2026-01-05"),
            ("%Y-%m-%dT%H:%M:%S%Z", "2026-01-05T23:59:59Z", "2026-01-05"),
            ("%F %T %z", "2026-01-05 23:59:59 +01:00", "2026-01-05"),
            ("%D", "01/05/26", "2026-01-05"),
            ("%FT%T%QZ", "2026-01-05T23:59:59.123Z", "2026-01-05"),
            ("%FT%T%QZ", "2026-01-05T23:59:59Z", "2026-01-05"),
            ("%s", "1767657599", "2026-01-05"),
            ("%s", "99999999999999999999", ""),
            ("%Y.%j", "2026.005", "2026-01-05"),
            ("%Y-%m-%d", "2026-01-05 10:00", ""),
            ("%Y-%m-%d", "2026-02-30", ""),
            ("%Y-%m-%d", "05-01-2026", ""),
            ("%Y-%m", "2026-01", ""),
            ("%d %b %Y", "5 Foo 2026", ""),
            ("%Y-%m-%d", "", ""),
        ] {
            let day = DateFormat::parse(format).unwrap().read(text);
            let shown = day.map(calendar::format_iso).unwrap_or_default();
            assert_eq!(shown, expected, "{format} {text}");
        }
        assert_eq!(DateFormat::parse("%Y-%K"), Err("%K".to_owned()));
        assert_eq!(DateFormat::parse("%Y-%"), Err("%".to_owned()));
    }
}
