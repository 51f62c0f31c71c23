//! Operations of the contract: event.

use reqwest::Method;

use crate::book::Book;
use crate::parameters::{ListAppDeliveries, ListEventDeliveries, ListEvents, ReplayEvents};
use crate::request::Request;
use crate::types::{Backlog, DeliveryAttemptList, Event, EventList};

impl Book {
    /// Lists the delivery attempts to an app.
    ///
    /// The delivery log of an app in the book, in pages: the newest attempt first; 30 days (12.13).
    /// `[]` for an app without deliveries. Requires EDITOR.
    ///
    /// `GET /v5/books/{bookId}/apps/{agentId}/deliveries` is `listAppDeliveries`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_app_deliveries("agent_id", &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_app_deliveries(
        &self,
        agent_id: &str,
        parameters: &ListAppDeliveries,
    ) -> Request<DeliveryAttemptList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "apps", agent_id, "deliveries"],
        )
        .parameter("limit", parameters.limit.as_ref())
        .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Lists events.
    ///
    /// Newest first, in pages (2.6). With a resource id, `error` and `type` are ignored; with
    /// `error`, `type` is ignored (8.5). Requires VIEWER; returns 403 for a RECORDER of a PRIVATE
    /// book.
    ///
    /// `GET /v5/books/{bookId}/events` is `listEvents`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_events(&Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_events(&self, parameters: &ListEvents) -> Request<EventList> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "events"])
            .parameter("after", parameters.after.as_ref())
            .parameter("before", parameters.before.as_ref())
            .parameter("error", parameters.error.as_ref())
            .parameter("resourceId", parameters.resource_id.as_ref())
            .parameter("type", parameters.kind.as_ref())
            .parameter("canonical", parameters.canonical.as_ref())
            .parameter("limit", parameters.limit.as_ref())
            .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Counts the pending events.
    ///
    /// Returns the number of events of the book that wait for delivery to an app (8.10). Requires
    /// VIEWER; returns 403 for a RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/events/backlog` is `getBookEventsBacklog`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_book_events_backlog().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_book_events_backlog(&self) -> Request<Backlog> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "events", "backlog"])
    }

    /// Redelivers events.
    ///
    /// Delivers the events again to the apps that receive them (8.12). Only the ids of the items
    /// are read. Requires EDITOR.
    ///
    /// `PATCH /v5/books/{bookId}/events/replay/batch` is `replayEvents`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     book: &daybook_client::Book,
    /// #     body: daybook_client::types::EventList,
    /// # ) -> Result<(), daybook_client::Error> {
    /// book.replay_events(&body, &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn replay_events(&self, body: &EventList, parameters: &ReplayEvents) -> Request<()> {
        Request::empty(
            self.client(),
            Method::PATCH,
            &["v5", "books", self.id(), "events", "replay", "batch"],
        )
        .body(body)
        .parameter("errorsOnly", parameters.errors_only.as_ref())
        .keyed()
    }

    /// Gets an event.
    ///
    /// Returns the event with its number and hash (12.9, 8.15). Requires VIEWER; returns 403 for a
    /// RECORDER of a PRIVATE book.
    ///
    /// `GET /v5/books/{bookId}/events/{id}` is `getEvent`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.get_event("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_event(&self, id: &str) -> Request<Event> {
        Request::json(self.client(), Method::GET, &["v5", "books", self.id(), "events", id])
    }

    /// Lists the delivery attempts of an event.
    ///
    /// The delivery log of an event, in pages: by app, and for each app the newest attempt first;
    /// 30 days (12.13). Requires EDITOR.
    ///
    /// `GET /v5/books/{bookId}/events/{id}/deliveries` is `listEventDeliveries`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.list_event_deliveries("id", &Default::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_event_deliveries(
        &self,
        id: &str,
        parameters: &ListEventDeliveries,
    ) -> Request<DeliveryAttemptList> {
        Request::json(
            self.client(),
            Method::GET,
            &["v5", "books", self.id(), "events", id, "deliveries"],
        )
        .parameter("limit", parameters.limit.as_ref())
        .maybe_header("cursor", parameters.cursor.as_deref())
    }

    /// Deletes the response of an app.
    ///
    /// Requires EDITOR (8.12).
    ///
    /// `DELETE /v5/books/{bookId}/events/{id}/responses/{agentId}` is `deleteEventResponse`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.delete_event_response("id", "agent_id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_event_response(&self, id: &str, agent_id: &str) -> Request<Event> {
        Request::json(
            self.client(),
            Method::DELETE,
            &["v5", "books", self.id(), "events", id, "responses", agent_id],
        )
        .keyed()
    }

    /// Delivers an event to an app now.
    ///
    /// Makes one attempt, within a minute (8.12); returns 503 during another delivery to the app.
    /// Requires EDITOR.
    ///
    /// `PUT /v5/books/{bookId}/events/{id}/responses/{agentId}` is `replayEventResponse`.
    ///
    /// ```no_run
    /// # async fn example(book: &daybook_client::Book) -> Result<(), daybook_client::Error> {
    /// let response = book.replay_event_response("id", "agent_id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn replay_event_response(&self, id: &str, agent_id: &str) -> Request<Event> {
        Request::json(
            self.client(),
            Method::PUT,
            &["v5", "books", self.id(), "events", id, "responses", agent_id],
        )
        .keyed()
    }
}
