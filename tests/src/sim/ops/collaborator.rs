//! Operations on collaborators.

use std::sync::Arc;

use daybook_domain::permission::Permission;
use daybook_service::collaborator;

use super::{DynOperation, Operation};
use crate::sim::body::Email;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
pub struct Add {
    pub book: label::Book,
    pub label: label::Collaborator,
    pub email: Option<Email>,
    pub permission: Option<Permission>,
}

/// How a removal names the collaborator.
#[derive(Clone, Debug)]
enum Whom {
    Id(label::Collaborator),
    Email(Email),
}

#[derive(Clone, Debug)]
struct Remove {
    book: label::Book,
    whom: Whom,
}

#[derive(Clone, Debug)]
struct List(label::Book);

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
    Arc::new(Add { book: draw.book, label: draw.label(), email: email(draw), permission })
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
    let whom = if rows.is_empty() || draw.one_in(2) {
        Whom::Email(email(draw).unwrap_or(Email::Of(5)))
    } else {
        Whom::Id(draw.pick(&rows))
    };
    Arc::new(Remove { book: draw.book, whom })
}

pub fn draw_list(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(List(draw.book))
}

impl Operation for Add {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let (email, permission) =
            (self.email.as_ref().map(|email| service.email(email)), self.permission);
        let add =
            move |tx: &mut daybook_storage::Tx<'_>, cx: &daybook_service::Context, book: &str| {
                let input = collaborator::Input {
                    email: email.as_deref(),
                    permission,
                    ..collaborator::Input::default()
                };
                collaborator::add(tx, cx, book, input)
            };
        let row = service.write(self.book, caller, add)?;
        service.labels.collaborators.note(row.id.get(), self.label);
        Ok(Answer::Collaborators(vec![service.collaborator(&row)]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let email = self.email.as_ref().map(|email| model.email(email));
        let add = |tx: &mut Tx| tx.add_collaborator(self.label, email.as_deref(), self.permission);
        model.write(self.book, caller, may::MANAGE, add).map(|row| Answer::Collaborators(vec![row]))
    }
}

impl Operation for Remove {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let text = match &self.whom {
            Whom::Id(label) => service.collaborator_id(*label),
            Whom::Email(email) => service.email(email),
        };
        let row = service.write(self.book, caller, move |tx, cx, book| {
            collaborator::remove(tx, cx, book, &text)
        })?;
        Ok(Answer::Collaborators(vec![service.collaborator(&row)]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (id, email) = match &self.whom {
            Whom::Id(label) => (Some(*label), None),
            Whom::Email(email) => (None, Some(model.email(email))),
        };
        let remove = |tx: &mut Tx| tx.remove_collaborator(id, email.as_deref());
        let row = model.write(self.book, caller, may::READ_BOOK, remove)?;
        Ok(Answer::Collaborators(vec![row]))
    }
}

impl Operation for List {
    fn book(&self) -> label::Book {
        self.0
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let rows = service.read(self.0, caller, collaborator::list)?;
        Ok(Answer::Collaborators(rows.iter().map(|row| service.collaborator(row)).collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (book, _) = model.enter(self.0, caller, may::READ)?;
        if !model.collaborates(book, caller) {
            return Err(Refusal::forbidden());
        }
        Ok(Answer::Collaborators(book.collaborators_in_order()))
    }
}
