//! Finds the amount in a text (behaviour 3.8.2.1, 3.8.6).

use std::ops::Range;

use super::number::FormatMatch;
use super::scanner::{PieceKind, TextPiece};
use super::{TokenKind, TypedText, edge, number};
use crate::amount::{Amount, Precision};
use crate::numeral::{is_apostrophe, is_fixed_space};

/// The pieces of a number: a figure and the groups of three digits after it.
struct WrittenNumber {
    range: Range<usize>,
    /// Whether other digits follow directly, so that this is not a number.
    is_cut: bool,
}

/// The text after a piece of a number.
enum Continuation {
    /// The number ends.
    End,
    /// A figure that belongs to the number.
    Digits,
    /// Digits that are a part of something else.
    OtherDigits,
}

impl TypedText<'_> {
    /// Removes the first of the numbers that match the format of the book best.
    pub(super) fn take_amount(&mut self, precision: Precision) -> Option<Amount> {
        let mut best: Option<(FormatMatch, Range<usize>, Amount)> = None;
        let mut next = 0;
        for first in 0..self.pieces.len() {
            if first < next || !self.is_number(first) {
                continue;
            }
            let number = self.written_number(first);
            next = number.range.end;
            let Some((rank, range, amount)) = self.read_number(&number, precision) else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                best = Some((rank, range, amount));
            }
        }
        let (_, range, amount) = best?;
        self.take(range, TokenKind::Amount);
        Some(amount)
    }

    /// Returns the rank, the pieces (including a decimal separator before) and the value of a
    /// number.
    fn read_number(
        &self,
        number: &WrittenNumber,
        precision: Precision,
    ) -> Option<(FormatMatch, Range<usize>, Amount)> {
        let Range { start: first, end } = number.range.clone();
        let start = self.pieces.get(first)?.span.start;
        let last = self.pieces.get(end.checked_sub(1)?)?.span.end;
        let separator = edge::leading_separator(self.before(start))?;
        if number.is_cut || !edge::ends_number(self.after(last)) {
            return None;
        }
        let written = self.text.get(start.checked_sub(separator)?..last)?;
        let (rank, amount) = number::read(written, precision)?;
        Some((rank, first.checked_sub(separator)?..end, amount))
    }

    /// Returns the number that begins with this figure.
    fn written_number(&self, first: usize) -> WrittenNumber {
        let mut number = WrittenNumber { range: first..first.saturating_add(1), is_cut: false };
        let mut group = DigitGroup::leading(self.text_at(first));
        loop {
            let next = number.range.end.saturating_add(1);
            let continuation = self.continuation(&number, group);
            number.is_cut = matches!(continuation, Continuation::OtherDigits);
            if !matches!(continuation, Continuation::Digits) {
                return number;
            }
            if group == DigitGroup::Whole {
                group = DigitGroup::following(self.text_at(next));
            }
            number.range.end = next.saturating_add(1);
        }
    }

    /// Checks the text after a number. A space can separate words or thousands, so only a group
    /// after it belongs to the number. Fixed spaces and apostrophes do not separate numbers.
    fn continuation(&self, number: &WrittenNumber, group: DigitGroup) -> Continuation {
        let next = number.range.end.saturating_add(1);
        let text = self.text_at(next);
        let mut gap = self.text_at(number.range.end).chars();
        let (Some(gap), None) = (gap.next(), gap.next()) else { return Continuation::End };
        if gap == ' ' {
            if group != DigitGroup::Whole || !self.is_number(next) {
                return Continuation::End;
            }
            return match DigitGroup::following(text) {
                DigitGroup::Whole | DigitGroup::WithDecimals => Continuation::Digits,
                DigitGroup::None if self.is_spaced(number) => Continuation::OtherDigits,
                DigitGroup::None => Continuation::End,
            };
        }
        if !is_fixed_space(gap) && !is_apostrophe(gap) {
            return Continuation::End;
        }
        let is_word = |piece: &TextPiece| piece.kind == PieceKind::Word;
        if self.is_number(next) {
            Continuation::Digits
        } else if self.is_free(next)
            && self.pieces.get(next).is_some_and(is_word)
            && text.starts_with(|c: char| c.is_ascii_digit())
        {
            Continuation::OtherDigits
        } else {
            Continuation::End
        }
    }

    /// Returns whether spaces separate the groups of the number.
    fn is_spaced(&self, number: &WrittenNumber) -> bool {
        number.range.clone().any(|index| self.text_at(index) == " ")
    }

    /// Returns whether the piece is a free figure without the separators of dates and times.
    fn is_number(&self, index: usize) -> bool {
        let is_figure = |piece: &TextPiece| piece.kind == PieceKind::Figure;
        self.is_free(index)
            && self.pieces.get(index).is_some_and(is_figure)
            && self.text_at(index).chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    }

    fn text_at(&self, index: usize) -> &str {
        self.pieces.get(index).map(|piece| self.text_of(piece)).unwrap_or_default()
    }
}

/// The role of a figure among groups of thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigitGroup {
    /// No group.
    None,
    /// A group that may be followed by others.
    Whole,
    /// The last group, with decimals.
    WithDecimals,
}

impl DigitGroup {
    /// Classifies a first group: it has one to three digits and no leading zero.
    fn leading(text: &str) -> Self {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let leads = digits && (1..=3).contains(&text.len()) && !text.starts_with('0');
        if leads { Self::Whole } else { Self::None }
    }

    fn following(text: &str) -> Self {
        match text.split_once(['.', ',']) {
            _ if text.bytes().take_while(u8::is_ascii_digit).count() != 3 => Self::None,
            None => Self::Whole,
            Some((_, decimals)) if decimals.bytes().all(|byte| byte.is_ascii_digit()) => {
                Self::WithDecimals
            }
            Some(_) => Self::None,
        }
    }
}
