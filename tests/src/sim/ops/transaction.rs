//! Operations on transactions.

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_domain::field::Field;
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::{Intent, Standing, Transaction, Verb};
use daybook_service::transaction;

use super::{DynOperation, Operation, fewer, simpler, variants};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::lifecycle::Order;
use crate::sim::model::transaction::RecordOptions;
use crate::sim::model::typed::{MAX_MONTHS, TypedText};
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

/// createTransaction, its batch, and the post without an id.
#[derive(Clone, Debug)]
pub struct Create {
    pub items: Vec<TransactionBody>,
    pub recording: RecordOptions,
    pub batch: bool,
}

/// A verb on transactions.
#[derive(Clone, Debug)]
struct Perform {
    order: Order,
    items: Vec<TransactionBody>,
}

#[derive(Clone, Debug)]
enum Read {
    One(Id<label::Transaction>),
    /// getTransactionsByIds (12.4).
    ByIds(Vec<Id<label::Transaction>>),
}

pub fn draw_create(draw: &mut Draw<'_>) -> DynOperation {
    let items = vec![draw.new_transaction()];
    Arc::new(Create { items, recording: recording(draw, false), batch: false })
}

pub fn draw_create_batch(draw: &mut Draw<'_>) -> DynOperation {
    let items = (0..draw.count()).map(|_| draw.new_transaction()).collect();
    Arc::new(Create { items, recording: recording(draw, false), batch: true })
}

pub fn draw_create_posted(draw: &mut Draw<'_>) -> DynOperation {
    let items = vec![draw.new_transaction()];
    Arc::new(Create { items, recording: recording(draw, true), batch: false })
}

/// RecordOptions without quick entry.
fn recording(draw: &mut Draw<'_>, post: bool) -> RecordOptions {
    RecordOptions { post, single: false, zone: None, months: draw.label() }
}

pub fn draw_perform(draw: &mut Draw<'_>) -> DynOperation {
    let order = Order { verb: verb(draw), batch: false, all: false, checked_too: false };
    Arc::new(Perform { order, items: vec![item(draw, order.verb)] })
}

pub fn draw_perform_batch(draw: &mut Draw<'_>) -> DynOperation {
    let verb = verb(draw);
    let checked_too = matches!(verb, Verb::Update | Verb::Trash) && draw.one_in(3);
    let order = Order { verb, batch: true, all: draw.one_in(4), checked_too };
    let items = (0..draw.count()).map(|_| item(draw, verb)).collect();
    Arc::new(Perform { order, items })
}

pub fn draw_get(draw: &mut Draw<'_>) -> DynOperation {
    let id = draw.transaction(|_| true).map_or(Id::Unknown, Id::Of);
    Arc::new(Read::One(id))
}

pub fn draw_named(draw: &mut Draw<'_>) -> DynOperation {
    let ids =
        (0..draw.count()).map(|_| draw.transaction(|_| true).map_or(Id::Unknown, Id::Of)).collect();
    Arc::new(Read::ByIds(ids))
}

fn verb(draw: &mut Draw<'_>) -> Verb {
    use Verb::{Check, Post, Trash, Uncheck, Untrash, Update};
    draw.pick(&[Post, Post, Update, Update, Update, Check, Check, Uncheck, Trash, Trash, Untrash])
}

/// An item for a verb; unless the draw is unrestricted, the verb is possible in its state.
fn item(draw: &mut Draw<'_>, verb: Verb) -> TransactionBody {
    let any = draw.one_in(5);
    let found = draw.transaction(|one| {
        let fits = match verb {
            Verb::Post => one.standing == Standing::Draft && !one.trashed,
            Verb::Update | Verb::Trash => !one.trashed,
            Verb::Check => one.standing == Standing::Unchecked && !one.trashed,
            Verb::Uncheck => one.standing == Standing::Checked && !one.trashed,
            Verb::Untrash => one.trashed,
        };
        any || fits
    });
    let id = match found {
        _ if draw.unrestricted && draw.one_in(8) => draw.pick(&[None, Some(Id::Unknown)]),
        None => Some(Id::Unknown),
        Some(label) => Some(Id::Of(label)),
    };
    match verb {
        Verb::Update => draw.changed_transaction(id),
        Verb::Post if draw.one_in(2) => draw.changed_transaction(id),
        // The other verbs read only the id (3.4.4).
        Verb::Post | Verb::Check | Verb::Uncheck | Verb::Trash | Verb::Untrash => {
            TransactionBody { id, ..TransactionBody::empty(draw.label()) }
        }
    }
}

