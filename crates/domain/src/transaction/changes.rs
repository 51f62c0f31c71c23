//! The fields of a request body about a transaction, and how its accounts are resolved.

use std::collections::HashSet;

use crate::account::{AccountRef, Directory};
use crate::field::Field;
use crate::file::{self, Attachment};
use crate::id::{AccountId, FileId};
use crate::property::Edits;

use super::{
    MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID, MAX_URL, MAX_URLS, Refusal,
    Transaction, tags,
};

/// The fields that can be written in a create, post or update body (behaviour 9.13), as unparsed
/// text.
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
    /// `checked`: also check it.
    pub checked: bool,
    /// `draft`: do not post it.
    pub draft: bool,
    /// The new URLs; `None` keeps the present ones.
    pub urls: Option<Vec<String>>,
    /// The new remote ids; `None` keeps the present ones.
    pub remote_ids: Option<Vec<String>>,
    /// The new files; `None` keeps the present ones. They are resolved before the transaction is
    /// recorded.
    pub files: Option<Vec<Attachment>>,
    /// Properties to merge.
    pub properties: Edits,
    /// Whether the body contains `createdAt`: then it is an object that the client read earlier,
    /// and an absent field may mean that it is cleared.
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
    /// Returns the account references in the body, so that all accounts can be loaded at once.
    pub fn references(&self) -> impl Iterator<Item = &AccountRef> {
        [self.credit.as_ref().value(), self.debit.as_ref().value()].into_iter().flatten()
    }

    /// Counts the index terms that the body needs (behaviour 1.2).
    fn indexed(&self) -> usize {
        let remote_ids = self.remote_ids.as_ref().map_or(0, Vec::len);
        let files = self.files.as_ref().map_or(0, Vec::len);
        let tags = self.description.as_ref().value().map_or(0, |text| tags::of(text).len());
        // A property has one term for its key and one for its value.
        let properties = self.properties.values().flatten().count();
        let terms = [remote_ids, files, tags, properties, properties];
        terms.into_iter().fold(0, usize::saturating_add)
    }

    /// Resolves the accounts of a create. If the reference has an id and neither its id nor its
    /// name is known, the side stays empty, because objects copied from another book must not fail.
    /// An unknown name without an id is refused (behaviour 3.2.6).
    ///
    /// # Errors
    /// `Account not found: X`.
    pub fn sides_of_create(&self, accounts: &Directory) -> Result<ResolvedSides, crate::Refusal> {
        let side = |field: &Field<AccountRef>| match field {
            Field::Keep | Field::Clear => Ok(Field::Clear),
            Field::Set(reference) if reference.is_blank() => Ok(Field::Clear),
            Field::Set(reference) => match accounts.resolve(reference) {
                Err(_) if reference.id.is_some() => Ok(Field::Clear),
                resolved => resolved.map(Field::Set),
            },
        };
        Ok(ResolvedSides { credit: side(&self.credit)?, debit: side(&self.debit)? })
    }

    /// Resolves the accounts of an update; each must exist (behaviour 3.2.6).
    ///
    /// # Errors
    /// `Account not found: X`.
    pub fn sides_of_update(&self, accounts: &Directory) -> Result<ResolvedSides, crate::Refusal> {
        let side = |field: &Field<AccountRef>| match field {
            Field::Keep => Ok(Field::Keep),
            Field::Clear => Ok(Field::Clear),
            Field::Set(reference) if reference.is_blank() => Ok(Field::Clear),
            Field::Set(reference) => accounts.resolve(reference).map(Field::Set),
        };
        Ok(ResolvedSides { credit: side(&self.credit)?, debit: side(&self.debit)? })
    }
}

