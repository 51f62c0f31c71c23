//! Access requests: what somebody asks of a book in which they have too little permission, or none
//! (behaviour 7.6).

mod refusal;

pub use refusal::Refusal;

use crate::email::Email;
use crate::id::{AccessRequestId, UserId};
use crate::instant::Instant;
use crate::permission::Permission;

/// Longest message, in characters (behaviour 7.6).
pub const MAX_MESSAGE: usize = 2_000;
/// The most open requests of a book; a new one takes the place of the oldest (behaviour 7.6).
pub const MAX_OPEN: u16 = 1_000;
/// How long a request is open, in milliseconds: 30 days (behaviour 7.6).
const OPEN_TIME: i64 = 30 * 24 * 60 * 60 * 1_000;

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Any but NONE.
    pub permission: Permission,
    /// What they say to the owner; never blank.
    pub message: Option<String>,
}

impl Input {
    /// Reads what a request says. White space around the message is cut off; a blank one is none.
    ///
    /// # Errors
    /// Every [`Refusal`] but [`Refusal::Unknown`] and [`Refusal::NothingMore`].
    pub fn read(permission: Option<&str>, message: Option<&str>) -> Result<Self, Refusal> {
        let name = permission.map(str::trim).filter(|name| !name.is_empty());
        let name = name.ok_or(Refusal::PermissionRequired)?;
        let permission = Permission::from_name(name)
            .filter(|asked| *asked != Permission::None)
            .ok_or_else(|| Refusal::NotToBeAsked(name.chars().take(60).collect()))?;
        let message = message.map(str::trim).filter(|message| !message.is_empty());
        if message.is_some_and(|message| message.chars().count() > MAX_MESSAGE) {
            return Err(Refusal::MessageTooLong);
        }
        Ok(Self { permission, message: message.map(str::to_owned) })
    }
}

/// A request for access to a book. A user has one in a book: a new one replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// Given to those who decide about it.
    pub id: AccessRequestId,
    /// Who asks.
    pub user: UserId,
    /// Their address, by which access is granted.
    pub email: Email,
    /// What they ask for.
    pub permission: Permission,
    /// What they say to the owner.
    pub message: Option<String>,
    /// When they asked.
    pub created_at: Instant,
}

impl AccessRequest {
    /// What a user asks, of whom the list of collaborators says `granted`. So the OWNER and an
    /// EDITOR have nothing to ask for. Who reads a book because it is PUBLIC may ask for every
    /// permission: they are not a collaborator yet. Only collaborators ask for OWNER.
    ///
    /// # Errors
    /// [`Refusal::NothingMore`]; [`Refusal::NotToBeAsked`] for OWNER.
    pub fn ask(
        id: AccessRequestId,
        (user, email): (UserId, Email),
        input: Input,
        granted: Option<Permission>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let Input { permission, message } = input;
        if granted.is_some_and(|granted| granted.covers(permission)) {
            return Err(Refusal::NothingMore);
        }
        let collaborates = granted.is_some_and(|granted| granted != Permission::None);
        if permission == Permission::Owner && !collaborates {
            return Err(Refusal::NotToBeAsked(permission.as_str().to_owned()));
        }
        Ok(Self { id, user, email, permission, message, created_at: now })
    }

    /// The instant from which on it is expired.
    #[must_use]
    pub const fn end(&self) -> Instant {
        open_until(self.created_at)
    }
}

/// The instant from which on what was asked or offered then is expired.
#[must_use]
pub const fn open_until(created_at: Instant) -> Instant {
    Instant::new(created_at.milliseconds().saturating_add(OPEN_TIME))
}

/// What was asked at this instant, or before, is expired.
#[must_use]
pub const fn expired_since(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(OPEN_TIME))
}

/// The permissions that a request may ask for and that are granted with `given`.
pub fn granted_with(given: Permission) -> impl Iterator<Item = Permission> {
    Permission::ALL.into_iter().filter(move |asked| given.covers(*asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(asked: &str, granted: Option<Permission>) -> Result<AccessRequest, Refusal> {
        let input = Input::read(Some(asked), None)?;
        let user = (UserId::new(7), Email::stored("ann@example.com".to_owned()));
        AccessRequest::ask(AccessRequestId::new(1), user, input, granted, Instant::new(5))
    }

    #[test]
    fn who_may_ask_for_what() {
        use Permission::{Editor, None as Nothing, Owner, Poster, Recorder, Viewer};
        let names = ["VIEWER", "RECORDER", "POSTER", "EDITOR", "OWNER", "NONE"];
        // The list of collaborators says; the permissions that may be asked for.
        for (granted, allowed) in [
            (None, &names[..4]),
            (Some(Nothing), &names[..4]),
            (Some(Viewer), &["RECORDER", "POSTER", "EDITOR", "OWNER"]),
            (Some(Recorder), &["VIEWER", "POSTER", "EDITOR", "OWNER"]),
            (Some(Poster), &["EDITOR", "OWNER"]),
            (Some(Editor), &["OWNER"]),
            (Some(Owner), &[]),
        ] {
            let may: Vec<&str> =
                names.into_iter().filter(|asked| ask(asked, granted).is_ok()).collect();
            assert_eq!(may, allowed, "{granted:?}");
        }
        assert_eq!(ask("POSTER", Some(Poster)), Err(Refusal::NothingMore));
        assert_eq!(ask("OWNER", None), Err(Refusal::NotToBeAsked("OWNER".to_owned())));
    }

    #[test]
    fn what_a_request_says() {
        let message = |text: &str| Input::read(Some("VIEWER"), Some(text)).map(|it| it.message);
        assert_eq!(message("  Let me in\n"), Ok(Some("Let me in".to_owned())));
        assert_eq!(message(" \t "), Ok(None));
        let longest = "\u{e9}".repeat(MAX_MESSAGE);
        assert_eq!(message(&format!(" {longest} ")), Ok(Some(longest.clone())));
        assert_eq!(message(&format!("{longest}!")), Err(Refusal::MessageTooLong));
        for nothing in [None, Some(""), Some("  ")] {
            assert_eq!(Input::read(nothing, None), Err(Refusal::PermissionRequired));
        }
        for unknown in ["viewer", "ADMIN", "VIEWER,EDITOR"] {
            let refused = Refusal::NotToBeAsked(unknown.to_owned());
            assert_eq!(Input::read(Some(unknown), None), Err(refused));
        }
    }

    #[test]
    fn it_is_open_for_30_days() {
        let asked = ask("VIEWER", None).expect("a request");
        let last = Instant::new(asked.end().milliseconds() - 1);
        assert!(expired_since(last) < asked.created_at, "still open");
        assert_eq!(expired_since(asked.end()), asked.created_at, "expired");
        assert_eq!(asked.end(), Instant::new(5 + 2_592_000_000));
    }

    #[test]
    fn what_is_granted_with_a_permission() {
        let with = |given| granted_with(given).map(Permission::as_str).collect::<Vec<_>>();
        assert_eq!(with(Permission::Poster), ["POSTER", "RECORDER", "VIEWER", "NONE"]);
        assert_eq!(with(Permission::Viewer), ["VIEWER", "NONE"]);
        assert_eq!(with(Permission::None), ["NONE"]);
    }
}
