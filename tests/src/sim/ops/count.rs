//! countTransactions and countTransactionsPosted.

use std::sync::Arc;

use daybook_service::transaction::{self, SpanText};

use super::{DynOperation, Operation, list};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::count::Span;
use crate::sim::model::query::Query;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;
use crate::sim::service::warning_texts;

#[derive(Clone, Debug)]
struct Count {
    book: label::Book,
    query: Query,
}

#[derive(Clone, Debug)]
struct Counts {
    book: label::Book,
    span: Span,
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    if draw.one_in(2) {
        return Arc::new(Count { book: draw.book, query: list::query(draw) });
    }
    let (mut after, mut before) = (Some(draw.date()), Some(draw.date()));
    if draw.one_in(8) {
        // More days than the limit for filled slices.
        after = Some("2000-02-29".to_owned());
    }
    if after > before && !draw.one_in(8) {
        (after, before) = (before, after);
    }
    let mut periodicity = Some(draw.pick(&["DAILY", "MONTHLY", "YEARLY"]));
    if draw.unrestricted {
        match draw.below(8) {
            0 => after = None,
            1 => before = None,
            2 => periodicity = draw.pick(&[None, Some("daily"), Some("WEEKLY")]),
            _ => {}
        }
    }
    Arc::new(Counts { book: draw.book, span: Span { after, before, periodicity } })
}

impl Operation for Count {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let request = service.query_text(&self.query).into();
        let count = service
            .read(self.book, caller, |tx, cx, book| transaction::count(tx, cx, book, &request))?;
        let total = usize::try_from(count.total).expect("a small count");
        Ok(Answer::Count(total, warning_texts(&count.warnings)))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.count(self.book, caller, &self.query)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        list::smaller(&self.query)
            .into_iter()
            .map(|query| Arc::new(Count { book: self.book, query }) as DynOperation)
            .collect()
    }
}

impl Operation for Counts {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let Span { after, before, periodicity } = self.span.clone();
        let request = SpanText { after, before, periodicity: periodicity.map(str::to_owned) };
        let counts = service
            .read(self.book, caller, |tx, cx, book| transaction::counts(tx, cx, book, &request))?;
        let slices = |counts: &[daybook_domain::transaction::TransactionCount]| {
            counts
                .iter()
                .map(|count| {
                    (count.fuzzy_date(), usize::try_from(count.total).expect("a small count"))
                })
                .collect()
        };
        Ok(Answer::Counts {
            posted: slices(&counts.posted),
            trashed: slices(&counts.trashed),
            truncated: counts.truncated,
        })
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.counts(self.book, caller, &self.span)
    }
}
