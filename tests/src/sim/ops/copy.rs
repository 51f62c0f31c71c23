//! copyBook.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::transaction::Transaction;
use daybook_service::transaction::Request;
use daybook_service::{account, book, collaborator, group, saved_query, transaction};
use jiff::ToSpan as _;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Answer, Outcome, Refusal};
use crate::sim::label;
use crate::sim::model::copy::{CopyOptions, first_day};
use crate::sim::model::{Caller, Model, dates};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct Copy {
    source: label::Book,
    options: CopyOptions,
}

/// Each copy multiplies the labels, so copies stop at this one.
const MAX_LABELS: u32 = 1 << 28;

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
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
    let unread = if draw.unrestricted && draw.one_in(4) {
        Some(draw.pick(&["2025-01-01", "20250230", "soon"]).to_owned())
    } else {
        None
    };
    let from = unread.or(from.map(|day| dates::number(day).to_string()));
    let name = if draw.unrestricted && draw.one_in(4) {
        draw.pick(&[None, Some(" ")])
    } else {
        Some(draw.pick(&["Copy", "Household"]))
    };
    let options = CopyOptions {
        book,
        owner,
        name: name.map(str::to_owned),
        transactions: draw.one_in(2),
        from,
        opening: draw.one_in(2),
        labels,
    };
    Arc::new(Copy { source: draw.book, options })
}

impl Copy {
    /// Labels the copied resources: accounts and groups by name, saved queries and transactions by
    /// their position in lists.
    fn note(&self, service: &mut Service, caller: &Caller) -> Result<(), Refusal> {
        let (source, options) = (self.source, &self.options);
        let rows = service.read(options.book, caller, collaborator::list)?;
        rows.iter().for_each(|row| service.labels.collaborators.note(row.id.get(), options.owner));
        let accounts = |service: &Service, book| {
            service.read(book, caller, account::list).map(|view| view.accounts)
        };
        let called: HashMap<String, label::Account> = accounts(service, source)?
            .iter()
            .map(|one| (one.name.as_str().to_owned(), service.labels.accounts.label(one.id.get())))
            .collect();
        let mut originals_of = HashMap::new();
        for one in accounts(service, options.book)? {
            let original = called.get(one.name.as_str());
            let label = original.map_or(options.opening_account(), |label| options.account(*label));
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
        for one in groups(service, options.book)? {
            let original = called.get(one.name.as_str());
            original
                .into_iter()
                .for_each(|label| service.labels.groups.note(one.id.get(), options.group(*label)));
        }
        let originals = service.read(source, caller, saved_query::list)?;
        for (original, one) in
            originals.iter().zip(service.read(options.book, caller, saved_query::list)?)
        {
            let label = service.labels.saved_queries.label(original.id.get());
            service
                .labels
                .saved_queries
                .note(one.id.get(), label::SavedQuery(label.0.saturating_add(options.labels)));
        }
        if !options.transactions {
            return Ok(());
        }
        let from = options.from.as_deref().and_then(|text| first_day(text).ok());
        let originals =
            transactions(service, source, caller)?.into_iter().map(|one| service.transaction(&one));
        let originals: Vec<_> =
            originals.filter(|one| from.is_none_or(|from| one.day >= from)).collect();
        let mut copies = transactions(service, options.book, caller)?;
        // Opening balances are older than all other transactions.
        let openings = copies.split_off(originals.len());
        for one in openings {
            let mut sides = one.credit.into_iter().chain(one.debit);
            let account = sides.find_map(|side| originals_of.get(&side)).expect("its account");
            service.labels.transactions.note(one.id.get(), options.opening(*account));
        }
        for (original, one) in originals.iter().zip(copies) {
            service.labels.transactions.note(one.id.get(), options.transaction(original.label));
        }
        Ok(())
    }
}

/// All transactions that are not trashed.
fn transactions(
    service: &Service,
    book: label::Book,
    caller: &Caller,
) -> Result<Vec<Transaction>, Refusal> {
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

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let CopyOptions { name, transactions, from, opening: opening_balances, .. } =
            self.options.clone();
        let request = book::CopyRequest {
            name,
            transactions,
            from,
            opening_balances,
            ..book::CopyRequest::default()
        };
        let view = service
            .write(self.source, caller, move |tx, cx, key| book::copy(tx, cx, key, &request))?;
        let made = view.access.book();
        service.labels.keys.insert(self.options.book, made.key.as_str().to_owned());
        service.labels.owners.insert(self.options.book, caller.who);
        service.labels.books.note(made.id.get(), self.options.book);
        self.note(service, caller)?;
        Ok(Answer::Book(Box::new(service.book(&view, caller))))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        model.copy_book(self.source, caller, &self.options).map(|book| Answer::Book(Box::new(book)))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let options = &self.options;
        let mut simple = Vec::new();
        simple.extend(options.from.as_ref().map(|_| CopyOptions { from: None, ..options.clone() }));
        simple.extend(options.opening.then(|| CopyOptions { opening: false, ..options.clone() }));
        simple.extend(
            options.transactions.then(|| CopyOptions { transactions: false, ..options.clone() }),
        );
        simple
            .into_iter()
            .map(|options| Arc::new(Copy { source: self.source, options }) as DynOperation)
            .collect()
    }
}
