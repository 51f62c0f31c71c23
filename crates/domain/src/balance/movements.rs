//! The movements of an account, or of a set of distinct accounts, within a range, slice by slice.
//!
//! Permanent and other accounts differ only in what they bring into the range. So a track is an
//! opening (zero for accounts that are not permanent) and the movements in the range, and the
//! tracks of accounts of both kinds add up to the track of their group (behaviour 5.5, 5.13).

use super::slice::{MAX_FILLED_SLICES, PeriodAxis, Series, SeriesDetail};
use super::{Amounts, Slice, Sums};

/// The movements of one slice; never zero.
#[derive(Debug, Clone, Copy)]
struct Movement {
    step: i32,
    sums: Sums,
}

/// An opening and the movements after it.
#[derive(Debug, Clone, Default)]
pub(super) struct Movements {
    /// The number of the first slice; `None` without posted movement.
    first: Option<i32>,
    opening: Sums,
    /// In order of time, each slice once; in any order until [`Movements::finish`].
    movements: Vec<Movement>,
}

/// Whether a part of a sum is added or taken away.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sign {
    Plus,
    Minus,
}

impl Movements {
    /// Adds a total before the range.
    pub(super) fn open(&mut self, sums: Sums) {
        self.opening = self.opening + sums;
    }

    /// Adds a total inside the range; whether it is a movement of its own.
    pub(super) fn enter(&mut self, step: i32, sums: Sums) -> bool {
        match self.movements.last_mut().filter(|last| last.step == step) {
            Some(last) => {
                last.sums = last.sums + sums;
                false
            }
            None => {
                self.movements.push(Movement { step, sums });
                true
            }
        }
    }

    /// Adds up what moved in the same slices.
    pub(super) fn merge(&mut self) {
        self.movements = merged(std::mem::take(&mut self.movements));
    }

    /// Keeps two movements at most: what moved at last, and at first all the rest. The totals stay,
    /// and so does where it begins and ends.
    pub(super) fn sum_up(&mut self) {
        if self.movements.len() <= 2 {
            return;
        }
        let mut movements = merged(std::mem::take(&mut self.movements)).into_iter();
        let (first, last) = (movements.next(), movements.next_back());
        let between: Sums = movements.map(|movement| movement.sums).sum();
        let first = first.map(|movement| Movement { sums: movement.sums + between, ..movement });
        self.movements = first.into_iter().chain(last).collect();
    }

    /// How many movements it has.
    pub(super) const fn moved(&self) -> usize {
        self.movements.len()
    }

    /// Completes the track; `start` is the number of the first slice of the range. An account with
    /// movements before the range starts with it (behaviour 5.7); one that is not permanent has no
    /// opening (behaviour 5.5).
    pub(super) fn finish(&mut self, start: Option<i32>, permanent: bool) {
        self.merge();
        let earliest = self.movements.first().map(|movement| movement.step);
        self.first = if self.opening.is_zero() { earliest } else { start.or(earliest) };
        if !permanent {
            self.opening = Sums::default();
        }
    }

    /// Whether there is no posted movement up to the end of the range (behaviour 5.7).
    pub(super) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The number of the last slice with movements.
    pub(super) fn last_moved(&self) -> Option<i32> {
        self.movements.last().map(|movement| movement.step)
    }

    /// The sum of tracks. What is subtracted must have been added at least twice.
    pub(super) fn sum(parts: &[(Sign, &Self)]) -> Self {
        if let [(Sign::Plus, only)] = parts {
            return (*only).clone();
        }
        let opening =
            parts.iter().fold(Sums::default(), |sums, (sign, part)| sign.apply(sums, part.opening));
        let first = parts.iter().filter_map(|(_, part)| part.first).min();
        let earliest = parts
            .iter()
            .filter_map(|(_, part)| part.movements.first())
            .map(|movement| movement.step)
            .min();
        let latest = parts.iter().filter_map(|(_, part)| part.last_moved()).max();
        let movements = match earliest.zip(latest) {
            Some((earliest, latest)) if latest.saturating_sub(earliest) < MAX_FILLED_SLICES => {
                by_place(parts, earliest, latest)
            }
            Some(_) => by_order(parts),
            None => Vec::new(),
        };
        Self { first, opening, movements }
    }

    /// The totals (behaviour 5.5).
    pub(super) fn figures(&self) -> Amounts {
        let period = self.movements.iter().map(|movement| movement.sums).sum();
        Amounts { cumulative: self.opening + period, period }
    }

