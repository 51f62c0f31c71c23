//! Rules of imports, as tables.

use super::fixture::*;
use super::*;
use crate::account::AccountType::{Incoming, Liability, Outgoing};
use crate::id::{AccountId, TransactionId};

fn coffee(date: &str) -> Record {
    record(BANK, date, "COFFEE", -320)
}

/// Case 6 of the design: a bank gives a purchase and its fee the same id.
#[test]
fn repeated_id_with_other_content_is_another_record() {
    let mut book = Book::new();
    let file = [
        with_id("F1", record(BANK, "2026-01-10", "SHOP", -5000)),
        with_id("F1", record(BANK, "2026-01-10", "FX FEE", -150)),
    ];
    assert_eq!(book.import_as("ofx", &file).kinds(), "NN");
    assert_eq!(book.import_as("ofx", &file).kinds(), "EE");
    // A file with one of them has the id once.
    assert_eq!(book.import_as("ofx", &file[1..]).kinds(), "E");
    assert_eq!(book.balance(BANK), -5150);
    // An earlier file had the id once, too.
    let mut book = Book::new();
    assert_eq!(book.import_as("ofx", &file[..1]).kinds(), "N");
    assert_eq!(book.import_as("ofx", &file).kinds(), "EN");
    assert_eq!(book.import_as("ofx", &file).kinds(), "EE");
}

#[test]
fn repeated_id_with_equal_content_is_a_repetition() {
    let mut book = Book::new();
    let shop = with_id("F1", record(BANK, "2026-01-10", "SHOP", -5000));
    let import = book.import_as("ofx", &[shop.clone(), shop]);
    assert_eq!(import.outcomes[1], Outcome::Existing(ExistingReason::Repetition(1)));
    assert_eq!(import.kinds(), "NE");
}

/// Case 7: ids are unique for an account only.
#[test]
fn ids_belong_to_an_account() {
    let mut book = Book::new();
    let of = |account, number: &str| Record {
        account_number: Some(number.to_owned()),
        ..with_id("F1", record(account, "2026-01-10", "SHOP", -5000))
    };
    assert_eq!(book.import_as("ofx", &[of(BANK, "1")]).kinds(), "N");
    assert_eq!(book.import_as("ofx", &[of(SAVINGS, "2")]).kinds(), "N");
    assert_eq!(book.import_as("ofx", &[of(BANK, "1"), of(SAVINGS, "2")]).kinds(), "EE");
    // Both statements may belong to one account of the book.
    let mut book = Book::new();
    assert_eq!(book.import_as("ofx", &[of(BANK, "1"), of(BANK, "2")]).kinds(), "NN");
}

/// Case 9: equal purchases of one day are counted.
#[test]
fn equal_records_are_counted() {
    let mut book = Book::new();
    let day = "2026-02-01";
    assert_eq!(book.import(&[coffee(day), coffee(day)]).kinds(), "NN");
    assert_eq!(book.import(&[coffee(day), coffee(day)]).kinds(), "EE");
    assert_eq!(book.import(&[coffee(day), coffee(day), coffee(day)]).kinds(), "EEN");
    assert_eq!(book.balance(BANK), -960);
}

/// Cases 10 and 11: late records and similar ones of neighbouring days.
#[test]
fn late_and_similar_records_are_new() {
    let row = |date, text| record(BANK, date, text, -1000);
    let mut book = Book::new();
    let (a, b, c) = (row("2026-02-03", "A"), row("2026-02-05", "B"), row("2026-02-03", "C"));
    assert_eq!(book.import(&[a.clone(), b.clone()]).kinds(), "NN");
    assert_eq!(book.import(&[a, c, b]).kinds(), "ENE");
    let interest = |date| record(BANK, date, "INTEREST", 41);
    assert_eq!(book.import(&[interest("2026-03-03")]).kinds(), "N");
    assert_eq!(book.import(&[interest("2026-03-04")]).kinds(), "N");
    // Also from a file of another format.
    assert_eq!(book.import_as("ofx", &[with_id("1", interest("2026-03-05"))]).kinds(), "N");
    assert_eq!(book.balance(BANK), -3000 + 3 * 41);
}

