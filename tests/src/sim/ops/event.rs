//! listEvents, over all pages.

use std::sync::Arc;

use daybook_domain::event::EventType;
use daybook_domain::instant::Instant;
use daybook_service::event::{self, Request};
use daybook_service::zone;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Resource};
use crate::sim::label;
use crate::sim::model::event::Filter;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct List {
    book: label::Book,
    filter: Filter,
    limit: usize,
}

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
    Arc::new(List { book: draw.book, filter, limit: draw.pick(&[0, 20, 100, 500]) })
}

fn resource(draw: &mut Draw<'_>) -> Option<Resource> {
    match draw.below(6) {
        4 => {
            let all = draw.state()?.integrations.keys().copied().collect::<Vec<_>>();
            (!all.is_empty()).then(|| Resource::Integration(draw.pick(&all)))
        }
        0 => draw.account().map(Resource::Account),
        1 => draw.group().map(Resource::Group),
        3 => draw.file().map(Resource::File),
        2 => draw.transaction(|_| true).map(Resource::Transaction),
        _ => Some(Resource::Book(draw.book)),
    }
}

impl Operation for List {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let Filter { after, before, error, resource, kind } = &self.filter;
        let instant = |at: &i64| zone::rfc3339(Instant::new(*at));
        let (after, before) = (after.as_ref().map(instant), before.as_ref().map(instant));
        let resource = resource.map(|resource| service.resource_id(resource));
        let mut request = Request {
            after,
            before,
            error: *error,
            resource,
            kind: kind.map(|kind| kind.as_str().to_owned()),
            limit: Some(self.limit),
            below: None,
        };
        let mut pages = Vec::new();
        loop {
            let page = service
                .read(self.book, caller, |tx, cx, book| event::list(tx, cx, book, &request))?;
            pages.push(service.events_seen(&page));
            request.below = page.next;
            if request.below.is_none() {
                return Ok(Answer::Events(pages));
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.list_events(self.book, caller, &self.filter, self.limit).map(Answer::Events)
    }
}
