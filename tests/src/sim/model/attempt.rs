//! The delivery log, from behaviour 12.13.

use super::delivery::Reply;
use super::event::pages;
use super::{Caller, Model, may};
use crate::sim::facts::{Attempt, Refusal};
use crate::sim::label;

impl Model {
    /// Records an attempt; the log keeps the last hundred of an app (12.13).
    pub fn log_attempt(
        &mut self,
        key: (label::Book, label::App),
        event: i64,
        reply: Reply,
        now: i64,
    ) {
        let all = self.webhooks.attempts.entry(key).or_default();
        let before = all.iter().filter(|one| one.event == event).map(|one| one.number);
        let number = before.max().unwrap_or(0) + 1;
        let failure = match reply {
            Reply::Accepted(_) => None,
            Reply::Failed => Some("status 500".to_owned()),
            Reply::Busy(_) => Some("status 429".to_owned()),
        };
        all.push(Attempt { at: now, event, number, failure });
        all.retain(|one| one.event != event || one.number > number - 100);
    }

    /// Lists the attempts, newest first, whether the app is installed or not (12.13).
    pub fn attempts(
        &self,
        book: label::Book,
        caller: &Caller,
        app: label::App,
        limit: usize,
    ) -> Result<Vec<Vec<Attempt>>, Refusal> {
        self.enter(book, caller, may::MANAGE)?;
        let mut all = self.webhooks.attempts.get(&(book, app)).cloned().unwrap_or_default();
        all.sort_by(|one, other| other.cmp(one));
        Ok(pages(all, if limit == 0 { 50 } else { limit.min(200) }))
    }
}
