//! Scopes of OAuth grants (RFC 6749, 3.3).

use std::fmt;

use super::Refusal;

/// The supported scopes. `offline_access` has no effect, because refresh tokens are always issued.
const KNOWN: [&str; 4] = ["openid", "email", "profile", "offline_access"];

/// The supported scopes that a client requested.
///
/// It always includes `email`, or the client's alias for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantScope(Vec<String>);

impl GrantScope {
    /// Parses the requested scopes. The default is `email`, and `alias` is the client's name for
    /// it.
    ///
    /// # Errors
    /// [`Refusal::InvalidScope`] without `email`.
    pub fn read(text: Option<&str>, alias: Option<&str>) -> Result<Self, Refusal> {
        let text = text.unwrap_or("email");
        let mut scopes: Vec<String> = Vec::new();
        for scope in text.split(' ') {
            let is_known = KNOWN.contains(&scope) || Some(scope) == alias;
            if is_known && !scopes.iter().any(|other| other == scope) {
                scopes.push(scope.to_owned());
            }
        }
        let is_email = |scope: &String| scope == "email" || Some(scope.as_str()) == alias;
        if scopes.iter().any(is_email) { Ok(Self(scopes)) } else { Err(Refusal::InvalidScope) }
    }

    /// Parses stored scopes.
    pub fn stored(text: &str) -> Self {
        Self(text.split(' ').map(str::to_owned).collect())
    }

    /// Returns the scopes.
    pub fn scopes(&self) -> &[String] {
        &self.0
    }

    /// Returns whether it includes a scope.
    pub fn has(&self, scope: &str) -> bool {
        self.0.iter().any(|own| own == scope)
    }

    /// Returns whether it includes all scopes of another.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|scope| self.has(scope))
    }
}

impl fmt::Display for GrantScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_scopes_are_dropped() {
        const ALIAS: &str = "https://id.example/userinfo.email";
        for (text, expected) in [
            (None, Ok("email")),
            (Some("email"), Ok("email")),
            (Some("openid email"), Ok("openid email")),
            (Some("email  email books"), Ok("email")),
            (Some(ALIAS), Ok(ALIAS)),
            (Some("openid profile"), Err(Refusal::InvalidScope)),
            (Some(""), Err(Refusal::InvalidScope)),
            (Some("Email"), Err(Refusal::InvalidScope)),
        ] {
            let read = GrantScope::read(text, Some(ALIAS)).map(|scope| scope.to_string());
            assert_eq!(read, expected.map(str::to_owned), "{text:?}");
        }
        assert_eq!(GrantScope::read(Some(ALIAS), None), Err(Refusal::InvalidScope));
    }

    #[test]
    fn scope_covers_its_parts() {
        let scope = |text| GrantScope::read(Some(text), None).unwrap();
        assert!(scope("openid email").covers(&scope("email")));
        assert!(!scope("email").covers(&scope("openid email")));
        let stored = GrantScope::stored("openid email");
        assert!(stored == scope("openid email") && stored.has("openid"));
    }
}
