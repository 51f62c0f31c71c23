//! Making input: pieces of a corpus put together, then damaged.

use crate::rng::Dice;

/// How long inputs become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// A few hundred bytes.
    Short,
    /// Now and then the longest that a request may carry.
    Long,
}

/// The longest input: what a description may have (10.9).
const LONGEST: usize = 64 * 1024;

/// Characters that readers stumble over: ends of ranges, marks, what changes its length when
/// folded, what looks like digits, spaces or line breaks and is not the plain one.
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

/// An input.
pub(super) fn input(dice: &mut Dice, corpus: &[&str], sizes: Sizes) -> String {
    let mut text = String::new();
    for _ in 0..1 + below(dice, 6) {
        text.push_str(pick(dice, corpus));
        text.push_str(pick(dice, &["", " ", "", " ", "\n"]));
    }
    for _ in 0..below(dice, 8) {
        text = damaged(dice, &text, corpus);
    }
    if sizes == Sizes::Long && below(dice, 200) == 0 {
        text = text.repeat(1 + below(dice, LONGEST / text.len().max(1)));
    }
    bounded(text, if sizes == Sizes::Long { LONGEST } else { 2_000 })
}

/// One small damage.
fn damaged(dice: &mut Dice, text: &str, corpus: &[&str]) -> String {
    let characters: Vec<char> = text.chars().collect();
    let (one, two) = (below(dice, characters.len() + 1), below(dice, characters.len() + 1));
    let (start, end) = (one.min(two), one.max(two));
    let part = |range: std::ops::Range<usize>| characters[range].iter().collect::<String>();
    let (head, middle, tail) = (part(0..start), part(start..end), part(end..characters.len()));
    match below(dice, 9) {
        0 => format!("{head}{tail}"),
        1 => format!("{head}{middle}{middle}{tail}"),
        2 => format!("{head}{}{tail}", middle.chars().rev().collect::<String>()),
        3 => format!("{head}{}{middle}{tail}", pick(dice, corpus)),
        4 => format!("{head}{}{middle}{tail}", pick(dice, &AWKWARD)),
        5 => format!(
            "{head}{}{middle}{tail}",
            char::from_u32(u32::try_from(below(dice, 0x11_0000)).unwrap_or(0)).unwrap_or('?')
        ),
        6 => format!(
            "{head}{}{tail}",
            if below(dice, 2) == 0 { middle.to_uppercase() } else { middle.to_lowercase() }
        ),
        7 => format!("{head}{}{middle}{tail}", pick(dice, corpus).repeat(1 + below(dice, 40))),
        _ => {
            let digits = below(dice, 32);
            format!("{head}{}{middle}{tail}", below(dice, 1 << digits))
        }
    }
}

fn bounded(mut text: String, longest: usize) -> String {
    let end =
        (0..=longest.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text
}

fn below(dice: &mut Dice, end: usize) -> usize {
    usize::try_from(dice.below(end as u64)).expect("below a length")
}

fn pick<T: Clone>(dice: &mut Dice, from: &[T]) -> T {
    from[below(dice, from.len())].clone()
}
