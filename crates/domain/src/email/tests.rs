//! Tests of address normalization (behaviour 7.9).

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Result<String, Refusal> {
    Email::parse(text).map(|email| email.to_string())
}

#[test]
fn addresses_are_normalized() {
    for (given, expected) in [
        (" Alice@Example.COM ", "alice@example.com"),
        ("a+b-c_d.e'f@example.com", "a+b-c_d.e'f@example.com"),
        ("!#$%&*=?^`{|}~@example.com", "!#$%&*=?^`{|}~@example.com"),
        ("root@localhost", "root@localhost"),
        ("a@b--c.example", "a@b--c.example"),
        ("ZOË@example.com", "zoë@example.com"),
        ("zoe\u{308}@example.com", "zoë@example.com"),
        ("иван.Петров@example.com", "иван.петров@example.com"),
        ("ΟΔΥΣΣΕΥΣ@example.com", "οδυσσευς@example.com"),
        ("田中taro@example.com", "田中taro@example.com"),
        ("अर्जुन@example.com", "अर्जुन@example.com"),
        ("ẹ\u{300}@example.com", "ẹ\u{300}@example.com"),
        ("a@BÜCHER.example", "a@xn--bcher-kva.example"),
        ("a@bu\u{308}cher.example", "a@xn--bcher-kva.example"),
        ("a@XN--BCHER-KVA.example", "a@xn--bcher-kva.example"),
        ("a@straße.example", "a@xn--strae-oqa.example"),
        ("a@пример.рф", "a@xn--e1afmkfd.xn--p1ai"),
    ] {
        assert_eq!(parsed(given).as_deref(), Ok(expected), "{given}");
    }
}

#[test]
fn mailbox_is_the_address_without_suffix() {
    for (given, mailbox) in [
        ("alice+bank+2@example.com", "alice@example.com"),
        ("+alice@example.com", "+alice@example.com"),
    ] {
        assert_eq!(Email::parse(given).unwrap().mailbox().as_str(), mailbox);
    }
}

#[test]
fn malformed_addresses_are_refused() {
    for text in "|@|alice|@example.com|alice@|a@b@c.com|.a@b.com|a.@b.com|a..b@b.com".split('|') {
        assert_eq!(parsed(text), Err(Refusal::Malformed(text.to_owned())));
    }
    for local in ["a b", "a\n", "a\0", "a/b", "a,b", "a:b", "\"a\"", "<a", "a(b)"] {
        check_character(local);
    }
    let domains = ".com|com.|example..com|exa mple.com|example.com/x|exam_ple.com|-example.com|\
                   example-.com|[127.0.0.1]|example.com,b|xn--.com|xn--a.com";
    domains.split('|').for_each(check_domain);
}

/// Checks that a local part is refused because of a character.
#[track_caller]
fn check_character(local: &str) {
    let found = parsed(&format!("{local}@example.com"));
    assert!(matches!(found, Err(Refusal::Character { .. })), "{local:?}: {found:?}");
}

#[track_caller]
fn check_domain(domain: &str) {
    let found = parsed(&format!("a@{domain}"));
    assert!(matches!(found, Err(Refusal::Domain(_))), "{domain:?}: {found:?}");
}

#[test]
fn confusable_and_invisible_characters_are_refused() {
    let locals = "\u{212A}ate \u{130} I\u{307} i\u{307} \u{131}\u{307}x mi\u{17F}s \u{FF41}lice \
                  al\u{200D}ice al\u{200B}ice al\u{AD}ice al\u{34F}ice al\u{FE0F}ice \
                  \u{202E}alice alice\u{2019}s a\u{2010}b \u{1D41A}lice \u{FB01}ne a\u{338} \
                  \u{300}a é\u{2024}a";
    locals.split(' ').for_each(check_character);
    check_character("a\u{FEFF}lice");
    for local in ["\u{430}lice", "p\u{430}ypal", "сор", "ο", "aиb", "\u{131}", "a\u{30CE}b"] {
        let text = format!("{local}@example.com");
        assert_eq!(parsed(&text), Err(Refusal::LookAlike(text.clone())));
    }
    let domains = "example.\u{212A}om \u{FF45}xample.com example\u{3002}com exam\u{200D}ple.com \
                   exam\u{200B}ple.com exam\u{AD}ple.com mi\u{17F}s.com \u{130}.com ﬁne.com";
    domains.split(' ').for_each(check_domain);
}

