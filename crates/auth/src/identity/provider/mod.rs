//! Identity providers: verification of their tokens and sign-in through them (behaviour 11.12,
//! 11.20).
//!
//! The operator lists them in a file (`config`, `endpoint`). There are three kinds:
//!
//! - An OpenID provider (`oidc`) publishes its keys, which the server discovers and caches. JWTs
//!   of its issuer are verified locally (`jwt`).
//! - `introspection` (RFC 7662) and `tokeninfo` (Google) are asked about tokens that are not JWTs
//!   of a configured issuer, in the order of the file.
//!
//! Each yields claims (`claims`) from which the verified e-mail address is taken. If a token has
//! none, `userinfo` asks the provider. The token must have a scope that covers the address
//! (`scope`) and be issued to a listed client.
//!
//! Browsers sign in through an OpenID provider with the authorization code flow (`sign_in`), whose
//! ID token must match the pending sign-in (`id_token`) and be recent enough (`freshness`).
//!
//! A provider that does not respond results in 503 for its tokens, not in 401 (`outcome`). At most
//! 64 requests per provider are in flight (`http_client`).

mod claims;
mod config;
mod endpoint;
pub(crate) mod freshness;
mod http_client;
mod id_token;
mod introspection;
mod jwt;
mod oidc;
pub(crate) mod outcome;
mod scope;
pub(crate) mod sign_in;
mod tokeninfo;
mod userinfo;

use daybook_domain::instant::Instant;
use daybook_edge::outgoing::Outgoing;
use reqwest::Url;

use super::own_token::is_own_issuer;
use freshness::Freshness;
use outcome::{Refusal, Verified};
use sign_in::{
    Callback, PendingSignIn, ProviderSignIn, SignInClient, SignInRefusal, SignInSecrets,
};

/// The maximum number of providers in the file.
const MAX_PROVIDERS: usize = 100;

/// A provider whose tokens are opaque to this server.
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

    /// Returns where clients request tokens if not from this server (behaviour 0.25).
    #[must_use]
    pub fn authorization_url(&self) -> Option<&str> {
        self.authorization_url.as_ref().map(Url::as_str)
    }

    /// Verifies a token by the keys of its issuer, or by asking the other providers.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let token_issuer = jwt::issuer(token);
        if token_issuer.as_deref().is_some_and(is_own_issuer) {
            // The token has expired, is forged or is from another Daybook. No provider knows it.
            return Err(Refusal::Untrusted);
        }
        let issuer = self.issuers.iter().find(|issuer| Some(&issuer.name) == token_issuer.as_ref());
        match issuer {
            Some(issuer) => issuer.verify(token, now).await,
            None => self.verify_opaque(token, now).await,
        }
    }

    /// Returns the providers that support sign-in.
    fn sign_ins(&self) -> impl Iterator<Item = (&oidc::Issuer, &SignInClient)> {
        self.issuers.iter().filter_map(|issuer| Some((issuer, issuer.sign_in.as_ref()?)))
    }

    /// Returns the display names of the providers that support sign-in.
    pub(crate) fn sign_in_names(&self) -> impl Iterator<Item = &str> {
        self.sign_ins().map(|(_, client)| client.name.as_str())
    }

    /// Starts a sign-in through the provider of that name.
    ///
    /// Returns the URL to redirect the browser to, and what the response at `redirect` must match.
    /// `None` if no provider has the name.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    pub(crate) async fn begin_sign_in(
        &self,
        name: &str,
        redirect: Url,
        secrets: SignInSecrets,
        freshness: &Freshness,
        now: Instant,
    ) -> Option<Result<(Url, PendingSignIn), Refusal>> {
        let (issuer, client) = self.sign_ins().find(|(_, client)| client.name == name)?;
        Some(issuer.begin(client, redirect, secrets, freshness, now).await)
    }

    /// Completes a sign-in when the browser returns to `redirect`.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(crate) async fn finish_sign_in(
        &self,
        callback: Callback,
        pending: &PendingSignIn,
        redirect: Url,
        now: Instant,
    ) -> Result<ProviderSignIn, SignInRefusal> {
        let found = self.sign_ins().find(|(_, client)| client.name == pending.provider);
        let (issuer, client) = found.ok_or(SignInRefusal::Foreign)?;
        issuer.finish(client, callback, pending, redirect, now).await
    }

    /// Asks the providers in the order of the file; the first that knows the token decides.
    ///
    /// If none knows it and one is unavailable, the result is unavailable.
    async fn verify_opaque(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let mut outcome = Err(Refusal::Untrusted);
        for provider in &self.opaque {
            let result = match provider {
                OpaqueProvider::Introspection(introspection) => {
                    introspection.verify(token, now).await
                }
                OpaqueProvider::Tokeninfo(tokeninfo) => tokeninfo.verify(token, now).await,
            };
            match result {
                Err(Refusal::Untrusted) => {}
                Err(Refusal::Unavailable(_)) => outcome = result,
                Ok(_) | Err(Refusal::Scope | Refusal::Email) => return result,
            }
        }
        outcome
    }
}
