//! Email addresses in normalized form (behaviour 7.9).
//!
//! An address identifies a user, so each has exactly one spelling. Addresses that could be confused
//! with another are refused.

mod confusables;
mod domain;
mod local;
mod refusal;
#[cfg(test)]
mod tests;

use std::fmt;

pub use domain::Domain;
pub use refusal::{MAX_EMAIL, MAX_LOCAL, Refusal};

/// An email address in normalized form.
///
/// ```
/// use daybook_domain::email::Email;
/// let email = Email::parse(" Zoë@Bücher.Example ").unwrap();
/// assert_eq!(email.as_str(), "zoë@xn--bcher-kva.example");
/// assert!(Email::parse("\u{212A}ate@example.com").is_err(), "a Kelvin sign");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    /// Parses and normalizes an address.
    ///
    /// # Errors
    /// [`Refusal`] for an invalid address, and for one that could be confused with another.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if text.len() > MAX_EMAIL {
            return Err(Refusal::TooLong);
        }
        let malformed = || Refusal::Malformed(text.to_owned());
        let (local, domain) = text.split_once('@').ok_or_else(malformed)?;
        if local.is_empty() || domain.is_empty() || domain.contains('@') {
            return Err(malformed());
        }
        let local = local::normalize(local, text)?;
        let email = format!("{local}@{}", Domain::parse(domain)?);
        if email.len() > MAX_EMAIL { Err(Refusal::TooLong) } else { Ok(Self(email)) }
    }

    /// Wraps a stored address.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the mailbox: the address without the `+` suffix of the local part.
    ///
    /// ```
    /// use daybook_domain::email::Email;
    /// let mailbox = |text: &str| Email::parse(text).unwrap().mailbox().to_string();
    /// assert_eq!(mailbox("alice+bank+2@example.com"), "alice@example.com");
    /// assert_eq!(mailbox("+alice@example.com"), "+alice@example.com");
    /// ```
    pub fn mailbox(&self) -> Self {
        match self.local().split_once('+') {
            Some((local, _)) if !local.is_empty() => Self(format!("{local}@{}", self.domain())),
            _ => self.clone(),
        }
    }

    /// Returns the local part, before the `@`.
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or(&self.0, |(local, _)| local)
    }

    /// Returns the domain in the form of the DNS.
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Display for Email {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
