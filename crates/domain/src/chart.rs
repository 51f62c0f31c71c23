//! The chart of a book: what accounts and groups have in common.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crate::name::{Name, normalized};
use crate::property::Properties;
use crate::reason::Reason;
use crate::reference::Reference;

/// Maximum size of the accounts, groups and memberships of a book, in counted bytes (behaviour
/// 4.22, 10.14). Lists of them are not paginated.
pub const MAX_CHART: i64 = 32 * 1024 * 1024;

/// The words for an account or a group in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noun {
    singular: &'static str,
    capitalized: &'static str,
    with_article: &'static str,
}

impl Noun {
    /// The words for an account.
    pub const ACCOUNT: Self =
        Self { singular: "account", capitalized: "Account", with_article: "an account" };
    /// The words for a group.
    pub const GROUP: Self =
        Self { singular: "group", capitalized: "Group", with_article: "a group" };
}

/// Why a request about accounts or groups was refused, where both have the same rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("{} not found: {}", .0.capitalized, .1)]
    Unknown(Noun, String),
    /// Items of a batch do not exist (behaviour 3.6.5).
    #[error("{}s not found. Ids: [{}]", .0.singular, .1.join(", "))]
    UnknownIds(Noun, Vec<String>),
    /// A reference in a body matches nothing.
    #[error("{} not found: {}", .0.capitalized, .1)]
    UnknownReference(Noun, String),
    /// Another account or group has the name (behaviour 4.5).
    #[error("{} named \"{}\" already exists", .0.with_article, .1)]
    AlreadyExists(Noun, String),
    #[error("{} id or name is required", .0.singular)]
    Unnamed(Noun),
    /// The chart would be larger than [`MAX_CHART`] (behaviour 4.22).
    #[error(
        "the accounts and groups of this book would have {0} bytes of names, properties and \
         memberships together; at most {MAX_CHART} are allowed"
    )]
    TooLarge(i64),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(..) | Self::UnknownIds(..) => Reason::NotFound,
            Self::UnknownReference(..)
            | Self::AlreadyExists(..)
            | Self::Unnamed(_)
            | Self::TooLarge(_) => Reason::BadRequest,
        }
    }
}

/// An account or a group.
pub trait Item: Clone {
    /// The type of its id.
    type Id: Copy + Debug + Display + FromStr + Ord;
    /// The words for it in messages.
    const NOUN: Noun;
    /// Returns the id.
    fn id(&self) -> Self::Id;
    /// Returns the name. Its normalized form is unique in the directory of a book.
    fn name(&self) -> &Name;
    /// Returns the custom properties.
    fn properties(&self) -> &Properties;
}

/// Accounts or groups, indexed by id and by normalized name. Copies share their items.
#[derive(Debug, Clone)]
pub struct Directory<T: Item> {
    by_id: BTreeMap<T::Id, Arc<T>>,
    /// The ids by normalized name, since the first look-up by name.
    by_name: OnceLock<HashMap<String, T::Id>>,
}

impl<T: Item> Default for Directory<T> {
    fn default() -> Self {
        Self { by_id: BTreeMap::new(), by_name: OnceLock::new() }
    }
}

impl<T: Item> Directory<T> {
    /// Creates a directory of these items.
    pub fn new(items: Vec<T>) -> Self {
        let by_id = items.into_iter().map(|item| (item.id(), Arc::new(item))).collect();
        Self { by_id, by_name: OnceLock::new() }
    }

    /// Returns a directory of the items with these ids or normalized names.
    #[must_use]
    pub fn select(&self, ids: &BTreeSet<T::Id>, names: &BTreeSet<String>) -> Self {
        let named = names.iter().filter_map(|name| self.id_of(name));
        let found = ids.iter().copied().chain(named);
        let by_id = found.filter_map(|id| Some((id, Arc::clone(self.by_id.get(&id)?)))).collect();
        Self { by_id, by_name: OnceLock::new() }
    }

    /// Adds or replaces an item, for later items of a batch. Returns the replaced item.
    pub fn insert(&mut self, item: impl Into<Arc<T>>) -> Option<Arc<T>> {
        let item = item.into();
        let old = self.remove(item.id());
        if let Some(by_name) = self.by_name.get_mut() {
            by_name.insert(item.name().normalized().to_owned(), item.id());
        }
        self.by_id.insert(item.id(), item);
        old
    }

    /// Removes an item and returns it.
    pub(crate) fn remove(&mut self, id: T::Id) -> Option<Arc<T>> {
        let item = self.by_id.remove(&id)?;
        if let Some(by_name) = self.by_name.get_mut() {
            by_name.remove(item.name().normalized());
        }
        Some(item)
    }

