//! What stored events leave out, filled in when they are read (behaviour 8.2, 8.16).

use daybook_domain::calendar::day_number;
use daybook_domain::event::snapshot::{
    AccountSnapshot, FileSnapshot, GroupSnapshot, Snapshot, TransactionSnapshot,
};
use daybook_domain::event::{Event, ReadEvent};
use daybook_domain::id::TransactionId;
use daybook_domain::json::{Json, Object};
use daybook_domain::name::normalized;
use daybook_domain::transaction::tags;
use daybook_service::event::View;
use daybook_service::zone;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::account::{self, AccountOut};
use crate::collaborator::NO_PICTURE;
use crate::file;
use crate::group::GroupOut;
use crate::response_budget;

/// What stored events are filled in from.
#[derive(Clone, Copy)]
pub(super) struct Reader<'v> {
    pub(super) view: &'v View,
    /// The address that links to this server begin with.
    pub(super) base: &'v str,
}

/// The data with its object filled in.
pub(super) fn data(reader: Reader<'_>, read: &ReadEvent) -> serde_json::Result<Value> {
    let ReadEvent { event, snapshot, rest } = read;
    let object = match snapshot {
        Snapshot::Transaction(snapshot) => transaction(reader, event, snapshot)?,
        Snapshot::Account(snapshot) => Value::Object(full_account(reader.view, snapshot)?),
        Snapshot::Group(snapshot) => group(reader.view, snapshot)?,
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
        Snapshot::Other(object) => Value::Object(map(object)),
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

/// Bytes of the texts in a snapshot and in its properties.
fn texts(object: &Object) -> usize {
    let own = object.iter().map(|(_, json)| json.as_text().map_or(0, str::len));
    let properties = object.get("properties").and_then(Json::as_object);
    let further = properties.into_iter().flat_map(Object::iter);
    let further =
        further.map(|(key, json)| key.len().saturating_add(json.as_text().map_or(0, str::len)));
    own.chain(further).fold(0, usize::saturating_add)
}

fn with_defaults(mut object: Map<String, Value>, defaults: &[(&str, Value)]) -> Map<String, Value> {
    for (key, value) in defaults {
        object.entry((*key).to_owned()).or_insert_with(|| value.clone());
    }
    object
}

/// The fields of a shape of the API, with so many bytes of properties; none without one.
fn fields(shape: Option<impl Serialize>, bytes: usize) -> serde_json::Result<Map<String, Value>> {
    response_budget::make_of(bytes)?;
    shape.map_or_else(
        || Ok(Map::new()),
        |shape| serde_json::from_value(serde_json::to_value(shape)?),
    )
}

/// A TransactionOperation: the snapshot with full accounts on its sides.
fn transaction(
    reader: Reader<'_>,
    event: &Event,
    snapshot: &TransactionSnapshot,
) -> serde_json::Result<Value> {
    let view = reader.view;
    let settings = &view.access.book().settings;
    // Without a creator in the snapshot, who acted is who created it.
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
    if let Some(face) = agent.and_then(|agent| view.faces.get(agent)) {
        object.insert("agentName".to_owned(), json!(face.name));
        for (key, logo) in [("agentLogo", &face.logo), ("agentLogoDark", &face.logo_dark)] {
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
            let full = Value::Object(full_account(view, reference)?);
            // It is there a second time.
            let now = view.accounts.get(reference.id);
            response_budget::make_of(now.map_or(0, |now| account::weight(now, &view.forest)))?;
            accounts.push(full.clone());
            object.insert(side.to_owned(), full);
        }
    }
    Ok(json!({ "transaction": object, "accounts": accounts }))
}

/// A book's settings, with the offset of its time zone at that time. What depends on the reader or
/// on later writes is left out: the event shows it beside, in its `book` (behaviour 8.2).
fn book(event: &Event, snapshot: &Object) -> Map<String, Value> {
    let zone = snapshot.get("timeZone").and_then(Json::as_text);
    let offset = zone.map(|zone| json!(zone::offset_minutes(event.created_at, zone)));
    let mut object = with_defaults(map(snapshot), &[("properties", json!({}))]);
    object.extend(offset.map(|offset| ("timeZoneOffset".to_owned(), offset)));
    object
}

/// An integration: what follows from the snapshot, and how its app looks now.
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
    let face = agent.and_then(|agent| view.faces.get(agent));
    let logos = face.map(|face| [("logo", &face.logo), ("logoDark", &face.logo_dark)]);
    for (key, logo) in logos.into_iter().flatten() {
        object.extend(logo.as_ref().map(|logo| (key.to_owned(), json!(logo))));
    }
    with_defaults(object, &[("properties", json!({}))])
}

/// A file: its token becomes its serving address of now (behaviour 9.20).
fn with_url(reader: Reader<'_>, event: &Event, snapshot: &FileSnapshot) -> Map<String, Value> {
    let Reader { view, base } = reader;
    let secret = &view.access.book().file_secret;
    let address = secret.address(event.book, snapshot.id, &snapshot.token);
    let mut object = map(&snapshot.object);
    object.insert("url".to_owned(), json!(file::url(base, &address)));
    object
}

/// An account: what the snapshot says, the rest as the account is now, or was last when it is gone
/// (behaviour 8.2).
fn full_account(view: &View, snapshot: &AccountSnapshot) -> serde_json::Result<Map<String, Value>> {
    let last = view.deleted_accounts.get(&snapshot.id);
    response_budget::make_of(last.map_or(0, |last| texts(&last.object)))?;
    let snapshot = match last.cloned() {
        Some(last) => snapshot.clone().completed(last),
        None => snapshot.clone(),
    };
    let now = view.accounts.get(snapshot.id);
    let bytes = now.map_or(0, |now| account::weight(now, &view.forest));
    let mut object = fields(now.map(|now| AccountOut::new(now, &view.forest)), bytes)?;
    // A snapshot of the account itself leaves out what is false and empty; a reference to it says
    // nothing of them.
    if snapshot.kind.is_some() {
        object.insert("archived".to_owned(), json!(false));
        object.insert("properties".to_owned(), json!({}));
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
            groups.iter().map(|group| membership(view, group)).collect::<Result<Vec<_>, _>>()?;
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

/// A group inside an account's snapshot, with the rest as it is now, or was last when it is gone
/// (behaviour 8.2).
fn membership(view: &View, snapshot: &GroupSnapshot) -> serde_json::Result<Value> {
    let last = view.deleted_groups.get(&snapshot.id);
    response_budget::make_of(last.map_or(0, |last| texts(&last.object)))?;
    let snapshot = match last.cloned() {
        Some(last) => snapshot.clone().completed(last),
        None => snapshot.clone(),
    };
    let now = view.forest.get(snapshot.id);
    let bytes = now.map_or(0, |now| now.properties.bytes());
    let mut object = fields(now.map(|now| GroupOut::new(now, &view.forest)), bytes)?;
    object.extend(map(&snapshot.object));
    object.insert("normalizedName".to_owned(), json!(normalized(&snapshot.name)));
    let defaults = [("hidden", json!(false)), ("properties", json!({}))];
    Ok(Value::Object(with_defaults(object, &defaults)))
}

/// A group: what the snapshot says, the derived flags as they are now.
fn group(view: &View, snapshot: &GroupSnapshot) -> serde_json::Result<Value> {
    let now = view.forest.get(snapshot.id);
    let bytes = now.map_or(0, |now| now.properties.bytes());
    let mut object = fields(now.map(|now| GroupOut::new(now, &view.forest)), bytes)?;
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
