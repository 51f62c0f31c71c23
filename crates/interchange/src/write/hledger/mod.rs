//! Journals of hledger.
//!
//! Accounts are declared with their types, and the balances of each month are asserted, so that
//! `hledger check --strict` verifies the file. Drafts are comments.

mod syntax;

use std::collections::{HashMap, HashSet};

use daybook_domain::account::Account;
use daybook_domain::amount::write_units;
use daybook_domain::calendar::{format_iso, parse_iso};
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::report::{AccountPlace, Class, account_places};

use super::account_path::{distinct, one_line, path};
use super::balances::{DayBalances, RunningBalances};
use super::entry::{Entries, Entry, Mark, Part, Posting};
use super::model::{Balances, Error, Export, Record, Writer};
use crate::notation::clock;
use crate::plan::IN_TRANSIT;
use syntax::{account_name, commodity, description, note, tag};

/// Writes a journal.
pub(super) struct Hledger {
    names: HashMap<AccountId, String>,
    /// The commodity behind an amount, with a space before it.
    commodity: String,
    /// The account of amounts between two days. It is declared by the first entry that needs it,
    /// because complete entries do not.
    transit: Option<AccountId>,
    is_transit_declared: bool,
    scale: u32,
    fraction_digits: u32,
    entries: Entries,
    balances: RunningBalances,
    transactions: u64,
}

impl Hledger {
    pub(super) fn begin(export: &Export<'_>, out: &mut Vec<u8>) -> Self {
        let Export { book, accounts, forest, .. } = *export;
        let commodity = commodity(book.settings.currency());
        let is_transit = |account: &&Account| account.properties.get(IN_TRANSIT).is_some();
        let transit = accounts.iter().find(is_transit).map(|account| account.id);
        let mut writer = Self {
            names: HashMap::new(),
            commodity,
            transit,
            is_transit_declared: false,
            scale: book.scale,
            fraction_digits: book.settings.fraction_digits,
            entries: Entries::over(transit, book.scale),
            balances: RunningBalances::default(),
            transactions: 0,
        };
        let mut text = heading(export);
        // hledger shows all amounts with these decimals. The mark is needed even without decimals.
        let places = usize::try_from(writer.scale).unwrap_or_default();
        let unit = format!("1000.{}{}", "0".repeat(places), writer.commodity);
        text.push_str(&format!("decimal-mark .\ncommodity {unit}\n\n"));
        let mut used = HashSet::new();
        for (account, place) in account_places(accounts, forest) {
            let path = path(&place.groups, account).join(":");
            let name = distinct(account_name(&path), &mut used, ' ');
            if Some(account.id) == transit {
                writer.names.insert(account.id, name);
                continue;
            }
            text.push_str(&format!("account {name}  ; type:{}\n", type_of(&place)));
            let others = account.groups.iter().filter_map(|id| forest.get(*id));
            let main = place.groups.last().map(|group| group.id);
            for group in others.filter(|group| Some(group.id) != main) {
                text.push_str(&format!("    ; {}\n", tag("group", group.name.as_str())));
            }
            writer.names.insert(account.id, name);
        }
        out.extend_from_slice(text.as_bytes());
        writer
    }

    fn write_parts(&mut self, out: &mut Vec<u8>, parts: Vec<Part>) {
        for part in parts {
            out.push(b'\n');
            match part {
                Part::Balances(balances) => self.write_balances(out, balances),
                Part::Entry(entry) => self.write_entry(out, &entry),
            }
        }
    }

