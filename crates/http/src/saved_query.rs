//! Saved queries on the wire.

use daybook_domain::saved_query::{Changes, SavedQuery};
use daybook_service::{Context, saved_query};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, StampOut, TextOrNumber, id_text, objects_only};

/// A body that is a saved query.
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

fn single(one: &SavedQuery, _: &Context) -> Reply {
    reply::ok(&QueryOut::from(one))
}

/// GET queries.
pub(crate) async fn list_queries(asked: ApiRequest) -> ApiResult {
    let book = asked.book();
    let encode = |all: &Vec<SavedQuery>, _: &Context| {
        reply::ok(&ListOut::whole(all.iter().map(QueryOut::from).collect()))
    };
    asked.read(move |tx, cx| saved_query::list(tx, cx, &book), encode).await
}

/// GET queries/{id} (behaviour 12.9).
pub(crate) async fn get_query(asked: ApiRequest) -> ApiResult {
    let (book, id) = (asked.book(), asked.id());
    asked.read(move |tx, cx| saved_query::get(tx, cx, &book, &id), single).await
}

/// POST queries.
pub(crate) async fn save_query(asked: ApiRequest, body: Body<QueryIn>) -> ApiResult {
    let book = asked.book();
    let QueryIn { id: _, title, query } = body.0;
    let changes = Changes { title, query };
    asked
        .write(&book.clone(), move |tx, cx| saved_query::create(tx, cx, &book, changes), single)
        .await
}

/// PUT queries, the id in the body.
pub(crate) async fn update_query(asked: ApiRequest, body: Body<QueryIn>) -> ApiResult {
    let book = asked.book();
    let QueryIn { id, title, query } = body.0;
    let (id, changes) = (id_text(id), Changes { title, query });
    asked
        .write(
            &book.clone(),
            move |tx, cx| saved_query::update(tx, cx, &book, id.as_deref(), changes),
            single,
        )
        .await
}

/// DELETE queries/{id}.
pub(crate) async fn delete_query(asked: ApiRequest) -> ApiResult {
    let (book, id) = (asked.book(), asked.id());
    asked.write(&book.clone(), move |tx, cx| saved_query::delete(tx, cx, &book, &id), single).await
}
