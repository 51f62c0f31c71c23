//! Values as columns keep them: maps and lists as JSON text (none when empty), days as yyyymmdd.

use std::collections::BTreeMap;

use daybook_domain::calendar::{day_number, from_day_number};
use daybook_domain::id::FileId;
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::json::{Json, Object};
use daybook_domain::property::Properties;
use serde_json::Value;
use time::Date;

use crate::error::{Error, Result};

pub(crate) fn properties_to_text(properties: &Properties) -> Option<String> {
    if properties.is_empty() {
        return None;
    }
    let map: BTreeMap<&str, &str> = properties.iter().collect();
    serde_json::to_string(&map).ok()
}

pub(crate) fn properties_from_text(text: Option<String>) -> Result<Properties> {
    let map = text
        .map(|text| serde_json::from_str(&text).map_err(|_| Error::Corrupt("properties")))
        .transpose()?;
    Ok(Properties::stored(map.unwrap_or_default()))
}

pub(crate) fn texts_to_text(texts: &[String]) -> Option<String> {
    if texts.is_empty() { None } else { serde_json::to_string(texts).ok() }
}

pub(crate) fn texts_from_text(text: Option<String>, column: &'static str) -> Result<Vec<String>> {
    let texts = text
        .map(|text| serde_json::from_str(&text).map_err(|_| Error::Corrupt(column)))
        .transpose()?;
    Ok(texts.unwrap_or_default())
}

pub(crate) fn files_to_text(files: &[FileId]) -> Option<String> {
    if files.is_empty() {
        None
    } else {
        texts_to_text(&files.iter().map(FileId::to_string).collect::<Vec<_>>())
    }
}

pub(crate) fn files_from_text(text: Option<String>) -> Result<Vec<FileId>> {
    texts_from_text(text, "files")?
        .iter()
        .map(|id| id.parse().map_err(|_| Error::Corrupt("files")))
        .collect()
}

/// A JSON object as the domain writes it: without null, and with whole numbers only.
pub(crate) fn object_from_text(text: &str, column: &'static str) -> Result<Object> {
    let value = serde_json::from_str(text).ok().and_then(json);
    value.and_then(Json::into_object).ok_or(Error::Corrupt(column))
}

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

pub(crate) fn day_to_column(day: Date) -> i32 {
    day_number(day)
}

pub(crate) fn day_from_column(number: i32, column: &'static str) -> Result<Date> {
    from_day_number(number).ok_or(Error::Corrupt(column))
}

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
