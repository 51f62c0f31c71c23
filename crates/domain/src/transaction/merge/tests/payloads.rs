//! Tests of merges whose items have fields besides their ids (behaviour 3.11.9).

use super::*;
use crate::account::{self, Account, AccountRef};
use crate::chart::{self, Noun};
use crate::fixture::{account, edits};
use crate::transaction::Changes as Body;

const BANK: AccountId = AccountId::new(3);
const OLD: AccountId = AccountId::new(4);

/// Merges with submitted fields.
fn submit(
    lock_date: Option<&str>,
    given: [&Transaction; 2],
    items: [Body; 2],
) -> Result<Merged, crate::Refusal> {
    let old = Account { archived: true, ..account(4, "Old", &[]) };
    let [cash, food, bank] =
        [(1, "Cash"), (2, "Food"), (3, "Bank")].map(|(id, name)| account(id, name, &[]));
    let pair = MergePair::new(given.map(Transaction::clone).to_vec())?;
    with_rules(&Directory::new(vec![cash, food, bank, old]), lock_date, |rules| {
        let read = |(item, stored)| rules.read_submitted(item, stored);
        let submitted = items.iter().zip(given).map(read).collect::<Result<Vec<_>, _>>()?;
        rules.merge(&pair.with_submitted(submitted)?, IDS, None)
    })
}

fn set(text: &str) -> Field<String> {
    Field::Set(text.to_owned())
}

fn named(name: &str) -> Field<AccountRef> {
    Field::Set(AccountRef { id: None, name: Some(name.to_owned()) })
}

#[test]
fn fields_besides_the_id_are_detected() {
    let bare = || Body { id: Some("1".to_owned()), ..Body::default() };
    for item in [bare(), Body { checked: true, draft: true, round_trip: true, ..bare() }] {
        assert!(!item.has_fields_besides_id(), "{item:?}");
    }
    for item in [
        Body { date: Field::Clear, ..bare() },
        Body { amount: set(""), ..bare() },
        Body { description: set("x"), ..bare() },
        Body { credit: Field::Clear, ..bare() },
        Body { debit: named("x"), ..bare() },
        Body { urls: Some(vec![]), ..bare() },
        Body { remote_ids: Some(vec![]), ..bare() },
        Body { files: Some(vec![]), ..bare() },
        Body { properties: edits(&[("k", None)]), ..bare() },
    ] {
        assert!(item.has_fields_besides_id(), "{item:?}");
    }
}

#[test]
fn submitted_values_have_precedence_over_stored_values() {
    // The first is the base although it is an older draft.
    let first = Transaction {
        description: "first".to_owned(),
        debit: None,
        urls: owned(&["a", "b"]),
        remote_ids: owned(&["r1"]),
        properties: properties(&[("k", "1"), ("own", "1"), ("gone", "1")]),
        ..transaction(1, Standing::Draft)
    };
    let second = Transaction {
        amount: Amount::from_units(2_500, 2),
        description: "second".to_owned(),
        remote_ids: owned(&["r2", "r1"]),
        properties: properties(&[("k", "2"), ("own", "2"), ("gone", "2")]),
        ..transaction(2, Standing::Unchecked)
    };
    let items = [
        Body {
            date: set(" "),
            credit: named("bank"),
            urls: Some(owned(&["c"])),
            properties: edits(&[("K", Some("submitted first")), ("gone", None)]),
            ..Body::default()
        },
        Body {
            date: set("2025-03-01"),
            description: set("submitted second"),
            credit: named("cash"),
            remote_ids: Some(owned(&["r3", "r1"])),
            properties: edits(&[("k", Some("submitted second")), ("more", Some("2"))]),
            ..Body::default()
        },
    ];
    let merged = submit(None, [&first, &second], items).unwrap();
    let Merged { transaction: made, difference, .. } = merged;
    assert_eq!(
        (made.date, made.description.as_str(), made.credit, made.debit),
        (parse_iso("2025-03-01"), "submitted second", Some(BANK), Some(FOOD))
    );
    assert_eq!((made.amount, made.standing), (first.amount, Standing::Unchecked));
    assert_eq!(made.urls, ["c", "a", "b"]);
    let links = ["merged_0000000000000001", "merged_0000000000000002"];
    assert_eq!(made.remote_ids, [links[0], links[1], "r3", "r1", "r2"]);
    assert_eq!(
        made.properties,
        properties(&[("k", "submitted first"), ("own", "1"), ("gone", "2"), ("more", "2")])
    );
    let left = difference.unwrap();
    assert_eq!(
        (left.amount, left.date, left.description.as_str(), left.credit, left.debit),
        (Amount::from_units(1_500, 2), second.date, "second", Some(BANK), Some(FOOD)),
        "3.11.6, with the first as the base"
    );
}

