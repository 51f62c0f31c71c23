//! Operations on integrations.

use std::sync::Arc;

use daybook_domain::integration::{AppReach, Changes};
use daybook_domain::property::Edits;
use daybook_service::integration;

use super::{Drawn, Operation};
use crate::sim::body::Id;
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::integration::Installing;
use crate::sim::model::{Caller, Model, may};
use crate::sim::service::Service;

/// Which books the app reaches, and whether it is sent its own events.
type Reach = (Option<AppReach>, Option<bool>);

#[derive(Clone, Debug)]
enum Deed {
    Install(Installing),
    Update(Option<Id<label::Integration>>, Option<String>, Edits, Reach),
    Uninstall(Id<label::Integration>),
    List,
    ListApps,
}

#[derive(Clone, Debug)]
struct Integrations {
    book: label::Book,
    deed: Deed,
}

pub fn draw_write(draw: &mut Draw<'_>) -> Drawn {
    let name = match draw.below(3) {
        0 => Some(draw.name()),
        1 if draw.one_in(3) => Some(" ".to_owned()),
        _ => None,
    };
    let deed = match draw.below(8) {
        0..5 => Deed::Install(installing(draw, name)),
        5 | 6 => {
            let id = id(draw);
            let id = (!draw.wild || !draw.one_in(6)).then_some(id);
            Deed::Update(id, name, draw.properties(), reach(draw))
        }
        _ => Deed::Uninstall(id(draw)),
    };
    Arc::new(Integrations { book: draw.book, deed })
}

/// An app that is installed in a book from its beginning.
pub fn founding(book: label::Book, label: label::Integration, app: Option<label::App>) -> Drawn {
    let properties = Edits::new();
    let (connection, name, reach, own_events) = (None, None, None, None);
    let asked = Installing { label, app, connection, name, properties, reach, own_events };
    Arc::new(Integrations { book, deed: Deed::Install(asked) })
}

pub fn draw_read(draw: &mut Draw<'_>) -> Drawn {
    let deed = if draw.one_in(2) { Deed::List } else { Deed::ListApps };
    Arc::new(Integrations { book: draw.book, deed })
}

fn installing(draw: &mut Draw<'_>, name: Option<String>) -> Installing {
    let connection = draw.one_in(2).then(|| draw.connection()).filter(|id| {
        // One that nobody has is for wild draws.
        *id != Id::Unknown || draw.wild
    });
    let app = if connection.is_some() && draw.one_in(2) { None } else { Some(draw.app()) };
    let app = app.filter(|_| !draw.wild || !draw.one_in(8));
    let (label, properties, (reach, own_events)) = (draw.label(), draw.properties(), reach(draw));
    Installing { label, app, connection, name, properties, reach, own_events }
}

fn reach(draw: &mut Draw<'_>) -> Reach {
    let reach = draw.one_in(4).then(|| draw.pick(&AppReach::ALL));
    (reach, draw.one_in(3).then(|| draw.one_in(2)))
}

fn id(draw: &mut Draw<'_>) -> Id<label::Integration> {
    let known: Vec<label::Integration> =
        draw.state().map(|book| book.integrations.keys().copied().collect()).unwrap_or_default();
    if known.is_empty() || draw.wild && draw.one_in(4) {
        Id::Unknown
    } else {
        Id::Of(draw.pick(&known))
    }
}

impl Operation for Integrations {
    fn book(&self) -> label::Book {
        self.book
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let view = match &self.deed {
            Deed::Install(asked) => {
                let input = service.installing(asked);
                let made = service.write(self.book, caller, move |tx, cx, book| {
                    integration::create(tx, cx, book, &input)
                })?;
                service.labels.integrations.note(made.integration.id.get(), asked.label);
                made
            }
            Deed::Update(id, name, properties, (reach, own_events)) => {
                let id = id.map(|id| service.integration_id(id));
                let (name, properties) = (name.clone(), properties.clone());
                let (reach, own_events) = (*reach, *own_events);
                let changes = Changes { name, properties, reach, own_events };
                service.write(self.book, caller, move |tx, cx, book| {
                    integration::update(tx, cx, book, id.as_deref(), &changes)
                })?
            }
            Deed::Uninstall(id) => {
                let id = service.integration_id(*id);
                service.write(self.book, caller, move |tx, cx, book| {
                    integration::delete(tx, cx, book, &id)
                })?
            }
            Deed::List => {
                let all = service.read(self.book, caller, integration::list)?;
                let shown = all.iter().map(|one| service.integration(one));
                return Ok(Answer::Integrations(shown.collect()));
            }
            Deed::ListApps => {
                let all = service.read(self.book, caller, integration::list_apps)?;
                return Ok(Answer::Apps(service.apps(&all)));
            }
        };
        Ok(Answer::Integrations(vec![service.integration(&view)]))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let book = self.book;
        Ok(Answer::Integrations(vec![match &self.deed {
            Deed::Install(asked) => model.install(book, caller, asked)?,
            Deed::Update(id, name, properties, reach) => {
                let updated = model.write(book, caller, may::MANAGE, |turn| {
                    turn.update_integration(*id, name.as_deref(), properties, *reach)
                })?;
                // 9.4: that of a bank installs no app.
                if updated.installs_app {
                    model.resume_failing(book, updated.app);
                }
                updated
            }
            Deed::Uninstall(id) => {
                model.write(book, caller, may::MANAGE, |turn| turn.delete_integration(*id))?
            }
            Deed::List => {
                let (found, _) = model.enter(book, caller, may::READ)?;
                return Ok(Answer::Integrations(found.integrations_in_order()));
            }
            Deed::ListApps => return model.list_book_apps(book, caller).map(Answer::Apps),
        }]))
    }
}
