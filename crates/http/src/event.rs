//! Events on the wire: what is stored compactly is filled in when it is read (behaviour 8.2, 8.4,
//! 8.16).

use daybook_domain::account::AccountType;
use daybook_domain::calendar::{day_number, parse_iso};
use daybook_domain::event::{Event, EventType, Noun};
use daybook_domain::file::FileAddress;
use daybook_domain::id::{AccountId, GroupId, UserId};
use daybook_domain::name::normalized;
use daybook_domain::transaction::tags;
use daybook_service::event::{self, Named, Request, View};
use daybook_service::{Context, zone};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::account::AccountOut;
use crate::book::BookOut;
use crate::cursor::{self, EventCursor};
use crate::file;
use crate::group::GroupOut;
use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::ListOut;

/// The agent id of requests that name none (behaviour 8.4).
const NO_AGENT: &str = "api";

/// An event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventOut<'v> {
    id: String,
    r#type: &'static str,
    book_id: &'v str,
    book: &'v RawValue,
    resource: String,
    agent: AgentOut<'v>,
    user: EventUserOut<'v>,
    created_at: String,
    created_on: String,
    data: Value,
    bot_responses: [(); 0],
    sequence: i64,
    hash: String,
}

#[derive(Serialize)]
struct AgentOut<'v> {
    id: &'v str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventUserOut<'v> {
    username: &'v str,
    name: &'v str,
    avatar_url: &'static str,
}

/// What stored events are filled in from.
#[derive(Clone, Copy)]
struct Reader<'v> {
    view: &'v View,
    /// The address that links to this server begin with.
    base: &'v str,
}

/// GET events.
pub(crate) async fn list_events(asked: ApiRequest) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    let (request, filters) = request(&asked);
    let encode = move |view: &View, cx: &Context| {
        let cursor =
            view.next.and_then(|sequence| cursor::write(&EventCursor { sequence, ..filters }));
        let reader = Reader { view, base: &base };
        let written = |book: Box<RawValue>| {
            let items = view.events.iter().map(|event| event_out(reader, event, &book)).collect();
            serde_json::to_vec(&ListOut { items, cursor })
        };
        reply::json(book_of(view, cx).and_then(written))
    };
    asked.read(move |tx, cx| event::list(tx, cx, &book, &request, named_in), encode).await
}

/// GET events/{id} (behaviour 12.9).
pub(crate) async fn get_event(asked: ApiRequest) -> ApiResult {
    let (book, id, base) = (asked.book(), asked.id(), asked.base());
    let encode = move |view: &View, cx: &Context| {
        let reader = Reader { view, base: &base };
        let written = |event| {
            book_of(view, cx).and_then(|book| serde_json::to_vec(&event_out(reader, event, &book)))
        };
        view.events.first().map_or_else(reply::nothing, |event| reply::json(written(event)))
    };
    asked.read(move |tx, cx| event::get(tx, cx, &book, &id, named_in), encode).await
}

/// The request with its filters; one with only a cursor goes on with the cursor's (behaviour 2.4).
fn request(asked: &ApiRequest) -> (Request, EventCursor) {
    let text =
        |name: &str| asked.text(name).map(str::to_owned).filter(|text| !text.trim().is_empty());
    let own = EventCursor {
        sequence: 0,
        after: text("after"),
        before: text("before"),
        error: asked.flag("error"),
        resource: text("resoureId").or_else(|| text("resourceId")),
        kind: text("type"),
    };
    let cursor: Option<EventCursor> = asked.cursor().and_then(cursor::read).filter(is_readable);
    let below = cursor.as_ref().map(|cursor| cursor.sequence);
    let filters = if own == EventCursor::default() { cursor.unwrap_or_default() } else { own };
    let EventCursor { sequence: _, after, before, error, resource, kind } = filters.clone();
    (Request { after, before, error, resource, kind, limit: asked.limit(), below }, filters)
}

/// Whether the filters of a cursor are such as this server writes: others are damage (behaviour
/// 2.5).
fn is_readable(cursor: &EventCursor) -> bool {
    let instants =
        cursor.after.iter().chain(&cursor.before).all(|text| zone::instant(text, "UTC").is_some());
    instants && cursor.kind.as_deref().is_none_or(|name| EventType::from_name(name).is_some())
}

