//! Manifests, in which apps describe themselves (behaviour 9.3).

use std::collections::BTreeMap;

use super::refusal::{MAX_ITEMS, Refusal};
use super::schema::{PropertiesSchema, check_schema};
use super::text::AppText;
use crate::event::EventType;
use crate::field::Field;
use crate::name::Name;

/// Maximum length of a file pattern or a scope, in characters.
const MAX_ITEM: usize = 255;

/// The texts of a manifest. None is blank.
pub type AppTexts = BTreeMap<AppText, String>;

/// The description of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The name.
    pub name: Name,
    /// The texts except the name.
    pub texts: AppTexts,
    /// The flags.
    pub flags: AppFlags,
    /// The types of events it receives.
    pub events: Vec<EventType>,
    /// Glob patterns of the file names it handles. An empty list means all files.
    pub file_patterns: Vec<String>,
    /// The OAuth scopes it requests.
    pub scopes: Vec<String>,
    /// The properties it uses.
    pub properties_schema: PropertiesSchema,
}

/// The flags of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the contract")]
pub struct AppFlags {
    /// Whether users may connect to it.
    pub connectable: bool,
    /// Whether it is deprecated. Lists omit deprecated apps.
    pub deprecated: bool,
    /// Whether it may be installed in a book.
    pub installable: bool,
    /// Whether its source is private.
    pub repo_private: bool,
}

impl Default for AppFlags {
    fn default() -> Self {
        Self { connectable: false, deprecated: false, installable: true, repo_private: false }
    }
}

/// The fields of a manifest in a request body.
///
/// Absent fields keep their value. Null, blank text and empty lists clear it.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The name, which cannot be cleared.
    pub name: Option<String>,
    /// The texts in the body, except the name.
    pub texts: BTreeMap<AppText, Option<String>>,
    /// Whether users may connect to it.
    pub connectable: Field<bool>,
    /// Whether it is deprecated.
    pub deprecated: Field<bool>,
    /// Whether it may be installed.
    pub installable: Field<bool>,
    /// Whether its source is private.
    pub repo_private: Field<bool>,
    /// Whether all users see it. Ignored unless an administrator sends it.
    pub published: Field<bool>,
    /// Names of event types.
    pub events: Field<Vec<String>>,
    /// File patterns.
    pub file_patterns: Field<Vec<String>>,
    /// Scopes.
    pub scopes: Field<Vec<String>>,
    /// The properties it uses.
    pub properties_schema: Field<PropertiesSchema>,
    /// The sealed client secret.
    pub client_secret: Field<Vec<u8>>,
}

impl Manifest {
    /// Creates a manifest with a name only.
    pub fn new(name: Name) -> Self {
        Self {
            name,
            texts: AppTexts::new(),
            flags: AppFlags::default(),
            events: Vec::new(),
            file_patterns: Vec::new(),
            scopes: Vec::new(),
            properties_schema: PropertiesSchema::new(),
        }
    }

    /// Returns a text, if it is set.
    pub fn text(&self, text: AppText) -> Option<&str> {
        self.texts.get(&text).map(String::as_str)
    }

    /// Applies an update.
    ///
    /// # Errors
    /// [`Refusal`] for an invalid field.
    pub fn apply(self, changes: &Changes) -> Result<Self, Refusal> {
        let name = match &changes.name {
            Some(name) => Name::new(name)?,
            None => self.name,
        };
        let mut texts = self.texts;
        for (text, value) in &changes.texts {
            match value.as_deref().filter(|value| !value.trim().is_empty()) {
                Some(value) => texts.insert(*text, text.validate(value)?),
                None => texts.remove(text),
            };
        }
        let (current, default) = (self.flags, AppFlags::default());
        let flag = |field: &Field<bool>, current, default| {
            field.clone().apply(Some(current)).unwrap_or(default)
        };
        let flags = AppFlags {
            connectable: flag(&changes.connectable, current.connectable, default.connectable),
            deprecated: flag(&changes.deprecated, current.deprecated, default.deprecated),
            installable: flag(&changes.installable, current.installable, default.installable),
            repo_private: flag(&changes.repo_private, current.repo_private, default.repo_private),
        };
        let schema = changes.properties_schema.clone().try_map(check_schema)?;
        Ok(Self {
            name,
            texts,
            flags,
            events: apply_list(&changes.events, self.events, read_event_types)?,
            file_patterns: apply_list(&changes.file_patterns, self.file_patterns, |texts| {
                read_items("filePatterns", texts)
            })?,
            scopes: apply_list(&changes.scopes, self.scopes, |texts| read_items("scopes", texts))?,
            properties_schema: schema.apply(Some(self.properties_schema)).unwrap_or_default(),
        })
    }
}

fn apply_list<T>(
    field: &Field<Vec<String>>,
    current: Vec<T>,
    read: impl FnOnce(&[String]) -> Result<Vec<T>, Refusal>,
) -> Result<Vec<T>, Refusal> {
    match field {
        Field::Keep => Ok(current),
        Field::Clear => Ok(Vec::new()),
        Field::Set(texts) => read(texts),
    }
}

/// Reads event type names, dropping duplicates.
fn read_event_types(names: &[String]) -> Result<Vec<EventType>, Refusal> {
    let unknown = |name: &str| Refusal::UnknownEvent(name.chars().take(60).collect());
    let mut types: Vec<EventType> = Vec::new();
    for name in names {
        let found = EventType::from_name(name.trim()).ok_or_else(|| unknown(name))?;
        if !types.contains(&found) {
            types.push(found);
        }
    }
    Ok(types)
}

/// Trims the items and drops blank ones.
fn read_items(field: &'static str, texts: &[String]) -> Result<Vec<String>, Refusal> {
    let items: Vec<String> =
        texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
    if items.len() > MAX_ITEMS {
        return Err(Refusal::TooMany(field, items.len()));
    }
    match items.iter().map(|item| item.chars().count()).find(|length| *length > MAX_ITEM) {
        Some(length) => Err(Refusal::TooLong(field, length, MAX_ITEM)),
        None => Ok(items),
    }
}
