//! The memory that bodies and the contents of files may take, all requests together: what one may
//! send or ask for is bounded, how many do so at once is not.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Transport;

/// Bytes are counted in steps: a body does not ask for every piece that arrives, and as many small
/// ones as there may be connections fit into the smallest budget.
const STEP: usize = 4 * 1024;
const STEPS_OF_A_MEGABYTE: usize = 1024 * 1024 / STEP;

/// What is left of it.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Semaphore>);

impl Budget {
    /// So many megabytes (of 1,048,576 bytes) for all requests.
    #[must_use]
    pub fn of_megabytes(megabytes: u16) -> Self {
        Self(Arc::new(Semaphore::new(usize::from(megabytes) * STEPS_OF_A_MEGABYTE)))
    }

    /// A share of it, nothing to begin with.
    pub(crate) fn grant(&self) -> Grant {
        Grant { budget: Arc::clone(&self.0), steps: None }
    }
}

/// A request's share, given back when it is dropped.
pub(crate) struct Grant {
    budget: Arc<Semaphore>,
    steps: Option<OwnedSemaphorePermit>,
}

impl Grant {
    /// Grows to so many bytes. It never waits: those who wait hold memory too.
    ///
    /// # Errors
    /// [`Transport::Crowded`] when nothing is left.
    pub(crate) fn cover(&mut self, bytes: usize) -> Result<(), Transport> {
        let held = self.steps.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let lacking = bytes.div_ceil(STEP).saturating_sub(held);
        if lacking == 0 {
            return Ok(());
        }
        let lacking = u32::try_from(lacking).map_err(|_| Transport::Crowded)?;
        let more = Arc::clone(&self.budget)
            .try_acquire_many_owned(lacking)
            .map_err(|_| Transport::Crowded)?;
        match &mut self.steps {
            Some(steps) => steps.merge(more),
            None => self.steps = Some(more),
        }
        Ok(())
    }

    /// Keeps it as long as the request, and then until its answer has been sent.
    pub(crate) fn leave_with(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Takes it from its request.
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
        assert!(matches!(one.cover(STEP + 1), Err(Transport::Crowded)));
        drop(other);
        one.cover(STEPS_OF_A_MEGABYTE * STEP).unwrap();
        assert!(matches!(one.cover(STEPS_OF_A_MEGABYTE * STEP + 1), Err(Transport::Crowded)));
    }
}