    fn write_entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        let text = self.entry(entry);
        if entry.first().counts() {
            self.declare_transit(out, entry);
            out.extend_from_slice(text.as_bytes());
            return;
        }
        out.extend_from_slice(entry.commented(&text).as_bytes());
    }

    /// Declares the account of amounts between two days, if the entry is the first with it.
    fn declare_transit(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        let Some(id) = self.transit.filter(|_| !self.is_transit_declared) else { return };
        self.is_transit_declared =
            entry.postings(self.scale).iter().any(|posting| posting.account == Some(id));
        if let Some(name) = self.names.get(&id).filter(|_| self.is_transit_declared) {
            out.extend_from_slice(format!("account {name}  ; type:A\n\n").as_bytes());
        }
    }

    fn entry(&self, entry: &Entry) -> String {
        let mut text = format_iso(entry.day());
        if let Some(day) = entry.property("date2").and_then(parse_iso) {
            text.push_str(&format!("={}", format_iso(day)));
        }
        text.push_str(match entry.mark() {
            Mark::Checked => " *",
            Mark::Pending => " !",
            Mark::Unmarked => "",
        });
        text.push_str(&description(&entry.first().description, entry.property("code")));
        text.push('\n');
        for (key, value) in entry.labels() {
            text.push_str(&format!("    ; {}\n", tag(&key, &value)));
        }
        for name in entry.tags() {
            text.push_str(&format!("    ; {}\n", tag(&name, "")));
        }
        for line in entry.property("comment").into_iter().flat_map(str::lines) {
            text.push_str(&format!("    ; {}\n", note(line)));
        }
        let has_amount = entry.first().amount.is_some();
        for Posting { account, day, units } in entry.postings(self.scale) {
            let mut amount = if has_amount { self.amount(units) } else { String::new() };
            if let Some(day) = day {
                amount.push_str(&format!("  ; [{}]", format_iso(day)));
            }
            self.posting(&mut text, account, &amount);
        }
        text
    }

    fn posting(&self, text: &mut String, account: Option<AccountId>, amount: &str) {
        let name = account.and_then(|id| self.names.get(&id)).map_or("?", String::as_str);
        let line = format!("    {name:<40}  {amount:>14}");
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn amount(&self, units: i128) -> String {
        write_units(units, self.scale, self.fraction_digits) + &self.commodity
    }

    /// Writes an entry without amounts that asserts balances.
    fn write_balances(&self, out: &mut Vec<u8>, ended: DayBalances) {
        let DayBalances { day, balances } = ended;
        let mut text = format!("{} * Balances\n", format_iso(day));
        for (account, units) in balances {
            let amount = format!("{} = {}", self.amount(0), self.amount(units));
            self.posting(&mut text, Some(account), &amount);
        }
        out.extend_from_slice(text.as_bytes());
    }
}

impl Writer for Hledger {
    fn file(&mut self, _out: &mut Vec<u8>, _file: &File, _creator: &str, _path: Option<&str>) {}

    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        self.transactions = self.transactions.saturating_add(1);
        let ended = self.balances.add_transaction(record.transaction, self.scale, self.transit);
        let complete = self.entries.push(ended, record);
        self.write_parts(out, complete);
        Ok(())
    }

    fn finish(
        mut self: Box<Self>,
        out: &mut Vec<u8>,
        balances: Option<&Balances>,
    ) -> Result<(), Error> {
        let complete = self.entries.take();
        let running = std::mem::take(&mut self.balances);
        self.write_parts(out, complete);
        let last = running.finish(balances).map(|mut last| {
            let is_declared = self.is_transit_declared;
            last.balances.retain(|(id, _)| is_declared || Some(*id) != self.transit);
            Part::Balances(last)
        });
        self.write_parts(out, last.into_iter().collect());
        out.push(b'\n');
        out.extend_from_slice(ending(self.transactions).as_bytes());
        Ok(())
    }
}

/// Returns comments that say what the file is.
pub(super) fn heading(export: &Export<'_>) -> String {
    let Export { book, query, exported_at, head, .. } = *export;
    let mut text = format!("; {}\n", one_line(book.settings.name.as_str()));
    text.push_str(&format!("; Exported by Daybook at {} UTC\n", clock(exported_at)));
    if let Some(query) = query {
        text.push_str(&format!("; Query: {}\n", one_line(query)));
    }
    text.push_str(&format!("; Last event: {} {}\n\n", head.sequence, head.hash));
    text
}

/// Returns the comment that ends a complete file.
pub(super) fn ending(transactions: u64) -> String {
    format!("; End of the export. Transactions: {transactions}\n")
}

/// Returns the letter of an account type in hledger.
const fn type_of(place: &AccountPlace<'_>) -> &'static str {
    match place.class {
        Class::Asset if place.is_cash => "C",
        Class::Asset => "A",
        Class::Liability => "L",
        Class::Equity => "E",
        Class::Income => "R",
        Class::Expense => "X",
    }
}
