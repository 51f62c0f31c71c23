//! The backlog, replays and responses; and what the server and its operator do: they deliver, pause
//! and give up. The apps are no servers: what one answers is drawn.

use std::sync::Arc;

use daybook_domain::delivery::ResponseKind;

use super::{Drawn, Operation, fewer};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refused};
use crate::sim::label;
use crate::sim::model::delivery::{Reply, Sent};
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

/// Milliseconds between two rounds: more than the longest pause after a failure.
const ROUND: i64 = 100_000;
/// For so long the apps are up, or down: 60 days.
const MONTHS: i64 = 60 * 24 * 3_600_000;

#[derive(Clone, Debug)]
enum Deed {
    /// All that is due is sent, and answered like this, in so many rounds.
    Deliver(Reply, i64),
    /// What has waited too long for a paused app is given up.
    GiveUp,
    Pause(label::App),
    Resume(label::App),
    Backlog,
    /// The attempts to deliver to an app, and how many on a page.
    Attempts(label::App, usize),
    /// By the numbers of events; to those with an error only.
    Replay(Vec<i64>, bool),
    ReplayOne(i64, label::App, Reply),
    DeleteResponse(i64, label::App),
}

#[derive(Clone, Debug)]
struct Delivering {
    book: label::Book,
    deed: Deed,
}

/// What the server does, and its operator.
pub fn draw_work(draw: &mut Draw<'_>) -> Drawn {
    let deed = match draw.below(10) {
        0 => Deed::Pause(app(draw)),
        1 => Deed::Resume(app(draw)),
        2 => Deed::GiveUp,
        _ => Deed::Deliver(reply(draw), draw.pick(&[1, 1, 5])),
    };
    Arc::new(Delivering { book: draw.book, deed })
}

/// What users ask.
pub fn draw_ask(draw: &mut Draw<'_>) -> Drawn {
    let deed = match draw.below(9) {
        0 | 1 => Deed::Backlog,
        8 => Deed::Attempts(app(draw), draw.pick(&[0, 1, 7, 500])),
        2..4 => {
            let events = (0..draw.count()).map(|_| event(draw)).collect();
            Deed::Replay(events, draw.one_in(2))
        }
        4 | 5 => Deed::ReplayOne(event(draw), app(draw), reply(draw)),
        _ => answered(draw),
    };
    Arc::new(Delivering { book: draw.book, deed })
}

/// In some months nearly all is well, in others the apps are down.
fn reply(draw: &mut Draw<'_>) -> Reply {
    if draw.caller.now / MONTHS % 2 == 0 && !draw.one_in(6) {
        return Reply::Failed;
    }
    match draw.below(10) {
        0..2 => Reply::Fine(None),
        2..4 => Reply::Fine(Some((ResponseKind::Info, "done"))),
        4 => Reply::Fine(Some((ResponseKind::Warning, "look"))),
        5 => Reply::Fine(Some((ResponseKind::Error, "no"))),
        6..8 => Reply::Failed,
        8 => Reply::Busy(None),
        _ => Reply::Busy(Some(draw.pick(&[0, 30, 100_000]))),
    }
}

/// Mostly one that is installed.
fn app(draw: &mut Draw<'_>) -> label::App {
    let all = draw.state().into_iter().flat_map(|book| book.integrations.values());
    let installed: Vec<label::App> = all.map(|one| one.app).collect();
    if installed.is_empty() || draw.wild { draw.app() } else { draw.pick(&installed) }
}

/// Mostly one of the last events.
fn event(draw: &mut Draw<'_>) -> i64 {
    let log = draw.model.logs.get(&draw.book).map_or(0, Vec::len);
    let among = if draw.one_in(3) { log } else { 8 };
    let back = draw.below(among);
    let unknown = usize::from(draw.wild && draw.one_in(6)) * 1_000;
    i64::try_from((log + unknown).saturating_sub(back)).expect("a short log")
}

/// Mostly a response that there is.
fn answered(draw: &mut Draw<'_>) -> Deed {
    let all = draw.model.answered(draw.book);
    if all.is_empty() || draw.wild {
        return Deed::DeleteResponse(event(draw), app(draw));
    }
    let (event, app) = draw.pick(&all);
    Deed::DeleteResponse(event, app)
}

impl Operation for Delivering {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let book = self.book;
        let seen = match &self.deed {
            Deed::Deliver(reply, rounds) => {
                let mut sent = Sent::new();
                for round in 0..*rounds {
                    service.deliver((*reply, caller.now + round * ROUND), &mut sent)?;
                }
                return Ok(Answer::Sent(sent));
            }
            Deed::GiveUp => {
                service.give_up(caller)?;
                return Ok(Answer::Done);
            }
            Deed::Pause(app) => return flag(service.pause(book, caller, *app)),
            Deed::Resume(app) => return flag(service.resume(book, caller, *app)?),
            Deed::Backlog => return Ok(Answer::Count(service.backlog(book, caller)?, Vec::new())),
            Deed::Attempts(app, limit) => {
                return service.attempts(book, caller, (*app, *limit)).map(Answer::Attempts);
            }
            Deed::Replay(events, errors_only) => {
                service.replay(book, caller, (events, *errors_only))?;
                return Ok(Answer::Done);
            }
            Deed::ReplayOne(event, app, reply) => {
                service.replay_response(book, caller, (*event, *app, *reply))?
            }
            Deed::DeleteResponse(event, app) => {
                service.delete_response(book, caller, (*event, *app))?
            }
        };
        Ok(Answer::Events(vec![vec![seen]]))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = self.book;
        let seen = match &self.deed {
            Deed::Deliver(reply, rounds) => {
                let mut sent = Sent::new();
                for round in 0..*rounds {
                    model.deliver((*reply, caller.now + round * ROUND), &mut sent);
                }
                return Ok(Answer::Sent(sent));
            }
            Deed::GiveUp => {
                model.give_up(caller.now);
                return Ok(Answer::Done);
            }
            Deed::Pause(app) => return flag(model.pause_app(book, *app, caller.now)),
            Deed::Resume(app) => return flag(model.resume_app(book, *app)),
            Deed::Backlog => return Ok(Answer::Count(model.backlog(book, caller)?, Vec::new())),
            Deed::Attempts(app, limit) => {
                return model.attempts(book, caller, (*app, *limit)).map(Answer::Attempts);
            }
            Deed::Replay(events, errors_only) => {
                model.replay(book, caller, (events, *errors_only))?;
                return Ok(Answer::Done);
            }
            Deed::ReplayOne(event, app, reply) => {
                model.replay_response(book, caller, (*event, *app, *reply))?
            }
            Deed::DeleteResponse(event, app) => {
                model.delete_response(book, caller, (*event, *app))?
            }
        };
        Ok(Answer::Events(vec![vec![seen]]))
    }

    fn smaller(&self) -> Vec<Drawn> {
        if let Deed::Deliver(reply, 2..) = &self.deed {
            let deed = Deed::Deliver(*reply, 1);
            return vec![Arc::new(Delivering { book: self.book, deed })];
        }
        let Deed::Replay(events, errors_only) = &self.deed else { return Vec::new() };
        let less = fewer(events).into_iter();
        let less = less.map(|events| Deed::Replay(events, *errors_only));
        less.map(|deed| Arc::new(Delivering { book: self.book, deed }) as Drawn).collect()
    }
}

fn flag(done: bool) -> Outcome {
    if done { Ok(Answer::Done) } else { Err(Refused::missing()) }
}
