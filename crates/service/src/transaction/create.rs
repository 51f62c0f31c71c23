//! createTransaction, createTransactionsBatch, and postTransaction without an id.

use daybook_domain::id::TransactionId;
use daybook_domain::purpose::{Purpose, Record};
use daybook_domain::transaction::{
    Changes, Intent, Transaction, check_indexed, check_rows, remote_ids,
};
use daybook_storage::Tx;

use super::known::{KnownRows, RemoteIdMatches, post};
use super::save::WriteSet;
use super::{AccountDetail, View, attach, quick_entry, rules, sides};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, batch, zone};

/// How a request creates transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateMode {
    /// Whether they must be posted.
    pub intent: Intent,
    /// Whether it is createTransaction, whose typed line may ask for the following months too
    /// (behaviour 3.8.2.8).
    pub single: bool,
    /// The IANA name of the zone for dates in typed lines; the book's by default (behaviour 3.2.9).
    pub zone: Option<String>,
    /// Whether [`read_texts`] has read the typed lines.
    pub texts_are_read: bool,
}

impl From<Intent> for CreateMode {
    /// As a batch creates transactions, in the book's zone.
    fn from(intent: Intent) -> Self {
        Self { intent, single: false, zone: None, texts_are_read: false }
    }
}

impl CreateMode {
    /// The same with the zone spelled as the zone database spells it.
    fn with_known_zone(self) -> Result<Self> {
        let unknown = |name: &str| {
            Error::BadRequest(format!(
                "timeZone \"{}\" is not an IANA time zone",
                name.chars().take(60).collect::<String>()
            ))
        };
        let given = self.zone.as_deref().filter(|name| !name.trim().is_empty());
        let zone = given.map(|name| zone::known(name).ok_or_else(|| unknown(name))).transpose()?;
        Ok(Self { zone, ..self })
    }
}

/// Reads the typed lines of a batch before [`create`], as the names of accounts stand now, because
/// to read many takes longer than to record them: on a snapshot nobody waits for it.
///
/// # Errors
/// As [`create`], where it does not depend on what is recorded.
pub fn read_texts(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: Vec<Changes>,
    mode: CreateMode,
) -> Result<(Vec<Changes>, CreateMode)> {
    let access = access::enter(tx, cx, book, purpose(mode.intent).action())?;
    batch::check_size("items", items.len())?;
    let mode = mode.with_known_zone()?;
    check_rows(&items).map_err(|(index, refusal)| batch::at(index, refusal.into()))?;
    let (items, _) = quick_entry::read(tx, cx, &access, items, &mode)?;
    Ok((items, CreateMode { texts_are_read: true, ..mode }))
}

const fn purpose(intent: Intent) -> Record {
    match intent {
        Intent::Post => Record::Post,
        Intent::Create => Record::Draft,
    }
}

/// Creates transactions. For an item with a known remote id, the transaction that has it is
/// returned (behaviour 3.2, 3.7): unchanged, or posted if it is a draft that must be posted.
///
/// # Errors
/// What the access step and the rules of transactions refuse; the first refused item fails the
/// whole batch.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: Vec<Changes>,
    mode: impl Into<CreateMode>,
) -> Result<View> {
    let mode = mode.into();
    let intent = mode.intent;
    let access = access::enter_to(tx, cx, book, purpose(intent))?;
    batch::check_size("items", items.len())?;
    let mode = mode.with_known_zone()?;
    check_indexed(&items)?;
    let (items, repeats) = if mode.texts_are_read {
        (items, Vec::new())
    } else {
        check_rows(&items).map_err(|(index, refusal)| batch::at(index, refusal.into()))?;
        quick_entry::read(tx, cx, &access, items, &mode)?
    };
    let mut matches = RemoteIdMatches::load(tx, &access, &items)?;
    let references = items.iter().flat_map(Changes::references);
    let mut accounts =
        tx.accounts().directory(&access, references, sides(&matches.transactions))?;
    let files_by_id = attach::files_by_id(tx, &access, &items, matches.posted(intent))?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let rules = rules(cx, &access, &accounts);
    let mut known = KnownRows::default();
    let transactions = batch::each(items.into_iter().enumerate(), |(index, changes)| {
        let ids = remote_ids(changes.remote_ids.as_deref().unwrap_or_default())?;
        if let Some(existing) = matches.find(&ids) {
            let existing = if intent == Intent::Post && !existing.is_posted() {
                post(cx, rules, &files_by_id, &mut write_set, (existing, changes.clone()))?
            } else {
                write_set.returned(existing)?;
                existing.clone()
            };
            known.note(rules, index, &existing, (ids, &changes));
            return Ok(existing);
        }
        let (changes, new_files) = attach::resolve(cx, &access, &files_by_id, changes, None)?;
        write_set.attached(new_files);
        let transaction =
            rules.create(TransactionId::new(cx.mint()), cx.agent.clone(), &changes, intent)?;
        write_set.created(&rules, &transaction)?;
        for day in &repeats {
            let repeated = rules.repeated(&transaction, TransactionId::new(cx.mint()), *day);
            write_set.created(&rules, &repeated)?;
        }
        matches.add(&transaction);
        Ok(transaction)
    })?;
    let posted =
        transactions.iter().flat_map(Transaction::entries).map(|entry| entry.account).collect();
    write_set.save(tx, cx, &access, &accounts)?;
    accounts.note_posted(&posted);
    let (known, masked) = known.of(&access, &transactions);
    let view = View::with_accounts(
        tx,
        cx,
        access.into_access(),
        (transactions, accounts),
        AccountDetail::Full,
    )?;
    Ok(View { masked, known, ..view })
}
