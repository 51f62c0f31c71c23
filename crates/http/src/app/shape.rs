//! Apps as bodies and answers have them. A manifest is sent as it is kept beside its source, with
//! keys that are of no concern here: they are ignored (behaviour 9.3).

use std::collections::BTreeMap;

use daybook_domain::app::{
    App, AppFlags, AppRole, AppText, Changes, Manifest, PropertiesSchema, PropertyHints,
    PropertyHolder, Refusal,
};
use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_service::app::View;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{ApiError, RequestError};
use crate::wire::{field, objects_only};

/// A request body that is an app. The texts of the manifest are among the other keys.
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

/// The properties that an app understands of one kind of resource.
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
    /// What the body changes. `seal` seals the secret.
    ///
    /// # Errors
    /// 400 for a text that is none; what `seal` answers.
    pub(super) fn changes(
        self,
        seal: impl FnOnce(&str) -> Result<Vec<u8>, ApiError>,
    ) -> Result<Changes, ApiError> {
        let secret = match self.client_secret {
            Field::Set(secret) if secret.trim().is_empty() => Field::Clear,
            secret @ (Field::Keep | Field::Clear | Field::Set(_)) => secret,
        };
        let known = |(key, value): (String, Value)| Some((AppText::from_name(&key)?, value));
        let texts = self.others.into_iter().filter_map(known);
        Ok(Changes {
            name: self.name,
            texts: texts
                .map(|(text, value)| Ok((text, read(text, value)?)))
                .collect::<Result<_, ApiError>>()?,
            connectable: self.connectable,
            deprecated: self.deprecated,
            installable: self.installable,
            repo_private: self.repo_private,
            published: self.published,
            events: self.events.try_map(known_events)?,
            file_patterns: self.file_patterns,
            scopes: self.scopes,
            properties_schema: self.properties_schema.try_map(schema)?,
            client_secret: secret.try_map(|secret| seal(&secret))?,
        })
    }
}

/// A text. The sizes of a menu may be numbers, too (behaviour 0.10).
fn read(text: AppText, value: Value) -> Result<Option<String>, ApiError> {
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
    // Blank text clears.
    if !value.trim().is_empty() {
        text.check_word(value.trim()).map_err(not_expected)?;
    }
    Ok(Some(value))
}

/// The names of types of events.
fn known_events(names: Vec<String>) -> Result<Vec<String>, ApiError> {
    let unknown = names.iter().find(|name| EventType::from_name(name.trim()).is_none());
    let shown = unknown.map(|name| Refusal::UnknownEvent(name.chars().take(60).collect()));
    shown.map_or(Ok(names), |refusal| Err(not_expected(refusal)))
}

/// A value that is none of those there are (behaviour 0.10).
fn not_expected(refusal: Refusal) -> ApiError {
    RequestError::InvalidFormat(refusal.to_string()).into()
}

/// A schema; keys other than the four holders are ignored.
fn schema(given: BTreeMap<String, Option<HintsIn>>) -> Result<PropertiesSchema, ApiError> {
    let known = |(name, hints): (String, Option<HintsIn>)| {
        let HintsIn { keys, values } = hints?;
        let hints =
            PropertyHints { keys: keys.unwrap_or_default(), values: values.unwrap_or_default() };
        Some((PropertyHolder::from_name(&name)?, hints))
    };
    Ok(given.into_iter().filter_map(known).collect())
}

/// An app as the caller sees it. Its secret is never shown.
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

/// The properties that an app understands of one kind of resource.
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
        let shown = texts.iter().filter(|(text, _)| is_internal || !text.is_internal());
        let mut texts: BTreeMap<&'static str, String> =
            shown.map(|(text, value)| (text.as_str(), value.clone())).collect();
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
                .map(|(holder, some)| (holder.as_str(), hints(some)))
                .collect(),
            texts,
        }
    }
}
