//! Statement lines (`:61:`) and balances (`:60F:` and the like).

use daybook_domain::calendar;
use time::Date;

use crate::read::amount::SignedAmount;
use crate::read::problem::Kind;
use crate::read::problem::excerpt;

/// A date, and the text that was meant if that day does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedDate {
    pub(crate) date: Date,
    /// The date as written, if it does not exist: banks count 30 days to each month.
    pub(crate) written: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedBalance {
    pub(crate) date: StatedDate,
    pub(crate) currency: String,
    pub(crate) amount: SignedAmount,
}

/// A statement line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) value_date: StatedDate,
    pub(crate) entry_date: Option<Date>,
    /// Whether it is expected, and not booked yet.
    pub(crate) is_expected: bool,
    pub(crate) is_reversal: bool,
    pub(crate) amount: SignedAmount,
    pub(crate) reference: Option<String>,
    pub(crate) bank_reference: Option<String>,
    pub(crate) details: Option<String>,
}

/// A fault of a text, and its offset.
pub(crate) type Wrong = (Kind, usize);

/// Parses `C251230EUR1234,56`.
pub(crate) fn balance(text: &str) -> Option<StatedBalance> {
    let text = text.trim();
    let is_debit = match text.get(..1)? {
        "C" => false,
        "D" => true,
        _ => return None,
    };
    let date = date(text.get(1..7)?)?;
    let currency = text.get(7..10)?.to_owned();
    let amount = decimal(text.get(10..)?, is_debit)?;
    Some(StatedBalance { date, currency, amount })
}

