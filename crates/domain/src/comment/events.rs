//! The events of comments (behaviour 8.1).

use super::Comment;
use crate::event::{EventType, NewEvent, snapshot};
use crate::id::UserId;

impl Comment {
    /// Creates COMMENT_CREATED. `actor` is the user of the request.
    pub fn created_event(&self, actor: UserId) -> NewEvent {
        self.event(EventType::CommentCreated, actor)
    }

    /// Creates COMMENT_DELETED. `actor` is the user of the request.
    pub fn deleted_event(&self, actor: UserId) -> NewEvent {
        self.event(EventType::CommentDeleted, actor)
    }

    fn event(&self, kind: EventType, actor: UserId) -> NewEvent {
        NewEvent::new(kind, self.id.get(), snapshot::comment(self, actor))
    }
}
