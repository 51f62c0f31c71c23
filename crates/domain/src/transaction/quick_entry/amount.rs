//! Finds the amount of a typed text (behaviour 3.8.2.1, 3.8.6).

use std::ops::Range;

use super::number::FormatMatch;
use super::scanner::{PieceKind, TextPiece};
use super::{TypedText, edge, mark, number};
use crate::amount::{Amount, Precision};
use crate::numeral::{is_apostrophe, is_fixed_space};

/// The pieces of a number: a figure, with the groups of three that follow it.
struct WrittenNumber {
    places: Range<usize>,
    /// Whether more digits follow that are no such group, so that it is no number.
    runs_on: bool,
}

/// How the digits of a number go on behind a piece.
enum Continuation {
    /// Not at all.
    Nothing,
    /// With a group of three, or with what makes it no number.
    Digits,
    /// With digits that are part of something else.
    OtherDigits,
}

impl TypedText<'_> {
    /// The number that matches the format of the book best, the first of several.
    pub(super) fn amount(&mut self, precision: Precision) -> Option<Amount> {
        let mut best: Option<(FormatMatch, Range<usize>, Amount)> = None;
        let mut behind = 0;
        for first in 0..self.pieces.len() {
            if first < behind || !self.is_number(first) {
                continue;
            }
            let number = self.written_number(first);
            behind = number.places.end;
            let Some((rank, places, amount)) = self.read_number(&number, precision) else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                best = Some((rank, places, amount));
            }
        }
        let (_, places, amount) = best?;
        mark(&mut self.removed, places);
        Some(amount)
    }

    /// The rank and the value of a number, and the pieces that it spans with a decimal separator
    /// before it.
    fn read_number(
        &self,
        number: &WrittenNumber,
        precision: Precision,
    ) -> Option<(FormatMatch, Range<usize>, Amount)> {
        let Range { start: first, end } = number.places.clone();
        let start = self.pieces.get(first)?.span.start;
        let last = self.pieces.get(end.checked_sub(1)?)?.span.end;
        let separator = edge::begin(self.before(start))?;
        if number.runs_on || !edge::ends(self.after(last)) {
            return None;
        }
        let written = self.text.get(start.checked_sub(separator)?..last)?;
        let (rank, amount) = number::read(written, precision)?;
        Some((rank, first.checked_sub(separator)?..end, amount))
    }

    /// The number that begins with this figure.
    fn written_number(&self, first: usize) -> WrittenNumber {
        let mut number = WrittenNumber { places: first..first.saturating_add(1), runs_on: false };
        let mut group = DigitGroup::leading(self.text_at(first));
        loop {
            let next = number.places.end.saturating_add(1);
            let continuation = self.continuation(&number, group);
            number.runs_on = matches!(continuation, Continuation::OtherDigits);
            if !matches!(continuation, Continuation::Digits) {
                return number;
            }
            if group == DigitGroup::Whole {
                group = DigitGroup::following(self.text_at(next));
            }
            number.places.end = next.saturating_add(1);
        }
    }

    /// Words are separated by spaces as well as thousands are, so behind a space only a group
    /// counts. Fixed spaces and apostrophes do not stand between two numbers.
    fn continuation(&self, number: &WrittenNumber, group: DigitGroup) -> Continuation {
        let next = number.places.end.saturating_add(1);
        let text = self.text_at(next);
        let mut gap = self.text_at(number.places.end).chars();
        let (Some(gap), None) = (gap.next(), gap.next()) else { return Continuation::Nothing };
        if gap == ' ' {
            if group != DigitGroup::Whole || !self.is_number(next) {
                return Continuation::Nothing;
            }
            return match DigitGroup::following(text) {
                DigitGroup::Whole | DigitGroup::WithDecimals => Continuation::Digits,
                DigitGroup::None if self.is_spaced(number) => Continuation::OtherDigits,
                DigitGroup::None => Continuation::Nothing,
            };
        }
        if !is_fixed_space(gap) && !is_apostrophe(gap) {
            return Continuation::Nothing;
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
            Continuation::Nothing
        }
    }

    /// Whether spaces separate groups of the number, so that one more space may go on with it.
    fn is_spaced(&self, number: &WrittenNumber) -> bool {
        number.places.clone().any(|place| self.text_at(place) == " ")
    }

    /// Whether the piece is a free figure that is not written like a day or a time.
    fn is_number(&self, place: usize) -> bool {
        let is_figure = |piece: &TextPiece| piece.kind == PieceKind::Figure;
        self.is_free(place)
            && self.pieces.get(place).is_some_and(is_figure)
            && self.text_at(place).chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    }

    fn text_at(&self, place: usize) -> &str {
        self.pieces.get(place).map(|piece| self.text_of(piece)).unwrap_or_default()
    }
}

/// What the digits of a figure are among groups of thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigitGroup {
    /// No group.
    None,
    /// A group of a whole number, which others may follow.
    Whole,
    /// The last group, with decimals.
    WithDecimals,
}

impl DigitGroup {
    /// A first group has one to three digits, the first of which counts.
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
