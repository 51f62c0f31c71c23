//! Books from the entries of a journal.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use daybook_domain::account::AccountType;
use daybook_domain::calendar::format_iso;
use daybook_domain::transaction::MAX_DESCRIPTION;

use super::chart::Chart;
use super::facts::{self, Facts, Hashtags, MAX_TEXT, PostingFacts, cut};
use super::identity::Identities;
use super::kept;
use super::kind::Kind;
use super::model::{Account, Book, Group, Options, Plan, Transaction};
use super::naming::valid;
use super::survey::{BookKey, Survey, has_virtual_posting, is_kept, is_virtual};
use crate::read::journal::{Entry, Journal, Leg, Mark, Posting, legs};
use crate::read::limits::{MAX_BYTES, MAX_WARNINGS};
use crate::read::problem::{self, Problem};

/// The property with the date of the entry, where a transaction has another one.
pub const ENTRY_DATE: &str = "entry_date";

/// The most bytes of texts of a plan: descriptions, properties and hashtags.
///
/// Each transaction of an entry repeats its texts.
const MAX_TEXTS: usize = 4 * MAX_BYTES;

/// Makes the books of a journal.
pub(crate) fn build(journal: Journal, options: &Options<'_>, survey: Survey, chart: Chart) -> Plan {
    let mut plan = Plan {
        books: survey.books.iter().map(|key| book(key, &journal, options, &survey)).collect(),
        files: kept::files(&journal),
        entries: 0,
        refused: journal.refused,
        warnings: journal.warnings,
    };
    plan.warnings.extend(chart.warnings.iter().cloned());
    let mut used: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); plan.books.len()];
    let places: HashMap<&BookKey, usize> =
        survey.books.iter().enumerate().map(|(place, key)| (key, place)).collect();
    let mut identities = Identities::default();
    let mut bytes = 0_usize;
    for (index, entry) in journal.entries.into_iter().enumerate() {
        let identity = identities.next(&entry);
        if let Some(problem) = survey.refused.get(&index) {
            plan.refused.push(problem.clone());
            continue;
        }
        let mapping = Mapping { entry: &entry, identity: &identity, options, chart: &chart };
        let planned = mapping.transactions();
        bytes = planned
            .transactions
            .iter()
            .fold(bytes, |sum, (_, transaction)| sum.saturating_add(text_bytes(transaction)));
        if bytes > MAX_TEXTS {
            plan.refused.push(Problem::at(entry.position, problem::Kind::TooMuchWork));
            continue;
        }
        if planned.transactions.is_empty() {
            // It has virtual postings alone, which are left out.
            continue;
        }
        plan.entries += 1;
        if planned.is_cut && plan.warnings.len() < MAX_WARNINGS {
            plan.warnings.push(Problem::at(entry.position, problem::Kind::TextsCut));
        }
        for (key, transaction) in planned.transactions {
            let place = places.get(&key).copied().unwrap_or_default();
            if let (Some(book), Some(used)) = (plan.books.get_mut(place), used.get_mut(place)) {
                used.extend(transaction.credit.into_iter().chain(transaction.debit));
                book.transactions.push(transaction);
            }
        }
    }
    for (place, (book, used)) in plan.books.iter_mut().zip(used).enumerate() {
        add_chart(book, used, &chart, place == 0);
    }
    plan.refused.sort_by_key(|problem| problem.position);
    plan
}

fn text_bytes(transaction: &Transaction) -> usize {
    let properties = transaction.properties.iter().map(|(key, value)| key.len() + value.len());
    let hashtags = transaction.hashtags.iter().map(String::len);
    transaction.description.len() + properties.chain(hashtags).sum::<usize>()
}

