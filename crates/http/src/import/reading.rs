//! From the bytes of a file to a preview, on one snapshot of the book.
//!
//! 1. The reader passes the records on, and they are spooled. Afterwards the statements are known.
//! 2. The accounts of the records are resolved, and equal records are counted.
//! 3. The remote ids are looked up, block by block. Records that are new are kept for matching.
//! 4. Records are matched, and get suggestions and the accounts of their transactions.
//!
//! The records themselves are in the spool, with less than 64 bytes each. Beside it, the first step
//! holds the file and 20 bytes a record, the second one 24 bytes a record, the third one 64.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use actix_web::web::Bytes;
use daybook_domain::account::Account;
use daybook_domain::amount::write_units;
use daybook_domain::book::{Book, Settings};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::import::{
    Census, History, Identities, Match, MatchTarget, Matcher, Matches, NUMBER_PROPERTY, NewReason,
    Options, Outcome, OutcomeKind, OwnAccount, OwnAccounts, Record, RefuseReason,
    UNCATEGORISED_EXPENSES, UNCATEGORISED_INCOME, classify, finish,
};
use daybook_domain::transaction::Transaction;
use daybook_edge::worker::Stop;
use daybook_interchange::read::format::Format;
use daybook_interchange::read::problem::Problem;
use daybook_interchange::read::record::{Statement, Summary};
use daybook_interchange::read::rules::Rules;
use daybook_service::import::Snapshot;
use daybook_storage::Tx;

use super::chart::{Names, account_document};
use super::document::{
    CountsDoc, MatchDoc, NewAccountDoc, OptionsDoc, OtherDoc, RecordDoc, StatementDoc,
    SuggestionDoc, SummaryDoc, WarningDoc,
};
use super::failure::{Failure, Fault, FaultReason};
use super::parsing::parse;
use super::resolving::{Resolver, posting_options};
use super::spool::{Spool, Writer};

/// The warnings that are shown.
pub(super) const MAX_WARNINGS: usize = 100;

/// The statements that a failure names.
const MAX_NAMED: usize = 10;

/// How a failure names a statement without a number.
const WITHOUT_NUMBER: &str = "without a number";

/// A preview: the document, and the records.
pub(super) struct Preview {
    pub(super) summary: SummaryDoc,
    pub(super) records: Spool,
}

/// Ends the reading when the process is about to end. Another process reads the file again.
pub(super) fn check_stop(stop: &Stop) -> Result<(), Failure> {
    if stop.is_requested() { Err(daybook_storage::Error::Stopped.into()) } else { Ok(()) }
}

/// Reads a file.
///
/// Work in progress is given up when `stop` is requested.
pub(super) fn read_file(
    tx: &mut Tx<'_>,
    snapshot: &Snapshot,
    bytes: Bytes,
    options: &OptionsDoc,
    rules: Option<&Rules>,
    stop: &Stop,
) -> Result<Preview, Failure> {
    let book = snapshot.book();
    let (scale, digits) = (book.scale, book.settings.fraction_digits);
    let names = Names::new(&snapshot.chart);
    let (found, parsed) = parse(bytes, options, rules, scale, digits)?;
    let own = own_accounts(&snapshot.chart);
    let resolved = Accounts::resolve(&found, options, &names)?;
    let scheme = scheme(found.detection.format);
    let (identities, resolved_records) = count(&resolved, parsed, &names, &found, scheme, book)?;
    let uncategorised = [UNCATEGORISED_EXPENSES, UNCATEGORISED_INCOME];
    let uncategorised: Vec<AccountId> =
        uncategorised.iter().filter_map(|name| names.find(name)).map(|found| found.id).collect();
    let rule_options =
        Options { restore_trashed: options.trashed, locked_until: book.settings.locked_until() };
    let mut matcher = Matcher::new(scheme, &own, uncategorised.clone())
        .with_locked_until(rule_options.locked_until);
    let classified =
        look_up(tx, snapshot, &identities, resolved_records, rule_options, &mut matcher, stop)?;
    drop(identities);
    let mut offers = matcher.ready();
    snapshot.offer(tx, &mut offers)?;
    let matches = offers.assign();
    let accounts: BTreeSet<AccountId> = resolved.all().collect();
    let history = learn(tx, snapshot, &accounts, &uncategorised)?;
    let resolver = Resolver::new(&names, posting_options(&snapshot.access, options), None);
    let last = LastPass { own: &own, matches: &matches, history: &history, rule_options, stop };
    let (records, totals, new_accounts) = last.run(classified, resolver)?;
    let amount = |units: i128| write_units(units, scale, digits);
    let statements = resolved.documents(&found, &totals, scale, digits);
    let named = options.account.as_deref().and_then(|text| names.find(text));
    let summary = SummaryDoc {
        format: Some(found.detection.to_string()),
        account: named.map(account_document),
        counts: totals.counts,
        sum_in: Some(amount(totals.sum_in())),
        sum_out: Some(amount(totals.sum_out())),
        statements,
        accounts_to_create: new_accounts.into_iter().collect(),
        warnings: found.warnings.iter().take(MAX_WARNINGS).map(warning).collect(),
        warning_count: found.warning_count,
        sequence: snapshot.sequence,
        ..SummaryDoc::default()
    };
    Ok(Preview { summary, records })
}

