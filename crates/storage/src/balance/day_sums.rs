//! The sums by day of one account in one month, as `month_totals.days` keeps them: beside those of
//! the month, so that a posting changes one row for both.
//!
//! | First byte | What follows for each day that has moved, in no certain order |
//! |---|---|
//! | 1 | The day of the month in a byte, and the four limbs of its sums ([`super::limbs`]) in eight bytes each, the highest byte first: what a step of the schema could write, which wrote it once |
//! | 2 | The day of the month in a byte, in which 32 says that debits follow and 64 that credits do; each as a zigzag number in groups of seven bits, the lowest first, and 128 in all but the last |
//!
//! A form that was ever written is read for good.

use std::collections::BTreeMap;

use daybook_domain::balance::Sums;

use super::limbs::from_limbs;
use crate::error::{Error, Result};

const FIXED: u8 = 1;
const SHORT: u8 = 2;

const DEBITS: u8 = 32;
const CREDITS: u8 = 64;
const DAY_BITS: u8 = 31;

const LAST_GROUP: u8 = 0x7f;
const MORE: u8 = 0x80;
/// So many bits has the last group of a number at most: it has 128 in all.
const WIDEST_SHIFT: u32 = 126;
/// Bits of the groups that fit into 64.
const SHORT_BITS: u32 = 63;

/// The sums of the days of a month that have moved. There are 31 at most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DaySums(BTreeMap<u8, Sums>);

impl DaySums {
    /// Reads what a row keeps.
    ///
    /// # Errors
    /// When it is not what this program writes.
    pub(crate) fn of_column(stored: &[u8]) -> Result<Self> {
        let mut days = Self::default();
        each_day(stored).try_for_each(|day| day.map(|(day, sums)| days.add(day, sums)))?;
        Ok(days)
    }

    /// What a row keeps of them.
    pub(crate) fn to_column(&self) -> Vec<u8> {
        let mut stored = vec![SHORT];
        for (day, Sums { debit, credit }) in &self.0 {
            let flag = |units: i128, flag: u8| if units == 0 { 0 } else { flag };
            stored.push(day | flag(*debit, DEBITS) | flag(*credit, CREDITS));
            [*debit, *credit]
                .into_iter()
                .filter(|units| *units != 0)
                .for_each(|units| write_number(&mut stored, units));
        }
        stored
    }

    /// Adds to the sums of a day of the month. A day that is empty again is forgotten.
    pub(crate) fn add(&mut self, day: u8, delta: Sums) {
        debug_assert!((1..=DAY_BITS).contains(&day), "{day} is a day of a month");
        let sums = self.0.entry(day).or_default();
        *sums = *sums + delta;
        if sums.is_zero() {
            self.0.remove(&day);
        }
    }
}

/// The days that a row keeps, each with its sums; an error where that cannot be read.
pub(crate) fn each_day(stored: &[u8]) -> impl Iterator<Item = Result<(u8, Sums)>> + '_ {
    let (form, mut rest) = stored.split_first().map_or((0, stored), |(form, rest)| (*form, rest));
    let mut is_readable = true;
    std::iter::from_fn(move || {
        if !is_readable || (rest.is_empty() && matches!(form, FIXED | SHORT)) {
            return None;
        }
        let read = match form {
            FIXED => read_fixed(&mut rest),
            SHORT => read_short(&mut rest),
            _ => None,
        };
        let read = read.filter(|(day, _)| (1..=DAY_BITS).contains(day));
        is_readable = read.is_some();
        Some(read.ok_or(Error::Corrupt("days")))
    })
}

fn read_fixed(rest: &mut &[u8]) -> Option<(u8, Sums)> {
    let day = read_byte(rest)?;
    let mut limb = || {
        let (bytes, behind) = rest.split_first_chunk::<8>()?;
        *rest = behind;
        Some(i64::from_be_bytes(*bytes))
    };
    let debit = from_limbs(limb()?, limb()?);
    let credit = from_limbs(limb()?, limb()?);
    Some((day, Sums { debit, credit }))
}

fn read_short(rest: &mut &[u8]) -> Option<(u8, Sums)> {
    let head = read_byte(rest)?;
    if head & MORE != 0 {
        return None;
    }
    let mut side = |flag: u8| if head & flag == 0 { Some(0) } else { read_number(rest) };
    Some((head & DAY_BITS, Sums { debit: side(DEBITS)?, credit: side(CREDITS)? }))
}

fn read_byte(rest: &mut &[u8]) -> Option<u8> {
    let (byte, behind) = rest.split_first()?;
    *rest = behind;
    Some(*byte)
}

fn write_number(stored: &mut Vec<u8>, units: i128) {
    let mut left = (units.cast_unsigned() << 1) ^ (units >> 127).cast_unsigned();
    while left > u128::from(LAST_GROUP) {
        stored.push(left.to_le_bytes()[0] | MORE);
        left >>= 7;
    }
    stored.push(left.to_le_bytes()[0]);
}

