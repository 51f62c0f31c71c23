//! Apps (behaviour 9.3). An app belongs to no book, so the access step checks the caller's role for
//! the app. No event is recorded.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::app::{App, AppRole, Audience, Changes, MAX_APPS, MAX_ID, Refusal};
use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_storage::{Error as StorageError, Tx};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::target::Target;

/// The target of requests that change apps.
pub const TARGET: Target = Target::Caller;
/// The most apps in a list.
pub const MAX_LISTED: usize = 1_000;
/// The most bytes of texts in a list.
const MAX_LISTED_BYTES: usize = 8 * 1024 * 1024;

/// An app as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The app.
    pub app: App,
    /// The role of the caller for the app.
    pub role: AppRole,
    /// The verified address of its owner.
    pub owner_email: Email,
}

/// listApps: by name, without readmes and deprecated apps.
///
/// If there are more apps than fit, the caller's own come first, then the published ones.
///
/// # Errors
/// A token that is limited to books.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_outside_books()?;
    let entries = Audience::entries_for(&cx.user.username, &cx.user.email);
    let mut found = tx.apps().owned(cx.user.id)?;
    found.extend(tx.apps().published(MAX_LISTED)?);
    found.extend(tx.apps().naming(&entries, MAX_LISTED)?);
    if cx.is_administrator {
        found.extend(tx.apps().list_all(MAX_LISTED)?);
    }
    let (mut listed, mut bytes) = (BTreeMap::new(), 0);
    for app in found {
        bytes += app.manifest.texts.values().map(String::len).sum::<usize>();
        if listed.len() < MAX_LISTED && bytes <= MAX_LISTED_BYTES {
            listed.insert(app.sort_key(), app);
        }
    }
    views(tx, cx, listed.into_values().collect())
}

/// getApp.
///
/// # Errors
/// [`Refusal::Unknown`], also for an app that the caller may not see; a token that is limited to
/// books.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    cx.scope.check_outside_books()?;
    let app = find(tx, cx, id)?;
    view(tx, cx, app)
}

/// createApp: creates an app that the caller owns.
///
/// # Errors
/// [`Refusal::Exists`], also for an app that the caller may not see; refusals of the rules of apps.
pub fn create(tx: &mut Tx<'_>, cx: &Context, id: Option<&str>, changes: Changes) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let app = App::create(id, changes, &cx.as_app_visitor(), cx.now)?;
    let exists = || Refusal::Exists(app.id.to_string());
    if tx.apps().find(app.id.as_str())?.is_some() {
        return Err(exists().into());
    }
    if tx.apps().count(cx.user.id)? >= MAX_APPS {
        return Err(Refusal::TooManyApps.into());
    }
    match tx.apps().insert(&app) {
        Err(StorageError::UniqueViolation(_)) => return Err(exists().into()),
        outcome => outcome?,
    }
    view(tx, cx, app)
}

/// updateApp.
///
/// # Errors
/// [`Refusal::IdRequired`], [`Refusal::Unknown`], [`Refusal::NotDeveloper`]; refusals of the rules
/// of apps.
pub fn update(tx: &mut Tx<'_>, cx: &Context, id: Option<&str>, changes: Changes) -> Result<View> {
    let id = id.ok_or(Refusal::IdRequired)?;
    let read = find(tx, cx, id)?;
    if read.clone().update(changes.clone(), &cx.as_app_visitor(), cx.now)? == read {
        return view(tx, cx, read);
    }
    // The update saves all fields, and another developer may have changed some since the read.
    let before = require_visible(tx.apps().lock(id)?, cx, id)?;
    let after = before.update(changes, &cx.as_app_visitor(), cx.now)?;
    tx.apps().update(&after)?;
    view(tx, cx, after)
}

/// Refuses callers who may not change an app. They also see fewer fields than its developers.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::NotDeveloper`].
pub(crate) fn check_developer(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<()> {
    match find(tx, cx, id)?.role(&cx.as_app_visitor()) {
        AppRole::Developer => Ok(()),
        AppRole::User | AppRole::Stranger => Err(Refusal::NotDeveloper(id.to_owned()).into()),
    }
}

fn find(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<App> {
    require_visible(tx.apps().find(id)?, cx, id)
}

/// Returns the app if the caller may see it.
fn require_visible(found: Option<App>, cx: &Context, id: &str) -> Result<App> {
    let found = found.filter(|app| app.role(&cx.as_app_visitor()) > AppRole::Stranger);
    Ok(found.ok_or_else(|| Refusal::Unknown(id.chars().take(MAX_ID).collect()))?)
}

fn view(tx: &mut Tx<'_>, cx: &Context, app: App) -> Result<View> {
    let mut views = views(tx, cx, vec![app])?;
    views.pop().ok_or(Error::NotFound("app"))
}

/// Returns apps as the caller sees them.
pub(crate) fn views(tx: &mut Tx<'_>, cx: &Context, apps: Vec<App>) -> Result<Vec<View>> {
    let mut owners: Vec<UserId> = apps.iter().map(|app| app.owner).collect();
    owners.sort_unstable();
    owners.dedup();
    let owners = tx.users().by_ids(&owners)?.into_iter();
    let emails: HashMap<UserId, Email> = owners.map(|user| (user.id, user.email)).collect();
    let to_view = |app: App| {
        let owner_email = emails.get(&app.owner).ok_or(Error::NotFound("user"))?.clone();
        Ok(View { role: app.role(&cx.as_app_visitor()), app, owner_email })
    };
    apps.into_iter().map(to_view).collect()
}