#[test]
fn submitted_amount_replaces_stored_amounts() {
    let first =
        Transaction { amount: Amount::from_units(10_005, 3), ..transaction(1, Standing::Draft) };
    let second =
        Transaction { amount: Amount::from_units(2_500, 2), ..transaction(2, Standing::Draft) };
    let merged = |amounts: [Field<String>; 2]| {
        let items = amounts.map(|amount| Body { amount, ..Body::default() });
        submit(None, [&first, &second], items).unwrap()
    };
    for (amounts, units, scale) in [
        ([set("30"), Field::Keep], 3_000, 2),
        ([set("0"), set("30.005")], 3_001, 2),
        // 3.10.5: a stored amount is not rounded again.
        ([set("10.005"), set("7")], 10_005, 3),
    ] {
        let merged = merged(amounts);
        assert_eq!(merged.transaction.amount, Amount::from_units(units, scale));
        assert_eq!(merged.difference, None);
    }
    for nothing in [Field::Clear, set(" 0.00 ")] {
        let merged = merged([nothing, Field::Keep]);
        assert_eq!(merged.transaction.amount, first.amount);
        let left = merged.difference.and_then(|draft| draft.amount);
        assert_eq!(left, Amount::from_units(14_995, 3), "no amount was submitted");
    }
}

#[test]
fn invalid_fields_are_refused() {
    let [draft, posted] = [(1, Standing::Draft), (2, Standing::Unchecked)]
        .map(|(id, standing)| transaction(id, standing));
    let none = Body::default;
    let refused = |item: Body, lock| submit(lock, [&draft, &posted], [none(), item]).unwrap_err();
    let date = |text: &str| Body { date: set(text), ..none() };
    assert_eq!(refused(date("soon"), None), Refusal::Date("soon".to_owned()).into());
    let locked = refused(date("2024-12-31"), Some("2025-01-01"));
    assert_eq!(locked, Refusal::Locked("2024-12-31".to_owned()).into(), "the date of the result");
    let same = Body { credit: named("Food"), ..none() };
    assert_eq!(refused(same, None), Refusal::SameAccount.into());
    let amount = |text: &str| Body { amount: set(text), ..none() };
    for text in ["-1", "x"] {
        assert!(matches!(refused(amount(text), None), crate::Refusal::Amount(_)), "{text}");
    }
    let to = |name: &str| Body { debit: named(name), ..none() };
    let unknown = chart::Refusal::UnknownReference(Noun::ACCOUNT, "Nowhere".to_owned());
    assert_eq!(refused(to("Nowhere"), None), unknown.into());
    assert_eq!(refused(to("Old"), None), account::Refusal::Archived("Old".to_owned()).into());
    let drafts = [&draft, &transaction(3, Standing::Draft)];
    let merged = submit(None, drafts, [to("Old"), none()]).unwrap();
    assert_eq!(merged.transaction.debit, Some(OLD), "drafts may be on an archived account");
    let there = Transaction { debit: Some(OLD), ..posted.clone() };
    let merged = submit(None, [&draft, &there], [to("Old"), none()]).unwrap();
    assert_eq!((merged.transaction.debit, merged.transaction.is_posted()), (Some(OLD), true));
    let draft_there = Transaction { debit: Some(OLD), ..draft.clone() };
    let merged = submit(None, [&draft_there, &posted], [amount("7"), none()]);
    assert!(merged.is_err(), "only a draft was on the archived account");
}
