//! Expansion of stored events (behaviour 8.2, 8.16).
//!
//! Events are stored without what can be derived or looked up. This is added when they are read.

use std::cell::Cell;

use daybook_domain::calendar::day_number;
use daybook_domain::event::snapshot::{
    AccountSnapshot, CommentSnapshot, FileSnapshot, GroupSnapshot, Snapshot, TransactionSnapshot,
};
use daybook_domain::event::{Event, ReadEvent};
use daybook_domain::id::TransactionId;
use daybook_domain::json::{Json, Object};
use daybook_domain::name::normalized;
use daybook_domain::transaction::tags;
use daybook_edge::response_budget::{self, EncodeError};
use daybook_service::event::View;
use daybook_service::zone;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::actor::{AgentOut, UserOut};
use crate::account::{self, AccountOut};
use crate::collaborator::NO_PICTURE;
use crate::file;
use crate::group::GroupOut;

/// The data from which an event is expanded.
pub(super) struct Reader<'v> {
    view: &'v View,
    /// The URL of this server, for links.
    base: &'v str,
    /// The bytes of stored data that the event contains.
    shown: Cell<usize>,
}

impl<'v> Reader<'v> {
    pub(super) const fn new(view: &'v View, base: &'v str) -> Self {
        Self { view, base, shown: Cell::new(0) }
    }

    /// Counts stored data before a shape is made from it.
    ///
    /// Accounts and groups may show much more than the event stores.
    fn count(&self, bytes: usize) -> Result<(), EncodeError> {
        self.shown.set(self.shown.get().saturating_add(bytes));
        response_budget::reserve_data(self.shown.get())
    }
}

/// Returns the `data` of an event with its object expanded.
pub(super) fn data(reader: &Reader<'_>, read: &ReadEvent) -> Result<Value, EncodeError> {
    let ReadEvent { event, snapshot, rest } = read;
    let object = match snapshot {
        Snapshot::Transaction(snapshot) => transaction(reader, event, snapshot)?,
        Snapshot::Account(snapshot) => Value::Object(full_account(reader, snapshot)?),
        Snapshot::Group(snapshot) => group(reader, snapshot)?,
        Snapshot::File(snapshot) => Value::Object(with_defaults(
            with_url(reader, event, snapshot),
            &[("properties", json!({}))],
        )),
        Snapshot::SavedQuery(object) => {
            Value::Object(with_defaults(map(object), &[("title", json!(""))]))
        }
        Snapshot::Integration(object) => Value::Object(integration(reader.view, object)),
        Snapshot::Book(object) => Value::Object(book(event, object)),
        Snapshot::Collaborator(object) => {
            Value::Object(with_defaults(map(object), &[("avatarUrl", json!(NO_PICTURE))]))
        }
        Snapshot::Comment(snapshot) => Value::Object(comment(reader.view, event, snapshot)?),
    };
    let mut data = map(rest);
    data.insert("object".to_owned(), object);
    Ok(Value::Object(data))
}

fn map(object: &Object) -> Map<String, Value> {
    object.iter().map(|(key, json)| (key.to_owned(), value(json))).collect()
}

fn value(json: &Json) -> Value {
    match json {
        Json::Bool(flag) => json!(flag),
        Json::Number(number) => json!(number),
        Json::Text(text) => json!(text),
        Json::List(items) => Value::Array(items.iter().map(value).collect()),
        Json::Object(object) => Value::Object(map(object)),
    }
}

/// Returns the bytes of the texts in a snapshot and its properties.
fn text_bytes(object: &Object) -> usize {
    let length = |json: &Json| json.as_text().map_or(0, str::len);
    let own = object.iter().map(|(_, json)| length(json));
    let properties = object.get("properties").and_then(Json::as_object);
    let of_properties = properties
        .into_iter()
        .flat_map(Object::iter)
        .map(|(key, json)| key.len().saturating_add(length(json)));
    own.chain(of_properties).fold(0, usize::saturating_add)
}

fn with_defaults(mut object: Map<String, Value>, defaults: &[(&str, Value)]) -> Map<String, Value> {
    for (key, value) in defaults {
        object.entry((*key).to_owned()).or_insert_with(|| value.clone());
    }
    object
}

/// Returns the fields of a shape whose properties have so many bytes; none without a shape.
fn fields(
    reader: &Reader<'_>,
    shape: Option<impl Serialize>,
    bytes: usize,
) -> Result<Map<String, Value>, EncodeError> {
    reader.count(bytes)?;
    let Some(shape) = shape else { return Ok(Map::new()) };
    Ok(serde_json::from_value(serde_json::to_value(shape)?)?)
}

