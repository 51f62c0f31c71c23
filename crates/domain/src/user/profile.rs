//! Profiles of users from identity providers.

use crate::email::Domain;
use crate::name::MAX_NAME;

/// Maximum length of the address of a picture, in characters (behaviour 9.11).
const MAX_PICTURE: usize = 2_048;

/// The profile of a user from the last claims of an identity provider (behaviour 9.11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The full name.
    pub name: Option<String>,
    /// The given name.
    pub given_name: Option<String>,
    /// The family name.
    pub family_name: Option<String>,
    /// The address of a picture, `https://` or `http://`.
    pub picture: Option<String>,
    /// The domain of the organization that the account belongs to.
    pub hosted_domain: Option<String>,
}

impl Profile {
    /// Drops invalid claims.
    ///
    /// Valid are texts of at most 255 characters without control characters, a picture with an http
    /// or https address, and a domain name.
    #[must_use]
    pub fn sanitize(self) -> Self {
        let Self { name, given_name, family_name, picture, hosted_domain } = self;
        Self {
            name: name.and_then(sanitize_text),
            given_name: given_name.and_then(sanitize_text),
            family_name: family_name.and_then(sanitize_text),
            picture: picture.filter(|address| is_picture(address)),
            hosted_domain: hosted_domain
                .and_then(|domain| Some(Domain::parse(domain.trim()).ok()?.to_string())),
        }
    }

    /// Updates the profile with later claims. Absent and invalid claims keep their value.
    #[must_use]
    pub fn update(self, later: Self) -> Self {
        let later = later.sanitize();
        Self {
            name: later.name.or(self.name),
            given_name: later.given_name.or(self.given_name),
            family_name: later.family_name.or(self.family_name),
            picture: later.picture.or(self.picture),
            hosted_domain: later.hosted_domain.or(self.hosted_domain),
        }
    }

    /// Returns the full name, or joins the given and the family name if it is missing.
    pub fn full_name(&self) -> Option<String> {
        self.name.clone().or_else(|| {
            let parts = [&self.given_name, &self.family_name];
            let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        })
    }
}

fn sanitize_text(claim: String) -> Option<String> {
    let trimmed = claim.trim();
    let is_valid = !trimmed.is_empty()
        && trimmed.chars().count() <= MAX_NAME
        && !trimmed.contains(char::is_control);
    is_valid.then(|| trimmed.to_owned())
}

/// Returns whether the text is an absolute http or https URL.
fn is_picture(address: &str) -> bool {
    let is_url_character = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let is_web = ["https", "http"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let has_host = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    is_web && has_host && address.len() <= MAX_PICTURE && address.chars().all(is_url_character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(name: &str) -> Profile {
        Profile { name: Some(name.to_owned()), ..Profile::default() }
    }

    #[test]
    fn invalid_claims_are_dropped() {
        for (claim, expected) in [
            ("Zoë Müller", Some("Zoë Müller")),
            (" Zoë ", Some("Zoë")),
            ("", None),
            (" \t", None),
            ("a\0b", None),
            ("a\nb", None),
            ("a\u{7f}b", None),
        ] {
            assert_eq!(named(claim).sanitize().name.as_deref(), expected, "{claim:?}");
        }
        assert!(named(&"é".repeat(255)).sanitize().name.is_some());
        assert_eq!(named(&"é".repeat(256)).sanitize(), Profile::default());
        let picture = |address: &str| {
            let claims = Profile { picture: Some(address.to_owned()), ..Profile::default() };
            claims.sanitize().picture.is_some()
        };
        for good in ["https://a.example/p.png?s=96#x", "http://127.0.0.1:8080/p", "HTTPS://a"] {
            assert!(picture(good), "{good}");
        }
        let invalid = "|https://|https:///p|//a.example/p|/p|ftp://a.example/p|\
                       javascript:alert(1)//://a|data:image/png;base64,AAAA|\
                       https://a.example/\"onload=|https://a.example/a b|https://a.example/é";
        for address in invalid.split('|') {
            assert!(!picture(address), "{address}");
        }
        let long = |length: usize| format!("https://a/{}", "p".repeat(length - 10));
        assert!(picture(&long(2_048)) && !picture(&long(2_049)));
        let hosted = |domain: &str| {
            let claims = Profile { hosted_domain: Some(domain.to_owned()), ..Profile::default() };
            claims.sanitize().hosted_domain
        };
        assert_eq!(hosted("Example.COM").as_deref(), Some("example.com"));
        assert_eq!(hosted("no domain"), None);
    }

    #[test]
    fn later_claims_replace_earlier_ones() {
        let before = Profile { given_name: Some("Zoë".to_owned()), ..named("Zoë Müller") };
        let after = before.clone().update(named("Zoë Schmidt"));
        assert_eq!(after.name.as_deref(), Some("Zoë Schmidt"));
        assert_eq!(after.given_name.as_deref(), Some("Zoë"));
        assert_eq!(before.clone().update(Profile::default()), before);
        assert_eq!(before.clone().update(named("\0")), before);
    }

    #[test]
    fn full_name_is_joined_from_its_parts() {
        let parts = |given: Option<&str>, family: Option<&str>| Profile {
            given_name: given.map(str::to_owned),
            family_name: family.map(str::to_owned),
            ..Profile::default()
        };
        for (profile, expected) in [
            (parts(None, None), None),
            (parts(Some("Zoë"), None), Some("Zoë")),
            (parts(Some("Zoë"), Some("Müller")), Some("Zoë Müller")),
            (Profile { family_name: Some("M".to_owned()), ..named("Z. M.") }, Some("Z. M.")),
        ] {
            assert_eq!(profile.full_name().as_deref(), expected, "{profile:?}");
        }
    }

    proptest! {
        #[test]
        fn sanitizing_is_idempotent(claims in proptest::collection::vec(".{0,300}", 5)) {
            let mut claims = claims.into_iter();
            let profile = Profile {
                name: claims.next(),
                given_name: claims.next(),
                family_name: claims.next(),
                picture: claims.next().map(|rest| format!("https://a{rest}")),
                hosted_domain: claims.next(),
            }
            .sanitize();
            prop_assert_eq!(profile.clone().sanitize(), profile.clone());
            prop_assert_eq!(Profile::default().update(profile.clone()), profile.clone());
            prop_assert_eq!(profile.clone().update(profile.clone()), profile);
        }
    }
}
