//! Comments on transactions (behaviour 3.14).

use std::collections::HashMap;

use daybook_domain::app::AppSummary;
use daybook_domain::comment::{Comment, Refusal, check_text, count_with};
use daybook_domain::id::{CommentId, UserId};
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteComments;
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::Result;
use crate::{access, event_log, transaction};

/// Comments with the users and apps that they name.
#[derive(Debug, Clone)]
pub struct View {
    /// The comments, oldest first.
    pub comments: Vec<Comment>,
    /// Their authors.
    pub users: HashMap<UserId, User>,
    /// The apps that they were written with.
    pub app_summaries: HashMap<String, AppSummary>,
}

impl View {
    fn load(tx: &mut Tx<'_>, comments: Vec<Comment>) -> Result<Self> {
        let mut authors: Vec<UserId> = comments.iter().map(|comment| comment.author).collect();
        authors.sort_unstable();
        authors.dedup();
        let users = tx.users().by_ids(&authors)?.into_iter().map(|user| (user.id, user)).collect();
        let agents = comments.iter().filter_map(|comment| comment.agent.as_deref());
        let app_summaries = tx.apps().summaries(agents)?;
        Ok(Self { comments, users, app_summaries })
    }
}

/// listComments: oldest first.
///
/// # Errors
/// 404 for a transaction that is unknown or hidden from the caller.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str, transaction: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::Comment)?;
    let transaction = transaction::find(tx, &access, transaction)?;
    let comments = tx.comments().list(&access, transaction.id)?;
    View::load(tx, comments)
}

/// createComment.
///
/// # Errors
/// Those of [`list`]; refusals of the rules of comments.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    transaction: &str,
    text: Option<&str>,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteComments)?;
    let transaction = transaction::find(tx, &access, transaction)?;
    let text = check_text(text)?;
    let count = count_with(transaction.comment_count, 1)?;
    let comment = Comment {
        id: CommentId::new(cx.mint()),
        transaction: transaction.id,
        text,
        author: cx.user.id,
        agent: cx.agent.clone(),
        created_at: cx.now,
    };
    tx.comments().insert(&access, std::slice::from_ref(&comment))?;
    tx.transactions().set_comment_count(&access, &transaction, count)?;
    event_log::append(tx, cx, &access, vec![comment.created_event(cx.user.id)])?;
    View::load(tx, vec![comment])
}

/// deleteComment: returns the deleted comment.
///
/// # Errors
/// Those of [`list`]; [`Refusal::Unknown`]; [`Refusal::NotAuthor`].
pub fn delete(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    transaction: &str,
    id: &str,
) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, WriteComments)?;
    let transaction = transaction::find(tx, &access, transaction)?;
    let found = match id.parse() {
        Ok(id) => tx.comments().find(&access, transaction.id, id)?,
        Err(_) => None,
    };
    let comment = found.ok_or_else(|| Refusal::Unknown(id.chars().take(60).collect()))?;
    comment.check_deletable(&access)?;
    tx.comments().delete(&access, &comment)?;
    let count = transaction.comment_count.saturating_sub(1);
    tx.transactions().set_comment_count(&access, &transaction, count)?;
    event_log::append(tx, cx, &access, vec![comment.deleted_event(cx.user.id)])?;
    View::load(tx, vec![comment])
}
