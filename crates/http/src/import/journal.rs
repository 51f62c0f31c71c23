//! From a journal to a preview: each entry is a record (behaviour 15.12).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use actix_web::web::Bytes;
use daybook_domain::amount::{write, write_units};
use daybook_domain::book::Settings;
use daybook_domain::calendar::{day_number, format_iso};
use daybook_domain::id::TransactionId;
use daybook_domain::import::{
    ExistingReason, FindingState, NewReason, Outcome, OutcomeKind, RefuseReason, SkipReason,
};
use daybook_domain::name::MAX_NAME;
use daybook_domain::permission::Action;
use daybook_edge::worker::Stop;
use daybook_interchange::plan::{self, Planned, PlannedLeg, Planner, Transaction, VirtualPostings};
use daybook_interchange::read;
use daybook_interchange::read::format::Format;
use daybook_interchange::read::problem::Problem;
use daybook_service::import::Snapshot;
use daybook_storage::Tx;
use time::Date;

use super::chart::Names;
use super::document::{
    AccountDoc, CountsDoc, NewAccountDoc, OptionsDoc, RecordDoc, SummaryDoc, WarningDoc,
};
use super::failure::{Failure, Fault, FaultReason};
use super::journal_document::{BookDoc, EntryDoc, GroupDoc, JournalAccountDoc, JournalDoc};
use super::reading::{MAX_WARNINGS, Preview, check_stop, warning};
use super::spool::Writer;

/// The entries whose remote ids are looked up at once.
const LOOKED_UP: usize = 500;

/// The problems that a failure names.
const MAX_NAMED: usize = 10;

/// The property of a book with the commodity of its amounts.
const COMMODITY: &str = "commodity";

/// The ends of names of files that are not part of the name of a book.
const FILE_TYPES: [&str; 9] =
    ["journal", "hledger", "ledger", "dat", "beancount", "bean", "gnucash", "gz", "txt"];

/// Returns whether a file is read as a journal.
pub(super) fn is_journal(bytes: &[u8]) -> bool {
    read::detect(bytes).is_ok_and(Format::is_journal)
}

pub(super) fn read_journal(
    tx: &mut Tx<'_>,
    snapshot: &Snapshot,
    bytes: Bytes,
    name: &str,
    options: &OptionsDoc,
    stop: &Stop,
) -> Result<Preview, Failure> {
    let (format, journal) = read::read_journal(bytes)?;
    // A packed book of GnuCash is the same source as an unpacked one.
    let format = if format == Format::Gzip { Format::Gnucash } else { format };
    let is_new = options.is_new.unwrap_or(true);
    let settings = &snapshot.book().settings;
    let default_source = format.name().to_lowercase();
    let plan_options = plan::Options {
        source: options.source.as_deref().unwrap_or(&default_source),
        name: Some(book_name(name)).filter(|name| !name.is_empty()),
        commodity: settings.properties.get(COMMODITY).filter(|_| !is_new),
        fraction_digits: Some(settings.fraction_digits).filter(|_| !is_new),
        book_per_commodity: is_new && options.all_commodities,
        raise_fraction_digits: options.raise_fraction_digits,
        virtual_postings: match options.virtual_postings {
            Some(treatment) => treatment.into(),
            None if is_new => VirtualPostings::OwnBook,
            None => VirtualPostings::SameBook,
        },
    };
    let title = plan_options.name.or(journal.title.as_deref()).unwrap_or("Journal");
    let title: String = title.chars().take(MAX_NAME).collect();
    let planner = Planner::new(journal, &plan_options);
    let mut planner = planner.map_err(|problems| failure(&problems, is_new))?;
    let commodity = planner.books().first().map(|book| book.commodity.as_str());
    if let Some(commodity) = commodity.filter(|_| !is_new)
        && settings.is_other_currency(commodity) == Some(true)
    {
        let currency = settings.currency().unwrap_or_default();
        let message = format!("the journal is in \"{commodity}\", and the book in \"{currency}\"");
        return Err(Failure::File(Fault::new(FaultReason::SeveralCommodities, message)));
    }
    let names = Names::new(&snapshot.chart);
    let mut reading = Reading::new(snapshot, &planner, is_new, options.trashed);
    reading.read(tx, &mut planner, stop)?;
    let plan = planner.finish();
    let books: Vec<BookDoc> = if is_new {
        plan.books.iter().map(|book| book_document(book, |_| true)).collect()
    } else {
        let is_missing = |name: &str| names.find_by_name(name).is_none_or(|known| known.archived);
        plan.books.first().map(|book| book_document(book, is_missing)).into_iter().collect()
    };
    let raised = books.first().filter(|_| !is_new).and_then(|book| raise(book, settings));
    let sum = match books.as_slice() {
        [book] => Some(write_units(reading.sum, book.fraction_digits, book.fraction_digits)),
        // A sum of several commodities has no meaning.
        _ => None,
    };
    let warning_count = plan.warnings.len().saturating_add(usize::from(raised.is_some()));
    let warnings = raised.into_iter().chain(plan.warnings.iter().map(warning));
    let summary = SummaryDoc {
        format: Some(describe(format, plan.entries, reading.days)),
        counts: reading.records.counts,
        sum_in: sum.clone(),
        sum_out: sum,
        accounts_to_create: accounts_to_create(&books),
        warnings: warnings.take(MAX_WARNINGS).collect(),
        warning_count,
        sequence: snapshot.sequence,
        journal: Some(JournalDoc { name: title, is_new, books }),
        ..SummaryDoc::default()
    };
    Ok(Preview { summary, records: reading.records.writer.finish()? })
}

