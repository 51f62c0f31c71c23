//! A last answer that ends the connection: a client that dribbles its body for ever would otherwise be listened to for
//! ever, because the server reads a body to its end before it closes.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use serde::Serialize;
use tokio::time::{Sleep, sleep};

/// How long the client has to read the answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// A body that is sent whole and then fails, which makes the server drop the connection.
pub(crate) struct Farewell {
    text: Option<Bytes>,
    size: u64,
    end: Option<Pin<Box<Sleep>>>,
}

impl Farewell {
    pub(crate) fn new(body: &impl Serialize) -> Self {
        let text = serde_json::to_vec(body).unwrap_or_default();
        let size = u64::try_from(text.len()).unwrap_or_default();
        Self { text: Some(text.into()), size, end: None }
    }
}

/// Why the body ends: on purpose.
#[derive(Debug)]
pub(crate) struct Over;

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client was too slow; the connection is closed")
    }
}

impl std::error::Error for Over {}

impl MessageBody for Farewell {
    type Error = Over;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.size)
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Over>>> {
        if let Some(text) = self.text.take() {
            return Poll::Ready(Some(Ok(text)));
        }
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        end.as_mut().poll(cx).map(|()| Some(Err(Over)))
    }
}
