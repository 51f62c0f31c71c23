//! What holds of every text (behaviour 3.8).

use proptest::prelude::*;

use super::*;
use crate::amount::DecimalSeparator;
use crate::calendar::parse_iso;
use crate::name::normalized;
use crate::transaction::MAX_DESCRIPTION;

const PIECES: [&str; 48] = [
    " ",
    "  ",
    "\n",
    "-",
    "_",
    ".",
    ",",
    "'",
    "\"",
    "#",
    "$",
    "(",
    ")",
    "/",
    ":",
    "a",
    "b",
    "ab",
    "A",
    "é",
    "e\u{301}",
    "ß",
    "25",
    "12,34",
    "1.234,56",
    "0",
    "31/10",
    "1/2/2025",
    "2025-01-31",
    "4x",
    "$2x",
    "http://",
    "https://a",
    "#tag",
    "-#tag",
    "Cash",
    "cash",
    "Credit Card",
    "credit",
    "card",
    "Food",
    "-7",
    "10:30",
    "\u{301}",
    "1 234",
    "\u{a0}",
    "\u{2019}",
    "%",
];

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..16)
        .prop_map(|pieces| pieces.concat());
    prop_oneof![4 => pieces, 1 => "\\PC{0,40}", 1 => any::<String>()]
}

fn reader(names: &Lexicon, repeats: bool) -> QuickEntryReader<'_> {
    let precision = Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Comma };
    QuickEntryReader {
        names,
        pattern: DatePattern::DayFirst,
        precision,
        today: parse_iso("2025-05-20").unwrap(),
        repeats,
    }
}

/// The characters that are no white space, sorted: what is left when pieces are removed is a part
/// of it.
fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    letters.sort_unstable();
    letters
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    part.chars().filter(|c| !c.is_whitespace()).all(|c| whole.any(|other| other == c))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What is removed and what remains is the text: nothing else is lost, nothing is added,
    /// nothing moves.
    #[test]
    fn nothing_else_is_lost(text in texts(), repeats in any::<bool>()) {
        let names = Lexicon::new([
            (AccountId::new(1), "Cash"),
            (AccountId::new(2), "Credit Card"),
            (AccountId::new(3), "Food"),
        ]);
        let mut typed = TypedText::new(text.trim());
        typed.accounts(&names);
        let date = typed.date(DatePattern::DayFirst, parse_iso("2025-05-20").unwrap());
        typed.amount(Precision {
            fraction_digits: 2,
            scale: 2,
            separator: DecimalSeparator::Comma,
        });
        if let Some(date) = date.filter(|_| repeats) {
            typed.repeats(date);
        }
        typed.urls();
        typed.untag();
        let gone = |(_, removed): &(&TextPiece, &bool)| **removed;
        let removed: String = typed
            .pieces
            .iter()
            .zip(&typed.removed)
            .filter(gone)
            .map(|(piece, _)| typed.text_of(piece))
            .collect();
        let rest = typed.rest();
        prop_assert!(is_subsequence(&rest, &text), "{:?} of {:?}", rest, text);
        prop_assert_eq!(letters(&format!("{rest}{removed}")), letters(&text));
    }

    /// A text in which nothing is found stays as it is, and is read the same way again. Fixed
    /// spaces become plain ones, which separate numbers.
    #[test]
    fn what_is_left_alone_stays(text in texts()) {
        let names = Lexicon::new([(AccountId::new(1), "Cash")]);
        let found = reader(&names, true).read(&text);
        let nothing =
            QuickEntry { description: found.description.clone(), ..QuickEntry::default() };
        let spaced = text.contains('\u{a0}');
        if found == nothing && letters(&found.description) == letters(&text) && !spaced {
            let again = reader(&names, true).read(&found.description);
            prop_assert_eq!(again, found);
        }
    }

    /// Values are of this book, tags outlive the reading, and quotes keep what is in them.
    #[test]
    fn what_is_found_is_usable(text in texts()) {
        let names = Lexicon::new([(AccountId::new(1), "Cash"), (AccountId::new(2), "Card")]);
        let found = reader(&names, true).read(&text);
        prop_assert!(
            found.amount.is_none_or(|amount| amount.units(2).is_some_and(|units| units > 0))
        );
        prop_assert!(found.credit.is_none() || found.credit != found.debit);
        prop_assert!(found.credit.is_some() || found.debit.is_none());
        prop_assert!(found.repeats.is_empty() || found.date < found.repeats.first().copied());
        prop_assert!(found.repeats.is_sorted());
        prop_assert!(found.description.trim() == found.description);
        for piece in pieces(text.trim())
            .iter()
            .filter(|piece| matches!(piece.kind, PieceKind::Tag | PieceKind::Quoted))
        {
            prop_assert!(found.description.contains(&text.trim()[piece.span.clone()]));
        }
    }

    /// Account names, found without an index: at every word, every name, the longest that stands
    /// there.
    #[test]
    fn names_are_found_as_a_naive_search_finds_them(
        accounts in prop::collection::vec("[ab]([ ab'-]{0,4}[ab])?", 0..5),
        text in "[abAB '#_-]{0,24}",
    ) {
        let lexicon = Lexicon::new(
            accounts.iter().zip(1..).map(|(name, id)| (AccountId::new(id), name.as_str())),
        );
        let pieces = pieces(&text);
        let found: Vec<(String, AccountId)> = lexicon
            .mentions(&text, &pieces)
            .into_iter()
            .map(|mention| {
                (
                    pieces[mention.pieces].iter().map(|piece| &text[piece.span.clone()]).collect(),
                    mention.account,
                )
            })
            .collect();
        prop_assert_eq!(found, naive(&accounts, &text, &pieces));
    }
}

