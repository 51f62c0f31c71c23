//! Generates input: joins parts of a corpus, then mutates them.

use crate::rng::Rng;

/// The length of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// A few hundred bytes.
    Short,
    /// Sometimes the maximum that a request may have.
    Long,
}

/// The longest input: the maximum of a description (10.9).
const LONGEST: usize = 64 * 1024;

/// Characters that parsers mishandle: ends of ranges, marks, characters that change length when
/// folded, and lookalikes of digits, spaces and line breaks.
const AWKWARD: [char; 28] = [
    '\u{0}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{ad}',
    '\u{301}',
    '\u{130}',
    '\u{131}',
    '\u{149}',
    '\u{2028}',
    '\u{2212}',
    '\u{200b}',
    '\u{200f}',
    '\u{3000}',
    '\u{660}',
    '\u{ff10}',
    '\u{1d7d9}',
    '\u{fb33}',
    '\u{fdfa}',
    '\u{fffd}',
    '\u{1f600}',
    '\u{10ffff}',
    'ß',
    'Æ',
    'ǅ',
    'Σ',
    '½',
    '²',
];

/// Generates an input.
pub(super) fn input(rng: &mut Rng, corpus: &[&str], sizes: Sizes) -> String {
    let mut text = String::new();
    for _ in 0..1 + below(rng, 6) {
        text.push_str(pick(rng, corpus));
        text.push_str(pick(rng, &["", " ", "", " ", "\n"]));
    }
    for _ in 0..below(rng, 8) {
        text = damaged(rng, &text, corpus);
    }
    if sizes == Sizes::Long && below(rng, 200) == 0 {
        text = text.repeat(1 + below(rng, LONGEST / text.len().max(1)));
    }
    bounded(text, if sizes == Sizes::Long { LONGEST } else { 2_000 })
}

/// Applies one small mutation.
fn damaged(rng: &mut Rng, text: &str, corpus: &[&str]) -> String {
    let characters: Vec<char> = text.chars().collect();
    let (one, two) = (below(rng, characters.len() + 1), below(rng, characters.len() + 1));
    let (start, end) = (one.min(two), one.max(two));
    let part = |range: std::ops::Range<usize>| characters[range].iter().collect::<String>();
    let (head, middle, tail) = (part(0..start), part(start..end), part(end..characters.len()));
    match below(rng, 9) {
        0 => format!("{head}{tail}"),
        1 => format!("{head}{middle}{middle}{tail}"),
        2 => format!("{head}{}{tail}", middle.chars().rev().collect::<String>()),
        3 => format!("{head}{}{middle}{tail}", pick(rng, corpus)),
        4 => format!("{head}{}{middle}{tail}", pick(rng, &AWKWARD)),
        5 => format!(
            "{head}{}{middle}{tail}",
            char::from_u32(u32::try_from(below(rng, 0x11_0000)).unwrap_or(0)).unwrap_or('?')
        ),
        6 => format!(
            "{head}{}{tail}",
            if below(rng, 2) == 0 { middle.to_uppercase() } else { middle.to_lowercase() }
        ),
        7 => format!("{head}{}{middle}{tail}", pick(rng, corpus).repeat(1 + below(rng, 40))),
        _ => {
            let digits = below(rng, 32);
            format!("{head}{}{middle}{tail}", below(rng, 1 << digits))
        }
    }
}

fn bounded(mut text: String, longest: usize) -> String {
    let end =
        (0..=longest.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text
}

fn below(rng: &mut Rng, end: usize) -> usize {
    usize::try_from(rng.below(end as u64)).expect("below a length")
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[below(rng, from.len())].clone()
}