/// Case 12: pending records are drafts, which only a similar text offers.
#[test]
fn pending_draft_is_offered_to_the_booked_record() {
    let mut book = Book::new();
    let hotel = pending(record(BANK, "2026-04-01", "PENDING HOTEL", -10_000));
    assert_eq!(book.import(std::slice::from_ref(&hotel)).kinds(), "N");
    assert_eq!(book.lines(), ["2026-04-01 10000 Bank -> - draft"]);
    let file = [
        record(BANK, "2026-04-03", "HOTEL ABC", -10_420),
        record(BANK, "2026-04-01", "TAXI", -10_000),
    ];
    let import = book.import(&file);
    assert_eq!(import.kinds(), "NN");
    let draft = book.entries[0].id;
    let expected = Match {
        target: MatchTarget::Transaction(draft),
        reason: MatchReason::PendingText,
        effect: MatchEffect::PostDraft,
    };
    assert_eq!(import.candidates, [vec![expected], vec![]]);
    assert_eq!(book.import(&[hotel]).kinds(), "E");
    assert_eq!(book.balance(BANK), -20_420);
}

#[test]
fn booked_record_posts_its_own_pending_draft() {
    for id in [None, Some("P1")] {
        let mut book = Book::new();
        let row = Record {
            source_id: id.map(str::to_owned),
            ..record(BANK, "2026-04-01", "HOTEL", -10_000)
        };
        assert_eq!(book.import(&[pending(row.clone())]).kinds(), "N");
        assert_eq!(book.balance(BANK), 0);
        let import = book.import(std::slice::from_ref(&row));
        assert_eq!(import.kinds(), "M", "{id:?}");
        assert_eq!(book.balance(BANK), -10_000);
        assert_eq!(book.import(&[row]).kinds(), "E");
        // The id of a pending record on another record is not evidence.
        let mut book = Book::new();
        let other = with_id("P1", record(BANK, "2026-04-01", "TAXI", -10_000));
        book.import(&[pending(with_id("P1", record(BANK, "2026-04-01", "HOTEL", -10_000)))]);
        assert_eq!(book.import(&[other]).kinds(), "N");
    }
}

/// Case 12: a bank numbers the rows of a day anew.
#[test]
fn reused_id_is_a_new_record() {
    let mut book = Book::new();
    let taxi = |id| with_id(id, record(BANK, "2026-04-01", "TAXI", -10_000));
    let cafe = |id| with_id(id, record(BANK, "2026-04-01", "CAFE", -500));
    assert_eq!(book.import(&[taxi("1")]).kinds(), "N");
    let import = book.import(&[cafe("1"), taxi("2")]);
    assert_eq!(import.outcomes[0], Outcome::New(NewReason::ReusedId(book.entries[0].id)));
    assert_eq!(import.kinds(), "NM");
    assert_eq!(book.import(&[cafe("1"), taxi("2")]).kinds(), "EE");
    assert_eq!(book.balance(BANK), -10_500);
}

#[test]
fn changed_transaction_is_still_the_record() {
    let shop = with_id("1", record(BANK, "2026-04-01", "SHOP", -10_000));
    let later = with_id("1", record(BANK, "2026-04-02", "SHOP", -10_000));
    let mut book = Book::new();
    book.import(std::slice::from_ref(&shop));
    book.entries[0].units = 4000;
    let transaction = book.entries[0].id;
    let changed =
        |amount, date| Outcome::Existing(ExistingReason::Changed { transaction, amount, date });
    assert_eq!(book.import(&[shop]).outcomes, [changed(true, false)]);
    assert_eq!(book.import(&[later]).outcomes, [changed(true, true)]);
    // A counted id covers the content, so every change is the user's.
    book.import(&[coffee("2026-05-01")]);
    (book.entries[1].units, book.entries[1].description) = (1, "Breakfast".to_owned());
    assert_eq!(book.import(&[coffee("2026-05-01")]).kinds(), "E");
}

