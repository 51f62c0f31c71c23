//! The response headers about the items of a batch (behaviour 3.6.4, 3.7.2).
//!
//! They have the number of skipped items, and the positions of items that existed already.

use std::fmt::Write;

use actix_web::HttpResponseBuilder;
use actix_web::http::header::HeaderName;

const SKIPPED: HeaderName = HeaderName::from_static("skipped-items");
/// The positions of items that existed already.
const KNOWN: HeaderName = HeaderName::from_static("known-items");
/// Maximum length of the list of positions in characters. Proxies refuse long headers.
const MAX_POSITIONS: usize = 1_000;

/// The notes of a response about the items of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ItemNotes {
    /// The number of skipped items.
    skipped: usize,
    /// The positions of known items, such as `0-2,7`.
    known: String,
}

impl ItemNotes {
    /// Creates notes with a number of skipped items.
    pub(crate) fn of_skipped(skipped: usize) -> Self {
        Self { skipped, ..Self::default() }
    }

    /// Adds the positions of known items, in ascending order.
    pub(crate) fn with_known(self, positions: impl Iterator<Item = usize>) -> Self {
        Self { known: format_ranges(positions), ..self }
    }

    /// Returns the form that is stored under an idempotency key; `None` if there are no notes.
    pub(crate) fn stored(&self) -> Option<String> {
        let Self { skipped, known } = self;
        (*self != Self::default()).then(|| format!("{skipped};{known}"))
    }

    /// Parses the stored form.
    pub(crate) fn read(stored: Option<&str>) -> Self {
        let parts = stored.and_then(|text| text.split_once(';'));
        parts.map_or_else(Self::default, |(skipped, known)| Self {
            skipped: skipped.parse().unwrap_or_default(),
            known: known.to_owned(),
        })
    }

    /// Adds the headers of a response. Empty notes add none.
    pub(crate) fn write(&self, response: &mut HttpResponseBuilder) {
        if self.skipped > 0 {
            response.insert_header((SKIPPED, self.skipped));
        }
        if !self.known.is_empty() {
            response.insert_header((KNOWN, self.known.as_str()));
        }
    }
}

/// Formats positions in ascending order as ranges. A long list ends with `...`.
fn format_ranges(positions: impl Iterator<Item = usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for position in positions {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(position) => *last = position,
            _ => runs.push((position, position)),
        }
    }
    let mut text = String::new();
    for (first, last) in runs {
        let separator = if text.is_empty() { "" } else { "," };
        if text.len() > MAX_POSITIONS {
            text.push_str(",...");
            break;
        }
        // Writing to a String does not fail.
        let _ = match first == last {
            true => write!(text, "{separator}{first}"),
            false => write!(text, "{separator}{first}-{last}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_formatted_as_ranges() {
        for (positions, expected) in
            [(vec![], ""), (vec![3], "3"), (vec![0, 1, 2, 7], "0-2,7"), (vec![0, 2, 3], "0,2-3")]
        {
            assert_eq!(format_ranges(positions.into_iter()), expected);
        }
        let many = format_ranges((0..10_000).map(|number| number * 2));
        assert!(many.len() < 1_020 && many.ends_with(",..."), "{many}");
    }

    #[test]
    fn notes_round_trip() {
        let notes = ItemNotes { skipped: 3, ..ItemNotes::default() };
        for notes in [ItemNotes::default(), notes.clone(), notes.with_known([1, 2].into_iter())] {
            assert_eq!(ItemNotes::read(notes.stored().as_deref()), notes);
        }
        assert_eq!(ItemNotes::default().stored(), None);
    }
}
