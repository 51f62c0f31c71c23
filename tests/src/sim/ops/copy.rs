//! copyBook.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::transaction::Transaction;
use daybook_service::{account, book, group, saved_query};
use jiff::ToSpan as _;

use super::{DynOperation, Operation};
use crate::sim::draw::Draw;
use crate::sim::facts::{Outcome, Refusal, answer};
use crate::sim::label;
use crate::sim::model::copy::{CopyOptions, first_day};
use crate::sim::model::{Caller, Model, dates};
use crate::sim::service::Service;

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
    Arc::new(CopyOptions {
        book,
        owner,
        name: name.map(str::to_owned),
        transactions: draw.one_in(2),
        from,
        opening: draw.one_in(2),
        labels,
    })
}

/// Labels the copied resources: accounts and groups by name, saved queries and transactions by
/// their position in lists.
fn label_copies(
    options: &CopyOptions,
    service: &mut Service,
    source: &Caller,
) -> Result<(), Refusal> {
    let copy = &Caller { book: options.book, ..source.clone() };
    let mut labels: HashMap<String, label::Account> = HashMap::new();
    for one in service.read(source, account::list)?.accounts {
        labels.insert(one.name.as_str().to_owned(), service.labels.label(one.id.get()));
    }
    let mut originals_of = HashMap::new();
    for one in service.read(copy, account::list)?.accounts {
        let original = labels.get(one.name.as_str()).copied();
        let label = original.map_or(options.opening_account(), |label| options.account(label));
        service.labels.note(one.id.get(), label);
        let is_against = one.name.normalized() == "opening_balances";
        originals_of.extend(original.filter(|_| !is_against).map(|label| (one.id, label)));
    }
    let mut labels: HashMap<String, label::Group> = HashMap::new();
    for one in service.read(source, group::list)?.groups {
        labels.insert(one.name.as_str().to_owned(), service.labels.label(one.id.get()));
    }
    for one in service.read(copy, group::list)?.groups {
        if let Some(label) = labels.get(one.name.as_str()) {
            service.labels.note(one.id.get(), options.group(*label));
        }
    }
    let originals = service.read(source, saved_query::list)?;
    for (original, one) in originals.iter().zip(service.read(copy, saved_query::list)?) {
        let label: label::SavedQuery = service.labels.label(original.id.get());
        let label = label::SavedQuery(label.0.saturating_add(options.labels));
        service.labels.note(one.id.get(), label);
    }
    if !options.transactions {
        return Ok(());
    }
    let from = options.from.as_deref().and_then(|text| first_day(text).ok());
    let mut originals = service.all(&transactions(service, source)?, Service::transaction);
    originals.retain(|one| from.is_none_or(|from| one.day >= from));
    let mut copies = transactions(service, copy)?;
    // Opening balances are older than all other transactions.
    let openings = copies.split_off(originals.len());
    for one in openings {
        let mut sides = one.credit.into_iter().chain(one.debit);
        let account = sides.find_map(|side| originals_of.get(&side)).expect("its account");
        service.labels.note(one.id.get(), options.opening(*account));
    }
    for (original, one) in originals.iter().zip(copies) {
        service.labels.note(one.id.get(), options.transaction(original.label));
    }
    Ok(())
}

/// All transactions that are not trashed.
fn transactions(service: &Service, caller: &Caller) -> Result<Vec<Transaction>, Refusal> {
    let pages = service.list_transactions(caller, "", 1000)?;
    Ok(pages.into_iter().flat_map(|page| page.view.transactions).collect())
}

impl Operation for CopyOptions {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let CopyOptions { name, transactions, from, opening: opening_balances, .. } = self.clone();
        let request = book::CopyRequest {
            name,
            transactions,
            from,
            opening_balances,
            ..book::CopyRequest::default()
        };
        let view = service.write(caller, move |tx, cx, key| book::copy(tx, cx, key, &request))?;
        service.label_new_book(caller, self.book, self.owner, &view)?;
        label_copies(self, service, caller)?;
        answer(service.book(&view, caller))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.copy_book(caller, self)?)
    }
}
