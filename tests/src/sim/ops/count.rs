//! countTransactions and countTransactionsPosted.

use std::sync::Arc;

use daybook_domain::transaction::TransactionCount;
use daybook_service::transaction::{self, SpanText};

use super::{DynOperation, Operation, list, variants};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::model::count::Span;
use crate::sim::model::query::Query;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Count(Query);

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    if draw.one_in(2) {
        return Arc::new(Count(list::query(draw)));
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
    Arc::new(Span { after, before, periodicity })
}

impl Operation for Count {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let request = service.query_text(&self.0).into();
        let count =
            service.read(caller, |tx, cx, key| transaction::count(tx, cx, key, &request))?;
        answer(count.total)
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.count(caller, &self.0)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        variants(list::smaller(&self.0).into_iter().map(Count))
    }
}

impl Operation for Span {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let Span { after, before, periodicity } = self.clone();
        let request = SpanText { after, before, periodicity: periodicity.map(str::to_owned) };
        let counts =
            service.read(caller, |tx, cx, key| transaction::counts(tx, cx, key, &request))?;
        let slices = |counts: &[TransactionCount]| -> Vec<_> {
            counts.iter().map(|count| (count.fuzzy_date(), count.total)).collect()
        };
        answer((slices(&counts.posted), slices(&counts.trashed), counts.truncated))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.counts(caller, self)?)
    }
}