/// Returns a TransactionOperation: the snapshot with full accounts.
fn transaction(
    reader: &Reader<'_>,
    event: &Event,
    snapshot: &TransactionSnapshot,
) -> Result<Value, EncodeError> {
    let view = reader.view;
    let settings = &view.access.book().settings;
    // Without a creator in the snapshot, the user of the event is the creator.
    let creator = view.users.get(&snapshot.created_by.unwrap_or(event.user));
    let creator = creator.map(|user| user.username.as_str()).unwrap_or_default();
    let files: Vec<Value> =
        snapshot.files.iter().map(|file| Value::Object(with_url(reader, event, file))).collect();
    let id = TransactionId::new(event.resource);
    let created = view.created.get(&id).copied().unwrap_or(event.created_at);
    let mut object = with_defaults(
        map(&snapshot.object),
        &[
            ("posted", json!(false)),
            ("checked", json!(false)),
            ("trashed", json!(false)),
            ("draft", json!(!snapshot.posted)),
            ("properties", json!({})),
            ("urls", json!([])),
            ("remoteIds", json!([])),
            ("files", json!(files)),
            ("tags", json!(tags::of(&snapshot.description))),
            ("description", json!("")),
            ("id", json!(event.public_resource(&view.access.book().key))),
            ("createdBy", json!(creator)),
            ("createdAt", json!(created.milliseconds().to_string())),
            ("updatedAt", json!(event.created_at.milliseconds().to_string())),
        ],
    );
    let agent = snapshot.object.get("agentId").and_then(Json::as_text);
    if let Some(app) = agent.and_then(|agent| view.app_summaries.get(agent)) {
        object.insert("agentName".to_owned(), json!(app.name));
        for (key, logo) in [("agentLogo", &app.logo), ("agentLogoDark", &app.logo_dark)] {
            object.extend(logo.as_ref().map(|logo| (key.to_owned(), json!(logo))));
        }
    }
    if let Some(day) = snapshot.date {
        object.insert("dateValue".to_owned(), json!(day_number(day)));
        object.insert("dateFormatted".to_owned(), json!(settings.date_pattern.format(day)));
    }
    let mut accounts = Vec::new();
    for (side, reference) in
        [("creditAccount", &snapshot.credit), ("debitAccount", &snapshot.debit)]
    {
        if let Some(reference) = reference {
            let full = Value::Object(full_account(reader, reference)?);
            // `full` is in the response twice, so it is counted twice.
            let now = view.accounts.get(reference.id);
            reader.count(now.map_or(0, |now| account::property_bytes(now, &view.forest)))?;
            accounts.push(full.clone());
            object.insert(side.to_owned(), full);
        }
    }
    Ok(json!({ "transaction": object, "accounts": accounts }))
}

/// Returns the settings of a book, with the offset of its time zone at the time of the event.
///
/// Fields that depend on the reader or on later writes are in the `book` of the event (behaviour
/// 8.2).
fn book(event: &Event, snapshot: &Object) -> Map<String, Value> {
    let zone = snapshot.get("timeZone").and_then(Json::as_text);
    let offset = zone.map(|zone| json!(zone::offset_minutes(event.created_at, zone)));
    let mut object = with_defaults(map(snapshot), &[("properties", json!({}))]);
    object.extend(offset.map(|offset| ("timeZoneOffset".to_owned(), offset)));
    object
}

/// Returns an integration with derived fields and the current logos of its app.
fn integration(view: &View, snapshot: &Object) -> Map<String, Value> {
    let mut object = map(snapshot);
    let name = object.get("name").and_then(Value::as_str).map(normalized);
    object.insert("normalizedName".to_owned(), json!(name));
    object.insert("bookId".to_owned(), json!(view.access.book().key.as_str()));
    for (also, key) in [("dateAddedMs", "createdAt"), ("lastUpdateMs", "updatedAt")] {
        let value = object.get(key).cloned();
        object.extend(value.map(|value| (also.to_owned(), value)));
    }
    let agent = snapshot.get("agentId").and_then(Json::as_text);
    let app = agent.and_then(|agent| view.app_summaries.get(agent));
    let logos = app.map(|app| [("logo", &app.logo), ("logoDark", &app.logo_dark)]);
    for (key, logo) in logos.into_iter().flatten() {
        object.extend(logo.as_ref().map(|logo| (key.to_owned(), json!(logo))));
    }
    with_defaults(object, &[("properties", json!({}))])
}

/// Returns a comment with its author and app as they are shown now.
fn comment(
    view: &View,
    event: &Event,
    snapshot: &CommentSnapshot,
) -> Result<Map<String, Value>, EncodeError> {
    let CommentSnapshot { author, agent, object } = snapshot;
    let mut object = map(object);
    // Without an author in the snapshot, the user of the event is the author.
    let user = UserOut::new(author.unwrap_or(event.user), &view.users);
    object.insert("user".to_owned(), serde_json::to_value(user)?);
    let agent = AgentOut::new(agent.as_deref(), &view.app_summaries);
    object.insert("agent".to_owned(), serde_json::to_value(agent)?);
    Ok(object)
}

