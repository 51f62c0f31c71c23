//! Detaching of deliveries: the deletion of a book reaches apps although its rows are removed
//! (behaviour 8.20).

use std::sync::Arc;

use daybook_domain::delivery::{EventCopy, EventDelivery};
use daybook_domain::id::BookKey;
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::book;
use daybook_service::delivery::detached::{detach, list_pending};
use daybook_service::delivery::{self, Payload, Prepared, WebhookRequest};
use daybook_storage::Tx;

use crate::state::Webhooks;

impl Webhooks {
    /// Detaches the pending deliveries of a book's deletion, before the rows of the book are
    /// removed.
    ///
    /// # Errors
    /// When the database is unavailable. The book must then stay.
    pub async fn detach_pending_deliveries(&self, book: &BookKey) -> Result<(), String> {
        self.detach_all(book).await.map_err(|error| error.to_string())
    }

    async fn detach_all(&self, book: &BookKey) -> Result<(), ApiError> {
        let key = book.clone();
        let pending = run::read_for_server(&self.edge, move |tx| list_pending(tx, &key)).await?;
        for delivery in pending {
            let app = delivery.app.clone();
            match self.detach(delivery).await {
                Ok(()) => {}
                Err(error) if error.is_unavailable() || error.is_outcome_unknown() => {
                    return Err(error);
                }
                // Later attempts to read the event would fail too, so the removal continues without
                // it.
                Err(error) => tracing::warn!(
                    app = app.as_str(),
                    book = book.as_str(),
                    error = error.to_string(),
                    "webhook for a deleted book not delivered"
                ),
            }
        }
        Ok(())
    }

    async fn detach(&self, delivery: EventDelivery) -> Result<(), ApiError> {
        let now = (self.edge.clock)();
        let (prepared, ids) = (delivery.clone(), Arc::clone(&self.edge.ids));
        let prepare = move |tx: &mut Tx<'_>| delivery::prepare(tx, &prepared, ids, now);
        // A delivery without a request is removed with the book.
        let Prepared::Request(request) = run::read_for_server(&self.edge, prepare).await? else {
            return Ok(());
        };
        let WebhookRequest { content, url, cx, .. } = *request;
        let Payload::Event(view) = content else { return Ok(()) };
        let (installer, base) = (cx.user.id, self.edge.site.canonical_url.clone());
        let failed = |error: String| RequestError::Failed(error);
        let encode = self.encode;
        let written = block(move || encode(&view, &cx, &base)).await?;
        let (id, body) = written.map_err(|error| failed(error.to_string()))?;
        let body = String::from_utf8(body.into()).map_err(|error| failed(error.to_string()))?;
        let copy = EventCopy { id, installer, url, body };
        let shard = book::shard_key(&delivery.key);
        run::write(&self.edge, shard, move |tx| detach(tx, &delivery, &copy, now)).await
    }
}
