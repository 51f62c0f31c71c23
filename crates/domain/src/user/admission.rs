//! Admission of new users.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::Refusal;
use crate::email::{Domain, Email};

/// An admitted address or domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admitted {
    /// `alice@example.com`.
    Address(Email),
    /// `@example.org`, without the domains below it.
    Domain(Domain),
}

impl FromStr for Admitted {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let entry = text.trim();
        let read = match entry.strip_prefix('@') {
            Some(domain) => Domain::parse(domain).map(Self::Domain),
            None => Email::parse(entry).map(Self::Address),
        };
        read.map_err(|fault| Refusal::Entry { entry: entry.to_owned(), fault })
    }
}

/// The addresses that are admitted as new users (behaviour 11.11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    addresses: BTreeSet<Email>,
    domains: BTreeSet<String>,
    named_only: bool,
}

impl Admission {
    /// Sets whether sharing a book does not admit its new collaborators.
    #[must_use]
    pub fn with_named_only(self, named_only: bool) -> Self {
        Self { named_only, ..self }
    }

    /// Returns whether sharing a book admits its new collaborators.
    pub const fn admits_collaborators(&self) -> bool {
        !self.named_only
    }

    /// Returns whether the address or its domain is admitted.
    pub fn admits(&self, email: &Email) -> bool {
        self.addresses.contains(email) || self.domains.contains(email.domain())
    }
}

impl FromIterator<Admitted> for Admission {
    fn from_iter<I: IntoIterator<Item = Admitted>>(entries: I) -> Self {
        let mut admission = Self::default();
        for entry in entries {
            match entry {
                Admitted::Address(email) => admission.addresses.insert(email),
                Admitted::Domain(domain) => admission.domains.insert(domain.as_str().to_owned()),
            };
        }
        admission
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_domains_are_admitted() {
        let entries = ["Alice@Example.com", " @EXAMPLE.org ", "@bücher.example"];
        let admission: Admission =
            entries.iter().map(|entry| entry.parse::<Admitted>().unwrap()).collect();
        for (email, expected) in [
            ("alice@example.com", true),
            ("ALICE@EXAMPLE.COM", true),
            ("bob@example.com", false),
            ("alicia@example.com", false),
            ("bob@example.org", true),
            ("bob@sub.example.org", false),
            ("bob@notexample.org", false),
            ("bob@xn--bcher-kva.example", true),
        ] {
            assert_eq!(admission.admits(&Email::parse(email).unwrap()), expected, "{email}");
        }
        assert!(!Admission::default().admits(&Email::parse("alice@example.com").unwrap()));
    }

    #[test]
    fn refusal_names_the_entry() {
        for bad in ["", "@", "example.org", "*@example.org", "@@example.org", "a@b@c", "@a b"] {
            let parsed = bad.parse::<Admitted>();
            let is_named = matches!(&parsed, Err(Refusal::Entry { entry, .. }) if entry == bad);
            // A star is a valid character of addresses, and only admits this address.
            assert!(is_named || bad == "*@example.org", "{bad}: {parsed:?}");
        }
        let message = "p\u{430}ypal@example.com".parse::<Admitted>().unwrap_err().to_string();
        assert!(message.contains("confused with another"), "{message}");
    }
}
