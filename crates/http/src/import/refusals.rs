//! The records that were refused while they were recorded (behaviour 15.7).

use std::collections::HashMap;

use daybook_service::import::RefusedRecords;

use super::document::ResultsDoc;

/// The refusals whose reasons are kept. Each block saves all of them.
const MAX_REASONS: usize = 10_000;

/// The reason of the others.
const WITHOUT_REASON: &str =
    "refused when it was to be recorded; only the first 10,000 refusals have a reason";

/// Refusals by the number of the record.
#[derive(Debug, Clone)]
pub(super) struct Refusals {
    reasons: HashMap<u32, String>,
    /// The first and the last number of runs, in ascending order.
    runs: Vec<(u32, u32)>,
}

impl Refusals {
    /// Returns why a record was refused; `None` if it was not.
    pub(super) fn reason(&self, record: u32) -> Option<&str> {
        if let Some(reason) = self.reasons.get(&record) {
            return Some(reason);
        }
        let next = self.runs.partition_point(|(first, _)| *first <= record);
        let (_, last) = next.checked_sub(1).and_then(|index| self.runs.get(index))?;
        (record <= *last).then_some(WITHOUT_REASON)
    }
}

impl ResultsDoc {
    /// Adds the refused records of a block.
    pub(super) fn refuse(&mut self, mut refused: RefusedRecords) {
        refused.sort_unstable_by_key(|(record, _)| *record);
        for (record, reason) in refused {
            if self.refused.len() < MAX_REASONS {
                self.refused.push((record, reason));
                continue;
            }
            match self.refused_runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(record) => *last = record,
                _ => self.refused_runs.push((record, record)),
            }
        }
    }

    /// Returns the refused records.
    pub(super) fn into_refusals(self) -> Refusals {
        let Self { refused, refused_runs: mut runs, .. } = self;
        runs.sort_unstable();
        Refusals { reasons: refused.into_iter().collect(), runs }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::*;

    #[test]
    fn reasons_are_bounded_and_no_refusal_is_lost() {
        let mut results = ResultsDoc::default();
        let refused = |records: &mut dyn Iterator<Item = u32>| -> RefusedRecords {
            records.map(|record| (record, format!("reason {record}"))).collect()
        };
        results.refuse(refused(&mut (1..=9_999)));
        // A block has its drafts behind the others.
        results.refuse(refused(&mut [20_003, 20_001, 20_000, 20_002].into_iter()));
        results.refuse(refused(&mut (30_000..=900_000)));
        // The next book of a journal continues with the same block.
        results.refuse(refused(&mut [29_000].into_iter()));
        let text = document::write(&results);
        assert!(text.len() < 300_000, "{} bytes", text.len());
        let refusals = document::read::<ResultsDoc>(&text).unwrap().into_refusals();
        for (record, reason) in [(1, "reason 1"), (9_999, "reason 9999"), (20_000, "reason 20000")]
        {
            assert_eq!(refusals.reason(record), Some(reason));
        }
        for record in [20_001, 20_002, 20_003, 29_000, 30_000, 500_000, 900_000] {
            assert_eq!(refusals.reason(record), Some(WITHOUT_REASON), "{record}");
        }
        for record in [0, 10_000, 19_999, 20_004, 28_999, 29_001, 29_999, 900_001] {
            assert_eq!(refusals.reason(record), None, "{record}");
        }
    }
}