/// Case 13: a transfer between own accounts is one transaction.
#[test]
fn transfer_is_one_transaction() {
    let bank = record(BANK, "2026-05-02", "TO SAVINGS", -20_000);
    let savings = record(SAVINGS, "2026-05-03", "FROM BANK", 20_000);
    // In two files.
    let mut book = Book::new();
    assert_eq!(book.import(std::slice::from_ref(&bank)).kinds(), "N");
    assert_eq!(book.import(std::slice::from_ref(&savings)).kinds(), "M");
    let check = |book: &mut Book| {
        assert_eq!(book.lines(), ["2026-05-02 20000 Bank -> Savings"]);
        assert_eq!(book.entries[0].second_date, Some(day("2026-05-03")));
        assert_eq!(book.entries[0].remote_ids.len(), 2);
        assert_eq!(book.import(&[bank.clone(), savings.clone()]).kinds(), "EE");
    };
    check(&mut book);
    // In one file, in any order.
    let mut book = Book::new();
    assert_eq!(book.import(&[bank.clone(), savings.clone()]).kinds(), "NM");
    check(&mut book);
    let mut book = Book::new();
    assert_eq!(book.import(&[savings.clone(), bank.clone()]).kinds(), "MN");
    check(&mut book);
    // A rule has named the other account already.
    let mut book = Book::new();
    let ruled = Record { other: Some(Other::Account(SAVINGS)), ..bank.clone() };
    assert_eq!(book.import(&[ruled]).kinds(), "N");
    let plain = record(SAVINGS, "2026-05-03", "CREDIT", 20_000);
    assert_eq!(book.import(&[plain]).kinds(), "M");
    assert_eq!((book.balance(BANK), book.balance(SAVINGS)), (-20_000, 20_000));
}

#[test]
fn unnamed_transfer_is_a_candidate() {
    let bank = record(BANK, "2026-05-02", "STANDING ORDER", -20_000);
    let savings = record(SAVINGS, "2026-05-03", "DEPOSIT", 20_000);
    let mut book = Book::new();
    let import = book.import(&[bank.clone(), savings.clone()]);
    assert_eq!(import.kinds(), "NN");
    let target = |number, account| MatchTarget::Record { number, account };
    let targets: Vec<_> = import.candidates.iter().flatten().map(|found| found.target).collect();
    assert_eq!(targets, [target(2, SAVINGS), target(1, BANK)]);
    let mut book = Book::new();
    book.import(&[bank]);
    let import = book.import(std::slice::from_ref(&savings));
    assert_eq!(import.candidates[0][0].reason, MatchReason::PossibleTransfer);
    // Too far apart, or the same direction.
    for other in [
        record(BANK, "2026-05-09", "TO SAVINGS", -20_000),
        record(BANK, "2026-05-03", "TO SAVINGS", 20_000),
    ] {
        let import = Book::new().import(&[savings.clone(), other]);
        assert_eq!((import.kinds().as_str(), import.candidates[0].len()), ("NN", 0));
    }
}

#[test]
fn record_meets_the_hand_made_transaction() {
    use MatchReason::{NearDay, NearDayAndText, SameDay, SameDayAndText};
    for (date, text, expected) in [
        ("2026-06-10", "Corner shop", Some(SameDayAndText)),
        ("2026-06-10", "Groceries", Some(SameDay)),
        ("2026-06-05", "Corner shop", Some(NearDayAndText)),
        ("2026-06-15", "Corner shop", Some(NearDayAndText)),
        ("2026-06-12", "Groceries", Some(NearDay)),
        ("2026-06-16", "Corner shop", None),
        ("2026-06-04", "Corner shop", None),
    ] {
        let mut book = Book::new();
        book.post(date, text, 1250, BANK, FOOD);
        let import = book.import(&[record(BANK, "2026-06-10", "CORNER SHOP 17", -1250)]);
        let found = match &import.outcomes[0] {
            Outcome::Matched(found) => Some(found.reason),
            Outcome::New(_) | Outcome::Existing(_) | Outcome::Skipped(_) | Outcome::Refused(_) => {
                import.candidates[0].first().map(|found| found.reason)
            }
        };
        assert_eq!(found, expected, "{date} {text}");
        let is_taken = import.kinds() == "M";
        assert_eq!(is_taken, expected.is_some_and(MatchReason::is_certain));
    }
}

