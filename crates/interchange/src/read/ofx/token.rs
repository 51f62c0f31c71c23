//! Tags and texts of OFX, whether SGML or XML.
//!
//! Real files mix closed and unclosed elements, and have bare `<` and `&` in texts. So a `<` begins
//! a tag only if a name of OFX follows: capital letters, digits and dots, or a name that the reader
//! knows in any case.

/// A tag and the text behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_closing: bool,
    /// The offset of the text.
    pub(crate) offset: usize,
    /// The text up to the next tag, with references.
    pub(crate) text: &'a str,
}

/// The most bytes of a tag.
const MAX_TAG_BYTES: usize = 256;

/// Splits a text into tags.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    offset: usize,
    names: &'a [&'a str],
}

impl<'a> Tokens<'a> {
    /// Begins at the root element. `names` are accepted in any case.
    pub(crate) fn new(text: &'a str, names: &'a [&'a str]) -> Self {
        let mut tokens = Self { text, offset: 0, names };
        while let Some((offset, tag)) = tokens.find_tag(tokens.offset) {
            if tag.name.eq_ignore_ascii_case("OFX") {
                tokens.offset = offset;
                break;
            }
            tokens.offset = offset + tag.length;
        }
        tokens
    }

    /// Returns the next tag and its offset.
    fn find_tag(&self, from: usize) -> Option<(usize, Tag<'a>)> {
        let mut at = from;
        loop {
            at += self.text.get(at..)?.find('<')?;
            if let Some(tag) = self.tag(at) {
                return Some((at, tag));
            }
            at += 1;
        }
    }

    /// Parses the tag at an offset, if it is one.
    fn tag(&self, offset: usize) -> Option<Tag<'a>> {
        let inside = self.text.get(offset..)?.strip_prefix('<')?;
        let inside = inside.get(..inside.floor_char_boundary(MAX_TAG_BYTES)).unwrap_or(inside);
        let (content, _) = inside.split_once('>')?;
        let (is_closing, word) =
            content.strip_prefix('/').map_or((false, content), |word| (true, word));
        let word = word.strip_suffix('/').unwrap_or(word);
        // Attributes stand on the root element of XML only.
        let name = word.split([' ', '\t', '\r', '\n']).next()?;
        if name.contains('<') || (name.len() < word.trim_end().len() && name != "OFX") {
            return None;
        }
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "._".contains(c);
        let is_known = || self.names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_name = name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && (name.chars().all(is_capital) || is_known());
        is_name.then_some(Tag { name, is_closing, length: content.len() + 2 })
    }
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    name: &'a str,
    is_closing: bool,
    length: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (at, tag) = self.find_tag(self.offset)?;
        let begin = at + tag.length;
        let end = self.find_tag(begin).map_or(self.text.len(), |(end, _)| end);
        self.offset = end;
        let text = self.text.get(begin..end).unwrap_or_default();
        Some(Token { name: tag.name, is_closing: tag.is_closing, offset: begin, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_from_texts() {
        let text = "OFXHEADER:100\n<x><OFX><NAME>A < B <b> & <C></NAME><memo>x</memo><EMPTY/>\
                    <TRNAMT>-1.0\n<DTASOF>2</OFX";
        let tokens: Vec<String> = Tokens::new(text, &["MEMO"])
            .map(|token| {
                let mark = if token.is_closing { "/" } else { "" };
                format!("{mark}{}={}", token.name, token.text.trim())
            })
            .collect();
        assert_eq!(
            tokens,
            [
                "OFX=",
                "NAME=A < B <b> & <C>",
                "/NAME=",
                "memo=x",
                "/memo=",
                "EMPTY=",
                "TRNAMT=-1.0",
                "DTASOF=2</OFX"
            ]
        );
    }
}
