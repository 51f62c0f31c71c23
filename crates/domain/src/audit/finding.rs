//! The findings of an audit.

use std::collections::BTreeMap;

use crate::json::{Json, Object};
use crate::named::named;

/// The number of findings of each kind that are kept; further ones are only counted. All findings
/// are in one event, so their number is limited.
pub const MAX_PER_KIND: usize = 20;

named! {
    /// The kinds of findings (behaviour 6.7), the most serious first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FindingKind {
        /// The raw balance of an account.
        Balance = "balance",
        /// Credits and debits of the whole book.
        ZeroSum = "zeroSum",
        /// An event that was changed or has a wrong number.
        Event = "event",
        /// Missing event numbers.
        EventMissing = "eventMissing",
        /// The last event in the book state.
        EventHead = "eventHead",
        /// The transactions that were copied with the book.
        Copied = "copied",
        /// A row that differs from the last event of its resource.
        Row = "row",
        /// A transaction that contradicts itself.
        Transaction = "transaction",
        /// The sums of an account in a month.
        MonthTotal = "monthTotal",
        /// The sums of an account on a day.
        DayTotal = "dayTotal",
        /// The number of posted transactions.
        Count = "count",
        /// `hasTransactionPosted` of an account.
        Posted = "hasTransactionPosted",
        /// The search indexes of a transaction.
        Index = "index",
        /// The storage usage of the book.
        Stored = "stored",
    }
}

/// One contradiction that an audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The public id of the resource.
    pub resource: String,
    /// The day or month of a total.
    pub period: Option<String>,
    /// The value derived from the transactions or from the chain of events.
    pub expected: String,
    /// The stored value.
    pub actual: String,
}

impl Finding {
    /// Creates a finding about a resource as a whole.
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
    /// Adds a finding. If there are [`MAX_PER_KIND`] of its kind, it is only counted.
    pub fn add(&mut self, finding: Finding) {
        self.count = self.count.saturating_add(1);
        let kept = self.kept.entry(finding.kind).or_default();
        if kept.len() < MAX_PER_KIND {
            kept.push(finding);
        }
    }

    /// Adds all findings of another collection, including those that were only counted.
    pub fn extend(&mut self, other: Self) {
        let only_counted =
            other.count.saturating_sub(i64::try_from(other.all().count()).unwrap_or(i64::MAX));
        other.kept.into_values().flatten().for_each(|finding| self.add(finding));
        self.count = self.count.saturating_add(only_counted);
    }

    /// Returns the findings that were kept, the most serious kinds first.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.kept.values().flatten()
    }

    /// Returns the first finding of each kind in one line, for the server log.
    pub fn summary(&self) -> String {
        let first = |found: &Finding| {
            let Finding { kind, resource, period: _, expected, actual } = found;
            format!("{} {resource}: expected {expected}, actual {actual}", kind.as_str())
        };
        let firsts: Vec<String> =
            self.kept.values().filter_map(|found| found.first()).map(first).collect();
        firsts.join("; ")
    }

    /// Returns the number of findings, kept or not.
    pub const fn count(&self) -> i64 {
        self.count
    }

    /// Returns whether there is a finding of this kind.
    pub fn has(&self, kind: FindingKind) -> bool {
        self.kept.contains_key(&kind)
    }

    pub(super) fn json(&self) -> Json {
        Json::List(self.all().map(Finding::json).collect())
    }
}
