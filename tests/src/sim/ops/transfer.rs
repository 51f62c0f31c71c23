//! transferBook, and accepting and declining offers.

use std::sync::Arc;

use daybook_service::book::{self, TransferRequest};
use daybook_service::collaborator;

use super::{DynOperation, Operation};
use crate::sim::body::Email;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

/// The label is for the collaborator row of a new owner who was not a collaborator.
#[derive(Clone, Debug)]
enum Transfers {
    Transfer(label::Collaborator, Option<Email>),
    Accept(label::Collaborator),
    Decline,
    Get,
    List,
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Transfers::Transfer(draw.label(), super::collaborator::email(draw)))
}

pub fn draw_decide(draw: &mut Draw<'_>) -> DynOperation {
    // Usually a book with an open offer.
    let offered = draw.model.books.values().filter(|book| book.offer.is_some());
    let offered: Vec<label::Book> = offered.map(|book| book.label).collect();
    if !draw.one_in(4) {
        draw.book = draw.one_of(&offered).unwrap_or(draw.book);
    }
    Arc::new(match draw.below(6) {
        0..3 => Transfers::Accept(draw.label()),
        3 => Transfers::Decline,
        4 => Transfers::Get,
        _ => Transfers::List,
    })
}

impl Operation for Transfers {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            Transfers::Transfer(label, to) => {
                let to = to.as_ref().map(|email| service.email(email));
                let view = service.write(caller, move |tx, cx, key| {
                    let giving = TransferRequest { email: to.as_deref(), server: "" };
                    book::transfer(tx, cx, key, giving)
                })?;
                label_owner(service, caller, *label)?;
                return answer(service.book(&view, caller));
            }
            Transfers::Accept(label) => {
                let view = service.write(caller, book::accept_offer)?;
                label_owner(service, caller, *label)?;
                return answer(service.book(&view, caller));
            }
            Transfers::Decline => vec![service.write(caller, book::decline_offer)?],
            Transfers::Get => vec![service.read(caller, book::get_offer)?],
            Transfers::List => service.read(caller, |tx, cx, _| book::list_offers(tx, cx))?,
        };
        let mut found = service.all(&found, Service::transfer_offer);
        found.sort_by_key(|offer| (offer.created, offer.book));
        answer(found)
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Transfers::Transfer(label, to) => {
                let to = to.as_ref().map(|email| model.email(email));
                return answer(model.transfer_book(caller, *label, to.as_deref())?);
            }
            Transfers::Accept(label) => return answer(model.accept_offer(caller, *label)?),
            Transfers::Decline => vec![model.decline_offer(caller)?],
            Transfers::Get => vec![model.get_offer(caller)?],
            Transfers::List => model.list_offers(caller),
        })
    }
}

/// Labels the owner's collaborator row, which may be new.
fn label_owner(
    service: &mut Service,
    caller: &Caller,
    label: label::Collaborator,
) -> Result<(), Refusal> {
    let rows = service.read(caller, collaborator::list)?;
    if let Some(owner) = rows.first() {
        let who = service.user_of(owner.email.as_str());
        service.labels.owners.insert(caller.book, who);
        service.labels.note(owner.id.get(), label);
    }
    Ok(())
}