    /// The series, from the first slice to the last of the axis (behaviour 5.7).
    pub(super) fn series(&self, axis: PeriodAxis, detail: SeriesDetail) -> Series {
        let Some(last) = axis.last else {
            return Series::default();
        };
        let slices = match detail {
            SeriesDetail::Filled if self.span(last) <= MAX_FILLED_SLICES => {
                self.entries(axis, self.first(last)..=last)
            }
            SeriesDetail::Filled | SeriesDetail::Moved => {
                let moved = self.movements.iter().map(|movement| movement.step);
                let (opened, alone) = self.added(last);
                self.entries(axis, opened.into_iter().chain(alone).chain(moved))
            }
            SeriesDetail::Last => self.entries(axis, std::iter::once(last)),
        };
        let truncated = slices.len() < usize::try_from(self.span(last)).unwrap_or_default();
        Series { slices, truncated }
    }

    /// The length of [`Movements::series`].
    pub(super) fn length(&self, axis: PeriodAxis, detail: SeriesDetail) -> usize {
        let Some(last) = axis.last else {
            return 0;
        };
        match detail {
            SeriesDetail::Filled if self.span(last) <= MAX_FILLED_SLICES => {
                usize::try_from(self.span(last)).unwrap_or_default()
            }
            SeriesDetail::Filled | SeriesDetail::Moved => {
                let (opened, alone) = self.added(last);
                self.movements.len() + usize::from(opened.is_some()) + usize::from(alone.is_some())
            }
            SeriesDetail::Last => 1,
        }
    }

    fn first(&self, last: i32) -> i32 {
        self.first.unwrap_or(last)
    }

    /// The number of slices from the first to this one.
    fn span(&self, last: i32) -> i32 {
        last.saturating_sub(self.first(last)).saturating_add(1)
    }

    /// The slices that a series without zeros has besides its movements.
    fn added(&self, last: i32) -> (Option<i32>, Option<i32>) {
        let first = self.first(last);
        // An opening is shown where the range begins: clients repeat the value before a gap and
        // know none before the first slice.
        let opened = (!self.opening.is_zero()
            && self.movements.first().is_none_or(|movement| movement.step > first))
        .then_some(first);
        // A series is never empty (behaviour 5.8).
        let alone = (opened.is_none() && self.movements.is_empty()).then_some(last);
        (opened, alone)
    }

    fn entries(&self, axis: PeriodAxis, steps: impl Iterator<Item = i32>) -> Vec<Slice> {
        let mut cumulative = self.opening;
        let mut movements = self.movements.iter().peekable();
        let entry = |step| {
            let mut period = Sums::default();
            while let Some(movement) = movements.next_if(|movement| movement.step <= step) {
                period = period + movement.sums;
            }
            cumulative = cumulative + period;
            axis.slice(step, Amounts { cumulative, period })
        };
        let mut entries = Vec::with_capacity(steps.size_hint().0);
        entries.extend(steps.filter_map(entry));
        entries
    }
}

impl Sign {
    const fn is_plus(self) -> bool {
        matches!(self, Self::Plus)
    }

    fn apply(self, sums: Sums, part: Sums) -> Sums {
        if self.is_plus() { sums + part } else { sums.minus(part) }
    }
}

/// Adds movements in one slot per slice, for spans short enough to be filled.
fn by_place(parts: &[(Sign, &Movements)], earliest: i32, latest: i32) -> Vec<Movement> {
    let mut slots: Vec<Movement> =
        (earliest..=latest).map(|step| Movement { step, sums: Sums::default() }).collect();
    for (sign, part) in parts {
        for movement in &part.movements {
            let place = usize::try_from(movement.step.saturating_sub(earliest));
            if let Some(slot) = place.ok().and_then(|place| slots.get_mut(place)) {
                slot.sums = sign.apply(slot.sums, movement.sums);
            }
        }
    }
    slots.retain(|slot| !slot.sums.is_zero());
    slots
}

/// Adds movements by sorting them, for long spans that are mostly empty.
fn by_order(parts: &[(Sign, &Movements)]) -> Vec<Movement> {
    let signed = |(sign, part): &(Sign, &Movements)| {
        let sign = *sign;
        let movement = move |movement: &Movement| Movement {
            sums: sign.apply(Sums::default(), movement.sums),
            ..*movement
        };
        part.movements.iter().map(movement).collect::<Vec<_>>()
    };
    merged(parts.iter().flat_map(signed).collect())
}

/// In order of time, each slice once.
fn merged(mut movements: Vec<Movement>) -> Vec<Movement> {
    movements.sort_by_key(|movement| movement.step);
    movements.dedup_by(|next, kept| {
        let same = next.step == kept.step;
        if same {
            kept.sums = kept.sums + next.sums;
        }
        same
    });
    movements.retain(|movement| !movement.sums.is_zero());
    movements
}
