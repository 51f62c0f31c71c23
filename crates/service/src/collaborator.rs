//! Use cases of collaborators (behaviour 7).

use daybook_domain::collaborator::{
    Action, Collaborator, Member, Permission, Refusal, Sharing, email,
};
use daybook_domain::event::{EventType, Happening, Previous, snapshot};
use daybook_domain::id::CollaboratorId;
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;
use crate::{access, record};

/// listCollaborators: the owner first, then by e-mail.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<Collaborator>> {
    let member = access::enter(tx, cx, book, Action::ListCollaborators)?;
    let mut all = tx.collaborators().list(&member)?;
    all.sort_by(|a, b| {
        (a.permission != Permission::Owner, &a.email)
            .cmp(&(b.permission != Permission::Owner, &b.email))
    });
    Ok(all)
}

/// addCollaborator: adds or updates by e-mail; NONE removes.
///
/// # Errors
/// What the access step refuses; a missing or malformed address, OWNER, any change of the owner's
/// row.
pub fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    address: Option<&str>,
    permission: Option<Permission>,
) -> Result<Collaborator> {
    let member = access::enter(tx, cx, book, Action::ManageCollaborators)?;
    let address = email(address.ok_or(Refusal::Required("email"))?)?;
    let permission = permission.ok_or(Refusal::Required("permission"))?;
    match Sharing::of(tx.collaborators().find(&member, &address)?, permission)? {
        Sharing::Add => insert(tx, cx, &member, address, permission),
        Sharing::Change(existing) => change(tx, cx, &member, existing, permission),
        Sharing::Keep(existing) => Ok(existing),
        Sharing::Remove(existing) => delete(tx, cx, &member, existing),
    }
}

/// removeCollaborator, by id or e-mail. Everybody may remove themselves, except the owner.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`] and [`Refusal::OwnerIsFixed`].
pub fn remove(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<Collaborator> {
    let member = access::enter(tx, cx, book, Action::ReadBook)?;
    let found = match text.parse::<CollaboratorId>() {
        Ok(id) => tx.collaborators().find_by_id(&member, id)?,
        Err(_) => tx.collaborators().find(&member, &text.trim().to_lowercase())?,
    };
    let oneself = found.as_ref().is_some_and(|found| found.email == cx.user.email)
        || text.eq_ignore_ascii_case(&cx.user.email);
    if !oneself {
        member.require(Action::ManageCollaborators)?;
    }
    let found = found.ok_or(Refusal::Unknown)?;
    found.check_replaceable()?;
    delete(tx, cx, &member, found)
}

fn insert(
    tx: &mut Tx<'_>,
    cx: &Context,
    member: &Member,
    email: String,
    permission: Permission,
) -> Result<Collaborator> {
    let added =
        Collaborator { id: CollaboratorId::new(cx.mint()), email, permission, stamp: cx.stamp() };
    tx.collaborators().insert(member, &added)?;
    let happening = Happening::new(
        EventType::CollaboratorAdded,
        added.id.get(),
        snapshot::collaborator(&added),
    );
    record::happenings(tx, cx, member, vec![happening])?;
    Ok(added)
}

fn change(
    tx: &mut Tx<'_>,
    cx: &Context,
    member: &Member,
    before: Collaborator,
    permission: Permission,
) -> Result<Collaborator> {
    let previous =
        Previous::from([("permission".to_owned(), before.permission.as_str().to_owned())]);
    let after = Collaborator { permission, stamp: before.stamp.clone().touched(cx.now), ..before };
    tx.collaborators().update(member, &after)?;
    let happening = Happening::update(
        EventType::CollaboratorUpdated,
        after.id.get(),
        snapshot::collaborator(&after),
        &previous,
    );
    record::happenings(tx, cx, member, vec![happening])?;
    Ok(after)
}

fn delete(
    tx: &mut Tx<'_>,
    cx: &Context,
    member: &Member,
    doomed: Collaborator,
) -> Result<Collaborator> {
    tx.collaborators().delete(member, doomed.id)?;
    let happening = Happening::new(
        EventType::CollaboratorRemoved,
        doomed.id.get(),
        snapshot::collaborator(&doomed),
    );
    record::happenings(tx, cx, member, vec![happening])?;
    Ok(doomed)
}
