//! Operations on access requests.

use std::sync::Arc;

use daybook_service::access_request::{self, Request};

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, Tx, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum AccessRequests {
    Request {
        label: label::AccessRequest,
        permission: Option<&'static str>,
        message: Option<String>,
    },
    List,
    Get(label::AccessRequest),
    Decline(label::AccessRequest),
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
    if draw.unrestricted && draw.one_in(4) {
        draw.book = label::Book(0);
    }
    Arc::new(AccessRequests::Request { label: draw.label(), permission, message })
}

pub fn draw_decide(draw: &mut Draw<'_>) -> DynOperation {
    let known: Vec<_> =
        draw.state().into_iter().flat_map(|book| &book.requests).map(|one| one.label).collect();
    let one = draw.one_of(&known).unwrap_or(label::AccessRequest(0));
    Arc::new(match draw.below(4) {
        0 => AccessRequests::Decline(one),
        1 => AccessRequests::Get(one),
        _ => AccessRequests::List,
    })
}

impl Operation for AccessRequests {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let found = match self {
            AccessRequests::Request { label, permission, message } => {
                let (permission, message) = (*permission, message.clone());
                service.write(caller, move |tx, cx, key| {
                    let message = message.as_deref();
                    let request = Request { permission, message, ..Request::default() };
                    access_request::request(tx, cx, key, request)
                })?;
                service.label_access_request(caller, *label);
                Vec::new()
            }
            AccessRequests::List => service.read(caller, access_request::list)?,
            AccessRequests::Get(label) => {
                let id = service.labels.text(Id::Of(*label));
                vec![service.read(caller, |tx, cx, key| access_request::get(tx, cx, key, &id))?]
            }
            AccessRequests::Decline(label) => {
                let id = service.labels.text(Id::Of(*label));
                vec![
                    service.write(caller, move |tx, cx, key| {
                        access_request::decline(tx, cx, key, &id)
                    })?,
                ]
            }
        };
        answer(service.all(&found, Service::access_request))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            AccessRequests::Request { label, permission, message } => {
                model.request_access(caller, *label, *permission, message.as_deref())?;
                Vec::new()
            }
            AccessRequests::List => model.list_requests(caller)?,
            AccessRequests::Get(label) => vec![model.get_request(caller, *label)?],
            AccessRequests::Decline(label) => {
                let decline = |tx: &mut Tx| tx.decline(*label);
                vec![model.write(caller, may::MANAGE, decline)?]
            }
        })
    }
}
