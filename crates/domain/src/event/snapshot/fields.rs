//! Reading and writing of fields of snapshots.

use std::str::FromStr;

use crate::instant::Stamp;
use crate::json::{Json, Object};

/// A key of a stored snapshot with an unexpected value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} of a snapshot cannot be read")]
pub struct Unreadable(pub &'static str);

/// Returns a text field.
pub(super) fn read_text<'o>(
    object: &'o Object,
    key: &'static str,
) -> Result<Option<&'o str>, Unreadable> {
    object.get(key).map(|json| json.as_text().ok_or(Unreadable(key))).transpose()
}

/// Parses a text field.
pub(super) fn parse_text<T: FromStr>(
    object: &Object,
    key: &'static str,
) -> Result<Option<T>, Unreadable> {
    read_text(object, key)?.map(|text| text.parse().map_err(|_| Unreadable(key))).transpose()
}

/// Returns a flag, which is false when absent.
pub(super) fn read_flag(object: &Object, key: &'static str) -> Result<bool, Unreadable> {
    match object.get(key) {
        None => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(Json::Text(_) | Json::Number(_) | Json::List(_) | Json::Object(_)) => {
            Err(Unreadable(key))
        }
    }
}

/// Removes and returns an object.
pub(super) fn take_object(
    object: &mut Object,
    key: &'static str,
) -> Result<Option<Object>, Unreadable> {
    object.remove(key).map(|json| json.into_object().ok_or(Unreadable(key))).transpose()
}

/// Removes and returns a list of objects.
pub(super) fn take_objects(
    object: &mut Object,
    key: &'static str,
) -> Result<Option<Vec<Object>>, Unreadable> {
    let Some(json) = object.remove(key) else { return Ok(None) };
    let Json::List(items) = json else { return Err(Unreadable(key)) };
    let objects = items.into_iter().map(|item| item.into_object().ok_or(Unreadable(key)));
    objects.collect::<Result<_, _>>().map(Some)
}

/// Adds the times and the app of a resource.
pub(super) fn with_stamp(object: Object, stamp: &Stamp) -> Object {
    object
        .with("createdAt", Json::text(stamp.created_at.milliseconds().to_string()))
        .with("updatedAt", Json::text(stamp.updated_at.milliseconds().to_string()))
        .with_some("agentId", stamp.agent.as_deref().map(Json::text))
}

/// Returns a text unless it is empty.
pub(super) fn non_empty(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| Json::text(text))
}