pub(super) fn warning(problem: &Problem) -> WarningDoc {
    WarningDoc {
        line: problem.position.map(|position| position.line),
        column: problem.position.map(|position| position.column),
        message: problem.kind.to_string(),
    }
}

/// The first part of the remote ids of a format.
const fn scheme(format: Format) -> &'static str {
    match format {
        Format::Ofx => "ofx",
        Format::Qif => "qif",
        Format::Camt => "camt",
        Format::Mt940 => "mt940",
        Format::Csv
        | Format::Journal
        | Format::Beancount
        | Format::Gnucash
        | Format::JsonLines
        | Format::Zip
        | Format::Xlsx
        | Format::Ods
        | Format::Xls
        | Format::Gzip
        | Format::Html
        | Format::Xml => "csv",
    }
}

fn own_accounts(chart: &[Account]) -> OwnAccounts {
    OwnAccounts::new(chart.iter().filter(|account| account.kind.is_permanent()).map(|account| {
        OwnAccount {
            id: account.id,
            name: account.name.as_str().to_owned(),
            number: account.properties.get(NUMBER_PROPERTY).map(str::to_owned),
        }
    }))
}

/// The accounts of the statements.
struct Accounts<'n> {
    default: Option<&'n Account>,
    of_statements: Vec<Option<&'n Account>>,
}

impl<'n> Accounts<'n> {
    fn resolve(found: &Summary, options: &OptionsDoc, names: &Names<'n>) -> Result<Self, Failure> {
        let default = match options.account.as_deref() {
            Some(text) => Some(permanent(names.find(text), text)?),
            None => None,
        };
        let of_statements: Vec<Option<&Account>> = found
            .statements
            .iter()
            .map(|statement| {
                let own = statement.account.as_deref().and_then(|text| names.find_own(text));
                own.or(default)
            })
            .collect();
        let unknown: Vec<&str> = found
            .statements
            .iter()
            .zip(&of_statements)
            .filter(|(statement, account)| account.is_none() && statement.records > 0)
            .map(|(statement, _)| statement.account.as_deref().unwrap_or(WITHOUT_NUMBER))
            .take(MAX_NAMED)
            .collect();
        // The records of such a statement may name their accounts themselves.
        let is_named = found.statements.len() <= 1 && unknown == [WITHOUT_NUMBER];
        if unknown.is_empty() || is_named {
            Ok(Self { default, of_statements })
        } else {
            Err(unknown_account(&unknown))
        }
    }

    fn of(&self, record: &RecordDoc, names: &Names<'n>) -> Option<&'n Account> {
        let named = record.own_name.as_deref().and_then(|text| names.find_own(text));
        let of_statement =
            record.statement.and_then(|index| self.of_statements.get(index).copied().flatten());
        named.or(of_statement).or(self.default)
    }

    fn all(&self) -> impl Iterator<Item = AccountId> + '_ {
        self.of_statements.iter().flatten().chain(&self.default).map(|account| account.id)
    }

