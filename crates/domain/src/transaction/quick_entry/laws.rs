//! Property tests of quick entry (behaviour 3.8).

use proptest::prelude::*;

use super::*;
use crate::amount::DecimalSeparator;
use crate::calendar::parse_iso;
use crate::name::normalized;
use crate::transaction::MAX_DESCRIPTION;

/// Fragments of texts, separated by spaces. `␣` stands for a space.
const PIECES: &str = "␣ ␣␣ \n - _ . , ' \" # $ ( ) / : a b ab A é e\u{301} ß 25 12,34 1.234,56 0 \
                      31/10 1/2/2025 2025-01-31 4x $2x http:// https://a #tag -#tag Cash cash \
                      Credit␣Card credit card Food -7 10:30 \u{301} 1␣234 \u{a0} \u{2019} %";

fn fragments(list: &str) -> Vec<String> {
    list.split(' ').map(|piece| piece.replace('␣', " ")).collect()
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(fragments(PIECES)), 0..16)
        .prop_map(|pieces| pieces.concat());
    prop_oneof![4 => pieces, 1 => "\\PC{0,40}", 1 => any::<String>()]
}

const PRECISION: Precision =
    Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Comma };

fn reader(names: &Lexicon, repeats: bool) -> QuickEntryReader<'_> {
    QuickEntryReader {
        names,
        pattern: DatePattern::DayFirst,
        precision: PRECISION,
        today: parse_iso("2025-05-20").unwrap(),
        repeats,
    }
}

/// Returns the characters except white space, sorted.
fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    letters.sort_unstable();
    letters
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A text without recognized parts is read in the same way again. Texts with fixed spaces are
    /// left out: these become plain spaces, which separate numbers.
    #[test]
    fn unrecognized_text_is_unchanged(text in texts()) {
        let names = Lexicon::new([(AccountId::new(1), "Cash")]);
        let found = reader(&names, true).read(&text);
        let nothing = QuickEntry {
            description: found.description.clone(),
            tokens: found.tokens.clone(),
            ..QuickEntry::default()
        };
        let spaced = text.contains('\u{a0}');
        if found == nothing && letters(&found.description) == letters(&text) && !spaced {
            let again = reader(&names, true).read(&found.description);
            // Only the offsets of hashtags may differ, by the white space before them.
            prop_assert_eq!(QuickEntry { tokens: found.tokens.clone(), ..again }, found);
        }
    }

    /// The values are valid in the book, and hashtags and quotes stay in the description.
    #[test]
    fn results_are_valid(text in texts()) {
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

    /// The tokens are parts of the text as typed, in its order. Those that leave the description
    /// are, with it, the whole text.
    #[test]
    fn tokens_are_the_recognized_parts(text in texts(), repeats: bool) {
        let names = Lexicon::new([(AccountId::new(1), "Cash"), (AccountId::new(2), "Card")]);
        let reader = reader(&names, repeats);
        let found = reader.read(&text);
        let (mut end, mut kinds, mut removed) = (0, Vec::new(), String::new());
        for token in &found.tokens {
            prop_assert!(end <= token.span.start && token.span.start < token.span.end);
            end = token.span.end;
            let part = text.get(token.span.clone());
            prop_assert!(part.is_some(), "{:?} in {:?}", token, text);
            let part = part.unwrap_or_default();
            kinds.push(token.kind);
            if token.kind != TokenKind::Hashtag {
                removed.push_str(part);
            }
            if token.kind == TokenKind::Amount {
                prop_assert_eq!(reader.read(part).amount, found.amount, "{:?}", part);
            }
            if token.kind == TokenKind::Date {
                prop_assert_eq!(reader.read(part).date, found.date, "{:?}", part);
            }
        }
        prop_assert_eq!(letters(&format!("{}{removed}", found.description)), letters(&text));
        let has = |kind: TokenKind| kinds.contains(&kind);
        prop_assert_eq!(has(TokenKind::Amount), found.amount.is_some());
        prop_assert_eq!(has(TokenKind::Date), found.date.is_some());
        prop_assert_eq!(has(TokenKind::Url), !found.urls.is_empty());
        prop_assert_eq!(has(TokenKind::Repeats), !found.repeats.is_empty());
        prop_assert!(found.credit.is_none_or(|id| has(TokenKind::CreditAccount(id))));
        prop_assert!(found.debit.is_none_or(|id| has(TokenKind::DebitAccount(id))));
    }

    /// Compares with a search that tries each name at each word and takes the longest.
    #[test]
    fn mentions_equal_those_of_a_naive_search(
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

/// Compares every range of pieces that begins and ends with a word, the longest first, with the
/// normalized names.
fn naive(accounts: &[String], text: &str, pieces: &[TextPiece]) -> Vec<(String, AccountId)> {
    let word = |piece: &TextPiece| {
        matches!(piece.kind, PieceKind::Word | PieceKind::Figure | PieceKind::Symbol)
    };
    let readable =
        |piece: &TextPiece| word(piece) || matches!(piece.kind, PieceKind::Space | PieceKind::Dash);
    let mut found = Vec::new();
    let mut start = 0;
    while start < pieces.len() {
        let ranges = (start + 1..=pieces.len()).rev().map(|end| (end, &pieces[start..end]));
        let whole_words = ranges.filter(|(_, range)| {
            range.iter().all(readable)
                && range.first().is_some_and(word)
                && range.last().is_some_and(word)
        });
        let hit = whole_words.into_iter().find_map(|(end, range)| {
            let found: String = range.iter().map(|piece| &text[piece.span.clone()]).collect();
            let index = accounts.iter().position(|name| normalized(name) == normalized(&found))?;
            Some((end, found, AccountId::new(i64::try_from(index).unwrap() + 1)))
        });
        match hit {
            Some((end, piece, account)) => {
                found.push((piece, account));
                start = end;
            }
            None => start += 1,
        }
    }
    found
}

/// Texts of 64 KB that are hard to read, with names that almost match everywhere. The test would
/// take too long if the time were not linear in the text.
#[test]
fn long_texts_and_many_names() {
    let longest = format!("{}b", "a ".repeat(126));
    let many: Vec<String> = (0..10_000)
        .map(|number| format!("a a {number}"))
        .chain([longest, "a".to_owned()])
        .collect();
    let names =
        Lexicon::new(many.iter().zip(1..).map(|(name, id)| (AccountId::new(id), name.as_str())));
    let more = "a␣ a␣a␣77 'a␣ \"a -# #- http://. http://( 1, 1.1 9 a_ 4x␣31/10␣";
    for piece in fragments(PIECES).into_iter().chain(fragments(more)) {
        let text = piece.repeat(MAX_DESCRIPTION / piece.len());
        let found = reader(&names, true).read(&text);
        assert!(found.description.len() <= text.len());
    }
}