#[test]
fn other_amounts_directions_and_accounts_do_not_match() {
    for (units, credit, debit) in [(1251, BANK, FOOD), (1250, FOOD, BANK), (1250, SAVINGS, FOOD)] {
        let mut book = Book::new();
        book.post("2026-06-10", "Corner shop", units, credit, debit);
        let import = book.import(&[record(BANK, "2026-06-10", "CORNER SHOP", -1250)]);
        assert_eq!((import.kinds().as_str(), import.candidates[0].len()), ("N", 0));
    }
}

#[test]
fn exact_matches_are_taken_first_and_doubtful_ones_reviewed() {
    let shop = |date, text| record(BANK, date, text, -1000);
    // The first record is nearer to the second transaction, which is exact for the second record.
    let mut book = Book::new();
    let near = book.post("2026-06-07", "Rose shop", 1000, BANK, FOOD).id;
    let exact = book.post("2026-06-10", "Rose shop", 1000, BANK, FOOD).id;
    let import = book.import(&[shop("2026-06-09", "ROSE"), shop("2026-06-10", "ROSE")]);
    let found: Vec<_> = import.outcomes.iter().map(Outcome::transaction).collect();
    assert_eq!(found, [Some(near), Some(exact)]);
    // Two transactions of the day, one record: none is certain.
    let mut book = Book::new();
    book.post("2026-06-10", "Lunch", 1000, BANK, FOOD);
    book.post("2026-06-10", "Taxi", 1000, BANK, FOOD);
    let import = book.import(&[shop("2026-06-10", "SUMUP")]);
    assert_eq!((import.kinds().as_str(), import.candidates[0].len()), ("N", 2));
    // The text decides, or the number of equal ones.
    let import = book.import(&[shop("2026-06-10", "TAXI 7"), shop("2026-06-10", "ANY")]);
    assert_eq!(import.kinds(), "MM");
    let mut book = Book::new();
    book.post("2026-06-10", "Lunch", 1000, BANK, FOOD);
    let import = book.import(&[shop("2026-06-10", "SUMUP"), shop("2026-06-10", "SUMUP")]);
    assert_eq!(import.kinds(), "MN");
}

#[test]
fn transaction_of_another_record_of_the_source_is_out() {
    let mut book = Book::new();
    let shop = |text| record(BANK, "2026-06-10", text, -1000);
    assert_eq!(book.import(&[shop("SHOP A")]).kinds(), "N");
    assert_eq!(book.import(&[shop("SHOP B")]).kinds(), "N");
    // Another source is evidence of the same movement.
    let import = book.import_as("ofx", &[with_id("1", shop("SHOP")), with_id("2", shop("SHOP"))]);
    assert_eq!(import.kinds(), "MM");
    assert_eq!(book.balance(BANK), -2000);
}

#[test]
fn record_matches_the_sum_of_an_entry() {
    let mut book = Book::new();
    for units in [3000, 1250] {
        let leg = book.post("2026-06-10", "Corner shop", units, BANK, FOOD);
        leg.entry_id = Some("e1".to_owned());
    }
    let first = book.entries[0].id;
    let row = record(BANK, "2026-06-10", "CORNER SHOP", -4250);
    let import = book.import(&[row.clone(), record(BANK, "2026-06-10", "CORNER SHOP", -3000)]);
    assert_eq!(import.kinds(), "MN");
    assert_eq!(import.outcomes[0].transaction(), Some(first));
    assert_eq!(book.import(&[row]).kinds(), "E");
}

#[test]
fn transaction_that_may_not_change_is_paired() {
    for lock in [LockReason::Checked, LockReason::Locked, LockReason::NotEditable] {
        let mut book = Book::new();
        book.post("2026-06-10", "Corner shop", 1250, BANK, FOOD).lock = Some(lock);
        let file = [record(BANK, "2026-06-10", "CORNER SHOP", -1250)];
        let import = book.import(&file);
        let Outcome::Matched(found) = import.outcomes[0] else { panic!("{lock:?}") };
        assert_eq!(found.effect, MatchEffect::StorePair(lock));
        assert!(book.entries[0].remote_ids.is_empty());
        assert_eq!(book.import(&file).kinds(), "E");
        // A half of a transfer would have to change.
        let mut book = Book::new();
        book.post("2026-06-10", "TO SAVINGS", 1250, BANK, OPEN_OUT).lock = Some(lock);
        let import = book.import(&[record(SAVINGS, "2026-06-10", "FROM BANK", 1250)]);
        assert_eq!(import.kinds(), "N");
    }
}

