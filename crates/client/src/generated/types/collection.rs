//! Shapes of the contract: collection.

use serde::{Deserialize, Serialize};

use super::book::Collection;

/// Collections, by name (9.10).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Collection>,
}
