//! Tokens of other identity providers (behaviour 11.12).
//!
//! | Module | What it does |
//! |---|---|
//! | `config`, `endpoint` | Read the operator's file of providers |
//! | `oidc`, `jwt` | Verify the JWTs of an OpenID provider by its published keys |
//! | `introspection`, `tokeninfo` | Ask a provider about a token |
//! | `userinfo` | Asks for the address when the token does not tell it |
//! | `sign_in` | Signs people in with their browser through an OpenID provider |
//! | `id_token` | Whether an ID token is the answer to such a sign-in |
//! | `freshness` | How lately somebody must have signed in |
//! | `claims`, `scope` | What all of these say about somebody |
//! | `question` | Sends the questions, a bounded number at once |
//! | `outcome` | Whom a token lets in, or why nobody |

mod claims;
mod config;
mod endpoint;
pub(crate) mod freshness;
mod id_token;
mod introspection;
mod jwt;
mod oidc;
pub(crate) mod outcome;
mod scope;
pub(crate) mod sign_in;
mod single_flight;
mod tokeninfo;
mod userinfo;

use daybook_domain::instant::Instant;
use daybook_service::user::VerifiedUser;
use reqwest::Url;

use super::own_token::is_own;
use crate::outgoing::Outgoing;
use freshness::Freshness;
use outcome::{Refusal, Verified};
use sign_in::{Callback, PendingSignIn, SignInClient, SignInRefusal};

/// Providers of one installation at most.
const MAX_PROVIDERS: usize = 100;

/// A provider that is asked about each token.
enum OpaqueProvider {
    Introspection(introspection::Introspection),
    Tokeninfo(tokeninfo::Tokeninfo),
}

/// The identity providers of this installation.
pub struct Providers {
    outgoing: Outgoing,
    issuers: Vec<oidc::Issuer>,
    opaque: Vec<OpaqueProvider>,
    authorization_url: Option<Url>,
}

impl Providers {
    fn with(outgoing: Outgoing, authorization_url: Option<Url>) -> Self {
        Self { outgoing, issuers: Vec::new(), opaque: Vec::new(), authorization_url }
    }

    /// Where clients ask for tokens, when not here (behaviour 0.25).
    pub(crate) fn authorization_url(&self) -> Option<&str> {
        self.authorization_url.as_ref().map(Url::as_str)
    }

    /// Whom a token lets in: by the keys of its issuer where it is a JWT of one that is configured,
    /// else by what the providers answer that are asked about tokens.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let issued_by = jwt::issuer(token);
        if issued_by.as_deref().is_some_and(is_own) {
            // Expired, forged or of another Daybook: no business of any provider.
            return Err(Refusal::Untrusted);
        }
        let issuer = self.issuers.iter().find(|issuer| Some(&issuer.name) == issued_by.as_ref());
        match issuer {
            Some(issuer) => issuer.verify(token, now).await,
            None => self.ask(token, now).await,
        }
    }

    /// The providers that people sign in through, with this server as their client.
    fn sign_ins(&self) -> impl Iterator<Item = (&oidc::Issuer, &SignInClient)> {
        self.issuers.iter().filter_map(|issuer| Some((issuer, issuer.sign_in.as_ref()?)))
    }

    /// What people call the providers that they sign in through.
    pub(crate) fn sign_in_names(&self) -> impl Iterator<Item = &str> {
        self.sign_ins().map(|(_, client)| client.name.as_str())
    }

    /// The address at which a browser signs in through the provider of a name, and what it must
    /// bring back to `redirect`; `None` for a name that no provider has. `secrets` are two fresh
    /// ones; `wish` is how fresh the sign-in must be that begins now.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    pub(crate) async fn begin_sign_in(
        &self,
        name: &str,
        redirect: Url,
        secrets: (String, String),
        wish: (&Freshness, Instant),
    ) -> Option<Result<(Url, PendingSignIn), Refusal>> {
        let (issuer, client) = self.sign_ins().find(|(_, client)| client.name == name)?;
        Some(issuer.begin(client, redirect, secrets, wish).await)
    }

    /// Who has signed in, and when, when a browser comes back to `redirect`.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(crate) async fn finish_sign_in(
        &self,
        callback: Callback,
        pending: &PendingSignIn,
        redirect: Url,
        now: Instant,
    ) -> Result<(VerifiedUser, Instant), SignInRefusal> {
        let named = self.sign_ins().find(|(_, client)| client.name == pending.provider);
        let (issuer, client) = named.ok_or(SignInRefusal::Foreign)?;
        issuer.finish(client, (callback, pending), redirect, now).await
    }

    /// Asks the providers in the order of the file; the first that knows the token decides. One
    /// that does not answer may be the one that knows it.
    async fn ask(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let mut outcome = Err(Refusal::Untrusted);
        for provider in &self.opaque {
            let answer = match provider {
                OpaqueProvider::Introspection(one) => one.verify(token, now).await,
                OpaqueProvider::Tokeninfo(one) => one.verify(token, now).await,
            };
            match answer {
                Err(Refusal::Untrusted) => {}
                Err(Refusal::Unavailable(_)) => outcome = answer,
                Ok(_) | Err(Refusal::Scope | Refusal::Email) => return answer,
            }
        }
        outcome
    }
}