#[test]
fn trashed_records_stay_in_the_trash_unless_asked() {
    for (state, restore, expected) in [
        (FindingState::Trashed, false, "S"),
        (FindingState::Trashed, true, "N"),
        (FindingState::Undone, false, "N"),
        (FindingState::Undone, true, "N"),
    ] {
        let mut book = Book::new();
        let file = [coffee("2026-02-01")];
        book.import(&file);
        book.entries[0].state = state;
        book.options.restore_trashed = restore;
        assert_eq!(book.import(&file).kinds(), expected, "{state:?} {restore}");
        // A live transaction counts first.
        if expected == "N" {
            assert_eq!(book.import(&file).kinds(), "E");
        }
    }
}

#[test]
fn locked_records_are_refused_but_found_and_matched() {
    let mut book = Book::new();
    book.import(&[coffee("2026-02-01")]);
    book.post("2026-02-03", "Coffee", 320, BANK, FOOD).lock = Some(LockReason::Locked);
    book.options.locked_until = Some(day("2026-02-28"));
    let dates = ["2026-02-01", "2026-02-03", "2026-02-20", "2026-02-28", "2026-03-01"];
    let import = book.import(&dates.map(coffee));
    assert_eq!(import.kinds(), "EMRRN");
    let locked = Outcome::Refused(RefuseReason::Locked(day("2026-02-28")));
    assert_eq!(import.outcomes[3], locked);
    // The second half of a transfer is not joined to a locked one.
    let import = book.import(&[
        record(BANK, "2026-02-27", "TO SAVINGS", -20_000),
        record(SAVINGS, "2026-03-02", "FROM BANK", 20_000),
    ]);
    assert_eq!((import.kinds().as_str(), import.candidates[1].len()), ("RN", 0));
}

#[test]
fn zero_amounts_are_skipped() {
    let import = Book::new().import(&[record(BANK, "2026-02-01", "INFO", 0)]);
    assert_eq!(import.outcomes, [Outcome::Skipped(SkipReason::Zero)]);
}

/// Case 14, and the direction of money.
#[test]
fn sides_follow_the_direction() {
    let row = record(BANK, "2026-02-01", "X", -200);
    let created = |name: &str, kind| Side::Create(AccountToCreate { name: name.to_owned(), kind });
    let own = || Side::Account(BANK);
    let named = |name: &str| Some(Other::Named(name.to_owned()));
    let expenses = created(UNCATEGORISED_EXPENSES, Outgoing);
    let income = created(UNCATEGORISED_INCOME, Incoming);
    for (units, other, credit, debit) in [
        (-200, Some(Other::Account(FOOD)), own(), Side::Account(FOOD)),
        (200, Some(Other::Account(FOOD)), Side::Account(FOOD), own()),
        (-200, None, own(), expenses.clone()),
        (200, None, income, own()),
        (-200, Some(Other::Account(BANK)), own(), expenses),
        (-200, named("Rent"), own(), created("Rent", Outgoing)),
        (200, named("Rent"), created("Rent", Incoming), own()),
        (200, named("expenses:rent"), created("expenses:rent", Outgoing), own()),
        (-200, named("Equity:Draw"), own(), created("Equity:Draw", Liability)),
    ] {
        let row = Record { units, ..row.clone() };
        let posting = posting(&row, None, other.as_ref(), PostingOptions::default());
        assert_eq!((&posting.credit, &posting.debit), (&credit, &debit), "{units} {other:?}");
        assert_eq!((posting.units, posting.is_draft), (200, false));
        assert_eq!(posting.has_same_account, other == Some(Other::Account(BANK)));
    }
}

