//! From the entries of a journal to transactions and books.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Peekable;
use std::vec::IntoIter;

use daybook_domain::account::AccountType;
use daybook_domain::calendar::format_iso;
use daybook_domain::transaction::MAX_DESCRIPTION;

use super::chart::Chart;
use super::facts::{self, Facts, Hashtags, MAX_TEXT, PostingFacts, cut};
use super::identity::Identities;
use super::kind::Kind as AccountKind;
use super::model::{Account, Book, Group, Options, Plan, Transaction};
use super::naming::valid;
use super::survey::{
    BookKey, Survey, check_amounts, has_virtual_posting, is_kept, is_virtual, survey,
};
use crate::read::journal::{Entry, Journal, Leg, Mark, Posting, legs};
use crate::read::limits::{MAX_BYTES, MAX_WARNINGS};
use crate::read::problem::{Kind, Position, Problem};

/// The property with the date of the entry, where a transaction has another one.
pub const ENTRY_DATE: &str = "entry_date";

/// The most bytes of texts of a plan: descriptions, properties and hashtags.
///
/// Each transaction of an entry repeats its texts.
const MAX_TEXTS: usize = 4 * MAX_BYTES;

/// The plan of an entry of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// The transactions to record.
    Entry(Vec<PlannedLeg>),
    /// The reason why it is not recorded or cannot be read.
    Refused(Problem),
}

/// A transaction and its book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLeg {
    /// The index of the book.
    pub book: usize,
    /// The transaction.
    pub transaction: Transaction,
}

/// Plans the entries of a journal one after the other, in the order of the file.
pub struct Planner<'o> {
    options: &'o Options<'o>,
    entries: Box<dyn Iterator<Item = Result<Entry, Problem>>>,
    /// The next readable entry, held back until the unreadable ones before it are returned.
    next_readable: Option<(Position, Planned)>,
    unreadable: Peekable<IntoIter<Problem>>,
    digits: BTreeMap<String, u32>,
    places: HashMap<BookKey, usize>,
    chart: Chart,
    /// The accounts of each book.
    used: Vec<BTreeSet<usize>>,
    identities: Identities,
    /// The bytes of the texts of all transactions.
    bytes: usize,
    plan: Plan,
}

impl<'o> Planner<'o> {
    /// Finds the books of a journal and their accounts.
    ///
    /// # Errors
    /// One problem for each entry with a second commodity, where one book must take all, or a
    /// problem of the whole journal.
    pub fn new(journal: Journal, options: &'o Options<'o>) -> Result<Self, Vec<Problem>> {
        let survey = survey(&journal, options)?;
        let chart = Chart::new(&journal, &survey.posted)?;
        let mut plan = Plan {
            books: survey.books.iter().map(|key| book(key, &journal, options, &survey)).collect(),
            entries: 0,
            refused: Vec::new(),
            warnings: journal.warnings,
        };
        plan.warnings.extend(chart.warnings.iter().cloned());
        let places = survey.books.into_iter().enumerate().map(|(place, key)| (key, place));
        Ok(Self {
            options,
            entries: Box::new(journal.entries.into_values()),
            next_readable: None,
            unreadable: journal.refused.into_iter().peekable(),
            digits: survey.digits,
            places: places.collect(),
            chart,
            used: vec![BTreeSet::new(); plan.books.len()],
            identities: Identities::default(),
            bytes: 0,
            plan,
        })
    }

    /// Returns the books. [`Planner::finish`] adds their accounts.
    #[must_use]
    pub fn books(&self) -> &[Book] {
        &self.plan.books
    }

    /// Returns the books with the accounts of the entries that were planned.
    #[must_use]
    pub fn finish(mut self) -> Plan {
        for (place, (book, used)) in self.plan.books.iter_mut().zip(self.used).enumerate() {
            add_chart(book, used, &self.chart, place == 0);
        }
        self.plan
    }

    /// Plans the next entry that can be read; `None` at the end.
    fn plan_next_readable(&mut self) -> Result<Option<(Position, Planned)>, Problem> {
        while let Some(entry) = self.entries.next() {
            let entry = entry?;
            let planned = self.plan_entry(&entry).map_or_else(Planned::Refused, Planned::Entry);
            if !matches!(&planned, Planned::Entry(legs) if legs.is_empty()) {
                return Ok(Some((entry.position, planned)));
            }
        }
        Ok(None)
    }

