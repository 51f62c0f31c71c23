//! Administration of the installation (behaviour 9.22): its users, and what needs attention.
//!
//! Only administrators may use it, and only with a token without limits. No use case shows the
//! contents of a book.

use std::collections::HashMap;

use daybook_domain::email::Email;
use daybook_domain::id::{InvitationId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::{Refusal as LinkRefusal, SecretDigest};
use daybook_domain::storage_quota::StorageUsage;
use daybook_domain::user::{Refusal, deleted_email};
use daybook_storage::Tx;
use daybook_storage::audit::AuditFindings;
use daybook_storage::delivery::pause::PausedApp;
use daybook_storage::mail::UnsentMail;
use daybook_storage::page::{Page, rows_to_read};
use daybook_storage::user::{ListedUser, User};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::target::Target;
use crate::{session, user};

/// The target of [`set_disabled`] and [`invite`].
pub const TARGET: Target = Target::Caller;

/// Users of a page by default, and at most (behaviour 9.22).
const DEFAULT_USERS: usize = 50;
const MAX_USERS: usize = 200;
/// Rows of each list of the status (behaviour 9.22).
const MAX_LISTED: i64 = 100;

/// A user as administrators see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The user.
    pub user: User,
    /// The sign-in of their latest browser session, if any is stored.
    pub signed_in_at: Option<Instant>,
    /// The storage that their books use.
    pub stored: StorageUsage,
}

/// An invitation of a new user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The id, from which the secret of the link is derived.
    pub id: InvitationId,
    /// The invited address.
    pub email: Email,
    /// The time until which the link works.
    pub expires_at: Instant,
}

/// Mails, apps and audits that need the attention of administrators, at most 100 of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The mails that were not sent, the newest first.
    pub mails: Vec<UnsentMail>,
    /// The paused apps, the longest pauses first.
    pub apps: Vec<PausedApp>,
    /// The last audits of books that had findings, the latest first.
    pub audits: Vec<AuditFindings>,
}

/// Refuses callers who are not administrators, and tokens that do not administer.
///
/// A write checks it before its idempotency key too, because a replay runs no use case.
///
/// # Errors
/// [`Refusal::NotAdministrator`]; [`daybook_domain::token::Refusal::InsufficientScope`].
pub fn check_administrator(cx: &Context) -> Result<()> {
    cx.scope.check_administration()?;
    if cx.is_administrator { Ok(()) } else { Err(Refusal::NotAdministrator.into()) }
}

/// listUsers: a page of the users by address, or the user with this address.
///
/// # Errors
/// [`Refusal::NotAdministrator`]; an invalid address.
pub fn list_users(
    tx: &mut Tx<'_>,
    cx: &Context,
    email: Option<&str>,
    after: Option<&str>,
    limit: Option<usize>,
) -> Result<Page<View, String>> {
    check_administrator(cx)?;
    let email = email.map(Email::parse).transpose()?;
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_USERS).min(MAX_USERS);
    let rows = tx.users().page(email.as_ref(), after, rows_to_read(limit))?;
    let place = |listed: &ListedUser| listed.user.email.as_str().to_owned();
    let Page { items, next } = Page::new(rows, limit, place);
    Ok(Page { items: views(tx, items)?, next })
}

/// disableUser and enableUser: refuses the tokens of a user from then on, or accepts them again.
///
/// # Errors
/// [`Refusal::NotAdministrator`]; 404 for an unknown user; [`Refusal::DisablesThemselves`].
pub fn set_disabled(tx: &mut Tx<'_>, cx: &Context, id: &str, disabled: bool) -> Result<View> {
    check_administrator(cx)?;
    let found = match id.parse() {
        Ok(id) => user::find_by_id(tx, id)?.filter(|user| !is_deleted(user)),
        Err(_) => None,
    };
    let found = found.ok_or(Error::NotFound("user"))?;
    if disabled && found.id == cx.user.id {
        return Err(Refusal::DisablesThemselves.into());
    }
    let changed = user::set_disabled(tx, &found.email, disabled, cx.now)?;
    let rows = tx.users().page(Some(&changed.email), None, 1)?;
    views(tx, rows)?.pop().ok_or(Error::NotFound("user"))
}

/// createInvitation: stores a link by which an address becomes a user. `digest` computes the digest
/// of the secret from the id.
///
/// # Errors
/// [`Refusal::NotAdministrator`]; an invalid address; [`LinkRefusal::MailsLinks`] if the server
/// mails links; [`LinkRefusal::AlreadyUser`], [`LinkRefusal::TooManyLinks`].
pub fn invite(
    tx: &mut Tx<'_>,
    cx: &Context,
    email: &str,
    mails_links: bool,
    digest: impl FnOnce(InvitationId) -> SecretDigest,
) -> Result<Invitation> {
    check_administrator(cx)?;
    if mails_links {
        return Err(LinkRefusal::MailsLinks.into());
    }
    let (email, id) = (Email::parse(email)?, InvitationId::new(cx.mint()));
    let link = session::invite(tx, email, digest(id), cx.now)?;
    Ok(Invitation { id, expires_at: link.expires_at(), email: link.email })
}

/// getInstallationStatus: what needs attention.
///
/// # Errors
/// [`Refusal::NotAdministrator`].
pub fn status(tx: &mut Tx<'_>, cx: &Context) -> Result<Status> {
    check_administrator(cx)?;
    Ok(Status {
        mails: tx.mails().unsent(MAX_LISTED)?,
        apps: tx.deliveries().paused_apps(MAX_LISTED)?,
        audits: tx.audits().with_findings(MAX_LISTED)?,
    })
}

/// Adds the storage of their books to users, without deleted users.
fn views(tx: &mut Tx<'_>, mut listed: Vec<ListedUser>) -> Result<Vec<View>> {
    listed.retain(|listed| !is_deleted(&listed.user));
    let ids: Vec<UserId> = listed.iter().map(|listed| listed.user.id).collect();
    let stored: HashMap<UserId, StorageUsage> = tx.storage_usage().of_owners(&ids)?;
    let view = |ListedUser { user, signed_in_at }: ListedUser| {
        let stored = stored.get(&user.id).copied().unwrap_or_default();
        View { user, signed_in_at, stored }
    };
    Ok(listed.into_iter().map(view).collect())
}

/// Returns whether a user was deleted, and left only a placeholder (behaviour 7.11).
fn is_deleted(user: &User) -> bool {
    user.email == deleted_email(user.id)
}
