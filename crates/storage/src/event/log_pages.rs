//! The statement of a page of the log: it selects the numbers of the page first, then the rows.

use daybook_domain::access::Access;
use daybook_domain::event::EventType;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;

use super::row::{COLUMNS, EventFilter, has_event, is_in_block, row_with};
use crate::bot_response::error_in;
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::rows::event::MAX_IN_BLOCK;

/// The condition of the partial index by type: 7 is `TRANSACTION_POSTED`.
const IS_IN_INDEX: &str = " AND k.kind <> 7";

/// Adds the conditions on the type of a row `k`, which all events of a block share.
fn with_kind_conditions(mut page: Sql<'static>, filter: &EventFilter) -> Sql<'static> {
    if let Some(kind) = filter.kind {
        page = page.push(" AND k.kind = {}").bind(i64::from(kind.number()));
        if kind != EventType::TransactionPosted {
            page = page.push(IS_IN_INDEX);
        }
    }
    for kind in filter.hidden {
        page = page.push(" AND k.kind <> {}").bind(i64::from(kind.number()));
    }
    page
}

/// The meaning of the numbers of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOf {
    /// Rows. Their events within the bounds belong to the page.
    Rows,
    /// Single events.
    Events,
}

/// The statement of a page of the log.
pub(crate) struct EventPage {
    /// Selects rows, each with the number that found it.
    pub(crate) sql: Sql<'static>,
    /// The meaning of the number.
    pub(super) of: PageOf,
    /// Whether events with an error must be removed from blocks.
    pub(super) needs_sifting: bool,
    bounds: NumberBounds,
}

impl EventPage {
    /// Returns whether an event number is within the bounds of the page.
    pub(super) fn contains(&self, number: i64) -> bool {
        let NumberBounds { after, until } = self.bounds;
        after.is_none_or(|after| after < number) && until.is_none_or(|until| number <= until)
    }
}

/// The bounds of the event numbers of a page.
#[derive(Debug, Clone, Copy)]
struct NumberBounds {
    after: Option<i64>,
    /// Inclusive.
    until: Option<i64>,
}

impl NumberBounds {
    /// Adds the conditions on an event number.
    fn add_to(self, number: &Sql<'static>, page: Sql<'static>) -> Sql<'static> {
        let bound = |page: Sql<'static>, word: &'static str, bound: Option<i64>| match bound {
            Some(bound) => page.push(" AND {}{}{}").bind((number.clone(), Sql::new(word), bound)),
            None => page,
        };
        bound(bound(page, " > ", self.after), " <= ", self.until)
    }
}

