//! The directives of a beancount file.

use std::collections::BTreeMap;

use time::Date;

use super::cursor::{Cursor, Field};
use super::lexer::{Block, Lexer, Line, TokenKind};
use super::raw::{Balance, Ledger, Method, Pad, RawEntry};
use super::transaction;
use crate::read::amount::SignedAmount;
use crate::read::journal::{Account, Directive, Posting, Price, Quantity, SharedText};
use crate::read::limits::{MAX_DEPTH, MAX_FIELD_BYTES, MAX_POSTINGS, MAX_RECORDS};
use crate::read::problem::{Kind, Position, Problem, excerpt};
use daybook_domain::calendar::format_iso;

/// Parses the directives of a file.
pub(crate) fn parse(text: &str) -> Result<Ledger, Problem> {
    let mut parser = Parser {
        text,
        ledger: Ledger::default(),
        accounts: BTreeMap::new(),
        posted: BTreeMap::new(),
        tags: Vec::new(),
        fields: Vec::new(),
    };
    let mut lexer = Lexer::new(text);
    let mut block: Option<Vec<Line<'_>>> = None;
    let mut records = 0_usize;
    while let Some(line) = lexer.next_line() {
        if line.tokens.is_empty() && line.problem.is_none() {
            continue;
        }
        match &mut block {
            Some(lines) if line.is_indented => lines.push(line),
            _ => {
                records += 1;
                if records > MAX_RECORDS {
                    return Err(Problem::at(line.position, Kind::TooManyRecords));
                }
                if let Some(lines) = block.replace(vec![line]) {
                    parser.block(&lines)?;
                }
            }
        }
    }
    if let Some(lines) = block {
        parser.block(&lines)?;
    }
    Ok(parser.finish())
}

struct Parser<'a> {
    text: &'a str,
    ledger: Ledger,
    accounts: BTreeMap<String, Account>,
    /// The accounts of postings, with the place of the first one.
    posted: BTreeMap<SharedText, Position>,
    /// The tags of `pushtag`.
    tags: Vec<String>,
    /// The fields of `pushmeta`.
    fields: Vec<Field>,
}