    /// Returns the transactions of an entry.
    ///
    /// One that has only virtual postings, which are left out, has none.
    fn plan_entry(&mut self, entry: &Entry) -> Result<Vec<PlannedLeg>, Problem> {
        let identity = self.identities.next(entry);
        let problem = |kind| Problem::at(entry.position, kind);
        let all = legs(entry).ok_or_else(|| problem(Kind::AmountTooLarge))?;
        let is_empty = all.is_empty();
        let legs: Vec<Leg> =
            all.into_iter().filter(|leg| is_kept(entry, leg, self.options)).collect();
        check_amounts(entry, &legs, &self.digits)?;
        if legs.is_empty() && !is_empty {
            return Ok(Vec::new());
        }
        let (options, chart) = (self.options, &self.chart);
        let mapping = Mapping { entry, identity: &identity, options, chart };
        let (drafts, is_cut) = mapping.transactions(&legs);
        self.bytes = drafts
            .iter()
            .fold(self.bytes, |sum, (_, transaction)| sum.saturating_add(text_bytes(transaction)));
        if self.bytes > MAX_TEXTS {
            return Err(problem(Kind::TooMuchWork));
        }
        self.plan.entries += 1;
        if is_cut && self.plan.warnings.len() < MAX_WARNINGS {
            self.plan.warnings.push(problem(Kind::TextsCut));
        }
        let mut planned = Vec::with_capacity(drafts.len());
        for (leg, transaction) in drafts {
            let key = leg.map_or_else(BookKey::default, |leg| {
                (leg.commodity.to_string(), is_virtual(entry, leg, options))
            });
            let book = self.places.get(&key).copied().unwrap_or_default();
            if let (Some(leg), Some(used)) = (leg, self.used.get_mut(book)) {
                used.extend([&leg.credit, &leg.debit].iter().filter_map(|side| chart.index(side)));
            }
            planned.push(PlannedLeg { book, transaction });
        }
        Ok(planned)
    }
}

impl Iterator for Planner<'_> {
    type Item = Result<Planned, Problem>;

    /// Plans the next entry.
    ///
    /// # Errors
    /// Those of [`Packed::iter`](crate::read::packed::Packed::iter).
    fn next(&mut self) -> Option<Self::Item> {
        if self.next_readable.is_none() {
            match self.plan_next_readable() {
                Ok(next) => self.next_readable = next,
                Err(problem) => return Some(Err(problem)),
            }
        }
        let place = self.next_readable.as_ref().map(|(position, _)| *position);
        let precedes = |problem: &Problem| place.is_none_or(|place| problem.position < Some(place));
        if let Some(problem) = self.unreadable.next_if(precedes) {
            return Some(Ok(Planned::Refused(problem)));
        }
        self.next_readable.take().map(|(_, planned)| Ok(planned))
    }
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
}

/// An entry and what it is mapped with.
struct Mapping<'e> {
    entry: &'e Entry,
    identity: &'e str,
    options: &'e Options<'e>,
    chart: &'e Chart,
}

impl Mapping<'_> {
    /// Makes a transaction of each leg, or a draft if there is none.
    ///
    /// Also returns whether texts were cut.
    fn transactions<'l>(&self, legs: &'l [Leg]) -> (Vec<(Option<&'l Leg>, Transaction)>, bool) {
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
            hashtags.add_tags(&self.entry.tags);
            self.entry.links.iter().for_each(|link| hashtags.add(link));
            if let Some(leg) = leg {
                self.add_postings(leg, rest, &mut own, &mut hashtags);
            }
            is_cut |= own.is_cut;
            let transaction = Transaction {
                position: self.entry.position,
                date: leg.map_or(self.entry.date, |leg| leg.date),
                amount: leg.and_then(|leg| leg.amount.magnitude()),
                credit: leg.and_then(|leg| self.chart.name(&leg.credit)),
                debit: leg.and_then(|leg| self.chart.name(&leg.debit)),
                description: description.to_owned(),
                hashtags: hashtags.into_tags(),
                is_checked: leg.is_some_and(|leg| self.is_checked(leg)),
                is_closing: is_closing && leg.is_some(),
                properties: own.into_values(),
                remote_id: format!("{}:{}:{number}", self.options.source, self.identity),
            };
            transactions.push((leg, transaction));
        }
        (transactions, is_cut)
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
            hashtags.add_tags(&posting.tags);
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
                Some(AccountKind::Equity) => has_equity = true,
                _ => return false,
            }
        }
        has_result && has_equity
    }
}
