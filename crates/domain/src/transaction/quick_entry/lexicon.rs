//! Finds the names of a book's accounts in a typed text, as whole words (behaviour 3.8.2.2).

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::scanner::{PieceKind, TextPiece, plain_pieces};
use crate::id::AccountId;
use crate::name::fold_name;

/// Account names, prepared for finding them in texts.
///
/// Names and texts are compared word by word, folded like normalized names (behaviour 4.3): case,
/// diacritics and the kind of gap between two words do not matter, so `credit-card` finds
/// `Credit Card`, and `cash` is not found in `cashier`. All names are searched for at once, in time
/// linear in the text.
///
/// Each distinct word is one character to the search, so that a match always consists of whole
/// words.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// The words of the names, each with the character that stands for it.
    words: HashMap<String, char>,
    /// The names, as such characters. `None` before there are any.
    names: Option<AhoCorasick>,
    /// The account of each name, in the order of the names.
    accounts: Vec<AccountId>,
}

/// Stands for a word that no name contains.
const UNKNOWN: char = '\u{0}';
/// Stands for what separates words.
const GAP: char = '\u{1}';
/// The first character that stands for a word of a name.
const FIRST_WORD: char = '\u{2}';

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The pieces of the text that it spans.
    pub(super) pieces: Range<usize>,
    /// The account with that name.
    pub(super) account: AccountId,
}

/// A word of a text, or a gap between two.
struct Symbol {
    character: char,
    /// Which piece of the text it is.
    place: usize,
}

impl Lexicon {
    /// Prepares names. One without a letter or digit is not a word and is never found. Of several
    /// names that are spelled alike the first counts.
    pub fn new<'n>(names: impl IntoIterator<Item = (AccountId, &'n str)>) -> Self {
        let mut lexicon = Self::default();
        let mut patterns: HashMap<String, AccountId> = HashMap::new();
        let with_words =
            names.into_iter().filter(|(_, name)| name.chars().any(char::is_alphanumeric));
        for (account, name) in with_words {
            let symbols = symbols(name, &plain_pieces(name), |word| lexicon.learn(word));
            let pattern: String = symbols.into_iter().map(|symbol| symbol.character).collect();
            // A word beyond the characters there are, which takes a million words.
            if !pattern.contains(UNKNOWN) {
                patterns.entry(pattern).or_insert(account);
            }
        }
        let (patterns, accounts): (Vec<String>, Vec<AccountId>) = patterns.into_iter().unzip();
        // Building fails only beyond billions of characters.
        let built = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(patterns);
        let names = built.ok().filter(|_| !accounts.is_empty());
        Self { names, accounts, ..lexicon }
    }

    /// The character for a word of a name.
    fn learn(&mut self, word: String) -> char {
        let next = (FIRST_WORD..=char::MAX).nth(self.words.len()).unwrap_or(UNKNOWN);
        *self.words.entry(word).or_insert(next)
    }

    /// The names in a text from left to right: at each position the longest, none within another.
    pub(super) fn mentions(&self, text: &str, pieces: &[TextPiece]) -> Vec<Mention> {
        let Some(names) = &self.names else { return Vec::new() };
        let known = |word: String| self.words.get(&word).copied().unwrap_or(UNKNOWN);
        let symbols = symbols(text, pieces, known);
        let searched: String = symbols.iter().map(|symbol| symbol.character).collect();
        // Where each symbol begins, and its place.
        let starts: Vec<(usize, usize)> =
            searched.char_indices().zip(&symbols).map(|((at, _), s)| (at, s.place)).collect();
        let place = |start: usize| {
            let found = starts.binary_search_by_key(&start, |(at, _)| *at).ok()?;
            starts.get(found).map(|(_, place)| *place)
        };
        names
            .find_iter(&searched)
            .filter_map(|found| {
                let last = searched.get(found.range())?.char_indices().next_back()?.0;
                let first = place(found.start())?;
                let last = place(found.start().saturating_add(last))?;
                Some(Mention {
                    pieces: first..last.saturating_add(1),
                    account: *self.accounts.get(found.pattern().as_usize())?,
                })
            })
            .collect()
    }
}

/// The words of a text with the gaps between them. Quoted text, addresses and hashtags are words
/// that no name contains.
fn symbols(
    text: &str,
    pieces: &[TextPiece],
    mut character: impl FnMut(String) -> char,
) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(pieces.len());
    let mut gap = None;
    for (place, piece) in pieces.iter().enumerate() {
        let character = match piece.kind {
            PieceKind::Space | PieceKind::Dash => {
                gap = gap.or(Some(place));
                continue;
            }
            PieceKind::Word | PieceKind::Figure | PieceKind::Symbol => {
                let word = fold_name(text.get(piece.span.clone()).unwrap_or_default());
                character(word)
            }
            PieceKind::Quoted | PieceKind::Url | PieceKind::Tag | PieceKind::Untag => UNKNOWN,
        };
        if let Some(place) = gap.take().filter(|_| !symbols.is_empty()) {
            symbols.push(Symbol { character: GAP, place });
        }
        symbols.push(Symbol { character, place });
    }
    symbols
}
