//! Quick entry: transactions typed as one line of text (behaviour 3.8).

use daybook_domain::access::Access;
use daybook_domain::transaction::Changes;
use daybook_domain::transaction::quick_entry::{
    FieldsToParse, Lexicon, QuickEntry, QuickEntryReader, SimilarSearch, Token, learns_from_history,
};
use daybook_storage::Tx;
use daybook_storage::transaction::{ResolvedNames, Search, SimilarTransactionFilter};
use time::Date;

use super::create_mode::CreateMode;
use super::read::drafts_of;
use crate::context::Context;
use crate::error::Result;
use crate::zone;

/// Texts of a request that may be looked up in the history, from the first item.
const MAX_LEARNED: usize = 100;

/// The bodies of a request after parsing their quick entries.
#[derive(Debug, Default)]
pub(super) struct ReadItems {
    /// The bodies.
    pub(super) items: Vec<Changes>,
    /// The days in the following months on which a createTransaction is repeated.
    pub(super) repeats: Vec<Date>,
    /// The recognized parts of the quick entry of a createTransaction.
    pub(super) tokens: Vec<Token>,
}

/// Parses the descriptions of bodies that name no account, and leaves other bodies unchanged.
///
/// The accounts are loaded once, and only if there is a text to read. A text is never refused.
pub(super) fn read(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    items: Vec<Changes>,
    mode: &CreateMode,
) -> Result<ReadItems> {
    let (settings, precision) = (&access.book().settings, access.book().precision());
    if !items.iter().any(|item| item.fields_to_parse(precision.separator).is_some()) {
        return Ok(ReadItems { items, ..ReadItems::default() });
    }
    let accounts = tx.accounts().names(access)?;
    let names = Lexicon::new(accounts.iter().map(|(id, name)| (*id, name.as_str())));
    let today = zone::day(cx.now, mode.zone.as_deref().unwrap_or(&settings.time_zone));
    let reader = QuickEntryReader {
        names: &names,
        pattern: settings.date_pattern,
        precision,
        today,
        repeats: mode.single,
    };
    let (mut repeats, mut tokens) = (Vec::new(), Vec::new());
    let mut history = History::new(access);
    let mut read_item = |item: Changes| {
        let text = item.description.as_ref().value().map_or("", |text| text.as_str());
        Ok(match item.fields_to_parse(precision.separator) {
            None => item,
            Some(FieldsToParse::Everything) => {
                let mut found = history.complete(tx, reader.read(text), today)?;
                repeats.append(&mut found.repeats);
                if mode.single {
                    tokens.append(&mut found.tokens);
                }
                item.with_quick_entry(found, precision)
            }
            Some(FieldsToParse::AccountNames) => match reader.read_names(text) {
                Some(mut found) => {
                    if mode.single {
                        tokens.append(&mut found.tokens);
                    }
                    item.with_named_accounts(found)
                }
                None => item,
            },
        })
    };
    let items = items.into_iter().map(&mut read_item).collect::<Result<_>>()?;
    Ok(ReadItems { items, repeats, tokens })
}

/// The earlier transactions from which quick entry takes accounts (behaviour 3.8.3).
struct History<'a> {
    access: &'a Access,
    /// The number of texts that may still be looked up.
    left: usize,
}

impl<'a> History<'a> {
    /// Creates the history. It is empty unless the book enables it and the caller may see all
    /// transactions.
    fn new(access: &'a Access) -> Self {
        let learns =
            learns_from_history(&access.book().settings.properties) && drafts_of(access).is_none();
        Self { access, left: if learns { MAX_LEARNED } else { 0 } }
    }

    fn complete(&mut self, tx: &mut Tx<'_>, found: QuickEntry, today: Date) -> Result<QuickEntry> {
        let searches = found.similar_searches(today);
        if searches.is_empty() || self.left == 0 {
            return Ok(found);
        }
        self.left = self.left.saturating_sub(1);
        for SimilarSearch { filter, description } in &searches {
            let names = ResolvedNames::default();
            let similar = SimilarTransactionFilter { description: description.as_deref() };
            let search = Search { filter, names: &names, drafts_of: None, similar: Some(similar) };
            let latest = tx.transactions().search(self.access, &search, None, 1)?;
            let sides = latest.rows.first().and_then(|latest| latest.credit.zip(latest.debit));
            if let Some((credit, debit)) = sides {
                return Ok(found.fill_accounts(credit, debit));
            }
        }
        Ok(found)
    }
}
