//! The days of a month's row: parsed, added to and written again, in the format of
//! `storage/balance/day_sums.rs` without its errors.

use std::collections::BTreeMap;

use super::Row;

const FORM: u8 = 2;
const SIDES: [u8; 2] = [32, 64];

/// Debit and credit of the days of a month.
pub(super) type Days = BTreeMap<u8, [i64; 2]>;

/// The additions to a month of an account.
#[derive(Default)]
pub(super) struct Month {
    pub(super) sums: [i64; 2],
    pub(super) days: Days,
}

/// By account and month, so that a statement updates each row once, in table order.
pub(super) type Months = BTreeMap<(i64, i32), Month>;

pub(super) fn months(rows: &[Row]) -> Months {
    let mut months = Months::new();
    for row in rows {
        let day = u8::try_from(row.day % 100).expect("a day of a month");
        for (account, side) in [(row.debit, 0), (row.credit, 1)] {
            let month = months.entry((account, row.day / 100)).or_default();
            month.sums[side] += row.amount;
            month.days.entry(day).or_default()[side] += row.amount;
        }
    }
    months
}

impl Month {
    /// Adds the stored days of a row.
    pub(super) fn keep(&mut self, stored: &[u8]) {
        let mut bytes = stored.iter().skip(1).copied();
        while let Some(head) = bytes.next() {
            for (side, flag) in SIDES.into_iter().enumerate() {
                if head & flag != 0 {
                    self.days.entry(head & 31).or_default()[side] += number(&mut bytes);
                }
            }
        }
    }

    pub(super) fn stored(&self) -> Vec<u8> {
        let mut stored = vec![FORM];
        for (day, sums) in &self.days {
            let moved = sums.iter().zip(SIDES).filter(|(sum, _)| **sum != 0);
            stored.push(moved.clone().fold(*day, |head, (_, flag)| head | flag));
            moved.for_each(|(sum, _)| push_number(&mut stored, *sum));
        }
        stored
    }
}

/// Amounts are positive here, so their zigzag numbers are even.
fn push_number(stored: &mut Vec<u8>, sum: i64) {
    let mut left = sum << 1;
    while left > 0x7f {
        stored.push(left.to_le_bytes()[0] | 0x80);
        left >>= 7;
    }
    stored.push(left.to_le_bytes()[0]);
}

fn number(bytes: &mut impl Iterator<Item = u8>) -> i64 {
    let mut zigzag = 0;
    for (group, byte) in bytes.enumerate() {
        zigzag |= i64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            break;
        }
    }
    zigzag >> 1
}
