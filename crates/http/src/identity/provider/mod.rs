//! Tokens of other identity providers (behaviour 11.12).
//!
//! | Module | What it does |
//! |---|---|
//! | `config` | Reads the operator's file of providers |
//! | `oidc`, `jwt` | Verify the JWTs of an OpenID provider by its published keys |
//! | `introspection`, `tokeninfo` | Ask a provider about a token |
//! | `userinfo` | Asks for the address when the token does not tell it |
//! | `claims` | What all of these say about somebody |

mod claims;
mod config;
mod introspection;
mod jwt;
mod oidc;
mod tokeninfo;
mod userinfo;

use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_service::user::VerifiedUser;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::outgoing::{Failure, Outgoing};

/// Providers of one installation at most.
const MAX_PROVIDERS: usize = 100;
/// Questions to providers that are open at once at most, and how long a further one waits.
const MAX_QUESTIONS: usize = 64;
const QUESTION_TIMEOUT: Duration = Duration::from_secs(2);
/// How far the clocks of a provider and of this machine may differ, in milliseconds.
const LEEWAY: i64 = 60_000;
/// How long the answer of a provider about a token is remembered at most, in milliseconds.
const REMEMBERED: i64 = 5 * 60_000;

/// Whom a provider says a token belongs to.
#[derive(Debug)]
pub(crate) struct Verified {
    pub(crate) user: VerifiedUser,
    /// Until when that is trusted.
    pub(crate) until: Instant,
}

/// Why a token of a provider lets nobody in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No provider trusts it.
    Untrusted,
    /// Its scope does not hold the e-mail address.
    Scope,
    /// No address is known of its user, or none that is verified.
    Email,
    /// A provider did not answer; the cause is for the log.
    Unavailable(String),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Unavailable(failure.to_string())
    }
}

/// A provider that is asked about each token.
enum OpaqueProvider {
    Introspection(introspection::Introspection),
    Tokeninfo(tokeninfo::Tokeninfo),
}

/// The identity providers of this installation.
pub struct Providers {
    outgoing: Outgoing,
    questions: Semaphore,
    issuers: Vec<oidc::Issuer>,
    opaque: Vec<OpaqueProvider>,
}

impl Providers {
    fn with(outgoing: Outgoing) -> Self {
        let questions = Semaphore::new(MAX_QUESTIONS);
        Self { outgoing, questions, issuers: Vec::new(), opaque: Vec::new() }
    }

    /// Whom a token lets in: by the keys of its issuer where it is a JWT of one that is configured,
    /// else by what the providers answer that are asked about tokens.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let issued_by = jwt::issuer(token);
        let issuer = self.issuers.iter().find(|issuer| Some(&issuer.name) == issued_by.as_ref());
        match issuer {
            Some(issuer) => issuer.verify(self, token, now).await,
            None => self.ask(token, now).await,
        }
    }

    /// Asks the providers in the order of the file; the first that knows the token decides. One
    /// that does not answer may be the one that knows it.
    async fn ask(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let mut outcome = Err(Refusal::Untrusted);
        for provider in &self.opaque {
            let answer = match provider {
                OpaqueProvider::Introspection(one) => one.verify(self, token, now).await,
                OpaqueProvider::Tokeninfo(one) => one.verify(self, token, now).await,
            };
            match answer {
                Err(Refusal::Untrusted) => {}
                Err(Refusal::Unavailable(_)) => outcome = answer,
                Ok(_) | Err(Refusal::Scope | Refusal::Email) => return answer,
            }
        }
        outcome
    }

    /// Takes part in the bound on questions until the permit is dropped.
    async fn question(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        let waiting = tokio::time::timeout(QUESTION_TIMEOUT, self.questions.acquire()).await;
        match waiting {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Refusal::Unavailable("too many questions to providers are open".to_owned())),
        }
    }
}
