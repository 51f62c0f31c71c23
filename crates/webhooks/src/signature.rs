//! Signatures with the secret that an app and this server share (behaviour 8.6).

use aws_lc_rs::hmac;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;

/// The prefix of secrets in the format of Standard Webhooks. The rest is Base64.
const PREFIX: &str = "whsec_";

/// The Base64 of secrets. Padding is optional, as in the reference libraries.
const SECRETS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(crate) struct AppSecret(String);

impl AppSecret {
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the texts that would reveal the secret: all of it, and without the prefix.
    pub(crate) fn into_texts(self) -> Vec<String> {
        let shared = self.0.strip_prefix(PREFIX).map(str::to_owned);
        shared.into_iter().chain([self.0]).collect()
    }

    /// Returns the value of the API's own header `service-signature` for a body sent at a time in
    /// seconds.
    pub(crate) fn sign_own(&self, at: i64, body: &[u8]) -> String {
        let tag = tag(self.0.as_bytes(), &[at.to_string().as_bytes(), b".", body]);
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("t={at},v1={hex}")
    }

    /// Returns the value of `webhook-signature` (Standard Webhooks).
    ///
    /// Libraries decode a secret from Base64 after `whsec_`. They get any other secret encoded so.
    pub(crate) fn sign_standard(&self, id: &str, at: i64, body: &[u8]) -> String {
        let shared = self.0.strip_prefix(PREFIX).and_then(|text| SECRETS.decode(text).ok());
        // A bare prefix would mean the empty key, which everyone knows.
        let shared = shared.filter(|key| !key.is_empty());
        let key = shared.as_deref().unwrap_or(self.0.as_bytes());
        let at = at.to_string();
        let tag = tag(key, &[id.as_bytes(), b".", at.as_bytes(), b".", body]);
        format!("v1,{}", BASE64_STANDARD.encode(tag))
    }
}

fn tag(key: &[u8], parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    parts.iter().for_each(|part| context.update(part));
    context.sign()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_webhooks_example_is_reproduced() {
        // From the tests of its reference libraries.
        let secret = AppSecret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let body = br#"{"test": 2432232314}"#;
        let signature = secret.sign_standard("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_of_any_form_sign() {
        // printf '7.{}' | openssl dgst -sha256 -hmac secret
        let secret = AppSecret::new("secret".to_owned());
        let signature = secret.sign_own(7, b"{}");
        let expected = "76aad9429f417882918162a1928a38769fff65cc07b6bfa344ac9c5fb1e3448e";
        assert_eq!(signature, format!("t=7,v1={expected}"));
        let of = |text: &str| AppSecret::new(format!("whsec_{}", BASE64_STANDARD.encode(text)));
        let sign = |secret: &AppSecret| secret.sign_standard("a", 7, b"{}");
        assert_eq!(sign(&secret), sign(&of("secret")));
        let bare = AppSecret::new("whsec_c2VjcmV0cw".to_owned());
        assert_eq!(sign(&bare), sign(&of("secrets")));
        let odd = AppSecret::new("whsec_?".to_owned());
        assert_eq!(sign(&odd).len(), 47);
        let empty = AppSecret::new(PREFIX.to_owned());
        assert_eq!(sign(&empty), sign(&of(PREFIX)));
    }
}
