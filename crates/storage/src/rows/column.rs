//! Conversion of domain values to columns and back.
//!
//! Maps and lists are JSON text, and null if they are empty. Days are numbers, yyyymmdd.

use std::collections::BTreeMap;

use daybook_domain::calendar::{day_number, from_day_number};
use daybook_domain::id::FileId;
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::json::{Json, Object};
use daybook_domain::property::Properties;
use serde_json::Value;
use time::Date;

use crate::error::{Error, Result};

/// Converts properties to JSON text.
pub(crate) fn properties_to_text(properties: &Properties) -> Option<String> {
    if properties.is_empty() {
        return None;
    }
    let map: BTreeMap<&str, &str> = properties.iter().collect();
    serde_json::to_string(&map).ok()
}

/// Parses properties from JSON text.
pub(crate) fn properties_from_text(text: Option<String>) -> Result<Properties> {
    let map = text
        .map(|text| serde_json::from_str(&text).map_err(|_| Error::Corrupt("properties")))
        .transpose()?;
    Ok(Properties::stored(map.unwrap_or_default()))
}

/// Converts texts to a JSON list.
pub(crate) fn texts_to_text(texts: &[String]) -> Option<String> {
    if texts.is_empty() { None } else { serde_json::to_string(texts).ok() }
}

/// Parses texts from a JSON list. Errors name the column.
pub(crate) fn texts_from_text(text: Option<String>, column: &'static str) -> Result<Vec<String>> {
    let texts = text
        .map(|text| serde_json::from_str(&text).map_err(|_| Error::Corrupt(column)))
        .transpose()?;
    Ok(texts.unwrap_or_default())
}

/// Converts the ids of files to a JSON list.
pub(crate) fn files_to_text(files: &[FileId]) -> Option<String> {
    if files.is_empty() {
        None
    } else {
        texts_to_text(&files.iter().map(FileId::to_string).collect::<Vec<_>>())
    }
}

/// Parses the ids of files from a JSON list.
pub(crate) fn files_from_text(text: Option<String>) -> Result<Vec<FileId>> {
    texts_from_text(text, "files")?
        .iter()
        .map(|id| id.parse().map_err(|_| Error::Corrupt("files")))
        .collect()
}

/// Parses a JSON object. Null and fractions are errors, because the domain never writes them.
pub(crate) fn object_from_text(text: &str, column: &'static str) -> Result<Object> {
    let value = serde_json::from_str(text).ok().and_then(json);
    value.and_then(Json::into_object).ok_or(Error::Corrupt(column))
}

/// Converts a JSON value, if it has no null and no fraction.
fn json(value: Value) -> Option<Json> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => Json::Bool(flag),
        Value::Number(number) => Json::Number(number.as_i64()?),
        Value::String(text) => Json::Text(text),
        Value::Array(items) => Json::List(items.into_iter().map(json).collect::<Option<_>>()?),
        Value::Object(map) => Json::Object(
            map.into_iter().map(|(key, value)| Some((key, json(value)?))).collect::<Option<_>>()?,
        ),
    })
}

/// Converts a day to its number.
pub(crate) fn day_to_column(day: Date) -> i32 {
    day_number(day)
}

/// Parses the number of a day. Errors name the column.
pub(crate) fn day_from_column(number: i32, column: &'static str) -> Result<Date> {
    from_day_number(number).ok_or(Error::Corrupt(column))
}

/// Builds a stamp from its columns.
pub(crate) fn stamp(
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
) -> Stamp {
    Stamp {
        agent,
        created_at: Instant::new(created_at),
        updated_at: Instant::new(updated_at),
        version,
    }
}
