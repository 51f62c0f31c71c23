//! What a connection is doing.

/// The state of a connection. Its requests come one after another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No request runs, and none has begun to arrive.
    Idle,
    /// No request runs; the head of the next one is arriving.
    Head,
    /// A request runs whose body may still be arriving.
    Receiving,
    /// A request runs that has arrived completely.
    Answering,
    /// The connection ends, or nobody has read the body of its last request: what arrives is no
    /// head.
    Ending,
    /// The head that was arriving is answered 408.
    Refused,
}

impl Phase {
    pub(super) const fn is_running(self) -> bool {
        match self {
            Self::Receiving | Self::Answering => true,
            Self::Idle | Self::Head | Self::Ending | Self::Refused => false,
        }
    }
}
