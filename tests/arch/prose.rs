//! The prose of Rust sources: their comments and string literals.

/// A piece of prose: a block of comments, a string, or a whole file.
pub struct Passage {
    /// The line it begins on.
    pub line: usize,
    /// The words, without the markers of comments, line by line.
    pub text: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Comments on consecutive lines.
    Comment,
    /// The content of a string.
    Literal,
    /// A file of another language than Rust.
    Document,
}

/// The comments and the string literals of a Rust source.
pub fn passages(source: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    // The end of the last comment, if only white space followed.
    let mut open = None;
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let (kind, skipped, length, taken) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            (Kind::Comment, 0, length, length)
        } else if let Some((hashes, quote)) = raw(source, at) {
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[quote..].find(&end).expect("a raw string ends");
            (Kind::Literal, quote, length, quote + length + end.len())
        } else if let Some(inside) = rest.strip_prefix('"') {
            let length = escaped(inside, b'"');
            (Kind::Literal, 1, length, length + 2)
        } else {
            let taken = plain(rest);
            if !rest[..taken].trim().is_empty() {
                open = None;
            }
            at += taken;
            continue;
        };
        let text = &rest[skipped..skipped + length];
        match (kind, open, found.last_mut()) {
            (Kind::Comment, Some(end), Some(last)) => {
                last.text.push_str(&source[end..at]);
                last.text.push_str(&uncommented(text));
            }
            (Kind::Comment, ..) => {
                let line = 1 + newlines(&source[..at]);
                found.push(Passage { line, text: uncommented(text), kind });
            }
            _ => {
                let line = 1 + newlines(&source[..at + skipped]);
                found.push(Passage { line, text: text.replace("\\\n", " \n"), kind });
            }
        }
        at += taken;
        open = (kind == Kind::Comment).then_some(at);
    }
    found
}

/// A comment without its marker.
fn uncommented(text: &str) -> String {
    text.trim_start_matches('/').trim_start_matches('!').to_owned()
}

/// The hashes of the raw string that begins here, and how far its content is.
fn raw(source: &str, at: usize) -> Option<(usize, usize)> {
    let word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let rest = &source[at..];
    let marked = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let content = marked.trim_start_matches('#').strip_prefix('"')?;
    let (before, hashes) = (rest.len() - content.len(), marked.len() - content.len() - 1);
    (!word).then_some((hashes, before))
}

/// The length of a literal that ends with this quote.
fn escaped(text: &str, quote: u8) -> usize {
    let mut bytes = text.bytes().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            byte if byte == quote => return index,
            _ => {}
        }
    }
    text.len()
}

/// The code to skip: a whole character literal, because a quote in it does not start a string.
fn plain(rest: &str) -> usize {
    let length = rest.chars().next().map_or(1, char::len_utf8);
    let Some(inside) = rest.strip_prefix('\'') else { return length };
    let character = inside.chars().next().map_or(1, char::len_utf8);
    if inside.starts_with('\\') {
        escaped(inside, b'\'') + 2
    } else if inside[character..].starts_with('\'') {
        character + 2
    } else {
        // A lifetime.
        length
    }
}

/// The number of line ends in a text.
pub fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
