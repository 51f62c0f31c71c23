//! The discovery document of this issuer (OpenID Connect Discovery; RFC 8414).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_edge::request_head::host;
use serde::Serialize;

use crate::state::Auth;

/// The discovery document.
#[derive(Serialize)]
struct MetadataOut {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    revocation_endpoint: String,
    introspection_endpoint: String,
    device_authorization_endpoint: String,
    scopes_supported: [&'static str; 4],
    response_types_supported: [&'static str; 2],
    response_modes_supported: [&'static str; 2],
    grant_types_supported: [&'static str; 4],
    subject_types_supported: [&'static str; 1],
    id_token_signing_alg_values_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 3],
    code_challenge_methods_supported: [&'static str; 1],
    prompt_values_supported: [&'static str; 4],
    claims_supported: [&'static str; 13],
    authorization_response_iss_parameter_supported: bool,
    request_parameter_supported: bool,
    request_uri_parameter_supported: bool,
}

/// GET /.well-known/openid-configuration.
pub async fn metadata(request: HttpRequest, state: web::Data<Auth>) -> HttpResponse {
    let issuer = state.edge.site.base(host(&request));
    let at = |path: &str| format!("{issuer}{path}");
    let document = MetadataOut {
        authorization_endpoint: at("/auth/authorize"),
        token_endpoint: at("/auth/token"),
        userinfo_endpoint: at("/auth/userinfo"),
        jwks_uri: at("/.well-known/jwks.json"),
        revocation_endpoint: at("/auth/revoke"),
        introspection_endpoint: at("/auth/introspect"),
        device_authorization_endpoint: at("/auth/device/code"),
        scopes_supported: ["openid", "email", "profile", "offline_access"],
        response_types_supported: ["code", "token"],
        response_modes_supported: ["query", "fragment"],
        grant_types_supported: [
            "authorization_code",
            "implicit",
            "refresh_token",
            "urn:ietf:params:oauth:grant-type:device_code",
        ],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        token_endpoint_auth_methods_supported: [
            "client_secret_basic",
            "client_secret_post",
            "none",
        ],
        code_challenge_methods_supported: ["S256"],
        prompt_values_supported: ["none", "login", "consent", "select_account"],
        claims_supported: [
            "iss",
            "sub",
            "aud",
            "exp",
            "iat",
            "auth_time",
            "nonce",
            "email",
            "email_verified",
            "name",
            "given_name",
            "family_name",
            "picture",
        ],
        authorization_response_iss_parameter_supported: true,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        issuer,
    };
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, state.edge.site.base_cache_control()))
        .json(document)
}
