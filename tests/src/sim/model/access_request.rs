//! Access requests, from behaviour 7.6.

use daybook_domain::permission::Permission;

use super::{Book, Caller, Model, Tx, may};
use crate::sim::facts::{AccessRequest, Refusal};
use crate::sim::label;

/// 30 days, in milliseconds.
pub const OPEN_TIME: i64 = 30 * 24 * 3_600_000;
const LONGEST_MESSAGE: usize = 2_000;

impl Model {
    /// Requests access. The answer is the same whether or not the book exists.
    pub fn request_access(
        &mut self,
        caller: &Caller,
        label: label::AccessRequest,
        permission: Option<&str>,
        message: Option<&str>,
    ) -> Result<(), Refusal> {
        let permission = match permission.map(str::trim) {
            Some("OWNER") => Permission::Owner,
            Some("EDITOR") => Permission::Editor,
            Some("POSTER") => Permission::Poster,
            Some("RECORDER") => Permission::Recorder,
            Some("VIEWER") => Permission::Viewer,
            _ => return Err(Refusal::bad()),
        };
        let message = message.map(str::trim).filter(|message| !message.is_empty());
        if message.is_some_and(|message| message.chars().count() > LONGEST_MESSAGE) {
            return Err(Refusal::bad());
        }
        let email = self.users[caller.who].email.clone();
        let known = self.books.get_mut(&caller.book);
        let own = known
            .as_ref()
            .and_then(|book| book.collaborators.values().find(|one| one.email == email).cloned());
        if permission == Permission::Owner && own.is_none() {
            return Err(Refusal::bad());
        }
        let Some(book) = known else { return Ok(()) };
        if own.is_some_and(|own| holds(own.permission, permission)) {
            return Err(Refusal::bad());
        }
        book.requests.retain(|one| one.email != email);
        book.requests.push(AccessRequest {
            label,
            email,
            permission,
            message: message.map(str::to_owned),
            created: caller.now,
            end: caller.now + OPEN_TIME,
        });
        Ok(())
    }

    pub fn list_requests(&self, caller: &Caller) -> Result<Vec<AccessRequest>, Refusal> {
        let (book, _) = self.enter(caller, may::MANAGE)?;
        Ok(book.open_requests(caller.now))
    }

    pub fn get_request(
        &self,
        caller: &Caller,
        label: label::AccessRequest,
    ) -> Result<AccessRequest, Refusal> {
        let all = self.list_requests(caller)?;
        all.into_iter().find(|one| one.label == label).ok_or_else(Refusal::missing)
    }
}

impl Book {
    /// Lists open requests, newest first.
    pub fn open_requests(&self, now: i64) -> Vec<AccessRequest> {
        self.requests.iter().rev().filter(|one| now < one.end).cloned().collect()
    }

    /// Grants the requests that a new permission satisfies.
    pub fn grant(&mut self, email: &str, given: Permission) {
        self.requests.retain(|one| one.email != email || !holds(given, one.permission));
    }
}

impl Tx {
    pub fn decline(&mut self, label: label::AccessRequest) -> Result<AccessRequest, Refusal> {
        let mut open = self.book.open_requests(self.caller.now).into_iter();
        let declined = open.find(|one| one.label == label).ok_or_else(Refusal::missing)?;
        self.book.requests.retain(|one| one.label != label);
        Ok(declined)
    }
}

/// Whether a permission includes the requested one; neither VIEWER nor RECORDER includes the
/// other (7.1).
fn holds(given: Permission, requested: Permission) -> bool {
    let below: &[Permission] = match given {
        Permission::Owner => &Permission::ALL,
        Permission::Editor => {
            &[Permission::Editor, Permission::Poster, Permission::Recorder, Permission::Viewer]
        }
        Permission::Poster => &[Permission::Poster, Permission::Recorder, Permission::Viewer],
        Permission::Recorder => &[Permission::Recorder],
        Permission::Viewer => &[Permission::Viewer],
        Permission::None => &[],
    };
    below.contains(&requested)
}
