//! E-mail addresses: how users are told apart, so each is written in one way only (behaviour 7.9).

mod confusables;
mod domain;
mod local;
mod refusal;
#[cfg(test)]
mod tests;

use std::fmt;

pub use domain::Domain;
pub use refusal::{MAX_EMAIL, MAX_LOCAL, Refusal};

/// An e-mail address in its one normalized form.
///
/// ```
/// use daybook_domain::email::Email;
/// let email = Email::parse(" Zoë@Bücher.Example ").unwrap();
/// assert_eq!(email.as_str(), "zoë@xn--bcher-kva.example");
/// assert!(Email::parse("\u{212A}ate@example.com").is_err(), "a Kelvin sign is no k");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    /// Reads an address as somebody writes it, and normalizes it.
    ///
    /// # Errors
    /// [`Refusal`] for what is not an address, and for an address that could be taken for another.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if text.len() > MAX_EMAIL {
            return Err(Refusal::TooLong);
        }
        let malformed = || Refusal::Malformed(text.to_owned());
        let (before, behind) = text.split_once('@').ok_or_else(malformed)?;
        if before.is_empty() || behind.is_empty() || behind.contains('@') {
            return Err(malformed());
        }
        let local = local::normalized(before).map_err(|fault| fault.of(text))?;
        let domain = Domain::parse(behind)?;
        let email = format!("{local}@{}", domain.as_str());
        if email.len() > MAX_EMAIL { Err(Refusal::TooLong) } else { Ok(Self(email)) }
    }

    /// Wraps an address that was normalized when it was stored.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The mailbox that it leads to: without the `+` before the `@` and what stands behind it, by
    /// which the owner of a mailbox makes up more addresses.
    ///
    /// ```
    /// use daybook_domain::email::Email;
    /// let mailbox = |text: &str| Email::parse(text).unwrap().mailbox().to_string();
    /// assert_eq!(mailbox("alice+bank+2@example.com"), "alice@example.com");
    /// assert_eq!(mailbox("+alice@example.com"), "+alice@example.com");
    /// ```
    #[must_use]
    pub fn mailbox(&self) -> Self {
        match self.local().split_once('+') {
            Some((local, _)) if !local.is_empty() => Self(format!("{local}@{}", self.domain())),
            _ => self.clone(),
        }
    }

    /// What stands before the `@`.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or(&self.0, |(local, _)| local)
    }

    /// What stands behind the `@`, in the form of the DNS.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Display for Email {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
