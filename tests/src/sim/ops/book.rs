//! Operations on books.

use std::sync::Arc;

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{CLEARED_DATE, Changes, Visibility};
use daybook_domain::calendar::DatePattern;
use daybook_domain::field::Field;
use daybook_service::{account, book, group};
use jiff::ToSpan as _;

use super::{DynOperation, Operation, fewer, variants};
use crate::sim::body::{AccountBody, GroupBody};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, answer};
use crate::sim::label;
use crate::sim::model::book::NewBook;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Update(Changes);

#[derive(Clone, Debug)]
enum Read {
    One,
    Chart { accounts: bool, groups: bool },
    All(String),
}

pub const ZONES: [&str; 6] = [
    "UTC",
    "America/Sao_Paulo",
    "Asia/Tokyo",
    "Europe/Berlin",
    "Pacific/Auckland",
    "America/New_York",
];

/// A book with an initial chart.
pub fn draw_create(draw: &mut Draw<'_>, book: label::Book) -> DynOperation {
    let owner = draw.label();
    let changes = Changes {
        name: Some(draw.pick(&["Household", "Café", "Trading"]).to_owned()),
        auto_post: draw.one_in(6).then_some(false),
        fraction_digits: draw.one_in(3).then(|| draw.pick(&[0, 1, 3, 4, 8])),
        time_zone: draw.one_in(3).then(|| draw.pick(&ZONES).to_owned()),
        decimal_separator: draw.one_in(4).then_some(DecimalSeparator::Comma),
        ..Changes::default()
    };
    let count = draw.below(4);
    let groups = (0..count).map(|_| draw.new_group()).collect();
    let accounts = (0..6).map(|_| draw.new_account()).collect();
    Arc::new(NewBook { book, owner, changes, groups, accounts })
}

pub fn draw_update(draw: &mut Draw<'_>) -> DynOperation {
    let mut changes = Changes::default();
    match draw.below(14) {
        0 | 1 => changes.lock_date = date(draw),
        2 => changes.closing_date = date(draw),
        3 | 4 => {
            changes.fraction_digits = Some(if draw.unrestricted {
                draw.pick(&[-1, 9, 12])
            } else {
                draw.pick(&[0, 1, 2, 2, 3, 4, 8])
            })
        }
        5 | 6 => changes.auto_post = Some(!draw.one_in(3)),
        7 => {
            changes.time_zone = Some(
                draw.pick(if draw.unrestricted { &["Mars/Olympus"] } else { &ZONES }).to_owned(),
            )
        }
        8 => {
            changes.decimal_separator =
                Some(draw.pick(&[DecimalSeparator::Dot, DecimalSeparator::Comma]))
        }
        9 => changes.date_pattern = Some(draw.pick(&DatePattern::ALL)),
        10 => {
            changes.visibility =
                Some(draw.pick(&[Visibility::Public, Visibility::Private, Visibility::Private]))
        }
        11 => changes.name = Some(draw.name()),
        _ => {}
    }
    changes.properties = draw.properties();
    if draw.one_in(2) {
        let learns = draw.pick(&["true", "true", "True", "yes"]).to_owned();
        changes.properties.insert("learn_from_history".to_owned(), Some(learns));
    }
    Arc::new(Update(changes))
}

/// A lock date: usually in the past and often cleared, so that books do not stay locked.
fn date(draw: &mut Draw<'_>) -> Field<String> {
    match draw.below(5) {
        0 => Field::Clear,
        1 => Field::Set(CLEARED_DATE.to_owned()),
        2 if draw.unrestricted => Field::Set("2025-00-00".to_owned()),
        // The day of a transaction.
        2 => draw.day_of_one().map_or(Field::Clear, |day| Field::Set(day.to_string())),
        _ => {
            let back = i32::try_from(draw.below(400)).expect("small");
            Field::Set((draw.today() - back.days()).to_string())
        }
    }
}

pub fn draw_read(draw: &mut Draw<'_>) -> DynOperation {
    Arc::new(match draw.below(3) {
        0 => Read::One,
        1 => Read::Chart { accounts: draw.one_in(2), groups: draw.one_in(2) },
        _ => Read::All(draw.pick(&["", "house", "CAFE", "v", "nowhere", "u0"]).to_owned()),
    })
}

impl Operation for NewBook {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let (changes, groups, accounts) = (
            self.changes.clone(),
            service.group_inputs(&self.groups),
            service.account_inputs(&self.accounts),
        );
        let input = book::Input { changes, groups, accounts };
        let view = service.found(caller, move |tx, cx| book::create(tx, cx, input))?;
        service.label_new_book(caller, self.book, self.owner, &view)?;
        // The response has no ids of embedded resources; their names identify them.
        let inside = Caller { book: self.book, ..caller.clone() };
        for one in service.read(&inside, group::list)?.groups {
            let named =
                |body: &&GroupBody| body.name.as_deref().map(str::trim) == Some(one.name.as_str());
            let body = self.groups.iter().find(named).expect("the group of a body");
            service.labels.note(one.id.get(), body.label);
        }
        for one in service.read(&inside, account::list)?.accounts {
            let named = |body: &&AccountBody| {
                body.name.as_deref().map(str::trim) == Some(one.name.as_str())
            };
            let body = self.accounts.iter().find(named).expect("the account of a body");
            service.labels.note(one.id.get(), body.label);
        }
        answer(service.book(&view, caller))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.create_book(caller, self)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let accounts = fewer(&self.accounts).into_iter();
        let accounts = accounts.map(|accounts| NewBook { accounts, ..self.clone() });
        let groups = fewer(&self.groups).into_iter();
        let groups = groups.map(|groups| NewBook { groups, ..self.clone() });
        variants(accounts.chain(groups))
    }
}

impl Operation for Update {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let changes = self.0.clone();
        let view = service.write(caller, move |tx, cx, key| book::update(tx, cx, key, changes))?;
        answer(service.book(&view, caller))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.update_book(caller, &self.0)?)
    }
}

impl Operation for Read {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match self {
            Read::One => {
                let view =
                    service.read(caller, |tx, cx, key| book::get(tx, cx, key, false, false))?;
                answer(service.book(&view, caller))
            }
            Read::Chart { accounts, groups } => {
                let view = service
                    .read(caller, |tx, cx, key| book::get(tx, cx, key, *accounts, *groups))?;
                let accounts = view.accounts.map(|found| service.accounts(&found));
                answer((accounts, view.groups.map(|found| service.groups(&found))))
            }
            Read::All(term) => {
                let views = service.read(caller, |tx, cx, _| book::list(tx, cx, term))?;
                answer(service.all(&views, |service, view| service.book(view, caller)))
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        match self {
            Read::One => answer(model.get_book(caller)?),
            Read::Chart { accounts, groups } => {
                answer(model.load_chart(caller, *accounts, *groups)?)
            }
            Read::All(term) => answer(model.list_books(caller, term)),
        }
    }
}