impl Tx<'_> {
    /// Returns the statement of a page of the log.
    ///
    /// Bounds in time become bounds of numbers, with which every index of the log ends. The numbers
    /// are selected in a subquery, because with a plain join SQLite scans the whole log.
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
        let first = Sql::new(" ORDER BY number DESC LIMIT {}").bind(limit);
        let (of, page) = match (*resource, error) {
            (Some(resource), _) => {
                let page = self.about(book, filter, resource, bounds, &first)?;
                (PageOf::Events, page)
            }
            (None, Some(true)) => {
                (PageOf::Events, self.with_error(book, filter, bounds).append(first))
            }
            (None, _) => {
                // All events of the first row may be beyond the bound, so one more is read.
                let rows =
                    self.row_numbers(book, filter, bounds).push(" ORDER BY number DESC LIMIT {}");
                (PageOf::Rows, rows.bind(limit.saturating_add(1)))
            }
        };
        let event = match of {
            PageOf::Rows => Sql::new("e.book_id = {} AND e.sequence = k.number").bind(book),
            PageOf::Events => has_event("e", book, Sql::new("k.number")),
        };
        let page = Sql::new("({}) k").bind(page);
        let rows = self.lookup().rows(page, Sql::new("1 = 1")).look_up("events", "e", event);
        let sql = Sql::new("SELECT k.number, {}{}").bind((Sql::new(COLUMNS), rows.sql()));
        let needs_sifting = of == PageOf::Rows && *error == Some(false);
        Ok(EventPage { sql: sql.push(" ORDER BY k.number DESC"), of, needs_sifting, bounds })
    }

    /// Selects the numbers of rows. It may scan the whole log without a match.
    fn row_numbers(
        &self,
        book: BookId,
        filter: &EventFilter,
        bounds: NumberBounds,
    ) -> Sql<'static> {
        let rows = Sql::new("SELECT k.sequence AS number FROM events k WHERE {}k.book_id = {}")
            .bind((Sql::new(self.stop_check("k.sequence")), book));
        let mut rows = with_kind_conditions(rows, filter);
        if filter.error == Some(false) {
            rows = rows
                .push(
                    " AND COALESCE(k.count, 1) > (SELECT COUNT(DISTINCT r.sequence) \
                     FROM bot_responses r WHERE {} AND r.sequence <= k.sequence \
                     AND r.sequence > k.sequence - COALESCE(k.count, 1))",
                )
                .bind(error_in(book));
        }
        rows = NumberBounds { until: None, ..bounds }.add_to(&Sql::new("k.sequence"), rows);
        if let Some(until) = bounds.until {
            // A block that ends after the bound may begin before it.
            let last = row_with(book, Sql::from(until));
            rows = rows.push(" AND k.sequence <= COALESCE({}, {})").bind((last, until));
        }
        rows
    }

    /// Selects the numbers of events with an error response.
    fn with_error(&self, book: BookId, filter: &EventFilter, bounds: NumberBounds) -> Sql<'static> {
        let error = Sql::new("").push(self.stop_check("r.sequence")).append(error_in(book));
        let errors = self.lookup().rows(Sql::new("bot_responses r"), error);
        let event = has_event("k", book, Sql::new("r.sequence"));
        let errors = errors.look_up("events", "k", event).sql();
        let events = Sql::new("SELECT DISTINCT r.sequence AS number{}").bind(errors);
        let events = with_kind_conditions(events, filter);
        bounds.add_to(&Sql::new("r.sequence"), events)
    }

    /// Selects the first numbers of events about a resource.
    ///
    /// They are the last events of rows, and at most one other event of a block.
    fn about(
        &mut self,
        book: BookId,
        filter: &EventFilter,
        resource: i64,
        bounds: NumberBounds,
        first: &Sql<'static>,
    ) -> Result<Sql<'static>> {
        let last = self.last_about(book, filter, resource, bounds);
        let Some(within) = self.within_block(book, filter, resource, bounds)? else {
            return Ok(last.append(first.clone()));
        };
        Ok(self.lookup().merge([within, last], first))
    }

    /// Selects the rows whose last event is about a resource.
    fn last_about(
        &self,
        book: BookId,
        filter: &EventFilter,
        resource: i64,
        bounds: NumberBounds,
    ) -> Sql<'static> {
        let rows = Sql::new("SELECT k.sequence AS number FROM events k WHERE {}k.book_id = {}")
            .bind((Sql::new(self.stop_check("k.sequence")), book));
        let rows = with_kind_conditions(rows.push(" AND k.resource = {}").bind(resource), filter);
        bounds.add_to(&Sql::new("k.sequence"), rows)
    }

    /// Selects the event about a resource that is not the last one of its block.
    ///
    /// There is at most one, because a transaction is posted once.
    fn within_block(
        &mut self,
        book: BookId,
        filter: &EventFilter,
        resource: i64,
        bounds: NumberBounds,
    ) -> Result<Option<Sql<'static>>> {
        let block = self.block_about(book, resource);
        let blocks: Vec<i64> = self.flushed()?.rows(&block)?;
        let Some(block) = blocks.into_iter().next() else { return Ok(None) };
        let number = Sql::new("(k.sequence - (k.resource - {}))").bind(resource);
        let part = Sql::new("SELECT {} AS number FROM events k WHERE k.book_id = {}")
            .bind((number.clone(), book));
        let part = with_kind_conditions(part.push(" AND k.sequence = {}").bind(block), filter);
        Ok(Some(bounds.add_to(&number, part)))
    }

    /// Selects the block with an event about a resource that is not its last one.
    pub(crate) fn block_about(&self, book: BookId, resource: i64) -> Sql<'static> {
        let blocks = self.lookup().by_index("events b", "events_blocks");
        let blocks = Sql::new("SELECT b.sequence AS number FROM {} WHERE b.book_id = {}")
            .bind((blocks, book));
        let end = Sql::from(resource.saturating_add(MAX_IN_BLOCK.into()));
        let block = blocks.push(" AND {}").bind(is_in_block(Sql::from(resource), end));
        block.push(" LIMIT 1")
    }

    /// Returns the number of the last event before an instant, or zero.
    ///
    /// Event numbers have no gaps and follow the order of instants (behaviour 8.18), so a binary
    /// search finds it without an index by time.
    pub(super) fn last_event_before(&mut self, book: BookId, instant: Instant) -> Result<i64> {
        let last = self.book_state(book).ok_or(Error::Corrupt("book_state"))?.sequence;
        let longest = last.checked_ilog2().map_or(0, |bits| 1_i64 << bits);
        // The first step does not exceed the last event.
        let steps = Sql::new(
            "WITH RECURSIVE steps (at, step) AS (SELECT {}, {} UNION ALL \
             SELECT s.at + CASE WHEN (SELECT e.created_at FROM events e WHERE e.book_id = {} \
             AND e.sequence >= s.at + s.step ORDER BY e.sequence \
             LIMIT 1) < {} THEN s.step ELSE 0 END, s.step / 2 FROM steps s WHERE s.step > 0) \
             SELECT s.at AS number FROM steps s WHERE s.step = 0",
        )
        .bind((0, longest, book, instant));
        Ok(self.flushed()?.row(&steps)?.unwrap_or_default())
    }
}
