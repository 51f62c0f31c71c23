//! Integrations: apps installed in a book (behaviour 9.4).

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::app::{App, AppId, AppSummary};
use daybook_domain::connection::{Connection, ConnectionKind};
use daybook_domain::id::{BookKey, ConnectionId, IntegrationId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::integration::{Changes, Integration, MAX_INTEGRATIONS, Refusal};
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteIntegrations;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::delivery::pause::Pause;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, app, event_log, file};

/// An integration as a reader of the book sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The integration.
    pub integration: Integration,
    /// The username of the user who installed it.
    pub added_by: String,
    /// The summary of its app.
    pub app_summary: Option<AppSummary>,
    /// The pause of its app in the book (behaviour 8.19).
    pub pause: Option<Pause>,
}

/// listIntegrations: by name.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<View>> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut all = tx.integrations().list(&access)?;
    all.sort_by_cached_key(Integration::sort_key);
    views(tx, &access, all)
}

/// listBookApps: the apps installed in the book, by name.
///
/// It includes deprecated apps, and apps that the caller could not see elsewhere.
pub fn list_apps(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<app::View>> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for integration in tx.integrations().list(&access)? {
        if integration.installs_app {
            ids.insert(integration.app.to_string());
        }
    }
    let mut apps = tx.apps().by_ids(&ids)?;
    apps.sort_by_cached_key(App::sort_key);
    app::views(tx, cx, apps)
}

/// The input of createIntegration.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The id of the app. Without it, the app of the connection is installed.
    pub app: Option<String>,
    /// The id of a connection of the caller.
    pub connection: Option<String>,
    /// Its name and properties.
    pub changes: Changes,
}

/// createIntegration. An app that is installed already with the same connection stays unchanged.
///
/// # Errors
/// Refusals of the rules of integrations; [`Refusal::AppRequired`], [`Refusal::UnknownConnection`],
/// [`Refusal::TooMany`]; 503 while deliveries of an earlier installation are being removed.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, input: &Input) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let connection = input.connection.as_deref().filter(|id| !id.trim().is_empty());
    let connection = connection.map(|id| share_lock_connection(tx, cx, id)).transpose()?;
    let default_app = connection.as_ref().map(|connection| connection.app.as_str());
    let app = input.app.as_deref().or(default_app).ok_or(Refusal::AppRequired)?;
    let connection_id = connection.as_ref().map(|connection| connection.id);
    let installed = tx.integrations().list(&access)?;
    let is_same = |integration: &&Integration| {
        integration.app.as_str() == app && integration.connection == connection_id
    };
    if let Some(existing) = installed.iter().find(is_same) {
        return view(tx, &access, existing.clone());
    }
    let integration = new_integration(tx, cx, app, connection.as_ref(), &input.changes)?;
    if installed.len() >= MAX_INTEGRATIONS {
        return Err(Refusal::TooMany.into());
    }
    let (book, app) = (access.book().id, &integration.app);
    if integration.installs_app
        && tx.integrations().installer(book, app)?.is_none()
        && tx.deliveries().clear(book, app)?
    {
        // There may be millions of rows, and the app must not receive them.
        let why = "deliveries of an earlier installation of the app are still being removed";
        return Err(daybook_storage::Error::Unavailable(why.to_owned()).into());
    }
    tx.integrations().insert(&access, &integration)?;
    event_log::append(tx, cx, &access, vec![integration.created_event(&cx.user.username)])?;
    view(tx, &access, integration)
}

fn new_integration(
    tx: &mut Tx<'_>,
    cx: &Context,
    app: &str,
    connection: Option<&Connection>,
    changes: &Changes,
) -> Result<Integration> {
    let id = IntegrationId::new(cx.mint());
    let is_bank = |connection: &&Connection| connection.kind == ConnectionKind::Bank;
    if let Some(bank) = connection.filter(is_bank) {
        let app = AppId::new(app).map_err(Refusal::AppMalformed)?;
        return Ok(Integration::install_bank(id, app, bank, changes, cx.now)?);
    }
    let unknown = || Refusal::UnknownApp(app.chars().take(60).collect());
    let app = tx.apps().find(app)?.ok_or_else(unknown)?;
    let integration = Integration::install(id, &app, changes, &cx.as_app_visitor(), cx.now)?;
    Ok(Integration { connection: connection.map(|connection| connection.id), ..integration })
}

