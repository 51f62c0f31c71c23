//! Tests of the tokens of an installation.

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
        own: false,
        gid: None,
        act: None,
    }
}

#[test]
fn only_own_unexpired_tokens_are_valid() {
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
fn only_hs256_is_accepted() {
    let key = LocalKey::new(&[1; 32]);
    for (algorithm, expected) in
        [(Algorithm::HS256, true), (Algorithm::HS384, false), (Algorithm::HS512, false)]
    {
        let token = encode(&Header::new(algorithm), &claims(), &key.encoding).unwrap();
        assert_eq!(key.verify(&token, NOW).is_some(), expected, "{algorithm:?}");
    }
}

#[test]
fn webhook_token_names_the_app() {
    let key = LocalKey::new(&[1; 32]);
    let alice = Email::stored("alice@example.com".to_owned());
    let (book, integration) = (BookKey::new("b".to_owned()), IntegrationId::new(5));
    for installed in [None, Some(Installed { book, integration })] {
        let (agent, lease) = (AppId::new("tax-bot").unwrap(), Some(i64::MAX));
        let acting = ActingApp { agent, depth: 3, installed, lease };
        let user = UserId::new(7);
        let token = key.sign_for_app(user, &alice, acting.clone(), (NOW, LATER)).unwrap();
        let claims = key.verify(&token, NOW).unwrap();
        assert_eq!(claims.acting(), Some((user, acting)));
        assert!((claims.id(), claims.session(), claims.grant()) == (None, None, None));
        assert!(key.verify(&token, LATER).is_none());
    }
}

#[test]
fn api_key_is_derived_from_its_id() {
    let (ours, theirs) = (LocalKey::new(&[1; 32]), LocalKey::new(&[2; 32]));
    let text = |key: &LocalKey, id| key.api_key(ApiKeyId::new(id)).as_str().to_owned();
    assert_eq!(text(&ours, 7), text(&ours, 7));
    assert_eq!(text(&ours, 7).len(), 47);
    assert_ne!(text(&ours, 7), text(&ours, 8));
    assert_ne!(text(&ours, 7), text(&theirs, 7));
    let code = |key: &LocalKey, id| key.invitation_code(InvitationId::new(id));
    assert_eq!(code(&ours, 7), code(&ours, 7));
    assert!(code(&ours, 7) != code(&ours, 8) && code(&ours, 7) != code(&theirs, 7));
    assert!(!text(&ours, 7).contains(&code(&ours, 7)), "not the key with that id");
}

#[test]
fn other_signed_claims_are_not_access_tokens() {
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
fn claims_of_one_use_are_refused_for_another() {
    let key = LocalKey::new(&[1; 32]);
    let claims = serde_json::json!({"email": "alice@example.com", "scope": "email", "iat": 1,
        "exp": 9_999_999_999_i64});
    let refresh = key.sign_claims(TokenUse::RefreshToken, &claims).unwrap();
    let read = |token_use| key.verify_claims::<serde_json::Value>(token_use, &refresh);
    assert_eq!(read(TokenUse::RefreshToken), Some(claims.clone()));
    assert_eq!(read(TokenUse::AuthorizationCode), None);
    assert!(key.verify(&refresh, NOW).is_none(), "not an access token");
    let token_use = TokenUse::RefreshToken;
    for (aud, expected) in [(AUDIENCE, true), ("another", false)] {
        let (iss, aud) = (token_use.issuer().to_owned(), aud.to_owned());
        let text = key.encode(&SignedClaims { iss, aud, claims: &claims }).unwrap();
        let verified = key.verify_claims::<serde_json::Value>(token_use, &text);
        assert_eq!(verified.is_some(), expected);
    }
    let without_audience = key.encode(&serde_json::json!({"iss": token_use.issuer()})).unwrap();
    assert!(key.verify_claims::<serde_json::Value>(token_use, &without_audience).is_none());
    let other = LocalKey::new(&[2; 32]);
    let verified = other.verify_claims::<serde_json::Value>(TokenUse::RefreshToken, &refresh);
    assert!(verified.is_none());
}
