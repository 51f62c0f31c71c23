//! Operations of the contract: comment.

use reqwest::Method;

use crate::book::Book;
use crate::request::Request;
use crate::types::{Comment, CommentList};

impl Book {
    /// Lists the comments on a transaction.
    ///
    /// Returns all comments, oldest first (3.14). For collaborators who may read the transaction;
    /// returns 403 for other readers of a PUBLIC book.
    ///
    /// `GET /v5/books/{bookId}/transactions/{transactionId}/comments` is `listComments`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_comments("transaction_id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_comments(&self, transaction_id: &str) -> Request<CommentList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "transactions", transaction_id, "comments"],
        )
    }

    /// Comments on a transaction.
    ///
    /// For collaborators who may read the transaction, also when it is checked, locked or in the
    /// trash (3.14). The transaction keeps its version. Comments cannot be edited. A transaction
    /// has at most 1,000.
    ///
    /// `POST /v5/books/{bookId}/transactions/{transactionId}/comments` is `createComment`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Comment,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.create_comment("transaction_id", &body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_comment(&self, transaction_id: &str, body: &Comment) -> Request<Comment> {
        Request::json(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "transactions", transaction_id, "comments"],
        )
        .body(body)
        .keyed()
    }

    /// Deletes a comment.
    ///
    /// Users delete their own comments, the OWNER any (3.14.5); returns 403 for those of others.
    ///
    /// `DELETE /v5/books/{bookId}/transactions/{transactionId}/comments/{commentId}` is
    /// `deleteComment`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_comment("transaction_id", "comment_id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_comment(&self, transaction_id: &str, comment_id: &str) -> Request<Comment> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "transactions", transaction_id, "comments", comment_id],
        )
        .keyed()
    }
}