#[test]
fn lengths_are_limited() {
    let domain = ["d".repeat(63), "e".repeat(63), "f".repeat(59), "x".to_owned()].join(".");
    let fits = format!("{}@{domain}", "a".repeat(64));
    assert_eq!((fits.len(), parsed(&fits)), (MAX_EMAIL, Ok(fits.clone())));
    assert_eq!(parsed(&format!("{fits}y")), Err(Refusal::TooLong));
    let long = format!("{}@example.com", "a".repeat(65));
    assert_eq!(parsed(&long), Err(Refusal::LongLocal(long.clone())));
    let letters = format!("{}@example.com", "é".repeat(33));
    assert_eq!(parsed(&letters), Err(Refusal::LongLocal(letters.clone())));
    // Short in Unicode, longer in the form of the DNS.
    let given = format!("a@{}", ["ü".repeat(30), "ü".repeat(30), "b".repeat(62)].join("."));
    assert!(parsed(&given).is_ok(), "{:?}", parsed(&given));
    assert!(parsed(&format!("a@{}.com", "b".repeat(64))).is_err());
}

#[test]
fn message_escapes_invisible_characters() {
    let message = parsed("al\u{200D}ice@example.com").unwrap_err().to_string();
    assert!(message.contains("U+200D") && message.contains("\\u{200d}"), "{message}");
    assert!(!message.contains('\u{200D}'));
}

/// Each accepted character stays itself or becomes its lower case, and is visible.
#[test]
fn no_character_becomes_another() {
    let mut accepted = 0;
    // The planes between have no characters.
    let all = ('\u{80}'..='\u{3FFFF}').chain('\u{E0000}'..='\u{E0FFF}');
    for c in all.filter(|c| !c.is_whitespace()) {
        let Ok(local) = local::normalize(&format!("{c}\u{E4}"), "") else { continue };
        accepted += 1;
        let local = local.strip_suffix('\u{E4}').unwrap();
        assert!(!local.is_ascii(), "{c:?}");
        let lower: String = c.to_lowercase().collect();
        let composed: String =
            unicode_normalization::UnicodeNormalization::nfc(lower.as_str()).collect();
        assert_eq!(local, composed, "{c:?}");
        assert!(local.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase()), "{c:?}");
    }
    assert!(accepted > 500, "{accepted} letters are accepted beside a Latin one");
}

/// Generates texts that resemble addresses.
fn similar_texts() -> impl Strategy<Value = String> {
    let part = || {
        prop_oneof![
            "[a-zA-Z0-9.+_-]{1,8}",
            "[äéßøİıſΣςαбвгд田タहि\u{300}\u{307}\u{200d}\u{212a}ａ]{1,4}",
            "\\PC{1,4}",
        ]
    };
    let parts = || proptest::collection::vec(part(), 1..3).prop_map(|parts| parts.concat());
    (parts(), parts(), "[a-zA-Zé]{2,6}")
        .prop_map(|(local, domain, top)| format!("{local}@{domain}.{top}"))
}

proptest! {
    #[test]
    fn address_has_one_form(text in prop_oneof![similar_texts(), ".*"]) {
        if let Ok(email) = Email::parse(&text) {
            prop_assert_eq!(Email::parse(email.as_str()), Ok(email.clone()));
            prop_assert!(email.as_str().len() <= MAX_EMAIL && email.local().len() <= MAX_LOCAL);
            prop_assert!(email.domain().is_ascii());
            prop_assert_eq!(email.to_string(), format!("{}@{}", email.local(), email.domain()));
            for c in email.as_str().chars() {
                prop_assert!(!c.is_uppercase() && !c.is_control() && !c.is_whitespace(), "{:?}", c);
                let marks = c.is_alphanumeric() || c.is_ascii_graphic();
                prop_assert!(marks || unicode_normalization::char::is_combining_mark(c));
            }
        }
    }

    /// Spellings that differ in case and composition are the same address.
    #[test]
    fn spellings_of_one_address_are_one(text in similar_texts()) {
        use unicode_normalization::UnicodeNormalization;
        if let Ok(email) = Email::parse(&text) {
            let decomposed: String = email.as_str().nfd().collect();
            if decomposed.len() <= MAX_EMAIL {
                prop_assert_eq!(Email::parse(&decomposed), Ok(email.clone()));
            }
            let upper = email.as_str().to_ascii_uppercase();
            prop_assert_eq!(Email::parse(&upper), Ok(email));
        }
    }
}