/// Returns the warning that the confirmation raises the decimal places of the book, if so.
fn raise(book: &BookDoc, settings: &Settings) -> Option<WarningDoc> {
    let (before, after) = (settings.fraction_digits, book.fraction_digits);
    let message = format!("the confirmation raises fractionDigits from {before} to {after}");
    (after > before).then_some(WarningDoc { line: None, column: None, message })
}

/// Returns the name of a file without its type.
fn book_name(file: &str) -> &str {
    let mut name = file.trim();
    while let Some((stem, end)) = name.rsplit_once('.')
        && FILE_TYPES.iter().any(|known| end.eq_ignore_ascii_case(known))
    {
        name = stem.trim_end();
    }
    name
}

fn failure(problems: &[Problem], is_new: bool) -> Failure {
    let named: Vec<String> = problems.iter().take(MAX_NAMED).map(Problem::to_string).collect();
    let rest = problems.len().saturating_sub(named.len());
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    let is_commodity =
        |problem: &Problem| matches!(problem.kind, read::problem::Kind::OtherCommodity { .. });
    let of_commodity = problems.iter().find(|problem| is_commodity(problem));
    let hint = if is_new && of_commodity.is_some() {
        "; with commodities=ALL each commodity gets a book"
    } else {
        ""
    };
    let reason = of_commodity.or(problems.first()).map(|problem| Fault::from(problem).reason);
    let message = format!("{}{more}{hint}", named.join("; "));
    Failure::File(Fault::new(reason.unwrap_or(FaultReason::Unreadable), message))
}

/// Says what was recognized: `beancount, 12 entries, 2026-01-02 to 2026-03-31`.
fn describe(format: Format, entries: usize, days: Option<(Date, Date)>) -> String {
    let span = days.map(|(first, last)| format!(", {} to {}", format_iso(first), format_iso(last)));
    format!("{}, {entries} entries{}", format.name(), span.unwrap_or_default())
}

/// Returns a book with the accounts that `is_missing` names, and their groups.
fn book_document(book: &plan::Book, is_missing: impl Fn(&str) -> bool) -> BookDoc {
    let missing = || book.accounts.iter().filter(|account| is_missing(&account.name));
    let mut needed: BTreeSet<&str> =
        missing().flat_map(|account| &account.groups).map(String::as_str).collect();
    // Parents precede their groups.
    for group in book.groups.iter().rev() {
        if needed.contains(group.name.as_str()) {
            needed.extend(group.parent.as_deref());
        }
    }
    let groups = book.groups.iter().filter(|group| needed.contains(group.name.as_str()));
    BookDoc {
        name: book.name.clone(),
        fraction_digits: book.fraction_digits,
        properties: book.properties.clone(),
        groups: groups
            .map(|group| GroupDoc {
                name: group.name.clone(),
                parent: group.parent.clone(),
                properties: group.properties.clone(),
            })
            .collect(),
        accounts: missing()
            .map(|account| JournalAccountDoc {
                name: account.name.clone(),
                r#type: account.kind.as_str().to_owned(),
                groups: account.groups.clone(),
                properties: account.properties.clone(),
                is_closed: account.is_archived,
            })
            .collect(),
    }
}

