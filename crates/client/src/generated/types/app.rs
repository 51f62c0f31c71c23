//! Shapes of the contract: app.

use serde::{Deserialize, Serialize};

use super::event::EventType;
use crate::open_enum::open_enum;

/// A program that users install in books and connect to, described by its manifest (9.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    /// Stored as given: every app receives the payload of v5 (8.13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<AppApiVersion>,
    /// Its id as an OAuth client. Visible only to its owner and developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The secret of its OAuth client. It is stored encrypted and never returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// Whether users may connect to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connectable: Option<bool>,
    /// Excluded from listApps; the app continues to work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<bool>,
    /// Purpose of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The users who may change it: usernames and `*@domain`, separated by commas or spaces.
    /// Visible only to its owner and developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub developers: Option<String>,
    /// The types of the events that it receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventType>>,
    /// Patterns of file names, with `*` and `?`; without patterns all files match. At most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_patterns: Option<Vec<String>>,
    /// Lower-case letters, digits and hyphens, chosen by the owner; immutable. Requests name it as
    /// their agent (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it may be installed in a book. True if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installable: Option<bool>,
    /// Address of its logo, or the picture in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    /// The same, for dark mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url_dark: Option<String>,
    /// How its menu opens; SIDEBAR by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_open_mode: Option<AppMenuOpenMode>,
    /// Deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_popup_height: Option<String>,
    /// Deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_popup_width: Option<String>,
    /// Label of its menu; by default the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_text: Option<String>,
    /// Address of its menu. Expressions such as `${book.id}` are stored as given (12.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_url: Option<String>,
    /// Address of its menu for its developers. Visible only to its owner and developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu_url_dev: Option<String>,
    /// Required on create, and never blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address of the owner. Visible only to its owner and developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_email: Option<String>,
    /// Id of the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
    /// Logo of its maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_logo_url: Option<String>,
    /// Name of its maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_name: Option<String>,
    /// Website of its maker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_website: Option<String>,
    /// The properties that an app understands, by resource; at most 64 KB of keys and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties_schema: Option<AppPropertiesSchema>,
    /// Whether every user sees it. Only administrators of the installation change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<bool>,
    /// Documentation of the app; omitted in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readme: Option<String>,
    /// The same in Markdown; omitted in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readme_md: Option<String>,
    /// Whether its source is private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_private: Option<bool>,
    /// Address of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_url: Option<String>,
    /// The OAuth scopes that it requests. At most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The users who see and install it before publication, in the form of `developers`. Visible
    /// only to its owner and developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<String>,
    /// Webhook address for its events: an http or https address. Visible only to its owner and
    /// developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_url: Option<String>,
    /// Webhook address for events caused by its owner or a developer. Visible only to its owner and
    /// developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_url_dev: Option<String>,
    /// Its website.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
}

open_enum! {
    /// Stored as given: every app receives the payload of v5 (8.13).
    pub enum AppApiVersion {
        /// `v0`.
        V0 = "v0",
        /// `v1`.
        V1 = "v1",
        /// `v2`.
        V2 = "v2",
        /// `v3`.
        V3 = "v3",
        /// `v4`.
        V4 = "v4",
        /// `v5`.
        V5 = "v5",
    }
}

/// Apps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppList {
    /// The apps.
    pub items: Vec<App>,
}

open_enum! {
    /// How its menu opens; SIDEBAR by default.
    pub enum AppMenuOpenMode {
        /// `SIDEBAR`.
        Sidebar = "SIDEBAR",
        /// `EXPANDED`.
        Expanded = "EXPANDED",
        /// `NEW_TAB`.
        NewTab = "NEW_TAB",
    }
}

/// The properties that an app understands, by resource; at most 64 KB of keys and values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppPropertiesSchema {
    /// Keys and values of properties that user interfaces suggest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AppPropertySchema>,
    /// Keys and values of properties that user interfaces suggest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<AppPropertySchema>,
    /// Keys and values of properties that user interfaces suggest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<AppPropertySchema>,
    /// Keys and values of properties that user interfaces suggest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<AppPropertySchema>,
}

/// Keys and values of properties that user interfaces suggest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppPropertySchema {
    /// Keys, with at most 30 characters (4.6). At most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// Values. At most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}
