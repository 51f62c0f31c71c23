//! Tests of storage quotas.

use super::*;
use crate::Reason;

const fn usage(transactions: i64, bytes: i64) -> StorageUsage {
    StorageUsage { transactions, bytes }
}

/// Finds the exceeded limit of a quota of 10 transactions and 1,000 bytes.
#[test]
fn additions_beyond_a_limit_are_refused() {
    let quota = StorageQuota::new(10, 1_000);
    for (used, added, expected) in [
        (usage(0, 0), usage(10, 1_000), None),
        (usage(9, 999), usage(1, 1), None),
        (usage(9, 0), usage(2, 0), Some(QuotaUnit::Transactions)),
        (usage(0, 999), usage(0, 2), Some(QuotaUnit::Bytes)),
        (usage(10, 1_000), usage(1, 1), Some(QuotaUnit::Transactions)),
        // Usage that already exceeds a lowered limit may stay or shrink.
        (usage(12, 5_000), usage(0, -500), None),
        (usage(12, 500), usage(0, 400), None),
        (usage(12, 5_000), usage(0, 0), None),
        (usage(12, 5_000), usage(0, 1), Some(QuotaUnit::Bytes)),
        (usage(i64::MAX, 0), usage(i64::MAX, 0), Some(QuotaUnit::Transactions)),
    ] {
        let found = quota.overrun(used, added).map(|overrun| overrun.unit);
        assert_eq!(found, expected, "{used:?} and {added:?}");
    }
    assert!(!StorageQuota::new(0, 0).is_limited() && !StorageQuota::default().is_limited());
    assert!(StorageQuota::new(0, 1).is_limited() && StorageQuota::new(1, 0).is_limited());
    let max = usage(i64::MAX, i64::MAX);
    assert_eq!(StorageQuota::new(0, 0).overrun(max, max), None);
}

#[test]
fn refusal_names_its_quota() {
    let quotas = StorageQuotas { book: StorageQuota::new(5, 0), user: StorageQuota::new(0, 900) };
    let (used, added) = (usage(5, 850), usage(1, 100));
    let message = |refused: Result<(), Refusal>| {
        let refusal = refused.unwrap_err();
        assert_eq!(refusal.reason(), Reason::StorageQuotaExceeded);
        refusal.to_string()
    };
    let book = message(quotas.check_book(used, added));
    assert!(book.contains("this book uses 5 of 5 transactions, and the request adds 1"), "{book}");
    let own = message(quotas.check_owner(used, added, true));
    assert!(own.contains("your books use 850 of 900 bytes, and the request adds 100"), "{own}");
    for other in [
        message(quotas.check_owner(used, added, false)),
        message(quotas.check_transfer(used, added)),
    ] {
        assert!(other.contains("bytes") && !other.contains(char::is_numeric), "{other}");
    }
    let less = usage(-1, -1);
    quotas.check_book(used, less).unwrap();
    quotas.check_owner(used, less, true).unwrap();
    assert!(!less.grows() && usage(-1, 1).grows() && !StorageUsage::default().grows());
}

#[test]
fn allowance_replaces_configured_limits() {
    let quotas = StorageQuotas { book: StorageQuota::new(1, 2), user: StorageQuota::new(3, 4) };
    assert_eq!(quotas.with_allowance(&Allowance::default()), quotas);
    let allowance = Allowance {
        transactions: Some(30),
        bytes: None,
        book_transactions: Some(0),
        book_bytes: Some(20),
    };
    let expected = StorageQuotas { book: StorageQuota::new(0, 20), user: StorageQuota::new(30, 4) };
    assert_eq!(quotas.with_allowance(&allowance), expected);
    assert_eq!(
        StorageQuotas::default().with_allowance(&allowance),
        StorageQuotas { book: StorageQuota::new(0, 20), user: StorageQuota::new(30, 0) }
    );
}

#[test]
fn usage_is_added_and_subtracted() {
    let (some, more) = (usage(1, 20), usage(3, 400));
    assert_eq!((some + more, more - some), (usage(4, 420), usage(2, 380)));
    assert_eq!(usage(i64::MAX, 0) + some, usage(i64::MAX, 20));
}
