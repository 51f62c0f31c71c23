//! Quick entry: parses a transaction that was typed as one line of text, such as `13/05 cash taxi
//! 12,34 #airport` (behaviour 3.8). Every text is accepted.
//!
//! The scanner splits the text into pieces without gaps. The pieces of accounts, dates, amounts and
//! URLs are marked and removed; the remaining text becomes the description. The account names are
//! loaded once for all texts of a request. They are searched for at once, so that one pass finds
//! the longest name at each word. The result is an ordinary body, recorded as if a client had sent
//! it.

mod amount;
mod body;
mod day;
mod edge;
#[cfg(test)]
mod laws;
mod lexicon;
mod number;
mod scanner;
mod similar;
#[cfg(test)]
mod tests;
mod token;

use std::collections::HashSet;
use std::ops::Range;

use time::Date;

pub use body::FieldsToParse;
pub use lexicon::Lexicon;
pub use similar::{SimilarSearch, learns_from_history};
pub use token::{Token, TokenKind};

use crate::amount::{Amount, Precision};
use crate::calendar::DatePattern;
use crate::id::AccountId;
use crate::transaction::MAX_URL;
use scanner::{PieceKind, TextPiece, pieces};

/// Maximum number of repetitions of one text (behaviour 3.8.2.8).
const MAX_REPEATS: u8 = 36;

/// Reads texts; its fields are everything that reading depends on besides the text.
#[derive(Debug, Clone, Copy)]
pub struct QuickEntryReader<'a> {
    /// The names of the accounts.
    pub names: &'a Lexicon,
    /// The date pattern of the book.
    pub pattern: DatePattern,
    /// The precision and the decimal separator of the book.
    pub precision: Precision,
    /// Today in the time zone of the writer. Dates without a year are in this year.
    pub today: Date,
    /// Whether the text may request repetitions in the following months: only in a single create.
    pub repeats: bool,
}

/// The parts of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuickEntry {
    /// The text without the other parts, with white space collapsed.
    pub description: String,
    /// The amount.
    pub amount: Option<Amount>,
    /// The credit account: the first account in the text.
    pub credit: Option<AccountId>,
    /// The debit account: the second account in the text.
    pub debit: Option<AccountId>,
    /// The date.
    pub date: Option<Date>,
    /// The distinct URLs.
    pub urls: Vec<String>,
    /// The days of the requested repetitions.
    pub repeats: Vec<Date>,
    /// The recognized parts of the text, in its order, without overlaps.
    pub tokens: Vec<Token>,
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
    pub fn read(&self, text: &str) -> QuickEntry {
        let mut typed = TypedText::new(text.trim());
        let (credit, debit) = typed.take_accounts(self.names);
        let date = typed.take_date(self.pattern, self.today);
        let amount = typed.take_amount(self.precision);
        let first_day = date.filter(|_| self.repeats && !typed.text.contains(LINE_BREAKS));
        let repeats = first_day.and_then(|date| typed.take_repeats(date)).unwrap_or_default();
        let urls = typed.take_urls();
        typed.take_tags();
        QuickEntry {
            description: typed.remaining_text(),
            amount,
            credit,
            debit,
            date,
            urls,
            repeats,
            tokens: typed.tokens_in(text),
        }
    }

    /// Reads only the names of two accounts, for a body with a date or an amount. `None` if the
    /// text does not have two names; then it is not changed (behaviour 3.8.1).
    pub fn read_names(&self, text: &str) -> Option<QuickEntry> {
        let mut typed = TypedText::new(text.trim());
        let (credit, debit) = typed.take_accounts(self.names);
        debit.map(|_| QuickEntry {
            description: typed.remaining_text(),
            credit,
            debit,
            tokens: typed.tokens_in(text),
            ..QuickEntry::default()
        })
    }
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

const LINE_BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// A text that is being read, and the state of its pieces.
struct TypedText<'t> {
    text: &'t str,
    pieces: Vec<TextPiece>,
    /// The pieces that belong to an account name. Their digits are neither an amount nor a date.
    named: Vec<bool>,
    /// The pieces that are removed from the text.
    removed: Vec<bool>,
    /// The recognized parts, in the order in which they were found.
    tokens: Vec<Token>,
}

impl<'t> TypedText<'t> {
    fn new(text: &'t str) -> Self {
        let pieces = pieces(text);
        let flags = vec![false; pieces.len()];
        Self { text, named: flags.clone(), removed: flags, pieces, tokens: Vec::new() }
    }

    /// Removes the first two accounts. Further mentions of an account stay in the text.
    fn take_accounts(&mut self, names: &Lexicon) -> (Option<AccountId>, Option<AccountId>) {
        let mut sides = (None, None);
        for mention in names.mentions(self.text, &self.pieces) {
            mark(&mut self.named, mention.pieces.clone());
            let account = mention.account;
            let kind = match sides {
                (None, _) => {
                    sides.0 = Some(account);
                    TokenKind::CreditAccount(account)
                }
                (Some(credit), None) if credit != account => {
                    sides.1 = Some(account);
                    TokenKind::DebitAccount(account)
                }
                _ => continue,
            };
            self.take(mention.pieces, kind);
        }
        sides
    }

