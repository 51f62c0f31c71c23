//! The fields of snapshots, written and read.

use std::str::FromStr;

use crate::instant::Stamp;
use crate::json::{Json, Object};

/// The key of a stored snapshot that is not as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} of a snapshot cannot be read")]
pub struct Unreadable(pub &'static str);

pub(super) fn text<'o>(
    object: &'o Object,
    key: &'static str,
) -> Result<Option<&'o str>, Unreadable> {
    match object.get(key) {
        None => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Object(_)) => {
            Err(Unreadable(key))
        }
    }
}

pub(super) fn parsed<T: FromStr>(
    object: &Object,
    key: &'static str,
) -> Result<Option<T>, Unreadable> {
    text(object, key)?.map(|text| text.parse().map_err(|_| Unreadable(key))).transpose()
}

pub(super) fn flag(object: &Object, key: &'static str) -> Result<bool, Unreadable> {
    match object.get(key) {
        None => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(Json::Text(_) | Json::Number(_) | Json::List(_) | Json::Object(_)) => {
            Err(Unreadable(key))
        }
    }
}

/// Takes out an object.
pub(super) fn some_object(
    object: &mut Object,
    key: &'static str,
) -> Result<Option<Object>, Unreadable> {
    object.take(key).map(|json| json.into_object().ok_or(Unreadable(key))).transpose()
}

/// Takes out a list of objects.
pub(super) fn objects(
    object: &mut Object,
    key: &'static str,
) -> Result<Option<Vec<Object>>, Unreadable> {
    match object.take(key) {
        None => Ok(None),
        Some(Json::List(items)) => items
            .into_iter()
            .map(|item| item.into_object().ok_or(Unreadable(key)))
            .collect::<Result<_, _>>()
            .map(Some),
        Some(Json::Bool(_) | Json::Text(_) | Json::Number(_) | Json::Object(_)) => {
            Err(Unreadable(key))
        }
    }
}

pub(super) fn stamped(object: Object, stamp: &Stamp) -> Object {
    object
        .with("createdAt", Json::text(stamp.created_at.milliseconds().to_string()))
        .with("updatedAt", Json::text(stamp.updated_at.milliseconds().to_string()))
        .with_some("agentId", stamp.agent.as_deref().map(Json::text))
}

pub(super) fn some_text(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| Json::text(text))
}
