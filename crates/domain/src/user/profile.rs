//! What an identity provider tells about a user.

use crate::email::Domain;
use crate::name::MAX_NAME;

/// The most characters of the address of a picture (behaviour 9.11).
const MAX_PICTURE: usize = 2_048;

/// The profile of a user, as an identity provider told it last (behaviour 9.11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The whole name.
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
    /// What of claims is kept: text of at most 255 characters without control characters, the
    /// address of a picture, the name of a domain. Everything else is left out.
    #[must_use]
    pub fn fitting(self) -> Self {
        let Self { name, given_name, family_name, picture, hosted_domain } = self;
        Self {
            name: name.and_then(text),
            given_name: given_name.and_then(text),
            family_name: family_name.and_then(text),
            picture: picture.filter(|address| is_picture(address)),
            hosted_domain: hosted_domain
                .and_then(|domain| Some(Domain::parse(domain.trim()).ok()?.to_string())),
        }
    }

    /// This profile with what later claims tell: what they leave out stays.
    #[must_use]
    pub fn with(self, later: Self) -> Self {
        let later = later.fitting();
        Self {
            name: later.name.or(self.name),
            given_name: later.given_name.or(self.given_name),
            family_name: later.family_name.or(self.family_name),
            picture: later.picture.or(self.picture),
            hosted_domain: later.hosted_domain.or(self.hosted_domain),
        }
    }

    /// The whole name; made of its parts when it was not told.
    #[must_use]
    pub fn full_name(&self) -> Option<String> {
        self.name.clone().or_else(|| {
            let parts = [&self.given_name, &self.family_name];
            let known: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            (!known.is_empty()).then(|| known.join(" "))
        })
    }
}

fn text(claim: String) -> Option<String> {
    let trimmed = claim.trim();
    let fits = !trimmed.is_empty()
        && trimmed.chars().count() <= MAX_NAME
        && !trimmed.contains(char::is_control);
    fits.then(|| trimmed.to_owned())
}

/// Whether it is the absolute address of something on the web, in the characters of addresses.
fn is_picture(address: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let web = ["https", "http"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let host = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    web && host && address.len() <= MAX_PICTURE && address.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(name: &str) -> Profile {
        Profile { name: Some(name.to_owned()), ..Profile::default() }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        for (claim, kept) in [
            ("Zoë Müller", Some("Zoë Müller")),
            (" Zoë ", Some("Zoë")),
            ("", None),
            (" \t", None),
            ("a\0b", None),
            ("a\nb", None),
            ("a\u{7f}b", None),
        ] {
            assert_eq!(named(claim).fitting().name.as_deref(), kept, "{claim:?}");
        }
        assert!(named(&"é".repeat(255)).fitting().name.is_some());
        assert_eq!(named(&"é".repeat(256)).fitting(), Profile::default());
        let picture = |address: &str| {
            let claims = Profile { picture: Some(address.to_owned()), ..Profile::default() };
            claims.fitting().picture.is_some()
        };
        for good in ["https://a.example/p.png?s=96#x", "http://127.0.0.1:8080/p", "HTTPS://a"] {
            assert!(picture(good), "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:///p",
            "//a.example/p",
            "/p",
            "ftp://a.example/p",
            "javascript:alert(1)//://a",
            "data:image/png;base64,AAAA",
            "https://a.example/\"onload=",
            "https://a.example/a b",
            "https://a.example/\u{e9}",
        ] {
            assert!(!picture(bad), "{bad}");
        }
        let long = |length: usize| format!("https://a/{}", "p".repeat(length - 10));
        assert!(picture(&long(2_048)) && !picture(&long(2_049)));
        let hosted = |domain: &str| {
            let claims = Profile { hosted_domain: Some(domain.to_owned()), ..Profile::default() };
            claims.fitting().hosted_domain
        };
        assert_eq!(hosted("Example.COM").as_deref(), Some("example.com"));
        assert_eq!(hosted("no domain"), None);
    }

    #[test]
    fn later_claims_replace_what_they_tell() {
        let before = Profile { given_name: Some("Zoë".to_owned()), ..named("Zoë Müller") };
        let after = before.clone().with(named("Zoë Schmidt"));
        assert_eq!(after.name.as_deref(), Some("Zoë Schmidt"));
        assert_eq!(after.given_name.as_deref(), Some("Zoë"));
        assert_eq!(before.clone().with(Profile::default()), before);
        assert_eq!(before.clone().with(named("\0")), before);
    }

    #[test]
    fn a_full_name_is_made_of_its_parts() {
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
        fn what_fits_goes_on_fitting(claims in proptest::collection::vec(".{0,300}", 5)) {
            let mut claims = claims.into_iter();
            let kept = Profile {
                name: claims.next(),
                given_name: claims.next(),
                family_name: claims.next(),
                picture: claims.next().map(|rest| format!("https://a{rest}")),
                hosted_domain: claims.next(),
            }
            .fitting();
            prop_assert_eq!(kept.clone().fitting(), kept.clone());
            prop_assert_eq!(Profile::default().with(kept.clone()), kept.clone());
            prop_assert_eq!(kept.clone().with(kept.clone()), kept);
        }
    }
}
