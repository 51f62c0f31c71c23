//! The chart of a book: what the use cases of accounts and of groups share.

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::chart::{Directory, Item, MAX_CHART, Refusal};
use daybook_domain::event::Previous;
use daybook_domain::group::Forest;
use daybook_domain::reference::Reference;
use daybook_storage::Tx;

use crate::batch;
use crate::error::Result;

/// Loads the groups of the book with the types of their accounts.
pub(crate) fn load_forest(tx: &mut Tx<'_>, access: &Access) -> Result<Forest> {
    Ok(Arc::unwrap_or_clone(tx.groups().forest(access)?))
}

/// Refuses a chart that has grown too large.
///
/// # Errors
/// [`Refusal::TooLarge`].
pub(crate) fn check_size(tx: &mut Tx<'_>, access: &Access) -> Result<()> {
    match tx.accounts().chart_bytes_above(access, MAX_CHART)? {
        None => Ok(()),
        Some(bytes) => Err(Refusal::TooLarge(bytes).into()),
    }
}

/// Returns whether a revision of an account or a group needs permission to write there.
///
/// A revision without changes needs none. Invalid values count as a change, because the missing
/// permission is refused first (behaviour 0.30).
pub(crate) fn needs_permission<T>(revision: &Result<(T, Previous)>) -> bool {
    !revision.as_ref().is_ok_and(|(_, previous)| previous.is_empty())
}

/// Resolves the references of a batch to ids. The refusal lists all references that match nothing.
///
/// # Errors
/// [`Refusal::Unnamed`] and [`Refusal::UnknownIds`].
pub(crate) fn resolve_targets<T: Item>(
    known: &Directory<T>,
    references: &[Reference],
) -> Result<Vec<T::Id>> {
    let mut unknown = Vec::new();
    let found = batch::each(references, |reference| {
        if reference.is_blank() {
            return Err(Refusal::Unnamed(T::NOUN).into());
        }
        let item = known.find(reference);
        if item.is_none() {
            unknown.push(reference.label().to_owned());
        }
        Ok(item.map(T::id))
    })?;
    if unknown.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(Refusal::UnknownIds(T::NOUN, unknown).into())
    }
}
