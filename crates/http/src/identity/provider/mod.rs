//! Tokens of other identity providers (behaviour 11.12).
//!
//! | Module | What it does |
//! |---|---|
//! | `config`, `endpoint` | Read the operator's file of providers |
//! | `oidc`, `jwt` | Verify the JWTs of an OpenID provider by its published keys |
//! | `introspection`, `tokeninfo` | Ask a provider about a token |
//! | `userinfo` | Asks for the address when the token does not tell it |
//! | `claims`, `scope` | What all of these say about somebody |
//! | `question` | Sends the questions, a bounded number at once |
//! | `outcome` | Whom a token lets in, or why nobody |

mod claims;
mod config;
mod endpoint;
mod introspection;
mod jwt;
mod oidc;
pub(crate) mod outcome;
mod question;
mod scope;
mod tokeninfo;
mod userinfo;

use daybook_domain::instant::Instant;

use super::own_token::ISSUER;
use crate::outgoing::Outgoing;
use outcome::{Refusal, Verified};

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
}

impl Providers {
    fn with(outgoing: Outgoing) -> Self {
        Self { outgoing, issuers: Vec::new(), opaque: Vec::new() }
    }

    /// Whom a token lets in: by the keys of its issuer where it is a JWT of one that is configured,
    /// else by what the providers answer that are asked about tokens.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let issued_by = jwt::issuer(token);
        if issued_by.as_deref() == Some(ISSUER) {
            // Expired, forged or of another Daybook: no business of any provider.
            return Err(Refusal::Untrusted);
        }
        let issuer = self.issuers.iter().find(|issuer| Some(&issuer.name) == issued_by.as_ref());
        match issuer {
            Some(issuer) => issuer.verify(token, now).await,
            None => self.ask(token, now).await,
        }
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
