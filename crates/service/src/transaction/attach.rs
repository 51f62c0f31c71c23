//! Files of transactions: attaching files in bodies, and removing a file from the transactions that
//! reference it (behaviour 3.2.12, 9.6).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use daybook_domain::file::{Attachment, File, FilesById};
use daybook_domain::id::{FileId, ReconciliationId};
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

/// The most bytes of file properties in a response with transactions (behaviour 0.33).
const MAX_FILE_TEXTS: usize = 64 * 1024 * 1024;

/// The files in a response with transactions.
#[derive(Debug, Clone)]
pub struct VisibleFiles {
    by_id: HashMap<FileId, File>,
    is_whole: bool,
}

impl VisibleFiles {
    pub(super) fn load(
        tx: &mut Tx<'_>,
        access: &Access,
        transactions: &[Transaction],
    ) -> Result<Self> {
        let ids = transactions.iter().flat_map(|transaction| transaction.files.iter().copied());
        let RowPart { rows, is_whole } = tx.files().by_ids(access, ids, MAX_FILE_TEXTS)?;
        Ok(Self { by_id: rows.into_iter().map(|file| (file.id, file)).collect(), is_whole })
    }

    /// Returns the file with this id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&File> {
        self.by_id.get(&id)
    }

    /// Returns whether all files are here. If not, their properties exceed the limit.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// Loads what events show of the files that bodies name and that transactions reference.
pub(super) fn files_by_id(
    tx: &mut Tx<'_>,
    access: &Access,
    items: &[Changes],
    transactions: &[Transaction],
) -> Result<FilesById> {
    let named =
        items.iter().flat_map(|item| item.files.iter().flatten()).filter_map(Attachment::file_id);
    let held = transactions.iter().flat_map(|transaction| transaction.files.iter().copied());
    Ok(tx.files().attached(access, named.chain(held))?)
}

/// Resolves the files of a body, and returns the new files among them.
///
/// A file counts as known if the caller may see it, or if `holder` references it already. So a
/// recorder may send back what others attached to their draft.
pub(super) fn resolve(
    cx: &Context,
    access: &Access,
    files_by_id: &FilesById,
    mut changes: Changes,
    holder: Option<&Transaction>,
) -> Result<(Changes, Vec<File>)> {
    let mut new_files = Vec::new();
    let Some(attachments) = changes.files.take() else { return Ok((changes, new_files)) };
    let is_held = |id: FileId| holder.is_some_and(|holder| holder.files.contains(&id));
    let may_attach = |id: FileId| {
        files_by_id
            .get(id)
            .is_some_and(|file| is_held(id) || access.may_touch(Action::ReadFiles, file.created_by))
    };
    let mut files = Vec::with_capacity(attachments.len());
    for attachment in attachments {
        let create = |draft, content| {
            let file = File::create(cx.new_file(access.user()), draft, content)?;
            let id = file.id;
            new_files.push(file);
            Ok::<_, Error>(id)
        };
        files.push(attachment.resolve(may_attach, create)?);
    }
    changes.files = Some(files);
    Ok((changes, new_files))
}

/// Removes a file that is about to be deleted from the transactions that reference it. None of them
/// may protect it (behaviour 9.6).
///
/// # Errors
/// [`daybook_domain::file::Refusal::TooManyReferences`].
pub(crate) fn release_file(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    removed: &File,
) -> Result<()> {
    let holders = tx
        .transactions()
        .referring_to(access, removed.id, MAX_RELEASED_TEXTS)?
        .ok_or(daybook_domain::file::Refusal::TooManyReferences)?;
    let accounts = tx.accounts().by_ids(access, sides(&holders))?;
    let mut write_set = WriteSet::with_files(files_by_id(tx, access, &[], &holders)?);
    let rules = rules(cx, access, &accounts);
    for before in holders {
        let edited = rules.without_file(before.clone(), removed.id)?;
        write_set
            .add_performed(&rules, Verb::Update, before, edited)
            .map_err(|_| daybook_domain::file::Refusal::TooManyReferences)?;
    }
    write_set.save(tx, cx, access, &accounts)
}

/// The first transaction, and a reconciliation, that protect a file from deletion and from new
/// content (behaviour 9.16, 14.10).
///
/// [`FileReference::check`] returns the reason. Referencing transactions are counted before any is
/// loaded, and too many are refused (behaviour 10.11).
#[derive(Debug)]
pub(crate) struct FileReferences {
    first: Option<Transaction>,
    reconciliation: Option<ReconciliationId>,
    too_many: bool,
}

impl FileReferences {
    /// No references, for a change that none could prevent.
    pub(crate) const NONE: Self = Self { first: None, reconciliation: None, too_many: false };

    /// Finds the first protecting transaction of a file.
    pub(crate) fn find(tx: &mut Tx<'_>, access: &Access, file: FileId) -> Result<Self> {
        let reconciliation = tx.reconciliations().with_file(access, file)?;
        let max = MAX_RELEASED.saturating_add(1);
        if tx.transactions().count_referring_to(access, file, max)? > MAX_RELEASED {
            return Ok(Self { first: None, reconciliation, too_many: true });
        }
        let first = tx.transactions().first_protecting(access, file, FileReference::of(access))?;
        Ok(Self { first, reconciliation, too_many: false })
    }

    /// Refuses a change that the caller's permission for the protecting transaction does not allow.
    pub(crate) fn check_permitted(&self, access: &Access) -> Result<()> {
        let Some(first) = &self.first else { return Ok(()) };
        Ok(FileReference::check_permitted(access, first)?)
    }

    /// Refuses a change that the state of the protecting transaction, a reconciliation, or the
    /// number of references does not allow.
    pub(crate) fn check(&self, access: &Access) -> Result<()> {
        if let Some(id) = self.reconciliation {
            return Err(daybook_domain::file::Refusal::OnReconciliation(id).into());
        }
        if self.too_many {
            return Err(daybook_domain::file::Refusal::TooManyReferences.into());
        }
        let Some(first) = &self.first else { return Ok(()) };
        Ok(FileReference::check(access, first)?)
    }
}
