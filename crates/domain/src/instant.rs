//! Instants, and the stamp of every resource.

/// An instant in milliseconds since the Unix epoch, as the API writes `createdAt` and the like
/// (behaviour 0.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

impl Instant {
    /// The instant that many milliseconds after the Unix epoch.
    #[must_use]
    pub const fn new(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn milliseconds(self) -> i64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, as tokens write points in time (RFC 7519, section 2).
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }
}

/// When and by which app a resource was made, and how often it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The app that made it, as its agent header says; not authenticated (behaviour 9.2).
    pub agent: Option<String>,
    /// When it was made.
    pub created_at: Instant,
    /// When its own data last changed.
    pub updated_at: Instant,
    /// The version of its own data, from 1.
    pub version: i64,
}

impl Stamp {
    /// The stamp of a resource made now.
    #[must_use]
    pub const fn new(agent: Option<String>, now: Instant) -> Self {
        Self { agent, created_at: now, updated_at: now, version: 1 }
    }

    /// The stamp after a change.
    #[must_use]
    pub fn touched(self, now: Instant) -> Self {
        Self { updated_at: now, version: self.version.saturating_add(1), ..self }
    }
}
