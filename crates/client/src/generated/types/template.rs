//! Shapes of the contract: template.

use serde::{Deserialize, Serialize};

/// A starter book: to copy with copyBook, to create from `book`, or to view elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Extension of v5: groups, accounts and settings, a body for createNewBook (a Book without
    /// name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<serde_json::Value>,
    /// Id of the book to copy; it should be PUBLIC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book_id: Option<String>,
    /// Address of the book in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book_link: Option<String>,
    /// Category, by which user interfaces group the templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Purpose of the starter book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Address of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address of a spreadsheet made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheets_link: Option<String>,
    /// Number of uses, as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_used: Option<i32>,
}

/// Templates, in the configured order, and then the starter charts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Template>,
}
