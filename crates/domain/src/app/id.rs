//! Ids of apps, which their developers choose (behaviour 9.3).

use std::fmt;

use super::refusal::{MAX_ID, Refusal};

/// Agent names of the server itself in the event log.
const RESERVED: [&str; 2] = ["api", "daybook"];

/// The id of an app, which requests send as their agent. It never changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppId(String);

impl AppId {
    /// Validates an id.
    ///
    /// # Errors
    /// [`Refusal::IdRequired`], [`Refusal::IdMalformed`], [`Refusal::IdReserved`].
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if text.trim().is_empty() {
            return Err(Refusal::IdRequired);
        }
        if text.len() > MAX_ID || !text.chars().all(is_allowed) {
            return Err(Refusal::IdMalformed(text.chars().take(60).collect()));
        }
        if RESERVED.contains(&text) {
            return Err(Refusal::IdReserved(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Refuses the agent header of a request if it is a reserved name, ignoring case (behaviour
    /// 9.2).
    ///
    /// Other names are accepted, even if no such app exists.
    ///
    /// # Errors
    /// [`Refusal::AgentReserved`].
    ///
    /// ```
    /// use daybook_domain::app::AppId;
    /// assert!(AppId::check_agent("importer").is_ok());
    /// assert!(AppId::check_agent("api").is_err() && AppId::check_agent("Daybook").is_err());
    /// ```
    pub fn check_agent(name: &str) -> Result<(), Refusal> {
        if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
            return Err(Refusal::AgentReserved(name.to_owned()));
        }
        Ok(())
    }

    /// Wraps a stored id.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_has_lower_case_letters_digits_and_hyphens() {
        let (longest, longer) = ("a".repeat(MAX_ID), "a".repeat(MAX_ID + 1));
        for (text, is_valid) in [
            ("a", true),
            ("tax-bot-2", true),
            ("-", true),
            (longest.as_str(), true),
            (longer.as_str(), false),
            ("", false),
            (" ", false),
            ("Tax", false),
            ("tax_bot", false),
            ("tax bot", false),
            ("täx", false),
            ("daybook", false),
            ("api", false),
            ("api2", true),
        ] {
            assert_eq!(AppId::new(text).is_ok(), is_valid, "{text:?}");
        }
    }
}