    /// Removes the first date.
    fn take_date(&mut self, pattern: DatePattern, today: Date) -> Option<Date> {
        let figures = self.figures().filter(|(_, piece)| {
            edge::leading_separator(self.before(piece.span.start)) == Some(0)
                && edge::ends_number(self.after(piece.span.end))
        });
        let (index, date) = figures
            .filter_map(|(index, piece)| {
                Some((index, day::read(self.text_of(piece), pattern, today)?))
            })
            .next()?;
        self.take(index..index.saturating_add(1), TokenKind::Date);
        Some(date)
    }

    /// Removes a request for repetitions: `4x` or `$4x` between white space.
    fn take_repeats(&mut self, date: Date) -> Option<Vec<Date>> {
        let is_space = |index: Option<usize>| {
            index
                .and_then(|index| self.pieces.get(index))
                .is_none_or(|piece| piece.kind == PieceKind::Space)
        };
        let read_request = |index: usize, piece: &TextPiece| {
            if piece.kind != PieceKind::Word || self.named.get(index) == Some(&true) {
                return None;
            }
            let count: u8 = self
                .text_of(piece)
                .strip_suffix(['x', 'X'])?
                .parse()
                .ok()
                .filter(|count| (1..=MAX_REPEATS).contains(count))?;
            let before = index.checked_sub(1);
            let dollar = before
                .and_then(|index| self.pieces.get(index))
                .is_some_and(|piece| self.text_of(piece) == "$");
            let first = if dollar { before? } else { index };
            let alone = is_space(first.checked_sub(1)) && is_space(Some(index.saturating_add(1)));
            Some((
                first..index.saturating_add(1),
                day::following_months(date, count).filter(|_| alone)?,
            ))
        };
        let mut pieces = self.pieces.iter().enumerate();
        let (range, days) = pieces.find_map(|(index, piece)| read_request(index, piece))?;
        self.take(range, TokenKind::Repeats);
        Some(days)
    }

    /// Removes the URLs.
    fn take_urls(&mut self) -> Vec<String> {
        let mut urls = Vec::new();
        for (piece, removed) in self.pieces.iter().zip(&mut self.removed) {
            // A transaction cannot have longer URLs; they stay in the text.
            if piece.kind == PieceKind::Url && piece.span.len() <= MAX_URL {
                *removed = true;
                self.tokens.push(Token { span: piece.span.clone(), kind: TokenKind::Url });
                urls.push(self.text.get(piece.span.clone()).unwrap_or_default().to_owned());
            }
        }
        distinct(urls.into_iter())
    }

    /// Finds the hashtags, and removes those with a `-` before them (behaviour 3.8.2.5).
    fn take_tags(&mut self) {
        for (piece, removed) in self.pieces.iter().zip(&mut self.removed) {
            let kind = match piece.kind {
                PieceKind::Tag => TokenKind::Hashtag,
                PieceKind::NegatedTag => TokenKind::RemovedHashtag,
                PieceKind::Space
                | PieceKind::Dash
                | PieceKind::Word
                | PieceKind::Figure
                | PieceKind::Symbol
                | PieceKind::Quoted
                | PieceKind::Url => continue,
            };
            *removed |= kind == TokenKind::RemovedHashtag;
            self.tokens.push(Token { span: piece.span.clone(), kind });
        }
    }

    /// Removes pieces that were recognized.
    fn take(&mut self, range: Range<usize>, kind: TokenKind) {
        let pieces = self.pieces.get(range.clone()).unwrap_or_default();
        if let (Some(first), Some(last)) = (pieces.first(), pieces.last()) {
            self.tokens.push(Token { span: first.span.start..last.span.end, kind });
        }
        mark(&mut self.removed, range);
    }

    /// Returns the text that remains. A run of white space becomes a line break if it contains one,
    /// otherwise a space.
    fn remaining_text(&self) -> String {
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
                | PieceKind::NegatedTag => {
                    rest.extend(gap.take().filter(|_| !rest.is_empty()));
                    rest.push_str(self.text_of(piece));
                }
            }
        }
        rest
    }

    /// Returns the figures that are neither in a name nor removed.
    fn figures(&self) -> impl Iterator<Item = (usize, &TextPiece)> {
        let free = self.pieces.iter().enumerate();
        free.filter(|(index, piece)| piece.kind == PieceKind::Figure && self.is_free(*index))
    }

    /// Returns whether the piece is neither in a name nor removed.
    fn is_free(&self, index: usize) -> bool {
        self.named.get(index) == Some(&false) && self.removed.get(index) == Some(&false)
    }

    fn before(&self, offset: usize) -> &'t str {
        self.text.get(..offset).unwrap_or_default()
    }

    fn after(&self, offset: usize) -> &'t str {
        self.text.get(offset..).unwrap_or_default()
    }

    fn text_of(&self, piece: &TextPiece) -> &'t str {
        self.text.get(piece.span.clone()).unwrap_or_default()
    }
}

fn mark(flags: &mut [bool], range: Range<usize>) {
    if let Some(flags) = flags.get_mut(range) {
        flags.fill(true);
    }
}
