//! Operations on collaborators.

use std::sync::Arc;

use daybook_domain::permission::Permission;
use daybook_service::collaborator;

use super::{DynOperation, Operation};
use crate::sim::body::{Email, Id};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
pub enum Collaborators {
    Add(label::Collaborator, Option<Email>, Option<Permission>),
    Remove(label::Collaborator),
    RemoveEmail(Email),
    List,
}

pub fn draw_add(draw: &mut Draw<'_>) -> DynOperation {
    let permission = match draw.below(12) {
        0 => Some(Permission::None),
        1 if draw.unrestricted => None,
        1 | 2 if draw.unrestricted => Some(Permission::Owner),
        _ => Some(draw.pick(&[
            Permission::Editor,
            Permission::Poster,
            Permission::Recorder,
            Permission::Viewer,
        ])),
    };
    Arc::new(Collaborators::Add(draw.label(), email(draw), permission))
}

/// Usually the address of a user.
pub fn email(draw: &mut Draw<'_>) -> Option<Email> {
    if draw.unrestricted && draw.one_in(4) {
        return draw
            .pick(&[
                None,
                Some(""),
                Some("nobody"),
                Some("a@b@c"),
                Some("a..b@elsewhere.example"),
                Some("\u{212a}im@elsewhere.example"),
                Some("pending@\u{ff45}lsewhere.example"),
            ])
            .map(|text| Email::Text(text.to_owned()));
    }
    if draw.one_in(8) {
        let pending = [
            "pending@elsewhere.example",
            "Pending@B\u{fc}cher.example",
            "pending@xn--bcher-kva.example",
        ];
        return Some(Email::Text(draw.pick(&pending).to_owned()));
    }
    let who = draw.below(draw.model.users.len());
    Some(if draw.one_in(4) { Email::Uppercase(who) } else { Email::Of(who) })
}

pub fn draw_remove(draw: &mut Draw<'_>) -> DynOperation {
    let rows: Vec<label::Collaborator> =
        draw.state().map(|book| book.collaborators.keys().copied().collect()).unwrap_or_default();
    let row = draw.one_of(&rows).filter(|_| !draw.one_in(2));
    Arc::new(match row {
        Some(label) => Collaborators::Remove(label),
        None => Collaborators::RemoveEmail(email(draw).unwrap_or(Email::Of(5))),
    })
}

pub fn draw_list(_: &mut Draw<'_>) -> DynOperation {
    Arc::new(Collaborators::List)
}

impl Operation for Collaborators {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found =
            match self {
                Collaborators::Add(label, email, permission) => {
                    let email = email.as_ref().map(|email| service.email(email));
                    let permission = *permission;
                    let row = service.write(caller, move |tx, cx, key| {
                        let input = collaborator::Input {
                            email: email.as_deref(),
                            permission,
                            ..collaborator::Input::default()
                        };
                        collaborator::add(tx, cx, key, input)
                    })?;
                    service.labels.note(row.id.get(), *label);
                    vec![row]
                }
                Collaborators::Remove(label) => {
                    let text = service.labels.text(Id::Of(*label));
                    vec![service.write(caller, move |tx, cx, key| {
                        collaborator::remove(tx, cx, key, &text)
                    })?]
                }
                Collaborators::RemoveEmail(email) => {
                    let text = service.email(email);
                    vec![service.write(caller, move |tx, cx, key| {
                        collaborator::remove(tx, cx, key, &text)
                    })?]
                }
                Collaborators::List => service.read(caller, collaborator::list)?,
            };
        answer(service.all(&found, Service::collaborator))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Collaborators::Add(label, email, permission) => {
                let email = email.as_ref().map(|email| model.email(email));
                let add = |tx: &mut Tx| tx.add_collaborator(*label, email.as_deref(), *permission);
                vec![model.write(caller, may::MANAGE, add)?]
            }
            Collaborators::Remove(label) => {
                let remove = |tx: &mut Tx| tx.remove_collaborator(Some(*label), None);
                vec![model.write(caller, may::READ_BOOK, remove)?]
            }
            Collaborators::RemoveEmail(email) => {
                let email = model.email(email);
                let remove = |tx: &mut Tx| tx.remove_collaborator(None, Some(&email));
                vec![model.write(caller, may::READ_BOOK, remove)?]
            }
            Collaborators::List => {
                let (book, _) = model.enter(caller, may::READ)?;
                if !model.collaborates(book, caller) {
                    return Err(Refusal::forbidden());
                }
                book.collaborators_in_order()
            }
        })
    }
}
