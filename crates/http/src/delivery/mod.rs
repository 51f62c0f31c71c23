//! Endpoints of deliveries: attempts, the backlog, responses and replays (behaviour 8.10, 8.12).
//! [`daybook_webhooks`] sends the deliveries.

mod log;
mod replay;

pub(crate) use log::{list_app_deliveries, list_event_deliveries};
pub(crate) use replay::{
    delete_event_response, get_book_events_backlog, replay_event_response, replay_events,
};
