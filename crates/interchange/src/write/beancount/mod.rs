//! Journals of beancount.
//!
//! Names of accounts are transliterated to its syntax, with the names in the book as metadata. An
//! account is opened on the day of its first transaction. Balances of each month are asserted on
//! the day after it. Drafts are comments.

mod syntax;

use std::collections::{BTreeMap, HashMap, HashSet};

use daybook_domain::amount::write_units;
use daybook_domain::calendar::format_iso;
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::report::{AccountPlace, Class, account_places};
use time::Date;

use super::account_path::{distinct, path};
use super::balances::{DayBalances, RunningBalances};
use super::entry::{Entries, Entry, Mark, Part, Posting, unique};
use super::hledger::{ending, heading};
use super::model::{Balances, Error, Export, Record, Writer};
use crate::notation::day_of;
use syntax::{component, currency, link, metadata_key, quoted, tag};

/// An account with its names.
struct Account {
    /// The name in beancount.
    name: String,
    /// The name in the book.
    original: String,
    is_open: bool,
}

/// Writes a journal.
pub(super) struct Beancount {
    accounts: HashMap<AccountId, Account>,
    currency: String,
    scale: u32,
    fraction_digits: u32,
    entries: Entries,
    balances: RunningBalances,
    transactions: u64,
    /// The day of the last transaction, or of the export before the first one.
    last_day: Date,
}

impl Beancount {
    pub(super) fn begin(export: &Export<'_>, out: &mut Vec<u8>) -> Self {
        let Export { book, accounts, forest, exported_at, .. } = *export;
        let currency = currency(book.settings.currency());
        let mut text = heading(export);
        text.push_str(&format!("option \"title\" {}\n", quoted(book.settings.name.as_str())));
        text.push_str(&format!("option \"operating_currency\" \"{currency}\"\n"));
        out.extend_from_slice(text.as_bytes());
        let named: Vec<(AccountId, String, String)> = account_places(accounts, forest)
            .map(|(account, place)| {
                let name = account_name(account.id, &place, &path(&place.groups, account));
                (account.id, name, account.name.as_str().to_owned())
            })
            .collect();
        let above: HashSet<String> = named.iter().flat_map(|(_, name, _)| above(name)).collect();
        let mut used = HashSet::new();
        let named = named.into_iter().map(|(id, mut name, original)| {
            // An assertion includes the accounts below, so an account has none.
            while above.contains(&name) {
                let last = name.rsplit(':').next().unwrap_or_default().to_owned();
                name = format!("{name}:{last}");
            }
            let name = distinct(name, &mut used, '-');
            (id, Account { name, original, is_open: false })
        });
        Self {
            accounts: named.collect(),
            currency,
            scale: book.scale,
            fraction_digits: book.settings.fraction_digits,
            entries: Entries::default(),
            balances: RunningBalances::default(),
            transactions: 0,
            last_day: day_of(exported_at),
        }
    }

    fn write_parts(&mut self, out: &mut Vec<u8>, parts: Vec<Part>) {
        for part in parts {
            match part {
                Part::Balances(balances) => self.write_balances(out, balances),
                Part::Entry(entry) => self.write_entry(out, &entry),
            }
        }
    }

