//! Checkpoints: heads of the logs of all books, stored outside the database (behaviour 6.26).
//!
//! A log that is rewritten from some event on, or truncated, is still a valid chain. The comparison
//! with an earlier checkpoint detects both.

use std::fmt;

use super::{Hash, Head};
use crate::id::BookKey;

/// A line of a checkpoint: the head of the log of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointEntry {
    /// The book.
    pub book: BookKey,
    /// The head of its log.
    pub head: Head,
    /// Whether the book was deleted, so its log may be removed (behaviour 6.22).
    pub is_deleted: bool,
}

impl CheckpointEntry {
    /// Parses a line in the format of [`fmt::Display`].
    pub fn parse(line: &str) -> Option<Self> {
        let (line, is_deleted) = match line.strip_suffix(" deleted") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (book, head) = line.split_once(' ')?;
        let (sequence, hash) = head.split_once(' ')?;
        let book = Some(BookKey::new(book.to_owned())).filter(BookKey::is_well_formed)?;
        let is_number = sequence.bytes().all(|byte| byte.is_ascii_digit());
        let sequence = sequence.parse().ok().filter(|number| is_number && *number > 0)?;
        Some(Self { book, head: Head { sequence, hash: Hash::from_hex(hash)? }, is_deleted })
    }
}

impl fmt::Display for CheckpointEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { book, head: Head { sequence, hash }, is_deleted } = self;
        write!(f, "{book} {sequence} {hash}{}", if *is_deleted { " deleted" } else { "" })
    }
}

/// The first difference between a log and its checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDifference {
    /// An event has another hash than in a checkpoint.
    Rewritten {
        /// The number of the last event that agrees with a checkpoint, or 0.
        agreed: i64,
        /// The head in the checkpoint.
        expected: Head,
        /// The hash of the event; `None` when it is missing or unreadable.
        actual: Option<Hash>,
    },
    /// The log ends before the event of a checkpoint.
    Truncated {
        /// The number of the last event.
        last: i64,
        /// The head in the checkpoint.
        expected: Head,
    },
}

/// A comparison of the events of a log with checkpoints.
#[derive(Debug, Clone)]
pub struct LogComparison {
    /// The heads in the checkpoints, sorted by number.
    expected: Vec<Head>,
    /// The number of heads that were compared.
    compared: usize,
    agreed: i64,
    last: i64,
    difference: Option<LogDifference>,
}

impl LogComparison {
    /// Starts a comparison before the first event.
    pub fn new(mut expected: Vec<Head>) -> Self {
        expected.sort_by_key(|head| (head.sequence, *head.hash.as_bytes()));
        expected.dedup();
        Self { expected, compared: 0, agreed: 0, last: 0, difference: None }
    }

    /// Compares the next event. Its hash is `None` when it is unreadable.
    pub fn add_event(&mut self, sequence: i64, hash: Option<Hash>) {
        self.last = self.last.max(sequence);
        while let Some(expected) = self.expected.get(self.compared).copied() {
            if expected.sequence > sequence {
                break;
            }
            self.compared = self.compared.saturating_add(1);
            let actual = if expected.sequence == sequence { hash } else { None };
            if actual == Some(expected.hash) {
                self.agreed = expected.sequence;
            } else {
                let agreed = self.agreed;
                self.difference.get_or_insert(LogDifference::Rewritten {
                    agreed,
                    expected,
                    actual,
                });
            }
        }
    }

    /// Returns the first difference, after all events were added.
    pub fn finish(self) -> Option<LogDifference> {
        let Self { expected, compared, agreed: _, last, difference } = self;
        let next = expected.get(compared).copied();
        difference.or_else(|| next.map(|expected| LogDifference::Truncated { last, expected }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(sequence: i64, text: &str) -> Head {
        Head { sequence, hash: Hash::of(text.as_bytes()) }
    }

    fn compare(expected: &[Head], log: &[Head]) -> Option<LogDifference> {
        let mut comparison = LogComparison::new(expected.to_vec());
        log.iter().for_each(|event| comparison.add_event(event.sequence, Some(event.hash)));
        comparison.finish()
    }

    #[test]
    fn longer_log_agrees() {
        let log = [head(1, "a"), head(2, "b"), head(3, "c")];
        assert_eq!(compare(&[], &log), None);
        assert_eq!(compare(&[head(2, "b"), head(1, "a"), head(2, "b")], &log), None);
        assert_eq!(compare(&[head(3, "c")], &log), None);
    }

    #[test]
    fn first_difference_is_returned() {
        let log = [head(1, "a"), head(2, "b"), head(3, "c")];
        let (expected, actual) = (head(2, "x"), Some(head(2, "b").hash));
        let rewritten = LogDifference::Rewritten { agreed: 1, expected, actual };
        let marks = [head(3, "y"), expected, head(1, "a"), head(9, "z")];
        assert_eq!(compare(&marks, &log), Some(rewritten));
        let truncated = LogDifference::Truncated { last: 3, expected: head(4, "d") };
        assert_eq!(compare(&[head(3, "c"), head(4, "d"), head(5, "e")], &log), Some(truncated));
        let truncated = LogDifference::Truncated { last: 0, expected: head(1, "a") };
        assert_eq!(compare(&[head(1, "a")], &[]), Some(truncated));
    }

    #[test]
    fn missing_event_differs() {
        let (expected, actual) = (head(2, "b"), None);
        let missing = LogDifference::Rewritten { agreed: 0, expected, actual };
        assert_eq!(compare(&[expected], &[head(1, "a"), head(3, "c")]), Some(missing));
        let mut unreadable = LogComparison::new(vec![expected]);
        unreadable.add_event(2, None);
        assert_eq!(unreadable.finish(), Some(missing));
    }

    #[test]
    fn contradicting_checkpoints_differ() {
        assert!(compare(&[head(1, "a"), head(1, "b")], &[head(1, "a")]).is_some());
    }

    #[test]
    fn only_well_formed_lines_are_parsed() {
        let (book, hash) = ("0f".repeat(16), "0f".repeat(32));
        for (end, is_deleted) in [("", false), (" deleted", true)] {
            let line = format!("{book} 3 {hash}{end}");
            let entry = CheckpointEntry::parse(&line).unwrap();
            assert_eq!((entry.head.sequence, entry.is_deleted), (3, is_deleted));
            assert_eq!(entry.to_string(), line);
        }
        for line in [
            String::new(),
            format!("{book} 1"),
            format!("{book} 0 {hash}"),
            format!("{book} +1 {hash}"),
            format!("{book} -1 {hash}"),
            format!("{book} 99999999999999999999 {hash}"),
            format!("{book} 1 {}", &hash[2..]),
            format!("{book} 1 {}", hash.to_uppercase()),
            format!("{book} 1 {hash} "),
            format!("{book} 1 {hash} removed"),
            format!("{book}  1 {hash}"),
            format!("{} 1 {hash}", &book[1..]),
        ] {
            assert_eq!(CheckpointEntry::parse(&line), None, "{line:?}");
        }
    }
}
