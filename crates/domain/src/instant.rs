//! Instants, and the stamp of creation and changes that every resource has.

/// A second in milliseconds.
pub(crate) const SECOND: i64 = 1_000;
/// A minute in milliseconds.
pub(crate) const MINUTE: i64 = 60 * SECOND;
/// A day in milliseconds.
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// An instant in milliseconds since the Unix epoch (behaviour 0.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

impl Instant {
    /// Creates an instant from milliseconds since the Unix epoch.
    pub const fn new(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn milliseconds(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since the Unix epoch, as in tokens (RFC 7519, section 2).
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// Adds milliseconds, which may be negative. Saturates.
    #[must_use]
    pub const fn plus(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }
}

/// The creation and the changes of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The app that created it, from the agent header; not authenticated (behaviour 9.2).
    pub agent: Option<String>,
    /// The time of creation.
    pub created_at: Instant,
    /// The time of the last change of its own data.
    pub updated_at: Instant,
    /// The version of its own data, starting at 1.
    pub version: i64,
}

impl Stamp {
    /// Creates the stamp of a resource that is created now.
    pub const fn new(agent: Option<String>, now: Instant) -> Self {
        Self { agent, created_at: now, updated_at: now, version: 1 }
    }

    /// Records a change now.
    #[must_use]
    pub fn touch(self, now: Instant) -> Self {
        Self { updated_at: now, version: self.version.saturating_add(1), ..self }
    }
}
