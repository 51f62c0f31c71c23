//! Operations of the contract: collaborator.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{AddCollaborator, RequestBookAccess};
use crate::request::Request;
use crate::types::{
    AccessRequest, AccessRequestList, Collaborator, CollaboratorPayloadCollection, Permission,
};

impl Book {
    /// Lists collaborators.
    ///
    /// The owner first, then by e-mail address (7.5). Requires VIEWER as a collaborator; returns
    /// 403 for a RECORDER of a PRIVATE book, and for readers of a PUBLIC book who are not
    /// collaborators (7.3).
    ///
    /// `GET /v5/books/{bookId}/collaborators` is `listCollaborators`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_collaborators().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_collaborators(&self) -> Request<CollaboratorPayloadCollection> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "collaborators"])
    }

    /// Adds or updates a collaborator.
    ///
    /// Adds by e-mail address, also an address without a user; NONE removes. The permission OWNER,
    /// or a change of the owner, returns 400 (7.5). Requires EDITOR.
    ///
    /// `POST /v5/books/{bookId}/collaborators` is `addCollaborator`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::Collaborator,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = book.add_collaborator(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_collaborator(
        &self,
        body: &Collaborator,
        parameters: &AddCollaborator,
    ) -> Request<Collaborator> {
        Request::json(self.client(), Method::POST, &["v5", "books", self.id(), "collaborators"])
            .body(body)
            .parameter("message", parameters.message.as_ref())
            .keyed()
    }

    /// Lists a book's open access requests.
    ///
    /// The newest first, at most 1,000 (7.6). Requires EDITOR.
    ///
    /// `GET /v5/books/{bookId}/collaborators/request` is `listBookAccessRequests`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_book_access_requests().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_book_access_requests(&self) -> Request<AccessRequestList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "collaborators", "request"],
        )
    }

    /// Requests access to a book.
    ///
    /// Returns 204 for every possible book id, so the response does not reveal whether the book
    /// exists (7.4). The request is open for 30 days; a new one of the same user replaces it.
    /// Returns 400 if the caller has the permission already, or requests OWNER without being a
    /// collaborator (7.6). It takes no body.
    ///
    /// `POST /v5/books/{bookId}/collaborators/request` is `requestBookAccess`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// book.request_book_access(&"OWNER".into(), &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn request_book_access(
        &self,
        permission: &Permission,
        parameters: &RequestBookAccess,
    ) -> Request<()> {
        Request::empty(
            self.client(),
            Method::POST,
            &["v5", "books", self.id(), "collaborators", "request"],
        )
        .parameter("permission", Some(permission))
        .parameter("message", parameters.message.as_ref())
        .keyed()
    }

    /// Declines an access request.
    ///
    /// The requesting user is not notified, and may request again (7.6). Requires EDITOR.
    ///
    /// `DELETE /v5/books/{bookId}/collaborators/request/{id}` is `declineBookAccessRequest`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.decline_book_access_request("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn decline_book_access_request(&self, id: &str) -> Request<AccessRequest> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "collaborators", "request", id],
        )
        .keyed()
    }

    /// Gets an access request in the form of a collaborator.
    ///
    /// The result has no id and grants nothing; addCollaborator grants. Returns 404 once the
    /// request is granted, expired or declined (7.6). Requires EDITOR.
    ///
    /// `GET /v5/books/{bookId}/collaborators/request/{id}` is `getBookAccessRequest`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_book_access_request("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_book_access_request(&self, id: &str) -> Request<Collaborator> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "collaborators", "request", id],
        )
    }

    /// Removes a collaborator.
    ///
    /// Requires EDITOR, except to remove oneself. Removing the owner returns 400 (7.3, 7.5).
    ///
    /// `DELETE /v5/books/{bookId}/collaborators/{id}` is `removeCollaborator`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.remove_collaborator("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_collaborator(&self, id: &str) -> Request<Collaborator> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "collaborators", id],
        )
        .keyed()
    }
}
