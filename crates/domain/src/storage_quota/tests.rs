//! Tables of what storage quotas let through.

use super::*;
use crate::Reason;

const fn stored(transactions: i64, bytes: i64) -> StorageUsage {
    StorageUsage { transactions, bytes }
}

/// The first number that is exceeded under a quota of 10 transactions and 1,000 bytes.
#[test]
fn what_would_go_beyond_a_limit_is_refused() {
    let quota = StorageQuota::of(10, 1_000);
    for (held, added, expected) in [
        (stored(0, 0), stored(10, 1_000), None),
        (stored(9, 999), stored(1, 1), None),
        (stored(9, 0), stored(2, 0), Some(Figure::Transactions)),
        (stored(0, 999), stored(0, 2), Some(Figure::Bytes)),
        (stored(10, 1_000), stored(1, 1), Some(Figure::Transactions)),
        // What is beyond already, because the limit was lower yesterday, may shrink and stay.
        (stored(12, 5_000), stored(0, -500), None),
        (stored(12, 500), stored(0, 400), None),
        (stored(12, 5_000), stored(0, 0), None),
        (stored(12, 5_000), stored(0, 1), Some(Figure::Bytes)),
        (stored(i64::MAX, 0), stored(i64::MAX, 0), Some(Figure::Transactions)),
    ] {
        let found = quota.overrun(held, added).map(|overrun| overrun.figure);
        assert_eq!(found, expected, "{held:?} and {added:?}");
    }
    assert!(!StorageQuota::of(0, 0).is_on() && !StorageQuota::default().is_on());
    assert!(StorageQuota::of(0, 1).is_on() && StorageQuota::of(1, 0).is_on());
    let most = stored(i64::MAX, i64::MAX);
    assert_eq!(StorageQuota::of(0, 0).overrun(most, most), None);
}

#[test]
fn each_refusal_names_its_quota() {
    let quotas = StorageQuotas { book: StorageQuota::of(5, 0), user: StorageQuota::of(0, 900) };
    let (held, added) = (stored(5, 850), stored(1, 100));
    let said = |refused: Result<(), Refusal>| {
        let refusal = refused.unwrap_err();
        assert_eq!(refusal.reason(), Reason::StorageQuotaExceeded);
        refusal.to_string()
    };
    let book = said(quotas.check_book(held, added));
    assert!(book.contains("this book may hold 5 transactions and holds 5; this adds 1"), "{book}");
    let own = said(quotas.check_owner(held, added, true));
    assert!(own.contains("together may hold 900 bytes and hold 850; this adds 100"), "{own}");
    for other in
        [said(quotas.check_owner(held, added, false)), said(quotas.check_transfer(held, added))]
    {
        assert!(other.contains("bytes") && !other.contains(char::is_numeric), "{other}");
    }
    let less = stored(-1, -1);
    quotas.check_book(held, less).unwrap();
    quotas.check_owner(held, less, true).unwrap();
    assert!(!less.grows() && stored(-1, 1).grows() && !StorageUsage::default().grows());
}

#[test]
fn an_allowance_stands_in_place_of_the_usual_numbers() {
    let usual = StorageQuotas { book: StorageQuota::of(1, 2), user: StorageQuota::of(3, 4) };
    assert_eq!(usual.with(&Allowance::default()), usual);
    let allowance = Allowance {
        transactions: Some(30),
        bytes: None,
        book_transactions: Some(0),
        book_bytes: Some(20),
    };
    let expected = StorageQuotas { book: StorageQuota::of(0, 20), user: StorageQuota::of(30, 4) };
    assert_eq!(usual.with(&allowance), expected);
    assert_eq!(
        StorageQuotas::default().with(&allowance),
        StorageQuotas { book: StorageQuota::of(0, 20), user: StorageQuota::of(30, 0) }
    );
}

#[test]
fn what_is_stored_is_added_up() {
    let (some, more) = (stored(1, 20), stored(3, 400));
    assert_eq!((some + more, more - some), (stored(4, 420), stored(2, 380)));
    assert_eq!(stored(i64::MAX, 0) + some, stored(i64::MAX, 20));
}
