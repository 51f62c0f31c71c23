//! Backlog, replays and responses, and the work of the server and its operator: delivering, pausing
//! and giving up. The reply of an app is drawn, without a network.

use std::sync::Arc;

use daybook_domain::delivery::ResponseKind;

use super::{DynOperation, Operation, fewer};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::delivery::{Reply, Sent};
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

/// Milliseconds between two rounds: longer than the longest delay after a failure.
const ROUND: i64 = 100_000;
/// A period in which the apps are mostly up, or mostly down: 60 days.
const MONTHS: i64 = 60 * 24 * 3_600_000;

#[derive(Clone, Debug)]
enum Call {
    /// Sends everything that is due, with this reply, in a number of rounds.
    Deliver(Reply, i64),
    /// Gives up events that have waited too long for a paused app.
    GiveUp,
    Pause(label::App),
    Resume(label::App),
    Backlog,
    /// Lists the attempts to deliver to an app, with a page size.
    Attempts(label::App, usize),
    /// Replays events by number, optionally only to apps that responded with an error.
    Replay(Vec<i64>, bool),
    ReplayOne(i64, label::App, Reply),
    DeleteResponse(i64, label::App),
}

#[derive(Clone, Debug)]
struct Delivering {
    book: label::Book,
    call: Call,
}

/// Draws the work of the server and its operator.
pub fn draw_work(draw: &mut Draw<'_>) -> DynOperation {
    let call = match draw.below(10) {
        0 => Call::Pause(app(draw)),
        1 => Call::Resume(app(draw)),
        2 => Call::GiveUp,
        _ => Call::Deliver(reply(draw), draw.pick(&[1, 1, 5])),
    };
    Arc::new(Delivering { book: draw.book, call })
}

/// Draws the operations of users.
pub fn draw_request(draw: &mut Draw<'_>) -> DynOperation {
    let call = match draw.below(9) {
        0 | 1 => Call::Backlog,
        8 => Call::Attempts(app(draw), draw.pick(&[0, 1, 7, 500])),
        2..4 => {
            let events = (0..draw.count()).map(|_| event(draw)).collect();
            Call::Replay(events, draw.one_in(2))
        }
        4 | 5 => Call::ReplayOne(event(draw), app(draw), reply(draw)),
        _ => answered(draw),
    };
    Arc::new(Delivering { book: draw.book, call })
}

/// Apps are mostly up in some periods and mostly down in others.
fn reply(draw: &mut Draw<'_>) -> Reply {
    if draw.caller.now / MONTHS % 2 == 0 && !draw.one_in(6) {
        return Reply::Failed;
    }
    match draw.below(10) {
        0..2 => Reply::Accepted(None),
        2..4 => Reply::Accepted(Some((ResponseKind::Info, "done"))),
        4 => Reply::Accepted(Some((ResponseKind::Warning, "look"))),
        5 => Reply::Accepted(Some((ResponseKind::Error, "no"))),
        6..8 => Reply::Failed,
        8 => Reply::Busy(None),
        _ => Reply::Busy(Some(draw.pick(&[0, 30, 100_000]))),
    }
}

/// Usually an installed app.
fn app(draw: &mut Draw<'_>) -> label::App {
    let all = draw.state().into_iter().flat_map(|book| book.integrations.values());
    let installed: Vec<label::App> = all.map(|one| one.app).collect();
    if installed.is_empty() || draw.unrestricted { draw.app() } else { draw.pick(&installed) }
}

/// Usually one of the latest events.
fn event(draw: &mut Draw<'_>) -> i64 {
    let log = draw.model.logs.get(&draw.book).map_or(0, Vec::len);
    let among = if draw.one_in(3) { log } else { 8 };
    let back = draw.below(among);
    let unknown = usize::from(draw.unrestricted && draw.one_in(6)) * 1_000;
    i64::try_from((log + unknown).saturating_sub(back)).expect("a short log")
}

/// Usually an existing response.
fn answered(draw: &mut Draw<'_>) -> Call {
    let all = draw.model.answered(draw.book);
    if all.is_empty() || draw.unrestricted {
        return Call::DeleteResponse(event(draw), app(draw));
    }
    let (event, app) = draw.pick(&all);
    Call::DeleteResponse(event, app)
}

impl Operation for Delivering {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let book = self.book;
        let seen = match &self.call {
            Call::Deliver(reply, rounds) => {
                let mut sent = Sent::new();
                for round in 0..*rounds {
                    service.deliver(*reply, caller.now + round * ROUND, &mut sent)?;
                }
                return Ok(Answer::Sent(sent));
            }
            Call::GiveUp => {
                service.give_up(caller)?;
                return Ok(Answer::Done);
            }
            Call::Pause(app) => return flag(service.pause(book, caller, *app)),
            Call::Resume(app) => return flag(service.resume(book, caller, *app)?),
            Call::Backlog => return Ok(Answer::Count(service.backlog(book, caller)?, Vec::new())),
            Call::Attempts(app, limit) => {
                return service.attempts(book, caller, *app, *limit).map(Answer::Attempts);
            }
            Call::Replay(events, errors_only) => {
                service.replay(book, caller, events, *errors_only)?;
                return Ok(Answer::Done);
            }
            Call::ReplayOne(event, app, reply) => {
                service.replay_response(book, caller, *event, *app, *reply)?
            }
            Call::DeleteResponse(event, app) => {
                service.delete_response(book, caller, *event, *app)?
            }
        };
        Ok(Answer::Events(vec![vec![seen]]))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = self.book;
        let seen = match &self.call {
            Call::Deliver(reply, rounds) => {
                let mut sent = Sent::new();
                for round in 0..*rounds {
                    model.deliver(*reply, caller.now + round * ROUND, &mut sent);
                }
                return Ok(Answer::Sent(sent));
            }
            Call::GiveUp => {
                model.give_up(caller.now);
                return Ok(Answer::Done);
            }
            Call::Pause(app) => return flag(model.pause_app(book, *app, caller.now)),
            Call::Resume(app) => return flag(model.resume_app(book, *app)),
            Call::Backlog => return Ok(Answer::Count(model.backlog(book, caller)?, Vec::new())),
            Call::Attempts(app, limit) => {
                return model.attempts(book, caller, *app, *limit).map(Answer::Attempts);
            }
            Call::Replay(events, errors_only) => {
                model.replay(book, caller, events, *errors_only)?;
                return Ok(Answer::Done);
            }
            Call::ReplayOne(event, app, reply) => {
                model.replay_response(book, caller, *event, *app, *reply)?
            }
            Call::DeleteResponse(event, app) => {
                model.delete_response(book, caller, *event, *app)?
            }
        };
        Ok(Answer::Events(vec![vec![seen]]))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        if let Call::Deliver(reply, 2..) = &self.call {
            let call = Call::Deliver(*reply, 1);
            return vec![Arc::new(Delivering { book: self.book, call })];
        }
        let Call::Replay(events, errors_only) = &self.call else { return Vec::new() };
        let less = fewer(events).into_iter();
        let less = less.map(|events| Call::Replay(events, *errors_only));
        less.map(|call| Arc::new(Delivering { book: self.book, call }) as DynOperation).collect()
    }
}

fn flag(done: bool) -> Outcome {
    if done { Ok(Answer::Done) } else { Err(Refusal::missing()) }
}
