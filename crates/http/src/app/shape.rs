//! The wire shapes of apps.
//!
//! Clients send a manifest as it is in the source of the app. Unknown keys are ignored (behaviour
//! 9.3).

use std::collections::BTreeMap;

use daybook_domain::app::{
    App, AppFlags, AppRole, AppText, Changes, Manifest, PropertiesSchema, PropertyHints,
    PropertyHolder, Refusal,
};
use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::app::View;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{field, objects_only};

/// The body of an app. The texts of the manifest are in `others`.
#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct AppIn {
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "field")]
    connectable: Field<bool>,
    #[serde(default, deserialize_with = "field")]
    deprecated: Field<bool>,
    #[serde(default, deserialize_with = "field")]
    installable: Field<bool>,
    #[serde(default, deserialize_with = "field")]
    repo_private: Field<bool>,
    #[serde(default, deserialize_with = "field")]
    published: Field<bool>,
    #[serde(default, deserialize_with = "field")]
    events: Field<Vec<String>>,
    #[serde(default, deserialize_with = "field")]
    file_patterns: Field<Vec<String>>,
    #[serde(default, deserialize_with = "field")]
    scopes: Field<Vec<String>>,
    #[serde(default, deserialize_with = "field")]
    properties_schema: Field<BTreeMap<String, Option<HintsIn>>>,
    #[serde(default, deserialize_with = "field")]
    client_secret: Field<String>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// The properties of one kind of resource that an app uses.
#[derive(Deserialize)]
#[serde(remote = "Self")]
struct HintsIn {
    #[serde(default)]
    keys: Option<Vec<String>>,
    #[serde(default)]
    values: Option<Vec<String>>,
}

objects_only!(AppIn, HintsIn);

impl AppIn {
    /// Converts the body to changes; `seal` seals the client secret.
    ///
    /// # Errors
    /// 400 for an invalid text; the errors of `seal`.
    pub(super) fn changes(
        self,
        seal: impl FnOnce(&str) -> Result<Vec<u8>, ApiError>,
    ) -> Result<Changes, ApiError> {
        let secret = match self.client_secret {
            Field::Set(secret) if secret.trim().is_empty() => Field::Clear,
            secret @ (Field::Keep | Field::Clear | Field::Set(_)) => secret,
        };
        let mut texts = BTreeMap::new();
        for (key, value) in self.others {
            if let Some(text) = AppText::from_name(&key) {
                texts.insert(text, read_text(text, value)?);
            }
        }
        Ok(Changes {
            name: self.name,
            texts,
            connectable: self.connectable,
            deprecated: self.deprecated,
            installable: self.installable,
            repo_private: self.repo_private,
            published: self.published,
            events: self.events.try_map(check_events)?,
            file_patterns: self.file_patterns,
            scopes: self.scopes,
            properties_schema: self.properties_schema.try_map(schema)?,
            client_secret: secret.try_map(|secret| seal(&secret))?,
        })
    }
}

/// Reads the value of a text. The sizes of a menu may also be numbers (behaviour 0.10).
fn read_text(text: AppText, value: Value) -> Result<Option<String>, ApiError> {
    let value = match value {
        Value::Null => return Ok(None),
        Value::String(value) => value,
        Value::Number(value)
            if matches!(text, AppText::MenuPopupHeight | AppText::MenuPopupWidth) =>
        {
            value.to_string()
        }
        Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            let what = format!("{} must be a string", text.as_str());
            return Err(RequestError::InvalidFormat(what).into());
        }
    };
    // A blank text clears the value.
    if !value.trim().is_empty() {
        text.check_word(value.trim()).map_err(invalid_value)?;
    }
    Ok(Some(value))
}

/// Checks the names of event types.
fn check_events(names: Vec<String>) -> Result<Vec<String>, ApiError> {
    match names.iter().find(|name| EventType::from_name(name.trim()).is_none()) {
        Some(unknown) => {
            let excerpt = unknown.chars().take(60).collect();
            Err(invalid_value(Refusal::UnknownEvent(excerpt)))
        }
        None => Ok(names),
    }
}

/// Returns the error for a value that is not in its enumeration (behaviour 0.10).
fn invalid_value(refusal: Refusal) -> ApiError {
    RequestError::InvalidFormat(refusal.to_string()).into()
}

/// Converts a schema. Keys other than the four holders are ignored.
fn schema(given: BTreeMap<String, Option<HintsIn>>) -> Result<PropertiesSchema, ApiError> {
    let known = |(name, hints): (String, Option<HintsIn>)| {
        let HintsIn { keys, values } = hints?;
        let hints =
            PropertyHints { keys: keys.unwrap_or_default(), values: values.unwrap_or_default() };
        Some((PropertyHolder::from_name(&name)?, hints))
    };
    Ok(given.into_iter().filter_map(known).collect())
}

/// An app in a response, without its client secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppOut {
    id: String,
    name: String,
    owner_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner_email: Option<String>,
    published: bool,
    connectable: bool,
    deprecated: bool,
    installable: bool,
    repo_private: bool,
    events: Vec<&'static str>,
    file_patterns: Vec<String>,
    scopes: Vec<String>,
    properties_schema: BTreeMap<&'static str, HintsOut>,
    #[serde(flatten)]
    texts: BTreeMap<&'static str, String>,
}

/// The properties of one kind of resource that an app uses.
#[derive(Serialize)]
struct HintsOut {
    keys: Vec<String>,
    values: Vec<String>,
}

impl From<&View> for AppOut {
    fn from(view: &View) -> Self {
        let View { app, role, owner_email } = view;
        let is_internal = *role == AppRole::Developer;
        let App { id, owner, manifest, published, .. } = app;
        let Manifest { name, texts, flags, events, file_patterns, scopes, properties_schema } =
            manifest;
        let AppFlags { connectable, deprecated, installable, repo_private } = *flags;
        let visible = texts.iter().filter(|(text, _)| is_internal || !text.is_internal());
        let mut texts: BTreeMap<&'static str, String> =
            visible.map(|(text, value)| (text.as_str(), value.clone())).collect();
        for (text, value) in
            [(AppText::MenuText, name.as_str()), (AppText::MenuOpenMode, "SIDEBAR")]
        {
            texts.entry(text.as_str()).or_insert_with(|| value.to_owned());
        }
        let hints = |hints: &PropertyHints| HintsOut {
            keys: hints.keys.clone(),
            values: hints.values.clone(),
        };
        Self {
            id: id.to_string(),
            name: name.as_str().to_owned(),
            owner_id: owner.to_string(),
            owner_email: is_internal.then(|| owner_email.to_string()),
            published: *published,
            connectable,
            deprecated,
            installable,
            repo_private,
            events: events.iter().copied().map(EventType::as_str).collect(),
            file_patterns: file_patterns.clone(),
            scopes: scopes.clone(),
            properties_schema: properties_schema
                .iter()
                .map(|(holder, holder_hints)| (holder.as_str(), hints(holder_hints)))
                .collect(),
            texts,
        }
    }
}
