//! The names of the API's own headers.

use actix_web::http::header::{HeaderName, HeaderValue};

/// The request headers whose names are not configured.
const STANDARD: [&str; 8] = [
    "Authorization",
    "Content-Type",
    "cursor",
    "Idempotency-Key",
    "If-Match",
    "Last-Event-ID",
    "Log-Position",
    "X-Request-Id",
];

/// The names of the API's own headers of requests and webhooks, in every accepted spelling.
#[derive(Debug, Clone)]
pub struct Headers {
    /// Header names that carry the agent id.
    pub agent: Vec<HeaderName>,
    /// Header names that carry an API key.
    pub api_key: Vec<HeaderName>,
    /// Header names that carry the access token of a delivery.
    pub oauth_token: Vec<HeaderName>,
    /// Header names that carry the signature of a delivery.
    pub signature: Vec<HeaderName>,
    /// The value of `Access-Control-Allow-Headers` (behaviour 0.13).
    pub allowed: HeaderValue,
}

impl Headers {
    /// Creates the headers with these prefixes, for example `service-`.
    ///
    /// # Errors
    /// A description of the invalid header name.
    ///
    /// ```
    /// use daybook_edge::Headers;
    /// assert!(Headers::with_prefixes(&["service-".to_owned()]).is_ok());
    /// let refused = Headers::with_prefixes(&["my service".to_owned()]).unwrap_err();
    /// assert_eq!(refused, "\"my serviceagent-id\" is not a valid header name");
    /// ```
    pub fn with_prefixes(prefixes: &[String]) -> Result<Self, String> {
        let spellings = |name: &str| {
            let names = prefixes.iter().map(|prefix| format!("{}{name}", prefix.trim()));
            names.map(|name| parse_name(&name)).collect::<Result<Vec<_>, _>>()
        };
        let (agent, api_key) = (spellings("agent-id")?, spellings("api-key")?);
        let (oauth_token, signature) = (spellings("oauth-token")?, spellings("signature")?);
        let prefixed = agent.iter().chain(&api_key).map(HeaderName::as_str);
        let allowed: Vec<&str> = STANDARD.into_iter().chain(prefixed).collect();
        let allowed =
            HeaderValue::from_str(&allowed.join(", ")).map_err(|error| error.to_string())?;
        Ok(Self { agent, api_key, oauth_token, signature, allowed })
    }
}

fn parse_name(text: &str) -> Result<HeaderName, String> {
    HeaderName::from_bytes(text.as_bytes())
        .map_err(|_| format!("{text:?} is not a valid header name"))
}
