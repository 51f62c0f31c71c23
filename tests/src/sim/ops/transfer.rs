//! transferBook, and what becomes of offers.

use std::sync::Arc;

use daybook_service::book::{self, Giving};
use daybook_service::collaborator;

use super::{Drawn, Operation};
use crate::sim::body::Email;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refused};
use crate::sim::label;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Transfer {
    book: label::Book,
    /// The row of an owner who was no collaborator.
    label: label::Collaborator,
    to: Option<Email>,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Accept,
    Decline,
    Get,
    List,
}

#[derive(Clone, Debug)]
struct Decide {
    book: label::Book,
    /// The row of an owner who was no collaborator.
    label: label::Collaborator,
    deed: Deed,
}

pub fn draw_decide(draw: &mut Draw<'_>) -> Drawn {
    let deed = draw.pick(&[
        Deed::Accept,
        Deed::Accept,
        Deed::Accept,
        Deed::Decline,
        Deed::Get,
        Deed::List,
    ]);
    // Mostly in a book that is offered to somebody.
    let offered: Vec<label::Book> = draw
        .model
        .books
        .values()
        .filter(|book| book.offer.is_some())
        .map(|book| book.label)
        .collect();
    let book = if offered.is_empty() || draw.one_in(4) { draw.book } else { draw.pick(&offered) };
    Arc::new(Decide { book, label: draw.label(), deed })
}

pub fn draw(draw: &mut Draw<'_>) -> Drawn {
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

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let to = self.to.as_ref().map(|email| service.email(email));
        let view = service.write(self.book, caller, move |tx, cx, book| {
            let giving = Giving { email: to.as_deref(), server: "" };
            book::transfer(tx, cx, book, giving)
        })?;
        note_owner(service, self.book, caller, self.label)?;
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let to = self.to.as_ref().map(|email| model.email(email));
        let book = model.transfer_book(self.book, caller, self.label, to.as_deref())?;
        Ok(Answer::Book(Box::new(book)))
    }
}

impl Operation for Decide {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self.deed {
            Deed::Accept => {
                let view = service.write(self.book, caller, book::accept_offer)?;
                note_owner(service, self.book, caller, self.label)?;
                return Ok(Answer::Book(Box::new(service.book(&view, caller))));
            }
            Deed::Decline => vec![service.write(self.book, caller, book::decline_offer)?],
            Deed::Get => vec![service.read(self.book, caller, book::get_offer)?],
            Deed::List => service.read(self.book, caller, |tx, cx, _| book::list_offers(tx, cx))?,
        };
        let mut found: Vec<_> = found.iter().map(|one| service.transfer_offer(one)).collect();
        found.sort_by_key(|offer| (offer.created, offer.book));
        Ok(Answer::TransferOffers(found))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let found = match self.deed {
            Deed::Accept => {
                let book = model.accept_offer(self.book, caller, self.label)?;
                return Ok(Answer::Book(Box::new(book)));
            }
            Deed::Decline => vec![model.decline_offer(self.book, caller)?],
            Deed::Get => vec![model.get_offer(self.book, caller)?],
            Deed::List => model.list_offers(caller),
        };
        Ok(Answer::TransferOffers(found))
    }
}

/// Who owns the book now, whose row among its collaborators may be new.
fn note_owner(
    service: &mut Service,
    book: label::Book,
    caller: &Caller,
    label: label::Collaborator,
) -> Result<(), Refused> {
    let rows = service.read(book, caller, collaborator::list)?;
    if let Some(owner) = rows.first() {
        let who = service.user_of(owner.email.as_str());
        service.labels.owners.insert(book, who);
        service.labels.collaborators.note(owner.id.get(), label);
    }
    Ok(())
}