#[test]
fn drafts_stay_open() {
    let row = record(BANK, "2026-02-01", "X", -200);
    let food = Some(Other::Account(FOOD));
    let options = |open_as_draft, drafts_only| PostingOptions { open_as_draft, drafts_only };
    let undated = Record { date: None, ..row.clone() };
    for (row, other, options, is_draft) in [
        (&row, &None, options(true, false), true),
        (&row, &food, options(true, false), false),
        (&row, &None, options(false, true), true),
        (&row, &food, options(false, true), true),
        (&undated, &None, options(false, false), true),
        (&pending(row.clone()), &food, options(false, false), true),
    ] {
        let posting = posting(row, None, other.as_ref(), options);
        let debit = other.as_ref().map_or(Side::Open, |_| Side::Account(FOOD));
        assert_eq!((posting.is_draft, posting.debit), (is_draft, debit), "{row:?}");
    }
}

#[test]
fn remote_ids_are_readable_and_short() {
    let id = |scheme, scale, row: Record| {
        let row = Record { number: 1, ..row };
        let mut census = Census::new(scheme, scale);
        census.add(&row);
        census.finish().identify(&row).remote_id
    };
    assert_eq!(id("csv", 2, coffee("2026-02-01")), "csv:1:2026-02-01:-3.2:37290d74:1");
    // The scale of the book, spaces, case and accents change nothing.
    let spaced = record(BANK, "2026-02-01", " Coffée ", -32_000);
    assert_eq!(id("csv", 4, spaced), id("csv", 2, coffee("2026-02-01")));
    let numbered = Record { account_number: Some("DE 01-2".to_owned()), ..coffee("2026-02-01") };
    assert_eq!(id("ofx", 2, with_id(" F  1 ", numbered)), "ofx:DE012:F 1");
    for placeholder in ["", "0", "0000-00", "NONREF", "not provided", "N/A"] {
        let row = with_id(placeholder, coffee("2026-02-01"));
        assert!(id("ofx", 2, row).ends_with(":1"), "{placeholder}");
    }
    let long = Record { account_number: Some("9".repeat(300)), ..coffee("2026-02-01") };
    let long = id("ofx", 2, pending(with_id(&"é".repeat(300), long)));
    assert!(long.chars().count() <= crate::transaction::MAX_REMOTE_ID, "{long}");
}

#[test]
fn counterparty_is_an_own_account() {
    let own = OwnAccounts::new([
        OwnAccount { id: BANK, name: "Bank".to_owned(), number: Some("DE01 23".to_owned()) },
        OwnAccount { id: SAVINGS, name: "Holiday savings".to_owned(), number: None },
    ]);
    let of = |account, number: &str| Record {
        counterparty: Some(number.to_owned()),
        ..record(account, "2026-02-01", "FEE", -200)
    };
    assert_eq!(own.counterparty(&of(SAVINGS, "de0123")), Some(BANK));
    assert_eq!(own.counterparty(&of(BANK, "DE01 23")), None);
    assert_eq!(own.counterparty(&of(BANK, "")), None);
    let hint = |text: &str| own.transfer_hint(&record(BANK, "2026-02-01", text, -200));
    assert_eq!(hint("to HOLIDAY SAVINGS account"), Some(SAVINGS));
    assert_eq!(hint("savings plan"), None);
}

const STREAMING: AccountId = AccountId::new(20);

fn netflix(uses: usize) -> History {
    let mut history = History::default();
    for _ in 0..uses {
        history.learn(BANK, -999, "Netflix 4711", STREAMING);
    }
    history
}