/// Finds a connection of the caller and takes a shared lock on it, so it cannot be deleted before
/// this unit of work ends.
fn share_lock_connection(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Connection> {
    cx.scope.check_outside_books()?;
    let found = match id.parse() {
        Ok(id) => tx.connections().share_lock(cx.user.id, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::UnknownConnection(id.chars().take(60).collect()))?)
}

/// Removes the integrations of a book that use a connection, before its owner deletes it.
///
/// The owner of the connection may have lost access to the book (behaviour 9.5).
pub fn disconnect(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &BookKey,
    connection: ConnectionId,
) -> Result<()> {
    let cx = &cx.exempt_from_quotas();
    let Some(owner) = access::owner_of(tx, book.as_str())? else { return Ok(()) };
    let Some(found) = tx.books().load_for_user(book.as_str(), &owner.email)? else { return Ok(()) };
    let access = found.admit_to(owner.id, WriteIntegrations)?;
    let mut used = tx.integrations().list(&access)?;
    used.retain(|integration| integration.connection == Some(connection));
    for View { integration, added_by, .. } in views(tx, &access, used)? {
        remove(tx, &access, &integration, cx.now)?;
        file::end_addresses(tx, cx, &access)?;
        event_log::append(tx, cx, &access, vec![integration.deleted_event(&added_by)])?;
    }
    Ok(())
}

/// updateIntegration: its name and its properties.
///
/// It also resumes an app that was paused because it failed (behaviour 8.19).
///
/// # Errors
/// Refusals of the rules of integrations; [`Refusal::IdRequired`] and [`Refusal::Unknown`].
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: Option<&str>,
    changes: &Changes,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let before = find(tx, &access, id.ok_or(Refusal::IdRequired)?)?;
    before.check_permitted(changes, cx.user.id)?;
    let reach = before.reach;
    let (after, previous) = before.update(changes, cx.now)?;
    if after.reach != reach {
        tx.identity_changes().increment();
    }
    if after.installs_app {
        tx.deliveries().resume_failing(&access, &after.app)?;
    }
    let view = view(tx, &access, after)?;
    if !previous.is_empty() {
        tx.integrations().update(&access, &view.integration)?;
        let event = view.integration.updated_event(&view.added_by, &previous);
        event_log::append(tx, cx, &access, vec![event])?;
    }
    Ok(view)
}

/// deleteIntegration.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let removed = find(tx, &access, id)?;
    let view = view(tx, &access, removed)?;
    remove(tx, &access, &view.integration, cx.now)?;
    file::end_addresses(tx, cx, &access)?;
    let event = view.integration.deleted_event(&view.added_by);
    event_log::append(tx, cx, &access, vec![event])?;
    Ok(view)
}

/// Removes an integration. The tokens of its deliveries end (behaviour 8.22).
fn remove(
    tx: &mut Tx<'_>,
    access: &AccessTo<WriteIntegrations>,
    removed: &Integration,
    now: Instant,
) -> Result<()> {
    tx.integrations().delete(access, removed, now)?;
    if removed.installs_app {
        tx.identity_changes().increment();
    }
    Ok(())
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<Integration> {
    let found = match text.parse() {
        Ok(id) => tx.integrations().find(access, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}

fn view(tx: &mut Tx<'_>, access: &Access, integration: Integration) -> Result<View> {
    let mut views = views(tx, access, vec![integration])?;
    views.pop().ok_or(Error::NotFound("integration"))
}

/// Returns integrations of a book as a reader of it sees them.
pub(crate) fn views(tx: &mut Tx<'_>, access: &Access, all: Vec<Integration>) -> Result<Vec<View>> {
    let installers: BTreeSet<UserId> =
        all.iter().map(|integration| integration.installer).collect();
    let installers = tx.users().by_ids(&Vec::from_iter(installers))?.into_iter();
    let usernames: HashMap<UserId, String> =
        installers.map(|user| (user.id, user.username)).collect();
    let installed = all.iter().filter(|integration| integration.installs_app);
    let summaries = tx.apps().summaries(installed.map(|integration| integration.app.as_str()))?;
    let pauses = tx.deliveries().pauses(access)?;
    let to_view = |integration: Integration| {
        let of_app = |pause: &&Pause| integration.installs_app && pause.app == integration.app;
        let summary = summaries.get(integration.app.as_str()).cloned();
        View {
            access: access.clone(),
            added_by: usernames.get(&integration.installer).cloned().unwrap_or_default(),
            app_summary: if integration.installs_app { summary } else { None },
            pause: pauses.iter().find(of_app).cloned(),
            integration,
        }
    };
    Ok(all.into_iter().map(to_view).collect())
}
