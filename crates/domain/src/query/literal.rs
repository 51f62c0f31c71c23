//! Date literals, the values of `on:`, `after:` and `before:` (behaviour 1.3).

use time::Date;

use super::date_format::{self, DateStyle};
use super::unit::{Shift, Unit};
use super::variable::Variable;
use super::{ParseContext, slash_dates};
use crate::calendar::from_parts;

/// An operator that restricts days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateOperator {
    On,
    After,
    Before,
}

impl DateOperator {
    /// Finds the date operator with that name, ignoring case (behaviour 1.1.8).
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "on" | "period" => Some(Self::On),
            "after" => Some(Self::After),
            "before" => Some(Self::Before),
            _ => None,
        }
    }
}

/// A date literal: a span of days and its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateLiteral {
    style: DateStyle,
    unit: Unit,
    /// The first and the last day, inclusive.
    first: Date,
    last: Date,
    /// The bound of `after:` and `before:`; `None` for a variable at the end of the calendar.
    bound: Option<Date>,
}

/// The first and last day of a range, open where `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bounds {
    /// The first day, inclusive.
    pub(super) from: Option<Date>,
    /// The last day, inclusive. In an empty range it may be the day before the calendar begins.
    pub(super) last: Option<Date>,
}

impl Bounds {
    /// Returns the first day after the range; `None` also if the range ends with the calendar.
    pub(super) fn until(self) -> Option<Date> {
        self.last.and_then(Date::next_day)
    }

    /// Intersects two ranges (behaviour 1.3.4).
    pub(super) fn intersect(self, other: Self) -> Self {
        Self {
            from: self.from.into_iter().chain(other.from).max(),
            last: self.last.into_iter().chain(other.last).min(),
        }
    }
}

impl DateLiteral {
    /// Parses a literal in the forms of behaviour 1.3.1. Returns `None` outside the years 1 to
    /// 9999.
    pub(super) fn read(text: &str, context: &ParseContext) -> Option<Self> {
        let text = text.trim();
        if let Some((first, unit, padded)) = read_iso(text) {
            return Self::new(DateStyle::Iso { padded }, unit, first);
        }
        if text.contains('/') {
            let date = slash_dates::read(text, context)?;
            let style = date.style.map_or(DateStyle::Composed, DateStyle::Slashes);
            return Self::new(style, date.unit, date.first);
        }
        let variable = Variable::read(text).or_else(|| Variable::read_word(text))?;
        let (first, last) = variable.days(context.today)?;
        Some(Self {
            style: DateStyle::Variable(variable),
            unit: variable.unit,
            first,
            last,
            bound: variable.bound(context.today),
        })
    }

    fn new(style: DateStyle, unit: Unit, first: Date) -> Option<Self> {
        Some(Self { style, unit, first, last: unit.last(first)?, bound: Some(first) })
    }

    /// Returns the unit that the literal spans.
    pub(super) const fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the range of the literal with an operator (behaviour 1.3.4).
    ///
    /// `after:` includes the bound, and `before:` excludes it.
    pub(super) fn bounds(&self, operator: DateOperator) -> Option<Bounds> {
        Some(match operator {
            DateOperator::On => Bounds { from: Some(self.first), last: Some(self.last) },
            DateOperator::After => Bounds { from: Some(self.bound?), last: None },
            DateOperator::Before => Bounds { from: None, last: Some(self.bound?.previous_day()?) },
        })
    }

    /// Formats the shifted term `name:literal` after a space. Returns `None` outside the calendar.
    ///
    /// A literal of another unit than the shift, or that its style cannot express after the shift,
    /// is formatted in ISO form. An `on:` of a larger unit has no such form, so two bounds replace
    /// it.
    pub(super) fn shifted(
        &self,
        name: &str,
        operator: DateOperator,
        shift: Shift,
        context: &ParseContext,
    ) -> Option<String> {
        let start = shift.apply(self.start(operator)?)?;
        let iso = |day| date_format::iso(day, shift.unit.granularity(), true);
        if self.unit == shift.unit {
            // Parsing the text again shows whether the style can express it. For example, `31/12`
            // has no year, so the style cannot express the next day.
            let is_right = |text: &String| {
                Self::read(text, context).is_some_and(|back| back.start(operator) == Some(start))
            };
            let text = self
                .format_shifted(start, shift.count)
                .filter(is_right)
                .unwrap_or_else(|| iso(start));
            return Some(format!(" {name}:{text}"));
        }
        if operator != DateOperator::On {
            return Some(format!(" {name}:{}", iso(start)));
        }
        let end = shift.apply(self.last.next_day()?)?;
        Some(format!(" after:{} before:{}", iso(start), iso(end)))
    }

    /// Returns the day that a shift applies to with an operator.
    fn start(&self, operator: DateOperator) -> Option<Date> {
        if operator == DateOperator::On { Some(self.first) } else { self.bound }
    }

    /// Formats `start` in the style of the literal.
    fn format_shifted(&self, start: Date, count: i64) -> Option<String> {
        match self.style {
            DateStyle::Iso { padded } => {
                Some(date_format::iso(start, self.unit.granularity(), padded))
            }
            DateStyle::Slashes(style) => Some(style.format(start)),
            DateStyle::Variable(variable) => {
                let offset = variable.offset.checked_add(count)?;
                Some(Variable { offset, ..variable }.format())
            }
            DateStyle::Composed => None,
        }
    }
}

/// Parses an ISO day, month or year, with or without leading zeros.
///
/// Returns the first day, the unit, and whether months and days have two digits.
fn read_iso(text: &str) -> Option<(Date, Unit, bool)> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let (month, day) = (parts.next(), parts.next());
    let is_short = |part: Option<&str>| part.is_none_or(|part| (1..=2).contains(&part.len()));
    if parts.next().is_some() || !is_short(month) || !is_short(day) {
        return None;
    }
    let unit = match (month, day) {
        (None, _) => Unit::Year,
        (Some(_), None) => Unit::Month,
        (Some(_), Some(_)) => Unit::Day,
    };
    let part = |part: Option<&str>| part.map_or(Some(1), number);
    let first = from_parts(
        number(year)?.try_into().ok()?,
        part(month)?.try_into().ok()?,
        part(day)?.try_into().ok()?,
    )?;
    let padded = [month, day].into_iter().flatten().all(|part| part.len() == 2);
    Some((first, unit, padded))
}

fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}