fn book(key: &BookKey, journal: &Journal, options: &Options<'_>, survey: &Survey) -> Book {
    let (commodity, is_virtual) = key;
    let named = options.name.or(journal.title.as_deref());
    let mut name = named.unwrap_or("Journal").to_owned();
    let mut properties = BTreeMap::new();
    if survey.books.len() > 1 && !commodity.is_empty() {
        name.push(' ');
        name.push_str(commodity);
    }
    if *is_virtual {
        name.push_str(" virtual");
        properties.insert("virtual".to_owned(), "true".to_owned());
    }
    if !commodity.is_empty() {
        properties.insert("commodity".to_owned(), cut(commodity, MAX_TEXT).to_owned());
    }
    Book {
        name: valid(&name),
        commodity: commodity.clone(),
        is_virtual: *is_virtual,
        fraction_digits: survey.digits.get(commodity).copied().unwrap_or_default(),
        properties,
        groups: Vec::new(),
        accounts: Vec::new(),
        transactions: Vec::new(),
    }
}

/// Adds the accounts that a book uses.
///
/// The first book also gets those that are only declared.
fn add_chart(book: &mut Book, mut used: BTreeSet<usize>, chart: &Chart, is_first: bool) {
    if is_first {
        let declared = chart.accounts.iter().enumerate().filter(|(_, entry)| entry.is_declared);
        used.extend(declared.map(|(index, _)| index));
    }
    let mut groups: BTreeSet<usize> = BTreeSet::new();
    let mut indices: HashMap<usize, usize> = HashMap::new();
    for index in used {
        let Some(entry) = chart.accounts.get(index) else { continue };
        for group in &entry.groups {
            let mut next = Some(*group);
            while let Some(group) = next.filter(|group| groups.insert(*group)) {
                next = chart.groups.get(group).and_then(|entry| entry.parent);
            }
        }
        let name = |group: &usize| chart.groups.get(*group).map(|entry| entry.group.name.clone());
        let groups = entry.groups.iter().filter_map(name).collect();
        indices.insert(index, book.accounts.len());
        book.accounts.push(Account { groups, ..entry.account.clone() });
    }
    let entries = groups.into_iter().filter_map(|index| chart.groups.get(index));
    book.groups = entries
        .map(|entry| {
            let parent = entry.parent.and_then(|index| chart.groups.get(index));
            let parent = parent.map(|parent| parent.group.name.clone());
            Group { parent, ..entry.group.clone() }
        })
        .collect();
    let place = |side: Option<usize>| side.and_then(|index| indices.get(&index).copied());
    for transaction in &mut book.transactions {
        transaction.credit = place(transaction.credit);
        transaction.debit = place(transaction.debit);
    }
}

/// An entry and what it is mapped with.
struct Mapping<'e> {
    entry: &'e Entry,
    identity: &'e str,
    options: &'e Options<'e>,
    chart: &'e Chart,
}

/// The transactions of an entry, each with its book.
struct Planned {
    transactions: Vec<(BookKey, Transaction)>,
    is_cut: bool,
}

