//! What is trusted of what the key of an installation has signed.

use super::*;

const NOW: Instant = Instant::new(1_763_000_000_000);
const LATER: Instant = Instant::new(1_763_000_060_000);

fn claims() -> Claims {
    Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        email: "Alice@Example.com".to_owned(),
        scope: "openid email".to_owned(),
        iat: 1_763_000_000,
        exp: 1_763_000_060,
        jti: Some(TokenId::new(77).to_string()),
        sid: None,
        gid: None,
        act: None,
    }
}

#[test]
fn only_own_unexpired_tokens_are_trusted() {
    let (ours, theirs) = (LocalKey::new(&[1; 32]), LocalKey::new(&[2; 32]));
    let id = TokenId::new(77);
    let alice = Email::stored("alice@example.com".to_owned());
    let token = ours.sign(id, &alice, NOW, LATER).unwrap();
    let trusted = ours.verify(&token, NOW).unwrap();
    assert_eq!((trusted.id(), trusted.expires_at()), (Some(id), LATER));
    assert_eq!(trusted.email, alice.as_str());
    assert!(theirs.verify(&token, NOW).is_none());
    assert!(ours.verify(&token, Instant::new(LATER.milliseconds() - 1)).is_some());
    assert!(ours.verify(&token, LATER).is_none());
    let (head, _) = token.rsplit_once('.').unwrap();
    assert!(ours.verify(&format!("{head}."), NOW).is_none());
    assert!(ours.verify("nonsense", NOW).is_none());
    assert_eq!(ours.sign(id, &alice, NOW, LATER).unwrap(), token);
}

#[test]
fn the_token_of_a_delivery_names_the_app() {
    let key = LocalKey::new(&[1; 32]);
    let alice = Email::stored("alice@example.com".to_owned());
    let (book, integration) = (BookKey::new("b".to_owned()), IntegrationId::new(5));
    for installed in [None, Some(Installed { book, integration })] {
        let (agent, lease) = (AppId::new("tax-bot").unwrap(), Some(i64::MAX));
        let acting = Acting { agent, depth: 3, installed, lease };
        let with = (&alice, acting.clone());
        let token = key.sign_for_app(UserId::new(7), with, (NOW, LATER)).unwrap();
        let claims = key.verify(&token, NOW).unwrap();
        assert_eq!(claims.acting(), Some((UserId::new(7), acting)));
        assert!((claims.id(), claims.session(), claims.grant()) == (None, None, None));
        assert!(key.verify(&token, LATER).is_none());
    }
}

#[test]
fn api_keys_are_made_again_from_their_ids() {
    let (ours, theirs) = (LocalKey::new(&[1; 32]), LocalKey::new(&[2; 32]));
    let text = |key: &LocalKey, id| key.api_key(ApiKeyId::new(id)).as_str().to_owned();
    assert_eq!(text(&ours, 7), text(&ours, 7));
    assert_eq!(text(&ours, 7).len(), 47);
    assert_ne!(text(&ours, 7), text(&ours, 8));
    assert_ne!(text(&ours, 7), text(&theirs, 7));
}

#[test]
fn what_else_the_key_signed_is_no_token() {
    let key = LocalKey::new(&[1; 32]);
    let trusted = |claims: Claims| key.verify(&key.encode(&claims).unwrap(), NOW);
    assert_eq!(trusted(claims()).unwrap().id(), Some(TokenId::new(77)));
    let mut without_audience = serde_json::to_value(claims()).unwrap();
    without_audience.as_object_mut().unwrap().remove("aud");
    assert!(key.verify(&key.encode(&without_audience).unwrap(), NOW).is_none());
    for refused in [
        Claims { iss: "another".to_owned(), ..claims() },
        Claims { scope: "openid".to_owned(), ..claims() },
        Claims { email: "nobody".to_owned(), ..claims() },
        Claims { jti: Some("no id".to_owned()), ..claims() },
        Claims { sid: Some("no id".to_owned()), ..claims() },
        Claims { gid: Some("no id".to_owned()), ..claims() },
        Claims { aud: "another".to_owned(), ..claims() },
    ] {
        assert!(trusted(refused).is_none());
    }
}

#[test]
fn what_is_signed_for_a_purpose_serves_no_other() {
    let key = LocalKey::new(&[1; 32]);
    let claims = serde_json::json!({"email": "alice@example.com", "scope": "email", "iat": 1,
        "exp": 9_999_999_999_i64});
    let refresh = key.seal(TokenUse::RefreshToken, &claims).unwrap();
    let read = |purpose| key.open::<serde_json::Value>(purpose, &refresh);
    assert_eq!(read(TokenUse::RefreshToken), Some(claims.clone()));
    assert_eq!(read(TokenUse::AuthorizationCode), None);
    assert!(key.verify(&refresh, NOW).is_none(), "no access token");
    let purpose = TokenUse::RefreshToken;
    for (aud, taken) in [(AUDIENCE, true), ("another", false)] {
        let (iss, aud) = (purpose.issuer().to_owned(), aud.to_owned());
        let text = key.encode(&Sealed { iss, aud, claims: &claims }).unwrap();
        assert_eq!(key.open::<serde_json::Value>(purpose, &text).is_some(), taken);
    }
    let without_audience = key.encode(&serde_json::json!({"iss": purpose.issuer()})).unwrap();
    assert!(key.open::<serde_json::Value>(purpose, &without_audience).is_none());
    let other = LocalKey::new(&[2; 32]);
    assert!(other.open::<serde_json::Value>(TokenUse::RefreshToken, &refresh).is_none());
}
