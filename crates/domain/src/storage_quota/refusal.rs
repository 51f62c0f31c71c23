//! Refusals because of storage quotas.

use std::fmt;

use crate::reason::Reason;

/// A unit in which storage is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaUnit {
    /// Number of transactions.
    Transactions,
    /// Number of bytes.
    Bytes,
}

impl fmt::Display for QuotaUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transactions => "transactions",
            Self::Bytes => "bytes",
        })
    }
}

/// A limit that a request would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overrun {
    /// The unit.
    pub unit: QuotaUnit,
    /// The limit.
    pub limit: i64,
    /// The current usage.
    pub used: i64,
    /// The addition by the request.
    pub added: i64,
}

/// Why a request was refused because of a storage quota (behaviour 10.14).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error(
        "storage quota exceeded: this book uses {used} of {limit} {unit}, and the request adds \
         {added}: delete files, continue in another book, or ask the operator of this server for \
         more",
        limit = .0.limit, unit = .0.unit, used = .0.used, added = .0.added
    )]
    Book(Overrun),
    #[error(
        "storage quota exceeded: your books use {used} of {limit} {unit}, and the request adds \
         {added}: delete files or books (a deleted book counts until it is removed), or ask the \
         operator of this server for more",
        limit = .0.limit, unit = .0.unit, used = .0.used, added = .0.added
    )]
    Own(Overrun),
    #[error(
        "storage quota exceeded: the books of this book's owner have reached their limit of {0}; \
         the owner can delete data, or ask the operator of this server for more"
    )]
    OfOwner(QuotaUnit),
    #[error(
        "storage quota exceeded: with this book, the books of the new owner would exceed their \
         limit of {0}; the new owner can delete data, or ask the operator of this server for more"
    )]
    OfNewOwner(QuotaUnit),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::StorageQuotaExceeded
    }
}