    fn documents(
        &self,
        found: &Summary,
        totals: &Totals,
        scale: u32,
        digits: u32,
    ) -> Vec<StatementDoc> {
        let amount = |units: i128| write_units(units, scale, digits);
        let balance = |units: Option<i128>| units.map(amount);
        let each = found.statements.iter().zip(&self.of_statements).enumerate();
        each.map(|(index, (statement, account))| {
            let sums = totals.statements.get(&index).copied().unwrap_or_default();
            let [opening, closing] = [&statement.opening, &statement.closing]
                .map(|balance| balance.as_ref().and_then(|balance| balance.amount.units(scale)));
            // Balances of 30 digits may differ by more than an integer of 128 bits.
            let difference = closing.zip(opening).and_then(|(closing, opening)| {
                let change = closing.checked_sub(opening)?;
                change.checked_sub(sums.money_in)?.checked_add(sums.money_out)
            });
            StatementDoc {
                account: account.map(account_document),
                number: statement.account.clone(),
                currency: statement.currency.clone(),
                count: sums.count,
                sum_in: amount(sums.money_in),
                sum_out: amount(sums.money_out),
                opening: balance(opening),
                closing: balance(closing),
                difference: balance(difference),
            }
        })
        .collect()
    }
}

fn unknown_account(statements: &[&str]) -> Failure {
    no_account(format!(
        "the account of these statements is unknown: {}; name an account, or give an account of \
         the book the property {NUMBER_PROPERTY}",
        statements.join(", ")
    ))
}

fn no_account(message: String) -> Failure {
    Failure::File(Fault::new(FaultReason::UnknownAccount, message))
}

fn permanent<'n>(account: Option<&'n Account>, text: &str) -> Result<&'n Account, Failure> {
    let shown: String = text.chars().take(60).collect();
    let account = account.ok_or_else(|| no_account(format!("Account not found: {shown}")))?;
    if account.archived {
        return Err(no_account(format!("account \"{shown}\" is archived")));
    }
    if account.kind.is_permanent() {
        Ok(account)
    } else {
        Err(no_account(format!(
            "account \"{shown}\" is not permanent: statements are of ASSET and LIABILITY accounts"
        )))
    }
}

/// Resolves the accounts of the records, and counts equal records.
fn count(
    accounts: &Accounts<'_>,
    parsed: Spool,
    names: &Names<'_>,
    found: &Summary,
    scheme: &'static str,
    book: &Book,
) -> Result<(Identities, Spool), Failure> {
    let first = found.statements.iter().find_map(|statement| statement.currency.clone());
    let mut currency = Currency { settings: &book.settings, first };
    let mut census = Census::new(scheme, book.scale).with_capacity(parsed.count());
    let mut writer = Writer::default();
    for block in parsed.into_blocks() {
        for mut record in block? {
            if record.outcome.is_empty() {
                if record.own_name.is_none() && accounts.of(&record, names).is_none() {
                    return Err(unknown_account(&[WITHOUT_NUMBER]));
                }
                resolve_accounts(&mut record, accounts, names, found, &mut currency);
            }
            if record.outcome.is_empty() {
                census.add(&record.to_record());
            }
            writer.add(&record)?;
        }
    }
    Ok((census.finish(), writer.finish()?))
}

/// The currency of the records: that of the book, else that of the first record of the file.
struct Currency<'b> {
    settings: &'b Settings,
    first: Option<String>,
}

impl Currency<'_> {
    /// Returns whether a record in this currency is refused.
    fn is_other(&mut self, currency: &str) -> bool {
        self.settings.is_other_currency(currency).unwrap_or_else(|| {
            let first = self.first.get_or_insert_with(|| currency.to_owned());
            first != currency
        })
    }
}

