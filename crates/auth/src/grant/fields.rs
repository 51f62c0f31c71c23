//! The parameters of OAuth requests (RFC 6749, 3.1 and 3.2).
//!
//! An empty parameter counts as absent. A repeated parameter is an error.

use daybook_domain::grant::Refusal;
use daybook_edge::parameters;

/// The parameters of a query string or a form.
#[derive(Debug, Clone)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// Returns the value of a parameter, if it is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the value of a required parameter.
    ///
    /// # Errors
    /// [`Refusal::InvalidRequest`].
    pub(super) fn required(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::InvalidRequest(format!("{name} is missing")))
    }

    /// Returns the name of a parameter that occurs more than once.
    pub(super) fn repeated(&self) -> Option<&str> {
        parameters::repeated(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parameters_are_absent_and_repeated_ones_are_found() {
        let fields = |pairs: &[(&str, &str)]| {
            Fields(pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect())
        };
        let one = fields(&[("a", ""), ("b", "2"), ("c", "3")]);
        assert_eq!((one.get("a"), one.get("b"), one.repeated()), (None, Some("2"), None));
        assert_eq!(fields(&[("a", "1"), ("b", ""), ("a", "1")]).repeated(), Some("a"));
    }
}
