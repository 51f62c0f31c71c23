//! Laws of imports, on random files and books.

use std::collections::HashSet;

use proptest::prelude::*;

use super::fixture::*;
use super::*;
use crate::id::AccountId;

/// Records of two accounts with few different days, texts, amounts and ids, so that many of them
/// are equal, similar, or both sides of a transfer.
fn records(with_ids: bool) -> impl Strategy<Value = Vec<Record>> {
    let text = prop::sample::select(vec!["COFFEE", "Taxi", "TO SAVINGS", "FROM BANK", "4711"]);
    let id = prop::option::of(prop::sample::select(vec!["1", "2", "3", "0"]));
    let part = (any::<bool>(), 1..9_u8, text, -2..3_i64, id, 0..4_u8);
    let record = part.prop_map(move |(is_bank, day, text, units, id, pending)| {
        let account = if is_bank { BANK } else { SAVINGS };
        let source_id = id.filter(|_| with_ids).map(str::to_owned);
        let status = if pending == 0 { Status::Pending } else { Status::Booked };
        let date = format!("2026-01-0{day}");
        Record { source_id, status, ..record(account, &date, text, units * 100) }
    });
    prop::collection::vec(record, 0..24)
}

/// A book with hand-made transactions.
fn book() -> impl Strategy<Value = Book> {
    let text = prop::sample::select(vec!["Coffee", "Lunch", "To savings"]);
    let part = (1..9_u8, text, 1..3_i64, 0..4_u8);
    prop::collection::vec(part, 0..12).prop_map(|parts| {
        let mut book = Book::new();
        for (day, text, units, accounts) in parts {
            let (credit, debit) = match accounts {
                0 => (BANK, FOOD),
                1 => (BANK, SAVINGS),
                2 => (OPEN_IN, BANK),
                _ => (SAVINGS, OPEN_OUT),
            };
            book.post(&format!("2026-01-0{day}"), text, units * 100, credit, debit);
        }
        book
    })
}

fn booked_sum(records: &[Record], account: AccountId) -> i64 {
    let booked = records.iter().filter(|record| record.status == Status::Booked);
    booked.filter(|record| record.account == account).map(|record| record.units).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn second_import_adds_nothing(mut book in book(), file in records(true)) {
        book.import(&file);
        let before = (book.lines(), book.entries.len());
        let again = book.import(&file);
        prop_assert!(!again.kinds().contains('N'), "{}", again.kinds());
        prop_assert_eq!((book.lines(), book.entries.len()), before);
    }

    #[test]
    fn matching_is_one_to_one(mut book in book(), file in records(true)) {
        let import = book.import(&file);
        let mut taken = HashSet::new();
        for (record, outcome) in file.iter().zip(&import.outcomes) {
            if let Outcome::Matched(found) = outcome {
                prop_assert!(found.reason.is_certain());
                prop_assert!(taken.insert((found.target, record.account)));
            }
        }
        let remote_ids: Vec<_> = book.entries.iter().flat_map(|entry| &entry.remote_ids).collect();
        let distinct: HashSet<_> = remote_ids.iter().collect();
        prop_assert_eq!(distinct.len(), remote_ids.len());
    }

    #[test]
    fn balance_is_that_of_the_bank(file in records(false)) {
        let mut book = Book::new();
        book.import(&file);
        for account in [BANK, SAVINGS] {
            prop_assert_eq!(book.balance(account), booked_sum(&file, account));
        }
    }

    #[test]
    fn overlapping_files_give_the_whole(file in records(false), part in any::<u32>()) {
        let early: Vec<Record> = (0..)
            .zip(&file)
            .filter(|(position, _)| part >> position & 1 == 1)
            .map(|(_, record)| record.clone())
            .collect();
        let mut book = Book::new();
        book.import(&early);
        book.import(&file);
        for account in [BANK, SAVINGS] {
            prop_assert_eq!(book.balance(account), booked_sum(&file, account));
        }
        prop_assert!(!book.import(&file).kinds().contains('N'));
    }
}

// A million records: 24 MB for the census, then 56 MB for matching.
const _: () = assert!(size_of::<matcher::OpenRecord>() <= 56);
const _: () = assert!(identity::CENSUS_BYTES <= 24);
