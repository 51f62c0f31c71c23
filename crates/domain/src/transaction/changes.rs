//! What a body says of a transaction, and how its sides resolve.

use std::collections::HashSet;

use crate::account::{AccountRef, Directory};
use crate::field::Field;
use crate::file::{self, Attachment};
use crate::id::{AccountId, FileId};
use crate::property::Edits;

use super::{
    MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID, Refusal, tags, unknown_account,
};

/// The fields of a create, post or update body that mean something (behaviour 9.13); texts are
/// still unread.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the transaction meant.
    pub id: Option<String>,
    /// The day as `yyyy-MM-dd`.
    pub date: Field<String>,
    /// The amount as written.
    pub amount: Field<String>,
    /// Free text.
    pub description: Field<String>,
    /// The origin account.
    pub credit: Field<AccountRef>,
    /// The destination account.
    pub debit: Field<AccountRef>,
    /// `checked` of the body.
    pub checked: bool,
    /// `draft` of the body: do not post.
    pub draft: bool,
    /// The list to put in place, when given.
    pub urls: Option<Vec<String>>,
    /// The list to put in place, when given.
    pub remote_ids: Option<Vec<String>>,
    /// The list to put in place, when given; resolved before it is recorded.
    pub files: Option<Vec<Attachment>>,
    /// Properties to merge.
    pub properties: Edits,
    /// The body carries `createdAt`: an object read earlier comes back, and absence may mean
    /// cleared.
    pub round_trip: bool,
}

/// The sides of a body after resolving them against the book's accounts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResolvedSides {
    /// The origin account.
    pub credit: Field<AccountId>,
    /// The destination account.
    pub debit: Field<AccountId>,
}

impl Changes {
    /// The account references in the body, for looking them up all at once.
    pub fn references(&self) -> impl Iterator<Item = &AccountRef> {
        [self.credit.as_ref().value(), self.debit.as_ref().value()].into_iter().flatten()
    }