/// What a stored transaction or account names.
fn named_in(event: &Event) -> Named {
    if !matches!(event.kind.noun(), Noun::Transaction | Noun::Account) {
        return Named::default();
    }
    let object = stored(event);
    let side = |name: &str| object.get(name)?.get("id")?.as_str()?.parse().ok();
    let accounts = ["creditAccount", "debitAccount"].into_iter().filter_map(side).collect();
    let groups = object.get("groups").and_then(Value::as_array).into_iter().flatten();
    let groups = groups.filter_map(|group| group.get("id")?.as_str()?.parse().ok()).collect();
    let creator = object.get("createdBy").and_then(|id| id.as_str()?.parse().ok());
    Named { accounts, groups, creator }
}

/// The snapshot as it is stored.
fn stored(event: &Event) -> Map<String, Value> {
    let mut data: Map<String, Value> = serde_json::from_str(&event.data).unwrap_or_default();
    if let Some(Value::Object(object)) = data.remove("object") { object } else { Map::new() }
}

/// A snapshot with what is only in the last one of a resource that is gone since (behaviour 8.2).
fn completed(view: &View, gone: Option<i64>, snapshot: Map<String, Value>) -> Map<String, Value> {
    let mut object = gone.and_then(|id| view.gone.get(&id)).map(stored).unwrap_or_default();
    object.extend(snapshot);
    object
}

/// The book that every one of these events shows, written once.
fn book_of(view: &View, cx: &Context) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(
        &BookOut::new(&view.access, view.activity, cx).within(view.collection.as_deref(), cx),
    )
}

fn event_out<'v>(reader: Reader<'v>, event: &'v Event, book: &'v RawValue) -> EventOut<'v> {
    let view = reader.view;
    let key = &view.access.book().key;
    let username =
        view.users.get(&event.user).map(|user| user.username.as_str()).unwrap_or_default();
    EventOut {
        id: event.public_id(key),
        r#type: event.kind.as_str(),
        book_id: key.as_str(),
        book,
        resource: event.public_resource(key),
        agent: AgentOut { id: event.agent.as_deref().unwrap_or(NO_AGENT) },
        user: EventUserOut { username, name: username, avatar_url: "" },
        created_at: event.created_at.milliseconds().to_string(),
        created_on: zone::rfc3339(event.created_at),
        data: data(reader, event),
        bot_responses: [],
        sequence: event.sequence,
        hash: event.hash.to_string(),
    }
}

/// The stored data with its object filled in.
fn data(reader: Reader<'_>, event: &Event) -> Value {
    let mut data: Map<String, Value> = serde_json::from_str(&event.data).unwrap_or_default();
    let object = data
        .remove("object")
        .and_then(|object| if let Value::Object(map) = object { Some(map) } else { None })
        .unwrap_or_default();
    let object = match event.kind.noun() {
        Noun::Transaction => transaction(reader, event, object),
        Noun::Account => Value::Object(account(reader.view, object)),
        Noun::Group => group(reader.view, object),
        Noun::SavedQuery => Value::Object(with_defaults(object, &[("title", json!(""))])),
        Noun::File => Value::Object(with_defaults(
            located(reader.base, event, object),
            &[("properties", json!({}))],
        )),
        Noun::Book | Noun::Collaborator | Noun::Other => {
            Value::Object(with_defaults(object, &[("properties", json!({}))]))
        }
    };
    data.insert("object".to_owned(), object);
    Value::Object(data)
}

fn with_defaults(mut object: Map<String, Value>, defaults: &[(&str, Value)]) -> Map<String, Value> {
    for (key, value) in defaults {
        object.entry((*key).to_owned()).or_insert_with(|| value.clone());
    }
    object
}

/// A TransactionOperation: the snapshot with full accounts on its sides.
fn transaction(reader: Reader<'_>, event: &Event, snapshot: Map<String, Value>) -> Value {
    let Reader { view, base } = reader;
    let settings = &view.access.book().settings;
    let text = |name: &str| snapshot.get(name).and_then(Value::as_str);
    let date = text("date").and_then(parse_iso);
    let description = text("description").unwrap_or_default().to_owned();
    // Without a creator in the snapshot, who acted is who created it.
    let creator = text("createdBy").and_then(|id| id.parse::<UserId>().ok()).unwrap_or(event.user);
    let creator = view.users.get(&creator).map(|user| user.username.clone()).unwrap_or_default();
    let posted = snapshot.get("posted").and_then(Value::as_bool).unwrap_or(false);
    let mut object = with_defaults(
        snapshot,
        &[
            ("posted", json!(false)),
            ("checked", json!(false)),
            ("trashed", json!(false)),
            ("draft", json!(!posted)),
            ("properties", json!({})),
            ("urls", json!([])),
            ("remoteIds", json!([])),
            ("files", json!([])),
            ("tags", json!(tags::of(&description))),
            ("description", json!("")),
        ],
    );
    object.insert("id".to_owned(), json!(event.public_resource(&view.access.book().key)));
    object.insert("createdBy".to_owned(), json!(creator));
    if let Some(day) = date {
        object.insert("dateValue".to_owned(), json!(day_number(day)));
        object.insert("dateFormatted".to_owned(), json!(settings.date_pattern.format(day)));
    }
    if let Some(Value::Array(files)) = object.get_mut("files") {
        for entry in files {
            if let Value::Object(snapshot) = entry.take() {
                *entry = Value::Object(located(base, event, snapshot));
            }
        }
    }
    let mut accounts = Vec::new();
    for side in ["creditAccount", "debitAccount"] {
        if let Some(Value::Object(reference)) = object.remove(side) {
            let full = Value::Object(account(view, reference));
            accounts.push(full.clone());
            object.insert(side.to_owned(), full);
        }
    }
    json!({ "transaction": object, "accounts": accounts })
}

