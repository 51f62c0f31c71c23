//! transferBook, and accepting and declining offers.

use std::sync::Arc;

use daybook_service::book::{self, TransferRequest};
use daybook_service::collaborator;

use super::{DynOperation, Operation};
use crate::sim::body::Email;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Transfer {
    book: label::Book,
    /// The collaborator row of a new owner who was not a collaborator.
    label: label::Collaborator,
    to: Option<Email>,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Accept,
    Decline,
    Get,
    List,
}

#[derive(Clone, Debug)]
struct Decide {
    book: label::Book,
    /// The collaborator row of a new owner who was not a collaborator.
    label: label::Collaborator,
    call: Call,
}

pub fn draw_decide(draw: &mut Draw<'_>) -> DynOperation {
    let call = draw.pick(&[
        Call::Accept,
        Call::Accept,
        Call::Accept,
        Call::Decline,
        Call::Get,
        Call::List,
    ]);
    // Usually a book with an open offer.
    let offered: Vec<label::Book> = draw
        .model
        .books
        .values()
        .filter(|book| book.offer.is_some())
        .map(|book| book.label)
        .collect();
    let book = if offered.is_empty() || draw.one_in(4) { draw.book } else { draw.pick(&offered) };
    Arc::new(Decide { book, label: draw.label(), call })
}

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Transfer {
        book: draw.book,
        label: draw.label(),
        to: super::collaborator::email(draw),
    })
}

impl Operation for Transfer {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let to = self.to.as_ref().map(|email| service.email(email));
        let view = service.write(self.book, caller, move |tx, cx, book| {
            let giving = TransferRequest { email: to.as_deref(), server: "" };
            book::transfer(tx, cx, book, giving)
        })?;
        label_owner(service, self.book, caller, self.label)?;
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let to = self.to.as_ref().map(|email| model.email(email));
        let book = model.transfer_book(self.book, caller, self.label, to.as_deref())?;
        Ok(Answer::Book(Box::new(book)))
    }
}

impl Operation for Decide {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self.call {
            Call::Accept => {
                let view = service.write(self.book, caller, book::accept_offer)?;
                label_owner(service, self.book, caller, self.label)?;
                return Ok(Answer::Book(Box::new(service.book(&view, caller))));
            }
            Call::Decline => vec![service.write(self.book, caller, book::decline_offer)?],
            Call::Get => vec![service.read(self.book, caller, book::get_offer)?],
            Call::List => service.read(self.book, caller, |tx, cx, _| book::list_offers(tx, cx))?,
        };
        let mut found: Vec<_> = found.iter().map(|one| service.transfer_offer(one)).collect();
        found.sort_by_key(|offer| (offer.created, offer.book));
        Ok(Answer::TransferOffers(found))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let found = match self.call {
            Call::Accept => {
                let book = model.accept_offer(self.book, caller, self.label)?;
                return Ok(Answer::Book(Box::new(book)));
            }
            Call::Decline => vec![model.decline_offer(self.book, caller)?],
            Call::Get => vec![model.get_offer(self.book, caller)?],
            Call::List => model.list_offers(caller),
        };
        Ok(Answer::TransferOffers(found))
    }
}

/// Labels the owner's collaborator row, which may be new.
fn label_owner(
    service: &mut Service,
    book: label::Book,
    caller: &Caller,
    label: label::Collaborator,
) -> Result<(), Refusal> {
    let rows = service.read(book, caller, collaborator::list)?;
    if let Some(owner) = rows.first() {
        let who = service.user_of(owner.email.as_str());
        service.labels.owners.insert(book, who);
        service.labels.collaborators.note(owner.id.get(), label);
    }
    Ok(())
}
