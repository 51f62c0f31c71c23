//! What a token or a provider says about somebody, in the words of OpenID Connect Core 5.1.

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::user::Profile;
use daybook_service::user::VerifiedUser;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::outcome::Refusal;
use super::scope::EmailScope;

/// How far the clocks of a provider and of this machine may differ, in milliseconds.
pub(super) const LEEWAY: i64 = 60_000;
/// How long the answer of a provider about a token is remembered at most, in milliseconds.
const REMEMBERED: i64 = 5 * 60_000;

/// Claims. A claim of an unexpected type counts as absent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct IdentityClaims(Map<String, Value>);

impl IdentityClaims {
    /// Reads a JSON object.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// Whether there is such a claim, of whatever type.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A truth value; Google's tokeninfo writes it as text.
    pub(super) fn is_true(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(truth)) => *truth,
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// A point in time, in seconds since the epoch; Google's tokeninfo writes it as text.
    pub(super) fn instant(&self, name: &str) -> Option<Instant> {
        let seconds = match self.0.get(name)? {
            Value::Number(number) => whole(&number.to_string())?,
            Value::String(text) => text.parse().ok()?,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        Some(Instant::new(seconds.checked_mul(1_000)?))
    }

    /// The values of a claim that is a text or a list of texts.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        match self.0.get(name) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The granted scopes; `None` when they are not told.
    fn scopes(&self) -> Option<Vec<String>> {
        let claim = ["scope", "scp"].into_iter().find(|claim| self.0.contains_key(*claim))?;
        let texts = self.texts(claim).into_iter().flat_map(str::split_whitespace);
        Some(texts.map(str::to_owned).collect())
    }

    /// Refuses a token whose scope does not hold the e-mail address. ID tokens tell no scope: what
    /// they tell of the address was granted.
    pub(super) fn check_scope(&self, scope: &EmailScope) -> Result<(), Refusal> {
        match self.scopes() {
            Some(granted) if !scope.is_in(&granted) => Err(Refusal::Scope),
            _ => Ok(()),
        }
    }

    /// The same of an answer about an access token, which has a scope.
    pub(super) fn require_scope(&self, scope: &EmailScope) -> Result<(), Refusal> {
        let granted = self.scopes().is_some_and(|granted| scope.is_in(&granted));
        if granted { Ok(()) } else { Err(Refusal::Scope) }
    }

    /// Whether a point in time is as it should be; one that is not told is.
    fn holds(&self, name: &str, holds: impl Fn(Instant) -> bool) -> bool {
        match self.0.get(name) {
            None | Some(Value::Null) => true,
            Some(_) => self.instant(name).is_some_and(holds),
        }
    }

    /// Whether they are in force, as far as they say when.
    pub(super) fn is_current(&self, now: Instant) -> bool {
        let now = now.milliseconds();
        let begins = |from: Instant| from.milliseconds().saturating_sub(LEEWAY) <= now;
        let lasts = |end: Instant| now < end.milliseconds().saturating_add(LEEWAY);
        self.holds("nbf", begins) && self.holds("exp", lasts)
    }

    /// Until when an answer with these claims is remembered.
    pub(super) fn remembered_until(&self, now: Instant) -> Instant {
        let most = Instant::new(now.milliseconds().saturating_add(REMEMBERED));
        self.instant("exp").map_or(most, |end| end.min(most))
    }

    /// Whether they tell an address, verified or not.
    pub(super) fn has_email(&self) -> bool {
        self.text("email").is_some()
    }

    /// Whom they describe.
    ///
    /// # Errors
    /// [`Refusal::Email`] without a verified address.
    pub(super) fn user(&self) -> Result<VerifiedUser, Refusal> {
        let address = self.text("email").filter(|_| self.is_true("email_verified"));
        let email = address.and_then(|text| Email::parse(text).ok()).ok_or(Refusal::Email)?;
        let claim = |name| self.text(name).map(str::to_owned);
        let profile = Profile {
            name: claim("name"),
            given_name: claim("given_name"),
            family_name: claim("family_name"),
            picture: claim("picture"),
            hosted_domain: claim("hd"),
        };
        Ok(VerifiedUser { email, profile })
    }
}

/// The whole part of a number: a point in time may have a fraction (RFC 7519, section 2). `None`
/// for one with an exponent, which no point in time needs.
fn whole(number: &str) -> Option<i64> {
    if number.contains(['e', 'E']) {
        return None;
    }
    number.split('.').next()?.parse().ok()
}
