//! Comments on transactions.

use daybook_domain::access::Access;
use daybook_domain::comment::Comment;
use daybook_domain::id::{CommentId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::WriteComments;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;
use crate::error::Result;
use crate::schema::comments;
use crate::storage_quota::size::{of_bytes, of_comment};

#[derive(Queryable, Selectable)]
#[diesel(table_name = comments)]
struct Row {
    transaction_id: i64,
    id: i64,
    text: String,
    author_id: i64,
    agent: Option<String>,
    created_at: i64,
}

impl From<Row> for Comment {
    fn from(row: Row) -> Self {
        let Row { transaction_id, id, text, author_id, agent, created_at } = row;
        Self {
            id: CommentId::new(id),
            transaction: TransactionId::new(transaction_id),
            text,
            author: UserId::new(author_id),
            agent,
            created_at: Instant::new(created_at),
        }
    }
}

/// The comments on the transactions of a book.
pub struct Comments<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Comments<'_, '_> {
    /// Lists the comments on a transaction, by id.
    pub fn list(self, access: &Access, transaction: TransactionId) -> Result<Vec<Comment>> {
        let of_book = comments::table.filter(comments::book_id.eq(access.book().id.get()));
        let of_transaction = of_book.filter(comments::transaction_id.eq(transaction.get()));
        self.tx.flushed()?.select_all::<Row, _>(of_transaction.order(comments::id))
    }

    /// Finds a comment on a transaction by id.
    pub fn find(
        self,
        access: &Access,
        transaction: TransactionId,
        id: CommentId,
    ) -> Result<Option<Comment>> {
        let key = (access.book().id.get(), transaction.get(), id.get());
        self.tx.flushed()?.select_first::<Row, _>(comments::table.find(key))
    }

    /// Lists the next comments of the book after one, by transaction and id.
    pub fn after(
        self,
        access: &Access,
        last: Option<&Comment>,
        limit: i64,
    ) -> Result<Vec<Comment>> {
        let (transaction, id) =
            last.map_or((i64::MIN, i64::MIN), |last| (last.transaction.get(), last.id.get()));
        let of_book = comments::table.filter(comments::book_id.eq(access.book().id.get()));
        let later = comments::transaction_id
            .gt(transaction)
            .or(comments::transaction_id.eq(transaction).and(comments::id.gt(id)));
        let order = (comments::transaction_id, comments::id);
        self.tx.flushed()?.select_all::<Row, _>(of_book.filter(later).order(order).limit(limit))
    }

    /// Inserts comments. The numbers of comments in the rows of transactions are saved with
    /// [`Transactions::set_comment_count`](crate::transaction::Transactions::set_comment_count).
    pub fn insert(self, access: &AccessTo<WriteComments>, new: &[Comment]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let mut rows = Bulk::new(
            "INSERT INTO comments (book_id, transaction_id, id, text, author_id, agent, \
             created_at)",
            7,
            "",
        );
        for Comment { id, transaction, text, author, agent, created_at } in new {
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Int(transaction.get()),
                Value::Int(id.get()),
                Value::Text(text.as_str().into()),
                Value::Int(author.get()),
                Value::SomeText(agent.as_deref().map(Into::into)),
                Value::Int(created_at.milliseconds()),
            ]);
        }
        self.tx.flushed()?.write(rows)?;
        let bytes = new.iter().map(of_comment).fold(0, i64::saturating_add);
        self.tx.add_usage(access.book().id, of_bytes(bytes))
    }

    /// Deletes a comment.
    pub fn delete(self, access: &AccessTo<WriteComments>, comment: &Comment) -> Result<()> {
        let book = access.book().id;
        let key = (book.get(), comment.transaction.get(), comment.id.get());
        self.tx.flushed()?.run(diesel::delete(comments::table.find(key)))?;
        self.tx.add_usage(book, of_bytes(of_comment(comment).saturating_neg()))
    }
}
