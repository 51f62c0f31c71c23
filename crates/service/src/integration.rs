//! Use cases of integrations (behaviour 9.4).

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

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, app, connection, event_log, file};

/// An integration as a reader of the book sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The integration.
    pub integration: Integration,
    /// The username of who installed it.
    pub added_by: String,
    /// How its app looks.
    pub face: Option<AppSummary>,
}

/// listIntegrations: by name.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<View>> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut all = tx.integrations().list(&access)?;
    all.sort_by_cached_key(Integration::sort_key);
    views(tx, &access, all)
}

/// listBookApps: the apps installed in the book by name, deprecated ones too, whether or not the
/// caller would see them elsewhere.
///
/// # Errors
/// What the access step refuses.
pub fn list_apps(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<app::View>> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let installed = tx.integrations().list(&access)?.into_iter();
    let installed = installed.filter(|one| one.installs_app);
    let ids: BTreeSet<String> = installed.map(|one| one.app.to_string()).collect();
    let mut apps = tx.apps().by_ids(&ids)?;
    apps.sort_by_cached_key(App::sort_key);
    app::views(tx, cx, apps)
}

/// What createIntegration is given.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The id of the app; absent, that of the connection.
    pub app: Option<String>,
    /// The id of a connection of the caller.
    pub connection: Option<String>,
    /// What it is called, and what it holds.
    pub changes: Changes,
}

/// createIntegration. An app that is installed already, with the same connection, stays as it is.
///
/// # Errors
/// What the access step and the rules of integrations refuse; [`Refusal::AppRequired`],
/// [`Refusal::UnknownConnection`], [`Refusal::TooMany`].
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, input: &Input) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let connection = input.connection.as_deref().filter(|id| !id.trim().is_empty());
    let connection = connection.map(|id| own_connection(tx, cx, id)).transpose()?;
    let of_it = connection.as_ref().map(|connection| connection.app.as_str());
    let app = input.app.as_deref().or(of_it).ok_or(Refusal::AppRequired)?;
    let through = connection.as_ref().map(|connection| connection.id);
    let installed = tx.integrations().list(&access)?;
    let same = |one: &&Integration| one.app.as_str() == app && one.connection == through;
    if let Some(existing) = installed.iter().find(same) {
        return view(tx, &access, existing.clone());
    }
    let made = make(tx, cx, app, connection.as_ref(), &input.changes)?;
    if installed.len() >= MAX_INTEGRATIONS {
        return Err(Refusal::TooMany.into());
    }
    let (number, app) = (access.book().id, &made.app);
    if made.installs_app
        && tx.integrations().installer(number, app)?.is_none()
        && tx.deliveries().clear((number, app))?
    {
        // It may be millions of rows, and would be delivered.
        let why = "what waited for the app before it left the book is still being removed";
        return Err(daybook_storage::Error::Unavailable(why.to_owned()).into());
    }
    tx.integrations().insert(&access, &made)?;
    event_log::append(tx, cx, &access, vec![made.created_event(&cx.user.username)])?;
    view(tx, &access, made)
}

fn make(
    tx: &mut Tx<'_>,
    cx: &Context,
    app: &str,
    connection: Option<&Connection>,
    changes: &Changes,
) -> Result<Integration> {
    let id = IntegrationId::new(cx.mint());
    if let Some(bank) = connection.filter(|one| one.kind == ConnectionKind::Bank) {
        let app = AppId::new(app).map_err(Refusal::AppMalformed)?;
        return Ok(Integration::of_bank(id, app, bank, changes, cx.now)?);
    }
    let unknown = || Refusal::UnknownApp(app.chars().take(60).collect());
    let app = tx.apps().find(app)?.ok_or_else(unknown)?;
    let made = Integration::install(id, &app, changes, &cx.visitor(), cx.now)?;
    Ok(Integration { connection: connection.map(|connection| connection.id), ..made })
}

fn own_connection(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Connection> {
    cx.scope.check_outside_books()?;
    let unknown = || Refusal::UnknownConnection(id.chars().take(60).collect());
    Ok(connection::kept(tx, cx, id)?.ok_or_else(unknown)?)
}

/// Removes the integrations of a book that use a connection, because its owner deletes it, who may
/// have no permission in the book any more (behaviour 9.5).
///
/// # Errors
/// What storage fails with.
pub fn disconnect(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &BookKey,
    connection: ConnectionId,
) -> Result<()> {
    let cx = &cx.beyond_quotas();
    let Some(owner) = access::owner_of(tx, book.as_str())? else { return Ok(()) };
    let Some(found) = tx.books().load_for_user(book.as_str(), &owner.email)? else { return Ok(()) };
    let access = found.admit_to(owner.id, WriteIntegrations)?;
    let used = tx.integrations().list(&access)?.into_iter();
    let used = used.filter(|one| one.connection == Some(connection)).collect();
    for View { integration, added_by, .. } in views(tx, &access, used)? {
        remove(tx, &access, &integration, cx.now)?;
        file::end_addresses(tx, cx, &access)?;
        event_log::append(tx, cx, &access, vec![integration.deleted_event(&added_by)])?;
    }
    Ok(())
}

/// updateIntegration: its name and its properties. Whoever saves it wants it to go on: an app that
/// was paused because it failed is resumed (behaviour 8.19).
///
/// # Errors
/// What the access step and the rules of integrations refuse; [`Refusal::IdRequired`] and
/// [`Refusal::Unknown`].
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
        tx.identity_changes().record();
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
/// What the access step refuses; [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.beyond_quotas();
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
        tx.identity_changes().record();
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

/// Integrations of a book as a reader of it sees them.
pub(crate) fn views(tx: &mut Tx<'_>, access: &Access, all: Vec<Integration>) -> Result<Vec<View>> {
    let installers: BTreeSet<UserId> = all.iter().map(|one| one.installer).collect();
    let installers = tx.users().by_ids(&Vec::from_iter(installers))?.into_iter();
    let usernames: HashMap<UserId, String> =
        installers.map(|user| (user.id, user.username)).collect();
    let installed = all.iter().filter(|one| one.installs_app);
    let faces = tx.apps().faces(installed.map(|one| one.app.as_str()))?;
    let shown = |integration: Integration| View {
        access: access.clone(),
        added_by: usernames.get(&integration.installer).cloned().unwrap_or_default(),
        face: faces.get(integration.app.as_str()).filter(|_| integration.installs_app).cloned(),
        integration,
    };
    Ok(all.into_iter().map(shown).collect())
}
