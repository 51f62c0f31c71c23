//! Access requests: handlers and wire shapes (behaviour 7.6).

use daybook_domain::access_request::AccessRequest;
use daybook_domain::view_rights::Shown;
use daybook_service::Context;
use daybook_service::access_request::{self, Request};
use serde::Serialize;

use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::ListOut;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessRequestOut {
    id: String,
    email: String,
    permission: &'static str,
    /// Always empty: the picture of a user is only visible to the user (behaviour 9.11).
    avatar_url: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    created_at: String,
    expires_at: String,
}

impl From<&AccessRequest> for AccessRequestOut {
    fn from(request: &AccessRequest) -> Self {
        let expires_at = request.expires_at().milliseconds().to_string();
        let AccessRequest { id, user: _, email, permission, message, created_at } = request;
        Self {
            id: id.to_string(),
            email: email.to_string(),
            permission: permission.as_str(),
            avatar_url: "",
            message: message.clone(),
            created_at: created_at.milliseconds().to_string(),
            expires_at,
        }
    }
}

/// The collaborator that would be created by granting a request. It has no id yet.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestedCollaboratorOut {
    email: String,
    permission: &'static str,
    avatar_url: &'static str,
}

fn to_reply(request: &AccessRequest, _: &Context) -> Reply {
    reply::ok(&AccessRequestOut::from(request))
}

/// POST collaborators/request. A body is ignored.
pub(crate) async fn request_book_access(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let text = |name: &str| request.text_without_nul(name);
    let (permission, message) = (text("permission"), text("message"));
    let server = state.edge.site.canonical_url.clone();
    let reply = request
        .write_book(
            move |tx, cx, book| {
                let (permission, message) = (permission.as_deref(), message.as_deref());
                let input = Request { permission, message, server: &server };
                access_request::request(tx, cx, book, input)
            },
            |(), _| reply::no_content().showing(std::iter::once(Shown::Nothing)),
        )
        .await?;
    state.edge.mails.notify();
    Ok(reply)
}

/// GET collaborators/request.
pub(crate) async fn list_book_access_requests(request: ApiRequest) -> ApiResult {
    let book = request.book();
    let encode = |all: &Vec<AccessRequest>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(AccessRequestOut::from).collect()))
    };
    request.read(move |tx, cx| access_request::list(tx, cx, &book), encode).await
}

/// GET collaborators/request/{id}.
pub(crate) async fn get_book_access_request(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let encode = |request: &AccessRequest, _: &Context| {
        reply::ok(&RequestedCollaboratorOut {
            email: request.email.to_string(),
            permission: request.permission.as_str(),
            avatar_url: "",
        })
    };
    request.read(move |tx, cx| access_request::get(tx, cx, &book, &id), encode).await
}

/// DELETE collaborators/request/{id}.
pub(crate) async fn decline_book_access_request(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request
        .write_book(move |tx, cx, book| access_request::decline(tx, cx, book, &id), to_reply)
        .await
}
