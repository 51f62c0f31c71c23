//! The queue of imports: wakes their workers.

use daybook_domain::import::State;
use daybook_edge::Wakeup;

/// Wakes the workers of imports.
#[derive(Debug, Clone, Default)]
pub struct ImportQueue {
    pub(crate) reading: Wakeup,
    pub(crate) recording: Wakeup,
}

impl ImportQueue {
    /// Wakes the worker of a state.
    pub(crate) fn notify(&self, state: State) {
        if is_reading(state) { self.reading.notify() } else { self.recording.notify() }
    }
}

/// Whether the first worker continues imports in this state; it also removes expired ones.
pub(crate) const fn is_reading(state: State) -> bool {
    match state {
        State::Reading | State::Preview | State::Failed => true,
        State::Recording | State::Done | State::Undoing | State::Undone => false,
    }
}
