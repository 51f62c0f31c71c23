//! Checkpoints: the heads of the logs of all books, kept outside the database. A log that is
//! rewritten as a whole, or cut at its end, is still one chain; it differs from a checkpoint that
//! was written before (behaviour 6.26).

use std::fmt;

use super::{Hash, Head};
use crate::id::BookKey;

/// The head of the log of a book, as a line of a checkpoint has it.
///
/// ```
/// use daybook_domain::event::CheckpointEntry;
/// let line = format!("{} 3 {} deleted", "0".repeat(32), "ab".repeat(32));
/// let entry = CheckpointEntry::parse(&line).unwrap();
/// assert_eq!((entry.head.sequence, entry.is_deleted), (3, true));
/// assert_eq!(entry.to_string(), line);
/// assert_eq!(CheckpointEntry::parse(&line[1..]), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointEntry {
    /// The book.
    pub book: BookKey,
    /// The head of its log.
    pub head: Head,
    /// Whether the book was deleted, so that it may be removed (behaviour 6.22).
    pub is_deleted: bool,
}

impl CheckpointEntry {
    /// Reads a line. `None` for a text that [`fmt::Display`] does not write.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let (line, is_deleted) = match line.strip_suffix(" deleted") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (book, head) = line.split_once(' ')?;
        let (sequence, hash) = head.split_once(' ')?;
        let book = Some(BookKey::new(book.to_owned())).filter(BookKey::is_well_formed)?;
        let is_plain = sequence.bytes().all(|byte| byte.is_ascii_digit());
        let sequence = sequence.parse().ok().filter(|number| is_plain && *number > 0)?;
        Some(Self { book, head: Head { sequence, hash: Hash::from_hex(hash)? }, is_deleted })
    }
}

impl fmt::Display for CheckpointEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { book, head: Head { sequence, hash }, is_deleted } = self;
        write!(f, "{book} {sequence} {hash}{}", if *is_deleted { " deleted" } else { "" })
    }
}

/// The first difference between a log and the checkpoints that name its book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDifference {
    /// An event has another hash than a checkpoint says.
    Rewritten {
        /// The number of the last event up to which the log agrees with a checkpoint; 0 when there
        /// is none.
        agreed: i64,
        /// The value in the checkpoint.
        expected: Head,
        /// The hash that the event has; `None` when it is missing or cannot be read.
        actual: Option<Hash>,
    },
    /// The log ends before the event that a checkpoint names.
    Cut {
        /// The number of the last event.
        last: i64,
        /// The value in the checkpoint.
        expected: Head,
    },
}

/// Compares the events of a log, in their order, with what checkpoints say of it.
#[derive(Debug, Clone)]
pub struct LogComparison {
    /// In the order of their numbers.
    expected: Vec<Head>,
    /// How many of them were compared.
    compared: usize,
    agreed: i64,
    last: i64,
    difference: Option<LogDifference>,
}

impl LogComparison {
    /// Begins before the first event.
    #[must_use]
    pub fn new(mut expected: Vec<Head>) -> Self {
        expected.sort_by_key(|head| (head.sequence, *head.hash.as_bytes()));
        expected.dedup();
        Self { expected, compared: 0, agreed: 0, last: 0, difference: None }
    }

    /// Compares the next event; its hash is `None` when it cannot be read.
    pub fn add_event(&mut self, sequence: i64, hash: Option<Hash>) {
        self.last = self.last.max(sequence);
        while let Some(expected) = self.expected.get(self.compared).copied() {
            if expected.sequence > sequence {
                break;
            }
            self.compared = self.compared.saturating_add(1);
            let actual = hash.filter(|_| expected.sequence == sequence);
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

    /// The first difference, after all events.
    #[must_use]
    pub fn finish(self) -> Option<LogDifference> {
        let Self { expected, compared, agreed: _, last, difference } = self;
        let beyond = expected.get(compared).copied();
        difference.or_else(|| beyond.map(|expected| LogDifference::Cut { last, expected }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(sequence: i64, text: &str) -> Head {
        Head { sequence, hash: Hash::of(text.as_bytes()) }
    }

    fn compared(expected: &[Head], log: &[Head]) -> Option<LogDifference> {
        let mut comparison = LogComparison::new(expected.to_vec());
        log.iter().for_each(|event| comparison.add_event(event.sequence, Some(event.hash)));
        comparison.finish()
    }

    #[test]
    fn a_log_that_has_grown_agrees() {
        let log = [head(1, "a"), head(2, "b"), head(3, "c")];
        assert_eq!(compared(&[], &log), None);
        assert_eq!(compared(&[head(2, "b"), head(1, "a"), head(2, "b")], &log), None);
        assert_eq!(compared(&[head(3, "c")], &log), None);
    }

    #[test]
    fn the_first_difference_is_named() {
        let log = [head(1, "a"), head(2, "b"), head(3, "c")];
        let (expected, actual) = (head(2, "x"), Some(head(2, "b").hash));
        let rewritten = LogDifference::Rewritten { agreed: 1, expected, actual };
        let marks = [head(3, "y"), expected, head(1, "a"), head(9, "z")];
        assert_eq!(compared(&marks, &log), Some(rewritten));
        let cut = LogDifference::Cut { last: 3, expected: head(4, "d") };
        assert_eq!(compared(&[head(3, "c"), head(4, "d"), head(5, "e")], &log), Some(cut));
        let cut = LogDifference::Cut { last: 0, expected: head(1, "a") };
        assert_eq!(compared(&[head(1, "a")], &[]), Some(cut));
    }

    #[test]
    fn a_missing_event_does_not_agree() {
        let (expected, actual) = (head(2, "b"), None);
        let missing = LogDifference::Rewritten { agreed: 0, expected, actual };
        assert_eq!(compared(&[expected], &[head(1, "a"), head(3, "c")]), Some(missing));
        let mut unreadable = LogComparison::new(vec![expected]);
        unreadable.add_event(2, None);
        assert_eq!(unreadable.finish(), Some(missing));
    }

    #[test]
    fn two_checkpoints_that_contradict_each_other_do_not_both_agree() {
        assert!(compared(&[head(1, "a"), head(1, "b")], &[head(1, "a")]).is_some());
    }

    #[test]
    fn other_lines_are_refused() {
        let (book, hash) = ("0f".repeat(16), "0f".repeat(32));
        assert!(CheckpointEntry::parse(&format!("{book} 1 {hash}")).is_some());
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
