//! The scopes that cover the e-mail address.

/// The scopes that cover the e-mail address: `email`, and the provider's own name for it.
#[derive(Debug, Clone)]
pub(super) struct EmailScope(Option<String>);

impl EmailScope {
    /// Creates it with the provider's own name, if it has one.
    ///
    /// # Errors
    /// A description of an invalid name.
    pub(super) fn new(name: Option<String>) -> Result<Self, String> {
        match &name {
            Some(text) if text.is_empty() || text.contains(char::is_whitespace) => {
                Err(format!("emailScope {text:?} must be one scope"))
            }
            _ => Ok(Self(name)),
        }
    }

    /// Whether one of the scopes is granted.
    pub(super) fn is_in(&self, granted: &[String]) -> bool {
        granted.iter().any(|scope| scope == "email" || Some(scope) == self.0.as_ref())
    }
}
