//! Operations on comments.

use std::sync::Arc;

use daybook_service::comment::{self, View};

use super::{DynOperation, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Comments {
    Create(label::Comment, Id<label::Transaction>, String),
    Delete(Id<label::Transaction>, Id<label::Comment>),
    List(Id<label::Transaction>),
}

const TEXTS: [&str; 3] = ["Who paid?", " A receipt\nis missing. ", "é"];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let any = draw.transaction(|_| true).map_or(Id::Unknown, Id::Of);
    Arc::new(match draw.below(6) {
        0..3 => Comments::Create(draw.label(), any, text(draw)),
        3 => delete(draw),
        _ => {
            let commented = draw.transaction(|one| one.comments > 0);
            Comments::List(commented.map_or(any, Id::Of))
        }
    })
}

fn text(draw: &mut Draw<'_>) -> String {
    match draw.below(10) {
        0 if draw.unrestricted => " \n".to_owned(),
        1 if draw.unrestricted => "é".repeat(2_001),
        _ => draw.pick(&TEXTS).to_owned(),
    }
}

fn delete(draw: &mut Draw<'_>) -> Comments {
    let known: Vec<(label::Transaction, label::Comment)> = draw
        .state()
        .map(|book| book.comments.values().map(|one| (one.transaction, one.label)).collect())
        .unwrap_or_default();
    let Some((of, comment)) = draw.one_of(&known) else {
        return Comments::Delete(Id::Unknown, Id::Unknown);
    };
    let of = if draw.unrestricted { draw.transaction(|_| true).unwrap_or(of) } else { of };
    Comments::Delete(Id::Of(of), Id::Of(comment))
}

impl Operation for Comments {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view: View = match self {
            Comments::Create(label, of, text) => {
                let (of, text) = (service.labels.text(*of), text.clone());
                let view = service.write(caller, move |tx, cx, key| {
                    comment::create(tx, cx, key, &of, Some(&text))
                })?;
                view.comments.iter().for_each(|one| service.labels.note(one.id.get(), *label));
                view
            }
            Comments::Delete(of, id) => {
                let (of, id) = (service.labels.text(*of), service.labels.text(*id));
                service.write(caller, move |tx, cx, key| comment::delete(tx, cx, key, &of, &id))?
            }
            Comments::List(of) => {
                let of = service.labels.text(*of);
                service.read(caller, |tx, cx, key| comment::list(tx, cx, key, &of))?
            }
        };
        answer(service.all(&view.comments, Service::comment))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(match self {
            Comments::Create(label, of, text) => {
                vec![model.write(caller, may::READ_TRANSACTIONS, |tx| {
                    tx.create_comment(*label, *of, text)
                })?]
            }
            Comments::Delete(of, id) => {
                vec![
                    model
                        .write(caller, may::READ_TRANSACTIONS, |tx| tx.delete_comment(*of, *id))?,
                ]
            }
            Comments::List(of) => model.list_comments(caller, *of)?,
        })
    }
}
