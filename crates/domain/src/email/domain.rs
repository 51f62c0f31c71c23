//! What stands behind the `@` of an address: a domain in the form of the DNS.

use std::fmt;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_normalization::UnicodeNormalization;

use super::confusables::becomes_ascii;
use super::refusal::{MAX_EMAIL, Refusal};

/// What a label in letters beyond ASCII begins with in the DNS.
const PUNYCODE: &str = "xn--";

/// A domain in the one form the DNS has it in: lower case, labels beyond ASCII as `xn--`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

impl Domain {
    /// Reads a domain. Beside case and composition, IDNA finds nothing to map in it: what looks
    /// like another domain, or has characters that cannot be seen, is refused and not repaired.
    ///
    /// # Errors
    /// [`Refusal::Domain`].
    ///
    /// ```
    /// use daybook_domain::email::Domain;
    /// assert_eq!(Domain::parse("BÜCHER.example").unwrap().as_str(), "xn--bcher-kva.example");
    /// assert!(Domain::parse("ｅxample.com").is_err(), "a full-width letter");
    /// ```
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let refusal = || Refusal::Domain(text.chars().take(MAX_EMAIL).collect());
        let composed: String = text.nfc().collect();
        if text.len() > MAX_EMAIL || text.chars().chain(composed.chars()).any(becomes_ascii) {
            return Err(refusal());
        }
        // Letter by letter, as IDNA does it: no final sigma.
        let lower: String = composed.chars().flat_map(char::to_lowercase).nfc().collect();
        let (idna, given) = (Uts46::new(), lower.as_bytes());
        let (rules, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        let domain = idna
            .to_ascii(given, rules, hyphens, DnsLength::Verify)
            .map_err(|_| refusal())?
            .into_owned();
        let (letters, outcome) = idna.to_unicode(given, rules, hyphens);
        if outcome.is_ok() && is_unmapped(&lower, &letters, &domain) {
            Ok(Self(domain))
        } else {
            Err(refusal())
        }
    }

    /// The domain.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether each label was given as one of its two forms, in letters or for the DNS.
fn is_unmapped(given: &str, letters: &str, dns: &str) -> bool {
    let mut labels = letters.split('.').zip(dns.split('.'));
    given.split('.').all(|label| {
        labels.next().is_some_and(|(letters, dns)| {
            if label.starts_with(PUNYCODE) { label == dns } else { label == letters }
        })
    })
}