    /// Returns the item with that id.
    pub fn get(&self, id: T::Id) -> Option<&T> {
        self.by_id.get(&id).map(Arc::as_ref)
    }

    /// Borrows the item with that id for changes of fields other than its name.
    pub(crate) fn get_mut(&mut self, id: T::Id) -> Option<&mut T> {
        self.by_id.get_mut(&id).map(Arc::make_mut)
    }

    /// Returns the item with that id.
    ///
    /// # Errors
    /// [`Refusal::Unknown`].
    pub fn require(&self, id: T::Id) -> Result<&T, Refusal> {
        self.get(id).ok_or_else(|| Refusal::Unknown(T::NOUN, id.to_string()))
    }

    /// Finds the item of a reference, by id or else by name.
    pub fn find(&self, reference: &Reference) -> Option<&T> {
        let by_id = reference.parse_id().and_then(|id| self.get(id));
        by_id.or_else(|| self.find_normalized(&reference.normalized_name()?))
    }

    /// Finds the item with that normalized name.
    pub fn find_normalized(&self, normalized: &str) -> Option<&T> {
        self.id_of(normalized).and_then(|id| self.get(id))
    }

    fn id_of(&self, normalized: &str) -> Option<T::Id> {
        let by_name = self.by_name.get_or_init(|| {
            let items = self.by_id.values();
            items.map(|item| (item.name().normalized().to_owned(), item.id())).collect()
        });
        by_name.get(normalized).copied()
    }

    /// Returns the item whose id or name is the text of a path (behaviour 4.4).
    ///
    /// # Errors
    /// [`Refusal::Unknown`].
    pub fn require_text(&self, text: &str) -> Result<&T, Refusal> {
        let found = self.find(&Reference::id_or_name(text));
        found.ok_or_else(|| Refusal::Unknown(T::NOUN, text.to_owned()))
    }

    /// Returns the id of the item that a reference in a body names.
    ///
    /// # Errors
    /// [`Refusal::UnknownReference`].
    pub fn resolve(&self, reference: &Reference) -> Result<T::Id, Refusal> {
        let found = self.find(reference).map(T::id);
        found.ok_or_else(|| Refusal::UnknownReference(T::NOUN, reference.label().to_owned()))
    }

    /// Checks that no item other than `own` has the new name, if there is one (behaviour 4.5).
    ///
    /// # Errors
    /// [`Refusal::AlreadyExists`].
    pub fn check_name(&self, name: Option<&str>, own: Option<T::Id>) -> Result<(), Refusal> {
        let found = name.and_then(|name| self.find_normalized(&normalized(name)));
        match found.filter(|other| own != Some(other.id())) {
            Some(other) => Err(Refusal::AlreadyExists(T::NOUN, other.name().as_str().to_owned())),
            None => Ok(()),
        }
    }

    /// Returns all items in order of id.
    pub fn into_items(self) -> Vec<T> {
        self.by_id.into_values().map(Arc::unwrap_or_clone).collect()
    }

    /// Iterates over all items in order of id.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.by_id.values().map(Arc::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{account, group};
    use crate::id::AccountId;

    #[test]
    fn reference_resolves_by_id_then_by_name() {
        let directory = Directory::new(vec![account(7_000_000_000, "Credit Card", &[])]);
        let find = |id: Option<&str>, name: Option<&str>| {
            let reference = Reference { id: id.map(str::to_owned), name: name.map(str::to_owned) };
            directory.find(&reference).is_some()
        };
        assert!(find(Some("7000000000"), None));
        assert!(find(Some("9000000000"), Some("credit-card")));
        assert!(find(None, Some("CREDIT card")));
        assert!(!find(Some("9000000000"), Some("Cash")));
        assert!(!find(None, None));
    }

    #[test]
    fn refusals_use_the_words_of_the_noun() {
        let directory = Directory::new(vec![account(7, "Cash", &[])]);
        let taken = directory.check_name(Some("CASH"), None).unwrap_err();
        assert_eq!(taken.to_string(), "an account named \"Cash\" already exists");
        assert_eq!(directory.check_name(Some("CASH"), Some(AccountId::new(7))), Ok(()));
        assert_eq!(directory.check_name(None, None), Ok(()));
        let unknown = Directory::new(vec![group(1, None)]).require_text("Cash").unwrap_err();
        assert_eq!(unknown.to_string(), "Group not found: Cash");
        let unknown = Refusal::UnknownIds(Noun::GROUP, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(unknown.to_string(), "groups not found. Ids: [a, b]");
    }
}
