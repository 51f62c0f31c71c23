//! Snapshots of comments.

use super::fields::{Unreadable, parse_text, read_text};
use crate::comment::Comment;
use crate::id::UserId;
use crate::json::{Json, Object};

/// Creates the snapshot of a comment. The author is omitted if it is the acting user.
pub fn comment(comment: &Comment, actor: UserId) -> Object {
    let Comment { id, transaction, text, author, agent, created_at } = comment;
    Object::new()
        .with("id", Json::text(id.to_string()))
        .with("transactionId", Json::text(transaction.to_string()))
        .with("text", Json::text(text))
        .with_some("createdBy", (*author != actor).then(|| Json::text(author.to_string())))
        .with_some("agentId", agent.as_deref().map(Json::text))
        .with("createdAt", Json::text(created_at.milliseconds().to_string()))
}

/// The comment of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentSnapshot {
    /// The author, if another user acted.
    pub author: Option<UserId>,
    /// The app it was written with.
    pub agent: Option<String>,
    /// The whole snapshot without author and app.
    pub object: Object,
}

impl CommentSnapshot {
    /// Parses a snapshot of [`comment()`].
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let author = parse_text(&object, "createdBy")?;
        let agent = read_text(&object, "agentId")?.map(str::to_owned);
        object.remove("createdBy");
        object.remove("agentId");
        Ok(Self { author, agent, object })
    }
}
