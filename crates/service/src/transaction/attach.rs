//! Files of transactions: attaching files of bodies, and removing a file from the transactions that
//! hold it (behaviour 3.2.12, 9.6).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use daybook_domain::file::{Attachment, File, FilesById};
use daybook_domain::id::FileId;
use daybook_domain::permission::Action;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{Changes, FileReference, Transaction, Verb};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::page::RowPart;

use super::save::WriteSet;
use super::{rules, sides};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::file;

/// The most bytes of properties of the files that an answer shows of transactions (behaviour 0.33).
const MAX_SHOWN: usize = 64 * 1024 * 1024;

/// The files that an answer shows of transactions.
#[derive(Debug, Clone)]
pub struct VisibleFiles {
    by_id: HashMap<FileId, File>,
    is_whole: bool,
}

impl VisibleFiles {
    pub(super) fn of(tx: &mut Tx<'_>, access: &Access, holders: &[Transaction]) -> Result<Self> {
        let held = holders.iter().flat_map(|holder| holder.files.iter().copied());
        let RowPart { rows, is_whole } = tx.files().by_ids(access, held, MAX_SHOWN)?;
        Ok(Self { by_id: rows.into_iter().map(|file| (file.id, file)).collect(), is_whole })
    }

    /// The file with that id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&File> {
        self.by_id.get(&id)
    }

    /// Whether they are all here; else their properties take too much.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// Loads what events say of the files that bodies name and that transactions hold.
pub(super) fn files_by_id(
    tx: &mut Tx<'_>,
    access: &Access,
    items: &[Changes],
    holders: &[Transaction],
) -> Result<FilesById> {
    let named =
        items.iter().flat_map(|item| item.files.iter().flatten()).filter_map(Attachment::named);
    let held = holders.iter().flat_map(|holder| holder.files.iter().copied());
    Ok(tx.files().attached(access, named.chain(held))?)
}

/// Resolves the files of a body, and returns the new files among them. A file counts as known when
/// the caller may see it, or when the transaction holds it already: a recorder may send back what
/// others attached to its draft.
pub(super) fn resolve(
    cx: &Context,
    access: &Access,
    files_by_id: &FilesById,
    mut changes: Changes,
    holder: Option<&Transaction>,
) -> Result<(Changes, Vec<File>)> {
    let mut new = Vec::new();
    let Some(given) = changes.files.take() else { return Ok((changes, new)) };
    let held = |id: FileId| holder.is_some_and(|holder| holder.files.contains(&id));
    let known = |id: FileId| {
        files_by_id
            .get(id)
            .is_some_and(|file| held(id) || access.may_touch(Action::ReadFiles, file.created_by))
    };
    let mut files = Vec::with_capacity(given.len());
    for entry in given {
        let create = |draft, content| {
            let file = file::make(cx, access, draft, content)?;
            let id = file.id;
            new.push(file);
            Ok::<_, Error>(id)
        };
        files.push(entry.resolve(known, create)?);
    }
    changes.files = Some(files);
    Ok((changes, new))
}

/// Removes a file that is about to be deleted from the transactions that hold it, none of which
/// keeps it (behaviour 9.6).
///
/// # Errors
/// [`daybook_domain::file::Refusal::TooManyHolders`].
pub(crate) fn release_file(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    removed: &File,
) -> Result<()> {
    let holders = tx
        .transactions()
        .holders_of(access, removed.id, MAX_RELEASED_TEXTS)?
        .ok_or(daybook_domain::file::Refusal::TooManyHolders)?;
    let accounts = tx.accounts().by_ids(access, sides(&holders))?;
    let mut write_set = WriteSet::with_files(files_by_id(tx, access, &[], &holders)?);
    let rules = rules(cx, access, &accounts);
    for before in holders {
        let edited = rules.without_file(before.clone(), removed.id)?;
        write_set
            .performed(&rules, Verb::Update, before, edited)
            .map_err(|_| daybook_domain::file::Refusal::TooManyHolders)?;
    }
    write_set.save(tx, cx, access, &accounts)
}

/// The first transaction that keeps a file: it is neither taken away nor given new content then
/// (behaviour 9.16). [`FileReference::check`] says why. Holders are counted before any is looked at; of
/// too many none is (behaviour 10.11).
#[derive(Debug)]
pub(crate) struct FileReferences {
    first: Option<Transaction>,
    too_many: bool,
}

impl FileReferences {
    /// Of a file that nothing is to happen to.
    pub(crate) const NOBODY: Self = Self { first: None, too_many: false };

    /// Finds it.
    pub(crate) fn find(tx: &mut Tx<'_>, access: &Access, file: FileId) -> Result<Self> {
        let most = MAX_RELEASED.saturating_add(1);
        if tx.transactions().count_holders_of(access, file, most)? > MAX_RELEASED {
            return Ok(Self { first: None, too_many: true });
        }
        let first = tx.transactions().first_keeper_of(access, file, FileReference::of(access))?;
        Ok(Self { first, too_many: false })
    }

    /// Refuses what the caller's permission is not enough for.
    pub(crate) fn check_permitted(&self, access: &Access) -> Result<()> {
        Ok(self
            .first
            .iter()
            .try_for_each(|keeper| FileReference::check_permitted(access, keeper))?)
    }

    /// Refuses what the state of the keeper, or the number of holders, does not allow.
    pub(crate) fn check(&self, access: &Access) -> Result<()> {
        if self.too_many {
            return Err(daybook_domain::file::Refusal::TooManyHolders.into());
        }
        Ok(self.first.iter().try_for_each(|keeper| FileReference::check(access, keeper))?)
    }
}
