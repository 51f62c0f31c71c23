//! Comments on transactions: handlers and wire shapes.

use daybook_domain::comment::Comment;
use daybook_service::Context;
use daybook_service::comment::{self, View};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::event::{AgentOut, UserOut};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, objects_only};

/// The body of a comment.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct CommentIn {
    #[serde(default)]
    text: Option<String>,
}

objects_only!(CommentIn);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommentOut<'v> {
    id: String,
    transaction_id: String,
    text: &'v str,
    user: UserOut<'v>,
    agent: AgentOut<'v>,
    created_at: String,
}

impl<'v> CommentOut<'v> {
    fn new(comment: &'v Comment, view: &'v View) -> Self {
        let Comment { id, transaction, text, author, agent, created_at } = comment;
        Self {
            id: id.to_string(),
            transaction_id: transaction.to_string(),
            text,
            user: UserOut::new(*author, &view.users),
            agent: AgentOut::new(agent.as_deref(), &view.app_summaries),
            created_at: created_at.milliseconds().to_string(),
        }
    }
}

/// Encodes the single comment of a view.
fn to_reply(view: &View, _: &Context) -> Reply {
    let shown = |comment| reply::ok(&CommentOut::new(comment, view));
    view.comments.first().map_or_else(reply::nothing, shown)
}

/// GET transactions/{transactionId}/comments.
pub(crate) async fn list_comments(request: ApiRequest) -> ApiResult {
    let (book, transaction) = (request.book(), request.transaction());
    let encode = |view: &View, _: &Context| {
        let items = view.comments.iter().map(|comment| CommentOut::new(comment, view));
        reply::ok(&ListOut::complete(items.collect()))
    };
    request.read(move |tx, cx| comment::list(tx, cx, &book, &transaction), encode).await
}

/// POST transactions/{transactionId}/comments.
pub(crate) async fn create_comment(request: ApiRequest, body: Body<CommentIn>) -> ApiResult {
    let (transaction, CommentIn { text }) = (request.transaction(), body.0);
    request
        .write_book(
            move |tx, cx, book| comment::create(tx, cx, book, &transaction, text.as_deref()),
            to_reply,
        )
        .await
}

/// DELETE transactions/{transactionId}/comments/{commentId}.
pub(crate) async fn delete_comment(request: ApiRequest) -> ApiResult {
    let (transaction, id) = (request.transaction(), request.comment());
    request
        .write_book(move |tx, cx, book| comment::delete(tx, cx, book, &transaction, &id), to_reply)
        .await
}
