//! Custom properties of resources.

use std::collections::BTreeMap;

/// Custom properties by key. In a request `None` removes a property (4.6).
///
/// ```
/// use daybook_client::Properties;
///
/// let mut properties = Properties::new();
/// properties.insert("invoice".to_owned(), Some("2026-17".to_owned()));
/// properties.insert("draft".to_owned(), None);
/// assert_eq!(serde_json::to_string(&properties)?, r#"{"draft":null,"invoice":"2026-17"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type Properties = BTreeMap<String, Option<String>>;
