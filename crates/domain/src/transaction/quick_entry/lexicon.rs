//! The names of a book's accounts, found in a text as whole words (behaviour 3.8.2.2).

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{Kind, Token, plain_tokens};
use crate::automaton::{Automaton, Place};
use crate::id::AccountId;
use crate::name::fold;

/// Account names, ready to be looked for in texts.
///
/// Names and texts are compared word by word, folded like normalized names (behaviour 4.3): case,
/// diacritics and the kind of gap between two words do not matter, so `credit-card` finds
/// `Credit Card`, and `cash` does not stand in `cashier`. All names are looked for at once, in time
/// linear in the text, however many there are.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// The words of the names, numbered.
    words: HashMap<String, u32>,
    /// Reads names from their last word to their first.
    automaton: Automaton,
    /// The name that is complete at a place: how many symbols it has, and whose it is.
    complete: HashMap<Place, (usize, AccountId)>,
}

/// No word of any name.
const UNKNOWN: u32 = 0;
/// What separates words.
const GAP: u32 = 1;
const FIRST_WORD: u32 = 2;

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The tokens it spans.
    pub(super) tokens: Range<usize>,
    pub(super) account: AccountId,
}

impl Lexicon {
    /// Learns names. One without a letter or digit is no word and cannot be found.
    pub fn new<'n>(names: impl IntoIterator<Item = (AccountId, &'n str)>) -> Self {
        let mut lexicon = Self::default();
        let mut patterns = Vec::new();
        let mut accounts = Vec::new();
        for (account, name) in
            names.into_iter().filter(|(_, name)| name.chars().any(char::is_alphanumeric))
        {
            let tokens = plain_tokens(name);
            let mut pattern: Vec<u32> = symbols(name, &tokens, |word| lexicon.learn(word))
                .into_iter()
                .map(|(symbol, _)| symbol)
                .collect();
            pattern.reverse();
            accounts.push((pattern.len(), account));
            patterns.push(pattern);
        }
        let (automaton, ends) = Automaton::new(patterns);
        for (end, name) in ends.into_iter().zip(accounts) {
            lexicon.complete.entry(end).or_insert(name);
        }
        Self { automaton, ..lexicon }
    }

    fn learn(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX).saturating_add(FIRST_WORD);
        *self.words.entry(word).or_insert(next)
    }

    /// The names in a text: the leftmost first, at a position the longest, none within another.
    pub(super) fn mentions(&self, text: &str, tokens: &[Token]) -> Vec<Mention> {
        let symbols =
            symbols(text, tokens, |word| self.words.get(&word).copied().unwrap_or(UNKNOWN));
        let mut longest: Vec<Option<(usize, AccountId)>> = Vec::with_capacity(symbols.len());
        let mut place = Place::START;
        // Backwards: the longest name that ends when reading backwards is the longest that begins
        // there.
        for (symbol, _) in symbols.iter().rev() {
            place = self.automaton.step(place, *symbol);
            longest.push(self.complete.get(&self.automaton.complete(place)).copied());
        }
        longest.reverse();
        let mut mentions = Vec::new();
        let mut at = 0;
        while let Some(found) = longest.get(at) {
            let Some((length, account)) = *found else {
                at += 1;
                continue;
            };
            let last = symbols.get(at.saturating_add(length).saturating_sub(1));
            if let (Some((_, first)), Some((_, last))) = (symbols.get(at), last) {
                mentions.push(Mention { tokens: *first..last.saturating_add(1), account });
            }
            at = at.saturating_add(length.max(1));
        }
        mentions
    }
}

/// The words of a text as numbers, with the places of their tokens. Gaps stand between words only;
/// what must be left alone is no word.
fn symbols(
    text: &str,
    tokens: &[Token],
    mut number: impl FnMut(String) -> u32,
) -> Vec<(u32, usize)> {
    let mut symbols: Vec<(u32, usize)> = Vec::with_capacity(tokens.len());
    let mut gap = None;
    for (place, token) in tokens.iter().enumerate() {
        let symbol = match token.kind {
            Kind::Space | Kind::Dash => {
                gap = gap.or(Some(place));
                continue;
            }
            Kind::Word | Kind::Figure | Kind::Symbol => {
                let word = fold(text.get(token.span.clone()).unwrap_or_default());
                // A combining mark alone is nothing once it is folded.
                if word.is_empty() {
                    continue;
                }
                number(word)
            }
            Kind::Quoted | Kind::Url | Kind::Tag | Kind::Untag => UNKNOWN,
        };
        if let Some(gap) = gap.take().filter(|_| !symbols.is_empty()) {
            symbols.push((GAP, gap));
        }
        symbols.push((symbol, place));
    }
    symbols
}
