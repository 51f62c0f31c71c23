//! mergeTransactions.

use std::sync::Arc;

use daybook_domain::transaction::Standing;
use daybook_service::transaction;

use super::{DynOperation, Operation, fewer};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal, Transaction};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Merge {
    book: label::Book,
    items: Vec<TransactionBody>,
    /// The labels of the result and of the draft for the difference.
    new: [label::Transaction; 2],
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let count = if draw.unrestricted && draw.one_in(6) { draw.below(4) } else { 2 };
    let mut items: Vec<TransactionBody> = Vec::new();
    for _ in 0..count {
        let first = items.first().and_then(|body| body.id);
        items.push(item(draw, first));
    }
    Arc::new(Merge { book: draw.book, items, new: [draw.label(), draw.label()] })
}

/// Usually a transaction that can be merged with the first: another one, without its accounts
/// reversed.
fn item(draw: &mut Draw<'_>, first: Option<Id<label::Transaction>>) -> TransactionBody {
    let first = match first {
        Some(Id::Of(label)) => draw.state().and_then(|book| book.transactions.get(&label)).cloned(),
        Some(Id::Unknown) | None => None,
    };
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
    let id = match found {
        _ if draw.unrestricted && draw.one_in(8) => draw.pick(&[None, Some(Id::Unknown)]),
        None => Some(Id::Unknown),
        Some(label) => Some(Id::Of(label)),
    };
    // Submitted fields have precedence over stored ones (3.11.9).
    if draw.one_in(4) {
        draw.changed_transaction(id)
    } else {
        TransactionBody { id, ..TransactionBody::empty(draw.label()) }
    }
}

impl Operation for Merge {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let items = service.transaction_inputs(&self.items);
        let view = service
            .write(self.book, caller, move |tx, cx, book| transaction::merge(tx, cx, book, items));
        let view = view.map_err(Refusal::alone)?;
        service.label_new_files(self.book, caller, &self.items)?;
        view.transactions
            .iter()
            .for_each(|one| service.labels.transactions.note(one.id.get(), self.new[0]));
        service.label_new_transactions(self.book, caller, &self.new[1..])?;
        let merged = view.transactions.iter().map(|one| service.transaction(one)).collect();
        Ok(Answer::Transactions(merged, Default::default()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let merged =
            model.write(self.book, caller, may::POST, |tx| tx.merge(&self.items, self.new))?;
        Ok(Answer::Transactions(vec![merged], Default::default()))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let mut lists = fewer(&self.items);
        for index in 0..self.items.len() {
            let mut items = self.items.clone();
            let TransactionBody { id, label, .. } = items[index];
            items[index] = TransactionBody { id, ..TransactionBody::empty(label) };
            if format!("{items:?}") != format!("{:?}", self.items) {
                lists.push(items);
            }
        }
        lists
            .into_iter()
            .map(|items| Arc::new(Merge { items, ..self.clone() }) as DynOperation)
            .collect()
    }
}