/// Parses `2601021230RC20,NTRFref//bank` and the line of details behind it.
pub(crate) fn line(text: &str) -> Result<Line, Wrong> {
    let (first, details) = text.split_once(['\n', '\r']).unwrap_or((text, ""));
    let first = first.trim_end();
    let invalid = |at: usize| (Kind::InvalidDate(excerpt(first.get(at..).unwrap_or_default())), at);
    let value_date = first.get(..6).and_then(date).ok_or_else(|| invalid(0))?;
    let rest = first.get(6..).unwrap_or_default();
    let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let (entry_date, rest) = match rest.split_at_checked(4).filter(|_| digits == 4) {
        Some((digits, rest)) => {
            (Some(entry_date(digits, value_date.date).ok_or_else(|| invalid(6))?), rest)
        }
        None => (None, rest),
    };
    let at = first.len() - rest.len();
    let marks = [
        ("RC", true, true, false),
        ("RD", false, true, false),
        ("EC", false, false, true),
        ("ED", true, false, true),
        ("C", false, false, false),
        ("D", true, false, false),
    ];
    let found = marks.into_iter().find_map(|(mark, is_debit, is_reversal, is_expected)| {
        Some((rest.strip_prefix(mark)?, is_debit, is_reversal, is_expected))
    });
    let wrong_amount =
        |at: usize| (Kind::InvalidAmount(excerpt(first.get(at..).unwrap_or_default())), at);
    let (rest, is_debit, is_reversal, is_expected) = found.ok_or_else(|| wrong_amount(at))?;
    // The third letter of the currency.
    let rest = rest.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.');
    let (number, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let at = first.len() - rest.len() - number.len();
    let amount = decimal(number, is_debit).ok_or_else(|| wrong_amount(at))?;
    // The type of the transaction has four characters.
    let references = rest.get(4..).unwrap_or_default();
    let (reference, bank) = references.split_once("//").unwrap_or((references, ""));
    Ok(Line {
        value_date,
        entry_date,
        is_expected,
        is_reversal,
        amount,
        reference: stated(reference),
        bank_reference: stated(bank),
        details: stated(details),
    })
}

/// Returns a text unless it is empty or says that there is none.
pub(crate) fn stated(text: &str) -> Option<String> {
    let text = crate::read::text::collapse(text);
    let is_none = matches!(text.as_str(), "" | "NONREF" | "NOTPROVIDED" | "KREF+" | "EREF+");
    (!is_none).then_some(text)
}

/// Parses `260102`; a day of February that does not exist becomes the last one.
fn date(digits: &str) -> Option<StatedDate> {
    let number: i32 =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let year = if year >= 80 { 1900 + year } else { 2000 + year };
    let of_day = |day: i32| calendar::from_day_number(year * 10_000 + month * 100 + day);
    if let Some(date) = of_day(day) {
        return Some(StatedDate { date, written: None });
    }
    let last = of_day(29).or_else(|| of_day(28))?;
    let is_convention = month == 2 && (29..=30).contains(&day);
    is_convention.then(|| StatedDate { date: last, written: Some(digits.to_owned()) })
}

/// Returns the day `1230` in the year in which it is nearest to the value date.
fn entry_date(digits: &str, value_date: Date) -> Option<Date> {
    let month: u8 = digits.get(..2)?.parse().ok()?;
    let day: u8 = digits.get(2..4)?.parse().ok()?;
    let years = [value_date.year(), value_date.year() - 1, value_date.year() + 1];
    let days = years.into_iter().filter_map(|year| {
        let date = calendar::from_parts(year, month, day);
        // As for value dates, 30 February is the last of the month.
        date.or_else(|| calendar::from_parts(year, month, 28).filter(|_| month == 2 && day <= 30))
    });
    days.min_by_key(|day| (*day - value_date).whole_days().abs())
}

/// Parses `1234,56`; the digits behind the comma are optional.
fn decimal(text: &str, is_negative: bool) -> Option<SignedAmount> {
    let (whole, fraction) = text.split_once([',', '.']).unwrap_or((text, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    SignedAmount::from_digits(is_negative, whole, fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_lines_are_parsed() {
        for (text, date, entry, amount) in [
            ("2601011230C27,98NTRFNONREF", "2026-01-01", "2025-12-30", "27.98"),
            ("1812310101D3498,06NTRFNONREF", "2018-12-31", "2019-01-01", "-3498.06"),
            ("2601050105RC20,NTRFX", "2026-01-05", "2026-01-05", "-20"),
            ("260105RD20,5NTRFX", "2026-01-05", "", "20.5"),
            ("260105CR20,5NTRFX", "2026-01-05", "", "20.5"),
            ("2602300228D1,00NTRF", "2026-02-28", "2026-02-28", "-1"),
            ("260105ED,5", "2026-01-05", "", "-0.5"),
        ] {
            let line = line(text).unwrap();
            let entry_date = line.entry_date.map(calendar::format_iso).unwrap_or_default();
            assert_eq!(calendar::format_iso(line.value_date.date), date, "{text}");
            assert_eq!((entry_date.as_str(), line.amount.to_string().as_str()), (entry, amount));
        }
        let parsed = line("260105D1,NTRFsome long reference 123456//B1\r\nEXTRA").unwrap();
        assert_eq!(parsed.reference.as_deref(), Some("some long reference 123456"));
        assert_eq!(parsed.bank_reference.as_deref(), Some("B1"));
        assert_eq!(parsed.details.as_deref(), Some("EXTRA"));
        let kind = |text: &str| line(text).unwrap_err();
        assert_eq!(kind("26130"), (Kind::InvalidDate("26130".to_owned()), 0));
        assert_eq!(kind("2601051399C1,"), (Kind::InvalidDate("1399C1,".to_owned()), 6));
        assert_eq!(kind("260105X1,"), (Kind::InvalidAmount("X1,".to_owned()), 6));
        assert_eq!(kind("260105CNTRF"), (Kind::InvalidAmount("TRF".to_owned()), 8));
    }

    #[test]
    fn balances_are_parsed() {
        let stated = balance("D251230EUR1234,5").unwrap();
        assert_eq!(stated.amount.to_string(), "-1234.5");
        assert_eq!(stated.currency, "EUR");
        for text in ["", "C", "X251230EUR1,", "C251330EUR1,", "C251230EUR", "C251230EUR1,2,3"] {
            assert_eq!(balance(text), None, "{text}");
        }
    }
}
