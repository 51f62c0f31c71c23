//! Tests of roles and updates of apps.

use std::collections::BTreeMap;

use super::*;
use crate::event::EventType;
use crate::field::Field;
use crate::fixture::{email, owned, visitor};

const NOW: Instant = Instant::new(9);

fn owner(email: &Email) -> Visitor<'_> {
    visitor(1, email)
}

fn texts(pairs: &[(AppText, &str)]) -> BTreeMap<AppText, Option<String>> {
    pairs.iter().map(|(text, value)| (*text, Some((*value).to_owned()))).collect()
}

fn app(pairs: &[(AppText, &str)]) -> App {
    let changes =
        Changes { name: Some("Tax Bot".to_owned()), texts: texts(pairs), ..Changes::default() };
    App::create(Some("tax-bot"), changes, &owner(&email("owner@example.com")), Instant::new(1))
        .unwrap()
}

#[test]
fn roles_depend_on_audience_and_publication() {
    use AppRole::{Developer, Stranger, User};
    let hidden = app(&[(AppText::Developers, "dev *@dev.example"), (AppText::Users, "user")]);
    let published = App { published: true, ..hidden.clone() };
    for (id, username, address, is_administrator, of_hidden, of_published) in [
        (1, "owner", "owner@example.com", false, Developer, Developer),
        (2, "dev", "dev@example.com", false, Developer, Developer),
        (3, "other", "other@dev.example", false, Developer, Developer),
        (4, "user", "user@example.com", false, User, User),
        (5, "eve", "eve@example.com", false, Stranger, User),
        (6, "admin", "admin@example.com", true, Developer, Developer),
    ] {
        let email = email(address);
        let visitor = Visitor { id: UserId::new(id), username, email: &email, is_administrator };
        assert_eq!(hidden.role(&visitor), of_hidden, "{username}");
        assert_eq!(published.role(&visitor), of_published, "{username}");
        let renamed = Changes { name: Some("Other".to_owned()), ..Changes::default() };
        let updated = published.clone().update(renamed, &visitor, NOW);
        assert_eq!(updated.is_ok(), of_published == Developer, "{username}");
    }
}

#[test]
fn only_administrators_publish() {
    let email = email("owner@example.com");
    for is_administrator in [false, true] {
        let visitor = Visitor { is_administrator, ..owner(&email) };
        let publish = Changes { published: Field::Set(true), ..Changes::default() };
        let after = app(&[]).update(publish, &visitor, NOW).unwrap();
        assert_eq!(after.published, is_administrator);
        let clear = Changes { published: Field::Clear, ..Changes::default() };
        let administrator = Visitor { is_administrator: true, ..visitor };
        assert!(!after.update(clear, &administrator, NOW).unwrap().published);
    }
}

#[test]
fn update_keeps_absent_fields_and_clears_null_or_blank_ones() {
    let email = email("owner@example.com");
    let before =
        app(&[(AppText::Description, "Adds taxes"), (AppText::WebhookUrl, "https://a.example")]);
    let full = Changes {
        installable: Field::Set(false),
        events: Field::Set(owned(&["TRANSACTION_POSTED", "TRANSACTION_POSTED"])),
        file_patterns: Field::Set(owned(&[" *.csv ", " "])),
        client_secret: Field::Set(vec![1]),
        ..Changes::default()
    };
    let full = before.clone().update(full, &owner(&email), NOW).unwrap();
    assert_eq!(full.manifest.text(AppText::Description), Some("Adds taxes"));
    assert_eq!(full.manifest.events, [EventType::TransactionPosted]);
    assert_eq!(full.manifest.file_patterns, ["*.csv"]);
    assert_eq!((full.manifest.flags.installable, full.updated_at), (false, NOW));
    let same = full.clone().update(Changes::default(), &owner(&email), Instant::new(20)).unwrap();
    assert_eq!(same, full);
    let cleared = Changes {
        texts: [(AppText::Description, Some(" ".to_owned())), (AppText::WebhookUrl, None)].into(),
        installable: Field::Clear,
        events: Field::Set(Vec::new()),
        file_patterns: Field::Clear,
        client_secret: Field::Clear,
        ..Changes::default()
    };
    let cleared = full.update(cleared, &owner(&email), NOW).unwrap();
    assert_eq!(App { updated_at: Instant::new(1), ..cleared }, app(&[]));
}

#[test]
fn invalid_manifest_fields_are_refused() {
    let email = email("owner@example.com");
    let none = Changes::default;
    let list = |item: String, count| Field::Set(vec![item; count]);
    for (changes, message) in [
        (Changes { name: Some(" ".to_owned()), ..none() }, "name is required"),
        (Changes { events: list("BOOK_OPENED".to_owned(), 1), ..none() }, "\"BOOK_OPENED\""),
        (Changes { file_patterns: list("*".to_owned(), MAX_ITEMS + 1), ..none() }, "filePatterns"),
        (Changes { scopes: list("*".repeat(256), 1), ..none() }, "scopes"),
        (Changes { texts: texts(&[(AppText::WebhookUrl, "example.com")]), ..none() }, "webhookUrl"),
    ] {
        let refused = app(&[]).update(changes, &owner(&email), NOW).unwrap_err().to_string();
        assert!(refused.contains(message), "{message}: {refused}");
    }
    let unnamed = App::create(Some("a"), none(), &owner(&email), NOW);
    assert!(unnamed.unwrap_err().to_string().contains("name is required"));
}
