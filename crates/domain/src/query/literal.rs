//! Date literals: the values of `on:`, `after:` and `before:` (behaviour 1.3).

use time::Date;

use super::date_format::{self, DateStyle};
use super::unit::{Shift, Unit};
use super::variable::Variable;
use super::{ParseContext, slash_dates};
use crate::calendar::from_parts;

/// The operators that limit days.
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

/// A date literal: a span of days, and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateLiteral {
    style: DateStyle,
    unit: Unit,
    /// The first and last day, both inside.
    first: Date,
    last: Date,
    /// The day it means after `after:` and `before:`; `None` for a variable at the end of the
    /// calendar.
    bound: Option<Date>,
}

/// The first and last day of a range, open where `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bounds {
    /// The first day inside.
    pub(super) from: Option<Date>,
    /// The last day inside. For a range without days it may be the day before the calendar begins.
    pub(super) last: Option<Date>,
}

impl Bounds {
    /// The first day after the range; `None` also when the range ends with the calendar.
    pub(super) fn until(self) -> Option<Date> {
        self.last.and_then(Date::next_day)
    }

    /// The days in both: the tightest bounds (behaviour 1.3.4).
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            from: self.from.into_iter().chain(other.from).max(),
            last: self.last.into_iter().chain(other.last).min(),
        }
    }
}

impl DateLiteral {
    /// Reads a literal, trying the forms in the order of behaviour 1.3.1; `None` for text that is
    /// not a date of the years 1 to 9999.
    pub(super) fn read(text: &str, reading: &ParseContext) -> Option<Self> {
        let text = text.trim();
        if let Some((first, unit, padded)) = read_iso(text) {
            return Self::plain(DateStyle::Iso { padded }, unit, first);
        }
        if text.contains('/') {
            let slashed = slash_dates::read(text, reading)?;
            return Self::plain(
                slashed.style.map_or(DateStyle::Composed, DateStyle::Slashes),
                slashed.unit,
                slashed.first,
            );
        }
        let variable = Variable::read(text).or_else(|| Variable::read_word(text))?;
        let (first, last) = variable.days(reading.today)?;
        Some(Self {
            style: DateStyle::Variable(variable),
            unit: variable.unit,
            first,
            last,
            bound: variable.bound(reading.today),
        })
    }

    fn plain(style: DateStyle, unit: Unit, first: Date) -> Option<Self> {
        Some(Self { style, unit, first, last: unit.last(first)?, bound: Some(first) })
    }

    /// What the literal spans.
    pub(super) const fn unit(&self) -> Unit {
        self.unit
    }

    /// The days that an operator and the literal mean (behaviour 1.3.4): `after:` includes the
    /// bound, `before:` excludes it.
    pub(super) fn bounds(&self, operator: DateOperator) -> Option<Bounds> {
        Some(match operator {
            DateOperator::On => Bounds { from: Some(self.first), last: Some(self.last) },
            DateOperator::After => Bounds { from: Some(self.bound?), last: None },
            DateOperator::Before => Bounds { from: None, last: Some(self.bound?.previous_day()?) },
        })
    }

    /// Writes the term `name:literal` shifted, after a space. A literal of another unit than the
    /// shift, and one that its style cannot express after it, is written in ISO form. An `on:` of a
    /// larger unit has no such form, so two bounds replace it. `None` beyond the calendar.
    pub(super) fn shifted(
        &self,
        name: &str,
        operator: DateOperator,
        shift: Shift,
        reading: &ParseContext,
    ) -> Option<String> {
        let start = shift.apply(self.start(operator)?)?;
        let iso = |day| date_format::iso(day, shift.unit.granularity());
        if self.unit == shift.unit {
            // Reading the text back shows whether the style can express it: `31/12` of this year
            // has no neighbour in the next.
            let is_right = |text: &String| {
                Self::read(text, reading).is_some_and(|back| back.start(operator) == Some(start))
            };
            let text =
                self.restyled(start, shift.count).filter(is_right).unwrap_or_else(|| iso(start));
            return Some(format!(" {name}:{text}"));
        }
        if operator != DateOperator::On {
            return Some(format!(" {name}:{}", iso(start)));
        }
        let end = shift.apply(self.last.next_day()?)?;
        Some(format!(" after:{} before:{}", iso(start), iso(end)))
    }

    /// The day the literal means with an operator.
    fn start(&self, operator: DateOperator) -> Option<Date> {
        if operator == DateOperator::On { Some(self.first) } else { self.bound }
    }

    fn restyled(&self, start: Date, count: i64) -> Option<String> {
        match self.style {
            DateStyle::Iso { padded: true } => {
                Some(date_format::iso(start, self.unit.granularity()))
            }
            DateStyle::Iso { padded: false } => {
                Some(date_format::unpadded(start, self.unit.granularity()))
            }
            DateStyle::Slashes(slashes) => Some(slashes.write(start)),
            DateStyle::Variable(variable) => {
                let offset = variable.offset.checked_add(count)?;
                Some(Variable { offset, ..variable }.write())
            }
            DateStyle::Composed => None,
        }
    }
}

/// A day, month or year as in ISO 8601, also without zeros; the first day, what it spans, and
/// whether months and days have two digits.
fn read_iso(text: &str) -> Option<(Date, Unit, bool)> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let (month, day) = (parts.next(), parts.next());
    let short = |part: Option<&str>| part.is_none_or(|part| (1..=2).contains(&part.len()));
    if parts.next().is_some() || !short(month) || !short(day) {
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
