//! Delivering, and backlog, replays and responses. The reply of an app is drawn, without a network.

use std::sync::Arc;

use daybook_domain::delivery::ResponseKind;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::delivery::Reply;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
enum Delivery {
    /// Sends everything that waits, with this reply.
    Deliver(Reply),
    Backlog,
    /// Replays events by number, optionally only to apps that responded with an error.
    Replay(Vec<i64>, bool),
    ReplayOne(i64, label::App, Reply),
    DeleteResponse(i64, label::App),
}

/// Draws the work of the server.
pub fn draw_work(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(Delivery::Deliver(reply(draw)))
}

/// Draws the operations of users.
pub fn draw_request(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(8) {
        0 | 1 => Delivery::Backlog,
        2..4 => {
            let events = (0..draw.count()).map(|_| event(draw)).collect();
            Delivery::Replay(events, draw.one_in(2))
        }
        4 | 5 => Delivery::ReplayOne(event(draw), app(draw), reply(draw)),
        _ => {
            // Usually an existing response.
            let known = draw.one_of(&draw.model.answered(draw.book));
            let known = known.filter(|_| !draw.unrestricted);
            let (event, app) = known.unwrap_or_else(|| (event(draw), app(draw)));
            Delivery::DeleteResponse(event, app)
        }
    })
}

fn reply(draw: &mut Draw<'_>) -> Reply {
    draw.pick(&[
        None,
        Some((ResponseKind::Info, "done")),
        Some((ResponseKind::Warning, "look")),
        Some((ResponseKind::Error, "no")),
    ])
}

/// Usually an installed app.
fn app(draw: &mut Draw<'_>) -> label::App {
    let all = draw.state().into_iter().flat_map(|book| book.integrations.values());
    let installed: Vec<label::App> = all.map(|one| one.app).collect();
    let installed = draw.one_of(&installed).filter(|_| !draw.unrestricted);
    installed.unwrap_or_else(|| draw.app())
}

/// Usually one of the latest events.
fn event(draw: &mut Draw<'_>) -> i64 {
    let log = draw.model.logs.get(&draw.book).map_or(0, Vec::len);
    let among = if draw.one_in(3) { log } else { 8 };
    let back = draw.below(among);
    let unknown = usize::from(draw.unrestricted && draw.one_in(6)) * 1_000;
    i64::try_from((log + unknown).saturating_sub(back)).expect("a short log")
}

impl Operation for Delivery {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match self {
            Delivery::Deliver(reply) => answer(service.deliver(*reply, caller.now)?),
            Delivery::Backlog => answer(service.backlog(caller)?),
            Delivery::Replay(events, errors_only) => {
                answer(service.replay(caller, events, *errors_only)?)
            }
            Delivery::ReplayOne(event, app, reply) => {
                answer(service.replay_response(caller, *event, *app, *reply)?)
            }
            Delivery::DeleteResponse(event, app) => {
                answer(service.delete_response(caller, *event, *app)?)
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        match self {
            Delivery::Deliver(reply) => answer(model.deliver(*reply, caller.now)),
            Delivery::Backlog => answer(model.backlog(caller)?),
            Delivery::Replay(events, errors_only) => {
                answer(model.replay(caller, events, *errors_only)?)
            }
            Delivery::ReplayOne(event, app, reply) => {
                answer(model.replay_response(caller, *event, *app, *reply)?)
            }
            Delivery::DeleteResponse(event, app) => {
                answer(model.delete_response(caller, *event, *app)?)
            }
        }
    }
}
