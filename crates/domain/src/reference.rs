//! References to accounts and groups in bodies, paths and queries, by id or name.

use std::str::FromStr;

use crate::name::normalized;

/// A reference to an account or group. The id is looked up first, then the name (behaviour 3.2.6,
/// 4.4).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reference {
    /// The id.
    pub id: Option<String>,
    /// The name, compared in normalized form.
    pub name: Option<String>,
}

impl Reference {
    /// Creates a reference from a text that is an id or a name, as in paths and queries (behaviour
    /// 4.4, 1.2.9).
    pub fn id_or_name(text: &str) -> Self {
        Self { id: Some(text.to_owned()), name: Some(text.to_owned()) }
    }

    /// Creates the reference to the target of an update: the id, or else the name.
    ///
    /// Takes the name out of the body in the second case, because a name that only identifies the
    /// resource must not change its spelling (behaviour 4.9, 4.21, 9.13).
    ///
    /// ```
    /// use daybook_domain::reference::Reference;
    /// let mut name = Some("Cash".to_owned());
    /// assert_eq!(Reference::of_target(Some("7"), &mut name).name, None);
    /// assert_eq!(Reference::of_target(None, &mut name).name.as_deref(), Some("Cash"));
    /// assert_eq!(name, None);
    /// ```
    pub fn of_target(id: Option<&str>, name: &mut Option<String>) -> Self {
        match id {
            Some(id) => Self { id: Some(id.to_owned()), name: None },
            None => Self { id: None, name: name.take() },
        }
    }

    /// Parses the id, if there is a well-formed one.
    pub fn parse_id<I: FromStr>(&self) -> Option<I> {
        self.id.as_deref().and_then(|id| id.parse().ok())
    }

    /// Returns the normalized name, if it is not blank.
    pub fn normalized_name(&self) -> Option<String> {
        self.name.as_deref().map(normalized).filter(|name| !name.is_empty())
    }

    /// Returns whether it has neither an id nor a name with characters other than white space, `_`
    /// and `-`.
    ///
    /// An id that does not exist still counts as an id.
    ///
    /// ```
    /// use daybook_domain::reference::Reference;
    /// assert!(Reference { id: None, name: Some(" --- ".to_owned()) }.is_blank());
    /// assert!(!Reference::id_or_name("7").is_blank());
    /// ```
    pub fn is_blank(&self) -> bool {
        self.id.is_none() && self.normalized_name().is_none()
    }

    /// Returns the name or the id, for messages.
    pub fn label(&self) -> &str {
        self.name.as_deref().or(self.id.as_deref()).unwrap_or_default()
    }
}
