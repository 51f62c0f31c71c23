//! The links to identity providers on the sign-in page.

use daybook_edge::parameters;
use maud::{Markup, html};

use super::return_to::ReturnTo;
use crate::identity::provider::freshness::Freshness;
use crate::state::Auth;

/// Whether users can sign in through an identity provider.
pub(super) fn has_providers(state: &Auth) -> bool {
    names(state).next().is_some()
}

/// Renders a link to each provider, with the return target and the required freshness.
pub(super) fn provider_links(state: &Auth, return_to: &ReturnTo, freshness: &Freshness) -> Markup {
    html! {
        @for name in names(state) {
            p {
                a class="button"
                    href={ (state.edge.site.public_path()) "/auth/provider?"
                        (link_query(name, return_to, freshness)) } {
                    "Sign in with " (name)
                }
            }
        }
    }
}

fn names(state: &Auth) -> impl Iterator<Item = &str> {
    state.identity.providers().into_iter().flat_map(|all| all.sign_in_names())
}

/// Returns the query of a link to `/auth/provider`.
fn link_query(name: &str, return_to: &ReturnTo, freshness: &Freshness) -> String {
    let freshness: Vec<_> = freshness.parameters().collect();
    let freshness = freshness.iter().map(|(name, value)| (*name, value.as_str()));
    parameters::encode([("name", name), ("to", return_to.as_str())].into_iter().chain(freshness))
}
