//! Text mode: a line typed by a person becomes a transaction (behaviour 3.8). Whatever is typed is
//! read, never refused.
//!
//! The line is cut into tokens that together are the whole text. What is recognized is marked, and
//! what is not marked stays in the description. The names of the accounts are loaded once for all
//! lines of a request and searched for all at once, so the longest name at every word is found in
//! one pass. The result is an ordinary body, recorded as if a client had sent it.

mod amount;
mod body;
mod day;
mod edge;
#[cfg(test)]
mod laws;
mod lexicon;
mod number;
mod precedent;
mod scanner;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use time::Date;

pub use body::Discovery;
pub use lexicon::Lexicon;
pub use precedent::{Precedent, learns};

use crate::amount::{Amount, Precision};
use crate::calendar::DatePattern;
use crate::id::AccountId;
use crate::transaction::MAX_URL;
use scanner::{PieceKind, TextPiece, pieces};

/// The most repetitions a text may ask for (behaviour 3.8.2.8).
const MAX_REPEATS: u8 = 36;

/// What reading a text depends on.
#[derive(Debug, Clone, Copy)]
pub struct QuickEntryReader<'a> {
    /// The names of the accounts to find.
    pub names: &'a Lexicon,
    /// How the book writes days.
    pub pattern: DatePattern,
    /// How the book reads and stores amounts.
    pub precision: Precision,
    /// Today where the text was typed: its year is that of short days.
    pub today: Date,
    /// Whether the text may ask for the months that follow: a single create only.
    pub repeats: bool,
}

/// What was found in a text, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuickEntry {
    /// The text without what was found, with white space collapsed.
    pub description: String,
    /// The amount.
    pub amount: Option<Amount>,
    /// The first account named: the credit account.
    pub credit: Option<AccountId>,
    /// The second account named: the debit account.
    pub debit: Option<AccountId>,
    /// The date.
    pub date: Option<Date>,
    /// URLs, each once.
    pub urls: Vec<String>,
    /// The days of the following months that are asked for.
    pub repeats: Vec<Date>,
}

impl QuickEntryReader<'_> {
    /// Reads a text (behaviour 3.8.2).
    ///
    /// ```
    /// use daybook_domain::amount::{DecimalSeparator, Precision};
    /// use daybook_domain::calendar::{DatePattern, parse_iso};
    /// use daybook_domain::id::AccountId;
    /// use daybook_domain::transaction::quick_entry::{Lexicon, QuickEntryReader};
    ///
    /// let (cash, taxi) = (AccountId::new(1), AccountId::new(2));
    /// let names = Lexicon::new([(cash, "Cash"), (taxi, "Táxi")]);
    /// let precision =
    ///     Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Comma };
    /// let today = parse_iso("2025-05-20").unwrap();
    /// let reader = QuickEntryReader {
    ///     names: &names,
    ///     pattern: DatePattern::DayFirst,
    ///     precision,
    ///     today,
    ///     repeats: false,
    /// };
    /// let found = reader.read("13/05 cash taxi 12,34 to #Airport");
    /// assert_eq!((found.credit, found.debit), (Some(cash), Some(taxi)));
    /// assert_eq!(
    ///     (found.amount.unwrap().value().to_string(), found.date),
    ///     ("12.34".to_owned(), parse_iso("2025-05-13"))
    /// );
    /// assert_eq!(found.description, "to #Airport");
    /// ```
    #[must_use]
    pub fn read(&self, text: &str) -> QuickEntry {
        let text = text.trim();
        let mut typed = TypedText::new(text);
        let (credit, debit) = typed.accounts(self.names);
        let date = typed.date(self.pattern, self.today);
        let amount = typed.amount(self.precision);
        let repeated = date.filter(|_| self.repeats && !text.contains(LINE_BREAKS));
        let repeats = repeated.and_then(|date| typed.repeats(date)).unwrap_or_default();
        let urls = typed.urls();
        typed.untag();
        QuickEntry { description: typed.rest(), amount, credit, debit, date, urls, repeats }
    }

    /// Reads no more than the names of two accounts, for a body that gives a date or an amount
    /// itself; `None` when the text has no two names, which leaves it as it is (behaviour 3.8.1).
    ///
    /// ```
    /// # use daybook_domain::amount::{DecimalSeparator, Precision};
    /// # use daybook_domain::calendar::{DatePattern, parse_iso};
    /// # use daybook_domain::id::AccountId;
    /// # use daybook_domain::transaction::quick_entry::{Lexicon, QuickEntryReader};
    /// let names =
    ///     Lexicon::new([(AccountId::new(1), "Output Tax"), (AccountId::new(2), "Product")]);
    /// # let reader = QuickEntryReader {
    /// #     names: &names,
    /// #     pattern: DatePattern::DayFirst,
    /// #     precision: Precision {
    /// #         fraction_digits: 2,
    /// #         scale: 2,
    /// #         separator: DecimalSeparator::Dot,
    /// #     },
    /// #     today: parse_iso("2025-05-20").unwrap(),
    /// #     repeats: false,
    /// # };
    /// let found = reader.read_names("Output Tax Product #vatout Sold 25").unwrap();
    /// assert_eq!(found.credit, Some(AccountId::new(1)));
    /// assert_eq!((found.debit, found.amount), (Some(AccountId::new(2)), None));
    /// assert_eq!(found.description, "#vatout Sold 25");
    /// assert_eq!(reader.read_names("Product 25"), None);
    /// ```
    #[must_use]
    pub fn read_names(&self, text: &str) -> Option<QuickEntry> {
        let mut typed = TypedText::new(text.trim());
        let (credit, debit) = typed.accounts(self.names);
        debit.map(|_| QuickEntry {
            description: typed.rest(),
            credit,
            debit,
            ..QuickEntry::default()
        })
    }
}

fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

const LINE_BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// A text while it is read: its pieces, and what became of each.
struct TypedText<'t> {
    text: &'t str,
    pieces: Vec<TextPiece>,
    /// Which pieces belong to the name of an account, so that their digits are neither amount nor
    /// day.
    named: Vec<bool>,
    /// Which pieces were found and are removed.
    removed: Vec<bool>,
}

impl<'t> TypedText<'t> {
    fn new(text: &'t str) -> Self {
        let pieces = pieces(text);
        Self { text, named: vec![false; pieces.len()], removed: vec![false; pieces.len()], pieces }
    }

    /// The first two accounts named. Further mentions of an account stay in the text.
    fn accounts(&mut self, names: &Lexicon) -> (Option<AccountId>, Option<AccountId>) {
        let mut sides = (None, None);
        for mention in names.mentions(self.text, &self.pieces) {
            mark(&mut self.named, mention.pieces.clone());
            let side = match sides {
                (None, _) => &mut sides.0,
                (Some(credit), None) if credit != mention.account => &mut sides.1,
                _ => continue,
            };
            *side = Some(mention.account);
            mark(&mut self.removed, mention.pieces);
        }
        sides
    }

    fn date(&mut self, pattern: DatePattern, today: Date) -> Option<Date> {
        let figures = self.figures().filter(|(_, piece)| {
            edge::begin(self.before(piece.span.start)) == Some(0)
                && edge::ends(self.after(piece.span.end))
        });
        let (place, date) = figures
            .filter_map(|(place, piece)| {
                Some((place, day::read(self.text_of(piece), pattern, today)?))
            })
            .next()?;
        mark(&mut self.removed, place..place.saturating_add(1));
        Some(date)
    }

    /// The repetitions asked for by `4x` or `$4x` between white space.
    fn repeats(&mut self, date: Date) -> Option<Vec<Date>> {
        let is_space = |place: Option<usize>| {
            place
                .and_then(|place| self.pieces.get(place))
                .is_none_or(|piece| piece.kind == PieceKind::Space)
        };
        let asks = |(place, piece): (usize, &TextPiece)| {
            if piece.kind != PieceKind::Word || self.named.get(place) == Some(&true) {
                return None;
            }
            let count: u8 = self
                .text_of(piece)
                .strip_suffix(['x', 'X'])?
                .parse()
                .ok()
                .filter(|count| (1..=MAX_REPEATS).contains(count))?;
            let before = place.checked_sub(1);
            let dollar = before
                .and_then(|place| self.pieces.get(place))
                .is_some_and(|piece| self.text_of(piece) == "$");
            let first = if dollar { before? } else { place };
            let alone = is_space(first.checked_sub(1)) && is_space(Some(place.saturating_add(1)));
            Some((
                first..place.saturating_add(1),
                day::following_months(date, count).filter(|_| alone)?,
            ))
        };
        let (places, days) = self.pieces.iter().enumerate().find_map(asks)?;
        mark(&mut self.removed, places);
        Some(days)
    }

    fn urls(&mut self) -> Vec<String> {
        let mut urls = Vec::new();
        for (piece, removed) in self.pieces.iter().zip(&mut self.removed) {
            // A longer one is no URL of a transaction; it stays in the text, which is not refused.
            if piece.kind == PieceKind::Url && piece.span.len() <= MAX_URL {
                *removed = true;
                urls.push(self.text.get(piece.span.clone()).unwrap_or_default().to_owned());
            }
        }
        each_once(urls.into_iter())
    }

    /// Removes what keeps its hashtag out of discovery (behaviour 3.8.2.5).
    fn untag(&mut self) {
        for (piece, removed) in self.pieces.iter().zip(&mut self.removed) {
            *removed |= piece.kind == PieceKind::Untag;
        }
    }

    /// What remains, with white space collapsed: a run of it becomes a line break if it contains
    /// one, else a space.
    fn rest(&self) -> String {
        let mut rest = String::with_capacity(self.text.len());
        let mut gap = None;
        for (piece, removed) in self.pieces.iter().zip(&self.removed) {
            match piece.kind {
                _ if *removed => {}
                PieceKind::Space => {
                    let line_break = gap == Some('\n') || self.text_of(piece).contains(LINE_BREAKS);
                    gap = Some(if line_break { '\n' } else { ' ' });
                }
                PieceKind::Dash
                | PieceKind::Word
                | PieceKind::Figure
                | PieceKind::Symbol
                | PieceKind::Quoted
                | PieceKind::Url
                | PieceKind::Tag
                | PieceKind::Untag => {
                    rest.extend(gap.take().filter(|_| !rest.is_empty()));
                    rest.push_str(self.text_of(piece));
                }
            }
        }
        rest
    }

    /// The figures that belong to nothing else.
    fn figures(&self) -> impl Iterator<Item = (usize, &TextPiece)> {
        let free = self.pieces.iter().enumerate();
        free.filter(|(place, piece)| piece.kind == PieceKind::Figure && self.is_free(*place))
    }

    /// Whether the piece is in no name and was not found.
    fn is_free(&self, place: usize) -> bool {
        self.named.get(place) == Some(&false) && self.removed.get(place) == Some(&false)
    }

    fn before(&self, place: usize) -> &'t str {
        self.text.get(..place).unwrap_or_default()
    }

    fn after(&self, place: usize) -> &'t str {
        self.text.get(place..).unwrap_or_default()
    }

    fn text_of(&self, piece: &TextPiece) -> &'t str {
        self.text.get(piece.span.clone()).unwrap_or_default()
    }
}

fn mark(flags: &mut [bool], places: Range<usize>) {
    if let Some(flags) = flags.get_mut(places) {
        flags.fill(true);
    }
}
