//! The statement of a page of the log.

use daybook_domain::access::Access;
use daybook_domain::event::EventType;
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::EventFilter;
use crate::bot_response::error_in;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::Sql;
use crate::tx::Tx;

/// What the index by type asks for, in the words of its condition: 7 is TRANSACTION_POSTED.
const IS_IN_INDEX: &str = " AND k.kind <> 7";

/// The columns of an event `e`.
pub(super) const COLUMNS: &str =
    "e.book_id, e.sequence, e.resource, e.created_at, e.user_id, e.kind, e.agent, e.data, e.hash";

impl Tx<'_> {
    /// The statement of a page of the log. Bounds in time become bounds of numbers, in which every
    /// index of the log ends. The numbers of the page are read first, from an index without
    /// other columns; when the rows are joined at once, SQLite prefers to scan the whole log.
    pub(crate) fn event_page(
        &mut self,
        access: &Access,
        filter: &EventFilter,
        limit: i64,
    ) -> Result<Sql<'static>> {
        let EventFilter { after, before, kind, hidden, error, resource, below } = filter;
        let book = access.book().id;
        // A page may pass the whole log without a row of its own.
        let number = if *error == Some(true) { "r.sequence" } else { "k.sequence" };
        let stoppable = || self.stoppable(number);
        let all = || {
            let all = Sql::new("(SELECT k.sequence FROM events k WHERE ").push(stoppable());
            all.push("k.book_id = ").int(book.get())
        };
        let mut page = match error {
            None => all(),
            Some(true) => {
                let event = Sql::new("k.book_id = ").int(book.get());
                let event = event.push(" AND k.sequence = r.sequence");
                let error = Sql::new("").push(stoppable()).append(error_in(book));
                let errors = self.lookup().rows(Sql::new("bot_responses r"), error);
                let errors = errors.look_up("events", "k", event).sql();
                Sql::new("(SELECT DISTINCT r.sequence").append(errors)
            }
            Some(false) => all()
                .push(" AND NOT EXISTS (SELECT 1 FROM bot_responses r WHERE ")
                .append(error_in(book))
                .push(" AND r.sequence = k.sequence)"),
        };
        if let Some(kind) = kind {
            page = page.push(" AND k.kind = ").int(i64::from(kind.number()));
            if *kind != EventType::TransactionPosted {
                page = page.push(IS_IN_INDEX);
            }
        }
        for kind in *hidden {
            page = page.push(" AND k.kind <> ").int(i64::from(kind.number()));
        }
        if let Some(resource) = resource {
            page = page.push(" AND k.resource = ").int(*resource);
        }
        let mut bound = |word: &'static str, sequence: i64| {
            let bounded = std::mem::replace(&mut page, Sql::new(""));
            page = bounded.push(" AND ").push(number).push(word).int(sequence);
        };
        if let Some(after) = after {
            bound(" > ", self.last_event_before(book, *after)?);
        }
        if let Some(before) = before {
            bound(" <= ", self.last_event_before(book, *before)?);
        }
        if let Some(below) = below {
            bound(" < ", *below);
        }
        let page = page.push(" ORDER BY ").push(number).push(" DESC LIMIT ").int(limit).push(") k");
        let event = Sql::new("e.book_id = ").int(book.get()).push(" AND e.sequence = k.sequence");
        let lookup = self.lookup();
        let rows = lookup.rows(page, Sql::new("1 = 1")).look_up("events", "e", event);
        Ok(Sql::new("SELECT ").push(COLUMNS).append(rows.sql()).push(" ORDER BY k.sequence DESC"))
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
            .push(" AND e.sequence = s.at + s.step) < ")
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
