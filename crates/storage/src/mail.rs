//! The outbox: rows and repository (behaviour 7.10). Mails are found across books and users, by
//! when they are due.

use daybook_domain::email::Email;
use daybook_domain::id::{BookKey, MailId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::mail::{Mail, MailCause, MailContent, MailEnd, MailKind};
use diesel::prelude::*;

use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::schema::mails;
use crate::sql::Sql;
use crate::tx::Tx;

/// The most mails in a list.
const MAX_LISTED: i64 = 1_000;

#[derive(Queryable, Selectable, Insertable, QueryableByName)]
#[diesel(table_name = mails, treat_none_as_default_value = false)]
struct Row {
    id: i64,
    recipient: String,
    kind: String,
    user_id: Option<i64>,
    book: Option<String>,
    subject: String,
    plain: String,
    html: String,
    created_at: i64,
    due_at: i64,
    until: i64,
    attempts: i64,
    ended_at: Option<i64>,
    ending: Option<String>,
    failure: Option<String>,
}

impl From<&Mail> for Row {
    fn from(mail: &Mail) -> Self {
        let Mail { id, recipient, cause, content, created_at, due_at, .. } = mail.clone();
        let Mail { until, attempts, ended, failure, .. } = mail.clone();
        let MailCause { kind, user, book } = cause;
        let MailContent { subject, text: plain, html } = content;
        Self {
            id: id.get(),
            recipient: recipient.as_str().to_owned(),
            kind: kind.as_str().to_owned(),
            user_id: user.map(UserId::get),
            book: book.map(|book| book.as_str().to_owned()),
            subject,
            plain,
            html,
            created_at: created_at.milliseconds(),
            due_at: due_at.milliseconds(),
            until: until.milliseconds(),
            attempts,
            ended_at: ended.map(|(at, _)| at.milliseconds()),
            ending: ended.map(|(_, end)| end.as_str().to_owned()),
            failure,
        }
    }
}

impl TryFrom<Row> for Mail {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let ending = row
            .ending
            .as_deref()
            .map(|name| MailEnd::from_name(name).ok_or(Error::Corrupt("ending")));
        Ok(Self {
            id: MailId::new(row.id),
            recipient: Email::stored(row.recipient),
            cause: MailCause {
                kind: MailKind::from_name(&row.kind).ok_or(Error::Corrupt("kind"))?,
                user: row.user_id.map(UserId::new),
                book: row.book.map(BookKey::new),
            },
            content: MailContent { subject: row.subject, text: row.plain, html: row.html },
            created_at: Instant::new(row.created_at),
            due_at: Instant::new(row.due_at),
            until: Instant::new(row.until),
            attempts: row.attempts,
            ended: row.ended_at.map(Instant::new).zip(ending.transpose()?),
            failure: row.failure,
        })
    }
}

/// The mails of this installation.
pub struct Mails<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Mails<'_, '_> {
    /// Adds a mail.
    pub fn insert(self, mail: &Mail) -> Result<()> {
        let row = Row::from(mail);
        on_engine!(
            self.tx.flushed()?,
            c => diesel::insert_into(mails::table).values(&row).execute(c)
        )?;
        Ok(())
    }

    /// Saves how far a mail has come, and answers whether it is still there. Whose it is and what
    /// it says stays as others have it now; of one that was sent nothing is kept.
    pub fn save(self, mail: &Mail) -> Result<bool> {
        let target = mails::table.find(mail.id.get());
        let Row { due_at, until, attempts, ended_at, ending, failure, .. } = Row::from(mail);
        let state = (
            mails::due_at.eq(due_at),
            mails::until.eq(until),
            mails::attempts.eq(attempts),
            mails::ended_at.eq(ended_at),
            mails::ending.eq(ending),
            mails::failure.eq(failure),
        );
        let mut conn = self.tx.flushed()?;
        let saved = on_engine!(conn, c => diesel::update(target).set(state).execute(c))?;
        if mail.ended.is_some_and(|(_, end)| end == MailEnd::Sent) {
            let nothing = (mails::subject.eq(""), mails::plain.eq(""), mails::html.eq(""));
            on_engine!(conn, c => diesel::update(target).set(nothing).execute(c))?;
        }
        Ok(saved == 1)
    }

    /// The mail with that id.
    pub fn find(self, id: MailId) -> Result<Option<Mail>> {
        let query = mails::table.find(id.get());
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        row.map(Mail::try_from).transpose()
    }

