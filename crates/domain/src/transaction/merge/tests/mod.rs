//! Tests of merges (behaviour 3.11).

mod payloads;

use proptest::prelude::*;

use super::*;
use crate::access::Access;
use crate::account::Directory;
use crate::amount::{Amount, write};
use crate::calendar::parse_iso;
use crate::comment::{self, MAX_COMMENTS};
use crate::field::Field;
use crate::fixture::{self, day, owned, properties, transaction};
use crate::id::{AccountId, FileId, UserId};
use crate::instant::Instant;
use crate::permission::{Action, Permission};

const CASH: AccountId = AccountId::new(1);
const FOOD: AccountId = AccountId::new(2);
const IDS: [TransactionId; 2] = [TransactionId::new(90), TransactionId::new(91)];

fn access(lock_date: Option<&str>) -> Access {
    let lock_date = lock_date.map_or(Field::Keep, |date| Field::Set(date.to_owned()));
    let book = fixture::book(crate::book::Changes { lock_date, ..Default::default() });
    Access::admit(book, Some(Permission::Owner), UserId::new(7), Action::Post).unwrap()
}

/// Runs with the rules of an owner on 2025-05-20.
fn with_rules<T>(
    accounts: &Directory,
    lock_date: Option<&str>,
    run: impl FnOnce(&TransactionRules<'_>) -> T,
) -> T {
    let (access, now, today) = (access(lock_date), Instant::new(500), day("2025-05-20"));
    run(&TransactionRules { access: &access, accounts, now, today, created_on: today })
}

fn merge(
    lock_date: Option<&str>,
    first: &Transaction,
    second: &Transaction,
) -> Result<Merged, crate::Refusal> {
    let pair = MergePair::new(vec![first.clone(), second.clone()])?;
    with_rules(&Directory::default(), lock_date, |rules| rules.merge(&pair, IDS, None))
}

#[test]
fn base_is_the_posted_or_later_transaction() {
    use Standing::{Draft, Unchecked};
    for (first, second, first_is_base) in [
        ((1, Draft), (2, Draft), false),
        ((2, Draft), (1, Draft), true),
        ((1, Unchecked), (2, Draft), true),
        ((1, Draft), (2, Unchecked), false),
        ((2, Draft), (1, Unchecked), false),
        ((1, Unchecked), (2, Unchecked), false),
    ] {
        let pair = vec![transaction(first.0, first.1), transaction(second.0, second.1)];
        let pair = MergePair::new(pair).unwrap();
        assert_eq!(pair.first_is_base, first_is_base, "{first:?} {second:?}");
    }
}

#[test]
fn empty_fields_are_filled_and_lists_united() {
    let base = Transaction {
        amount: None,
        debit: None,
        urls: owned(&["b", "a"]),
        remote_ids: owned(&["r2", "r1"]),
        properties: properties(&[("k", "base"), ("only", "base")]),
        comment_count: 2,
        ..transaction(2, Standing::Draft)
    };
    let absorbed = Transaction {
        date: None,
        urls: owned(&["a", "c"]),
        remote_ids: owned(&["r1", "r3"]),
        properties: properties(&[("k", "absorbed"), ("more", "absorbed")]),
        comment_count: 3,
        ..transaction(1, Standing::Draft)
    };
    let Merged { transaction: merged, originals, difference } =
        merge(None, &absorbed, &base).unwrap();
    assert_eq!(
        (merged.date, merged.amount, merged.credit, merged.debit),
        (base.date, absorbed.amount, Some(CASH), Some(FOOD))
    );
    assert_eq!((merged.comment_count, &*merged.urls), (5, &*owned(&["b", "a", "c"])));
    assert_eq!(
        merged.remote_ids,
        ["merged_0000000000000001", "merged_0000000000000002", "r2", "r1", "r3"]
    );
    assert_eq!(
        merged.properties,
        properties(&[("k", "absorbed"), ("more", "absorbed"), ("only", "base")])
    );
    assert_eq!(
        (merged.standing, merged.posted_at, merged.created_by),
        (Standing::Draft, None, UserId::new(7))
    );
    assert_eq!((merged.id, difference), (IDS[0], None));
    for (original, given) in originals.iter().zip([&absorbed, &base]) {
        let stamp = given.stamp.clone().touch(Instant::new(500));
        assert_eq!(*original, Transaction { trashed: true, stamp, ..given.clone() });
    }
}

#[test]
fn invalid_pairs_are_refused() {
    let [draft, other] = [1, 2].map(|id| transaction(id, Standing::Draft));
    for given in [vec![], vec![draft.clone()], vec![draft.clone(), other.clone(), other.clone()]] {
        let count = given.len();
        assert_eq!(MergePair::new(given), Err(Refusal::NotTwo(count)));
    }
    let checked = transaction(2, Standing::Checked);
    let trashed = Transaction { trashed: true, ..other.clone() };
    let later = Transaction { date: parse_iso("2025-06-01"), ..other.clone() };
    let dateless = Transaction { date: None, ..transaction(3, Standing::Draft) };
    let credit_only = Transaction { debit: None, ..other.clone() };
    let crossed = Transaction { credit: None, debit: Some(CASH), ..draft.clone() };
    let [long, longer] = [(1, &draft), (2, &other)].map(|(digit, base): (i64, _)| Transaction {
        description: digit.to_string().repeat(40_000),
        urls: (0..600).map(|number| format!("{digit}/{number}")).collect(),
        ..base.clone()
    });
    let [linked, more_linked] =
        [&long, &longer].map(|one| Transaction { description: String::new(), ..one.clone() });
    let with_files = |from: i64| Transaction {
        files: (from..from + 600).map(FileId::new).collect(),
        ..transaction(from, Standing::Draft)
    };
    let locked = |day: &str| Refusal::Locked(day.to_owned());
    for (first, second, lock, expected) in [
        (&draft, &draft, None, Refusal::SameTransaction),
        (&draft, &checked, None, Refusal::Checked),
        (&trashed, &draft, None, Refusal::Trashed),
        (&draft, &later, Some("2025-01-15"), locked("2025-01-15")),
        (&later, &draft, Some("2025-01-15"), locked("2025-01-15")),
        (&later, &dateless, Some("2025-05-20"), locked("2025-05-20")),
        (&credit_only, &crossed, None, Refusal::SameAccount),
        (&long, &longer, None, Refusal::DescriptionTooLong(80_001)),
        (&linked, &more_linked, None, Refusal::TooMany("urls", 1_200)),
        (&with_files(1), &with_files(601), None, Refusal::TooMany("files", 1_200)),
    ] {
        assert_eq!(merge(lock, first, second).unwrap_err(), expected.into());
    }
    let [some, more] = [MAX_COMMENTS, 1]
        .map(|comment_count| Transaction { comment_count, ..transaction(4, Standing::Draft) });
    let refused = merge(None, &some, &Transaction { id: draft.id, ..more }).unwrap_err();
    assert_eq!(refused, comment::Refusal::TooMany(MAX_COMMENTS + 1).into());
    assert!(merge(Some("2025-05-19"), &later, &dateless).is_ok(), "dated today");
    assert!(merge(None, &with_files(1), &with_files(401)).is_ok(), "1,000 different ones");
}

/// Returns the amount that a transaction adds to its credit account, whether it is posted or not.
fn effect(transaction: &Transaction) -> i64 {
    let units = transaction.amount.and_then(|amount| amount.units(2)).unwrap();
    if transaction.credit == Some(CASH) { units } else { -units }
}

proptest! {
    /// 3.11.6: the amounts of the base and of the difference make up the absorbed amount.
    #[test]
    fn base_and_difference_make_up_the_absorbed_amount(
        kept in 1..i64::MAX,
        dropped in 1..i64::MAX,
        first_posted: bool,
        second_posted: bool,
    ) {
        let standing = |posted| if posted { Standing::Unchecked } else { Standing::Draft };
        let mut pair =
            [transaction(1, standing(first_posted)), transaction(2, standing(second_posted))];
        let base = usize::from(!first_posted || second_posted);
        pair[base].amount = Amount::from_units(kept, 2);
        pair[1 - base].amount = Amount::from_units(dropped, 2);
        pair[1 - base].description = "absorbed".to_owned();
        let merged = merge(None, &pair[0], &pair[1]).unwrap();
        let difference = merged.difference.as_ref();
        prop_assert_eq!(merged.transaction.is_posted(), first_posted || second_posted);
        prop_assert_eq!(effect(&merged.transaction), kept);
        prop_assert_eq!(difference.map_or(0, effect), dropped - kept);
        if let Some(draft) = difference {
            prop_assert!(draft.standing == Standing::Draft && draft.remote_ids.is_empty());
            prop_assert!(draft.description == "absorbed" && draft.credit != draft.debit);
        }
        prop_assert_eq!(
            merged.transaction.entries().len(),
            if merged.transaction.is_posted() { 2 } else { 0 }
        );
    }
}

#[test]
fn difference_is_a_draft_with_swapped_sides_or_not() {
    let base =
        Transaction { amount: Amount::from_units(8_000, 2), ..transaction(2, Standing::Unchecked) };
    let absorbed = Transaction {
        amount: Amount::from_units(10_000, 2),
        date: parse_iso("2025-01-10"),
        description: "DAS".to_owned(),
        ..transaction(1, Standing::Draft)
    };
    let merged = merge(None, &base, &absorbed).unwrap();
    let draft = merged.difference.unwrap();
    assert_eq!(write(draft.amount.unwrap().value(), 2), "20.00");
    assert_eq!((draft.id, draft.date, draft.description.as_str()), (IDS[1], absorbed.date, "DAS"));
    assert_eq!((draft.credit, draft.debit), (base.credit, base.debit));
    assert_eq!(merged.transaction.amount, base.amount);
}
