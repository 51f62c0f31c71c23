//! Invisible characters, which names may not contain because they make names look alike (behaviour
//! 4.5).

/// Finds the first invisible character: a control character, a change of direction, or one without
/// a glyph.
pub(super) fn find_invisible(text: &str) -> Option<char> {
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_invisible(c) && !is_needed_joiner(previous, c, chars.peek().copied()) {
            return Some(c);
        }
        previous = Some(c);
    }
    None
}

/// Returns whether it is a control character other than a tab, a line separator, or default
/// ignorable in Unicode.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{8}'
            | '\u{a}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether the character affects the glyphs of its neighbours: a joiner in a script or
/// between symbols that use joiners, or a variation selector of a symbol.
fn is_needed_joiner(previous: Option<char>, c: char, next: Option<char>) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' => previous.is_some_and(joins) && next.is_some_and(joins),
        '\u{fe0e}' | '\u{fe0f}' => {
            previous.is_some_and(|c| is_symbol(c) || matches!(c, '\u{a9}' | '\u{ae}'))
                || next == Some(KEYCAP)
        }
        _ => false,
    }
}

const KEYCAP: char = '\u{20e3}';

fn joins(c: char) -> bool {
    is_symbol(c)
        // Scripts from Hebrew and Arabic to Mongolian.
        || matches!(c, '\u{590}'..='\u{18af}' | '\u{a840}'..='\u{abff}' | '\u{10a00}'..='\u{11fff}')
        || matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

fn is_symbol(c: char) -> bool {
    matches!(
        c,
        '\u{203c}'..='\u{27ff}'
            | '\u{2900}'..='\u{2bff}'
            | '\u{3030}'..='\u{303f}'
            | '\u{1f000}'..='\u{1faff}'
    ) && !is_invisible(c)
        && !c.is_alphanumeric()
}
