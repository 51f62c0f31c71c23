//! The stored form of the daily sums of one account in one month (`month_totals.days`).
//!
//! They are in the same row as the sums of the month, so a posting changes one row for both. The
//! first byte is the version of the form, 2. The days with sums follow in any order:
//!
//! - A byte with the day of the month. The flag 32 means that a sum of debits follows, 64 a sum of
//!   credits.
//! - Each sum as a zigzag-encoded LEB128 number: groups of seven bits, the lowest first. All bytes
//!   except the last have the flag 128.
//!
//! A change of the form gets another version, and this one remains readable.

use std::collections::BTreeMap;

use daybook_domain::balance::Sums;

use crate::error::{Error, Result};

/// The version of the form.
const FORM: u8 = 2;

const DEBITS: u8 = 32;
const CREDITS: u8 = 64;
const DAY_BITS: u8 = 31;

const LAST_GROUP: u8 = 0x7f;
const MORE: u8 = 0x80;
/// The shift of the last group of a 128-bit number.
const WIDEST_SHIFT: u32 = 126;
/// The number of bits of complete groups in 64 bits.
const SHORT_BITS: u32 = 63;

/// The non-zero sums of the days of a month.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DaySums(BTreeMap<u8, Sums>);

impl DaySums {
    /// Parses the stored form.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for any other bytes.
    pub(crate) fn from_column(stored: &[u8]) -> Result<Self> {
        let mut days = Self::default();
        each_day(stored).try_for_each(|day| day.map(|(day, sums)| days.add(day, sums)))?;
        Ok(days)
    }

    /// Returns the stored form.
    pub(crate) fn to_column(&self) -> Vec<u8> {
        let mut stored = vec![FORM];
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

    /// Adds to the sums of a day. A day whose sums become zero is removed.
    pub(crate) fn add(&mut self, day: u8, delta: Sums) {
        debug_assert!((1..=DAY_BITS).contains(&day), "{day} is a day of a month");
        let sums = self.0.entry(day).or_default();
        *sums = *sums + delta;
        if sums.is_zero() {
            self.0.remove(&day);
        }
    }
}

/// Iterates over the stored days with their sums. After an unreadable day it ends with an error.
pub(crate) fn each_day(stored: &[u8]) -> impl Iterator<Item = Result<(u8, Sums)>> + '_ {
    let days = stored.strip_prefix(&[FORM]);
    let (has_form, mut rest) = (days.is_some(), days.unwrap_or_default());
    let mut is_readable = true;
    std::iter::from_fn(move || {
        if !is_readable || (has_form && rest.is_empty()) {
            return None;
        }
        let read = read_day(&mut rest).filter(|(day, _)| (1..=DAY_BITS).contains(day));
        is_readable = read.is_some();
        Some(read.ok_or(Error::Corrupt("days")))
    })
}

fn read_day(rest: &mut &[u8]) -> Option<(u8, Sums)> {
    let head = read_byte(rest)?;
    if head & MORE != 0 {
        return None;
    }
    let mut side = |flag: u8| if head & flag == 0 { Some(0) } else { read_number(rest) };
    Some((head & DAY_BITS, Sums { debit: side(DEBITS)?, credit: side(CREDITS)? }))
}

fn read_byte(rest: &mut &[u8]) -> Option<u8> {
    let (byte, after) = rest.split_first()?;
    *rest = after;
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
    // Most numbers are short, and shifts of 64 bits are faster than those of 128.
    let (mut zigzag, mut after) = (0_u64, *rest);
    for shift in (0..SHORT_BITS).step_by(7) {
        let byte = read_byte(&mut after)?;
        zigzag |= u64::from(byte & LAST_GROUP) << shift;
        if byte & MORE == 0 {
            *rest = after;
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
        fn written_days_are_read_back(moves in prop::collection::vec((1..=31_u8, sums()), 0..60)) {
            let mut days = DaySums::default();
            moves.iter().for_each(|(day, delta)| days.add(*day, *delta));
            let stored = days.to_column();
            prop_assert_eq!(DaySums::from_column(&stored).unwrap(), days);
        }

        #[test]
        fn arbitrary_data_does_not_panic(stored: Vec<u8>, form in 0..4_u8) {
            let stored = [&[form], stored.as_slice()].concat();
            let read = each_day(&stored).count();
            prop_assert!(read <= stored.len());
        }

        #[test]
        fn reverted_change_leaves_no_trace(
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

    #[test]
    fn stored_form_does_not_change() {
        let sums = |debit, credit| Sums { debit, credit };
        let stored = [2, 5 | 32, 0xa0, 0x1f, 31 | 96, 2, 1];
        let days = DaySums(BTreeMap::from([(5, sums(2_000, 0)), (31, sums(1, -1))]));
        assert_eq!(DaySums::from_column(&stored).unwrap(), days);
        assert_eq!(days.to_column(), stored);
        assert_eq!(DaySums::from_column(&[2]).unwrap(), DaySums::default());
    }

    /// A number has at most 19 groups, which have 133 bits.
    #[test]
    fn numbers_of_any_length_are_read() {
        let read = |mut stored: &[u8]| read_number(&mut stored);
        assert_eq!(read(&[0x81, 0x80, 0]), Some(-1));
        let groups = |more: usize, last| read(&[[0x80].repeat(more), vec![last]].concat());
        assert_eq!(groups(8, 0x7e), Some(0x3f << 56));
        assert_eq!(groups(9, 2), Some(1 << 63));
        assert_eq!(groups(18, 2), Some(1 << 126));
        assert_eq!(groups(18, 4), Some(0), "excess bits are dropped");
        assert_eq!(groups(19, 0), None);
    }

    #[test]
    fn changed_row_is_corrupt() {
        let endless = [&[2, 33], [0xff; 30].as_slice()].concat();
        let too_long = [&[2, 33], [0x80; 19].as_slice(), &[0]].concat();
        let unreadable: [&[u8]; 10] = [
            &[],
            &[0],
            &[9, 9],
            &[1],
            &[2, 32, 2],
            &[2, 33],
            &[2, 128],
            &[2, 32, 1],
            &endless,
            &too_long,
        ];
        for stored in unreadable {
            assert!(DaySums::from_column(stored).is_err(), "{stored:?}");
            assert_eq!(each_day(stored).count(), 1, "{stored:?}");
        }
    }
}
