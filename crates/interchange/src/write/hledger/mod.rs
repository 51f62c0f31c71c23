//! Journals of hledger.
//!
//! Accounts are declared with their types, and the balances of each month are asserted, so that
//! `hledger check --strict` verifies the file. Drafts are comments.

mod syntax;

use std::collections::{HashMap, HashSet};

use daybook_domain::amount::write_units;
use daybook_domain::calendar::{format_iso, parse_iso};
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::report::{AccountPlace, Class, account_places};

use super::account_path::{distinct, one_line, path};
use super::balances::{DayBalances, RunningBalances};
use super::entry::{Entries, Entry, Mark, Posting};
use super::model::{Balances, Error, Export, Record, Writer};
use crate::notation::clock;
use syntax::{account_name, commodity, description, tag};

/// Writes a journal.
pub(super) struct Hledger {
    names: HashMap<AccountId, String>,
    /// The commodity behind an amount, with a space before it.
    commodity: String,
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
        let mut writer = Self {
            names: HashMap::new(),
            commodity,
            scale: book.scale,
            fraction_digits: book.settings.fraction_digits,
            entries: Entries::default(),
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

    fn write_entries(&mut self, out: &mut Vec<u8>, entries: Vec<Entry>) {
        for entry in entries {
            let text = self.entry(&entry);
            out.push(b'\n');
            if entry.first().counts() {
                let ended = self.balances.begin_day(entry.day());
                self.write_balances(out, ended);
                for Posting { account, units } in entry.postings(self.scale) {
                    account.iter().for_each(|id| self.balances.add(*id, units));
                }
                out.extend_from_slice(text.as_bytes());
                continue;
            }
            let state = if entry.first().trashed { "trashed" } else { "draft" };
            out.extend_from_slice(format!("; {state}\n").as_bytes());
            for line in text.lines() {
                out.extend_from_slice(format!("; {line}\n").as_bytes());
            }
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
            text.push_str(&format!("    ; {}\n", one_line(line)));
        }
        let has_amount = entry.first().amount.is_some();
        for Posting { account, units } in entry.postings(self.scale) {
            let amount = if has_amount { self.amount(units) } else { String::new() };
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
    fn write_balances(&self, out: &mut Vec<u8>, ended: Option<DayBalances>) {
        let Some(DayBalances { day, balances }) = ended else { return };
        let mut text = format!("{} * Balances\n", format_iso(day));
        for (account, units) in balances {
            let amount = format!("{} = {}", self.amount(0), self.amount(units));
            self.posting(&mut text, Some(account), &amount);
        }
        text.push('\n');
        out.extend_from_slice(text.as_bytes());
    }
}

impl Writer for Hledger {
    fn file(&mut self, _out: &mut Vec<u8>, _file: &File, _creator: &str, _path: Option<&str>) {}

    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        self.transactions = self.transactions.saturating_add(1);
        let complete = self.entries.push(record);
        self.write_entries(out, complete);
        Ok(())
    }

    fn finish(
        mut self: Box<Self>,
        out: &mut Vec<u8>,
        balances: Option<&Balances>,
    ) -> Result<(), Error> {
        let complete = self.entries.take();
        self.write_entries(out, complete);
        let running = std::mem::take(&mut self.balances);
        out.push(b'\n');
        self.write_balances(out, running.finish(balances));
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
