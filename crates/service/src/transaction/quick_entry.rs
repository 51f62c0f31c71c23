//! Text mode: bodies that leave to their description what they do not say (behaviour 3.8).

use daybook_domain::access::Access;
use daybook_domain::transaction::Changes;
use daybook_domain::transaction::quick_entry::{Discovery, Lexicon, QuickEntryReader};
use daybook_storage::Tx;
use time::Date;

use super::CreateMode;
use crate::context::Context;
use crate::error::Result;
use crate::zone;

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
    let read = |item: Changes| {
        let text = item.description.as_ref().value().map_or("", |text| text.as_str());
        match item.discovery(precision.separator) {
            None => item,
            Some(Discovery::Everything) => {
                let mut found = reader.read(text);
                repeats.append(&mut found.repeats);
                item.with_quick_entry(found, precision)
            }
            Some(Discovery::AccountNames) => match reader.read_names(text) {
                Some(found) => item.with_named_accounts(found),
                None => item,
            },
        }
    };
    let items = items.into_iter().map(read).collect();
    Ok((items, repeats))
}
