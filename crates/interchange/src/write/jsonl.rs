//! JSON lines, which contain everything (`docs/export.md`).

use std::collections::HashMap;

use daybook_domain::account::Account;
use daybook_domain::amount;
use daybook_domain::book::Book;
use daybook_domain::calendar::format_iso;
use daybook_domain::event::Head;
use daybook_domain::file::File;
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::AccountId;
use daybook_domain::instant::Stamp;
use daybook_domain::json::write_text;
use daybook_domain::property::Properties;
use daybook_domain::transaction::Transaction;
use time::Date;

use super::csv::names;
use super::model::{Balances, Error, Export, Record, Writer, units};

/// The version of the format.
const VERSION: i64 = 1;

/// Writes JSON lines.
pub(super) struct Jsonl {
    names: HashMap<AccountId, String>,
    scale: u32,
    fraction_digits: u32,
    head: Head,
    counts: Counts,
    /// The sum of the posted amounts.
    sum: i128,
    line: String,
}

/// The numbers of lines of each kind.
#[derive(Debug, Default)]
struct Counts {
    groups: i64,
    accounts: i64,
    files: i64,
    transactions: i64,
    drafts: i64,
}

impl Jsonl {
    pub(super) fn begin(export: &Export<'_>, out: &mut Vec<u8>) -> Self {
        let Export { book, accounts, forest, head, .. } = *export;
        let mut writer = Self {
            names: names(accounts),
            scale: book.scale,
            fraction_digits: book.settings.fraction_digits,
            head,
            counts: Counts::default(),
            sum: 0,
            line: String::new(),
        };
        writer.write(out, "daybook", |line| {
            line.number("version", VERSION);
            line.text("exportedAt", &export.exported_at.milliseconds().to_string());
            line.some("query", export.query);
            line.number("scale", i64::from(book.scale));
            line.object("book", |line| write_book(line, book));
        });
        for group in parents_first(forest) {
            writer.write(out, "group", |line| write_group(line, group, forest));
            writer.counts.groups += 1;
        }
        for account in accounts {
            writer.write(out, "account", |line| write_account(line, account, forest));
            writer.counts.accounts += 1;
        }
        writer
    }

    /// Writes a line with one field.
    fn write(&mut self, out: &mut Vec<u8>, kind: &str, fill: impl FnOnce(&mut Object<'_>)) {
        self.line.clear();
        let mut line = Object::open(&mut self.line);
        line.object(kind, fill);
        line.close();
        self.line.push('\n');
        out.extend_from_slice(self.line.as_bytes());
    }
}

impl Writer for Jsonl {
    fn file(&mut self, out: &mut Vec<u8>, file: &File, creator: &str, path: Option<&str>) {
        self.write(out, "file", |line| {
            line.text("id", &file.id.to_string());
            line.text("name", &file.name);
            line.text("contentType", &file.content_type);
            line.number("size", file.content.size);
            line.text("sha256", &file.content.digest);
            line.some("path", path);
            line.properties(&file.properties);
            line.text("createdBy", creator);
            line.stamp(&file.stamp);
        });
        self.counts.files += 1;
    }

    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        let Record { transaction, creator, files } = *record;
        let fraction_digits = self.fraction_digits;
        let names = std::mem::take(&mut self.names);
        self.write(out, "transaction", |line| {
            line.text("id", &transaction.id.to_string());
            line.day("date", transaction.date);
            let amount = transaction.amount.map(|amount| amount.value());
            line.some("amount", amount.map(|value| amount::write(value, fraction_digits)));
            line.text("description", &transaction.description);
            let sides =
                [("creditAccount", transaction.credit), ("debitAccount", transaction.debit)];
            for (key, account) in sides {
                if let Some(id) = account {
                    let name = names.get(&id).map_or("", String::as_str);
                    line.object(key, |line| line.reference(&id.to_string(), name));
                }
            }
            line.flag("draft", !transaction.is_posted());
            line.flag("checked", transaction.is_checked());
            line.flag("trashed", transaction.trashed);
            line.texts("urls", &transaction.urls);
            line.texts("remoteIds", &transaction.remote_ids);
            let known = transaction.files.iter().filter(|id| files.get(**id).is_some());
            line.list("files", known, |line, id| line.text("id", &id.to_string()));
            line.properties(&transaction.properties);
            line.text("createdBy", creator);
            line.stamp(&transaction.stamp);
        });
        self.names = names;
        self.count(transaction);
        Ok(())
    }

    fn finish(
        mut self: Box<Self>,
        out: &mut Vec<u8>,
        _balances: Option<&Balances>,
    ) -> Result<(), Error> {
        let Counts { groups, accounts, files, transactions, drafts } = self.counts;
        let (Head { sequence, hash }, sum) = (self.head, self.sum);
        let (scale, fraction_digits) = (self.scale, self.fraction_digits);
        self.write(out, "end", |line| {
            line.number("groups", groups);
            line.number("accounts", accounts);
            line.number("files", files);
            line.number("transactions", transactions);
            line.number("drafts", drafts);
            line.text("amount", &amount::write_units(sum, scale, fraction_digits));
            line.object("lastEvent", |line| {
                line.number("sequence", sequence);
                line.text("hash", &hash.to_string());
            });
        });
        Ok(())
    }
}

