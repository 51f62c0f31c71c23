//! The memory for request bodies and contents of files, of all requests together. The size of one
//! is limited elsewhere, but not how many are sent or asked for at once.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::RequestError;

/// Memory is counted in steps, so that a body does not ask for each piece that arrives, and that a
/// step for each possible connection fits into the smallest budget.
const STEP: usize = 4 * 1024;
const STEPS_OF_A_MEGABYTE: usize = 1024 * 1024 / STEP;

/// The memory that is left.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Semaphore>);

impl Budget {
    /// A budget of so many megabytes (of 1,048,576 bytes) for all requests.
    #[must_use]
    pub fn of_megabytes(megabytes: u16) -> Self {
        Self(Arc::new(Semaphore::new(usize::from(megabytes) * STEPS_OF_A_MEGABYTE)))
    }

    /// A new share, empty at first.
    pub(crate) fn grant(&self) -> MemoryShare {
        MemoryShare { budget: Arc::clone(&self.0), steps: None }
    }
}

/// The share of one request, given back when it is dropped.
pub(crate) struct MemoryShare {
    budget: Arc<Semaphore>,
    steps: Option<OwnedSemaphorePermit>,
}

impl MemoryShare {
    /// Grows the share to so many bytes. It never waits: requests that wait hold memory too.
    ///
    /// # Errors
    /// [`RequestError::Crowded`] when nothing is left.
    pub(crate) fn cover(&mut self, bytes: usize) -> Result<(), RequestError> {
        let held = self.steps.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let lacking = bytes.div_ceil(STEP).saturating_sub(held);
        if lacking == 0 {
            return Ok(());
        }
        let lacking = u32::try_from(lacking).map_err(|_| RequestError::Crowded)?;
        let more = Arc::clone(&self.budget)
            .try_acquire_many_owned(lacking)
            .map_err(|_| RequestError::Crowded)?;
        match &mut self.steps {
            Some(steps) => steps.merge(more),
            None => self.steps = Some(more),
        }
        Ok(())
    }

    /// Leaves the share with its request, until the answer has been sent.
    pub(crate) fn leave_with(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Takes the share from its request.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions_mut().remove()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_given_back() {
        let budget = Budget::of_megabytes(1);
        let (mut one, mut other) = (budget.grant(), budget.grant());
        one.cover(1).unwrap();
        one.cover(STEP).unwrap();
        other.cover((STEPS_OF_A_MEGABYTE - 1) * STEP).unwrap();
        assert!(matches!(one.cover(STEP + 1), Err(RequestError::Crowded)));
        drop(other);
        one.cover(STEPS_OF_A_MEGABYTE * STEP).unwrap();
        assert!(matches!(one.cover(STEPS_OF_A_MEGABYTE * STEP + 1), Err(RequestError::Crowded)));
    }
}
