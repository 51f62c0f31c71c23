//! Operations on access requests.

use std::sync::Arc;

use daybook_service::access_request::{self, Request};

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct RequestAccess {
    book: label::Book,
    label: label::AccessRequest,
    permission: Option<&'static str>,
    message: Option<String>,
}

#[derive(Clone, Debug)]
enum What {
    List,
    Get(label::AccessRequest),
    Decline(label::AccessRequest),
}

#[derive(Clone, Debug)]
struct Decide {
    book: label::Book,
    what: What,
}

pub fn draw_request(draw: &mut Draw<'_>) -> DynOperation {
    let permission = if draw.unrestricted && draw.one_in(3) {
        draw.pick(&[None, Some(" "), Some("OWNER"), Some("NONE"), Some("viewer")])
    } else {
        Some(draw.pick(&["OWNER", "EDITOR", "POSTER", " RECORDER ", "VIEWER"]))
    };
    let message = match draw.below(4) {
        0 => Some(" \t".to_owned()),
        1 => Some(" Let me in\n".to_owned()),
        2 if draw.unrestricted => Some("\u{e9}".repeat(draw.pick(&[2_000, 2_001]))),
        _ => None,
    };
    // Also for an unknown book, which must give the same answer.
    let book = if draw.unrestricted && draw.one_in(4) { label::Book(0) } else { draw.book };
    Arc::new(RequestAccess { book, label: draw.label(), permission, message })
}

pub fn draw_decide(draw: &mut Draw<'_>) -> DynOperation {
    let known: Vec<label::AccessRequest> = draw
        .state()
        .map(|book| book.requests.iter().map(|one| one.label).collect())
        .unwrap_or_default();
    let one = if known.is_empty() { label::AccessRequest(0) } else { draw.pick(&known) };
    let what = match draw.below(4) {
        0 => What::Decline(one),
        1 => What::Get(one),
        _ => What::List,
    };
    Arc::new(Decide { book: draw.book, what })
}

impl Operation for RequestAccess {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let (permission, message) = (self.permission, self.message.clone());
        service.write(self.book, caller, move |tx, cx, book| {
            let request = Request { permission, message: message.as_deref(), ..Request::default() };
            access_request::request(tx, cx, book, request)
        })?;
        service.label_access_request(self.book, caller, self.label);
        Ok(Answer::AccessRequests(Vec::new()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let message = self.message.as_deref();
        model.request_access(self.book, caller, self.label, self.permission, message)?;
        Ok(Answer::AccessRequests(Vec::new()))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let silent = RequestAccess { message: None, ..self.clone() };
        self.message.iter().map(|_| Arc::new(silent.clone()) as DynOperation).collect()
    }
}

impl Operation for Decide {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self.what {
            What::List => service.read(self.book, caller, access_request::list)?,
            What::Get(label) => {
                let id = service.access_request_id(label);
                vec![service.read(self.book, caller, |tx, cx, book| {
                    access_request::get(tx, cx, book, &id)
                })?]
            }
            What::Decline(label) => {
                let id = service.access_request_id(label);
                vec![service.write(self.book, caller, move |tx, cx, book| {
                    access_request::decline(tx, cx, book, &id)
                })?]
            }
        };
        Ok(Answer::AccessRequests(found.iter().map(|one| service.access_request(one)).collect()))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let found = match self.what {
            What::List => model.list_requests(self.book, caller)?,
            What::Get(label) => vec![model.get_request(self.book, caller, label)?],
            What::Decline(label) => {
                let decline = |tx: &mut Tx| tx.decline(label);
                vec![model.write(self.book, caller, may::MANAGE, decline)?]
            }
        };
        Ok(Answer::AccessRequests(found))
    }
}
