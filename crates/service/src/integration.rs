//! Use cases of integrations (behaviour 9.4).

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::app::AppFace;
use daybook_domain::id::{IntegrationId, UserId};
use daybook_domain::integration::{Changes, Integration, MAX_INTEGRATIONS, Refusal};
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteIntegrations;
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, app, event_log};

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
    pub face: Option<AppFace>,
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
    let ids: BTreeSet<String> = installed.map(|one| one.app.to_string()).collect();
    let mut apps = tx.apps().by_ids(&ids)?;
    apps.sort_by_cached_key(daybook_domain::app::App::sort_key);
    app::views(tx, cx, apps)
}

/// createIntegration. An app that is installed already stays as it is.
///
/// # Errors
/// What the access step and the rules of integrations refuse; [`Refusal::AppRequired`],
/// [`Refusal::TooMany`].
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    app: Option<&str>,
    changes: &Changes,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let app = app.ok_or(Refusal::AppRequired)?;
    let installed = tx.integrations().list(&access)?;
    if let Some(existing) = installed.iter().find(|one| one.app.as_str() == app) {
        return view(tx, &access, existing.clone());
    }
    let unknown = || Refusal::UnknownApp(app.chars().take(60).collect());
    let app = tx.apps().find(app)?.ok_or_else(unknown)?;
    let id = IntegrationId::new(cx.mint());
    let made = Integration::install(id, &app, changes, &cx.visitor(), cx.now)?;
    if installed.len() >= MAX_INTEGRATIONS {
        return Err(Refusal::TooMany.into());
    }
    tx.integrations().insert(&access, &made)?;
    event_log::append(tx, cx, &access, vec![made.created_event(&cx.user.username)])?;
    view(tx, &access, made)
}

/// updateIntegration: its name and its properties.
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
    let (after, previous) = before.update(changes, cx.now)?;
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
    let access = access::enter_to(tx, cx, book, WriteIntegrations)?;
    let removed = find(tx, &access, id)?;
    let view = view(tx, &access, removed)?;
    tx.integrations().delete(&access, view.integration.id)?;
    let event = view.integration.deleted_event(&view.added_by);
    event_log::append(tx, cx, &access, vec![event])?;
    Ok(view)
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

fn views(tx: &mut Tx<'_>, access: &Access, all: Vec<Integration>) -> Result<Vec<View>> {
    let installers: BTreeSet<UserId> = all.iter().map(|one| one.installer).collect();
    let installers = tx.users().by_ids(&Vec::from_iter(installers))?.into_iter();
    let usernames: HashMap<UserId, String> =
        installers.map(|user| (user.id, user.username)).collect();
    let faces = tx.apps().faces(all.iter().map(|one| one.app.as_str()))?;
    let shown = |integration: Integration| View {
        access: access.clone(),
        added_by: usernames.get(&integration.installer).cloned().unwrap_or_default(),
        face: faces.get(integration.app.as_str()).cloned(),
        integration,
    };
    Ok(all.into_iter().map(shown).collect())
}
