//! Signatures with the secret that an app shares with this server (behaviour 8.6).

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use ring::hmac;

/// What the secrets of Standard Webhooks begin with; the rest is Base64.
const PREFIX: &str = "whsec_";

/// Secrets are written without padding too, and libraries read them.
const SECRETS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The secret of an app.
pub(super) struct AppSecret(String);

impl AppSecret {
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// The texts that give it away: whole, and as its libraries read it.
    pub(super) fn into_texts(self) -> Vec<String> {
        let shared = self.0.strip_prefix(PREFIX).map(str::to_owned);
        shared.into_iter().chain([self.0]).collect()
    }

    /// The value of `service-signature` for a body that is sent at a time, in seconds.
    pub(super) fn own(&self, at: i64, body: &[u8]) -> String {
        let tag = tag(self.0.as_bytes(), &[at.to_string().as_bytes(), b".", body]);
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("t={at},v1={hex}")
    }

    /// The value of `webhook-signature` (Standard Webhooks). Libraries read a secret as Base64
    /// behind `whsec_`; one that is not of this form is given to them in Base64.
    pub(super) fn standard(&self, id: &str, at: i64, body: &[u8]) -> String {
        let shared = self.0.strip_prefix(PREFIX).and_then(|text| SECRETS.decode(text).ok());
        // Behind a bare prefix is no key: everybody knows the empty one.
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
    fn the_example_of_standard_webhooks() {
        // From the tests of its reference libraries.
        let secret = AppSecret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let body = br#"{"test": 2432232314}"#;
        let signature = secret.standard("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn any_secret_signs() {
        // printf '7.{}' | openssl dgst -sha256 -hmac secret
        let secret = AppSecret::new("secret".to_owned());
        let signature = secret.own(7, b"{}");
        let expected = "76aad9429f417882918162a1928a38769fff65cc07b6bfa344ac9c5fb1e3448e";
        assert_eq!(signature, format!("t=7,v1={expected}"));
        let of = |text: &str| AppSecret::new(format!("whsec_{}", BASE64_STANDARD.encode(text)));
        assert_eq!(secret.standard("a", 7, b"{}"), of("secret").standard("a", 7, b"{}"));
        let bare = AppSecret::new("whsec_c2VjcmV0cw".to_owned());
        assert_eq!(bare.standard("a", 7, b"{}"), of("secrets").standard("a", 7, b"{}"));
        let odd = AppSecret::new("whsec_?".to_owned());
        assert_eq!(odd.standard("a", 7, b"{}").len(), 47);
        let empty = AppSecret::new(PREFIX.to_owned());
        assert_eq!(empty.standard("a", 7, b"{}"), of(PREFIX).standard("a", 7, b"{}"));
    }
}
