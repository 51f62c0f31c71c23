//! Saved queries: handlers and wire shapes.

use daybook_domain::saved_query::{Changes, SavedQuery};
use daybook_service::{Context, saved_query};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, StampOut, TextOrNumber, id_text, objects_only};

/// The body of a saved query.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct QueryIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    query: Option<String>,
}

objects_only!(QueryIn);

/// A saved query.
#[derive(Serialize)]
pub(crate) struct QueryOut {
    id: String,
    title: String,
    query: String,
    #[serde(flatten)]
    stamp: StampOut,
}

impl From<&SavedQuery> for QueryOut {
    fn from(saved: &SavedQuery) -> Self {
        let SavedQuery { id, title, query, stamp } = saved;
        Self {
            id: id.to_string(),
            title: title.clone(),
            query: query.clone(),
            stamp: StampOut::from(stamp),
        }
    }
}

fn to_reply(saved: &SavedQuery, _: &Context) -> Reply {
    reply::ok(&QueryOut::from(saved))
}

/// GET queries.
pub(crate) async fn list_queries(request: ApiRequest) -> ApiResult {
    let book = request.book();
    let encode = |all: &Vec<SavedQuery>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(QueryOut::from).collect()))
    };
    request.read(move |tx, cx| saved_query::list(tx, cx, &book), encode).await
}

/// GET queries/{id} (behaviour 12.9).
pub(crate) async fn get_query(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    request.read(move |tx, cx| saved_query::get(tx, cx, &book, &id), to_reply).await
}

/// POST queries.
pub(crate) async fn save_query(request: ApiRequest, body: Body<QueryIn>) -> ApiResult {
    let QueryIn { id: _, title, query } = body.0;
    let changes = Changes { title, query };
    request
        .write_book(move |tx, cx, book| saved_query::create(tx, cx, book, changes), to_reply)
        .await
}

/// PUT queries, the id in the body.
pub(crate) async fn update_query(request: ApiRequest, body: Body<QueryIn>) -> ApiResult {
    let QueryIn { id, title, query } = body.0;
    let (id, changes) = (id_text(id), Changes { title, query });
    request
        .write_book(
            move |tx, cx, book| saved_query::update(tx, cx, book, id.as_deref(), changes),
            to_reply,
        )
        .await
}

/// DELETE queries/{id}.
pub(crate) async fn delete_query(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.write_book(move |tx, cx, book| saved_query::delete(tx, cx, book, &id), to_reply).await
}
