//! The report of changes, from the event log (behaviour 13.12).

use daybook_domain::access::Access;
use daybook_domain::event::Head;
use daybook_domain::report::{Changes, ChangesStart, Refusal};
use daybook_storage::Tx;

use super::entered::Entered;
use super::rows::UserNames;
use super::sink::{RowSink, StreamHead};
use crate::error::{Error, Result};
use crate::zone;

/// The events that are read at a time.
const PAGE: usize = 500;

/// Passes the rows of a report of changes to `sink`.
///
/// # Errors
/// Refusals of the start; those of `sink`.
pub(super) fn changes(tx: &mut Tx<'_>, entered: Entered, sink: &mut dyn RowSink) -> Result<()> {
    let Entered { chart, request, heading, .. } = entered;
    let (access, head) = (&chart.access, heading.head);
    let (after, start) = find_start(tx, access, request.after(), head.sequence)?;
    let before = match tx.events().find(access, after)? {
        Some(read) => Head { sequence: after, hash: read.event.hash },
        None => Head::default(),
    };
    let heading = request.changes_heading(heading, after, &start);
    let separator = chart.separator();
    sink.begin(&StreamHead { heading, columns: Changes::columns(), separator })?;
    let domain_chart = chart.as_domain();
    let mut changes = Changes::new(&request, &domain_chart, before);
    let (mut users, mut number) = (UserNames::default(), after);
    while number < head.sequence {
        let page = tx.events().after(access, number, PAGE)?;
        let Some(last) = page.last() else { break };
        number = last.event.sequence;
        users.load(tx, page.iter().map(|read| read.event.user))?;
        for read in &page {
            if let Some(row) = changes.push(read, users.name(read.event.user)) {
                sink.row(&row)?;
            }
        }
    }
    sink.finish(&changes.finish(&head))
}

/// Finds the event after which the changes begin: the given one, the last one before an instant, or
/// that of the last closing. `last` is the last event of the book.
fn find_start(
    tx: &mut Tx<'_>,
    access: &Access,
    text: Option<&str>,
    last: i64,
) -> Result<(i64, ChangesStart)> {
    let settings = &access.book().settings;
    let Some(text) = text else {
        let closing = settings.closing_event().filter(|number| *number <= last);
        return Ok(
            closing.map_or((0, ChangesStart::Beginning), |number| (number, ChangesStart::Closing))
        );
    };
    let invalid = || Error::from(Refusal::After(text.chars().take(60).collect()));
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().map_err(|_| invalid())?;
        if number > last {
            return Err(Refusal::AfterLast(number, last).into());
        }
        return Ok((number, ChangesStart::Event));
    }
    let at = zone::parse_instant(text, &settings.time_zone).ok_or_else(invalid)?;
    let number = tx.events().last_number_before(access, at)?;
    Ok((number, ChangesStart::Instant(zone::rfc3339(at))))
}
