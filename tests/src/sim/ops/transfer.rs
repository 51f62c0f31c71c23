//! transferBook.

use std::sync::Arc;

use daybook_service::{book, collaborator};

use super::{Drawn, Operation};
use crate::sim::body::Email;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
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
            book::transfer(tx, cx, book, to.as_deref())
        })?;
        let rows = service.read(self.book, caller, collaborator::list)?;
        if let Some(owner) = rows.first() {
            let who = service.user_of(owner.email.as_str());
            service.labels.owners.insert(self.book, who);
            service.labels.collaborators.note(owner.id.get(), self.label);
        }
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let to = self.to.as_ref().map(|email| model.email(email));
        let book = model.transfer_book(self.book, caller, self.label, to.as_deref())?;
        Ok(Answer::Book(Box::new(book)))
    }
}
