//! copyBook.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::transaction::Transaction;
use daybook_service::transaction::Request;
use daybook_service::{account, book, collaborator, group, saved_query, transaction};
use jiff::ToSpan as _;

use super::{Drawn, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refused};
use crate::sim::label;
use crate::sim::model::copy::{Copying, first_day};
use crate::sim::model::{Caller, Model, dates};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Copy {
    source: label::Book,
    copying: Copying,
}

/// Each copy multiplies the labels.
const MAX_LABELS: u32 = 1 << 28;

pub fn draw(draw: &mut Draw<'_>) -> Drawn {
    if *draw.last > MAX_LABELS {
        return super::book::draw_read(draw);
    }
    let (book, owner) = (draw.label(), draw.label());
    let labels = *draw.last;
    *draw.last += 2 * labels;
    let from = match draw.below(4) {
        0 => draw.day_of_one(),
        1 => Some(draw.today() - i32::try_from(draw.below(60)).expect("small").days()),
        _ => None,
    };
    let unread = if draw.wild && draw.one_in(4) {
        Some(draw.pick(&["2025-01-01", "20250230", "soon"]).to_owned())
    } else {
        None
    };
    let from = unread.or(from.map(|day| dates::number(day).to_string()));
    let name = if draw.wild && draw.one_in(4) {
        draw.pick(&[None, Some(" ")])
    } else {
        Some(draw.pick(&["Copy", "Household"]))
    };
    let copying = Copying {
        book,
        owner,
        name: name.map(str::to_owned),
        transactions: draw.one_in(2),
        from,
        opening: draw.one_in(2),
        labels,
    };
    Arc::new(Copy { source: draw.book, copying })
}

impl Copy {
    /// Labels what was copied: accounts and groups by their names, saved queries and transactions
    /// by their places in lists.
    fn note(&self, service: &mut Service, caller: &Caller) -> Result<(), Refused> {
        let (source, copying) = (self.source, &self.copying);
        let rows = service.read(copying.book, caller, collaborator::list)?;
        rows.iter().for_each(|row| service.labels.collaborators.note(row.id.get(), copying.owner));
        let accounts = |service: &Service, book| {
            service.read(book, caller, account::list).map(|view| view.accounts)
        };
        let called: HashMap<String, label::Account> = accounts(service, source)?
            .iter()
            .map(|one| (one.name.as_str().to_owned(), service.labels.accounts.label(one.id.get())))
            .collect();
        let mut originals_of = HashMap::new();
        for one in accounts(service, copying.book)? {
            let original = called.get(one.name.as_str());
            let label = original.map_or(copying.opening_account(), |label| copying.account(*label));
            service.labels.accounts.note(one.id.get(), label);
            let is_against = one.name.normalized() == "opening_balances";
            originals_of.extend(original.filter(|_| !is_against).map(|label| (one.id, *label)));
        }
        let groups = |service: &Service, book| {
            service.read(book, caller, group::list).map(|view| view.groups)
        };
        let called: HashMap<String, label::Group> = groups(service, source)?
            .iter()
            .map(|one| (one.name.as_str().to_owned(), service.labels.groups.label(one.id.get())))
            .collect();
        for one in groups(service, copying.book)? {
            let original = called.get(one.name.as_str());
            original
                .into_iter()
                .for_each(|label| service.labels.groups.note(one.id.get(), copying.group(*label)));
        }
        let originals = service.read(source, caller, saved_query::list)?;
        for (original, one) in
            originals.iter().zip(service.read(copying.book, caller, saved_query::list)?)
        {
            let label = service.labels.saved_queries.label(original.id.get());
            service
                .labels
                .saved_queries
                .note(one.id.get(), label::SavedQuery(label.0.saturating_add(copying.labels)));
        }
        if !copying.transactions {
            return Ok(());
        }
        let from = copying.from.as_deref().and_then(|text| first_day(text).ok());
        let originals =
            transactions(service, source, caller)?.into_iter().map(|one| service.transaction(&one));
        let originals: Vec<_> =
            originals.filter(|one| from.is_none_or(|from| one.day >= from)).collect();
        let mut copies = transactions(service, copying.book, caller)?;
        // Those that open accounts are older than all others.
        let openings = copies.split_off(originals.len());
        for one in openings {
            let mut sides = one.credit.into_iter().chain(one.debit);
            let account = sides.find_map(|side| originals_of.get(&side)).expect("its account");
            service.labels.transactions.note(one.id.get(), copying.opening(*account));
        }
        for (original, one) in originals.iter().zip(copies) {
            service.labels.transactions.note(one.id.get(), copying.transaction(original.label));
        }
        Ok(())
    }
}

/// All that are not trashed.
fn transactions(
    service: &Service,
    book: label::Book,
    caller: &Caller,
) -> Result<Vec<Transaction>, Refused> {
    let mut request = Request { limit: Some(1000), ..Request::default() };
    let mut all = Vec::new();
    loop {
        let page =
            service.read(book, caller, |tx, cx, key| transaction::list(tx, cx, key, &request))?;
        all.extend(page.view.transactions);
        request.after = page.next;
        if request.after.is_none() {
            return Ok(all);
        }
    }
}

impl Operation for Copy {
    fn book(&self) -> label::Book {
        self.source
    }

    fn ask(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let Copying { name, transactions, from, opening: opening_balances, .. } =
            self.copying.clone();
        let request = book::Copying {
            name,
            transactions,
            from,
            opening_balances,
            ..book::Copying::default()
        };
        let view = service
            .write(self.source, caller, move |tx, cx, key| book::copy(tx, cx, key, &request))?;
        let made = view.access.book();
        service.labels.keys.insert(self.copying.book, made.key.as_str().to_owned());
        service.labels.owners.insert(self.copying.book, caller.who);
        service.labels.books.note(made.id.get(), self.copying.book);
        self.note(service, caller)?;
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn expect(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.copy_book(self.source, caller, &self.copying).map(|book| Answer::Book(Box::new(book)))
    }

    fn smaller(&self) -> Vec<Drawn> {
        let copying = &self.copying;
        let mut simple = Vec::new();
        simple.extend(copying.from.as_ref().map(|_| Copying { from: None, ..copying.clone() }));
        simple.extend(copying.opening.then(|| Copying { opening: false, ..copying.clone() }));
        simple.extend(
            copying.transactions.then(|| Copying { transactions: false, ..copying.clone() }),
        );
        simple
            .into_iter()
            .map(|copying| Arc::new(Copy { source: self.source, copying }) as Drawn)
            .collect()
    }
}
