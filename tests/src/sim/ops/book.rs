//! Operations on books.

use std::sync::Arc;

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{CLEARED_DATE, Changes, Period, StartMonth, Visibility};
use daybook_domain::calendar::DatePattern;
use daybook_domain::field::Field;
use daybook_service::{account, book, collaborator, group};
use jiff::ToSpan as _;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::book::NewBook;
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Create(NewBook);

#[derive(Clone, Debug)]
struct Update {
    book: label::Book,
    changes: Changes,
}

#[derive(Clone, Debug)]
enum Read {
    One,
    Chart { accounts: bool, groups: bool },
    All(String),
}

#[derive(Clone, Debug)]
struct Reading {
    book: label::Book,
    read: Read,
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
    Arc::new(Create(NewBook { book, owner, changes, groups, accounts }))
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
        12 => {
            changes.page_size =
                Some(if draw.unrestricted { 0 } else { draw.pick(&[10, 100, 1000]) });
            changes.period = Some(draw.pick(&Period::ALL));
            changes.period_start_month = Some(draw.pick(&StartMonth::all().collect::<Vec<_>>()));
        }
        _ => {}
    }
    changes.properties = draw.properties();
    if draw.one_in(2) {
        let learns = draw.pick(&["true", "true", "True", "yes"]).to_owned();
        changes.properties.insert("learn_from_history".to_owned(), Some(learns));
    }
    Arc::new(Update { book: draw.book, changes })
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
    let read = match draw.below(3) {
        0 => Read::One,
        1 => Read::Chart { accounts: draw.one_in(2), groups: draw.one_in(2) },
        _ => Read::All(draw.pick(&["", "house", "CAFE", "v", "nowhere", "u0"]).to_owned()),
    };
    Arc::new(Reading { book: draw.book, read })
}

impl Operation for Create {
    fn book(&self) -> label::Book {
        self.0.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let new_book = &self.0;
        let changes = new_book.changes.clone();
        let (groups, accounts) =
            (service.group_inputs(&new_book.groups), service.account_inputs(&new_book.accounts));
        let input = book::Input { changes, groups, accounts };
        let view = service.found(caller, move |tx, cx| book::create(tx, cx, input))?;
        let made = view.access.book();
        service.labels.keys.insert(new_book.book, made.key.as_str().to_owned());
        service.labels.owners.insert(new_book.book, caller.who);
        service.labels.books.note(made.id.get(), new_book.book);
        // The response has no ids of embedded resources; their names identify them.
        let rows = service.read(new_book.book, caller, collaborator::list)?;
        rows.iter().for_each(|row| service.labels.collaborators.note(row.id.get(), new_book.owner));
        let found = service.read(new_book.book, caller, group::list)?.groups;
        for body in &new_book.groups {
            let named = found
                .iter()
                .find(|group| body.name.as_deref().map(str::trim) == Some(group.name.as_str()));
            named
                .into_iter()
                .for_each(|group| service.labels.groups.note(group.id.get(), body.label));
        }
        let found = service.read(new_book.book, caller, account::list)?.accounts;
        for body in &new_book.accounts {
            let named = found
                .iter()
                .find(|account| body.name.as_deref().map(str::trim) == Some(account.name.as_str()));
            named
                .into_iter()
                .for_each(|account| service.labels.accounts.note(account.id.get(), body.label));
        }
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.create_book(caller, &self.0).map(|book| Answer::Book(Box::new(book)))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let mut smaller = Vec::new();
        for index in 0..self.0.accounts.len() {
            let mut new_book = self.0.clone();
            new_book.accounts.remove(index);
            smaller.push(new_book);
        }
        for index in 0..self.0.groups.len() {
            let mut new_book = self.0.clone();
            new_book.groups.remove(index);
            smaller.push(new_book);
        }
        smaller.into_iter().map(|new_book| Arc::new(Create(new_book)) as DynOperation).collect()
    }
}

impl Operation for Update {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let changes = self.changes.clone();
        let view = service
            .write(self.book, caller, move |tx, cx, book| book::update(tx, cx, book, changes))?;
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.update_book(self.book, caller, &self.changes).map(|book| Answer::Book(Box::new(book)))
    }
}

impl Operation for Reading {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        match &self.read {
            Read::One => {
                let view = service.read(self.book, caller, |tx, cx, book| {
                    book::get(tx, cx, book, false, false)
                })?;
                Ok(Answer::Book(Box::new(service.book(&view, caller))))
            }
            Read::Chart { accounts, groups } => {
                let view = service.read(self.book, caller, |tx, cx, book| {
                    book::get(tx, cx, book, *accounts, *groups)
                })?;
                let account = |found: account::View| {
                    found.accounts.iter().map(|account| service.account(account)).collect()
                };
                let groups = view.groups.map(|found| service.groups(&found));
                Ok(Answer::Chart { accounts: view.accounts.map(account), groups })
            }
            Read::All(term) => {
                let views =
                    service.read(self.book, caller, |tx, cx, _| book::list(tx, cx, term))?;
                Ok(Answer::Books(views.iter().map(|view| service.book(view, caller)).collect()))
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        match &self.read {
            Read::One => model.get_book(self.book, caller).map(|book| Answer::Book(Box::new(book))),
            Read::Chart { accounts, groups } => {
                model.load_chart(self.book, caller, *accounts, *groups)
            }
            Read::All(term) => Ok(Answer::Books(model.list_books(caller, term))),
        }
    }
}
