//! The journal of a book.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::parse::{self, Book, CommodityKey, Split, Transaction};
use crate::read::amount::{MAX_DECIMALS, SignedAmount};
use crate::read::journal::{
    Account, Commodity, Cost, Entry, Journal, Mark, Posting, Price, Quantity, SharedText,
};
use crate::read::limits::MAX_DEPTH;
use crate::read::problem::{Kind, Problem, excerpt};
use daybook_domain::calendar::format_iso;

pub(crate) fn journal(book: Book) -> Result<Journal, Problem> {
    let mut symbols = Symbols::default();
    let mut journal = Journal::default();
    for (key, fraction) in &book.commodities {
        let Some(symbol) = symbols.of(key) else { continue };
        let commodity = places(&format!("1/{fraction}"))
            .map(|decimals| Commodity { symbol: symbol.to_string(), decimals });
        journal.commodities.extend(commodity);
    }
    let accounts = accounts(&book.accounts, &mut symbols, &mut journal);
    for price in &book.prices {
        let (Some(commodity), Some(currency)) =
            (symbols.of(&price.commodity), symbols.of(&price.currency))
        else {
            continue;
        };
        let (Some(date), Some(value)) = (price.date, fraction(&price.value)) else { continue };
        let price = Quantity::new(value, currency);
        journal.prices.push(Price { date, commodity: commodity.to_string(), price });
    }
    for transaction in book.transactions {
        match entry(transaction, &accounts, &mut symbols) {
            Ok(entry) => journal.entries.push(&entry)?,
            Err(problem) => journal.refused.push(problem),
        }
    }
    Ok(journal)
}

/// The symbols of commodities: the name, with the namespace where two have one name.
#[derive(Default)]
struct Symbols {
    by_key: HashMap<CommodityKey, SharedText>,
    taken: BTreeSet<SharedText>,
}

impl Symbols {
    /// Returns the symbol; `None` for no commodity and for that of templates.
    fn of(&mut self, key: &CommodityKey) -> Option<SharedText> {
        let (space, name) = key;
        if name.is_empty() || space == "template" {
            return None;
        }
        if let Some(symbol) = self.by_key.get(key) {
            return Some(symbol.clone());
        }
        let mut symbol = SharedText::from(name.as_str());
        if !self.taken.insert(symbol.clone()) {
            symbol = format!("{space}:{name}").into();
        }
        self.taken.insert(symbol.clone());
        self.by_key.insert(key.clone(), symbol.clone());
        Some(symbol)
    }
}

/// Accounts by their identifiers: the whole path and the commodity.
type Accounts = HashMap<String, (SharedText, Option<SharedText>)>;

fn accounts(written: &[parse::Account], symbols: &mut Symbols, journal: &mut Journal) -> Accounts {
    let by_id: HashMap<&str, &parse::Account> =
        written.iter().map(|account| (account.id.as_str(), account)).collect();
    let mut accounts = Accounts::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for account in written {
        if account.kind == "ROOT" {
            continue;
        }
        let Some(path) = path(account, &by_id) else {
            journal.warnings.push(Problem::at(account.position, Kind::TooDeep));
            continue;
        };
        // GnuCash distinguishes accounts of one name by their identifiers.
        let mut name = path.clone();
        let mut number = 1_u32;
        while !taken.insert(name.clone()) {
            number = number.saturating_add(1);
            name = format!("{path} ({number})");
        }
        let slot = |key: &str| account.slots.iter().find(|(known, _)| known == key);
        let fact = |name: &str, value: &str| {
            (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
        };
        let placeholder = slot("placeholder").filter(|(_, value)| value == "true");
        let facts = [
            fact("gnucash_type", &account.kind),
            fact("code", &account.code),
            fact("description", &account.description),
            slot("notes").and_then(|(_, notes)| fact("notes", notes)),
            placeholder.and_then(|_| fact("placeholder", "true")),
        ];
        journal.accounts.push(Account {
            position: account.position,
            name: name.clone(),
            kind: kind(&account.kind).map(str::to_owned),
            is_closed: slot("hidden").is_some_and(|(_, value)| value == "true"),
            facts: facts.into_iter().flatten().collect(),
            tags: Vec::new(),
        });
        accounts.insert(account.id.clone(), (name.into(), symbols.of(&account.commodity)));
    }
    accounts
}

/// Returns the path of an account without the root; `None` if it is too deep.
fn path(account: &parse::Account, by_id: &HashMap<&str, &parse::Account>) -> Option<String> {
    let mut names = Vec::new();
    let mut next = Some(account);
    while let Some(account) = next.filter(|account| account.kind != "ROOT") {
        if names.len() >= MAX_DEPTH {
            return None;
        }
        // A colon separates the parts of a path.
        names.push(account.name.replace(':', "/"));
        next = account.parent.as_ref().and_then(|id| by_id.get(id.as_str())).copied();
    }
    names.reverse();
    Some(names.join(":"))
}

/// Returns the letter that hledger has for a type of GnuCash.
fn kind(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "ASSET" | "STOCK" | "MUTUAL" | "RECEIVABLE" | "CURRENCY" => "A",
        "BANK" | "CASH" | "CHECKING" | "SAVINGS" | "MONEYMRKT" => "C",
        "LIABILITY" | "CREDIT" | "PAYABLE" | "CREDITLINE" => "L",
        "EQUITY" => "E",
        "TRADING" => "V",
        "INCOME" => "R",
        "EXPENSE" => "X",
        _ => return None,
    })
}

