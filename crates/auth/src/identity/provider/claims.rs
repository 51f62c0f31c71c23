//! The claims of tokens and provider responses (OpenID Connect Core 5.1).

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::user::Profile;
use daybook_service::user::VerifiedUser;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::outcome::Refusal;
use super::scope::EmailScope;

/// The tolerated difference of clocks, in milliseconds.
pub(super) const LEEWAY: i64 = 60_000;
/// How long a verified token is cached at most, in milliseconds.
const MAX_CACHED: i64 = 5 * 60_000;

/// The claims about a user. A claim of an unexpected type counts as absent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct IdentityClaims(Map<String, Value>);

impl IdentityClaims {
    /// Parses a JSON object.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// Whether a claim of that name is present, of any type.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Whether a claim is true; Google's tokeninfo writes booleans as text.
    pub(super) fn is_true(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(truth)) => *truth,
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// Returns a point in time in seconds since the epoch; Google's tokeninfo writes it as text.
    pub(super) fn instant(&self, name: &str) -> Option<Instant> {
        let seconds = match self.0.get(name)? {
            Value::Number(number) => integer_part(&number.to_string())?,
            Value::String(text) => text.parse().ok()?,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        Some(Instant::new(seconds.checked_mul(1_000)?))
    }

    /// Returns the values of a claim that is a string or a list of strings.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        match self.0.get(name) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the granted scopes; `None` without a claim for them.
    fn scopes(&self) -> Option<Vec<String>> {
        let claim = ["scope", "scp"].into_iter().find(|claim| self.0.contains_key(*claim))?;
        let texts = self.texts(claim).into_iter().flat_map(str::split_whitespace);
        Some(texts.map(str::to_owned).collect())
    }

    /// Refuses a token whose scopes do not cover the e-mail address.
    ///
    /// A token without scopes passes: ID tokens have none.
    pub(super) fn check_scope(&self, scope: &EmailScope) -> Result<(), Refusal> {
        match self.scopes() {
            Some(granted) if !scope.is_in(&granted) => Err(Refusal::Scope),
            _ => Ok(()),
        }
    }

    /// Refuses a response about an access token without a scope that covers the address.
    pub(super) fn require_scope(&self, scope: &EmailScope) -> Result<(), Refusal> {
        match self.scopes() {
            Some(granted) if scope.is_in(&granted) => Ok(()),
            _ => Err(Refusal::Scope),
        }
    }

    /// Whether a point in time satisfies a condition or is absent.
    fn is_absent_or(&self, name: &str, condition: impl Fn(Instant) -> bool) -> bool {
        match self.0.get(name) {
            None | Some(Value::Null) => true,
            Some(_) => self.instant(name).is_some_and(condition),
        }
    }

    /// Whether the claims are valid now by `nbf` and `exp`, as far as those are present.
    pub(super) fn is_current(&self, now: Instant) -> bool {
        let now = now.milliseconds();
        let has_started = |from: Instant| from.milliseconds().saturating_sub(LEEWAY) <= now;
        let has_not_ended = |end: Instant| now < end.milliseconds().saturating_add(LEEWAY);
        self.is_absent_or("nbf", has_started) && self.is_absent_or("exp", has_not_ended)
    }

    /// Returns until when the verified token is cached.
    pub(super) fn cached_until(&self, now: Instant) -> Instant {
        let latest = Instant::new(now.milliseconds().saturating_add(MAX_CACHED));
        self.instant("exp").map_or(latest, |end| end.min(latest))
    }

    /// Whether an e-mail address is present, verified or not.
    pub(super) fn has_email(&self) -> bool {
        self.text("email").is_some()
    }

    /// Returns the user that the claims describe.
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

/// Returns the integer part of a number; `None` if it has an exponent.
///
/// A point in time may have a fraction (RFC 7519, section 2).
fn integer_part(number: &str) -> Option<i64> {
    if number.contains(['e', 'E']) {
        return None;
    }
    number.split('.').next()?.parse().ok()
}
