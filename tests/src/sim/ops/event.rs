//! listEvents, over all pages.

use std::sync::Arc;

use daybook_domain::event::EventType;
use daybook_domain::instant::Instant;
use daybook_service::event::Request;
use daybook_service::zone;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Resource, answer};
use crate::sim::model::event::Filter;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct List(Filter, usize);

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let now = draw.caller.now;
    let instant =
        |draw: &mut Draw<'_>| now - i64::try_from(draw.below(90)).expect("small") * 3_600_000;
    let filter = Filter {
        after: draw.one_in(4).then(|| instant(draw)),
        before: draw.one_in(4).then(|| instant(draw)),
        error: draw.one_in(8).then(|| draw.one_in(2)),
        resource: if draw.one_in(3) { resource(draw) } else { None },
        kind: draw.one_in(3).then(|| draw.pick(EventType::ALL)),
    };
    Arc::new(List(filter, draw.pick(&[0, 20, 100, 500])))
}

fn resource(draw: &mut Draw<'_>) -> Option<Resource> {
    match draw.below(6) {
        4 => {
            let all = draw.state()?.integrations.keys().copied().collect::<Vec<_>>();
            draw.one_of(&all).map(Resource::Integration)
        }
        0 => draw.account().map(Resource::Account),
        1 => draw.group().map(Resource::Group),
        3 => draw.file().map(Resource::File),
        2 => draw.transaction(|_| true).map(Resource::Transaction),
        _ => Some(Resource::Book(draw.book)),
    }
}

impl Operation for List {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let List(Filter { after, before, error, resource, kind }, limit) = self;
        let instant = |at: &i64| zone::rfc3339(Instant::new(*at));
        let request = Request {
            after: after.as_ref().map(instant),
            before: before.as_ref().map(instant),
            error: *error,
            resource: resource.map(|resource| service.resource_id(resource)),
            kind: kind.map(|kind| kind.as_str().to_owned()),
            limit: Some(*limit),
            canonical: false,
            below: None,
        };
        let pages = service.list_events(caller, request)?;
        let seen = pages.iter().flat_map(|page| service.events_seen(page));
        answer(seen.collect::<Vec<_>>())
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.list_events(caller, &self.0)?)
    }
}
