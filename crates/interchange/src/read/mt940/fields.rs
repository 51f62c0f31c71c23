//! The fields of SWIFT messages: `:61:` and what follows it up to the next field.

use crate::read::problem::Position;
use crate::read::text::line_end;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// The tag, such as `60F`.
    pub(crate) tag: &'a str,
    /// The text, perhaps of several lines.
    pub(crate) text: &'a str,
    /// The place of the first character of the text.
    pub(crate) position: Position,
}

/// Splits a file into fields. Envelopes and what stands between messages are passed over.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    line_end: char,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1, line_end: line_end(text) }
    }

    /// Returns the line at the offset, and the offset behind it.
    fn line(&self) -> Option<(&'a str, usize)> {
        let rest = self.text.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let end = rest.find(self.line_end).map_or(rest.len(), |at| at + 1);
        Some((rest.get(..end)?, self.offset + end))
    }

    fn pass(&mut self, behind: usize) {
        self.offset = behind;
        self.line = self.line.saturating_add(1);
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let (tag, start, position) = loop {
            let (line, behind) = self.line()?;
            let begin = self.offset;
            let number = self.line;
            self.pass(behind);
            if let Some((tag, length)) = tag(line) {
                let column = u32::try_from(length).unwrap_or(u32::MAX).saturating_add(1);
                break (tag, begin + length, Position { line: number, column });
            }
        };
        while let Some((line, behind)) = self.line() {
            let trimmed = line.trim();
            if tag_of(line) || trimmed == "-" || trimmed.starts_with("-}") || line.starts_with('{')
            {
                break;
            }
            self.pass(behind);
        }
        let text = self.text.get(start..self.offset).unwrap_or_default();
        Some(Field { tag, text: text.trim_end(), position })
    }
}

fn tag_of(line: &str) -> bool {
    tag(line).is_some()
}

/// Returns the tag with which a line begins, and its length in bytes with the colons.
fn tag(line: &str) -> Option<(&str, usize)> {
    // The text block of an envelope may begin on the same line.
    let (skipped, rest) = match line.find("{4:").filter(|_| line.starts_with('{')) {
        Some(at) => (at + 3, line.get(at + 3..)?),
        None => (0, line),
    };
    let (tag, _) = rest.strip_prefix(':')?.split_once(':')?;
    let digits = tag.get(..2)?;
    let is_tag = digits.bytes().all(|byte| byte.is_ascii_digit())
        && tag.len() <= 3
        && tag.bytes().skip(2).all(|byte| byte.is_ascii_uppercase());
    is_tag.then_some((tag, skipped + tag.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split() {
        let text = "{1:F01X}{2:I940}{4:\r\n:20:A\r\n:86:one\r\ntwo:x\r\n:NS:no tag\r\n-}\r\n\
                    :20:B\n-\njunk\n{1:F}{4::25:C";
        let fields: Vec<(&str, &str, u32)> =
            Fields::new(text).map(|field| (field.tag, field.text, field.position.line)).collect();
        let text = "one\r\ntwo:x\r\n:NS:no tag";
        assert_eq!(fields, [("20", "A", 2), ("86", text, 3), ("20", "B", 7), ("25", "C", 10)]);
    }
}
