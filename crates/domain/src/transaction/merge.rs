//! Merging two transactions into a new one (behaviour 3.11).

use std::collections::HashSet;
use std::hash::Hash;

use crate::id::TransactionId;
use crate::instant::Stamp;
use crate::property::Edits;

use super::changes::{description, files, remote_ids, urls};
use super::joined::joined;
use super::lifecycle::Transition;
use super::{PostingRules, Refusal, Standing, State, Transaction, check_sides};

/// The column `merge` of the transition table (behaviour 3.4).
///
/// ```
/// use daybook_domain::transaction::{Transition, Refusal, State, merge_transition};
/// assert_eq!(merge_transition(State::Unchecked), Transition::Done);
/// assert_eq!(merge_transition(State::Checked), Transition::Refused(Refusal::Checked));
/// ```
#[must_use]
pub const fn merge_transition(state: State) -> Transition {
    match state {
        State::Draft | State::Unchecked => Transition::Done,
        State::Checked => Transition::Refused(Refusal::Checked),
        State::Trashed => Transition::Refused(Refusal::Trashed),
    }
}

/// Two transactions that may be merged: a base, and the one it absorbs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePair {
    given: [Transaction; 2],
    first_is_base: bool,
}

/// What a merge makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new transaction.
    pub transaction: Transaction,
    /// The originals in the order given, now in the trash.
    pub originals: [Transaction; 2],
    /// The draft for the difference of their amounts, when there is one (behaviour 3.11.6).
    pub difference: Option<Transaction>,
}

impl MergePair {
    /// Decides which of the two is the base: a posted one beats a draft, else the one created later
    /// (behaviour 3.11.3).
    ///
    /// # Errors
    /// [`Refusal::NotTwo`], [`Refusal::SameTransaction`], and the column `merge` of the transition
    /// table.
    pub fn new(given: Vec<Transaction>) -> Result<Self, Refusal> {
        let count = given.len();
        let given: [Transaction; 2] = given.try_into().map_err(|_| Refusal::NotTwo(count))?;
        let [first, second] = &given;
        if first.id == second.id {
            return Err(Refusal::SameTransaction);
        }
        for transaction in [first, second] {
            if let Transition::Refused(refusal) = merge_transition(transaction.state()) {
                return Err(refusal);
            }
        }
        let rank = |transaction: &Transaction| {
            (transaction.is_posted(), transaction.stamp.created_at, transaction.id)
        };
        let first_is_base = rank(first) > rank(second);
        Ok(Self { given, first_is_base })
    }

    /// The base and the absorbed one.
    const fn roles(&self) -> (&Transaction, &Transaction) {
        let [first, second] = &self.given;
        if self.first_is_base { (first, second) } else { (second, first) }
    }

    /// The two as given.
    #[must_use]
    pub const fn given(&self) -> &[Transaction; 2] {
        &self.given
    }

    /// Both lists, the base's first, each entry once (behaviour 3.11.5).
    fn united<T: Clone + Eq + Hash>(&self, list: impl Fn(&Transaction) -> &[T]) -> Vec<T> {
        let (base, absorbed) = self.roles();
        let mut seen = HashSet::new();
        list(base)
            .iter()
            .chain(list(absorbed))
            .filter(|entry| seen.insert(*entry))
            .cloned()
            .collect()
    }

    /// The links clients follow to the successor, then the originals' own (behaviour 3.11.2).
    fn remote_ids(&self) -> Vec<String> {
        let links = self.given.iter().map(|original| format!("merged_{}", original.id));
        links.chain(self.united(|transaction| &transaction.remote_ids)).collect()
    }
}

