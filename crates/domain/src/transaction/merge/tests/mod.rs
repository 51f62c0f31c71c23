//! Tests of merges (behaviour 3.11).

mod payloads;

use proptest::prelude::*;

use super::*;
use crate::access::Access;
use crate::account::Directory;
use crate::amount::{Amount, write};
use crate::book::{Book, Changes, Settings};
use crate::calendar::parse_iso;
use crate::file::FileSecret;
use crate::id::{AccountId, BookId, BookKey, FileId, UserId};
use crate::instant::Instant;
use crate::permission::{Action, Permission};
use crate::property::Properties;

const CASH: AccountId = AccountId::new(1);
const FOOD: AccountId = AccountId::new(2);
const IDS: [TransactionId; 2] = [TransactionId::new(90), TransactionId::new(91)];

fn access(lock_date: Option<&str>) -> Access {
    let settings =
        Settings::create(Changes { name: Some("Book".to_owned()), ..Changes::default() }).unwrap();
    let settings = Settings { lock_date: lock_date.and_then(parse_iso), ..settings };
    let (key, stamp) = (BookKey::new("k".to_owned()), Stamp::new(None, Instant::new(0)));
    let file_secret = FileSecret::default();
    let id = BookId::new(1);
    let book = Book { id, key, owner_name: "a".to_owned(), settings, scale: 2, file_secret, stamp };
    Access::admit(book, Some(Permission::Owner), UserId::new(7), Action::Post).unwrap()
}

/// Returns a complete transaction, created `id` milliseconds after the epoch.
fn transaction(id: i64, standing: Standing) -> Transaction {
    let date = parse_iso("2025-01-15");
    Transaction {
        id: TransactionId::new(id),
        date,
        list_day: date.unwrap(),
        amount: Amount::from_units(1_000, 2),
        description: String::new(),
        credit: Some(CASH),
        debit: Some(FOOD),
        standing,
        trashed: false,
        posted_at: (standing != Standing::Draft).then_some(Instant::new(id)),
        properties: Properties::default(),
        urls: Vec::new(),
        files: Vec::new(),
        remote_ids: Vec::new(),
        created_by: UserId::new(3),
        stamp: Stamp::new(None, Instant::new(id)),
    }
}

fn merge(
    access: &Access,
    first: &Transaction,
    second: &Transaction,
) -> Result<Merged, crate::Refusal> {
    let (accounts, today) = (Directory::default(), parse_iso("2025-05-20").unwrap());
    let rules = TransactionRules {
        access,
        accounts: &accounts,
        now: Instant::new(500),
        today,
        created_on: today,
    };
    rules.merge(&MergePair::new(vec![first.clone(), second.clone()])?, IDS, None)
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
        assert_eq!(
            MergePair::new(pair).unwrap().first_is_base,
            first_is_base,
            "{first:?} {second:?}"
        );
    }
}

