//! What can be connected to, and what a connection is called.

use super::*;
use crate::app::{self, App};
use crate::email::Email;
use crate::field::Field;

const NOW: Instant = Instant::new(5);
const ID: ConnectionId = ConnectionId::new(9);

fn visitor(number: i64, email: &Email) -> Visitor<'_> {
    Visitor { id: UserId::new(number), username: "ada", email, is_administrator: false }
}

fn email() -> Email {
    Email::parse("ada@a.example").unwrap()
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
    NewConnection { app: Some(app.to_owned()), kind, ..Default::default() }
}

#[test]
fn apps_must_be_connectable_and_banks_need_none() {
    let (bot, closed, email) = (app(true), app(false), email());
    let unknown = || Err(Refusal::UnknownApp("tax-bot".to_owned()));
    let refused = || Err(Refusal::NotConnectable("tax-bot".to_owned()));
    use ConnectionKind::{App as OfApp, Bank};
    for (kind, app, user, expected) in [
        (OfApp, Some(&bot), 1, Ok("Tax Bot")),
        (OfApp, Some(&bot), 2, unknown()),
        (OfApp, None, 1, unknown()),
        (OfApp, Some(&closed), 1, refused()),
        (Bank, Some(&closed), 1, Ok("Tax Bot")),
        (Bank, Some(&bot), 2, Ok("tax-bot")),
        (Bank, None, 1, Ok("tax-bot")),
    ] {
        let made = Connection::create(ID, &to("tax-bot", kind), app, &visitor(user, &email), NOW);
        let name = made.as_ref().map(|made| made.name.as_str()).map_err(Clone::clone);
        assert_eq!(name, expected, "{kind:?} {user}");
    }
}

#[test]
fn what_a_connection_is_called() {
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
    let made = make(&named(" ", " ")).unwrap();
    assert_eq!((made.name.as_str(), made.uuid), ("some-bank", ID.to_string()));
    let long = "u".repeat(MAX_UUID + 1);
    assert_eq!(make(&named("", &long)), Err(Refusal::UuidTooLong(MAX_UUID + 1)));
    assert_eq!(make(&NewConnection::default()), Err(Refusal::AppRequired));
    assert!(matches!(make(&to("Some Bank", ConnectionKind::Bank)), Err(Refusal::AppMalformed(_))));
}

#[test]
fn an_update_that_changes_nothing_does_not_touch_it() {
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
