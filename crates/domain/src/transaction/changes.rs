//! The fields of a body of a transaction, and how its accounts are resolved.

use std::collections::HashSet;

use crate::account::{AccountRef, Directory};
use crate::field::Field;
use crate::file::{self, Attachment};
use crate::id::{AccountId, FileId};
use crate::property::Edits;

use super::{
    MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID, MAX_URL, MAX_URLS, Refusal,
    Transaction, tags, unknown_account,
};

/// The fields of a create, post or update body that have a meaning (behaviour 9.13), as text that
/// is not yet read.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the transaction.
    pub id: Option<String>,
    /// The day as `yyyy-MM-dd`.
    pub date: Field<String>,
    /// The amount, as written.
    pub amount: Field<String>,
    /// The description.
    pub description: Field<String>,
    /// The credit account.
    pub credit: Field<AccountRef>,
    /// The debit account.
    pub debit: Field<AccountRef>,
    /// `checked`: check it too.
    pub checked: bool,
    /// `draft`: do not post it.
    pub draft: bool,
    /// The new list, when given.
    pub urls: Option<Vec<String>>,
    /// The new list, when given.
    pub remote_ids: Option<Vec<String>>,
    /// The list to put in place, when given; resolved before it is recorded.
    pub files: Option<Vec<Attachment>>,
    /// Properties to merge.
    pub properties: Edits,
    /// Whether the body contains `createdAt`: it is an object read earlier, in which an absent
    /// field may mean cleared.
    pub round_trip: bool,
}

/// The accounts of a body after resolving them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResolvedSides {
    /// The credit account.
    pub credit: Field<AccountId>,
    /// The debit account.
    pub debit: Field<AccountId>,
}

impl Changes {
    /// The account references in the body, for loading all at once.
    pub fn references(&self) -> impl Iterator<Item = &AccountRef> {
        [self.credit.as_ref().value(), self.debit.as_ref().value()].into_iter().flatten()
    }

    /// How many index terms the body needs (behaviour 1.2).
    fn indexed(&self) -> usize {
        let tags = self.description.as_ref().value().map_or(0, |text| tags::of(text).len());
        let properties = self.properties.values().flatten().count();
        // A property has one term for its key and one for its value.
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

    /// The accounts of a create. An unknown id without a known name leaves the side empty, because
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

    /// The accounts of an update; every reference must name one (behaviour 3.2.6).
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

/// Checks that bodies which are each within their limits (behaviour 10.9) do not together need so
/// many index terms that their unit of work delays others.
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

/// Remote ids as stored: trimmed, without blank ones, each once, at most 256 characters (behaviour
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

/// Checks a description and the number of its hashtags.
///
/// # Errors
/// [`Refusal::DescriptionTooLong`]; [`Refusal::TooMany`] hashtags.
pub(super) fn description(text: String) -> Result<String, Refusal> {
    if text.len() > MAX_DESCRIPTION {
        return Err(Refusal::DescriptionTooLong(text.len()));
    }
    // Each hashtag is a row of an index.
    let tags = if text.len() > MAX_LISTED { tags::of(&text).len() } else { 0 };
    if tags > MAX_LISTED { Err(Refusal::TooMany("hashtags", tags)) } else { Ok(text) }
}

/// Refuses transactions with too many bytes of texts together. One that is named several times
/// counts each time.
///
/// # Errors
/// [`Refusal::TooMuchText`].
pub fn check_texts<'t>(
    named: impl Iterator<Item = &'t Transaction>,
    most: usize,
) -> Result<(), Refusal> {
    let texts = named.map(Transaction::texts).fold(0, usize::saturating_add);
    if texts > most { Err(Refusal::TooMuchText(most)) } else { Ok(()) }
}

/// Checks the number of URLs, and how long they are.
///
/// # Errors
/// [`Refusal::TooMany`], [`Refusal::UrlTooLong`], [`Refusal::UrlsTooLong`].
pub(super) fn urls(given: Vec<String>) -> Result<Vec<String>, Refusal> {
    if given.len() > MAX_LISTED {
        return Err(Refusal::TooMany("urls", given.len()));
    }
    if let Some(url) = given.iter().find(|url| url.len() > MAX_URL) {
        return Err(Refusal::UrlTooLong(url.len()));
    }
    let together = given.iter().map(String::len).sum();
    if together > MAX_URLS { Err(Refusal::UrlsTooLong(together)) } else { Ok(given) }
}

/// The files of a create. An entry that names no file is dropped, because objects copied from
/// another book must not fail (behaviour 3.2.12).
///
/// # Errors
/// [`Refusal::TooMany`].
pub(super) fn files_of_create(given: &[Attachment]) -> Result<Vec<FileId>, Refusal> {
    let known = given
        .iter()
        .filter_map(|entry| if let Attachment::File(id) = entry { Some(*id) } else { None });
    distinct(given.len(), known)
}

/// The files of an update; every entry must name one (behaviour 3.2.12).
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

/// Checks the number of files.
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
