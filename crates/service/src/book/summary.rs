//! Books in short: with the caller's access and the counters, but without chart or collection.

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::book::Book;
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use daybook_storage::book::BookCounters;
use daybook_storage::user::User;

use crate::error::Result;

/// A book with the caller's access and its counters.
#[derive(Debug, Clone)]
pub struct BookSummary {
    /// The book and the caller's access to it.
    pub access: Access,
    /// Its posting counts and last change.
    pub counters: BookCounters,
}

/// Finds the books with these public ids that a user may read, by public id.
pub(crate) fn find_readable(
    tx: &mut Tx<'_>,
    user: &User,
    keys: &[String],
) -> Result<HashMap<String, BookSummary>> {
    let found = tx.books().by_public_ids(keys, &user.email)?;
    let summaries = found.into_iter().filter_map(|found| {
        let counters = found.counters;
        let access = found.admit(user.id, Action::ReadBook).ok()?;
        Some((access.book().key.to_string(), BookSummary { access, counters }))
    });
    Ok(summaries.collect())
}

/// Sorts books by name, ignoring case.
pub(crate) fn sort_summaries(summaries: &mut [BookSummary]) {
    sort_by_name(summaries, |summary| summary.access.book());
}

/// Sorts items by the name of their book, ignoring case.
pub(super) fn sort_by_name<T>(items: &mut [T], book: impl Fn(&T) -> &Book) {
    items.sort_by_cached_key(|item| {
        let book = book(item);
        (book.settings.name.as_str().to_lowercase(), book.id)
    });
}