#[test]
fn empty_fields_are_filled_and_lists_united() {
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let map = |pairs: &[(&str, &str)]| {
        Properties::stored(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    };
    let base = Transaction {
        amount: None,
        debit: None,
        urls: text(&["b", "a"]),
        remote_ids: text(&["r2", "r1"]),
        properties: map(&[("k", "base"), ("only", "base")]),
        ..transaction(2, Standing::Draft)
    };
    let absorbed = Transaction {
        date: None,
        urls: text(&["a", "c"]),
        remote_ids: text(&["r1", "r3"]),
        properties: map(&[("k", "absorbed"), ("more", "absorbed")]),
        ..transaction(1, Standing::Draft)
    };
    let Merged { transaction: merged, originals, difference } =
        merge(&access(None), &absorbed, &base).unwrap();
    assert_eq!(
        (merged.date, merged.amount, merged.credit, merged.debit),
        (base.date, absorbed.amount, Some(CASH), Some(FOOD))
    );
    assert_eq!(merged.urls, ["b", "a", "c"]);
    assert_eq!(
        merged.remote_ids,
        ["merged_0000000000000001", "merged_0000000000000002", "r2", "r1", "r3"]
    );
    assert_eq!(
        merged.properties,
        map(&[("k", "absorbed"), ("more", "absorbed"), ("only", "base")])
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
    let refused = |first: &Transaction, second: &Transaction, lock| {
        merge(&access(lock), first, second).unwrap_err()
    };
    assert_eq!(refused(&draft, &draft, None), Refusal::SameTransaction.into());
    assert_eq!(refused(&draft, &transaction(2, Standing::Checked), None), Refusal::Checked.into());
    assert_eq!(
        refused(&Transaction { trashed: true, ..other.clone() }, &draft, None),
        Refusal::Trashed.into()
    );
    for given in [vec![], vec![draft.clone()], vec![draft.clone(), other.clone(), other.clone()]] {
        let count = given.len();
        assert_eq!(MergePair::new(given), Err(Refusal::NotTwo(count)));
    }
    let later = Transaction { date: parse_iso("2025-06-01"), ..other.clone() };
    for (first, second) in [(&draft, &later), (&later, &draft)] {
        assert_eq!(
            refused(first, second, Some("2025-01-15")),
            Refusal::Locked("2025-01-15".to_owned()).into()
        );
    }
    let dateless = Transaction { date: None, ..transaction(3, Standing::Draft) };
    assert_eq!(
        refused(&later, &dateless, Some("2025-05-20")),
        Refusal::Locked("2025-05-20".to_owned()).into()
    );
    assert!(merge(&access(Some("2025-05-19")), &later, &dateless).is_ok(), "dated today");
    let (credit_only, crossed) = (
        Transaction { debit: None, ..other.clone() },
        Transaction { credit: None, debit: Some(CASH), ..draft },
    );
    assert_eq!(refused(&credit_only, &crossed, None), Refusal::SameAccount.into());
    let long = |id| Transaction {
        description: format!("{id}").repeat(40_000),
        ..transaction(id, Standing::Draft)
    };
    assert_eq!(refused(&long(1), &long(2), None), Refusal::DescriptionTooLong(80_001).into());
    let full = |id| Transaction {
        urls: (0..600).map(|n| format!("{id}/{n}")).collect(),
        ..transaction(id, Standing::Draft)
    };
    assert_eq!(refused(&full(1), &full(2), None), Refusal::TooMany("urls", 1_200).into());
    let holding = |from: i64| Transaction {
        files: (from..from + 600).map(FileId::new).collect(),
        ..transaction(from, Standing::Draft)
    };
    assert_eq!(refused(&holding(1), &holding(601), None), Refusal::TooMany("files", 1_200).into());
    assert!(merge(&access(None), &holding(1), &holding(401)).is_ok(), "1,000 different ones");
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
        let merged = merge(&access(None), &pair[0], &pair[1]).unwrap();
        let difference = merged.difference.as_ref();
        prop_assert_eq!(merged.transaction.is_posted(), first_posted || second_posted);
        prop_assert_eq!(effect(&merged.transaction), kept);
        prop_assert_eq!(difference.map_or(0, effect), dropped - kept);
        prop_assert!(
            difference.is_none_or(
                |draft| draft.standing == Standing::Draft && draft.remote_ids.is_empty()
            )
        );
        prop_assert!(
            difference
                .is_none_or(|draft| draft.description == "absorbed" && draft.credit != draft.debit)
        );
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
    let merged = merge(&access(None), &base, &absorbed).unwrap();
    let draft = merged.difference.unwrap();
    assert_eq!(write(draft.amount.unwrap().value(), 2), "20.00");
    assert_eq!((draft.id, draft.date, draft.description.as_str()), (IDS[1], absorbed.date, "DAS"));
    assert_eq!((draft.credit, draft.debit), (base.credit, base.debit));
    assert_eq!(merged.transaction.amount, base.amount);
}
