//! mergeTransactions.

use std::sync::Arc;

use daybook_domain::transaction::Standing;
use daybook_service::{comment, transaction};

use super::{DynOperation, Operation};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, Transaction, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Merge {
    ids: Vec<Option<Id<label::Transaction>>>,
    /// The labels of the result and of the draft for the difference.
    new: [label::Transaction; 2],
    /// The labels of the copied comments.
    comments: Vec<label::Comment>,
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.unrestricted && draw.one_in(6) { draw.below(4) } else { 2 };
    let mut ids: Vec<Option<Id<label::Transaction>>> = Vec::new();
    for _ in 0..count {
        let first = ids.first().copied().flatten().and_then(Id::known);
        ids.push(item(draw, first));
    }
    let new = [draw.label(), draw.label()];
    // In a shortened trace they may have more comments.
    let commented = draw.state().map_or(0, |book| book.comments.len());
    let comments = (0..commented + 10).map(|_| draw.label()).collect();
    Arc::new(Merge { ids, new, comments })
}

/// Usually a transaction that can be merged with the first: another one, without its accounts
/// reversed.
fn item(draw: &mut Draw<'_>, first: Option<label::Transaction>) -> Option<Id<label::Transaction>> {
    let first = first.and_then(|label| draw.state()?.transactions.get(&label)).cloned();
    let any = draw.one_in(12);
    let matches = |one: &Transaction, first: &Transaction| {
        let crossed = |a: Option<label::Account>, b: Option<label::Account>| a.is_some() && a == b;
        one.label != first.label
            && !crossed(one.credit, first.debit)
            && !crossed(one.debit, first.credit)
    };
    let found = draw.transaction(|one| {
        let free = !one.trashed && one.standing != Standing::Checked;
        any || free && first.as_ref().is_none_or(|first| matches(one, first))
    });
    match found {
        _ if draw.unrestricted && draw.one_in(8) => draw.pick(&[None, Some(Id::Unknown)]),
        None => Some(Id::Unknown),
        Some(label) => Some(Id::Of(label)),
    }
}

impl Operation for Merge {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let body = |id: &Option<Id<label::Transaction>>| TransactionBody {
            id: *id,
            ..TransactionBody::empty(label::Transaction(0))
        };
        let items: Vec<TransactionBody> = self.ids.iter().map(body).collect();
        let items = service.transaction_inputs(&items);
        let view = service.write(caller, move |tx, cx, key| transaction::merge(tx, cx, key, items));
        let view = view.map_err(Refusal::alone)?;
        for one in &view.transactions {
            service.labels.note(one.id.get(), self.new[0]);
        }
        service.label_new_transactions(caller, &self.new[1..])?;
        for one in view.transactions.iter().filter(|one| one.comment_count > 0) {
            let of = one.id.to_string();
            let copied = service.read(caller, |tx, cx, key| comment::list(tx, cx, key, &of))?;
            for (comment, label) in copied.comments.iter().zip(&self.comments) {
                service.labels.note(comment.id.get(), *label);
            }
        }
        answer(service.transactions(&view))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let merged =
            model.write(caller, may::POST, |tx| tx.merge(&self.ids, self.new, &self.comments))?;
        answer(vec![merged])
    }
}