fn read_number(rest: &mut &[u8]) -> Option<i128> {
    // Nearly all numbers are short, and 64 bits are shifted faster than 128.
    let (mut zigzag, mut behind) = (0_u64, *rest);
    for shift in (0..SHORT_BITS).step_by(7) {
        let byte = read_byte(&mut behind)?;
        zigzag |= u64::from(byte & LAST_GROUP) << shift;
        if byte & MORE == 0 {
            *rest = behind;
            return Some(((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed()).into());
        }
    }
    read_long_number(rest)
}

fn read_long_number(rest: &mut &[u8]) -> Option<i128> {
    let mut zigzag = 0_u128;
    for shift in (0..=WIDEST_SHIFT).step_by(7) {
        let byte = read_byte(rest)?;
        zigzag |= u128::from(byte & LAST_GROUP) << shift;
        if byte & MORE == 0 {
            return Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sums() -> impl Strategy<Value = Sums> {
        let of_any_length =
            || (any::<i128>(), 0..128_u32).prop_map(|(units, shift)| units >> shift);
        let units = || prop_oneof![Just(0), -300..300_i128, of_any_length()];
        (units(), units()).prop_map(|(debit, credit)| Sums { debit, credit })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(moves in prop::collection::vec((1..=31_u8, sums()), 0..60)) {
            let mut days = DaySums::default();
            moves.iter().for_each(|(day, delta)| days.add(*day, *delta));
            let stored = days.to_column();
            prop_assert_eq!(DaySums::of_column(&stored).unwrap(), days);
        }

        #[test]
        fn whatever_a_row_has_is_no_panic(stored: Vec<u8>, form in 0..4_u8) {
            let stored = [&[form], stored.as_slice()].concat();
            let read = each_day(&stored).count();
            prop_assert!(read <= stored.len());
        }

        #[test]
        fn what_moves_back_leaves_nothing(
            kept in prop::collection::vec((1..=31_u8, 1..1_000_i128), 0..20),
            day in 1..=31_u8,
            units in 1..i128::from(i64::MAX),
        ) {
            let mut days = DaySums::default();
            let credit = |credit| Sums { debit: 0, credit };
            kept.iter().for_each(|(day, units)| days.add(*day, credit(*units)));
            let before = days.to_column();
            days.add(day, credit(units));
            prop_assert_ne!(&days.to_column(), &before);
            days.add(day, credit(-units));
            prop_assert_eq!(days.to_column(), before);
        }
    }

    /// As the first release that kept days so has written them.
    #[test]
    fn both_forms_are_read_for_good() {
        let sums = |debit, credit| Sums { debit, credit };
        let short = [2, 5 | 32, 0xa0, 0x1f, 31 | 96, 2, 1];
        let days = DaySums(BTreeMap::from([(5, sums(2_000, 0)), (31, sums(1, -1))]));
        assert_eq!(DaySums::of_column(&short).unwrap(), days);
        assert_eq!(days.to_column(), short);
        let limb = |units: i64| units.to_be_bytes();
        let fixed = [limb(1), limb(2), limb(-1), limb(3)].concat();
        let fixed = [&[1, 30], fixed.as_slice()].concat();
        let days = DaySums(BTreeMap::from([(30, sums((1 << 32) + 2, 3 - (1 << 32)))]));
        assert_eq!(DaySums::of_column(&fixed).unwrap(), days);
        assert_eq!(DaySums::of_column(&[1]).unwrap(), DaySums::default());
    }

    /// As the first release has read them: whatever has 19 groups is a number of 128 bits.
    #[test]
    fn numbers_of_other_programs_are_read() {
        let read = |mut stored: &[u8]| read_number(&mut stored);
        assert_eq!(read(&[0x81, 0x80, 0]), Some(-1));
        let groups = |more: usize, last| read(&[[0x80].repeat(more), vec![last]].concat());
        assert_eq!(groups(8, 0x7e), Some(0x3f << 56));
        assert_eq!(groups(9, 2), Some(1 << 63));
        assert_eq!(groups(18, 2), Some(1 << 126));
        assert_eq!(groups(18, 4), Some(0), "a bit that is too high");
        assert_eq!(groups(19, 0), None);
    }

    #[test]
    fn a_changed_row_is_corrupt() {
        let endless = [&[2, 33], [0xff; 30].as_slice()].concat();
        let too_long = [&[2, 33], [0x80; 19].as_slice(), &[0]].concat();
        let day_32 = [&[1, 32], [0; 32].as_slice()].concat();
        let unreadable: [&[u8]; 10] = [
            &[],
            &[0],
            &[9, 9],
            &[1, 5, 0],
            &[2, 33],
            &[2, 128],
            &[2, 32, 1],
            &endless,
            &too_long,
            &day_32,
        ];
        for stored in unreadable {
            assert!(DaySums::of_column(stored).is_err(), "{stored:?}");
            assert_eq!(each_day(stored).count(), 1, "{stored:?}");
        }
    }
}
