//! Administration of the installation (behaviour 9.22): users, invitations and the status.

use daybook_auth::session::{LoginSecret, render_qr_code};
use daybook_domain::instant::Instant;
use daybook_domain::mail::without_links;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::last_backup::LastBackup;
use daybook_service::administration::{self, Invitation, Status, View};
use daybook_service::{self as service, Context};
use daybook_storage::Tx;
use daybook_storage::audit::AuditFindings;
use daybook_storage::delivery::pause::{Pause, PausedApp};
use daybook_storage::mail::UnsentMail;
use daybook_storage::page::Page;
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::cursor::{self, UserCursor};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::{ListOut, objects_only};

/// A user as administrators see them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallationUserOut {
    id: String,
    email: String,
    username: String,
    administrator: bool,
    active: bool,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_in_at: Option<String>,
    transactions: i64,
    bytes: i64,
}

impl InstallationUserOut {
    fn new(view: &View, state: &AppState) -> Self {
        let View { user, signed_in_at, stored } = view;
        Self {
            id: user.id.to_string(),
            email: user.email.to_string(),
            username: user.username.clone(),
            administrator: state.auth.is_administrator(user),
            active: user.disabled_at.is_none(),
            created_at: milliseconds(user.created_at),
            disabled_at: user.disabled_at.map(milliseconds),
            signed_in_at: signed_in_at.map(milliseconds),
            transactions: stored.transactions,
            bytes: stored.bytes,
        }
    }
}

/// The body of an invitation.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct InvitationIn {
    #[serde(default)]
    email: Option<String>,
}

objects_only!(InvitationIn);

/// An invitation without its link, as an idempotency key stores it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InvitationOut {
    id: String,
    email: String,
    expires_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkedInvitationOut {
    #[serde(flatten)]
    invitation: InvitationOut,
    url: String,
    /// A `data:` URL of an image; absent if the link is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    qr_code: Option<String>,
}

