//! What apps are still to be told of the deletion of a book outlives the book (behaviour 8.20).

use std::sync::Arc;

use daybook_domain::delivery::{EventCopy, EventDelivery};
use daybook_domain::id::BookKey;
use daybook_service::delivery::detached::{detach, wanted};
use daybook_service::delivery::{self, Payload, Prepared, WebhookRequest};
use daybook_storage::{ShardKey, Tx};

use super::WebhookSender;
use crate::blocking::block;
use crate::error::{ApiError, RequestError};
use crate::event;
use crate::run;

impl WebhookSender {
    /// Copies what apps are still to be told of the deletion of a book, before its rows go.
    ///
    /// # Errors
    /// When the database does not answer; then the book must stay.
    pub async fn take_leave(&self, book: &BookKey) -> Result<(), String> {
        self.copy_all(book).await.map_err(|error| error.to_string())
    }

    async fn copy_all(&self, book: &BookKey) -> Result<(), ApiError> {
        let key = book.clone();
        let wanted = run::read_for_server(&self.state, move |tx| wanted(tx, &key)).await?;
        for delivery in wanted {
            let app = delivery.app.clone();
            match self.copy(delivery).await {
                Ok(()) => {}
                Err(error) if error.is_unavailable() || error.is_outcome_unknown() => {
                    return Err(error);
                }
                // What cannot be read now never can: the book need not wait for it.
                Err(error) => tracing::warn!(
                    app = app.as_str(),
                    book = book.as_str(),
                    error = error.to_string(),
                    "an app was not told of the deletion of a book"
                ),
            }
        }
        Ok(())
    }

    async fn copy(&self, delivery: EventDelivery) -> Result<(), ApiError> {
        let (state, now) = (&self.state, (self.state.clock)());
        let (asked, with) = (delivery.clone(), (Arc::clone(&state.ids), now));
        let prepare = move |tx: &mut Tx<'_>| delivery::prepare(tx, &asked, with);
        let prepared = run::read_for_server(state, prepare).await?;
        // What is not to be sent goes with the book.
        let Prepared::WebhookRequest(parcel) = prepared else { return Ok(()) };
        let WebhookRequest { content, url, cx, .. } = *parcel;
        let Payload::Event(view) = content else { return Ok(()) };
        let (installer, base) = (cx.user.id, state.mail_address.clone());
        let failed = |error: String| RequestError::Failed(error);
        let written = block(move || event::delivered(&view, &cx, &base)).await?;
        let (id, body) = written.map_err(|error| failed(error.to_string()))?;
        let body = String::from_utf8(body.into()).map_err(|error| failed(error.to_string()))?;
        let copy = EventCopy { id, installer, url, body };
        let lane = ShardKey::of_book(delivery.key.as_str());
        run::write(state, lane, move |tx| detach(tx, &delivery, &copy, now)).await
    }
}