/// Every stretch of pieces that begins and ends with a word, the longest first, compared by
/// normalized name.
fn naive(accounts: &[String], text: &str, pieces: &[TextPiece]) -> Vec<(String, AccountId)> {
    let word = |piece: &TextPiece| {
        matches!(piece.kind, PieceKind::Word | PieceKind::Figure | PieceKind::Symbol)
    };
    let readable =
        |piece: &TextPiece| word(piece) || matches!(piece.kind, PieceKind::Space | PieceKind::Dash);
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let stretches = (at + 1..=pieces.len()).rev().map(|end| (end, &pieces[at..end]));
        let whole = stretches.filter(|(_, stretch)| {
            stretch.iter().all(readable)
                && stretch.first().is_some_and(word)
                && stretch.last().is_some_and(word)
        });
        let hit = whole.into_iter().find_map(|(end, stretch)| {
            let piece: String = stretch.iter().map(|piece| &text[piece.span.clone()]).collect();
            let known = accounts.iter().position(|name| normalized(name) == normalized(&piece))?;
            Some((end, piece, AccountId::new(i64::try_from(known).unwrap() + 1)))
        });
        match hit {
            Some((end, piece, account)) => {
                found.push((piece, account));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// 64 KB of every awkward kind, with names made to be almost found everywhere: the work grows with
/// the text alone.
#[test]
fn long_texts_and_many_names() {
    let longest = format!("{}b", "a ".repeat(126));
    let many: Vec<String> = (0..10_000)
        .map(|number| format!("a a {number}"))
        .chain([longest, "a".to_owned()])
        .collect();
    let names =
        Lexicon::new(many.iter().zip(1..).map(|(name, id)| (AccountId::new(id), name.as_str())));
    for piece in PIECES.into_iter().chain([
        "a ",
        "a a 77",
        "'a ",
        "\"a",
        "-#",
        "#-",
        "http://.",
        "http://(",
        "1,",
        "1.1",
        "9",
        "a_",
        "4x 31/10 ",
    ]) {
        let text = piece.repeat(MAX_DESCRIPTION / piece.len());
        let found = reader(&names, true).read(&text);
        assert!(found.description.len() <= text.len());
    }
}