impl Operation for Create {
    fn applies(&self, model: &Model, caller: &Caller) -> bool {
        let mut texts = self.items.iter().filter_map(|body| body.text.as_ref());
        let book = model.books.get(&caller.book);
        texts.all(|text| book.is_some_and(|book| text.fits(book)))
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let items = service.transaction_inputs(&self.items);
        let RecordOptions { post, single, zone, months } = self.recording.clone();
        let recording = transaction::CreateMode {
            intent: if post { Intent::Post } else { Intent::Create },
            single,
            zone,
            quick_entries_are_read: false,
        };
        let view = service.write(caller, move |tx, cx, key| {
            let typed = items.first().filter(|_| single).cloned();
            let zone = recording.zone.clone();
            let said = typed.map(|body| transaction::preview(tx, cx, key, body, zone));
            let has_files = items.iter().any(|item| item.files.is_some());
            let made = transaction::create(tx, cx, key, items, recording);
            if let Some(said) = said {
                check_preview(&said, &made, has_files);
            }
            made
        });
        let view = alone(view, self.batch)?;
        for (found, body) in view.transactions.iter().zip(&self.items) {
            service.labels.note(found.id.get(), body.label);
        }
        service.label_new_files(caller, &self.items)?;
        if single {
            let drafts: Vec<_> =
                (0..MAX_MONTHS).map(|month| label::Transaction(months.0 + month)).collect();
            service.label_new_transactions(caller, &drafts)?;
        }
        let masked = view.masked.keys().map(|id| service.labels.label(id.get()));
        answer((service.transactions(&view), masked.collect::<BTreeSet<label::Transaction>>()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let required = if self.recording.post { may::POST } else { may::RECORD };
        let recorded = model.write(caller, required, |tx| tx.record(&self.items, &self.recording));
        answer(alone(recorded, self.batch)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let fewer = simpler(&self.items, silenced).into_iter();
        variants(fewer.map(|items| Create { items, ..self.clone() }))
    }
}

/// 3.15.1: a preview is what the create then records, or its refusal. It does not read files.
fn check_preview(
    said: &daybook_service::Result<transaction::Preview>,
    made: &daybook_service::Result<transaction::View>,
    has_files: bool,
) {
    let (said, made) = match (said, made) {
        (Ok(said), Ok(made)) => (&said.view, made),
        (Err(said), Err(made)) => {
            assert!(has_files || said.to_string() == made.to_string(), "3.15.1: {said}, {made}");
            return;
        }
        (Ok(_), Err(_)) if has_files => return,
        (said, made) => panic!("3.15.1: a preview says {said:?}, a create {made:?}"),
    };
    let unrecorded = |view: &transaction::View| {
        let one = view.transactions.first().expect("one transaction").clone();
        Transaction { id: TransactionId::new(0), files: Vec::new(), ..one }
    };
    assert_eq!(unrecorded(said), unrecorded(made), "3.15.1");
    assert_eq!(said.known, made.known, "3.15.1");
}

impl Operation for Perform {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let Order { verb, batch, all, checked_too } = self.order;
        let order = if batch {
            transaction::VerbRequest { all, ..transaction::VerbRequest::batch(verb, checked_too) }
        } else {
            transaction::VerbRequest::single(verb)
        };
        let items = service.transaction_inputs(&self.items);
        let view = service
            .write(caller, move |tx, cx, key| transaction::perform(tx, cx, key, order, items));
        let view = alone(view, batch)?;
        service.label_new_files(caller, &self.items)?;
        answer((service.transactions(&view), view.skipped))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let done =
            model.write(caller, self.order.required(), |tx| tx.perform(self.order, &self.items));
        answer(alone(done, self.order.batch)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let fewer = simpler(&self.items, silenced).into_iter();
        variants(fewer.map(|items| Perform { items, ..self.clone() }))
    }
}

impl Operation for Read {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match self {
            Read::One(id) => {
                let id = service.labels.text(*id);
                let view =
                    service.read(caller, |tx, cx, key| transaction::get(tx, cx, key, &id))?;
                answer(service.transactions(&view))
            }
            Read::ByIds(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| service.labels.text(*id)).collect();
                let listed = service
                    .read(caller, |tx, cx, key| transaction::list_by_ids(tx, cx, key, &ids))?;
                answer(service.transactions(&listed.view))
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.enter(caller, may::READ_TRANSACTIONS)?;
        let ids = match self {
            Read::One(id) => std::slice::from_ref(id),
            Read::ByIds(ids) => ids,
        };
        let get = |id: &Id<label::Transaction>| model.get_transaction(caller, id.known());
        answer(ids.iter().map(get).collect::<Result<Vec<_>, Refusal>>()?)
    }
}

fn alone<T>(outcome: Result<T, Refusal>, batch: bool) -> Result<T, Refusal> {
    if batch { outcome } else { outcome.map_err(Refusal::alone) }
}

/// Variants of a body, each without one field.
fn silenced(body: &TransactionBody) -> Vec<TransactionBody> {
    let mut simple = Vec::new();
    let mut push = |change: &dyn Fn(&mut TransactionBody) -> bool| {
        let mut changed = body.clone();
        if change(&mut changed) {
            simple.push(changed);
        }
    };
    fn keep<T>(field: &mut Field<T>) -> bool {
        !matches!(std::mem::take(field), Field::Keep)
    }
    push(&|body| keep(&mut body.date));
    push(&|body| keep(&mut body.amount));
    push(&|body| {
        body.text = None;
        keep(&mut body.description)
    });
    for pieces in body.text.iter().flat_map(|text| fewer(&text.0)) {
        push(&|body| {
            let text = TypedText(pieces.clone());
            body.description = Field::Set(text.text());
            body.text = Some(text);
            true
        });
    }
    push(&|body| keep(&mut body.credit));
    push(&|body| keep(&mut body.debit));
    push(&|body| std::mem::take(&mut body.checked));
    push(&|body| std::mem::take(&mut body.draft));
    push(&|body| std::mem::take(&mut body.round_trip));
    push(&|body| body.urls.take().is_some());
    push(&|body| body.remote_ids.take().is_some());
    push(&|body| body.files.take().is_some());
    push(&|body| !std::mem::take(&mut body.properties).is_empty());
    simple
}