/// Returns the accounts of all books, each once.
fn accounts_to_create(books: &[BookDoc]) -> Vec<NewAccountDoc> {
    let all = books.iter().flat_map(|book| &book.accounts);
    let by_name: BTreeMap<&str, NewAccountDoc> = all
        .map(|account| {
            let new = NewAccountDoc {
                name: account.name.clone(),
                r#type: account.r#type.clone(),
                group: account.groups.first().cloned(),
            };
            (account.name.as_str(), new)
        })
        .collect();
    by_name.into_values().collect()
}

/// Transactions by their remote ids.
type Known = HashMap<String, (TransactionId, FindingState)>;

/// The reading of the entries of a journal.
struct Reading<'r> {
    snapshot: &'r Snapshot,
    /// The decimal places of the books.
    digits: Vec<u32>,
    is_new: bool,
    /// Whether entries in the trash are recorded again.
    restore: bool,
    /// The first and the last day of the transactions.
    days: Option<(Date, Date)>,
    /// The sum of the amounts, in units of the decimal places of their books.
    sum: i128,
    records: Records,
}

impl<'r> Reading<'r> {
    fn new(snapshot: &'r Snapshot, planner: &Planner<'_>, is_new: bool, restore: bool) -> Self {
        let digits = planner.books().iter().map(|book| book.fraction_digits).collect();
        let records = Records::default();
        Self { snapshot, digits, is_new, restore, days: None, sum: 0, records }
    }

    /// Returns the decimal places of a book.
    fn digits_of(&self, book: usize) -> u32 {
        self.digits.get(book).copied().unwrap_or_default()
    }