impl PostingRules<'_> {
    /// Merges a pair: a new transaction, both originals in the trash, and a draft for what their
    /// amounts differ by. It is posted when either was, and then with the posted one's accounts,
    /// date and amount. So an archived account in it was posted on before and is allowed (behaviour
    /// 3.11.7). The second id is that of the difference.
    ///
    /// # Errors
    /// A locked date of either, the same account on both sides, more text, remote ids, URLs, files
    /// or properties than one transaction takes.
    pub fn merge(
        &self,
        pair: &MergePair,
        ids: [TransactionId; 2],
        agent: Option<&str>,
    ) -> Result<Merged, crate::Refusal> {
        for original in &pair.given {
            // Drafts too, and one without a date counts as dated today (behaviour 3.5.1, 3.5.3).
            self.check_open(original.date.unwrap_or(self.today))?;
        }
        let [id, difference_id] = ids;
        let stamp = Stamp::new(agent.map(str::to_owned), self.now);
        let transaction = Transaction { id, stamp: stamp.clone(), ..self.united(pair)? };
        let difference = self.difference(pair, &transaction);
        let difference = difference.map(|draft| Transaction { id: difference_id, stamp, ..draft });
        let [first, second] = &pair.given;
        Ok(Merged {
            transaction,
            originals: [self.thrown_away(first), self.thrown_away(second)],
            difference,
        })
    }

    fn united(&self, pair: &MergePair) -> Result<Transaction, crate::Refusal> {
        let (base, absorbed) = pair.roles();
        let date = base.date.or(absorbed.date);
        let (credit, debit) = (base.credit.or(absorbed.credit), base.debit.or(absorbed.debit));
        check_sides(credit, debit)?;
        let other: Edits = absorbed
            .properties
            .iter()
            .map(|(key, value)| (key.to_owned(), Some(value.to_owned())))
            .collect();
        Ok(Transaction {
            date,
            list_day: date.unwrap_or(self.created_on),
            amount: base.amount.or(absorbed.amount),
            description: description(joined(&base.description, &absorbed.description))?,
            credit,
            debit,
            standing: if base.is_posted() { Standing::Unchecked } else { Standing::Draft },
            posted_at: base.is_posted().then_some(self.now),
            properties: base.properties.merged(&other)?,
            urls: urls(pair.united(|transaction| &transaction.urls))?,
            remote_ids: remote_ids(&pair.remote_ids())?,
            files: files(pair.united(|transaction| &transaction.files))?,
            created_by: self.access.user(),
            ..base.clone()
        })
    }

    /// The draft that with the merged transaction makes up the absorbed amount: on the same
    /// accounts, the other way round when the base's amount is the larger one (behaviour 3.11.6).
    fn difference(&self, pair: &MergePair, merged: &Transaction) -> Option<Transaction> {
        let (_, absorbed) = pair.roles();
        let (kept, dropped) = (merged.amount?, absorbed.amount?);
        let amount = kept.difference(dropped)?;
        let (credit, debit) = if kept > dropped {
            (merged.debit, merged.credit)
        } else {
            (merged.credit, merged.debit)
        };
        Some(Transaction {
            date: absorbed.date,
            list_day: absorbed.date.unwrap_or(self.created_on),
            amount: Some(amount),
            description: absorbed.description.clone(),
            credit,
            debit,
            standing: Standing::Draft,
            posted_at: None,
            properties: crate::property::Properties::default(),
            urls: Vec::new(),
            remote_ids: Vec::new(),
            files: Vec::new(),
            ..merged.clone()
        })
    }

    fn thrown_away(&self, original: &Transaction) -> Transaction {
        let stamp = original.stamp.clone().touched(self.now);
        Transaction { trashed: true, stamp, ..original.clone() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::access::Access;
    use crate::account::Directory;
    use crate::amount::{Amount, write};
    use crate::book::{Book, Changes, Settings};
    use crate::calendar::parse_iso;
    use crate::id::{AccountId, BookId, BookKey, FileId, UserId};
    use crate::instant::Instant;
    use crate::permission::{Action, Permission};
    use crate::property::Properties;

    const CASH: AccountId = AccountId::new(1);
    const FOOD: AccountId = AccountId::new(2);
    const IDS: [TransactionId; 2] = [TransactionId::new(90), TransactionId::new(91)];

    fn access(lock_date: Option<&str>) -> Access {
        let settings =
            Settings::create(Changes { name: Some("Book".to_owned()), ..Changes::default() })
                .unwrap();
        let settings = Settings { lock_date: lock_date.and_then(parse_iso), ..settings };
        let (key, stamp) = (BookKey::new("k".to_owned()), Stamp::new(None, Instant::new(0)));
        let id = BookId::new(1);
        let book = Book { id, key, owner_name: "a".to_owned(), settings, scale: 2, stamp };
        Access::admit(book, Some(Permission::Owner), UserId::new(7), Action::Post).unwrap()
    }

    /// A complete one with this id, created that many milliseconds after the epoch.
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
        let recorder = PostingRules {
            access,
            accounts: &accounts,
            now: Instant::new(500),
            today,
            created_on: today,
        };
        recorder.merge(&MergePair::new(vec![first.clone(), second.clone()])?, IDS, None)
    }

    #[test]
    fn the_base_of_behaviour_3_11_3() {
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
    fn gaps_are_filled_and_lists_united() {
        let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let map = |pairs: &[(&str, &str)]| {
            Properties::stored(
                pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            )
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
            let stamp = given.stamp.clone().touched(Instant::new(500));
            assert_eq!(*original, Transaction { trashed: true, stamp, ..given.clone() });
        }
    }

    #[test]
    fn what_is_refused() {
        let [draft, other] = [1, 2].map(|id| transaction(id, Standing::Draft));
        let refused = |first: &Transaction, second: &Transaction, lock| {
            merge(&access(lock), first, second).unwrap_err()
        };
        assert_eq!(refused(&draft, &draft, None), Refusal::SameTransaction.into());
        assert_eq!(
            refused(&draft, &transaction(2, Standing::Checked), None),
            Refusal::Checked.into()
        );
        assert_eq!(
            refused(&Transaction { trashed: true, ..other.clone() }, &draft, None),
            Refusal::Trashed.into()
        );
        for given in
            [vec![], vec![draft.clone()], vec![draft.clone(), other.clone(), other.clone()]]
        {
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
        assert_eq!(
            refused(&holding(1), &holding(601), None),
            Refusal::TooMany("files", 1_200).into()
        );
        assert!(merge(&access(None), &holding(1), &holding(401)).is_ok(), "1,000 different ones");
    }

    /// What a transaction does to its credit account, whether it counts or not.
    fn effect(transaction: &Transaction) -> i64 {
        let units = transaction.amount.and_then(|amount| amount.units(2)).unwrap();
        if transaction.credit == Some(CASH) { units } else { -units }
    }

    proptest! {
        /// 3.11.6: base and difference together are the absorbed amount; both sum to zero over
        /// their accounts.
        #[test]
        fn base_and_difference_make_up_the_absorbed_amount(
            (kept, dropped) in (1..i64::MAX, 1..i64::MAX),
            postings in (any::<bool>(), any::<bool>()),
        ) {
            let standing = |posted| if posted { Standing::Unchecked } else { Standing::Draft };
            let mut pair = [transaction(1, standing(postings.0)), transaction(2, standing(postings.1))];
            let base = usize::from(!postings.0 || postings.1);
            pair[base].amount = Amount::from_units(kept, 2);
            pair[1 - base].amount = Amount::from_units(dropped, 2);
            pair[1 - base].description = "absorbed".to_owned();
            let merged = merge(&access(None), &pair[0], &pair[1]).unwrap();
            let difference = merged.difference.as_ref();
            prop_assert_eq!(merged.transaction.is_posted(), postings.0 || postings.1);
            prop_assert_eq!(effect(&merged.transaction), kept);
            prop_assert_eq!(difference.map_or(0, effect), dropped - kept);
            prop_assert!(difference.is_none_or(|draft| draft.standing == Standing::Draft && draft.remote_ids.is_empty()));
            prop_assert!(difference.is_none_or(|draft| draft.description == "absorbed" && draft.credit != draft.debit));
            prop_assert_eq!(merged.transaction.entries().len(), if merged.transaction.is_posted() { 2 } else { 0 });
        }
    }

    #[test]
    fn the_example_of_behaviour_3_11_6() {
        let base = Transaction {
            amount: Amount::from_units(8_000, 2),
            ..transaction(2, Standing::Unchecked)
        };
        let absorbed = Transaction {
            amount: Amount::from_units(10_000, 2),
            date: parse_iso("2025-01-10"),
            description: "DAS".to_owned(),
            ..transaction(1, Standing::Draft)
        };
        let merged = merge(&access(None), &base, &absorbed).unwrap();
        let draft = merged.difference.unwrap();
        assert_eq!(write(draft.amount.unwrap().value(), 2), "20.00");
        assert_eq!(
            (draft.id, draft.date, draft.description.as_str()),
            (IDS[1], absorbed.date, "DAS")
        );
        assert_eq!((draft.credit, draft.debit), (base.credit, base.debit));
        assert_eq!(merged.transaction.amount, base.amount);
    }
}