#[test]
fn suggestions_need_enough_uses_of_one_account() {
    let row = record(BANK, "2026-02-01", "NETFLIX.COM 8", -1299);
    let found = netflix(7).suggest(&row).unwrap();
    assert_eq!((found.account, found.confidence().ten_thousandths()), (STREAMING, 10_000));
    assert_eq!(found.reason("Card", row.units), "7 of 7 earlier NETFLIX from Card");
    assert_eq!(netflix(1).suggest(&row), None);
    assert_eq!(netflix(2).suggest(&row).unwrap().confidence().ten_thousandths(), 4000);
    // Only the same account and direction count.
    assert_eq!(netflix(7).suggest(&Record { account: SAVINGS, ..row.clone() }), None);
    assert_eq!(netflix(7).suggest(&Record { units: 1299, ..row.clone() }), None);
    // Mixed uses.
    for (others, expected) in [(1, Some((7, 8))), (2, None)] {
        let mut history = netflix(7);
        for _ in 0..others {
            history.learn(BANK, -999, "netflix", FOOD);
        }
        let found = history.suggest(&row).map(|found| (found.uses, found.all));
        assert_eq!(found, expected, "{others}");
    }
    // Two words that disagree.
    let mut history = netflix(5);
    (0..5).for_each(|_| history.learn(BANK, -500, "Amazon", FOOD));
    assert_eq!(history.suggest(&record(BANK, "2026-02-01", "AMAZON NETFLIX", -1)), None);
    // A word that everything has says nothing about a new text.
    let mut history = History::default();
    (0..20).for_each(|_| history.learn(BANK, -500, "Cardtronics shop", FOOD));
    assert_eq!(history.suggest(&record(BANK, "2026-02-01", "CARDTRONICS TAXI", -1)), None);
    assert!(history.suggest(&record(BANK, "2026-02-01", "CARDTRONICS", -1)).is_some());
}

#[test]
fn undo_leaves_what_others_have_touched() {
    let fresh = RunTransaction { may_edit: true, ..RunTransaction::default() };
    let leave = UndoAction::Leave;
    for (facts, expected, of_match) in [
        (fresh, UndoAction::Trash, None),
        (RunTransaction { is_trashed: true, ..fresh }, UndoAction::AlreadyTrashed, None),
        (RunTransaction { is_changed: true, ..fresh }, leave(LeaveReason::Changed), None),
        (RunTransaction { has_comments: true, ..fresh }, leave(LeaveReason::Commented), None),
        (RunTransaction { is_reconciled: true, ..fresh }, leave(LeaveReason::Reconciled), None),
        (
            RunTransaction { is_merged: true, is_trashed: true, ..fresh },
            leave(LeaveReason::Merged),
            Some(LeaveReason::Merged),
        ),
        (
            RunTransaction { is_checked: true, ..fresh },
            leave(LeaveReason::Checked),
            Some(LeaveReason::Checked),
        ),
        (
            RunTransaction { is_checked: true, was_recorded_as_checked: true, ..fresh },
            UndoAction::Trash,
            Some(LeaveReason::Checked),
        ),
        (
            RunTransaction { is_locked: true, ..fresh },
            leave(LeaveReason::Locked),
            Some(LeaveReason::Locked),
        ),
        (
            RunTransaction { may_edit: false, ..fresh },
            leave(LeaveReason::NotPermitted),
            Some(LeaveReason::NotPermitted),
        ),
    ] {
        assert_eq!(undo_action(facts), expected, "{facts:?}");
        let undone = of_match.map_or(MatchUndo::RemoveRemoteId, MatchUndo::Leave);
        assert_eq!(undo_match(facts, false), undone, "{facts:?}");
        assert_eq!(undo_match(facts, true), MatchUndo::DeletePair);
    }
    let unused = AccountFacts { may_write: true, ..AccountFacts::default() };
    for (facts, expected) in [
        (unused, true),
        (AccountFacts { transactions: 1, ..unused }, false),
        (AccountFacts { is_changed: true, ..unused }, false),
        (AccountFacts { is_archived: true, ..unused }, false),
        (AccountFacts { may_write: false, ..unused }, false),
    ] {
        assert_eq!(may_archive_account(facts), expected, "{facts:?}");
    }
}

#[test]
fn changed_previews_differ() {
    let new = Fingerprint::of(1, &Outcome::New(NewReason::Unknown));
    let existing = ExistingReason::RemoteId(TransactionId::new(7));
    let existing = Fingerprint::of(1, &Outcome::Existing(existing));
    let last = Fingerprint::of(2, &Outcome::Skipped(SkipReason::Zero));
    assert_eq!(differences([new, last], [new, last]), Differences::default());
    let found = differences([new, last], [existing]);
    let expected = vec![(1, Some(new), Some(existing)), (2, Some(last), None)];
    assert_eq!((found.records, found.count), (expected, 2));
}