    fn write_entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        let text = self.entry(entry);
        if entry.first().counts() {
            self.last_day = entry.day();
            for id in entry.postings(self.scale).iter().filter_map(|posting| posting.account) {
                self.open(out, id, entry.day());
            }
            out.push(b'\n');
            out.extend_from_slice(text.as_bytes());
            return;
        }
        out.push(b'\n');
        out.extend_from_slice(entry.commented(&text).as_bytes());
    }

    /// Opens an account on the day of its first transaction.
    fn open(&mut self, out: &mut Vec<u8>, id: AccountId, day: Date) {
        let currency = &self.currency;
        let Some(account) = self.accounts.get_mut(&id).filter(|account| !account.is_open) else {
            return;
        };
        account.is_open = true;
        let Account { name, original, .. } = account;
        let text = format!(
            "\n{} open {name} {currency}\n  name: {}\n  id: \"{id}\"\n",
            format_iso(day),
            quoted(original)
        );
        out.extend_from_slice(text.as_bytes());
    }

    fn entry(&self, entry: &Entry) -> String {
        let mut text = format_iso(entry.day());
        text.push_str(if entry.mark() == Mark::Checked { " *" } else { " !" });
        let description = &entry.first().description;
        match description.split_once(" | ") {
            Some((payee, note)) => {
                text.push_str(&format!(" {} {}", quoted(payee), quoted(note)));
            }
            None => text.push_str(&format!(" {}", quoted(description))),
        }
        let tags = entry.tags().into_iter().filter_map(|name| tag(&name));
        let links = entry.remote_ids().filter_map(|id| link(id));
        for mark in unique(tags.chain(links)) {
            text.push_str(&format!(" {mark}"));
        }
        text.push('\n');
        for (key, values) in metadata(entry) {
            text.push_str(&format!("  {key}: {}\n", quoted(&values.join("; "))));
        }
        let has_amount = entry.first().amount.is_some();
        for Posting { account, units, .. } in entry.postings(self.scale) {
            let name = account.and_then(|id| self.accounts.get(&id));
            let name = name.map_or("?", |account| account.name.as_str());
            let amount = if has_amount { self.amount(units) } else { String::new() };
            text.push_str(format!("  {name:<40}  {amount:>14}").trim_end());
            text.push('\n');
        }
        text
    }

    fn amount(&self, units: i128) -> String {
        format!("{} {}", write_units(units, self.scale, self.fraction_digits), self.currency)
    }

    /// Writes the assertions of the balances at the end of a day, which stand on the next one.
    fn write_balances(&mut self, out: &mut Vec<u8>, ended: DayBalances) {
        let DayBalances { day, balances } = ended;
        let Some(next) = day.next_day() else { return };
        for (id, _) in &balances {
            self.open(out, *id, day);
        }
        out.push(b'\n');
        for (id, units) in balances {
            let Some(Account { name, .. }) = self.accounts.get(&id) else { continue };
            let line = format!("{} balance {name:<40}  {}\n", format_iso(next), self.amount(units));
            out.extend_from_slice(line.as_bytes());
        }
    }
}

impl Writer for Beancount {
    fn file(&mut self, _out: &mut Vec<u8>, _file: &File, _creator: &str, _path: Option<&str>) {}

    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        self.transactions = self.transactions.saturating_add(1);
        let ended = self.balances.add_transaction(record.transaction, self.scale, None);
        let complete = self.entries.push(ended, record);
        self.write_parts(out, complete);
        Ok(())
    }

    fn finish(
        mut self: Box<Self>,
        out: &mut Vec<u8>,
        balances: Option<&Balances>,
    ) -> Result<(), Error> {
        let mut complete = self.entries.take();
        let running = std::mem::take(&mut self.balances);
        complete.extend(running.finish(balances).map(Part::Balances));
        self.write_parts(out, complete);
        let mut unused: Vec<AccountId> = self.accounts.keys().copied().collect();
        unused.sort_unstable();
        for id in unused {
            self.open(out, id, self.last_day);
        }
        out.push(b'\n');
        out.extend_from_slice(ending(self.transactions).as_bytes());
        Ok(())
    }
}

/// Returns the name of an account below the root of its class.
fn account_name(id: AccountId, place: &AccountPlace<'_>, path: &[String]) -> String {
    let is_root = path.first().is_some_and(|name| is_name_of(place.class, name));
    let below = if is_root { path.get(1..).unwrap_or_default() } else { path };
    let mut parts: Vec<String> = below.iter().filter_map(|name| component(name)).collect();
    if parts.is_empty() {
        parts.push(format!("Account-{id}"));
    }
    format!("{}:{}", place.class.as_str(), parts.join(":"))
}

/// Returns the names of the accounts above an account.
fn above(name: &str) -> impl Iterator<Item = String> {
    name.match_indices(':').filter_map(|(end, _)| name.get(..end)).map(str::to_owned)
}

/// Returns whether the name of a group is one of those that people give to the root of a class.
fn is_name_of(class: Class, name: &str) -> bool {
    let names: &[&str] = match class {
        Class::Asset => &["Assets", "Asset"],
        Class::Liability => &["Liabilities", "Liability"],
        Class::Equity => &["Equity"],
        Class::Income => &["Income", "Revenue", "Revenues"],
        Class::Expense => &["Expenses", "Expense"],
    };
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns the values of each key of the metadata. A key may stand only once in an entry.
fn metadata(entry: &Entry) -> BTreeMap<String, Vec<String>> {
    let own = ["code", "comment", "date2"].into_iter();
    let own = own.filter_map(|key| Some((key.to_owned(), entry.property(key)?.to_owned())));
    let mut metadata: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, value) in entry.labels().into_iter().chain(own) {
        metadata.entry(metadata_key(&key)).or_default().push(value);
    }
    metadata
}
