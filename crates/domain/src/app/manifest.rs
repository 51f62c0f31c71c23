//! What an app says about itself (behaviour 9.3).

use std::collections::BTreeMap;

use super::refusal::{MAX_ITEMS, Refusal};
use super::schema::{PropertiesSchema, checked_schema};
use super::text::AppText;
use crate::event::EventType;
use crate::field::Field;
use crate::name::Name;

/// The most characters of a file pattern or a scope.
const MAX_ITEM: usize = 255;

/// The texts of a manifest that are not blank.
pub type AppTexts = BTreeMap<AppText, String>;

/// What an app says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The name.
    pub name: Name,
    /// The other texts.
    pub texts: AppTexts,
    /// Yes and no.
    pub flags: AppFlags,
    /// The types of events that it receives.
    pub events: Vec<EventType>,
    /// Names of the files that it handles, with `*` and `?`; none means all.
    pub file_patterns: Vec<String>,
    /// The OAuth scopes it asks for.
    pub scopes: Vec<String>,
    /// The properties it understands.
    pub properties_schema: PropertiesSchema,
}

/// What an app is, yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the contract")]
pub struct AppFlags {
    /// Users may connect to it.
    pub connectable: bool,
    /// Nobody should begin to use it: lists leave it out.
    pub deprecated: bool,
    /// It may be installed in a book.
    pub installable: bool,
    /// Its source is not public.
    pub repo_private: bool,
}

impl Default for AppFlags {
    fn default() -> Self {
        Self { connectable: false, deprecated: false, installable: true, repo_private: false }
    }
}

/// The fields of a manifest in a body: absent ones stay, null, blank text and empty lists clear.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The name, which cannot be cleared.
    pub name: Option<String>,
    /// The other texts that the body has.
    pub texts: BTreeMap<AppText, Option<String>>,
    /// Users may connect to it.
    pub connectable: Field<bool>,
    /// Lists leave it out.
    pub deprecated: Field<bool>,
    /// It may be installed.
    pub installable: Field<bool>,
    /// Its source is not public.
    pub repo_private: Field<bool>,
    /// Everybody sees it; only administrators decide.
    pub published: Field<bool>,
    /// Names of types of events.
    pub events: Field<Vec<String>>,
    /// File patterns.
    pub file_patterns: Field<Vec<String>>,
    /// Scopes.
    pub scopes: Field<Vec<String>>,
    /// The properties it understands.
    pub properties_schema: Field<PropertiesSchema>,
    /// The secret of its OAuth client, sealed.
    pub client_secret: Field<Vec<u8>>,
}

impl Manifest {
    /// One that says no more than a name.
    #[must_use]
    pub fn named(name: Name) -> Self {
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

    /// A text, unless it is blank.
    #[must_use]
    pub fn text(&self, text: AppText) -> Option<&str> {
        self.texts.get(&text).map(String::as_str)
    }

    /// The manifest after an update.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn changed(self, changes: &Changes) -> Result<Self, Refusal> {
        let name = match &changes.name {
            Some(name) => Name::new(name)?,
            None => self.name,
        };
        let mut texts = self.texts;
        for (text, value) in &changes.texts {
            match value.as_deref().filter(|value| !value.trim().is_empty()) {
                Some(value) => texts.insert(*text, text.checked(value)?),
                None => texts.remove(text),
            };
        }
        let normal = AppFlags::default();
        let flag =
            |field: &Field<bool>, now, normal| field.clone().apply(Some(now)).unwrap_or(normal);
        let flags = AppFlags {
            connectable: flag(&changes.connectable, self.flags.connectable, normal.connectable),
            deprecated: flag(&changes.deprecated, self.flags.deprecated, normal.deprecated),
            installable: flag(&changes.installable, self.flags.installable, normal.installable),
            repo_private: flag(&changes.repo_private, self.flags.repo_private, normal.repo_private),
        };
        let schema = changes.properties_schema.clone().try_map(checked_schema)?;
        Ok(Self {
            name,
            texts,
            flags,
            events: listed(&changes.events, self.events, event_types)?,
            file_patterns: listed(&changes.file_patterns, self.file_patterns, |texts| {
                items("filePatterns", texts)
            })?,
            scopes: listed(&changes.scopes, self.scopes, |texts| items("scopes", texts))?,
            properties_schema: schema.apply(Some(self.properties_schema)).unwrap_or_default(),
        })
    }
}

fn listed<T>(
    field: &Field<Vec<String>>,
    now: Vec<T>,
    read: impl FnOnce(&[String]) -> Result<Vec<T>, Refusal>,
) -> Result<Vec<T>, Refusal> {
    match field {
        Field::Keep => Ok(now),
        Field::Clear => Ok(Vec::new()),
        Field::Set(texts) => read(texts),
    }
}

fn event_types(names: &[String]) -> Result<Vec<EventType>, Refusal> {
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

/// The items that are not blank, trimmed.
fn items(field: &'static str, texts: &[String]) -> Result<Vec<String>, Refusal> {
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
