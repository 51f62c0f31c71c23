//! The elements of a book.

use time::Date;

use crate::read::elements::{Elements, Step};
use crate::read::limits::{MAX_POSTINGS, MAX_RECORDS};
use crate::read::problem::{Kind, Position, Problem};
use daybook_domain::calendar;

/// The elements that are read, by their local names.
const NAMES: &[&str] = &[
    "account",
    "action",
    "code",
    "commodity",
    "currency",
    "date",
    "date-posted",
    "description",
    "fraction",
    "gdate",
    "id",
    "key",
    "memo",
    "name",
    "num",
    "parent",
    "price",
    "pricedb",
    "quantity",
    "reconcile-date",
    "reconciled-state",
    "slot",
    "slots",
    "space",
    "split",
    "splits",
    "template-transactions",
    "time",
    "transaction",
    "type",
    "value",
];

/// A commodity: its namespace and its name there.
pub(crate) type CommodityKey = (String, String);

/// A named value that GnuCash stores with an object.
pub(crate) type Slot = (String, String);

/// The parts of a book as written.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// The commodities with the number of parts of a unit.
    pub(crate) commodities: Vec<(CommodityKey, String)>,
    pub(crate) prices: Vec<Price>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) transactions: Vec<Transaction>,
}

#[derive(Debug, Default)]
pub(crate) struct Price {
    pub(crate) commodity: CommodityKey,
    pub(crate) currency: CommodityKey,
    pub(crate) date: Option<Date>,
    pub(crate) value: String,
}

#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) position: Position,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) code: String,
    pub(crate) description: String,
    pub(crate) parent: Option<String>,
    pub(crate) commodity: CommodityKey,
    pub(crate) slots: Vec<Slot>,
}

#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) position: Position,
    pub(crate) id: String,
    pub(crate) currency: CommodityKey,
    pub(crate) num: String,
    pub(crate) description: String,
    pub(crate) date: Option<Date>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) splits: Vec<Split>,
}

#[derive(Debug)]
pub(crate) struct Split {
    pub(crate) position: Position,
    pub(crate) account: String,
    pub(crate) memo: String,
    pub(crate) action: String,
    pub(crate) state: String,
    pub(crate) reconciled: Option<Date>,
    /// The amount in the currency of the transaction, as a fraction.
    pub(crate) value: String,
    /// The amount in the commodity of the account, as a fraction.
    pub(crate) quantity: String,
    pub(crate) slots: Vec<Slot>,
}

/// Reads the elements of a book.
pub(crate) fn parse(text: &str) -> Result<Book, Problem> {
    let mut elements = Elements::new(text, NAMES);
    let mut book = Book::default();
    let mut state = State::default();
    loop {
        match elements.step()? {
            Step::End => return Ok(book),
            Step::Open => open(&elements.path, elements.position, &mut book)?,
            Step::Close { text, .. } => {
                if !elements.path.contains(&"template-transactions") {
                    close(&elements.path, &text, &mut book, &mut state);
                }
            }
        }
    }
}

fn open(path: &[&str], position: Position, book: &mut Book) -> Result<(), Problem> {
    if path.contains(&"template-transactions") {
        return Ok(());
    }
    let no_commodity = CommodityKey::default;
    match path {
        [.., "", "account"] => book.accounts.push(Account {
            position,
            id: String::new(),
            name: String::new(),
            kind: String::new(),
            code: String::new(),
            description: String::new(),
            parent: None,
            commodity: no_commodity(),
            slots: Vec::new(),
        }),
        [.., "transaction"] => book.transactions.push(Transaction {
            position,
            id: String::new(),
            currency: no_commodity(),
            num: String::new(),
            description: String::new(),
            date: None,
            slots: Vec::new(),
            splits: Vec::new(),
        }),
        [.., "transaction", "splits", "split"] => {
            let Some(transaction) = book.transactions.last_mut() else { return Ok(()) };
            if transaction.splits.len() >= MAX_POSTINGS {
                return Err(Problem::at(position, Kind::TooManyPostings));
            }
            transaction.splits.push(Split {
                position,
                account: String::new(),
                memo: String::new(),
                action: String::new(),
                state: String::new(),
                reconciled: None,
                value: String::new(),
                quantity: String::new(),
                slots: Vec::new(),
            });
        }
        [.., "pricedb", "price"] => book.prices.push(Price::default()),
        _ => {}
    }
    let records = book.accounts.len() + book.transactions.len() + book.prices.len();
    if records > MAX_RECORDS { Err(Problem::at(position, Kind::TooManyRecords)) } else { Ok(()) }
}

