//! Why a file has no preview.

use daybook_edge::error::{ApiError, RequestError};
use daybook_interchange::read::problem::{Kind, Problem};
use serde::{Deserialize, Serialize};

/// The reason why a preview failed.
pub(super) enum Failure {
    /// The file or the parameters are at fault.
    File(Fault),
    /// The server is.
    Server(ApiError),
}

/// A fault of the file or of the parameters.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) reason: FaultReason,
    /// The message for people.
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(reason: FaultReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

impl From<&Problem> for Fault {
    fn from(problem: &Problem) -> Self {
        Self::new(FaultReason::of(&problem.kind), problem.to_string())
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::File(fault)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        if problem.kind == Kind::UnreadableBlock {
            return RequestError::Failed(problem.to_string()).into();
        }
        Fault::from(&problem).into()
    }
}

/// The kind of a fault, for programs (behaviour 15.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FaultReason {
    AmbiguousDates,
    AmbiguousAmounts,
    InvalidEncoding,
    UnknownSheet,
    UnknownAccount,
    InvalidRules,
    UnknownColumns,
    SeveralCommodities,
    InvalidTarget,
    UnknownFormat,
    Incomplete,
    TooLarge,
    Unreadable,
    /// The author may not record any more, or a quota is used up.
    Refused,
}

impl FaultReason {
    fn of(kind: &Kind) -> Self {
        let is_encoding = matches!(
            kind,
            Kind::UnknownEncoding(_) | Kind::InvalidEncoding(_) | Kind::NulCharacter
        );
        let is_format = matches!(
            kind,
            Kind::UnknownFormat
                | Kind::UnsupportedFormat(_)
                | Kind::NotAJournal
                | Kind::NotAnExport
                | Kind::NoStatement
                | Kind::Encrypted
                | Kind::ExportVersion(_)
        );
        let is_too_large = matches!(
            kind,
            Kind::TooLarge
                | Kind::TooManyRecords
                | Kind::TooManyStatements
                | Kind::TooDeep
                | Kind::UnpackedTooLarge
                | Kind::TooMuchWork
                | Kind::ValuesTooLong
                | Kind::TooManyCommodities(_)
                | Kind::TooManyGroups
                | Kind::ChartTooLarge
        );
        let named = [
            (matches!(kind, Kind::AmbiguousDates(_)), Self::AmbiguousDates),
            (matches!(kind, Kind::AmbiguousAmounts(_)), Self::AmbiguousAmounts),
            (is_encoding, Self::InvalidEncoding),
            (matches!(kind, Kind::UnknownSheet(_)), Self::UnknownSheet),
            (matches!(kind, Kind::NoHeader | Kind::MissingHeader(_)), Self::UnknownColumns),
            (matches!(kind, Kind::OtherCommodity { .. }), Self::SeveralCommodities),
            (matches!(kind, Kind::ExportCutShort), Self::Incomplete),
            (is_format, Self::UnknownFormat),
            (is_too_large, Self::TooLarge),
        ];
        let found = named.into_iter().find_map(|(is_it, reason)| is_it.then_some(reason));
        found.unwrap_or(Self::Unreadable)
    }
}

/// Implements `From` of errors of the server.
macro_rules! failures {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Server(error.into())
            }
        })*
    };
}

failures!(RequestError, daybook_service::Error, daybook_storage::Error);

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Server(error)
    }
}