/// Returns a file with its current serving URL instead of the token (behaviour 9.20).
fn with_url(reader: &Reader<'_>, event: &Event, snapshot: &FileSnapshot) -> Map<String, Value> {
    let Reader { view, base, .. } = reader;
    let secret = &view.access.book().file_secret;
    let address = secret.address(event.book, snapshot.id, &snapshot.token);
    let mut object = map(&snapshot.object);
    object.insert("url".to_owned(), json!(file::url(base, &address)));
    object
}

/// Returns an account: the snapshot, completed from the current or deleted account (behaviour 8.2).
fn full_account(
    reader: &Reader<'_>,
    snapshot: &AccountSnapshot,
) -> Result<Map<String, Value>, EncodeError> {
    let view = reader.view;
    let last = view.deleted_accounts.get(&snapshot.id);
    reader.count(last.map_or(0, |last| text_bytes(&last.object)))?;
    let snapshot = match last.cloned() {
        Some(last) => snapshot.clone().complete_with(last),
        None => snapshot.clone(),
    };
    let now = view.accounts.get(snapshot.id);
    let bytes = now.map_or(0, |now| account::property_bytes(now, &view.forest));
    let mut object = fields(reader, now.map(|now| AccountOut::new(now, &view.forest)), bytes)?;
    // A snapshot of the account itself omits false and empty values. A reference omits all of them.
    if snapshot.kind.is_some() {
        object.insert("archived".to_owned(), json!(false));
        object.insert("properties".to_owned(), json!({}));
        object.remove("minBalance");
    }
    object.extend(map(&snapshot.object));
    let name = snapshot.name.as_deref().unwrap_or_default();
    object.insert("normalizedName".to_owned(), json!(normalized(name)));
    if let Some(kind) = snapshot.kind {
        object.insert("credit".to_owned(), json!(kind.is_credit()));
        object.insert("permanent".to_owned(), json!(kind.is_permanent()));
    }
    if let Some(groups) = &snapshot.groups {
        let groups =
            groups.iter().map(|group| membership(reader, group)).collect::<Result<Vec<_>, _>>()?;
        object.insert("groups".to_owned(), json!(groups));
    }
    Ok(with_defaults(
        object,
        &[
            ("properties", json!({})),
            ("groups", json!([])),
            ("balanceVerified", json!(true)),
            ("hasTransactionPosted", json!(false)),
        ],
    ))
}

/// Returns a group of an account, completed from the current or deleted group (behaviour 8.2).
fn membership(reader: &Reader<'_>, snapshot: &GroupSnapshot) -> Result<Value, EncodeError> {
    let view = reader.view;
    let last = view.deleted_groups.get(&snapshot.id);
    reader.count(last.map_or(0, |last| text_bytes(&last.object)))?;
    let snapshot = match last.cloned() {
        Some(last) => snapshot.clone().complete_with(last),
        None => snapshot.clone(),
    };
    let now = view.forest.get(snapshot.id);
    let bytes = now.map_or(0, |now| now.properties.bytes());
    let mut object = fields(reader, now.map(|now| GroupOut::new(now, &view.forest)), bytes)?;
    object.extend(map(&snapshot.object));
    object.insert("normalizedName".to_owned(), json!(normalized(&snapshot.name)));
    let defaults = [("hidden", json!(false)), ("properties", json!({}))];
    Ok(Value::Object(with_defaults(object, &defaults)))
}

/// Returns a group: the snapshot with the current derived flags.
fn group(reader: &Reader<'_>, snapshot: &GroupSnapshot) -> Result<Value, EncodeError> {
    let view = reader.view;
    let now = view.forest.get(snapshot.id);
    let bytes = now.map_or(0, |now| now.properties.bytes());
    let mut object = fields(reader, now.map(|now| GroupOut::new(now, &view.forest)), bytes)?;
    for (key, empty) in
        [("hidden", json!(false)), ("locked", json!(false)), ("properties", json!({}))]
    {
        object.insert(key.to_owned(), empty);
    }
    object.remove("parent");
    object.extend(map(&snapshot.object));
    if let Some(Value::Object(parent)) = object.get_mut("parent") {
        let name = parent.get("name").and_then(Value::as_str).unwrap_or_default();
        let normalized = json!(normalized(name));
        parent.insert("normalizedName".to_owned(), normalized);
    }
    object.insert("normalizedName".to_owned(), json!(normalized(&snapshot.name)));
    Ok(Value::Object(object))
}
