//! The wire shapes of connections.
//!
//! Their properties are secret. They stay sealed until the response is serialized.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_auth::identity::Sealer;
use daybook_domain::connection::{Connection, ConnectionKind};
use daybook_domain::token::TokenScope;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::connection::View;
use serde::{Deserialize, Deserializer, Serialize};

use super::seal;
use crate::wire::{PropertiesIn, TextOrNumber, objects_only, one_of, properties};

/// The body of a connection.
#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub(crate) struct ConnectionIn {
    #[serde(default)]
    pub(super) id: Option<TextOrNumber>,
    #[serde(default)]
    pub(super) agent_id: Option<String>,
    #[serde(default)]
    pub(super) uuid: Option<String>,
    #[serde(default, deserialize_with = "kind")]
    pub(super) r#type: Option<ConnectionKind>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) properties: PropertiesIn,
}

objects_only!(ConnectionIn);

fn kind<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<ConnectionKind>, D::Error> {
    one_of(reader, "APP, BANK", ConnectionKind::from_name)
}

/// A connection without its properties.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConnectionOut {
    id: String,
    uuid: String,
    agent_id: String,
    user_id: String,
    r#type: String,
    name: String,
    email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    logo: Option<String>,
    date_added_ms: String,
    created_at: String,
    updated_at: String,
}

/// A connection with sealed properties, which is stored under an idempotency key.
#[derive(Serialize, Deserialize)]
pub(super) struct SealedOut {
    #[serde(flatten)]
    connection: ConnectionOut,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<String>,
}

/// A connection with its properties, in a response.
#[derive(Serialize)]
pub(super) struct OpenedOut {
    #[serde(flatten)]
    connection: ConnectionOut,
    properties: BTreeMap<String, String>,
}

impl From<&View> for SealedOut {
    fn from(view: &View) -> Self {
        let View { connection, email, app_summary: summary } = view;
        let Connection { id, owner, app, uuid, kind, name, properties, stamp } = connection;
        let connection = ConnectionOut {
            id: id.to_string(),
            uuid: uuid.clone(),
            agent_id: app.to_string(),
            user_id: owner.to_string(),
            r#type: kind.as_str().to_owned(),
            name: name.as_str().to_owned(),
            email: email.clone(),
            logo: summary.as_ref().and_then(|app| app.logo.clone()),
            date_added_ms: stamp.created_at.milliseconds().to_string(),
            created_at: stamp.created_at.milliseconds().to_string(),
            updated_at: stamp.updated_at.milliseconds().to_string(),
        };
        let sealed = properties.as_ref().map(|sealed| BASE64_STANDARD.encode(sealed));
        Self { connection, sealed }
    }
}

impl SealedOut {
    /// Opens the properties.
    ///
    /// # Errors
    /// 500 if they do not open.
    fn open(&self, sealer: &Sealer) -> Result<OpenedOut, ApiError> {
        let Self { connection, sealed: text } = self;
        let sealed = text.as_ref().map(|text| BASE64_STANDARD.decode(text)).transpose();
        let sealed = sealed.map_err(|error| RequestError::Failed(error.to_string()))?;
        let id = connection.id.parse().map_err(|_| seal::unreadable())?;
        let properties = properties(&seal::open(sealer, id, sealed.as_deref())?);
        Ok(OpenedOut { connection: connection.clone(), properties })
    }

    /// Opens the properties if the scope of the token covers them (behaviour 9.5).
    ///
    /// # Errors
    /// 500 if they do not open.
    pub(super) fn open_for(
        &self,
        scope: &TokenScope,
        sealer: &Sealer,
    ) -> Result<OpenedOut, ApiError> {
        if scope.shows_secrets() {
            return self.open(sealer);
        }
        Ok(OpenedOut { connection: self.connection.clone(), properties: BTreeMap::new() })
    }

    /// Opens the properties of a deleted connection, and omits them if they do not open.
    pub(super) fn open_deleted(&self, scope: &TokenScope, sealer: &Sealer) -> OpenedOut {
        self.open_for(scope, sealer).unwrap_or_else(|_| {
            let id = &self.connection.id;
            tracing::warn!(connection = id, "cannot open the properties of a connection");
            OpenedOut { connection: self.connection.clone(), properties: BTreeMap::new() }
        })
    }
}