/// The state of the installation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusOut {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_backup: Option<LastBackupOut>,
    unsent_mails: Vec<UnsentMailOut>,
    paused_apps: Vec<PausedAppOut>,
    audits_with_findings: Vec<AuditOut>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LastBackupOut {
    finished_at: String,
    bytes: u64,
    place: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UnsentMailOut {
    id: String,
    recipient: String,
    kind: &'static str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    given_up_at: Option<String>,
    reason: String,
}

impl From<&UnsentMail> for UnsentMailOut {
    fn from(mail: &UnsentMail) -> Self {
        let UnsentMail { id, recipient, kind, created_at, given_up_at, failure } = mail;
        Self {
            id: id.to_string(),
            recipient: recipient.to_string(),
            kind: kind.as_str(),
            created_at: milliseconds(*created_at),
            given_up_at: given_up_at.map(milliseconds),
            reason: without_links(failure),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PausedAppOut {
    agent_id: String,
    book_id: String,
    paused_at: String,
    cause: &'static str,
}

impl From<&PausedApp> for PausedAppOut {
    fn from(paused: &PausedApp) -> Self {
        let PausedApp { book, pause: Pause { app, since, cause } } = paused;
        Self {
            agent_id: app.to_string(),
            book_id: book.to_string(),
            paused_at: milliseconds(*since),
            cause: cause.as_str(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditOut {
    book_id: String,
    sequence: i64,
    findings: i64,
    audited_at: String,
}

impl From<&AuditFindings> for AuditOut {
    fn from(audit: &AuditFindings) -> Self {
        let AuditFindings { book, sequence, findings, audited_at } = audit;
        Self {
            book_id: book.to_string(),
            sequence: *sequence,
            findings: *findings,
            audited_at: milliseconds(*audited_at),
        }
    }
}

fn milliseconds(instant: Instant) -> String {
    instant.milliseconds().to_string()
}

/// GET administration/users.
pub(crate) async fn list_users(request: ApiRequest) -> ApiResult {
    let (email, limit) = (request.text("email").map(str::to_owned), request.limit());
    let after = request.cursor().and_then(cursor::read::<UserCursor>);
    // PostgreSQL accepts no NUL in a text.
    let after = after.filter(|cursor| !cursor.email.contains('\0'));
    let state = request.state.clone();
    let encode = move |page: &Page<View, String>, _: &Context| {
        let items = page.items.iter().map(|view| InstallationUserOut::new(view, &state)).collect();
        let next = page.next.clone().map(|email| UserCursor { email });
        reply::ok(&ListOut { items, cursor: next.as_ref().and_then(cursor::write) })
    };
    let list = move |tx: &mut Tx<'_>, cx: &Context| {
        let after = after.as_ref().map(|cursor| cursor.email.as_str());
        administration::list_users(tx, cx, email.as_deref(), after, limit)
    };
    request.read(list, encode).await
}

/// POST administration/users/{id}/disable.
pub(crate) async fn disable_user(request: ApiRequest) -> ApiResult {
    set_disabled(request, true).await
}

/// POST administration/users/{id}/enable.
pub(crate) async fn enable_user(request: ApiRequest) -> ApiResult {
    set_disabled(request, false).await
}

async fn set_disabled(request: ApiRequest, disabled: bool) -> ApiResult {
    administration::check_administrator(&request.cx)?;
    let (id, state, state_of_encoder) =
        (request.id(), request.state.clone(), request.state.clone());
    let work =
        move |tx: &mut Tx<'_>, cx: &Context| administration::set_disabled(tx, cx, &id, disabled);
    let encode = move |view: &View, _: &Context| {
        reply::ok(&InstallationUserOut::new(view, &state_of_encoder))
    };
    let reply = request.write(administration::TARGET, work, encode).await?;
    state.auth.identity.clear_bearers();
    Ok(reply)
}

/// POST administration/invitations.
///
/// The response that an idempotency key stores does not have the link. Its secret is derived again
/// for each response.
pub(crate) async fn create_invitation(
    request: ApiRequest,
    Body(InvitationIn { email }): Body<InvitationIn>,
) -> ApiResult {
    administration::check_administrator(&request.cx)?;
    let (state, state_of_write) = (request.state.clone(), request.state.clone());
    let mails_links = state.auth.mailed_links.is_some();
    let work = move |tx: &mut Tx<'_>, cx: &Context| {
        let key = state_of_write.auth.identity.key();
        let digest = |id| LoginSecret::of_invitation(key, id).digest();
        administration::invite(tx, cx, email.as_deref().unwrap_or_default(), mails_links, digest)
    };
    let encode = |invitation: &Invitation, _: &Context| {
        let Invitation { id, email, expires_at } = invitation;
        reply::ok(&InvitationOut {
            id: id.to_string(),
            email: email.to_string(),
            expires_at: milliseconds(*expires_at),
        })
    };
    let stored = request.write(administration::TARGET, work, encode).await?;
    stored.amend(|invitation: InvitationOut| {
        let malformed =
            |_| ApiError::from(RequestError::Failed("malformed id of an invitation".to_owned()));
        let id = invitation.id.parse().map_err(malformed)?;
        let secret = LoginSecret::of_invitation(state.auth.identity.key(), id);
        let url = secret.link(&state.edge.site.canonical_url);
        Ok(LinkedInvitationOut { invitation, qr_code: render_qr_code(&url), url })
    })
}

/// GET administration/status.
pub(crate) async fn get_installation_status(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let work = move |tx: &mut Tx<'_>, cx: &Context| -> service::Result<_> {
        let status = administration::status(tx, cx)?;
        // An unreadable file is a finding of `daybook doctor`.
        Ok((status, LastBackup::read(&state.data_dir).ok().flatten()))
    };
    request.read(work, |(status, backup), _| status_reply(status, backup.as_ref())).await
}

fn status_reply(status: &Status, backup: Option<&LastBackup>) -> Reply {
    let Status { mails, apps, audits } = status;
    reply::ok(&StatusOut {
        version: env!("CARGO_PKG_VERSION"),
        last_backup: backup.map(|LastBackup { finished_at, bytes, place }| LastBackupOut {
            finished_at: finished_at.milliseconds().to_string(),
            bytes: *bytes,
            place: place.clone(),
        }),
        unsent_mails: mails.iter().map(UnsentMailOut::from).collect(),
        paused_apps: apps.iter().map(PausedAppOut::from).collect(),
        audits_with_findings: audits.iter().map(AuditOut::from).collect(),
    })
}