    /// Those that are to be sent, then those that have ended; the oldest first, at most 1,000. With
    /// a recipient, only theirs.
    pub fn list(self, recipient: Option<&Email>) -> Result<Vec<Mail>> {
        let all = Sql::new("SELECT * FROM mails");
        let some = match recipient {
            Some(email) => all.push(" WHERE recipient = ").text(email.as_str()),
            None => all,
        };
        let listed =
            some.push(" ORDER BY ended_at IS NOT NULL, id LIMIT ").int(MAX_LISTED).uncached();
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&listed).load(c))?;
        rows.into_iter().map(Mail::try_from).collect()
    }

    /// The mail that has been due for longest, for this unit of work alone: what another process
    /// is taking is passed over.
    pub fn next_due(self, now: Instant) -> Result<Option<Mail>> {
        let mut conn = self.tx.flushed()?;
        let next = Sql::new("SELECT * FROM mails WHERE ended_at IS NULL AND due_at <= ")
            .int(now.milliseconds())
            .push(" AND until > ")
            .int(now.milliseconds())
            .push(" ORDER BY due_at, id LIMIT 1")
            .push(conn.unless_locked());
        let rows: Vec<Row> = on_engine!(&mut *conn, c => (&next).load(c))?;
        rows.into_iter().next().map(Mail::try_from).transpose()
    }

    /// How many mails wait to be sent.
    pub fn count_open(self) -> Result<i64> {
        let query = mails::table.filter(mails::ended_at.is_null()).count();
        Ok(on_engine!(self.tx.flushed()?, c => query.get_result(c))?)
    }

    /// How many mails of a kind were written since an instant.
    pub fn count_kind(self, kind: MailKind, since: Instant) -> Result<i64> {
        let query = mails::table
            .filter(mails::kind.eq(kind.as_str()))
            .filter(mails::created_at.gt(since.milliseconds()))
            .count();
        Ok(on_engine!(self.tx.flushed()?, c => query.get_result(c))?)
    }

    /// How many mails of a kind a user has caused since an instant.
    pub fn count_caused(self, user: UserId, kind: MailKind, since: Instant) -> Result<i64> {
        let query = mails::table
            .filter(mails::user_id.eq(user.get()))
            .filter(mails::kind.eq(kind.as_str()))
            .filter(mails::created_at.gt(since.milliseconds()))
            .count();
        Ok(on_engine!(self.tx.flushed()?, c => query.get_result(c))?)
    }

    /// Whether there was a mail for that cause since an instant.
    pub fn is_told(self, cause: &MailCause, since: Instant) -> Result<bool> {
        let query = mails::table
            .filter(mails::user_id.eq(cause.user.map(UserId::get)))
            .filter(mails::created_at.gt(since.milliseconds()))
            .filter(mails::kind.eq(cause.kind.as_str()))
            .filter(mails::book.eq(cause.book.as_ref().map(BookKey::as_str)))
            .count();
        let told: i64 = on_engine!(self.tx.flushed()?, c => query.get_result(c))?;
        Ok(told > 0)
    }

    /// The mails whose time is over and that nobody is sending, at most so many.
    pub fn overdue(self, now: Instant, limit: i64) -> Result<Vec<Mail>> {
        let query = mails::table
            .filter(mails::ended_at.is_null())
            .filter(mails::due_at.le(now.milliseconds()))
            .filter(mails::until.le(now.milliseconds()))
            .order(mails::due_at)
            .limit(limit);
        let rows: Vec<Row> =
            on_engine!(self.tx.flushed()?, c => query.select(Row::as_select()).load(c))?;
        rows.into_iter().map(Mail::try_from).collect()
    }

    /// Whether mails ended before an instant.
    pub fn has_ended(self, before: Instant) -> Result<bool> {
        let query = mails::table.filter(mails::ended_at.lt(before.milliseconds())).count();
        let ended: i64 = on_engine!(self.tx.flushed()?, c => query.get_result(c))?;
        Ok(ended > 0)
    }

    /// Removes the mails that ended before an instant.
    pub fn remove_ended(self, before: Instant) -> Result<()> {
        let target = mails::table.filter(mails::ended_at.lt(before.milliseconds()));
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        Ok(())
    }

    /// Removes a mail, whatever became of it.
    pub fn delete(self, id: MailId) -> Result<()> {
        let target = mails::table.find(id.get());
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        Ok(())
    }
}