/// The parts of an element that has not ended.
#[derive(Default)]
struct State {
    commodity: CommodityKey,
    fraction: String,
    key: String,
}

fn close(path: &[&str], text: &str, book: &mut Book, state: &mut State) {
    // The path below the innermost element of a name.
    let below = |name: &str| {
        let index = path.iter().rposition(|known| *known == name)?;
        path.get(index + 1..)
    };
    match path {
        [.., "commodity" | "currency", "space"] => text.clone_into(&mut state.commodity.0),
        [.., "commodity" | "currency", "id"] => text.clone_into(&mut state.commodity.1),
        [.., "commodity", "fraction"] => text.clone_into(&mut state.fraction),
        [.., "slots", "slot", "key"] => text.clone_into(&mut state.key),
        _ if path.contains(&"pricedb") => {
            let price = below("price").zip(book.prices.last_mut());
            price.into_iter().for_each(|(part, price)| close_price(part, text, price, state));
        }
        _ => {
            if let Some(part) = below("split") {
                let split = book.transactions.last_mut().and_then(|last| last.splits.last_mut());
                split.into_iter().for_each(|split| close_split(part, text, split, state));
            } else if let Some(part) = below("transaction") {
                let last = book.transactions.last_mut();
                last.into_iter().for_each(|last| close_transaction(part, text, last, state));
            } else if let Some(part) = below("account") {
                let last = book.accounts.last_mut();
                last.into_iter().for_each(|last| close_account(part, text, last, state));
            } else if below("commodity") == Some(&[]) {
                let fraction = std::mem::take(&mut state.fraction);
                book.commodities.push((std::mem::take(&mut state.commodity), fraction));
            }
        }
    }
}

fn close_price(part: &[&str], text: &str, price: &mut Price, state: &mut State) {
    match part {
        ["commodity"] => price.commodity = std::mem::take(&mut state.commodity),
        ["currency"] => price.currency = std::mem::take(&mut state.commodity),
        ["time", "date"] => price.date = day(text),
        ["value"] => text.clone_into(&mut price.value),
        _ => {}
    }
}

fn close_transaction(part: &[&str], text: &str, transaction: &mut Transaction, state: &mut State) {
    match part {
        ["id"] => text.clone_into(&mut transaction.id),
        ["currency"] => transaction.currency = std::mem::take(&mut state.commodity),
        ["num"] => text.clone_into(&mut transaction.num),
        ["description"] => text.clone_into(&mut transaction.description),
        ["date-posted", "date"] => transaction.date = transaction.date.or(day(text)),
        // The day that the user chose; the instant above depends on a time zone.
        ["slots", "slot", "value", "gdate"] if state.key == "date-posted" => {
            transaction.date = day(text).or(transaction.date);
        }
        ["slots", "slot", "value"] => push_slot(&mut transaction.slots, state, text),
        _ => {}
    }
}

fn close_account(part: &[&str], text: &str, account: &mut Account, state: &mut State) {
    match part {
        ["name"] => text.clone_into(&mut account.name),
        ["id"] => text.clone_into(&mut account.id),
        ["type"] => text.clone_into(&mut account.kind),
        ["code"] => text.clone_into(&mut account.code),
        ["description"] => text.clone_into(&mut account.description),
        ["parent"] => account.parent = Some(text.to_owned()),
        ["commodity"] => account.commodity = std::mem::take(&mut state.commodity),
        ["slots", "slot", "value"] => push_slot(&mut account.slots, state, text),
        _ => {}
    }
}

fn close_split(part: &[&str], text: &str, split: &mut Split, state: &mut State) {
    match part {
        ["account"] => text.clone_into(&mut split.account),
        ["memo"] => text.clone_into(&mut split.memo),
        ["action"] => text.clone_into(&mut split.action),
        ["reconciled-state"] => text.clone_into(&mut split.state),
        ["reconcile-date", "date"] => split.reconciled = day(text),
        ["value"] => text.clone_into(&mut split.value),
        ["quantity"] => text.clone_into(&mut split.quantity),
        ["slots", "slot", "value"] => push_slot(&mut split.slots, state, text),
        _ => {}
    }
}

/// Adds a named value, unless it is a date or a frame of others.
fn push_slot(slots: &mut Vec<Slot>, state: &mut State, value: &str) {
    let key = std::mem::take(&mut state.key);
    if !key.is_empty() && !value.trim().is_empty() {
        slots.push((key, value.to_owned()));
    }
}

/// Parses the day of `2024-01-31 10:59:00 +0000`.
fn day(text: &str) -> Option<Date> {
    let mut parts = text.trim().get(..10)?.split('-');
    let year = parts.next()?.parse().ok()?;
    calendar::from_parts(year, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)
}
