//! The range of a balance query, and the previous and next range (behaviour 5.8, 5.9).

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
    /// Creates a date term; `None` when the literal has no bound.
    pub(super) fn new(
        name: &'a str,
        operator: DateOperator,
        literal: DateLiteral,
        text: String,
    ) -> Option<Self> {
        Some(Self { name, operator, literal, bounds: literal.bounds(operator)?, text })
    }
}

pub(super) enum RangeTerm<'a> {
    Date(DateTerm<'a>),
    /// A `by:` term, which is copied unchanged.
    By {
        /// The requested periodicity.
        periodicity: Periodicity,
        /// The term after a space.
        text: String,
    },
}

/// The terms of the range, in the order of the query.
pub(super) struct DateRange<'a> {
    terms: &'a [RangeTerm<'a>],
    context: &'a ParseContext,
}

impl<'a> DateRange<'a> {
    pub(super) const fn new(terms: &'a [RangeTerm<'a>], context: &'a ParseContext) -> Self {
        Self { terms, context }
    }

    fn dates(&self) -> impl Iterator<Item = &DateTerm<'a>> {
        self.terms
            .iter()
            .filter_map(|term| if let RangeTerm::Date(date) = term { Some(date) } else { None })
    }

    /// Returns the intersection of all date terms.
    pub(super) fn bounds(&self) -> Bounds {
        self.dates().fold(Bounds::default(), |bounds, date| bounds.intersect(date.bounds))
    }

    /// Returns the periodicity of the last `by:`, or else the finest one of the dates, or else
    /// monthly (behaviour 5.8).
    pub(super) fn periodicity(&self) -> Periodicity {
        let by = self.terms.iter().rev().find_map(|term| {
            if let RangeTerm::By { periodicity, .. } = term { Some(*periodicity) } else { None }
        });
        by.or_else(|| self.finest()).unwrap_or(Periodicity::Monthly)
    }

    fn finest(&self) -> Option<Periodicity> {
        self.dates().map(|date| date.literal.unit().granularity()).min()
    }

    /// Formats the range as in the query.
    pub(super) fn text(&self) -> String {
        self.format(|date| Some(format!(" {}:{}", date.name, date.text)))
    }

    /// Formats the range shifted by `steps` times its length; empty outside the calendar.
    pub(super) fn shifted(&self, steps: i64) -> String {
        let Some(unit) = self.unit() else { return String::new() };
        let shift = Shift { unit, count: self.length(unit) * steps };
        self.format(|date| date.literal.shifted(date.name, date.operator, shift, self.context))
    }

    fn format(&self, date_text: impl Fn(&DateTerm<'a>) -> Option<String>) -> String {
        if self.dates().next().is_none() {
            return String::new();
        }
        let texts = self.terms.iter().map(|term| match term {
            RangeTerm::Date(date) => date_text(date),
            RangeTerm::By { text, .. } => Some(text.clone()),
        });
        texts.collect::<Option<String>>().unwrap_or_default()
    }

    /// Returns the unit of a shift: the common unit of all date terms, or else the finest
    /// granularity.
    fn unit(&self) -> Option<Unit> {
        let first = self.dates().next()?.literal.unit();
        if self.dates().all(|date| date.literal.unit() == first) {
            Some(first)
        } else {
            self.finest().map(Unit::of)
        }
    }

    /// Returns the length of the range in units. Open and empty ranges have length 1.
    fn length(&self, unit: Unit) -> i64 {
        let bounds = self.bounds();
        match (bounds.from, bounds.until()) {
            (Some(from), Some(until)) => unit.between(from, until).max(1),
            _ => 1,
        }
    }
}
