//! Requests of users for access to a book (behaviour 7.6).
//!
//! A user without enough permission asks for one. The owner gets a mail, lists the open requests
//! and grants one by sharing the book, or declines it. A user has at most one request in a book. A
//! request expires after 30 days.

mod refusal;

pub use refusal::Refusal;

use crate::email::Email;
use crate::id::{AccessRequestId, UserId};
use crate::instant::Instant;
use crate::permission::Permission;

/// Longest message, in characters (behaviour 7.6).
pub const MAX_MESSAGE: usize = 2_000;
/// Limit of open requests in a book; a new one replaces the oldest (behaviour 7.6).
pub const MAX_OPEN: u16 = 1_000;
/// Lifetime of a request in milliseconds: 30 days (behaviour 7.6).
const OPEN_TIME: i64 = 30 * 24 * 60 * 60 * 1_000;

/// The parsed body of an access request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The requested permission; never NONE.
    pub permission: Permission,
    /// A message to the owner; never blank.
    pub message: Option<String>,
}

impl Input {
    /// Parses the body. The message is trimmed, and a blank one is dropped.
    ///
    /// # Errors
    /// [`Refusal::PermissionRequired`], [`Refusal::NotRequestable`] and
    /// [`Refusal::MessageTooLong`].
    pub fn read(permission: Option<&str>, message: Option<&str>) -> Result<Self, Refusal> {
        let name = permission.map(str::trim).filter(|name| !name.is_empty());
        let name = name.ok_or(Refusal::PermissionRequired)?;
        let permission = Permission::from_name(name)
            .filter(|requested| *requested != Permission::None)
            .ok_or_else(|| Refusal::NotRequestable(name.chars().take(60).collect()))?;
        let message = message.map(str::trim).filter(|message| !message.is_empty());
        if message.is_some_and(|message| message.chars().count() > MAX_MESSAGE) {
            return Err(Refusal::MessageTooLong);
        }
        Ok(Self { permission, message: message.map(str::to_owned) })
    }
}

/// An open request for access to a book. A user's new request replaces the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// The id, shown to users who may grant it.
    pub id: AccessRequestId,
    /// The requesting user.
    pub user: UserId,
    /// The address to share the book with.
    pub email: Email,
    /// The requested permission.
    pub permission: Permission,
    /// The message to the owner.
    pub message: Option<String>,
    /// The time of the request.
    pub created_at: Instant,
}

impl AccessRequest {
    /// Creates a request of a user whose permission as a collaborator is `granted`.
    ///
    /// The permission that a PUBLIC book gives to everyone does not count as granted.
    ///
    /// # Errors
    /// [`Refusal::AlreadyGranted`] when `granted` covers the request; [`Refusal::NotRequestable`]
    /// for OWNER unless the user is a collaborator.
    pub fn create(
        id: AccessRequestId,
        user: UserId,
        email: Email,
        input: Input,
        granted: Option<Permission>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let Input { permission, message } = input;
        if granted.is_some_and(|granted| granted.covers(permission)) {
            return Err(Refusal::AlreadyGranted);
        }
        let collaborates = granted.is_some_and(|granted| granted != Permission::None);
        if permission == Permission::Owner && !collaborates {
            return Err(Refusal::NotRequestable(permission.as_str().to_owned()));
        }
        Ok(Self { id, user, email, permission, message, created_at: now })
    }

    /// Returns the instant at which it expires.
    pub const fn expires_at(&self) -> Instant {
        expires_at(self.created_at)
    }
}

/// Returns the instant at which a request or an offer of `created_at` expires.
pub const fn expires_at(created_at: Instant) -> Instant {
    Instant::new(created_at.milliseconds().saturating_add(OPEN_TIME))
}

/// Returns the instant up to which requests and offers have expired.
pub const fn expiry_cutoff(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(OPEN_TIME))
}

/// Lists the permissions that `granted` covers.
pub fn covered_by(granted: Permission) -> impl Iterator<Item = Permission> {
    Permission::ALL.into_iter().filter(move |requested| granted.covers(*requested))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(requested: &str, granted: Option<Permission>) -> Result<AccessRequest, Refusal> {
        let input = Input::read(Some(requested), None)?;
        let email = Email::stored("ann@example.com".to_owned());
        let id = AccessRequestId::new(1);
        AccessRequest::create(id, UserId::new(7), email, input, granted, Instant::new(5))
    }

    #[test]
    fn requestable_permissions_depend_on_the_granted_one() {
        use Permission::{Editor, None as Nothing, Owner, Poster, Recorder, Viewer};
        let names = ["VIEWER", "RECORDER", "POSTER", "EDITOR", "OWNER", "NONE"];
        // The granted permission; the permissions that can be requested.
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
                names.into_iter().filter(|name| create(name, granted).is_ok()).collect();
            assert_eq!(may, allowed, "{granted:?}");
        }
        assert_eq!(create("POSTER", Some(Poster)), Err(Refusal::AlreadyGranted));
        assert_eq!(create("OWNER", None), Err(Refusal::NotRequestable("OWNER".to_owned())));
    }

    #[test]
    fn body_is_trimmed_and_checked() {
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
            let refused = Refusal::NotRequestable(unknown.to_owned());
            assert_eq!(Input::read(Some(unknown), None), Err(refused));
        }
    }

    #[test]
    fn request_expires_after_30_days() {
        let request = create("VIEWER", None).expect("a request");
        let last = Instant::new(request.expires_at().milliseconds() - 1);
        assert!(expiry_cutoff(last) < request.created_at, "still open");
        assert_eq!(expiry_cutoff(request.expires_at()), request.created_at, "expired");
        assert_eq!(request.expires_at(), Instant::new(5 + 2_592_000_000));
    }

    #[test]
    fn permission_covers_lower_ones() {
        let covered = |granted| covered_by(granted).map(Permission::as_str).collect::<Vec<_>>();
        assert_eq!(covered(Permission::Poster), ["POSTER", "RECORDER", "VIEWER", "NONE"]);
        assert_eq!(covered(Permission::Viewer), ["VIEWER", "NONE"]);
        assert_eq!(covered(Permission::None), ["NONE"]);
    }
}
