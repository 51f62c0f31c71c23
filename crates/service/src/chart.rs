//! The chart of a book: what the use cases of accounts and of groups share.

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::{MAX_CHART, Refusal};
use daybook_domain::event::Previous;
use daybook_domain::group::Forest;
use daybook_storage::Tx;

use crate::batch;
use crate::error::{Error, Result};

/// Loads the groups of the book with the types of their accounts.
pub(crate) fn load_forest(tx: &mut Tx<'_>, access: &Access) -> Result<Forest> {
    Ok(Arc::unwrap_or_clone(tx.groups().forest(access)?))
}

/// Refuses a chart that has grown too large.
///
/// # Errors
/// [`Refusal::ChartTooLarge`].
pub(crate) fn check_size(tx: &mut Tx<'_>, access: &Access) -> Result<()> {
    match tx.accounts().chart_bytes_above(access, MAX_CHART)? {
        None => Ok(()),
        Some(bytes) => Err(Refusal::ChartTooLarge(bytes).into()),
    }
}

/// Returns whether a revision of an account or a group needs permission to write there.
///
/// A revision without changes needs none. Invalid values count as a change, because the missing
/// permission is refused first (behaviour 0.30).
pub(crate) fn needs_permission<T>(revision: &Result<(T, Previous)>) -> bool {
    !revision.as_ref().is_ok_and(|(_, previous)| previous.is_empty())
}

/// A reference that matches nothing, as its message shows it.
pub(crate) struct Unmatched(pub(crate) String);

/// Resolves the references of a batch to ids. The refusal lists all references that match nothing.
///
/// # Errors
/// Every refusal of `resolve`; `refusal` if a reference is unmatched.
pub(crate) fn resolve_all<R, I>(
    references: impl Iterator<Item = R>,
    resolve: impl Fn(&R) -> Result<std::result::Result<I, Unmatched>>,
    refusal: impl FnOnce(Vec<String>) -> Error,
) -> Result<Vec<I>> {
    let mut unmatched = Vec::new();
    let resolved = batch::each(references, |reference| {
        Ok(resolve(&reference)?.map_err(|Unmatched(shown)| unmatched.push(shown)).ok())
    })?;
    if unmatched.is_empty() {
        Ok(resolved.into_iter().flatten().collect())
    } else {
        Err(refusal(unmatched))
    }
}
