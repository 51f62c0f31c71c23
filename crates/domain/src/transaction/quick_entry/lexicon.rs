//! Finds the names of a book's accounts in a typed text, as whole words (behaviour 3.8.2.2).

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::scanner::{PieceKind, TextPiece, plain_pieces};
use crate::id::AccountId;
use crate::name::fold_name;

/// Account names, prepared for a search in texts.
///
/// Names and texts are compared word by word, folded like normalized names (behaviour 4.3): case,
/// diacritics and the kind of gap between two words do not matter. So `credit-card` finds `Credit
/// Card`, and `cash` is not found in `cashier`. All names are searched for at once, in time linear
/// in the text.
///
/// For the search, each distinct word is replaced by one character, so that only whole words match.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// The character for each word of the names.
    words: HashMap<String, char>,
    /// The names in these characters; `None` without names.
    names: Option<AhoCorasick>,
    /// The account of each name, in the order of the names.
    accounts: Vec<AccountId>,
}

/// The character for a word that is in no name.
const UNKNOWN: char = '\u{0}';
/// The character for a gap between words.
const GAP: char = '\u{1}';
/// The first character for a word of a name.
const FIRST_WORD: char = '\u{2}';

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The pieces of the text that are the name.
    pub(super) pieces: Range<usize>,
    pub(super) account: AccountId,
}

/// A word of a text, or a gap between two.
struct Symbol {
    character: char,
    /// The index of its piece in the text.
    index: usize,
}

impl Lexicon {
    /// Prepares names. A name without letters and digits is never found. If several names are equal
    /// after folding, the first is found.
    pub fn new<'n>(names: impl IntoIterator<Item = (AccountId, &'n str)>) -> Self {
        let mut lexicon = Self::default();
        let mut patterns: HashMap<String, AccountId> = HashMap::new();
        let with_words =
            names.into_iter().filter(|(_, name)| name.chars().any(char::is_alphanumeric));
        for (account, name) in with_words {
            let symbols = symbols(name, &plain_pieces(name), |word| lexicon.character(word));
            let pattern: String = symbols.into_iter().map(|symbol| symbol.character).collect();
            // There are more words than characters, that is, more than a million.
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

    /// Returns the character for a word of a name; a new word gets the next one.
    fn character(&mut self, word: String) -> char {
        let next = (FIRST_WORD..=char::MAX).nth(self.words.len()).unwrap_or(UNKNOWN);
        *self.words.entry(word).or_insert(next)
    }

    /// Returns the names in a text from left to right: the longest at each position, without
    /// overlaps.
    pub(super) fn mentions(&self, text: &str, pieces: &[TextPiece]) -> Vec<Mention> {
        let Some(names) = &self.names else { return Vec::new() };
        let character = |word: String| self.words.get(&word).copied().unwrap_or(UNKNOWN);
        let symbols = symbols(text, pieces, character);
        let searched: String = symbols.iter().map(|symbol| symbol.character).collect();
        // The offset of each symbol in `searched`, with the index of its piece.
        let starts: Vec<(usize, usize)> =
            searched.char_indices().zip(&symbols).map(|((at, _), s)| (at, s.index)).collect();
        let piece_at = |offset: usize| {
            let found = starts.binary_search_by_key(&offset, |(at, _)| *at).ok()?;
            starts.get(found).map(|(_, index)| *index)
        };
        names
            .find_iter(&searched)
            .filter_map(|found| {
                let last = searched.get(found.range())?.char_indices().next_back()?.0;
                let first = piece_at(found.start())?;
                let last = piece_at(found.start().saturating_add(last))?;
                Some(Mention {
                    pieces: first..last.saturating_add(1),
                    account: *self.accounts.get(found.pattern().as_usize())?,
                })
            })
            .collect()
    }
}

/// Returns the words of a text and the gaps between them. Quoted text, URLs and hashtags count as
/// unknown words.
fn symbols(
    text: &str,
    pieces: &[TextPiece],
    mut character: impl FnMut(String) -> char,
) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(pieces.len());
    let mut gap = None;
    for (index, piece) in pieces.iter().enumerate() {
        let character = match piece.kind {
            PieceKind::Space | PieceKind::Dash => {
                gap = gap.or(Some(index));
                continue;
            }
            PieceKind::Word | PieceKind::Figure | PieceKind::Symbol => {
                let word = fold_name(text.get(piece.span.clone()).unwrap_or_default());
                character(word)
            }
            PieceKind::Quoted | PieceKind::Url | PieceKind::Tag | PieceKind::NegatedTag => UNKNOWN,
        };
        if let Some(index) = gap.take().filter(|_| !symbols.is_empty()) {
            symbols.push(Symbol { character: GAP, index });
        }
        symbols.push(Symbol { character, index });
    }
    symbols
}