/// A file: its token becomes its serving address, which answers for as long as the file exists.
fn located(base: &str, event: &Event, mut snapshot: Map<String, Value>) -> Map<String, Value> {
    let text = |value: Option<Value>| {
        value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let token = text(snapshot.remove("token"));
    if let Ok(file) = text(snapshot.get("id").cloned()).parse() {
        let address = FileAddress { book: event.book, file, token };
        snapshot.insert("url".to_owned(), json!(file::url(base, &address)));
    }
    snapshot
}

/// An account: what the snapshot says, the rest as the account is now, or was last when it is gone.
fn account(view: &View, snapshot: Map<String, Value>) -> Map<String, Value> {
    let id: Option<AccountId> =
        snapshot.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let snapshot = completed(view, id.map(AccountId::get), snapshot);
    let name = snapshot.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let now = id.and_then(|id| view.accounts.get(id)).map(|account| {
        serde_json::to_value(AccountOut::new(account, &view.forest)).unwrap_or_default()
    });
    let mut object = if let Some(Value::Object(now)) = now { now } else { Map::new() };
    let own_groups = snapshot.contains_key("groups");
    // A snapshot of the account itself leaves out what is false and empty; a reference to it says
    // nothing of them.
    if snapshot.contains_key("type") {
        object.insert("archived".to_owned(), json!(false));
        object.insert("properties".to_owned(), json!({}));
    }
    let kind = snapshot.get("type").and_then(Value::as_str).and_then(AccountType::from_name);
    object.extend(snapshot);
    object.insert("normalizedName".to_owned(), json!(normalized(&name)));
    if let Some(kind) = kind {
        object.insert("credit".to_owned(), json!(kind.is_credit()));
        object.insert("permanent".to_owned(), json!(kind.is_permanent()));
    }
    if own_groups && let Some(Value::Array(groups)) = object.remove("groups") {
        let filled = groups.into_iter().map(|group| membership(view, group)).collect();
        object.insert("groups".to_owned(), Value::Array(filled));
    }
    with_defaults(
        object,
        &[
            ("properties", json!({})),
            ("groups", json!([])),
            ("balanceVerified", json!(true)),
            ("hasTransactionPosted", json!(false)),
        ],
    )
}

/// A group inside an account's snapshot, with the rest as it is now, or was last when it is gone.
fn membership(view: &View, group: Value) -> Value {
    let Value::Object(reference) = group else { return group };
    let id: Option<GroupId> =
        reference.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let reference = completed(view, id.map(GroupId::get), reference);
    let name = reference.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let now = id
        .and_then(|id| view.forest.get(id))
        .map(|group| serde_json::to_value(GroupOut::new(group, &view.forest)).unwrap_or_default());
    let mut object = if let Some(Value::Object(now)) = now { now } else { Map::new() };
    object.extend(reference);
    object.insert("normalizedName".to_owned(), json!(normalized(&name)));
    Value::Object(with_defaults(object, &[("hidden", json!(false)), ("properties", json!({}))]))
}

/// A group: what the snapshot says, the derived flags as they are now.
fn group(view: &View, snapshot: Map<String, Value>) -> Value {
    let id = snapshot.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let name = snapshot.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let now = id
        .and_then(|id| view.forest.get(id))
        .map(|group| serde_json::to_value(GroupOut::new(group, &view.forest)).unwrap_or_default());
    let mut object = if let Some(Value::Object(now)) = now { now } else { Map::new() };
    for (key, empty) in
        [("hidden", json!(false)), ("locked", json!(false)), ("properties", json!({}))]
    {
        object.insert(key.to_owned(), empty);
    }
    object.remove("parent");
    object.extend(snapshot);
    object.insert("normalizedName".to_owned(), json!(normalized(&name)));
    Value::Object(object)
}
