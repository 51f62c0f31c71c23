//! Characters that names cannot have, because two names with and without them look alike (behaviour
//! 4.5).

/// The first character of a text that nobody sees where it stands: a control character, one that
/// changes the direction of the text, or one without a shape.
pub(super) fn invisible(text: &str) -> Option<char> {
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_invisible(c) && !is_joiner_in_place(before, c, chars.peek().copied()) {
            return Some(c);
        }
        before = Some(c);
    }
    None
}

/// Controls but for the tab, which is white space, separators of lines, and what Unicode calls
/// default ignorable.
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

/// Whether the character changes how its neighbours look: a joiner between letters of scripts that
/// are written with them or between symbols, and the choice of a colour for a symbol.
fn is_joiner_in_place(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' => before.is_some_and(joins) && after.is_some_and(joins),
        '\u{fe0e}' | '\u{fe0f}' => {
            before.is_some_and(|c| is_symbol(c) || matches!(c, '\u{a9}' | '\u{ae}'))
                || after == Some(KEYCAP)
        }
        _ => false,
    }
}

const KEYCAP: char = '\u{20e3}';

fn joins(c: char) -> bool {
    is_symbol(c)
        // From Hebrew and Arabic to Mongolian.
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
