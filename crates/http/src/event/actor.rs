//! The user and the program that acted (behaviour 8.4).

use std::collections::HashMap;

use daybook_domain::app::AppSummary;
use daybook_domain::id::UserId;
use daybook_storage::user::User;
use serde::Serialize;

/// The agent id of requests without one (behaviour 8.4).
const NO_AGENT: &str = "api";

/// The program that acted (behaviour 8.4).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentOut<'v> {
    id: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo_dark: Option<&'v str>,
}

impl<'v> AgentOut<'v> {
    /// Creates the shape of an agent, with the name and logos of its app if there is one.
    pub(crate) fn new(
        agent: Option<&'v str>,
        app_summaries: &'v HashMap<String, AppSummary>,
    ) -> Self {
        let id = agent.unwrap_or(NO_AGENT);
        let app = app_summaries.get(id);
        Self {
            id,
            name: app.map(|app| app.name.as_str()),
            logo: app.and_then(|app| app.logo.as_deref()),
            logo_dark: app.and_then(|app| app.logo_dark.as_deref()),
        }
    }
}

/// The user who acted (behaviour 8.4).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserOut<'v> {
    username: &'v str,
    name: &'v str,
    avatar_url: &'static str,
}

impl<'v> UserOut<'v> {
    /// Creates the shape of a user.
    pub(crate) fn new(id: UserId, users: &'v HashMap<UserId, User>) -> Self {
        let username = users.get(&id).map(|user| user.username.as_str()).unwrap_or_default();
        Self { username, name: username, avatar_url: "" }
    }
}
