//! The findings of an audit, limited in number.

use std::collections::BTreeMap;

use crate::json::{Json, Object};

/// How many findings of each kind are kept, because all of them become one event; the others are
/// only counted.
pub const MAX_OF_A_KIND: usize = 20;

/// What a finding is about (behaviour 6.7), the most serious kinds first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The raw balance of an account.
    Balance,
    /// Credits and debits of the whole book.
    ZeroSum,
    /// An event that was changed or is out of place.
    Event,
    /// Event numbers that are missing.
    EventMissing,
    /// The last event as the book state has it.
    EventHead,
    /// The transactions that the book was copied with.
    Copied,
    /// A row that is not as the last event of its resource has it.
    Row,
    /// A transaction that contradicts itself.
    Transaction,
    /// The sums of an account in a month.
    MonthTotal,
    /// The sums of an account on a day.
    DayTotal,
    /// The number of posted transactions.
    Count,
    /// `hasTransactionPosted` of an account.
    Posted,
    /// The search indexes of a transaction.
    Index,
    /// How much is stored of the book.
    Stored,
}

impl FindingKind {
    /// The name used in the event.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Balance => "balance",
            Self::ZeroSum => "zeroSum",
            Self::Event => "event",
            Self::EventMissing => "eventMissing",
            Self::EventHead => "eventHead",
            Self::Copied => "copied",
            Self::Row => "row",
            Self::Transaction => "transaction",
            Self::MonthTotal => "monthTotal",
            Self::DayTotal => "dayTotal",
            Self::Count => "count",
            Self::Posted => "hasTransactionPosted",
            Self::Index => "index",
            Self::Stored => "stored",
        }
    }
}

/// One contradiction that an audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// The public id of the resource.
    pub resource: String,
    /// The day or month of a total.
    pub period: Option<String>,
    /// The value that follows from the transactions or from the chain.
    pub expected: String,
    /// The value that is stored.
    pub actual: String,
}

impl Finding {
    /// A finding about a resource as a whole.
    #[must_use]
    pub fn new(
        kind: FindingKind,
        resource: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            resource: resource.into(),
            period: None,
            expected: expected.into(),
            actual: actual.into(),
        }
    }

    fn json(&self) -> Json {
        let Self { kind, resource, period, expected, actual } = self;
        let object = Object::new()
            .with("kind", Json::text(kind.as_str()))
            .with("resource", Json::text(resource))
            .with_some("period", period.as_deref().map(Json::text))
            .with("expected", Json::text(expected))
            .with("actual", Json::text(actual));
        Json::Object(object)
    }
}

/// The findings so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    kept: BTreeMap<FindingKind, Vec<Finding>>,
    count: i64,
}

impl Findings {
    /// Adds a finding. Beyond [`MAX_OF_A_KIND`] it is only counted.
    pub fn add(&mut self, finding: Finding) {
        self.count = self.count.saturating_add(1);
        let kept = self.kept.entry(finding.kind).or_default();
        if kept.len() < MAX_OF_A_KIND {
            kept.push(finding);
        }
    }

    /// Adds all findings of another collection, including those only counted.
    pub fn extend(&mut self, other: Self) {
        let beyond =
            other.count.saturating_sub(i64::try_from(other.all().count()).unwrap_or(i64::MAX));
        other.kept.into_values().flatten().for_each(|finding| self.add(finding));
        self.count = self.count.saturating_add(beyond);
    }

    /// The findings that were kept, the most serious kinds first.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.kept.values().flatten()
    }

    /// The first finding of each kind in one line, for the log of the server.
    #[must_use]
    pub fn summary(&self) -> String {
        let first = |found: &Finding| {
            let Finding { kind, resource, period: _, expected, actual } = found;
            format!("{} {resource}: expected {expected}, actual {actual}", kind.as_str())
        };
        let firsts: Vec<String> =
            self.kept.values().filter_map(|found| found.first()).map(first).collect();
        firsts.join("; ")
    }

    /// How many findings there were, kept or not.
    #[must_use]
    pub const fn count(&self) -> i64 {
        self.count
    }

    /// Whether there is a finding of this kind.
    #[must_use]
    pub fn has(&self, kind: FindingKind) -> bool {
        self.kept.contains_key(&kind)
    }

    pub(super) fn json(&self) -> Json {
        Json::List(self.all().map(Finding::json).collect())
    }
}