/// Sets the accounts of a record, or refuses it.
fn resolve_accounts(
    record: &mut RecordDoc,
    accounts: &Accounts<'_>,
    names: &Names<'_>,
    found: &Summary,
    currency: &mut Currency<'_>,
) {
    let statement: Option<&Statement> =
        record.statement.and_then(|index| found.statements.get(index));
    record.account_number = statement.and_then(|statement| statement.account.clone());
    let of_statement = || statement.and_then(|statement| statement.currency.clone());
    let stated = record.currency.clone().or_else(of_statement);
    if let Some(other) = stated.filter(|stated| currency.is_other(stated)) {
        record.set_outcome(&Outcome::Refused(RefuseReason::OtherCurrency(other)));
        return;
    }
    let Some(account) = accounts.of(record, names) else {
        let name = record.own_name.clone().unwrap_or_default();
        let why = RefuseReason::Unreadable(format!("Account not found: {name}"));
        record.set_outcome(&Outcome::Refused(why));
        return;
    };
    if !account.kind.is_permanent() {
        let why = format!("account \"{}\" is not permanent", account.name.as_str());
        record.set_outcome(&Outcome::Refused(RefuseReason::Unreadable(why)));
        return;
    }
    record.account = account.id.get();
    let mut archived = account.archived.then_some(account.id);
    let legs = record.legs.iter_mut().map(|leg| &mut leg.other);
    for other in legs.chain([&mut record.other]) {
        let OtherDoc::Named(name) = other.as_ref().cloned().unwrap_or(OtherDoc::Account(0)) else {
            continue;
        };
        if let Some(known) = names.find(&name) {
            archived = archived.or(known.archived.then_some(known.id));
            *other = Some(OtherDoc::Account(known.id.get()));
        }
    }
    if let Some(id) = archived {
        record.set_outcome(&Outcome::Refused(RefuseReason::ArchivedAccount(id)));
    }
}

/// Looks up the remote ids of the records, and collects the new records.
fn look_up(
    tx: &mut Tx<'_>,
    snapshot: &Snapshot,
    identities: &Identities,
    records: Spool,
    options: Options,
    matcher: &mut Matcher<'_>,
    stop: &Stop,
) -> Result<Spool, Failure> {
    let mut writer = Writer::default();
    matcher.reserve(records.count());
    for block in records.into_blocks() {
        check_stop(stop)?;
        let mut block = block?;
        let open: Vec<(Record, daybook_domain::import::Identity)> = block
            .iter()
            .filter(|record| record.outcome.is_empty())
            .map(RecordDoc::to_record)
            .map(|record| {
                let identity = identities.identify(&record);
                (record, identity)
            })
            .collect();
        let lookups: Vec<(&Record, Vec<String>)> = open
            .iter()
            .map(|(record, identity)| (record, identity.lookups().map(str::to_owned).collect()))
            .collect();
        let findings = snapshot.findings(tx, &lookups)?;
        let mut outcomes = open.iter().zip(findings);
        for document in block.iter_mut().filter(|record| record.outcome.is_empty()) {
            let Some(((record, identity), findings)) = outcomes.next() else { continue };
            let outcome = classify(record, identity, &findings, options);
            matcher.add_record(record, &outcome);
            document.set_outcome(&outcome);
            document.remote_id = identity.recorded_id(&outcome).to_owned();
        }
        block.iter().try_for_each(|record| writer.add(record))?;
    }
    Ok(writer.finish()?)
}

/// Learns from the newest transactions of accounts.
fn learn(
    tx: &mut Tx<'_>,
    snapshot: &Snapshot,
    accounts: &BTreeSet<AccountId>,
    uncategorised: &[AccountId],
) -> Result<History, Failure> {
    let mut history = History::default();
    let scale = snapshot.book().scale;
    for account in accounts {
        let mut earlier: Vec<(TransactionId, i64, String, AccountId)> = Vec::new();
        snapshot.history(tx, *account, |row: &Transaction| {
            let (Some(amount), Some(credit), Some(debit)) = (row.amount, row.credit, row.debit)
            else {
                return;
            };
            let units = amount.units(scale).unwrap_or_default();
            let (other, units) =
                if credit == *account { (debit, units.saturating_neg()) } else { (credit, units) };
            if row.is_posted() && !uncategorised.contains(&other) {
                earlier.push((row.id, units, row.description.clone(), other));
            }
        })?;
        earlier.sort_unstable_by_key(|(id, ..)| *id);
        for (_, units, description, other) in earlier {
            history.learn(*account, units, &description, other);
        }
    }
    Ok(history)
}