    /// Makes a record of each entry.
    fn read(
        &mut self,
        tx: &mut Tx<'_>,
        planner: &mut Planner<'_>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        loop {
            check_stop(stop)?;
            let chunk = planner.take(LOOKED_UP).collect::<Result<Vec<Planned>, Problem>>()?;
            if chunk.is_empty() {
                return Ok(());
            }
            let known = self.known(tx, &chunk)?;
            for planned in chunk {
                match planned {
                    Planned::Refused(problem) => self.records.refuse(&problem)?,
                    Planned::Entry(legs) => self.add_entry(&legs, &known)?,
                }
            }
        }
    }

    /// Looks up the remote ids of entries. A new book has none.
    fn known(&self, tx: &mut Tx<'_>, chunk: &[Planned]) -> Result<Known, Failure> {
        if self.is_new {
            return Ok(Known::new());
        }
        let legs = chunk.iter().flat_map(|planned| match planned {
            Planned::Entry(legs) => legs.as_slice(),
            Planned::Refused(_) => &[],
        });
        let ids: Vec<String> = legs.map(|leg| leg.transaction.remote_id.clone()).collect();
        Ok(self.snapshot.known(tx, &ids)?)
    }

    fn add_entry(&mut self, legs: &[PlannedLeg], known: &Known) -> Result<(), Failure> {
        let Some(first) = legs.first() else { return Ok(()) };
        for date in legs.iter().map(|leg| leg.transaction.date) {
            let (from, to) = self.days.unwrap_or((date, date));
            self.days = Some((from.min(date), to.max(date)));
        }
        for leg in legs {
            let digits = self.digits_of(leg.book);
            let units = leg.transaction.amount.and_then(|amount| amount.units(digits));
            self.sum = self.sum.saturating_add(units.map_or(0, i128::from));
        }
        let mut record = self.record(legs, &first.transaction);
        let outcome = self.outcome(&record, known);
        record.set_outcome(&outcome);
        record.draft &= record.kind() == OutcomeKind::New;
        self.records.add(record)
    }

    fn record(&self, legs: &[PlannedLeg], transaction: &Transaction) -> RecordDoc {
        let legs: Vec<EntryDoc> = legs.iter().map(|leg| self.leg(leg)).collect();
        let only = legs.first().filter(|_| legs.len() == 1);
        let side = |name: Option<&String>| name.map(|name| AccountDoc::named(name));
        let may_post = self.is_new || self.snapshot.access.may(Action::Post);
        RecordDoc {
            line: transaction.position.line,
            column: transaction.position.column,
            day: Some(day_number(transaction.date)),
            amount: only.and_then(|leg| leg.amount.clone()),
            description: transaction.description_with_hashtags(),
            remote_id: transaction.remote_id.clone(),
            draft: transaction.is_draft() || !may_post,
            closing: transaction.is_closing,
            from: side(only.and_then(|leg| leg.credit.as_ref())),
            to: side(only.and_then(|leg| leg.debit.as_ref())),
            entry: legs,
            ..RecordDoc::default()
        }
    }

    fn leg(&self, leg: &PlannedLeg) -> EntryDoc {
        let PlannedLeg { book, transaction } = leg;
        let digits = self.digits_of(*book);
        EntryDoc {
            book: *book,
            day: day_number(transaction.date),
            amount: transaction.amount.map(|amount| write(amount.value(), digits)),
            credit: transaction.credit.clone(),
            debit: transaction.debit.clone(),
            description: transaction.description_with_hashtags(),
            is_checked: transaction.is_checked,
            properties: transaction.properties.clone(),
            remote_id: transaction.remote_id.clone(),
        }
    }

    /// Returns the outcome of an entry by the transactions with its remote ids.
    fn outcome(&self, record: &RecordDoc, known: &Known) -> Outcome {
        let found = record.entry.iter().filter_map(|leg| known.get(&leg.remote_id));
        let of = |wanted: FindingState| {
            found.clone().find(|(_, state)| *state == wanted).map(|(id, _)| *id)
        };
        if let Some(id) = of(FindingState::Live) {
            return Outcome::Existing(ExistingReason::RemoteId(id));
        }
        let trashed = of(FindingState::Trashed);
        if let Some(id) = trashed.filter(|_| !self.restore) {
            return Outcome::Skipped(SkipReason::Trashed(id));
        }
        if let Some(date) = self.locked_date(record) {
            return Outcome::Refused(RefuseReason::Locked(date));
        }
        Outcome::New(trashed.map_or(NewReason::Unknown, NewReason::Restored))
    }

    /// Returns the first locked date of an entry.
    fn locked_date(&self, record: &RecordDoc) -> Option<Date> {
        let until = self.snapshot.book().settings.locked_until().filter(|_| !self.is_new)?;
        let days = record.entry.iter().filter_map(EntryDoc::date);
        days.filter(|day| *day <= until).min()
    }
}

/// The records of a journal on their way into the spool.
#[derive(Default)]
struct Records {
    writer: Writer,
    counts: CountsDoc,
}

impl Records {
    fn add(&mut self, record: RecordDoc) -> Result<(), Failure> {
        let record = RecordDoc { number: self.counts.total.saturating_add(1), ..record };
        self.counts.add(&record);
        Ok(self.writer.add(&record)?)
    }

    fn refuse(&mut self, problem: &Problem) -> Result<(), Failure> {
        let mut record = RecordDoc {
            line: problem.position.map_or(0, |position| position.line),
            column: problem.position.map_or(0, |position| position.column),
            ..RecordDoc::default()
        };
        record.refuse(&problem.kind.to_string());
        self.add(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn book_is_named_by_the_file_without_its_type() {
        for (file, name) in [
            ("2026.journal", "2026"),
            ("home.gnucash.gz", "home"),
            ("Household v1.2", "Household v1.2"),
            (".journal", ""),
            ("", ""),
        ] {
            assert_eq!(book_name(file), name, "{file}");
        }
    }
}
