//! deleteBook, restoreBook, listBooks of deleted books, and what the worker does when the time of
//! one is over.

use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::book;

use super::{Drawn, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::deletion::DAYS;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Copy, Debug)]
enum Deed {
    Delete,
    Restore,
    List,
    /// So many milliseconds later.
    Remove(i64),
}

#[derive(Clone, Debug)]
struct Deletion {
    book: label::Book,
    deed: Deed,
}

pub fn draw_delete(draw: &mut Draw<'_>) -> Drawn {
    Arc::new(Deletion { book: draw.book, deed: Deed::Delete })
}

/// Mostly of a book that is deleted, if there is one.
pub fn draw(draw: &mut Draw<'_>) -> Drawn {
    let gone: Vec<label::Book> = draw.model.deleted.keys().copied().collect();
    let book = if gone.is_empty() || draw.one_in(8) { draw.book } else { draw.pick(&gone) };
    // At once, too, so that something still waits for apps.
    let over = i64::from(DAYS) * 24 * 3_600_000;
    let remove = if draw.one_in(2) { Deed::Remove(0) } else { Deed::Remove(over) };
    let deed = draw.pick(&[Deed::Restore, Deed::Restore, Deed::List, remove]);
    Arc::new(Deletion { book, deed })
}

impl Operation for Deletion {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match self.deed {
            Deed::Delete => {
                service.write(self.book, caller, |tx, cx, book| book::delete(tx, cx, book, DAYS))?
            }
            Deed::Restore => service.write(self.book, caller, book::restore)?,
            Deed::List => {
                let views =
                    service.read(self.book, caller, |tx, cx, _| book::list_deleted(tx, cx, ""))?;
                let shown = views.iter().map(|view| service.book(view, caller)).collect();
                return Ok(Answer::Books(shown));
            }
            Deed::Remove(later) => {
                let then = Caller { now: caller.now + later, ..caller.clone() };
                return remove(service, self.book, &then);
            }
        };
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = match self.deed {
            Deed::Delete => model.delete_book(self.book, caller)?,
            Deed::Restore => model.restore_book(self.book, caller)?,
            Deed::List => return Ok(Answer::Books(model.list_deleted_books(caller))),
            Deed::Remove(later) => {
                let removed = model.remove_book(self.book, caller.now + later);
                return Ok(Answer::Count(removed, Vec::new()));
            }
        };
        Ok(Answer::Book(Box::new(book)))
    }
}

/// As the worker does it.
fn remove(service: &Service, book: label::Book, caller: &Caller) -> Outcome {
    let now = Instant::new(caller.now);
    let begun = service.write(book, caller, move |tx, _, key| {
        book::begin_removal(tx, &BookKey::new(key.to_owned()), now)
    })?;
    if begun {
        service.take_leave(book, caller)?;
    }
    while begun
        && service.write(book, caller, |tx, _, key| {
            book::remove_portion(tx, &BookKey::new(key.to_owned()))
        })?
    {}
    Ok(Answer::Count(usize::from(begun), Vec::new()))
}
