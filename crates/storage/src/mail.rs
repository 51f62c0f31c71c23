//! The outbox (behaviour 7.10). Mails are found across books and users, by when they are due.

use daybook_domain::email::Email;
use daybook_domain::id::{BookKey, MailId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::mail::{Mail, MailCause, MailContent, MailEnd, MailKind};
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::schema::mails;

/// Maximum number of mails in a list.
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

/// A mail whose last attempt failed, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentMail {
    /// The id.
    pub id: MailId,
    /// The address it is for.
    pub recipient: Email,
    /// The occasion.
    pub kind: MailKind,
    /// The time of creation.
    pub created_at: Instant,
    /// The time when it was given up; `None` while it is tried again.
    pub given_up_at: Option<Instant>,
    /// The description of the last failure.
    pub failure: String,
}

#[derive(QueryableByName)]
#[diesel(table_name = mails)]
struct UnsentRow {
    id: i64,
    recipient: String,
    kind: String,
    created_at: i64,
    ended_at: Option<i64>,
    failure: Option<String>,
}

impl TryFrom<UnsentRow> for UnsentMail {
    type Error = Error;

    fn try_from(row: UnsentRow) -> Result<Self> {
        let UnsentRow { id, recipient, kind, created_at, ended_at, failure } = row;
        Ok(Self {
            id: MailId::new(id),
            recipient: Email::stored(recipient),
            kind: MailKind::from_name(&kind).ok_or(Error::Corrupt("kind"))?,
            created_at: Instant::new(created_at),
            given_up_at: ended_at.map(Instant::new),
            failure: failure.unwrap_or_default(),
        })
    }
}

/// The mails of this installation.
pub struct Mails<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Mails<'_, '_> {
    /// Inserts a mail.
    pub fn insert(self, mail: &Mail) -> Result<()> {
        let row = Row::from(mail);
        self.tx.flushed()?.run(diesel::insert_into(mails::table).values(&row))
    }

    /// Saves the delivery state of a mail; returns whether the mail still exists.
    ///
    /// Recipient and content stay as they are in the database. The content of a sent mail is
    /// erased.
    pub fn save_state(self, mail: &Mail) -> Result<bool> {
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
        let saved = conn.execute(diesel::update(target).set(state))?;
        if mail.ended.is_some_and(|(_, end)| end == MailEnd::Sent) {
            let erased = (mails::subject.eq(""), mails::plain.eq(""), mails::html.eq(""));
            conn.run(diesel::update(target).set(erased))?;
        }
        Ok(saved == 1)
    }

    /// Finds a mail by id.
    pub fn find(self, id: MailId) -> Result<Option<Mail>> {
        let query = mails::table.find(id.get());
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Lists up to 1,000 mails: first those to send, then ended ones, each oldest first.
    ///
    /// `recipient` restricts the list.
    pub fn list(self, recipient: Option<&Email>) -> Result<Vec<Mail>> {
        let all = Sql::new("SELECT * FROM mails");
        let query = match recipient {
            Some(email) => all.push(" WHERE recipient = {}").bind(email.as_str()),
            None => all,
        };
        let query =
            query.push(" ORDER BY ended_at IS NOT NULL, id LIMIT {}").bind(MAX_LISTED).uncached();
        self.tx.flushed()?.load_as::<Row, _>(&query)
    }

    /// Lists up to `limit` mails that were not sent, the newest first. A mail that is sent loses
    /// its failure.
    pub fn unsent(self, limit: i64) -> Result<Vec<UnsentMail>> {
        let sql = Sql::new(
            "SELECT id, recipient, kind, created_at, ended_at, failure FROM mails \
             WHERE failure IS NOT NULL ORDER BY id DESC LIMIT {}",
        )
        .bind(limit);
        self.tx.flushed()?.load_as::<UnsentRow, _>(&sql)
    }

    /// Finds and locks the mail that has been due for longest. Mails that another process has
    /// locked are skipped.
    pub fn lock_next_due(self, now: Instant) -> Result<Option<Mail>> {
        let mut conn = self.tx.flushed()?;
        let next = Sql::new(
            "SELECT * FROM mails WHERE ended_at IS NULL AND due_at <= {} AND until > {} \
             ORDER BY due_at, id LIMIT 1{}",
        )
        .bind((now, now, Sql::new(conn.skip_locked())));
        conn.first_as::<Row, _>(&next)
    }

    /// Counts the mails to send.
    pub fn count_open(self) -> Result<i64> {
        let query = mails::table.filter(mails::ended_at.is_null()).count();
        self.tx.flushed()?.one(query)
    }

    /// Counts the mails of a kind since an instant.
    pub fn count_kind(self, kind: MailKind, since: Instant) -> Result<i64> {
        let query = mails::table
            .filter(mails::kind.eq(kind.as_str()))
            .filter(mails::created_at.gt(since.milliseconds()))
            .count();
        self.tx.flushed()?.one(query)
    }

    /// Counts the mails of a kind that a user has caused since an instant.
    pub fn count_caused(self, user: UserId, kind: MailKind, since: Instant) -> Result<i64> {
        let query = mails::table
            .filter(mails::user_id.eq(user.get()))
            .filter(mails::kind.eq(kind.as_str()))
            .filter(mails::created_at.gt(since.milliseconds()))
            .count();
        self.tx.flushed()?.one(query)
    }

    /// Returns whether there was a mail for a cause since an instant.
    pub fn was_notified(self, cause: &MailCause, since: Instant) -> Result<bool> {
        let query = mails::table
            .filter(mails::user_id.eq(cause.user.map(UserId::get)))
            .filter(mails::created_at.gt(since.milliseconds()))
            .filter(mails::kind.eq(cause.kind.as_str()))
            .filter(mails::book.eq(cause.book.as_ref().map(BookKey::as_str)))
            .count();
        let count: i64 = self.tx.flushed()?.one(query)?;
        Ok(count > 0)
    }

    /// Lists up to `limit` expired mails that are due and not ended.
    pub fn overdue(self, now: Instant, limit: i64) -> Result<Vec<Mail>> {
        let query = mails::table
            .filter(mails::ended_at.is_null())
            .filter(mails::due_at.le(now.milliseconds()))
            .filter(mails::until.le(now.milliseconds()))
            .order(mails::due_at)
            .limit(limit);
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Returns whether any mail ended before an instant.
    pub fn has_ended(self, before: Instant) -> Result<bool> {
        let query = mails::table.filter(mails::ended_at.lt(before.milliseconds())).count();
        let count: i64 = self.tx.flushed()?.one(query)?;
        Ok(count > 0)
    }

    /// Deletes the mails that ended before an instant.
    pub fn remove_ended(self, before: Instant) -> Result<()> {
        let target = mails::table.filter(mails::ended_at.lt(before.milliseconds()));
        self.tx.flushed()?.run(diesel::delete(target))
    }

    /// Deletes a mail.
    pub fn delete(self, id: MailId) -> Result<()> {
        let target = mails::table.find(id.get());
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
