//! Lists, over all pages.

use daybook_service::event::{self, View};
use daybook_service::file;
use daybook_service::transaction::{self, TransactionPage};

use super::Service;
use crate::sim::facts::{File, Refusal};
use crate::sim::model::Caller;

impl Service {
    /// The pages of listTransactions.
    pub fn list_transactions(
        &self,
        caller: &Caller,
        query: &str,
        limit: usize,
    ) -> Result<Vec<TransactionPage>, Refusal> {
        let mut request = transaction::Request {
            query: query.into(),
            limit: Some(limit),
            after: None,
            requested_at: None,
        };
        let mut pages = Vec::new();
        loop {
            let page = self.read(caller, |tx, cx, key| transaction::list(tx, cx, key, &request))?;
            request.after = page.next;
            pages.push(page);
            if request.after.is_none() {
                return Ok(pages);
            }
        }
    }

    /// The pages of listEvents.
    pub fn list_events(
        &self,
        caller: &Caller,
        mut request: event::Request,
    ) -> Result<Vec<View>, Refusal> {
        let mut pages = Vec::new();
        loop {
            let page = self.read(caller, |tx, cx, key| event::list(tx, cx, key, &request))?;
            request.below = page.next;
            pages.push(page);
            if request.below.is_none() {
                return Ok(pages);
            }
        }
    }

    pub fn list_files(&self, caller: &Caller, limit: usize) -> Result<Vec<File>, Refusal> {
        let (mut found, mut below) = (Vec::new(), None);
        loop {
            let page =
                self.read(caller, |tx, cx, key| file::list(tx, cx, key, Some(limit), below))?;
            found.extend(self.all(&page.files, Service::file));
            below = page.next;
            if below.is_none() {
                return Ok(found);
            }
        }
    }
}