impl<'a> Parser<'a> {
    /// Parses a directive, and refuses it alone unless its problem is one of the file.
    fn block(&mut self, lines: &[Line<'a>]) -> Result<(), Problem> {
        let Some((head, body)) = lines.split_first() else { return Ok(()) };
        let end = body.last().unwrap_or(head).range.end;
        let written = self.text.get(head.range.start..end).unwrap_or_default().trim_end();
        let block = Block { position: head.position, written, body };
        let mut cursor = Cursor::new(&head.tokens, head.position);
        let fault = lines.iter().find_map(|line| line.problem.clone());
        let is_include = cursor.peek().is_some_and(|token| token.text == "include");
        if is_include {
            let kind = Kind::UnsupportedDirective(excerpt(written));
            return Err(Problem::at(head.position, kind));
        }
        let parsed = match fault {
            Some(problem) => Err(problem),
            None if head.is_indented => Err(cursor.unexpected()),
            None if written.len() > MAX_POSTINGS * MAX_FIELD_BYTES => {
                Err(Problem::at(head.position, Kind::FieldTooLong(MAX_FIELD_BYTES)))
            }
            None => self.directive(&mut cursor, &block),
        };
        match parsed {
            Err(problem) if problem.position.is_none() => return Err(problem),
            Err(problem) => self.ledger.journal.refused.push(problem),
            Ok(()) => {}
        }
        Ok(())
    }

    fn directive(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        block: &Block<'a, '_>,
    ) -> Result<(), Problem> {
        if let Some(date) = cursor.date()? {
            return self.dated(date, cursor, block);
        }
        let unexpected = cursor.unexpected();
        match cursor.expect(TokenKind::Word)? {
            "option" => self.option(cursor, block),
            "plugin" => {
                let kind = Kind::UnreadPlugin(excerpt(&cursor.plain_text()?));
                self.ledger.journal.warnings.push(Problem::at(block.position, kind));
                self.keep(block);
                Ok(())
            }
            "pushtag" => {
                if self.tags.len() >= MAX_DEPTH {
                    return Err(Problem::at(block.position, Kind::TooDeep));
                }
                self.tags.push(cursor.expect(TokenKind::Tag)?.to_owned());
                Ok(())
            }
            "poptag" => {
                let tag = cursor.expect(TokenKind::Tag)?;
                let open = self.tags.iter().rposition(|open| open == tag);
                open.map(|index| self.tags.remove(index));
                Ok(())
            }
            "pushmeta" => {
                if self.fields.len() >= MAX_DEPTH {
                    return Err(Problem::at(block.position, Kind::TooDeep));
                }
                self.fields.push(cursor.field()?);
                Ok(())
            }
            "popmeta" => {
                let key = cursor.expect(TokenKind::Key)?;
                let open = self.fields.iter().rposition(|(open, _)| open == key);
                open.map(|index| self.fields.remove(index));
                Ok(())
            }
            _ => Err(unexpected),
        }
    }

    /// Keeps a directive as text.
    fn keep(&mut self, block: &Block<'_, '_>) {
        let written = block.written.to_owned();
        self.ledger.journal.directives.push(Directive { position: block.position, written });
    }

    fn option(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        block: &Block<'a, '_>,
    ) -> Result<(), Problem> {
        let (name, position) = (cursor.plain_text()?, cursor.position());
        let value = cursor.plain_text()?;
        let invalid = || Problem::at(position, Kind::UnexpectedLine(excerpt(&value)));
        let options = &mut self.ledger.options;
        let root = name.strip_prefix("name_").and_then(|name| {
            let names = ["assets", "liabilities", "equity", "income", "expenses"];
            let index = names.iter().position(|known| *known == name)?;
            options.roots.get_mut(index)
        });
        match name.as_str() {
            _ if root.is_some() => root.into_iter().for_each(|(_, root)| root.clone_from(&value)),
            "title" => self.ledger.journal.title = Some(value),
            "booking_method" => options.method = Method::named(&value).ok_or_else(invalid)?,
            "inferred_tolerance_multiplier" | "tolerance_multiplier" => {
                options.multiplier = decimal(&value).ok_or_else(invalid)?;
            }
            "inferred_tolerance_default" => {
                let (currency, tolerance) = value.split_once(':').ok_or_else(invalid)?;
                let tolerance = decimal(tolerance).ok_or_else(invalid)?;
                options.tolerances.insert(currency.to_owned(), tolerance);
            }
            "infer_tolerance_from_cost" if value.eq_ignore_ascii_case("true") => {
                return Err(Problem::at(block.position, Kind::UnsupportedDirective(name)));
            }
            _ => self.keep(block),
        }
        Ok(())
    }

    fn dated(
        &mut self,
        date: Date,
        cursor: &mut Cursor<'a, '_>,
        block: &Block<'a, '_>,
    ) -> Result<(), Problem> {
        let is_entry =
            cursor.peek().is_some_and(|token| token.kind != TokenKind::Word || token.text == "txn");
        if is_entry {
            let context = transaction::Context { tags: &self.tags, fields: &self.fields };
            let entry: RawEntry = transaction::parse(date, cursor, block, &context)?;
            for Posting { account, position, .. } in entry.postings.iter().map(|raw| &raw.posting) {
                if !self.posted.contains_key(account) {
                    self.posted.insert(account.clone(), *position);
                }
            }
            return self.ledger.entries.push(&entry);
        }
        let unexpected = cursor.unexpected();
        match cursor.expect(TokenKind::Word)? {
            "open" => self.open(date, cursor, block),
            "close" => {
                let account = cursor.expect(TokenKind::Account)?;
                let closed = self.account(account, block.position);
                closed.is_closed = true;
                add_fact(closed, "closed", format_iso(date));
                self.account_fields(account, block)
            }
            "pad" => {
                let account = cursor.expect(TokenKind::Account)?.to_owned();
                let source = cursor.expect(TokenKind::Account)?.to_owned();
                let written = block.written.to_owned();
                let position = block.position;
                self.ledger.pads.push(Pad { position, date, account, source, written });
                self.keep(block);
                Ok(())
            }
            "balance" => self.balance(date, cursor, block),
            "price" => {
                let commodity = cursor.expect(TokenKind::Symbol)?.to_owned();
                let price = cursor.amount()?;
                self.ledger.journal.prices.push(Price { date, commodity, price });
                Ok(())
            }
            word @ ("note" | "document") => {
                let account = cursor.expect(TokenKind::Account)?;
                let fact = format!("{} {}", format_iso(date), cursor.plain_text()?);
                add_fact(self.account(account, block.position), word, fact);
                self.account_fields(account, block)
            }
            "commodity" | "event" | "query" | "custom" => {
                self.keep(block);
                Ok(())
            }
            _ => Err(unexpected),
        }
    }

    /// Parses `open Account USD,EUR "STRICT"`.
    fn open(
        &mut self,
        date: Date,
        cursor: &mut Cursor<'a, '_>,
        block: &Block<'a, '_>,
    ) -> Result<(), Problem> {
        let name = cursor.expect(TokenKind::Account)?;
        let mut currencies = Vec::new();
        while let Some(currency) = cursor.take(TokenKind::Symbol) {
            currencies.push(currency);
            if !cursor.take_mark(",") {
                break;
            }
        }
        let position = cursor.position();
        let method = cursor.take(TokenKind::Text);
        if !cursor.is_at_end() {
            return Err(cursor.unexpected());
        }
        if let Some(method) = method {
            let invalid = || Problem::at(position, Kind::UnexpectedLine(excerpt(method)));
            let known = Method::named(method).ok_or_else(invalid)?;
            self.ledger.methods.insert(name.to_owned(), known);
        }
        let account = self.account(name, block.position);
        add_fact(account, "opened", format_iso(date));
        if !currencies.is_empty() {
            add_fact(account, "currencies", currencies.join(","));
        }
        method.into_iter().for_each(|method| add_fact(account, "booking", method.to_owned()));
        self.account_fields(name, block)
    }

    /// Returns the account of a name, which may be new.
    fn account(&mut self, name: &str, position: Position) -> &mut Account {
        self.accounts.entry(name.to_owned()).or_insert_with(|| Account {
            position,
            name: name.to_owned(),
            kind: None,
            is_closed: false,
            facts: Vec::new(),
            tags: Vec::new(),
        })
    }

    /// Adds the metadata of a directive to its account.
    fn account_fields(&mut self, name: &str, block: &Block<'a, '_>) -> Result<(), Problem> {
        for line in block.body {
            let field = Cursor::new(&line.tokens, line.position).field()?;
            self.account(name, block.position).tags.push(field);
        }
        Ok(())
    }

    /// Parses `balance Account 100.00 ~ 0.01 USD`.
    fn balance(
        &mut self,
        date: Date,
        cursor: &mut Cursor<'a, '_>,
        block: &Block<'a, '_>,
    ) -> Result<(), Problem> {
        let account = cursor.expect(TokenKind::Account)?.to_owned();
        let number = cursor.number()?.ok_or_else(|| cursor.unexpected())?;
        let stated = if cursor.take_mark("~") { cursor.number()? } else { None };
        let commodity = cursor.expect(TokenKind::Symbol)?.into();
        let tolerance = match stated {
            Some(tolerance) => tolerance.value,
            // Twice that of an entry, as in beancount.
            None => self
                .ledger
                .options
                .tolerance(number.decimals)
                .and_then(|tolerance| tolerance.checked_add(tolerance))
                .unwrap_or_default(),
        };
        let amount = number.value;
        let quantity = Quantity { amount, commodity, decimals: number.decimals };
        let position = block.position;
        self.ledger.balances.push(Balance { position, date, account, quantity, tolerance });
        self.keep(block);
        Ok(())
    }

    /// Returns the ledger, with the types of its accounts.
    fn finish(mut self) -> Ledger {
        // Accounts without `open` have a type too.
        for (name, position) in std::mem::take(&mut self.posted) {
            self.account(&name, position);
        }
        let mut accounts: Vec<Account> = self.accounts.into_values().collect();
        accounts.sort_by_key(|account| account.position);
        for account in &mut accounts {
            let first = account.name.split(':').next().unwrap_or_default();
            let mut roots = self.ledger.options.roots.iter();
            let root = roots.find(|(_, root)| root == first);
            account.kind = root.map(|(letter, _)| (*letter).to_owned());
        }
        self.ledger.journal.accounts = accounts;
        self.ledger
    }
}

/// Adds a fact; one of a name that exists is a further line of it.
fn add_fact(account: &mut Account, name: &str, value: String) {
    match account.facts.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => {
            known.push('\n');
            known.push_str(&value);
        }
        None => account.facts.push((name.to_owned(), value)),
    }
}

fn decimal(text: &str) -> Option<SignedAmount> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    SignedAmount::from_digits(false, whole, fraction)
}
