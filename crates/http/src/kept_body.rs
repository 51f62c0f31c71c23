//! Bodies of answers as they are kept under idempotency keys (behaviour 0.38): compressed when they
//! are large, and cut down to ids when that is not enough.

use daybook_domain::idempotency::BodyForm;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::RequestError;

/// Most bytes that are kept as they are: most answers about one resource.
const MAX_PLAIN: usize = 4 * 1024;
/// Most bytes that are kept of what an answer says besides ids, compressed.
const MAX_COMPRESSED: usize = 1024 * 1024;
/// zstd's fastest level: its window is larger than anything that an answer repeats.
const LEVEL: i32 = 1;

/// What is kept of a body.
///
/// # Errors
/// 500 for a body that is not JSON.
pub(crate) fn keep(body: &[u8]) -> Result<(BodyForm, Vec<u8>), RequestError> {
    if body.len() <= MAX_PLAIN {
        return Ok((BodyForm::Plain, body.to_vec()));
    }
    let compressed = compress(body)?;
    if compressed.len() <= MAX_COMPRESSED {
        return Ok((BodyForm::Compressed, compressed));
    }
    let ids: IdTree = serde_json::from_slice(body).map_err(failed)?;
    Ok((BodyForm::Ids, compress(&serde_json::to_vec(&ids).map_err(failed)?)?))
}

/// The body that is sent again.
///
/// # Errors
/// 500 for what [`keep`] has not made.
pub(crate) fn restore(form: BodyForm, kept: Vec<u8>) -> Result<Vec<u8>, RequestError> {
    match form {
        BodyForm::Plain => Ok(kept),
        BodyForm::Compressed | BodyForm::Ids => zstd::decode_all(kept.as_slice()).map_err(failed),
    }
}

fn compress(bytes: &[u8]) -> Result<Vec<u8>, RequestError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> RequestError {
    RequestError::Failed(error.to_string())
}

/// What remains of JSON: of an object with an id the id, of any other value what contains such
/// objects. It is made while the text is read, so it takes no more memory than what remains.
#[derive(Debug, PartialEq)]
enum IdTree {
    /// `{"id": ...}`.
    Id(String),
    /// An object without an id.
    Object(Vec<(String, IdTree)>),
    /// An array.
    Array(Vec<IdTree>),
    /// Nothing that has an id.
    Nothing,
}

/// The value of a member named `id`.
#[derive(Deserialize)]
#[serde(untagged)]
enum IdValue {
    Text(String),
    Other(IgnoredAny),
}

struct IdTreeVisitor;

impl<'de> Visitor<'de> for IdTreeVisitor {
    type Value = IdTree;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_i64<E>(self, _: i64) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_u64<E>(self, _: u64) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_f64<E>(self, _: f64) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_str<E>(self, _: &str) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_unit<E>(self) -> Result<IdTree, E> {
        Ok(IdTree::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<IdTree, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = seq.next_element()? {
            if item != IdTree::Nothing {
                array.push(item);
            }
        }
        Ok(IdTree::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IdTree, A::Error> {
        let (mut id, mut object) = (None, Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == "id" {
                id = match map.next_value()? {
                    IdValue::Text(text) => Some(text),
                    IdValue::Other(_) => None,
                };
            } else if id.is_some() {
                map.next_value::<IgnoredAny>()?;
            } else {
                let value = map.next_value()?;
                if value != IdTree::Nothing {
                    object.push((name, value));
                }
            }
        }
        Ok(id.map_or(IdTree::Object(object), IdTree::Id))
    }
}

impl<'de> Deserialize<'de> for IdTree {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(IdTreeVisitor)
    }
}

impl Serialize for IdTree {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => {
                let mut map = writer.serialize_map(Some(1))?;
                map.serialize_entry("id", id)?;
                map.end()
            }
            Self::Object(members) => {
                let mut map = writer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
            Self::Array(items) => {
                let mut seq = writer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Nothing => writer.serialize_unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn again(body: &[u8]) -> (BodyForm, Vec<u8>, usize) {
        let (form, kept) = keep(body).unwrap();
        let length = kept.len();
        (form, restore(form, kept).unwrap(), length)
    }

    #[test]
    fn small_bodies_are_kept_as_they_are() {
        for body in ["", "{}", r#"{"id":"1","name":"Cash"}"#] {
            assert_eq!(again(body.as_bytes()), (BodyForm::Plain, body.into(), body.len()));
        }
    }

    #[test]
    fn large_bodies_are_compressed() {
        let items = vec![r#"{"id":"1","name":"Cash"}"#; 100_000].join(",");
        let body = format!(r#"{{"items":[{items}]}}"#);
        let (form, restored, length) = again(body.as_bytes());
        assert_eq!((form, restored.as_slice()), (BodyForm::Compressed, body.as_bytes()));
        assert!(length < body.len() / 100, "{length}");
    }

    #[test]
    fn of_what_does_not_become_small_the_ids_are_kept() {
        let noise = |at: usize| format!("{:x}", Sha256::digest(at.to_be_bytes()));
        let item = |at: usize| {
            let text: String = (0..4).map(|part| noise(4 * at + part)).collect();
            format!(
                r#"{{"properties":{{"id":"p","x":["{text}"]}},"id":"{at}","n":[{{"id":"in"}}]}}"#
            )
        };
        let items = (0..10_000).map(item).collect::<Vec<_>>().join(",");
        let body =
            format!(r#"{{"items":[{items},null,1.5],"count":-3,"transaction":{{"a":true}}}}"#);
        let (form, restored, length) = again(body.as_bytes());
        let ids = (0..10_000).map(|at| format!(r#"{{"id":"{at}"}}"#)).collect::<Vec<_>>().join(",");
        let wanted = format!(r#"{{"items":[{ids}],"transaction":{{}}}}"#);
        assert_eq!((form, String::from_utf8(restored).unwrap()), (BodyForm::Ids, wanted));
        assert!(length < 100_000, "{length}");
    }
}
