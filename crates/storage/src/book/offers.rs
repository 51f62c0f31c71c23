//! Offers to transfer books (behaviour 6.28). A book has at most one; it is found by the address of
//! the recipient.

use daybook_domain::access_request::expiry_cutoff;
use daybook_domain::book::TransferOffer;
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::TransferBook;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::Books;
use crate::access::AccessTo;
use crate::conn::sql::Sql;
use crate::error::Result;

/// Maximum number of offers in a list.
const MAX_LISTED: i64 = 1_000;

/// Selects the offers that can be accepted: the sender still owns the book and is not disabled.
const OPEN: &str = "SELECT b.public_id, b.name, u.email AS owner, o.email, o.created_at \
    FROM transfer_offers o JOIN books b ON b.id = o.book_id AND b.owner_id = o.offered_by \
    JOIN users u ON u.id = o.offered_by \
    WHERE b.deleted_at IS NULL AND u.disabled_at IS NULL AND o.created_at > {}";

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

fn open_offers(now: Instant) -> Sql<'static> {
    Sql::new(OPEN).bind(expiry_cutoff(now))
}

impl Books<'_, '_> {
    /// Finds the open offer of a book.
    pub fn offer(self, book: BookId, now: Instant) -> Result<Option<TransferOffer>> {
        let query = open_offers(now).push(" AND o.book_id = {}").bind(book);
        self.tx.flushed()?.first_as::<Row, _>(&query)
    }

    /// Lists the open offers to an address, newest first, at most 1,000.
    pub fn offers_to(self, email: &Email, now: Instant) -> Result<Vec<TransferOffer>> {
        let query = open_offers(now)
            .push(" AND o.email = {} ORDER BY o.created_at DESC, o.book_id DESC LIMIT {}")
            .bind((email.as_str(), MAX_LISTED));
        self.tx.flushed()?.load_as::<Row, _>(&query)
    }

    /// Inserts an offer of the owner. It replaces an earlier one.
    pub fn insert_offer(
        self,
        access: &AccessTo<TransferBook>,
        owner: UserId,
        offer: &TransferOffer,
    ) -> Result<()> {
        let insert = Sql::new(
            "INSERT INTO transfer_offers (book_id, email, offered_by, created_at) \
             VALUES ({}, {}, {}, {}) ON CONFLICT (book_id) DO UPDATE SET email = excluded.email, \
             offered_by = excluded.offered_by, created_at = excluded.created_at",
        )
        .bind((access.book().id, &offer.to, owner, offer.created_at));
        self.tx.flushed()?.run(&insert)
    }

    /// Deletes the offer of a book, if there is one.
    ///
    /// The recipient may decline an offer, so it requires no proof of a purpose.
    pub fn delete_offer(self, book: BookId) -> Result<()> {
        let delete = Sql::new("DELETE FROM transfer_offers WHERE book_id = {}").bind(book);
        self.tx.flushed()?.run(&delete)
    }
}
