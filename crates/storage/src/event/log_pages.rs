//! The statement of a page of the log: first the numbers of the rows or events that are on it, then
//! the rows.

use daybook_domain::access::Access;
use daybook_domain::event::EventType;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::event_row::{MAX_IN_BLOCK, is_in_block};
use super::{COLUMNS, EventFilter, has_event, row_with};
use crate::bot_response::error_in;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::Sql;
use crate::tx::Tx;

/// What the index by type asks for, in the words of its condition: 7 is TRANSACTION_POSTED.
const IS_IN_INDEX: &str = " AND k.kind <> 7";

/// Adds the conditions on the type of a row `k`, which all events of a block have.
fn of_kinds(mut page: Sql<'static>, filter: &EventFilter) -> Sql<'static> {
    if let Some(kind) = filter.kind {
        page = page.push(" AND k.kind = ").int(i64::from(kind.number()));
        if kind != EventType::TransactionPosted {
            page = page.push(IS_IN_INDEX);
        }
    }
    for kind in filter.hidden {
        page = page.push(" AND k.kind <> ").int(i64::from(kind.number()));
    }
    page
}

/// What has the numbers that a page of the log is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOf {
    /// Rows, of which the events belong to the page that lie within its bounds.
    Rows,
    /// Single events.
    Events,
}

/// The statement of a page of the log.
pub(crate) struct EventPage {
    /// Rows with the number each was found by.
    pub(crate) sql: Sql<'static>,
    /// What has that number.
    pub(super) of: PageOf,
    /// Whether some events of a block may have an error and do not belong to the page.
    pub(super) is_sifted: bool,
    bounds: NumberBounds,
}

impl EventPage {
    /// Whether an event with that number lies within the page's bounds.
    pub(super) fn has(&self, number: i64) -> bool {
        let NumberBounds { after, until } = self.bounds;
        after.is_none_or(|after| after < number) && until.is_none_or(|until| number <= until)
    }
}

/// Between which numbers the events of a page lie.
#[derive(Debug, Clone, Copy)]
struct NumberBounds {
    after: Option<i64>,
    /// The last one.
    until: Option<i64>,
}

impl NumberBounds {
    /// Adds the conditions on an event's number.
    fn of(self, number: &Sql<'static>, page: Sql<'static>) -> Sql<'static> {
        let bound = |page: Sql<'static>, word: &'static str, bound: Option<i64>| match bound {
            Some(bound) => page.push(" AND ").append(number.clone()).push(word).int(bound),
            None => page,
        };
        bound(bound(page, " > ", self.after), " <= ", self.until)
    }
}

