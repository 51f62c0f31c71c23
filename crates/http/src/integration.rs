//! Integrations: handlers and wire shapes (behaviour 9.4).

use std::collections::BTreeMap;

use daybook_domain::delivery::PauseCause;
use daybook_domain::integration::{AppReach, Changes, Integration};
use daybook_domain::name::normalized;
use daybook_service::integration::{self, Input, View};
use daybook_service::{Context, app};
use serde::{Deserialize, Deserializer, Serialize};

use crate::app::AppOut;
use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{
    ListOut, PropertiesIn, StampOut, TextOrNumber, id_text, objects_only, one_of, properties,
};

/// The body of an integration.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct IntegrationIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    connection_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    properties: PropertiesIn,
    #[serde(default, deserialize_with = "reach")]
    reach: Option<AppReach>,
    #[serde(default)]
    own_events: Option<bool>,
}

objects_only!(IntegrationIn);

fn reach<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<AppReach>, D::Error> {
    one_of(reader, "BOOK, COLLECTION, ALL", AppReach::from_name)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IntegrationOut<'v> {
    id: String,
    book_id: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection_id: Option<String>,
    user_id: String,
    added_by: &'v str,
    name: &'v str,
    normalized_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo_dark: Option<&'v str>,
    date_added_ms: String,
    last_update_ms: String,
    agent_id: &'v str,
    properties: BTreeMap<String, String>,
    reach: &'static str,
    own_events: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pause_cause: Option<&'static str>,
    #[serde(flatten)]
    stamp: StampOut,
}

impl<'v> From<&'v View> for IntegrationOut<'v> {
    fn from(view: &'v View) -> Self {
        let View { access, integration, added_by, app_summary: summary, pause } = view;
        let Integration {
            id,
            app,
            installs_app: _,
            connection,
            name,
            installer,
            properties: held,
            reach,
            own_events,
            stamp,
        } = integration;
        Self {
            id: id.to_string(),
            book_id: access.book().key.as_str(),
            connection_id: connection.map(|id| id.to_string()),
            user_id: installer.to_string(),
            added_by,
            name: name.as_str(),
            normalized_name: normalized(name.as_str()),
            logo: summary.as_ref().and_then(|app| app.logo.as_deref()),
            logo_dark: summary.as_ref().and_then(|app| app.logo_dark.as_deref()),
            date_added_ms: stamp.created_at.milliseconds().to_string(),
            last_update_ms: stamp.updated_at.milliseconds().to_string(),
            agent_id: app.as_str(),
            properties: properties(held),
            reach: reach.as_str(),
            own_events: *own_events,
            paused_at: pause.as_ref().map(|pause| pause.since.milliseconds().to_string()),
            pause_cause: pause.as_ref().map(|pause| match pause.cause {
                PauseCause::Operator => "OPERATOR",
                PauseCause::Failures => "FAILURES",
            }),
            stamp: StampOut::from(stamp),
        }
    }
}

fn to_reply(view: &View, _: &Context) -> Reply {
    reply::ok(&IntegrationOut::from(view))
}

/// GET integrations.
pub(crate) async fn list_integrations(request: ApiRequest) -> ApiResult {
    let book = request.book();
    let encode = |all: &Vec<View>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(IntegrationOut::from).collect()))
    };
    request.read(move |tx, cx| integration::list(tx, cx, &book), encode).await
}

/// GET apps of a book.
pub(crate) async fn list_book_apps(request: ApiRequest) -> ApiResult {
    let book = request.book();
    let encode = |all: &Vec<app::View>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(AppOut::from).collect()))
    };
    request.read(move |tx, cx| integration::list_apps(tx, cx, &book), encode).await
}

/// POST integrations.
pub(crate) async fn create_integration(
    request: ApiRequest,
    body: Body<IntegrationIn>,
) -> ApiResult {
    let IntegrationIn { id: _, agent_id, connection_id, name, properties, reach, own_events } =
        body.0;
    let changes = Changes { name, properties: properties.unwrap_or_default(), reach, own_events };
    let input = Input { app: agent_id, connection: connection_id, changes };
    request
        .write_book(move |tx, cx, book| integration::create(tx, cx, book, &input), to_reply)
        .await
}

/// PUT integrations, the id in the body.
pub(crate) async fn update_integration(
    request: ApiRequest,
    body: Body<IntegrationIn>,
) -> ApiResult {
    let IntegrationIn { id, name, properties, reach, own_events, .. } = body.0;
    let changes = Changes { name, properties: properties.unwrap_or_default(), reach, own_events };
    let id = id_text(id);
    request
        .write_book(
            move |tx, cx, book| integration::update(tx, cx, book, id.as_deref(), &changes),
            to_reply,
        )
        .await
}

/// DELETE integrations/{id}.
pub(crate) async fn delete_integration(request: ApiRequest) -> ApiResult {
    let (id, state) = (request.id(), request.state.clone());
    let reply = request
        .write_book(move |tx, cx, book| integration::delete(tx, cx, book, &id), to_reply)
        .await?;
    state.delivery_sweeps.notify();
    Ok(reply)
}