impl Mapping<'_> {
    fn transactions(&self) -> Planned {
        let all = legs(self.entry).unwrap_or_default();
        let is_empty = all.is_empty();
        let legs: Vec<Leg> =
            all.into_iter().filter(|leg| is_kept(self.entry, leg, self.options)).collect();
        if legs.is_empty() && !is_empty {
            return Planned { transactions: Vec::new(), is_cut: false };
        }
        let mut common = facts::of_entry(self.entry);
        if legs.len() > 1 {
            common.add("entry_id", &format!("{}:{}", self.options.source, self.identity), MAX_TEXT);
        }
        let description = cut(&self.entry.description, MAX_DESCRIPTION);
        let mut is_cut = description.len() < self.entry.description.len();
        let is_closing = self.is_closing();
        let count = legs.len().max(1);
        let mut transactions = Vec::with_capacity(count);
        for number in 1..=count {
            let leg = number.checked_sub(1).and_then(|index| legs.get(index));
            let rest = legs.get(number..).unwrap_or_default();
            let mut own = common.clone();
            if number == 1 && self.needs_postings(legs.len()) {
                own.add("postings", self.written_postings(), MAX_TEXT);
            }
            if leg.is_some_and(|leg| leg.date != self.entry.date) {
                own.add(ENTRY_DATE, &format_iso(self.entry.date), MAX_TEXT);
            }
            let mut hashtags = Hashtags::new(description);
            hashtags.add_tags(&self.entry.details().tags);
            self.entry.details().links.iter().for_each(|link| hashtags.add(link));
            if let Some(leg) = leg {
                self.add_postings(leg, rest, &mut own, &mut hashtags);
            }
            is_cut |= own.is_cut;
            let key = leg.map_or_else(BookKey::default, |leg| {
                (leg.commodity.to_string(), is_virtual(self.entry, leg, self.options))
            });
            let transaction = Transaction {
                position: self.entry.position,
                date: leg.map_or(self.entry.date, |leg| leg.date),
                amount: leg.and_then(|leg| leg.amount.magnitude()),
                credit: leg.and_then(|leg| self.chart.index(&leg.credit)),
                debit: leg.and_then(|leg| self.chart.index(&leg.debit)),
                description: description.to_owned(),
                hashtags: hashtags.into_tags(),
                is_checked: leg.is_some_and(|leg| self.is_checked(leg)),
                is_closing: is_closing && leg.is_some(),
                properties: own.into_values(),
                remote_id: format!("{}:{}:{number}", self.options.source, self.identity),
            };
            transactions.push((key, transaction));
        }
        Planned { transactions, is_cut }
    }

    fn posting(&self, index: Option<usize>) -> Option<&Posting> {
        index.and_then(|index| self.entry.postings.get(index))
    }

    /// Adds the properties and hashtags of the postings of a leg.
    ///
    /// `rest` are the legs behind it.
    fn add_postings(&self, leg: &Leg, rest: &[Leg], own: &mut Facts, hashtags: &mut Hashtags) {
        let (credit, debit) = leg.postings;
        let side = |index: Option<usize>, is_later: bool| {
            self.posting(index)
                .map(|posting| facts::of_posting(self.entry, posting, !is_later))
                .unwrap_or_default()
        };
        let of_credit: PostingFacts =
            side(credit, rest.iter().any(|later| later.postings.0 == credit));
        let of_debit: PostingFacts =
            side(debit, rest.iter().any(|later| later.postings.1 == debit));
        facts::add_sides(own, &of_credit, &of_debit);
        for posting in [credit, debit].into_iter().filter_map(|index| self.posting(index)) {
            hashtags.add_tags(&posting.details().tags);
        }
        if has_virtual_posting(self.entry, leg) {
            hashtags.add("virtual");
        }
    }

    /// Returns whether the legs do not show all postings.
    fn needs_postings(&self, legs: usize) -> bool {
        let is_zero = |posting: &Posting| {
            posting.quantity.as_ref().is_none_or(|quantity| quantity.amount.is_zero())
        };
        legs != 1 || self.entry.postings.iter().any(is_zero)
    }

    fn written_postings(&self) -> &str {
        self.entry.written.split_once('\n').map(|(_, postings)| postings).unwrap_or_default()
    }

    /// Returns whether a leg is checked.
    ///
    /// The mark of the entry decides. Without one, a side is cleared, and so are both in accounts
    /// that have statements.
    fn is_checked(&self, leg: &Leg) -> bool {
        match self.entry.mark {
            Mark::Cleared => return true,
            Mark::Pending => return false,
            Mark::Unmarked => {}
        }
        let (credit, debit) = leg.postings;
        let mut sides = [credit, debit].into_iter().filter_map(|index| self.posting(index));
        let has_statements = |posting: &Posting| {
            let kind = self.chart.kind(&posting.account);
            kind.is_none_or(|kind| {
                !kind.is_equity()
                    && matches!(kind.account_type(), AccountType::Asset | AccountType::Liability)
            })
        };
        let is_cleared = |posting: &Posting| posting.mark == Mark::Cleared;
        let is_any = sides.clone().any(is_cleared);
        is_any && sides.all(|posting| is_cleared(posting) || !has_statements(posting))
    }

    /// Returns whether the entry is between income or expenses and equity alone.
    fn is_closing(&self) -> bool {
        let (mut has_result, mut has_equity) = (false, false);
        for posting in &self.entry.postings {
            match self.chart.kind(&posting.account) {
                Some(kind) if kind.is_result() => has_result = true,
                Some(Kind::Equity) => has_equity = true,
                _ => return false,
            }
        }
        has_result && has_equity
    }
}