    /// How many index entries the body asks for: what a transaction is found by exactly (behaviour
    /// 1.2).
    fn indexed(&self) -> usize {
        let tags = self.description.as_ref().value().map_or(0, |text| tags::of(text).len());
        let properties = self.properties.values().flatten().count();
        // A property is found by its key and by its value.
        [
            self.remote_ids.as_ref().map_or(0, Vec::len),
            self.files.as_ref().map_or(0, Vec::len),
            tags,
            properties,
            properties,
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// The sides of a create: an unknown id without a known name leaves the side empty, because
    /// objects copied from another book must not fail; an unknown name alone is refused (behaviour
    /// 3.2.6).
    ///
    /// # Errors
    /// `Account not found: X`.
    pub fn sides_of_create(&self, accounts: &Directory) -> Result<ResolvedSides, crate::Refusal> {
        let side = |field: &Field<AccountRef>| match field {
            Field::Keep | Field::Clear => Ok(Field::Clear),
            Field::Set(reference) if reference.is_blank() => Ok(Field::Clear),
            Field::Set(reference) => match accounts.find(reference) {
                Some(account) => Ok(Field::Set(account.id)),
                None if reference.id.is_some() => Ok(Field::Clear),
                None => Err(unknown_account(reference)),
            },
        };
        Ok(ResolvedSides { credit: side(&self.credit)?, debit: side(&self.debit)? })
    }

    /// The sides of an update: every reference must resolve (behaviour 3.2.6).
    ///
    /// # Errors
    /// `Account not found: X`.
    pub fn sides_of_update(&self, accounts: &Directory) -> Result<ResolvedSides, crate::Refusal> {
        let side = |field: &Field<AccountRef>| match field {
            Field::Keep => Ok(Field::Keep),
            Field::Clear => Ok(Field::Clear),
            Field::Set(reference) if reference.is_blank() => Ok(Field::Clear),
            Field::Set(reference) => accounts
                .find(reference)
                .map(|account| Field::Set(account.id))
                .ok_or_else(|| unknown_account(reference)),
        };
        Ok(ResolvedSides { credit: side(&self.credit)?, debit: side(&self.debit)? })
    }
}

/// Checks that bodies which are within their limits each (behaviour 10.9) do not together ask for
/// so many index entries that their unit of work holds everybody up.
///
/// # Errors
/// [`Refusal::TooMuchIndexed`].
///
/// ```
/// use daybook_domain::transaction::{Changes, check_indexed};
/// let properties = (0..1_000).map(|key| (format!("k{key}"), Some("v".to_owned()))).collect();
/// let full = Changes { properties, ..Changes::default() };
/// assert!(check_indexed(&vec![full.clone(); 50]).is_ok());
/// assert!(check_indexed(&vec![full; 51]).is_err());
/// ```
pub fn check_indexed(items: &[Changes]) -> Result<(), Refusal> {
    let indexed = items.iter().fold(0, |sum: usize, item| sum.saturating_add(item.indexed()));
    if indexed > MAX_INDEXED { Err(Refusal::TooMuchIndexed(indexed)) } else { Ok(()) }
}

/// Remote ids as kept: trimmed, blank ones dropped, each once, at most 256 characters (behaviour
/// 3.7.5).
///
/// # Errors
/// [`Refusal::RemoteIdTooLong`]; [`Refusal::TooMany`].
pub fn remote_ids(given: &[String]) -> Result<Vec<String>, Refusal> {
    if given.len() > MAX_LISTED {
        return Err(Refusal::TooMany("remoteIds", given.len()));
    }
    let (mut kept, mut seen) = (Vec::new(), HashSet::new());
    for id in given.iter().map(|id| id.trim()).filter(|id| !id.is_empty()) {
        if id.chars().count() > MAX_REMOTE_ID {
            return Err(Refusal::RemoteIdTooLong(id.chars().take(40).collect()));
        }
        if seen.insert(id) {
            kept.push(id.to_owned());
        }
    }
    Ok(kept)
}

/// A description as kept, within its limit.
///
/// # Errors
/// [`Refusal::DescriptionTooLong`]; [`Refusal::TooMany`] hashtags.
pub(super) fn description(text: String) -> Result<String, Refusal> {
    if text.len() > MAX_DESCRIPTION {
        return Err(Refusal::DescriptionTooLong(text.len()));
    }
    // Each is a row of an index.
    let tags = if text.len() > MAX_LISTED { tags::of(&text).len() } else { 0 };
    if tags > MAX_LISTED { Err(Refusal::TooMany("hashtags", tags)) } else { Ok(text) }
}

/// URLs as given, within their limit.
///
/// # Errors
/// [`Refusal::TooMany`].
pub(super) fn urls(given: Vec<String>) -> Result<Vec<String>, Refusal> {
    if given.len() > MAX_LISTED { Err(Refusal::TooMany("urls", given.len())) } else { Ok(given) }
}

/// The files of a create: an entry that means none is dropped, because objects copied from another
/// book must not fail (behaviour 3.2.12).
///
/// # Errors
/// [`Refusal::TooMany`].
pub(super) fn files_of_create(given: &[Attachment]) -> Result<Vec<FileId>, Refusal> {
    let known = given
        .iter()
        .filter_map(|entry| if let Attachment::File(id) = entry { Some(*id) } else { None });
    distinct(given.len(), known)
}

/// The files of an update: every entry must mean one (behaviour 3.2.12).
///
/// # Errors
/// [`Refusal::TooMany`]; [`file::Refusal::UnknownReference`].
pub(super) fn files_of_update(given: &[Attachment]) -> Result<Vec<FileId>, crate::Refusal> {
    let file = |entry: &Attachment| match entry {
        Attachment::File(id) => Ok(*id),
        Attachment::Given { .. } => Err(file::Refusal::UnknownReference(entry.shown())),
    };
    let known = given.iter().map(file).collect::<Result<Vec<_>, _>>()?;
    Ok(distinct(given.len(), known.into_iter())?)
}

/// Files within their limit.
///
/// # Errors
/// [`Refusal::TooMany`].
pub(super) fn files(given: Vec<FileId>) -> Result<Vec<FileId>, Refusal> {
    if given.len() > MAX_LISTED { Err(Refusal::TooMany("files", given.len())) } else { Ok(given) }
}

fn distinct(count: usize, ids: impl Iterator<Item = FileId>) -> Result<Vec<FileId>, Refusal> {
    if count > MAX_LISTED {
        return Err(Refusal::TooMany("files", count));
    }
    let mut kept: Vec<FileId> = Vec::new();
    for id in ids {
        if !kept.contains(&id) {
            kept.push(id);
        }
    }
    Ok(kept)
}