/// Returns the decimal places that a fraction has as written: 2 for `-1050/100`.
fn places(text: &str) -> Option<u32> {
    let (_, denominator) = text.trim().split_once('/')?;
    let zeros = denominator.strip_prefix('1')?;
    u32::try_from(zeros.len()).ok().filter(|_| zeros.bytes().all(|byte| byte == b'0'))
}

/// Parses a fraction such as `-1050/100`; `None` unless it is a decimal.
fn fraction(text: &str) -> Option<SignedAmount> {
    let (numerator, denominator) = text.trim().split_once('/').unwrap_or((text.trim(), "1"));
    let (is_negative, digits) =
        numerator.strip_prefix('-').map_or((false, numerator), |digits| (true, digits));
    let numerator = SignedAmount::from_digits(is_negative, digits, "")?;
    let denominator = SignedAmount::from_digits(false, denominator, "")?;
    let quotient = numerator.checked_div(denominator, MAX_DECIMALS)?;
    (quotient.checked_mul(denominator)? == numerator).then_some(quotient)
}

fn entry(
    transaction: Transaction,
    accounts: &Accounts,
    symbols: &mut Symbols,
) -> Result<Entry, Problem> {
    let problem = |kind| Problem::at(transaction.position, kind);
    let date = transaction.date.ok_or_else(|| problem(Kind::MissingDate))?;
    let currency = symbols.of(&transaction.currency).unwrap_or_default();
    let mut sum = SignedAmount::ZERO;
    let mut postings = Vec::with_capacity(transaction.splits.len());
    for split in transaction.splits {
        let (posting, value) = posting(split, &currency, accounts)?;
        sum = sum.checked_add(value).ok_or_else(|| problem(Kind::MissingAmount))?;
        postings.push(posting);
    }
    if !sum.is_zero() {
        return Err(problem(Kind::Unbalanced(sum)));
    }
    let mut slots: BTreeMap<String, String> = transaction.slots.into_iter().collect();
    let comment = slots.remove("notes").unwrap_or_default();
    let code = Some(transaction.num).filter(|num| !num.is_empty());
    let tags = slots.into_iter().collect();
    let written = written(&postings);
    Ok(Entry {
        source_id: Some(transaction.id).filter(|id| !id.is_empty()),
        description: transaction.description,
        postings,
        code,
        comment,
        tags,
        ..Entry::new(transaction.position, date, written)
    })
}

/// Writes postings as lines of a journal.
fn written(postings: &[Posting]) -> String {
    let mut written = String::new();
    for posting in postings {
        let quantity = posting.quantity.as_ref();
        let (amount, commodity) = quantity
            .map(|quantity| (quantity.amount, quantity.commodity.as_str()))
            .unwrap_or_default();
        let memo = posting.comment.replace('\n', " ");
        let comment = if memo.is_empty() { "" } else { "  ; " };
        written.push_str(&format!("\n  {}  {amount} {commodity}{comment}{memo}", posting.account));
    }
    written
}

/// Makes a posting, and returns its value in the currency of the transaction.
fn posting(
    split: Split,
    currency: &SharedText,
    accounts: &Accounts,
) -> Result<(Posting, SignedAmount), Problem> {
    let amount = |text: &str| {
        let kind = || Kind::InvalidAmount(excerpt(text));
        fraction(text).ok_or_else(|| Problem::at(split.position, kind()))
    };
    let value = amount(&split.value)?;
    let unknown = || Problem::at(split.position, Kind::UnknownAccount(excerpt(&split.account)));
    let (account, commodity) = accounts.get(&split.account).ok_or_else(unknown)?;
    let commodity = commodity.clone().unwrap_or_else(|| currency.clone());
    let is_other = commodity != *currency;
    let written = if is_other { &split.quantity } else { &split.value };
    let units = amount(written)?;
    let decimals = places(written).unwrap_or_default().max(units.decimals());
    let cost = Quantity::new(value.absolute(), currency.clone());
    let mut tags = split.slots;
    if !split.action.is_empty() {
        tags.push(("action".to_owned(), split.action));
    }
    if !matches!(split.state.as_str(), "" | "n" | "y") {
        tags.push(("reconciled".to_owned(), split.state.clone()));
    }
    let day = split.reconciled.filter(|_| split.state == "y");
    tags.extend(day.map(|day| ("reconciled_on".to_owned(), format_iso(day))));
    let posting = Posting {
        mark: if split.state == "y" { Mark::Cleared } else { Mark::Unmarked },
        quantity: Some(Quantity { amount: units, commodity, decimals }),
        cost: is_other.then_some(Cost { quantity: cost, is_total: true, lot: None }),
        comment: split.memo,
        tags,
        ..Posting::new(split.position, account.clone())
    };
    Ok((posting, value))
}
