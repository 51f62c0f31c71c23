//! Whether a connection or a unit of work reads or writes.

/// The mode of a connection or a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Reads and writes. Used by writers and by operator commands.
    Write,
    /// Reads only, on one snapshot.
    Read,
}
