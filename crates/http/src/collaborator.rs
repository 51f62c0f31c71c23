//! Collaborators: handlers and wire shapes.

use daybook_domain::collaborator::Collaborator;
use daybook_domain::permission::Permission;
use daybook_service::Context;
use daybook_service::collaborator::{self, Input};
use serde::{Deserialize, Deserializer, Serialize};

use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, StampOut, objects_only, one_of};

/// The body of a collaborator.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct CollaboratorIn {
    #[serde(default)]
    email: Option<String>,
    #[serde(default, deserialize_with = "permission")]
    permission: Option<Permission>,
}

objects_only!(CollaboratorIn);

fn permission<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Permission>, D::Error> {
    one_of(reader, "OWNER, EDITOR, POSTER, RECORDER, VIEWER, NONE", Permission::from_name)
}

/// The picture of a collaborator, which is only visible to the user (behaviour 9.11).
pub(crate) const NO_PICTURE: &str = "";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CollaboratorOut {
    id: String,
    email: String,
    permission: &'static str,
    avatar_url: &'static str,
    #[serde(flatten)]
    stamp: StampOut,
}

impl From<&Collaborator> for CollaboratorOut {
    fn from(collaborator: &Collaborator) -> Self {
        let Collaborator { id, email, permission, stamp } = collaborator;
        Self {
            id: id.to_string(),
            email: email.to_string(),
            permission: permission.as_str(),
            avatar_url: NO_PICTURE,
            stamp: StampOut::from(stamp),
        }
    }
}

fn to_reply(collaborator: &Collaborator, _: &Context) -> Reply {
    reply::ok(&CollaboratorOut::from(collaborator))
}

/// GET collaborators.
pub(crate) async fn list_collaborators(request: ApiRequest) -> ApiResult {
    let book = request.book();
    let encode = |all: &Vec<Collaborator>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(CollaboratorOut::from).collect()))
    };
    request.read(move |tx, cx| collaborator::list(tx, cx, &book), encode).await
}

/// POST collaborators. The parameter `message` is the text of the invitation mail.
pub(crate) async fn add_collaborator(request: ApiRequest, body: Body<CollaboratorIn>) -> ApiResult {
    let state = request.state.clone();
    let CollaboratorIn { email, permission } = body.0;
    let message = request.text("message").map(str::to_owned);
    let server = state.edge.site.canonical_url.clone();
    let reply = request
        .write_book(
            move |tx, cx, book| {
                let (email, message) = (email.as_deref(), message.as_deref());
                let input = Input { email, permission, message, server: &server };
                collaborator::add(tx, cx, book, input)
            },
            to_reply,
        )
        .await?;
    state.edge.mails.notify();
    Ok(reply)
}

/// DELETE collaborators/{id}, by id or e-mail.
pub(crate) async fn remove_collaborator(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.write_book(move |tx, cx, book| collaborator::remove(tx, cx, book, &id), to_reply).await
}
