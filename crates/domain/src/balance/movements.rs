//! The movements of an account, or of a set of distinct accounts, within a range.
//!
//! Permanent and other accounts differ only in their opening, which is zero for accounts that are
//! not permanent. So openings and movements of both kinds can be summed for a group (behaviour 5.5,
//! 5.13).

use super::slice::{MAX_FILLED_SLICES, PeriodAxis, Series, SeriesDetail};
use super::{Amounts, Slice, Sums};

/// The sum of movements in one slice; never zero.
#[derive(Debug, Clone, Copy)]
struct Movement {
    step: i32,
    sums: Sums,
}

/// An opening and the movements after it.
#[derive(Debug, Clone, Default)]
pub(super) struct Movements {
    /// The step of the first slice; `None` without posted movements.
    first: Option<i32>,
    opening: Sums,
    /// One for each slice in order of time. Unordered until [`Movements::finish`].
    slices: Vec<Movement>,
}

/// The sign of a part of a sum.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sign {
    Plus,
    Minus,
}

impl Movements {
    /// Adds a total before the range.
    pub(super) fn add_opening(&mut self, sums: Sums) {
        self.opening = self.opening + sums;
    }

    /// Adds a total inside the range. Returns whether this added an element.
    pub(super) fn add(&mut self, step: i32, sums: Sums) -> bool {
        match self.slices.last_mut().filter(|last| last.step == step) {
            Some(last) => {
                last.sums = last.sums + sums;
                false
            }
            None => {
                self.slices.push(Movement { step, sums });
                true
            }
        }
    }

    /// Sums movements of the same slices and sorts them.
    pub(super) fn merge(&mut self) {
        self.slices = merge(std::mem::take(&mut self.slices));
    }

    /// Reduces the movements to the last one and the sum of all others at the first one.
    pub(super) fn sum_up(&mut self) {
        if self.slices.len() <= 2 {
            return;
        }
        let mut slices = merge(std::mem::take(&mut self.slices)).into_iter();
        let (first, last) = (slices.next(), slices.next_back());
        let between: Sums = slices.map(|movement| movement.sums).sum();
        let first = first.map(|movement| Movement { sums: movement.sums + between, ..movement });
        self.slices = first.into_iter().chain(last).collect();
    }

    /// Returns the number of stored movements.
    pub(super) const fn len(&self) -> usize {
        self.slices.len()
    }

    /// Completes the movements. `start` is the step of the first slice of the range.
    ///
    /// The series of an account with earlier movements starts with the range (behaviour 5.7). An
    /// account that is not permanent has no opening (behaviour 5.5).
    pub(super) fn finish(&mut self, start: Option<i32>, is_permanent: bool) {
        self.merge();
        let earliest = self.slices.first().map(|movement| movement.step);
        self.first = if self.opening.is_zero() { earliest } else { start.or(earliest) };
        if !is_permanent {
            self.opening = Sums::default();
        }
    }

    /// Returns whether it is empty, without posted movements up to the end of the range (behaviour
    /// 5.7).
    pub(super) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Returns the step of the last slice with movements.
    pub(super) fn last_step(&self) -> Option<i32> {
        self.slices.last().map(|movement| movement.step)
    }

    /// Sums parts. A part that is subtracted must be contained at least twice in the others.
    pub(super) fn sum(parts: &[(Sign, &Self)]) -> Self {
        if let [(Sign::Plus, only)] = parts {
            return (*only).clone();
        }
        let opening =
            parts.iter().fold(Sums::default(), |sums, (sign, part)| sign.apply(sums, part.opening));
        let first = parts.iter().filter_map(|(_, part)| part.first).min();
        let earliest = parts
            .iter()
            .filter_map(|(_, part)| part.slices.first())
            .map(|movement| movement.step)
            .min();
        let latest = parts.iter().filter_map(|(_, part)| part.last_step()).max();
        let slices = match earliest.zip(latest) {
            Some((earliest, latest)) if latest.saturating_sub(earliest) < MAX_FILLED_SLICES => {
                sum_dense(parts, earliest, latest)
            }
            Some(_) => sum_sparse(parts),
            None => Vec::new(),
        };
        Self { first, opening, slices }
    }

    /// Returns the totals (behaviour 5.5).
    pub(super) fn amounts(&self) -> Amounts {
        let period = self.slices.iter().map(|movement| movement.sums).sum();
        Amounts { cumulative: self.opening + period, period }
    }

