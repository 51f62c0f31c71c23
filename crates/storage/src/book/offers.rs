//! Offers of books to others: rows and repository (behaviour 6.28). A book has one at most. It is
//! found by the address that it is made to, in all books.

use daybook_domain::access_request::expired_since;
use daybook_domain::book::TransferOffer;
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::TransferBook;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::Books;
use crate::access::AccessTo;
use crate::conn::on_engine;
use crate::error::Result;
use crate::sql::{Sql, Value};

/// The most offers in a list.
const MAX_LISTED: i64 = 1_000;

/// Offers that can be accepted: who made them owns the book still, and may sign in.
const OPEN: &str = "SELECT b.public_id, b.name, u.email AS owner, o.email, o.created_at \
    FROM transfer_offers o JOIN books b ON b.id = o.book_id AND b.owner_id = o.offered_by \
    JOIN users u ON u.id = o.offered_by \
    WHERE b.deleted_at IS NULL AND u.disabled_at IS NULL AND o.created_at > ";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    owner: String,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
}

impl From<Row> for TransferOffer {
    fn from(row: Row) -> Self {
        let Row { public_id, name, owner, email, created_at } = row;
        Self {
            book: BookKey::new(public_id),
            name,
            from: Email::stored(owner),
            to: Email::stored(email),
            created_at: Instant::new(created_at),
        }
    }
}

fn open(now: Instant) -> Sql<'static> {
    Sql::new(OPEN).int(expired_since(now).milliseconds())
}

impl Books<'_, '_> {
    /// The open offer of a book.
    pub fn offer(self, book: BookId, now: Instant) -> Result<Option<TransferOffer>> {
        let query = open(now).push(" AND o.book_id = ").int(book.get());
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        Ok(rows.into_iter().next().map(TransferOffer::from))
    }

    /// The open offers to an address, the newest first, at most 1,000.
    pub fn offers_to(self, email: &Email, now: Instant) -> Result<Vec<TransferOffer>> {
        let query = open(now)
            .push(" AND o.email = ")
            .text(email.as_str())
            .push(" ORDER BY o.created_at DESC, o.book_id DESC LIMIT ")
            .int(MAX_LISTED);
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        Ok(rows.into_iter().map(TransferOffer::from).collect())
    }

    /// Adds an offer of the owner, in place of the one before.
    pub fn insert_offer(
        self,
        access: &AccessTo<TransferBook>,
        (owner, offer): (UserId, &TransferOffer),
    ) -> Result<()> {
        let row = [
            Value::Int(access.book().id.get()),
            Value::Text(offer.to.as_str().into()),
            Value::Int(owner.get()),
            Value::Int(offer.created_at.milliseconds()),
        ];
        let added = Sql::new(
            "INSERT INTO transfer_offers (book_id, email, offered_by, created_at) VALUES ",
        )
        .list(row)
        .push(
            " ON CONFLICT (book_id) DO UPDATE SET email = excluded.email, \
                     offered_by = excluded.offered_by, created_at = excluded.created_at",
        );
        self.tx.flushed()?.execute(&added)?;
        Ok(())
    }

    /// Removes the offer of a book, if there is one. Who it is made to declines it, so it takes no
    /// proof of a purpose.
    pub fn delete_offer(self, book: BookId) -> Result<()> {
        let ended = Sql::new("DELETE FROM transfer_offers WHERE book_id = ").int(book.get());
        self.tx.flushed()?.execute(&ended)?;
        Ok(())
    }
}
