//! The scopes that tell an e-mail address.

/// The scopes that let a provider tell the e-mail address: `email`, and the provider's own name for
/// it.
#[derive(Debug, Clone)]
pub(super) struct EmailScope(Option<String>);

impl EmailScope {
    /// With the provider's own name, if it has one.
    ///
    /// # Errors
    /// What can be no scope.
    pub(super) fn new(name: Option<String>) -> Result<Self, String> {
        match &name {
            Some(text) if text.is_empty() || text.contains(char::is_whitespace) => {
                Err(format!("emailScope {text:?} is not the name of one scope"))
            }
            _ => Ok(Self(name)),
        }
    }

    /// Whether one of these scopes is granted.
    pub(super) fn is_in(&self, granted: &[String]) -> bool {
        granted.iter().any(|scope| scope == "email" || Some(scope) == self.0.as_ref())
    }
}