/// Sums of booked records.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    money_in: i128,
    money_out: i128,
    count: u32,
}

/// Counts and sums of all records.
#[derive(Default)]
struct Totals {
    counts: CountsDoc,
    statements: BTreeMap<usize, Sums>,
}

impl Totals {
    fn add(&mut self, record: &RecordDoc) {
        self.counts.add(record);
        let Some(statement) = record.statement else { return };
        let sums = self.statements.entry(statement).or_default();
        sums.count = sums.count.saturating_add(1);
        if record.pending {
            return;
        }
        let units = i128::from(record.units);
        if units > 0 {
            sums.money_in += units;
        } else {
            sums.money_out -= units;
        }
    }

    fn sum_in(&self) -> i128 {
        self.statements.values().map(|sums| sums.money_in).sum()
    }

    fn sum_out(&self) -> i128 {
        self.statements.values().map(|sums| sums.money_out).sum()
    }
}

/// The last pass over the records.
struct LastPass<'p> {
    own: &'p OwnAccounts,
    matches: &'p Matches,
    history: &'p History,
    rule_options: Options,
    stop: &'p Stop,
}

impl LastPass<'_> {
    fn run(
        &self,
        classified: Spool,
        mut resolver: Resolver<'_, '_>,
    ) -> Result<(Spool, Totals, BTreeSet<NewAccountDoc>), Failure> {
        let joined = self.joined_remote_ids(&classified)?;
        let (mut writer, mut totals) = (Writer::default(), Totals::default());
        for block in classified.into_blocks() {
            check_stop(self.stop)?;
            for mut record in block? {
                if record.is_read() && record.kind() == OutcomeKind::New {
                    self.complete(&mut record, &joined);
                }
                if record.is_read() {
                    // Without decisions this is a match that two records would share.
                    if let Err(refusal) = resolver.resolve(&mut record, false) {
                        record.refuse(&refusal.to_string());
                    }
                }
                totals.add(&record);
                writer.add(&record)?;
            }
        }
        Ok((writer.finish()?, totals, resolver.into_new_accounts()))
    }

    /// Matches a new record, or refuses it on a locked date, and adds its candidates and its
    /// suggestion.
    fn complete(&self, document: &mut RecordDoc, joined: &HashMap<u32, String>) {
        let record = document.to_record();
        let before = document.reason.clone();
        let outcome = Outcome::New(NewReason::Unknown);
        let outcome = finish(&record, outcome, self.matches, self.rule_options);
        document.set_outcome(&outcome);
        if document.kind() == OutcomeKind::New {
            document.reason = before;
        }
        let candidates = self.matches.candidates(record.number);
        document.candidates = candidates.iter().map(MatchDoc::from).collect();
        document.counterpart =
            self.matches.counterpart(record.number).map(|(other, id)| (other, id.get()));
        document.joined_remote_id = joined.get(&record.number).cloned();
        document.counterparty_account = self.own.counterparty(&record).map(AccountId::get);
        document.suggestion = self.history.suggest(&record).as_ref().map(SuggestionDoc::from);
    }

    /// Returns the remote ids of records that are recorded in the transaction of another one, by
    /// the number of that one.
    fn joined_remote_ids(&self, classified: &Spool) -> Result<HashMap<u32, String>, Failure> {
        let mut joined = HashMap::new();
        if self.matches.count() == 0 {
            return Ok(joined);
        }
        for block in classified.blocks() {
            for record in block? {
                let found = self.matches.certain(record.number);
                if let Some(Match { target: MatchTarget::Record { number, .. }, .. }) = found {
                    joined.insert(number, record.remote_id);
                }
            }
        }
        Ok(joined)
    }
}
