//! The scopes that tell an e-mail address.

/// The scopes that let a provider tell the e-mail address: `email`, and the provider's own name for
/// it.
#[derive(Debug, Clone, Default)]
pub(super) struct EmailScope(pub(super) Option<String>);

impl EmailScope {
    /// Whether one of these scopes is granted.
    pub(super) fn is_in(&self, granted: &[String]) -> bool {
        granted.iter().any(|scope| scope == "email" || Some(scope) == self.0.as_ref())
    }
}