/// Refuses bodies that need too many index terms together, even if each is within its limits
/// (behaviour 10.9): recording them in one unit of work would delay other requests.
///
/// # Errors
/// [`Refusal::TooMuchIndexed`].
///
/// ```
/// use daybook_domain::transaction::{Changes, check_index_terms};
/// let properties = (0..1_000).map(|key| (format!("k{key}"), Some("v".to_owned()))).collect();
/// let full = Changes { properties, ..Changes::default() };
/// assert!(check_index_terms(&vec![full.clone(); 50]).is_ok());
/// assert!(check_index_terms(&vec![full; 51]).is_err());
/// ```
pub fn check_index_terms(items: &[Changes]) -> Result<(), Refusal> {
    let indexed = items.iter().fold(0, |sum: usize, item| sum.saturating_add(item.indexed()));
    if indexed > MAX_INDEXED { Err(Refusal::TooMuchIndexed(indexed)) } else { Ok(()) }
}

/// Checks the number of entries of a list of a transaction.
const fn check_listed(list: &'static str, count: usize) -> Result<(), Refusal> {
    if count > MAX_LISTED { Err(Refusal::TooMany(list, count)) } else { Ok(()) }
}

/// Normalizes remote ids: trimmed, without blanks and duplicates, at most 256 characters each
/// (behaviour 3.7.5).
///
/// # Errors
/// [`Refusal::RemoteIdTooLong`]; [`Refusal::TooMany`].
pub fn remote_ids(given: &[String]) -> Result<Vec<String>, Refusal> {
    check_listed("remoteIds", given.len())?;
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
pub(super) fn description(text: String) -> Result<String, Refusal> {
    if text.len() > MAX_DESCRIPTION {
        return Err(Refusal::DescriptionTooLong(text.len()));
    }
    // Each hashtag is a row of an index.
    let tags = if text.len() > MAX_LISTED { tags::of(&text).len() } else { 0 };
    check_listed("hashtags", tags).map(|()| text)
}

/// Refuses transactions whose texts have more than `max` bytes together. A transaction that is
/// listed several times counts each time.
///
/// # Errors
/// [`Refusal::TooMuchText`].
pub fn check_texts<'t>(
    listed: impl Iterator<Item = &'t Transaction>,
    max: usize,
) -> Result<(), Refusal> {
    let bytes = listed.map(Transaction::text_bytes).fold(0, usize::saturating_add);
    if bytes > max { Err(Refusal::TooMuchText(max)) } else { Ok(()) }
}

/// Checks the number and the length of URLs.
pub(super) fn urls(given: Vec<String>) -> Result<Vec<String>, Refusal> {
    check_listed("urls", given.len())?;
    if let Some(url) = given.iter().find(|url| url.len() > MAX_URL) {
        return Err(Refusal::UrlTooLong(url.len()));
    }
    let together = given.iter().map(String::len).sum();
    if together > MAX_URLS { Err(Refusal::UrlsTooLong(together)) } else { Ok(given) }
}

/// Returns the files of a create. A reference to an unknown file is dropped, because objects copied
/// from another book must not fail (behaviour 3.2.12).
pub(super) fn files_of_create(given: &[Attachment]) -> Result<Vec<FileId>, Refusal> {
    let known = given
        .iter()
        .filter_map(|entry| if let Attachment::File(id) = entry { Some(*id) } else { None });
    distinct(given.len(), known)
}

/// Resolves the files of an update; each must exist (behaviour 3.2.12).
pub(super) fn files_of_update(given: &[Attachment]) -> Result<Vec<FileId>, crate::Refusal> {
    let file = |entry: &Attachment| match entry {
        Attachment::File(id) => Ok(*id),
        Attachment::Given { .. } => Err(file::Refusal::UnknownReference(entry.label())),
    };
    let known = given.iter().map(file).collect::<Result<Vec<_>, _>>()?;
    Ok(distinct(given.len(), known.into_iter())?)
}

/// Checks the number of files.
pub(super) fn files(given: Vec<FileId>) -> Result<Vec<FileId>, Refusal> {
    check_listed("files", given.len()).map(|()| given)
}

fn distinct(count: usize, ids: impl Iterator<Item = FileId>) -> Result<Vec<FileId>, Refusal> {
    check_listed("files", count)?;
    let mut kept: Vec<FileId> = Vec::new();
    for id in ids {
        if !kept.contains(&id) {
            kept.push(id);
        }
    }
    Ok(kept)
}
