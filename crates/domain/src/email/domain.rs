//! The domain of an address in the form of the DNS.

use std::fmt;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_normalization::UnicodeNormalization;

use super::confusables::becomes_ascii;
use super::refusal::{MAX_EMAIL, Refusal};

/// Prefix of an internationalized label in the DNS.
const PUNYCODE: &str = "xn--";

/// A domain in the form of the DNS: lower case, with internationalized labels as `xn--`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

impl Domain {
    /// Parses a domain.
    ///
    /// Only case and composition are normalized. Other characters that IDNA would map, such as
    /// invisible or confusable ones, are refused.
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
        // Each character is lowered by itself, as in IDNA, so no final sigma results.
        let lower: String = composed.chars().flat_map(char::to_lowercase).nfc().collect();
        let (idna, input) = (Uts46::new(), lower.as_bytes());
        let (rules, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        let domain = idna
            .to_ascii(input, rules, hyphens, DnsLength::Verify)
            .map_err(|_| refusal())?
            .into_owned();
        let (unicode, outcome) = idna.to_unicode(input, rules, hyphens);
        if outcome.is_ok() && is_unmapped(&lower, &unicode, &domain) {
            Ok(Self(domain))
        } else {
            Err(refusal())
        }
    }

    /// Returns the domain as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Returns whether IDNA changed no label: each input label equals its Unicode or its DNS form.
fn is_unmapped(input: &str, unicode: &str, dns: &str) -> bool {
    let mut labels = unicode.split('.').zip(dns.split('.'));
    input.split('.').all(|label| {
        labels.next().is_some_and(|(unicode, dns)| {
            if label.starts_with(PUNYCODE) { label == dns } else { label == unicode }
        })
    })
}
