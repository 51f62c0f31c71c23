//! The range of a balance query, and the ranges before and after it (behaviour 5.8, 5.9).

use super::ParseContext;
use super::literal::{Bounds, DateLiteral, DateOperator};
use super::unit::{Periodicity, Shift, Unit};

/// A date term of a balance query.
pub(super) struct DateTerm<'a> {
    name: &'a str,
    operator: DateOperator,
    literal: DateLiteral,
    bounds: Bounds,
    text: String,
}

impl<'a> DateTerm<'a> {
    /// A date term as written; `None` when the literal means no days.
    pub(super) fn new(
        name: &'a str,
        operator: DateOperator,
        literal: DateLiteral,
        text: String,
    ) -> Option<Self> {
        Some(Self { name, operator, literal, bounds: literal.bounds(operator)?, text })
    }
}

/// A term of the range.
pub(super) enum RangeTerm<'a> {
    /// A date term.
    Date(DateTerm<'a>),
    /// `by:`, which is copied unchanged.
    By {
        /// The periodicity it asks for.
        periodicity: Periodicity,
        /// The term after a space.
        text: String,
    },
}

/// The terms of the range, in the order of the query.
pub(super) struct DateRange<'a> {
    terms: &'a [RangeTerm<'a>],
    reading: &'a ParseContext,
}

impl<'a> DateRange<'a> {
    pub(super) const fn new(terms: &'a [RangeTerm<'a>], reading: &'a ParseContext) -> Self {
        Self { terms, reading }
    }

    fn dates(&self) -> impl Iterator<Item = &DateTerm<'a>> {
        self.terms
            .iter()
            .filter_map(|term| if let RangeTerm::Date(date) = term { Some(date) } else { None })
    }

    /// The tightest bounds of all date terms.
    pub(super) fn bounds(&self) -> Bounds {
        self.dates().fold(Bounds::default(), |tightest, date| tightest.and(date.bounds))
    }

    /// The last `by:`, else the finest granularity of the dates, else monthly (behaviour 5.8).
    pub(super) fn periodicity(&self) -> Periodicity {
        let by = self.terms.iter().rev().find_map(|term| {
            if let RangeTerm::By { periodicity, .. } = term { Some(*periodicity) } else { None }
        });
        by.or_else(|| self.finest()).unwrap_or(Periodicity::Monthly)
    }

    fn finest(&self) -> Option<Periodicity> {
        self.dates().map(|date| date.literal.unit().granularity()).min()
    }

    /// The range as the query writes it.
    pub(super) fn text(&self) -> String {
        self.write(|date| Some(format!(" {}:{}", date.name, date.text)))
    }

    /// The range shifted by `steps` times its length; empty when that leaves the calendar.
    pub(super) fn shifted(&self, steps: i64) -> String {
        let Some(unit) = self.unit() else { return String::new() };
        let shift = Shift { unit, count: self.length(unit) * steps };
        self.write(|date| date.literal.shifted(date.name, date.operator, shift, self.reading))
    }

    fn write(&self, date_text: impl Fn(&DateTerm<'a>) -> Option<String>) -> String {
        if self.dates().next().is_none() {
            return String::new();
        }
        let written = self.terms.iter().map(|term| match term {
            RangeTerm::Date(date) => date_text(date),
            RangeTerm::By { text, .. } => Some(text.clone()),
        });
        written.collect::<Option<String>>().unwrap_or_default()
    }

    /// The unit the range shifts by: that of all date terms, which may be a week or a quarter, else
    /// the finest granularity.
    fn unit(&self) -> Option<Unit> {
        let first = self.dates().next()?.literal.unit();
        if self.dates().all(|date| date.literal.unit() == first) {
            Some(first)
        } else {
            self.finest().map(Unit::of)
        }
    }

    /// The length of the range with both bounds, else one unit. A range without days moves by one
    /// unit.
    fn length(&self, unit: Unit) -> i64 {
        let bounds = self.bounds();
        match (bounds.from, bounds.until()) {
            (Some(from), Some(until)) => unit.between(from, until).max(1),
            _ => 1,
        }
    }
}