impl Jsonl {
    fn count(&mut self, transaction: &Transaction) {
        self.counts.transactions += 1;
        self.counts.drafts += i64::from(!transaction.is_posted());
        if transaction.counts() {
            self.sum = self.sum.saturating_add(units(transaction, self.scale));
        }
    }
}

fn write_book(line: &mut Object<'_>, book: &Book) {
    let settings = &book.settings;
    line.text("id", book.key.as_str());
    line.text("name", settings.name.as_str());
    line.text("visibility", settings.visibility.as_str());
    line.boolean("autoPost", settings.auto_post);
    line.day("closingDate", settings.closing_date);
    line.day("lockDate", settings.lock_date);
    line.text("datePattern", settings.date_pattern.as_str());
    line.text("decimalSeparator", settings.decimal_separator.as_str());
    line.number("fractionDigits", i64::from(settings.fraction_digits));
    line.number("pageSize", i64::from(settings.page_size));
    line.text("period", settings.period.as_str());
    line.text("periodStartMonth", settings.period_start_month.as_str());
    line.text("timeZone", &settings.time_zone);
    line.properties(&settings.properties);
    line.stamp(&book.stamp);
}

fn write_group(line: &mut Object<'_>, group: &Group, forest: &Forest) {
    line.reference(&group.id.to_string(), group.name.as_str());
    if let Some(parent) = group.parent.and_then(|id| forest.get(id)) {
        line.object("parent", |line| {
            line.reference(&parent.id.to_string(), parent.name.as_str());
        });
    }
    line.flag("hidden", group.hidden);
    line.flag("locked", group.locked);
    line.properties(&group.properties);
    line.stamp(&group.stamp);
}

fn write_account(line: &mut Object<'_>, account: &Account, forest: &Forest) {
    line.reference(&account.id.to_string(), account.name.as_str());
    line.text("type", account.kind.as_str());
    line.flag("archived", account.archived);
    line.some("minBalance", account.min_balance.map(|least| least.to_string()));
    let groups = account.groups.iter().filter_map(|id| forest.get(*id));
    line.list("groups", groups, |line, group| {
        line.reference(&group.id.to_string(), group.name.as_str());
    });
    line.properties(&account.properties);
    line.stamp(&account.stamp);
}

/// Returns all groups, each after its parent.
fn parents_first(forest: &Forest) -> Vec<&Group> {
    let is_root = |group: &&Group| group.parent.is_none_or(|id| forest.get(id).is_none());
    let mut found: Vec<&Group> = forest.groups().filter(is_root).collect();
    let mut next = 0;
    while let Some(group) = found.get(next) {
        let children = forest.children(group.id).iter().filter_map(|id| forest.get(*id));
        let children: Vec<&Group> = children.collect();
        found.extend(children);
        next += 1;
    }
    found
}

/// A JSON object that is being written. Fields without a value are left out.
struct Object<'a> {
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> Object<'a> {
    fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    fn close(self) {
        self.out.push('}');
    }

    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        write_text(key, self.out);
        self.out.push(':');
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        write_text(value, self.out);
    }

    fn some(&mut self, key: &str, value: Option<impl AsRef<str>>) {
        if let Some(value) = value {
            self.text(key, value.as_ref());
        }
    }

    fn day(&mut self, key: &str, day: Option<Date>) {
        self.some(key, day.map(format_iso));
    }

    fn number(&mut self, key: &str, value: i64) {
        self.key(key);
        self.out.push_str(&value.to_string());
    }

    fn boolean(&mut self, key: &str, value: bool) {
        self.key(key);
        self.out.push_str(if value { "true" } else { "false" });
    }

    fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.boolean(key, true);
        }
    }

    fn object(&mut self, key: &str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        let mut object = Object::open(self.out);
        fill(&mut object);
        object.close();
    }

    fn list<T>(
        &mut self,
        key: &str,
        items: impl Iterator<Item = T>,
        fill: impl Fn(&mut Object<'_>, T),
    ) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.key(key);
        let mut before = '[';
        for item in items {
            self.out.push(std::mem::replace(&mut before, ','));
            let mut object = Object::open(self.out);
            fill(&mut object, item);
            object.close();
        }
        self.out.push(']');
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        self.key(key);
        let mut before = '[';
        for text in texts {
            self.out.push(std::mem::replace(&mut before, ','));
            write_text(text, self.out);
        }
        self.out.push(']');
    }

    fn reference(&mut self, id: &str, name: &str) {
        self.text("id", id);
        self.text("name", name);
    }

    fn properties(&mut self, properties: &Properties) {
        if !properties.is_empty() {
            self.object("properties", |object| {
                properties.iter().for_each(|(key, value)| object.text(key, value));
            });
        }
    }

    fn stamp(&mut self, stamp: &Stamp) {
        let Stamp { agent, created_at, updated_at, version: _ } = stamp;
        self.some("agentId", agent.as_ref());
        self.text("createdAt", &created_at.milliseconds().to_string());
        self.text("updatedAt", &updated_at.milliseconds().to_string());
    }
}
