//! Comments on transactions, written and read by collaborators (behaviour 3.14).
//!
//! A comment does not belong to the data of its transaction: it is possible in every state, on a
//! locked date too, and leaves the version of the transaction.

mod events;

use crate::access::Access;
use crate::id::{CommentId, TransactionId, UserId};
use crate::instant::Instant;
use crate::permission::Action;
use crate::reason::Reason;

/// Maximum number of characters of a text (behaviour 3.14.3).
pub const MAX_TEXT: usize = 2_000;

/// Maximum number of comments on a transaction, because the list is not paginated (behaviour
/// 3.14.3).
pub const MAX_COMMENTS: u32 = 1_000;

/// Why a request about a comment was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("comment not found: {0}")]
    Unknown(String),
    #[error("text is required and must not be blank")]
    TextRequired,
    #[error("text has {0} characters; at most {MAX_TEXT} are allowed")]
    TextTooLong(usize),
    #[error("the transaction would have {0} comments; at most {MAX_COMMENTS} are allowed")]
    TooMany(u32),
    #[error("only its author and the owner of the book may delete a comment")]
    NotAuthor,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::NotAuthor => Reason::Forbidden,
            Self::TextRequired | Self::TextTooLong(_) | Self::TooMany(_) => Reason::BadRequest,
        }
    }
}

/// A comment on a transaction. It never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Unique across all books. The comments on a transaction are ordered by id.
    pub id: CommentId,
    /// The transaction.
    pub transaction: TransactionId,
    /// The text: trimmed, not blank.
    pub text: String,
    /// The user who wrote it.
    pub author: UserId,
    /// The app it was written with (behaviour 9.2).
    pub agent: Option<String>,
    /// When it was written.
    pub created_at: Instant,
}

/// Checks the text of a new comment and trims it (behaviour 3.14.3).
///
/// # Errors
/// [`Refusal::TextRequired`]; [`Refusal::TextTooLong`].
pub fn check_text(text: Option<&str>) -> Result<String, Refusal> {
    let text = text.unwrap_or_default().trim();
    match text.chars().count() {
        0 => Err(Refusal::TextRequired),
        length if length > MAX_TEXT => Err(Refusal::TextTooLong(length)),
        _ => Ok(text.to_owned()),
    }
}

/// Returns the number of comments on a transaction after some are added.
///
/// ```
/// use daybook_domain::comment::{MAX_COMMENTS, Refusal, count_with};
/// assert_eq!(count_with(2, 3), Ok(5));
/// assert_eq!(count_with(MAX_COMMENTS, 1), Err(Refusal::TooMany(MAX_COMMENTS + 1)));
/// ```
///
/// # Errors
/// [`Refusal::TooMany`].
pub const fn count_with(count: u32, added: u32) -> Result<u32, Refusal> {
    let sum = count.saturating_add(added);
    if sum > MAX_COMMENTS { Err(Refusal::TooMany(sum)) } else { Ok(sum) }
}

impl Comment {
    /// Checks that the user may delete it: the author, and the owner of the book (behaviour
    /// 3.14.5).
    ///
    /// # Errors
    /// [`Refusal::NotAuthor`].
    pub fn check_deletable(&self, access: &Access) -> Result<(), Refusal> {
        let may_delete = access.may_touch(Action::DeleteComment, self.author);
        if may_delete { Ok(()) } else { Err(Refusal::NotAuthor) }
    }

    /// Copies it to a transaction into which its own was merged (behaviour 3.14.6).
    #[must_use]
    pub fn copied_to(&self, transaction: TransactionId, id: CommentId) -> Self {
        Self { id, transaction, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Changes, Visibility};
    use crate::fixture::book;
    use crate::permission::Permission;

    #[test]
    fn text_is_trimmed_required_and_limited() {
        let long = "é".repeat(MAX_TEXT);
        let longer = format!(" {long}x\n");
        for (text, expected) in [
            (None, Err(Refusal::TextRequired)),
            (Some(" \t\r\n"), Err(Refusal::TextRequired)),
            (Some(" Ask \n the bank \n"), Ok("Ask \n the bank")),
            (Some(long.as_str()), Ok(long.as_str())),
            (Some(longer.as_str()), Err(Refusal::TextTooLong(MAX_TEXT + 1))),
        ] {
            assert_eq!(check_text(text), expected.map(str::to_owned), "{text:?}");
        }
    }

    #[test]
    fn authors_and_the_owner_delete_comments() {
        const ME: UserId = UserId::new(7);
        let comment = |author| Comment {
            id: CommentId::new(1),
            transaction: TransactionId::new(2),
            text: "Why?".to_owned(),
            author,
            agent: None,
            created_at: Instant::new(3),
        };
        for visibility in [Visibility::Private, Visibility::Public] {
            for (granted, of_others) in [
                (Permission::Owner, true),
                (Permission::Editor, false),
                (Permission::Poster, false),
                (Permission::Recorder, false),
                (Permission::Viewer, false),
            ] {
                let settings = Changes { visibility: Some(visibility), ..Changes::default() };
                let access = Access::admit(book(settings), Some(granted), ME, Action::Comment);
                let access = access.unwrap();
                assert_eq!(comment(ME).check_deletable(&access), Ok(()), "{granted:?}");
                let other = comment(UserId::new(8)).check_deletable(&access);
                assert_eq!(other.is_ok(), of_others, "{granted:?}");
            }
        }
    }
}
