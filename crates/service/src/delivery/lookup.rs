//! Lookups that the use cases of deliveries share.

use daybook_domain::access::Access;
use daybook_domain::delivery::Refusal;
use daybook_domain::email::Email;
use daybook_domain::event::{ReadEvent, sequence_of};
use daybook_domain::id::BookKey;
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::error::Result;

/// Finds the event with this id in the book.
pub(super) fn find_event(tx: &mut Tx<'_>, access: &Access, id: &str) -> Result<ReadEvent> {
    let found = match sequence_of(id, &access.book().key) {
        Some(sequence) => tx.events().find(access, sequence)?,
        None => None,
    };
    Ok(found.ok_or_else(|| Refusal::UnknownEvent(shortened(id)))?)
}

/// Finds a book on behalf of the server, even if the book is deleted.
///
/// In a unit of work that writes, it locks the book, as always before its queues.
pub(super) fn find_book(tx: &mut Tx<'_>, book: &BookKey) -> Result<Option<BookAccess>> {
    let no_user = Email::stored(String::new());
    Ok(tx.books().load_even_deleted(book.as_str(), &no_user)?)
}

/// Shortens an unknown id for a message.
pub(super) fn shortened(id: &str) -> String {
    id.chars().take(60).collect()
}
