//! Tokens of deliveries: the user they authenticate, and their scope (behaviour 8.22).

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_domain::app::AppId;
use daybook_domain::id::{BookKey, IntegrationId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::integration::AppReach;
use daybook_domain::permission::Action;
use daybook_domain::token::{TokenHolder, TokenScope};
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::collection;
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;

/// The integration for which an app was sent a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The book.
    pub book: BookKey,
    /// The integration in it.
    pub integration: IntegrationId,
}

/// Authenticates a token that was sent to an app, and returns its user and scope.
///
/// It returns `None` once the integration is gone, the operator has paused the app in the book, or
/// the user has lost access to the book. Without an integration, because the book is gone, the
/// token reaches no book.
pub fn authenticate(
    tx: &mut Tx<'_>,
    user: UserId,
    app: &AppId,
    installed: Option<&Installed>,
    ids: Arc<Ids>,
    now: Instant,
) -> Result<Option<(User, TokenScope)>> {
    let Some(user) = tx.users().by_ids(&[user])?.into_iter().next() else { return Ok(None) };
    let cx = Context::new(Arc::new(user.clone()), now, ids);
    let scope = match installed {
        Some(installed) => scope_of(tx, &cx, app, installed)?,
        None => Some(limited(app, BTreeSet::new())),
    };
    Ok(scope.map(|scope| (user, scope)))
}

fn limited(app: &AppId, books: BTreeSet<BookKey>) -> TokenScope {
    let holder = TokenHolder::App(app.clone());
    TokenScope { read_only: false, books: Some(books), holder }
}

/// Returns the scope of a token for an integration, or `None` if the token has ended.
fn scope_of(
    tx: &mut Tx<'_>,
    cx: &Context,
    app: &AppId,
    installed: &Installed,
) -> Result<Option<TokenScope>> {
    let Installed { book, integration } = installed;
    let found = tx.books().load_even_deleted(book.as_str(), &cx.user.email)?;
    let Some(found) = found.filter(|found| found.granted.is_some()) else { return Ok(None) };
    let Ok(access) = found.admit_even_deleted(cx.user.id, Action::ReadBook) else {
        return Ok(None);
    };
    let integration = tx.integrations().find(&access, *integration)?;
    let integration = integration.filter(|integration| {
        integration.installs_app && integration.app == *app && integration.installer == cx.user.id
    });
    let Some(integration) = integration else { return Ok(None) };
    if tx.deliveries().is_paused_by_operator(access.book().id, app)? {
        return Ok(None);
    }
    let mut books = BTreeSet::from([book.clone()]);
    match integration.reach {
        AppReach::Book => {}
        AppReach::Collection => {
            let collection = collection::of_book(tx, cx, &access)?;
            let others = collection.iter().flat_map(|collection| &collection.books);
            books.extend(others.map(|summary| summary.access.book().key.clone()));
        }
        AppReach::All => return Ok(Some(TokenScope { books: None, ..limited(app, books) })),
    }
    Ok(Some(limited(app, books)))
}