    /// Returns the series from the first slice to the last of the axis (behaviour 5.7).
    pub(super) fn series(&self, axis: PeriodAxis, detail: SeriesDetail) -> Series {
        let Some(last) = axis.last else {
            return Series::default();
        };
        let slices = match detail {
            SeriesDetail::Filled if self.span(last) <= MAX_FILLED_SLICES => {
                self.slices_at(axis, self.first(last)..=last)
            }
            SeriesDetail::Filled | SeriesDetail::Moved => {
                let moved = self.slices.iter().map(|movement| movement.step);
                let extra = self.extra_step(last);
                self.slices_at(axis, extra.into_iter().chain(moved))
            }
            SeriesDetail::Last => self.slices_at(axis, std::iter::once(last)),
        };
        let truncated = slices.len() < usize::try_from(self.span(last)).unwrap_or_default();
        Series { slices, truncated }
    }

    /// Returns the length of [`Movements::series`].
    pub(super) fn length(&self, axis: PeriodAxis, detail: SeriesDetail) -> usize {
        let Some(last) = axis.last else {
            return 0;
        };
        match detail {
            SeriesDetail::Filled if self.span(last) <= MAX_FILLED_SLICES => {
                usize::try_from(self.span(last)).unwrap_or_default()
            }
            SeriesDetail::Filled | SeriesDetail::Moved => {
                self.slices.len() + usize::from(self.extra_step(last).is_some())
            }
            SeriesDetail::Last => 1,
        }
    }

    fn first(&self, last: i32) -> i32 {
        self.first.unwrap_or(last)
    }

    /// Returns the number of slices from the first to `last`.
    fn span(&self, last: i32) -> i32 {
        last.saturating_sub(self.first(last)).saturating_add(1)
    }

    /// Returns the slice without movements that a series without zeros needs, if any.
    fn extra_step(&self, last: i32) -> Option<i32> {
        let first = self.first(last);
        if !self.opening.is_zero()
            && self.slices.first().is_none_or(|movement| movement.step > first)
        {
            // Clients repeat the value before a gap, so the first slice must show the opening.
            Some(first)
        } else if self.slices.is_empty() {
            // A series is never empty (behaviour 5.8).
            Some(last)
        } else {
            None
        }
    }

    fn slices_at(&self, axis: PeriodAxis, steps: impl Iterator<Item = i32>) -> Vec<Slice> {
        let mut cumulative = self.opening;
        let mut movements = self.slices.iter().peekable();
        let slice = |step| {
            let mut period = Sums::default();
            while let Some(movement) = movements.next_if(|movement| movement.step <= step) {
                period = period + movement.sums;
            }
            cumulative = cumulative + period;
            axis.slice(step, Amounts { cumulative, period })
        };
        let mut slices = Vec::with_capacity(steps.size_hint().0);
        slices.extend(steps.filter_map(slice));
        slices
    }
}

impl Sign {
    fn apply(self, sums: Sums, part: Sums) -> Sums {
        match self {
            Self::Plus => sums + part,
            Self::Minus => sums.minus(part),
        }
    }
}

/// Sums movements in an array with an element per slice, for short spans.
fn sum_dense(parts: &[(Sign, &Movements)], earliest: i32, latest: i32) -> Vec<Movement> {
    let mut slots: Vec<Movement> =
        (earliest..=latest).map(|step| Movement { step, sums: Sums::default() }).collect();
    for (sign, part) in parts {
        for movement in &part.slices {
            let index = usize::try_from(movement.step.saturating_sub(earliest));
            if let Some(slot) = index.ok().and_then(|index| slots.get_mut(index)) {
                slot.sums = sign.apply(slot.sums, movement.sums);
            }
        }
    }
    slots.retain(|slot| !slot.sums.is_zero());
    slots
}

/// Sums movements by sorting them, for long spans.
fn sum_sparse(parts: &[(Sign, &Movements)]) -> Vec<Movement> {
    let signed = |(sign, part): &(Sign, &Movements)| {
        let sign = *sign;
        let movement = move |movement: &Movement| Movement {
            sums: sign.apply(Sums::default(), movement.sums),
            ..*movement
        };
        part.slices.iter().map(movement).collect::<Vec<_>>()
    };
    merge(parts.iter().flat_map(signed).collect())
}

/// Sorts movements by slice, sums those of the same slice and drops zeros.
fn merge(mut movements: Vec<Movement>) -> Vec<Movement> {
    movements.sort_by_key(|movement| movement.step);
    movements.dedup_by(|next, previous| {
        let is_same = next.step == previous.step;
        if is_same {
            previous.sums = previous.sums + next.sums;
        }
        is_same
    });
    movements.retain(|movement| !movement.sums.is_zero());
    movements
}
