//! Tests of connections.

use super::*;
use crate::app::{self, App};
use crate::field::Field;
use crate::fixture::{self, visitor};

const NOW: Instant = Instant::new(5);
const ID: ConnectionId = ConnectionId::new(9);

fn email() -> crate::email::Email {
    fixture::email("ada@a.example")
}

fn app(connectable: bool) -> App {
    let changes = app::Changes {
        name: Some("Tax Bot".to_owned()),
        connectable: Field::Set(connectable),
        ..Default::default()
    };
    App::create(Some("tax-bot"), changes, &visitor(1, &email()), Instant::new(0)).unwrap()
}

fn to(app: &str, kind: ConnectionKind) -> NewConnection {
    let name = Some("Mine".to_owned());
    NewConnection { app: Some(app.to_owned()), kind, name, uuid: None }
}

#[test]
fn app_must_be_connectable_unless_it_is_a_bank() {
    let (bot, closed, email) = (app(true), app(false), email());
    let unknown = || Err(Refusal::UnknownApp("tax-bot".to_owned()));
    let refused = || Err(Refusal::NotConnectable("tax-bot".to_owned()));
    use ConnectionKind::{App as OfApp, Bank};
    for (kind, app, user, expected) in [
        (OfApp, Some(&bot), 1, Ok(())),
        (OfApp, Some(&bot), 2, unknown()),
        (OfApp, None, 1, unknown()),
        (OfApp, Some(&closed), 1, refused()),
        (Bank, Some(&closed), 1, Ok(())),
        (Bank, Some(&bot), 2, Ok(())),
        (Bank, None, 1, Ok(())),
    ] {
        let made = Connection::create(ID, &to("tax-bot", kind), app, &visitor(user, &email), NOW);
        assert_eq!(made.map(drop), expected, "{kind:?} {user}");
    }
}

#[test]
fn name_and_uuid_are_checked() {
    let email = email();
    let make = |new: &NewConnection| Connection::create(ID, new, None, &visitor(1, &email), NOW);
    let bank = to("some-bank", ConnectionKind::Bank);
    let named = |name: &str, uuid: &str| NewConnection {
        name: Some(name.to_owned()),
        uuid: Some(uuid.to_owned()),
        ..bank.clone()
    };
    let made = make(&named(" My Bank ", " account-7 ")).unwrap();
    assert_eq!((made.name.as_str(), made.uuid.as_str()), ("My Bank", "account-7"));
    assert_eq!(make(&named("Bank", " ")).unwrap().uuid, ID.to_string());
    assert!(matches!(make(&named(" ", "")), Err(Refusal::Name(_))));
    let long = "u".repeat(MAX_UUID + 1);
    assert_eq!(make(&named("Bank", &long)), Err(Refusal::UuidTooLong(MAX_UUID + 1)));
    assert_eq!(make(&NewConnection::default()), Err(Refusal::AppRequired));
    assert!(matches!(make(&to("Some Bank", ConnectionKind::Bank)), Err(Refusal::AppMalformed(_))));
}

#[test]
fn update_without_changes_keeps_the_version() {
    let email = email();
    let bank = to("some-bank", ConnectionKind::Bank);
    let made = Connection::create(ID, &bank, None, &visitor(1, &email), NOW).unwrap();
    let later = Instant::new(6);
    let same = made.clone().update(None, None, later).unwrap();
    assert_eq!(same, made);
    let changed = made.clone().update(Some("Bank"), Some(vec![1]), later).unwrap();
    assert_eq!((changed.name.as_str(), changed.stamp.version), ("Bank", 2));
    assert!(made.update(Some(" "), None, later).is_err());
}
