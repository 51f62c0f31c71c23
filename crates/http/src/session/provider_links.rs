//! The part of the sign-in page that leads to the identity providers.

use maud::{Markup, html};

use super::return_to::ReturnTo;
use crate::identity::provider::freshness::Freshness;
use crate::parameters;
use crate::state::AppState;

/// Whether people sign in through identity providers.
pub(super) fn exist(state: &AppState) -> bool {
    names(state).next().is_some()
}

/// A link to each provider that people sign in through: it says where the browser returns after
/// that, and how fresh the sign-in must be.
pub(super) fn links(state: &AppState, way_back: &ReturnTo, freshness: &Freshness) -> Markup {
    let (path, asked) = (state.public_path(), |name| asked(name, way_back, freshness));
    html! {
        @for name in names(state) {
            p { a class="button" href={ (path) "/auth/provider?" (asked(name)) } {
                "Sign in with " (name)
            } }
        }
    }
}

fn names(state: &AppState) -> impl Iterator<Item = &str> {
    state.identity.providers().into_iter().flat_map(|all| all.sign_in_names())
}

/// The parameters of a link.
fn asked(name: &str, way_back: &ReturnTo, freshness: &Freshness) -> String {
    let wish: Vec<_> = freshness.parameters().collect();
    let wish = wish.iter().map(|(name, value)| (*name, value.as_str()));
    parameters::encoded([("name", name), ("to", way_back.as_str())].into_iter().chain(wish))
}
