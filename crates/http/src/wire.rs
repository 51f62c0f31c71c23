//! Shared wire shapes: optional fields, ids and amounts as text or number, references, lists.

use std::collections::BTreeMap;

use daybook_domain::chart;
use daybook_domain::field::Field;
use daybook_domain::instant::Stamp;
use daybook_domain::property::{Edits, Properties};
use daybook_domain::query::Warning;
use daybook_domain::reference::Reference;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, Unexpected, Visitor};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::cursor;

/// Deserializes a field that distinguishes absence, null and a value.
///
/// Use it as `#[serde(default, deserialize_with = "field")]`.
pub(crate) fn field<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<Field<T>, D::Error> {
    Option::<T>::deserialize(reader).map(|value| value.map_or(Field::Clear, Field::Set))
}

/// Deserializes a list in which null means an empty list and absence no change.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Option::<Vec<T>>::deserialize(reader).map(|list| Some(list.unwrap_or_default()))
}

/// A text that may be a JSON number, whose digits are preserved (behaviour 0.10, 3.12.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextOrNumber(pub(crate) String);

impl From<TextOrNumber> for String {
    fn from(TextOrNumber(text): TextOrNumber) -> Self {
        text
    }
}

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(reader)?;
        let text = raw.get().trim();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(Self).map_err(D::Error::custom),
            Some(b'-' | b'0'..=b'9') => Ok(Self(text.to_owned())),
            _ => Err(D::Error::custom("invalid type: expected a string or a number")),
        }
    }
}

pub(crate) use daybook_edge::objects_only;

/// Whether a body has a key, with any value, such as `createdAt` in a round trip.
pub(crate) type Present = Option<IgnoredAny>;

/// Deserializes an enumeration by its names.
pub(crate) fn one_of<'de, D: Deserializer<'de>, T>(
    reader: D,
    expected: &str,
    from_name: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    let Some(name) = Option::<String>::deserialize(reader)? else { return Ok(None) };
    match from_name(&name) {
        Some(value) => Ok(Some(value)),
        None => {
            let excerpt: String = name.chars().take(60).collect();
            Err(D::Error::custom(format!(
                "unknown value \"{excerpt}\", expected one of {expected}"
            )))
        }
    }
}

/// The properties in a body. An absent map changes nothing.
pub(crate) type PropertiesIn = Option<Edits>;

/// A reference to an account or group in a body. Everything but id and name is ignored.
#[derive(Debug, Clone, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct RefIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
}

objects_only!(RefIn);

/// Deserializes a reference like [`field`]; an empty text also clears it (behaviour 3.10.2).
pub(crate) fn reference<'de, D: Deserializer<'de>>(reader: D) -> Result<Field<RefIn>, D::Error> {
    struct ReferenceVisitor;
    impl<'de> Visitor<'de> for ReferenceVisitor {
        type Value = Field<RefIn>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(Field::Clear)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            if text.trim().is_empty() {
                Ok(Field::Clear)
            } else {
                Err(E::invalid_type(Unexpected::Str(text), &self))
            }
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            RefIn::deserialize(MapAccessDeserializer::new(map)).map(Field::Set)
        }
    }
    reader.deserialize_any(ReferenceVisitor)
}

impl RefIn {
    fn id_text(id: Option<TextOrNumber>) -> Option<String> {
        id.map(|id| id.0.trim().to_owned()).filter(|id| !id.is_empty())
    }
}

impl From<RefIn> for Reference {
    fn from(reference: RefIn) -> Self {
        Self { id: RefIn::id_text(reference.id), name: reference.name }
    }
}

/// Returns the id of a body as text. A blank one counts as absent.
pub(crate) fn id_text(id: Option<TextOrNumber>) -> Option<String> {
    RefIn::id_text(id)
}

/// Converts the value of a field.
pub(crate) fn convert<T, U: From<T>>(field: Field<T>) -> Field<U> {
    match field {
        Field::Keep => Field::Keep,
        Field::Clear => Field::Clear,
        Field::Set(value) => Field::Set(value.into()),
    }
}

/// Returns the texts of the warnings about a query (behaviour 1.1.13).
pub(crate) fn warnings(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::to_string).collect()
}

/// A list in a response; `items` is always present (behaviour 2.7).
#[derive(Serialize)]
pub(crate) struct ListOut<T> {
    pub(crate) items: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
}

impl<T> ListOut<T> {
    pub(crate) const fn complete(items: Vec<T>) -> Self {
        Self { items, cursor: None }
    }
}

/// A list whose items are created while it is serialized, so that they are never all in memory.
pub(crate) struct IterOut<F>(pub(crate) F);

impl<F, I> Serialize for IterOut<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let mut list = writer.serialize_seq(None)?;
        for item in (self.0)() {
            list.serialize_element(&item)?;
        }
        list.end()
    }
}

/// The end of a page: the cursor of the next one, if there is one.
#[derive(Serialize)]
pub(crate) struct PageEnd {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl PageEnd {
    pub(crate) fn at(cursor: Option<impl Serialize>) -> Self {
        Self { cursor: cursor.as_ref().and_then(cursor::write) }
    }
}

/// A value that is created when it is serialized.
pub(crate) struct LazyOut<F>(pub(crate) F);

impl<F, T> Serialize for LazyOut<F>
where
    F: Fn() -> serde_json::Result<T>,
    T: Serialize,
{
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        (self.0)().map_err(S::Error::custom)?.serialize(writer)
    }
}

/// The properties in a response, borrowed: always an object.
#[derive(Clone, Copy)]
pub(crate) struct PropertiesOut<'v>(pub(crate) &'v Properties);

impl PropertiesOut<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for PropertiesOut<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        writer.collect_map(self.0.iter())
    }
}

/// Returns the properties for a response: always an object.
pub(crate) fn properties(properties: &Properties) -> BTreeMap<String, String> {
    properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// The fields that name an account or a group.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NameOut<'v> {
    id: String,
    name: &'v str,
    normalized_name: &'v str,
}

impl<'v, T: chart::Item> From<&'v T> for NameOut<'v> {
    fn from(item: &'v T) -> Self {
        Self {
            id: item.id().to_string(),
            name: item.name().as_str(),
            normalized_name: item.name().normalized(),
        }
    }
}

/// The common fields of all resources.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StampOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    created_at: String,
    updated_at: String,
}

impl From<&Stamp> for StampOut {
    fn from(stamp: &Stamp) -> Self {
        let Stamp { agent, created_at, updated_at, version: _ } = stamp;
        Self {
            agent_id: agent.clone(),
            created_at: created_at.milliseconds().to_string(),
            updated_at: updated_at.milliseconds().to_string(),
        }
    }
}
