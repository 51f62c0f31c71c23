//! The part of the sign-in page that leads to the identity providers.

use maud::{Markup, html};
use reqwest::Url;

use crate::state::AppState;

/// Whether people sign in through identity providers.
pub(super) fn exist(state: &AppState) -> bool {
    names(state).next().is_some()
}

/// A link to each provider that people sign in through.
pub(super) fn links(state: &AppState) -> Markup {
    let path = state.public_path();
    html! {
        @for name in names(state) {
            p { a class="button" href={ (path) "/auth/provider?" (named(name)) } {
                "Sign in with " (name)
            } }
        }
    }
}

fn names(state: &AppState) -> impl Iterator<Item = &str> {
    state.identity.providers().into_iter().flat_map(|all| all.sign_in_names())
}

/// The parameter that names a provider.
fn named(name: &str) -> String {
    let base = Url::parse_with_params("http://localhost", [("name", name)]);
    base.ok().and_then(|url| url.query().map(str::to_owned)).unwrap_or_default()
}
