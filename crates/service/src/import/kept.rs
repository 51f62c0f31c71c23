//! Files with the parts of a journal that have no place in a book (behaviour 15.12).

use daybook_domain::field::Field;
use daybook_domain::file::{Changes, Content, File};
use daybook_domain::id::ImportId;
use daybook_domain::import::RUN_PROPERTY;
use daybook_domain::purpose::Record;
use daybook_storage::Tx;

use super::record::BookEvents;
use crate::context::Context;
use crate::error::Result;
use crate::{access, file};

/// The newest files of a book, in which the same one is looked for.
const MAX_COMPARED: i64 = 500;

/// Adds a text file of an import to a book, unless an import has added the same one before. Its
/// content is stored already.
///
/// # Errors
/// Refusals of the rules of files.
pub fn keep_file(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: ImportId,
    name: &str,
    content: Content,
) -> Result<BookEvents> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let before = tx.events().last_number(&access);
    let is_same = |file: &File| {
        file.name == name
            && file.content.digest == content.digest
            && file.properties.get(RUN_PROPERTY).is_some()
    };
    let newest = tx.files().list(&access, None, None, MAX_COMPARED)?.rows;
    if !newest.iter().any(is_same) {
        let run = (RUN_PROPERTY.to_owned(), Some(import.to_string()));
        let changes = Changes {
            name: Some(name.to_owned()),
            content_type: Field::Set("text/plain".to_owned()),
            properties: [run].into_iter().collect(),
            ..Changes::default()
        };
        file::create(tx, cx, book, changes, content)?;
    }
    Ok(BookEvents::since(tx, &access, before))
}
