//! Text mode: bodies that leave to their description what they do not say (behaviour 3.8).

use daybook_domain::access::Access;
use daybook_domain::transaction::Changes;
use daybook_domain::transaction::quick_entry::{
    Discovery, Lexicon, Precedent, QuickEntry, QuickEntryReader, learns,
};
use daybook_storage::Tx;
use daybook_storage::transaction::{Names, PrecedentFilter, Search};
use time::Date;

use super::CreateMode;
use super::read::drafts_of;
use crate::context::Context;
use crate::error::Result;
use crate::zone;

/// Texts of a request that are looked up in the history: of a batch the first ones.
const MAX_LEARNED: usize = 100;

/// Reads the texts of bodies that name no account, and leaves the others as they are. Returns also
/// the days of the following months that the typed line of a createTransaction asks for. The
/// accounts are loaded once, and only when there is a text to read. A text is never refused.
pub(super) fn read(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    items: Vec<Changes>,
    recording: &CreateMode,
) -> Result<(Vec<Changes>, Vec<Date>)> {
    let (settings, precision) = (&access.book().settings, access.book().precision());
    if !items.iter().any(|item| item.discovery(precision.separator).is_some()) {
        return Ok((items, Vec::new()));
    }
    let accounts = tx.accounts().names(access)?;
    let names = Lexicon::new(accounts.iter().map(|(id, name)| (*id, name.as_str())));
    let today = zone::day(cx.now, recording.zone.as_deref().unwrap_or(&settings.time_zone));
    let reader = QuickEntryReader {
        names: &names,
        pattern: settings.date_pattern,
        precision,
        today,
        repeats: recording.single,
    };
    let mut repeats = Vec::new();
    let mut history = History::new(access);
    let mut read = |item: Changes| {
        let text = item.description.as_ref().value().map_or("", |text| text.as_str());
        Ok(match item.discovery(precision.separator) {
            None => item,
            Some(Discovery::Everything) => {
                let mut found = history.complete(tx, reader.read(text), today)?;
                repeats.append(&mut found.repeats);
                item.with_quick_entry(found, precision)
            }
            Some(Discovery::AccountNames) => match reader.read_names(text) {
                Some(found) => item.with_named_accounts(found),
                None => item,
            },
        })
    };
    let items = items.into_iter().map(&mut read).collect::<Result<_>>()?;
    Ok((items, repeats))
}

/// The transactions from which a text mode that learns takes accounts (behaviour 3.8.3).
struct History<'a> {
    access: &'a Access,
    /// How many more texts may be looked up.
    left: usize,
}

impl<'a> History<'a> {
    /// Nothing is learned where it was not asked for, or from transactions that the user must not
    /// see.
    fn new(access: &'a Access) -> Self {
        let learns = learns(&access.book().settings.properties) && drafts_of(access).is_none();
        Self { access, left: if learns { MAX_LEARNED } else { 0 } }
    }

    fn complete(&mut self, tx: &mut Tx<'_>, found: QuickEntry, today: Date) -> Result<QuickEntry> {
        let precedents = found.precedents(today);
        if precedents.is_empty() || self.left == 0 {
            return Ok(found);
        }
        self.left = self.left.saturating_sub(1);
        for Precedent { filter, description } in &precedents {
            let names = Names::default();
            let like = PrecedentFilter { description: description.as_deref() };
            let search = Search { filter, names: &names, drafts_of: None, like: Some(like) };
            let latest = tx.transactions().search(self.access, &search, None, 1)?;
            let sides = latest.rows.first().and_then(|latest| latest.credit.zip(latest.debit));
            if let Some((credit, debit)) = sides {
                return Ok(found.completed(credit, debit));
            }
        }
        Ok(found)
    }
}
