//! Shapes of the contract: sign in.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// `DeviceCodes`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceCodes {
    /// For the program.
    #[serde(rename = "device_code")]
    pub device_code: String,
    /// Seconds.
    #[serde(rename = "expires_in")]
    pub expires_in: i64,
    /// Minimum seconds between two polls.
    pub interval: i64,
    /// For the person.
    #[serde(rename = "user_code")]
    pub user_code: String,
    /// The same address.
    #[serde(rename = "verification_uri")]
    pub verification_uri: String,
    /// The same address with the code.
    #[serde(rename = "verification_uri_complete")]
    pub verification_uri_complete: String,
    /// Address for the person, under the name that older programs read (11.1).
    #[serde(rename = "verification_url")]
    pub verification_url: String,
}

/// `Metadata`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Address of `authorize`.
    #[serde(rename = "authorization_endpoint")]
    pub authorization_endpoint: String,
    /// RFC 9207.
    #[serde(
        rename = "authorization_response_iss_parameter_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub authorization_response_iss_parameter_supported: Option<bool>,
    /// `claims_supported`.
    #[serde(rename = "claims_supported", default, skip_serializing_if = "Option::is_none")]
    pub claims_supported: Option<Vec<String>>,
    /// `code_challenge_methods_supported`.
    #[serde(
        rename = "code_challenge_methods_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// Address of `deviceCode`.
    #[serde(rename = "device_authorization_endpoint")]
    pub device_authorization_endpoint: String,
    /// `grant_types_supported`.
    #[serde(rename = "grant_types_supported", default, skip_serializing_if = "Option::is_none")]
    pub grant_types_supported: Option<Vec<String>>,
    /// `id_token_signing_alg_values_supported`.
    #[serde(
        rename = "id_token_signing_alg_values_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub id_token_signing_alg_values_supported: Option<Vec<String>>,
    /// Address of `introspect`.
    #[serde(rename = "introspection_endpoint")]
    pub introspection_endpoint: String,
    /// The address of this server.
    pub issuer: String,
    /// Address of `jwks`.
    #[serde(rename = "jwks_uri")]
    pub jwks_uri: String,
    /// `prompt_values_supported`.
    #[serde(rename = "prompt_values_supported", default, skip_serializing_if = "Option::is_none")]
    pub prompt_values_supported: Option<Vec<String>>,
    /// Always false.
    #[serde(
        rename = "request_parameter_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub request_parameter_supported: Option<bool>,
    /// Always false.
    #[serde(
        rename = "request_uri_parameter_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub request_uri_parameter_supported: Option<bool>,
    /// `response_modes_supported`.
    #[serde(rename = "response_modes_supported", default, skip_serializing_if = "Option::is_none")]
    pub response_modes_supported: Option<Vec<String>>,
    /// `response_types_supported`.
    #[serde(rename = "response_types_supported", default, skip_serializing_if = "Option::is_none")]
    pub response_types_supported: Option<Vec<String>>,
    /// Address of `revoke`.
    #[serde(rename = "revocation_endpoint")]
    pub revocation_endpoint: String,
    /// `scopes_supported`.
    #[serde(rename = "scopes_supported", default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// `subject_types_supported`.
    #[serde(rename = "subject_types_supported", default, skip_serializing_if = "Option::is_none")]
    pub subject_types_supported: Option<Vec<String>>,
    /// Address of `token`.
    #[serde(rename = "token_endpoint")]
    pub token_endpoint: String,
    /// `token_endpoint_auth_methods_supported`.
    #[serde(
        rename = "token_endpoint_auth_methods_supported",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Address of `userinfo`.
    #[serde(rename = "userinfo_endpoint")]
    pub userinfo_endpoint: String,
}

/// `TokenState`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenState {
    /// Whether the token is valid.
    pub active: bool,
    /// The client of the token; absent for a user's own token.
    #[serde(rename = "client_id", default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// E-mail address of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Always true.
    #[serde(rename = "email_verified", default, skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// Time of expiry in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// This issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// Granted scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Id of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
    /// Type of an access token.
    #[serde(rename = "token_type", default, skip_serializing_if = "Option::is_none")]
    pub token_type: Option<TokenStateTokenType>,
    /// Username.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

open_enum! {
    /// Type of an access token.
    pub enum TokenStateTokenType {
        /// `Bearer`.
        Bearer = "Bearer",
    }
}

/// `Userinfo`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Userinfo {
    /// E-mail address of the user.
    pub email: String,
    /// Always true.
    #[serde(rename = "email_verified")]
    pub email_verified: bool,
    /// Seconds until this server no longer accepts the token.
    #[serde(rename = "expires_in")]
    pub expires_in: i64,
    /// Family name.
    #[serde(rename = "family_name", default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// Given name.
    #[serde(rename = "given_name", default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// With the scope `profile`, like the fields below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Address of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Username.
    #[serde(rename = "preferred_username", default, skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// Scope of the token.
    pub scope: String,
    /// Id of the user.
    pub sub: String,
}
