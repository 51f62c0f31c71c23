//! Descriptions of the contract as doc comments.

/// Columns of a line.
const WIDTH: usize = 100;

/// Returns a doc comment. Blank lines separate its paragraphs.
pub fn doc(indent: usize, paragraphs: &[&str]) -> String {
    let margin = format!("{}///", " ".repeat(indent));
    let mut made = String::new();
    let paragraphs = paragraphs.iter().filter(|paragraph| !paragraph.is_empty());
    for (index, paragraph) in paragraphs.enumerate() {
        if index > 0 {
            made += &format!("{margin}\n");
        }
        let mut line = margin.clone();
        for word in escaped(paragraph).split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                made += &format!("{line}\n");
                line.clone_from(&margin);
            }
            line.push(' ');
            line += word;
        }
        made += &format!("{line}\n");
    }
    made
}

/// Escapes what rustdoc would read as a link or as HTML, outside of code.
fn escaped(text: &str) -> String {
    let mut made = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            made.push('`');
        }
        let is_code = index % 2 == 1;
        for c in part.chars() {
            if !is_code && matches!(c, '[' | ']' | '<' | '>' | '*') {
                made.push('\\');
            }
            made.push(c);
        }
    }
    made
}

/// Splits a description after its first sentence.
pub fn first_sentence(text: &str) -> (&str, &str) {
    match text.find(". ") {
        Some(at) => (&text[..=at], text[at + 1..].trim()),
        None => (text, ""),
    }
}

/// Returns a sentence with its full stop.
pub fn sentence(text: &str) -> String {
    if text.ends_with(['.', ':']) { text.to_owned() } else { format!("{text}.") }
}
