//! The event log: rows and repository. Appending is the one way to add to it; nothing changes what is there.

use daybook_domain::audit::Logged;
use daybook_domain::collaborator::Member;
use daybook_domain::event::{Event, EventType, Happening, Hash, Link};
use daybook_domain::id::{BookId, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;

use crate::bulk::Bulk;
use crate::conn::{Conn, on_each};
use crate::error::{Error, Result};
use crate::schema::events;
use crate::sql::Value;
use crate::tx::Tx;

#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct Row {
    book_id: i64,
    sequence: i64,
    kind: i32,
    resource: i64,
    created_at: i64,
    user_id: i64,
    agent: Option<String>,
    data: String,
    hash: Vec<u8>,
}

impl TryFrom<Row> for Event {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { book_id, sequence, kind, resource, created_at, user_id, agent, data, hash } = row;
        Ok(Self {
            book: BookId::new(book_id),
            sequence,
            kind: EventType::from_number(kind).ok_or(Error::Broken("kind"))?,
            resource,
            created_at: Instant::new(created_at),
            user: UserId::new(user_id),
            agent,
            data,
            hash: Hash::from_bytes(&hash).ok_or(Error::Broken("hash"))?,
        })
    }
}

/// How the number of postings moved in this unit of work: by posting month (yyyymm), how many more or fewer count.
pub type Tally = std::collections::BTreeMap<i32, i64>;

/// Which events to list (behaviour 8.5).
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// From this instant on.
    pub after: Option<Instant>,
    /// Up to, not including, this instant.
    pub before: Option<Instant>,
    /// Of this type only.
    pub kind: Option<EventType>,
    /// About this resource only.
    pub resource: Option<i64>,
    /// Before this number: where the page before ended.
    pub below: Option<i64>,
}

/// Writes events of any books.
pub(crate) fn write(conn: &mut Conn, events: &[Event]) -> Result<()> {
    let mut rows = Bulk::new("INSERT INTO events (book_id, sequence, kind, resource, created_at, user_id, agent, data, hash)", 9, "");
    for event in events {
        let Event { book, sequence, kind, resource, created_at, user, agent, data, hash } = event;
        rows.row([
            Value::Int(book.get()),
            Value::Int(*sequence),
            Value::Int(i64::from(kind.number())),
            Value::Int(*resource),
            Value::Int(created_at.milliseconds()),
            Value::Int(user.get()),
            Value::SomeText(agent.as_deref().map(Into::into)),
            Value::Text(data.as_str().into()),
            Value::Bytes(hash.as_bytes()),
        ]);
    }
    Ok(rows.execute(conn)?)
}

/// The event log of a book.
pub struct Events<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Events<'_, '_> {
    /// Appends what happened, moves the head of the chain, and keeps the book's counts (behaviour 6.10, 6.11).
    ///
    /// # Errors
    /// When the book was not entered in this unit of work.
    pub fn append(self, member: &Member, link: &Link<'_>, happenings: Vec<Happening>, tally: &Tally) -> Result<()> {
        let book = member.book().id;
        let head = self.tx.head_mut(book)?;
        let (added, end) = link.append(head.head()?, happenings);
        head.advance(end, link.at, tally);
        self.tx.pending().events.extend(added);
        Ok(())
    }

    /// Events newest first, up to `limit`.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn list(self, member: &Member, filter: &Filter, limit: i64) -> Result<Vec<Event>> {
        // Stamped out per engine because a boxed query is bound to one.
        let rows: Vec<Row> = on_each!(self.tx.conn()?, c => {
            let mut query = events::table.filter(events::book_id.eq(member.book().id.get())).into_boxed();
            if let Some(after) = filter.after {
                query = query.filter(events::created_at.ge(after.milliseconds()));
            }
            if let Some(before) = filter.before {
                query = query.filter(events::created_at.lt(before.milliseconds()));
            }
            if let Some(kind) = filter.kind {
                query = query.filter(events::kind.eq(kind.number()));
            }
            if let Some(resource) = filter.resource {
                query = query.filter(events::resource.eq(resource));
            }
            if let Some(below) = filter.below {
                query = query.filter(events::sequence.lt(below));
            }
            query.order(events::sequence.desc()).limit(limit).select(Row::as_select()).load(c)
        })?;
        rows.into_iter().map(Event::try_from).collect()
    }

    /// What was told of the end of these resources: their last snapshots.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn deletions(self, member: &Member, kind: EventType, resources: &[i64]) -> Result<Vec<Event>> {
        let about = events::book_id.eq(member.book().id.get()).and(events::resource.eq_any(resources));
        let query = events::table.filter(about.and(events::kind.eq(kind.number())));
        let rows: Vec<Row> = on_each!(self.tx.conn()?, c => query.select(Row::as_select()).load(c))?;
        rows.into_iter().map(Event::try_from).collect()
    }

    /// The event with that number.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn find(self, member: &Member, sequence: i64) -> Result<Option<Event>> {
        let query = events::table.find((member.book().id.get(), sequence));
        let row = on_each!(self.tx.conn()?, c => query.select(Row::as_select()).get_result(c).optional())?;
        row.map(Event::try_from).transpose()
    }
}

/// The next events behind a number, those included that cannot be read as events: for an audit (behaviour 6.7).
pub(crate) fn logged(tx: &mut Tx<'_>, member: &Member, after: i64, limit: i64) -> Result<Vec<Logged>> {
    let query = events::table.filter(events::book_id.eq(member.book().id.get()).and(events::sequence.gt(after)));
    let query = query.order(events::sequence).limit(limit);
    let rows: Vec<Row> = on_each!(tx.conn()?, c => query.select(Row::as_select()).load(c))?;
    Ok(rows.into_iter().map(|row| Logged { sequence: row.sequence, event: Event::try_from(row).ok() }).collect())
}