impl Tx<'_> {
    /// The statement of a page of the log. Bounds in time become bounds of numbers, in which every
    /// index of the log ends. The numbers of the page are read first; when the rows are joined at
    /// once, SQLite prefers to scan the whole log.
    pub(crate) fn event_page(
        &mut self,
        access: &Access,
        filter: &EventFilter,
        limit: i64,
    ) -> Result<EventPage> {
        let EventFilter { after, before, kind: _, hidden: _, error, resource, below } = filter;
        let book = access.book().id;
        let after = after.map(|after| self.last_event_before(book, after)).transpose()?;
        let before = before.map(|before| self.last_event_before(book, before)).transpose()?;
        let below = below.map(|below| below.saturating_sub(1));
        let bounds = NumberBounds { after, until: before.into_iter().chain(below).min() };
        let first = Sql::new(" ORDER BY number DESC LIMIT ").int(limit);
        let (of, page) = match (*resource, error) {
            (Some(resource), _) => {
                let page = self.about(book, filter, (resource, bounds), &first)?;
                (PageOf::Events, page)
            }
            (None, Some(true)) => {
                (PageOf::Events, self.with_error(book, filter, bounds).append(first))
            }
            (None, _) => {
                // Of the first row, all that belongs to the page may lie behind the bound.
                let rows = self.of_rows(book, filter, bounds).push(" ORDER BY number DESC LIMIT ");
                (PageOf::Rows, rows.int(limit.saturating_add(1)))
            }
        };
        let event = match of {
            PageOf::Rows => {
                Sql::new("e.book_id = ").int(book.get()).push(" AND e.sequence = k.number")
            }
            PageOf::Events => has_event("e", book, Sql::new("k.number")),
        };
        let page = Sql::new("(").append(page).push(") k");
        let rows = self.lookup().rows(page, Sql::new("1 = 1")).look_up("events", "e", event);
        let sql = Sql::new("SELECT k.number, ").push(COLUMNS).append(rows.sql());
        let is_sifted = of == PageOf::Rows && *error == Some(false);
        Ok(EventPage { sql: sql.push(" ORDER BY k.number DESC"), of, is_sifted, bounds })
    }

    /// The numbers of rows. A page may pass the whole log without a row of its own.
    fn of_rows(&self, book: BookId, filter: &EventFilter, bounds: NumberBounds) -> Sql<'static> {
        let rows = Sql::new("SELECT k.sequence AS number FROM events k WHERE ");
        let rows = rows.push(self.stoppable("k.sequence")).push("k.book_id = ").int(book.get());
        let mut rows = of_kinds(rows, filter);
        if filter.error == Some(false) {
            rows = rows
                .push(
                    " AND COALESCE(k.count, 1) > (SELECT COUNT(DISTINCT r.sequence) \
                     FROM bot_responses r WHERE ",
                )
                .append(error_in(book))
                .push(" AND r.sequence <= k.sequence")
                .push(" AND r.sequence > k.sequence - COALESCE(k.count, 1))");
        }
        rows = NumberBounds { until: None, ..bounds }.of(&Sql::new("k.sequence"), rows);
        if let Some(until) = bounds.until {
            // A block that ends behind the bound may begin before it.
            let last = row_with(book, Sql::new("").int(until));
            rows = rows.push(" AND k.sequence <= COALESCE(").append(last).push(", ");
            rows = rows.int(until).push(")");
        }
        rows
    }

    /// The numbers of events with an error response of an app.
    fn with_error(&self, book: BookId, filter: &EventFilter, bounds: NumberBounds) -> Sql<'static> {
        let error = Sql::new("").push(self.stoppable("r.sequence")).append(error_in(book));
        let errors = self.lookup().rows(Sql::new("bot_responses r"), error);
        let event = has_event("k", book, Sql::new("r.sequence"));
        let errors = errors.look_up("events", "k", event).sql();
        let events = Sql::new("SELECT DISTINCT r.sequence AS number").append(errors);
        let events = of_kinds(events, filter);
        bounds.of(&Sql::new("r.sequence"), events)
    }

    /// The first numbers of events about a resource: of rows that end with one, and of the
    /// other one in a block.
    fn about(
        &mut self,
        book: BookId,
        filter: &EventFilter,
        about: (i64, NumberBounds),
        first: &Sql<'static>,
    ) -> Result<Sql<'static>> {
        let last = self.last_about(book, filter, about);
        let Some(within) = self.within_block(book, filter, about)? else {
            return Ok(last.append(first.clone()));
        };
        Ok(self.lookup().merge([within, last], first))
    }

    /// The numbers of the rows whose last event is about a resource.
    fn last_about(
        &self,
        book: BookId,
        filter: &EventFilter,
        (resource, bounds): (i64, NumberBounds),
    ) -> Sql<'static> {
        let rows = Sql::new("SELECT k.sequence AS number FROM events k WHERE ");
        let rows = rows.push(self.stoppable("k.sequence")).push("k.book_id = ").int(book.get());
        let rows = of_kinds(rows.push(" AND k.resource = ").int(resource), filter);
        bounds.of(&Sql::new("k.sequence"), rows)
    }

    /// The number of the other event about a resource in a block. There is one at most: a
    /// transaction is posted once.
    fn within_block(
        &mut self,
        book: BookId,
        filter: &EventFilter,
        (resource, bounds): (i64, NumberBounds),
    ) -> Result<Option<Sql<'static>>> {
        let block = self.block_about(book, resource);
        let blocks: Vec<Numbered> = on_engine!(self.flushed()?, c => (&block).load(c))?;
        let Some(Numbered { number: block }) = blocks.into_iter().next() else { return Ok(None) };
        let number = Sql::new("(k.sequence - (k.resource - ").int(resource).push("))");
        let part = Sql::new("SELECT ").append(number.clone()).push(" AS number FROM events k");
        let part = part.push(" WHERE k.book_id = ").int(book.get());
        let part = of_kinds(part.push(" AND k.sequence = ").int(block), filter);
        Ok(Some(bounds.of(&number, part)))
    }

    /// The number of the block that has an event about a resource before its last.
    pub(crate) fn block_about(&self, book: BookId, resource: i64) -> Sql<'static> {
        let blocks = self.lookup().by_index("events b", "events_blocks");
        let blocks = Sql::new("SELECT b.sequence AS number FROM ").append(blocks);
        let blocks = blocks.push(" WHERE b.book_id = ").int(book.get());
        let beyond = Sql::new("").int(resource.saturating_add(MAX_IN_BLOCK.into()));
        let block = blocks.push(" AND ").append(is_in_block(Sql::new("").int(resource), beyond));
        block.push(" LIMIT 1")
    }

    /// The number of the last event before an instant, zero when there is none. Events are numbered
    /// without gaps, in the order of their instants (behaviour 8.18): so it is found by steps that
    /// halve, and the log needs no index by time.
    fn last_event_before(&mut self, book: BookId, instant: Instant) -> Result<i64> {
        let last = self.book_state(book).ok_or(Error::Corrupt("book_state"))?.sequence;
        let longest = last.checked_ilog2().map_or(0, |bits| 1_i64 << bits);
        // No step goes beyond the last event.
        let steps = Sql::new("WITH RECURSIVE steps (at, step) AS (SELECT ")
            .int(0)
            .push(", ")
            .int(longest)
            .push(
                " UNION ALL \
                 SELECT s.at + CASE WHEN \
                   (SELECT e.created_at FROM events e WHERE e.book_id = ",
            )
            .int(book.get())
            .push(" AND e.sequence >= s.at + s.step ORDER BY e.sequence LIMIT 1) < ")
            .int(instant.milliseconds())
            .push(
                " THEN s.step ELSE 0 END, s.step / 2 \
                 FROM steps s WHERE s.step > 0) \
                 SELECT s.at AS number FROM steps s WHERE s.step = 0",
            );
        let found: Vec<Numbered> = on_engine!(self.flushed()?, c => (&steps).load(c))?;
        Ok(found.first().map_or(0, |found| found.number))
    }
}

#[derive(QueryableByName)]
struct Numbered {
    #[diesel(sql_type = BigInt)]
    number: i64,
}
