//! Single reads: reads of one statement, without a snapshot for several.
//!
//! A balance needs one statement if the book, its accounts and its groups are cached. `BEGIN`, the
//! access query and `ROLLBACK` would be three more round trips to a server. A single read therefore
//! assumes that the user has the same access as before, and joins its statement to a query that
//! returns a row only if the database still agrees
//! ([`unchanged`](crate::book::access_cache::KnownAccess::unchanged)). Any other statement fails
//! with [`Error::Behind`]. A read that needs no other data, such as a list of accounts, sends that
//! query alone. A page of the newest transactions has the query as a condition. If a single read
//! does not succeed, for whatever reason, the store repeats it on a snapshot.

use std::sync::Arc;

use diesel::r2d2::Pool;

use super::single_state::{Outcome, SingleRead};
use super::{Caches, Tx};
use crate::access::BookAccess;
use crate::book::access_cache::{AccessKey, KnownAccess};
use crate::conn::engine::Engine;
use crate::conn::interrupt::ReadStop;
use crate::conn::pool::{CONNECTION_TIMEOUT, Readers};
use crate::conn::sql::{Columns, Sql, Typed, by_position};
use crate::conn::{AnyQuery, AnyRows};
use crate::error::{Error, Result};
use crate::page::RowPart;

/// Runs `work` as a single read. Returns nothing if it must be repeated on a snapshot.
pub(crate) fn try_one_statement<T, E: From<Error>>(
    pool: &Pool<Readers>,
    caches: &Caches,
    stop: &ReadStop,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
) -> Option<T> {
    caches.accesses.as_ref()?;
    let mut reader = pool.get_timeout(CONNECTION_TIMEOUT).ok()?;
    if reader.conn.engine() != Engine::Postgres {
        return None;
    }
    let reader = &mut *reader;
    if reader.conn.limit_statements(stop.statement_limit()).is_err() {
        reader.failed = true;
        return None;
    }
    let running = stop.attach(&reader.interrupt).ok()?;
    let (result, single) = {
        let mut tx = Tx::reading(&mut reader.conn, caches.clone(), Some(stop.clone()));
        tx.single = Some(SingleRead::default());
        let result = work(&mut tx);
        if result.is_ok() {
            tx.confirm_single();
        }
        (result, tx.single.take().unwrap_or_default())
    };
    drop(running);
    // The connection may be the reason, so the pool drops it.
    reader.failed = single.outcome == Outcome::Failed;
    let is_confirmed = single.outcome == Outcome::Confirmed;
    if let Some(known) = single.assumed.filter(|_| is_confirmed && result.is_err()) {
        known.note_further_statement();
    }
    result.ok().filter(|_| is_confirmed)
}

impl Tx<'_> {
    /// Returns the access that a single read assumes, without a statement.
    pub(crate) fn assume_access(&mut self, key: &AccessKey) -> Result<BookAccess> {
        let known = self.caches.accesses.as_ref().and_then(|all| all.find(key));
        let single = self.single.as_mut().ok_or(Error::Behind)?;
        let known = known.filter(|known| known.access.deletion.is_none()).ok_or(Error::Behind)?;
        if single.assumed.is_some() {
            return Err(Error::Behind);
        }
        single.assumed = Some(Arc::clone(&known));
        self.group_cache.book_states.insert(known.access.book.id, known.state.clone());
        Ok(known.access.clone())
    }

    /// Asks whether the access has changed, if no statement was sent because all data was cached.
    fn confirm_single(&mut self) {
        let Some(single) = &mut self.single else { return };
        if single.outcome != Outcome::Unsent {
            return;
        }
        let Some(known) = single.assumed.clone() else { return };
        single.outcome = match self.conn.conn().and_then(|conn| conn.row(&known.unchanged())) {
            Ok(Some(1_i32)) => Outcome::Confirmed,
            Ok(_) => Outcome::Refuted,
            Err(_) => Outcome::Failed,
        };
    }

    /// Calls `visit` with each row `t` of the only statement of a single read, or once with absent
    /// columns if it has none.
    ///
    /// `short_rows` means a bounded number of short rows ([`Conn::each_of_short_rows`]).
    pub(crate) fn each_row_of_only_statement<R: Columns + 'static>(
        &mut self,
        columns: &'static str,
        statement: Sql<'_>,
        short_rows: bool,
        mut visit: impl FnMut(R) -> Result<()>,
    ) -> Result<()>
    where
        for<'q> Typed<'q, R::Sql>: AnyQuery<'q, R> + AnyRows<'q, R>,
    {
        let known = self.begin_only_statement()?;
        let sql = Sql::new("SELECT {} FROM ({}) v LEFT JOIN ({}) t ON TRUE").bind((
            Sql::new(columns),
            known.unchanged(),
            statement,
        ));
        let mut outcome = Outcome::Refuted;
        let visit = |row: R| {
            outcome = Outcome::Confirmed;
            visit(row)
        };
        let conn = self.conn.conn()?;
        if short_rows {
            conn.each_of_short_rows(by_position::<R>(&sql), visit)?;
        } else {
            conn.each_row(by_position::<R>(&sql), visit)?;
        }
        self.end_only_statement(outcome);
        Ok(())
    }

    /// Loads the rows of the only statement of a single read, as [`Conn::load_part`] does.
    ///
    /// A statement without rows does not confirm the access, so the read is repeated.
    pub(crate) fn part_of_only_statement<R: Columns + 'static, T>(
        &mut self,
        statement: Sql<'_>,
        max_bytes: usize,
        convert: impl FnMut(R) -> Result<(T, usize)>,
    ) -> Result<RowPart<T>>
    where
        for<'q> Typed<'q, R::Sql>: AnyRows<'q, R>,
    {
        let single = self.single.as_ref().ok_or(Error::Behind)?;
        if !single.assumed.as_ref().is_some_and(|known| known.try_page()) {
            return Err(Error::Behind);
        }
        let known = self.begin_only_statement()?;
        // A condition on the statement as a whole keeps the order of its rows; a join need not.
        let sql = Sql::new("SELECT t.* FROM ({}) t WHERE EXISTS ({})")
            .bind((statement, known.unchanged()));
        let part = self.conn.conn()?.load_part(by_position::<R>(&sql), max_bytes, convert)?;
        let is_confirmed = !part.rows.is_empty();
        self.end_only_statement(if is_confirmed { Outcome::Confirmed } else { Outcome::Refuted });
        Ok(part)
    }

    /// Returns the access that the only statement must confirm. Until it ends, it counts as failed.
    fn begin_only_statement(&mut self) -> Result<Arc<KnownAccess>> {
        let single = self.single.as_mut().ok_or(Error::Behind)?;
        let known = single.assumed.clone().filter(|_| single.outcome == Outcome::Unsent);
        let known = known.ok_or(Error::Behind)?;
        single.outcome = Outcome::Failed;
        Ok(known)
    }

    fn end_only_statement(&mut self, outcome: Outcome) {
        if let Some(single) = &mut self.single {
            single.outcome = outcome;
        }
    }
}
