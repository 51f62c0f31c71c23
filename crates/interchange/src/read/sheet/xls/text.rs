//! Texts of a workbook, which records may interrupt.

use encoding_rs::Encoding;

use crate::read::limits::MAX_FIELD_BYTES;

/// The encoding of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codepage {
    /// UTF-16, or the first 256 characters of it in one byte each (from Excel 97 on).
    Unicode,
    /// An encoding of the operating system (Excel 5 and 95).
    System(&'static Encoding),
}

impl Default for Codepage {
    fn default() -> Self {
        Self::System(encoding_rs::WINDOWS_1252)
    }
}

impl Codepage {
    /// Returns the code page with a number of Windows; from Excel 97 on it has no meaning.
    pub(crate) fn with(self, number: Option<u16>) -> Self {
        match (self, number) {
            (Self::System(_), Some(number)) => {
                let label = match number {
                    0x8000 | 10_000 => "macintosh".to_owned(),
                    932 => "shift_jis".to_owned(),
                    936 => "gbk".to_owned(),
                    949 => "euc-kr".to_owned(),
                    950 => "big5".to_owned(),
                    _ => format!("windows-{number}"),
                };
                Encoding::for_label(label.as_bytes()).map_or(self, Self::System)
            }
            (Self::System(_), None) | (Self::Unicode, _) => self,
        }
    }

    pub(crate) fn encoding(self) -> &'static str {
        match self {
            Self::Unicode => encoding_rs::UTF_16LE.name(),
            Self::System(encoding) => encoding.name(),
        }
    }
}

/// Reads texts from a record and those that continue it.
pub(crate) struct Chars<'a> {
    parts: &'a [&'a [u8]],
    part: usize,
    offset: usize,
}

impl<'a> Chars<'a> {
    pub(crate) const fn new(parts: &'a [&'a [u8]], offset: usize) -> Self {
        Self { parts, part: 0, offset }
    }

    /// Reads a text whose length is in one byte.
    pub(crate) fn short(&mut self, codepage: Codepage) -> Option<String> {
        let length = usize::from(self.byte()?);
        self.text(length, codepage)
    }

    /// Reads a text whose length is in two bytes.
    pub(crate) fn long(&mut self, codepage: Codepage) -> Option<String> {
        let length = self.number()?;
        self.text(length, codepage)
    }

    fn text(&mut self, length: usize, codepage: Codepage) -> Option<String> {
        match codepage {
            Codepage::System(encoding) => {
                let bytes: Vec<u8> = std::iter::from_fn(|| self.byte()).take(length).collect();
                Some(encoding.decode_without_bom_handling(&bytes).0.into_owned())
            }
            Codepage::Unicode => self.unicode(length),
        }
    }

    /// Reads flags, characters, and skips formats and hints on pronunciation.
    fn unicode(&mut self, length: usize) -> Option<String> {
        let flags = self.byte()?;
        let formats = if flags & 8 != 0 { self.number()? } else { 0 };
        let hints = if flags & 4 != 0 { self.number()? | self.number()? << 16 } else { 0 };
        let mut is_wide = flags & 1 != 0;
        let mut units: Vec<u16> = Vec::with_capacity(length.min(MAX_FIELD_BYTES));
        while units.len() < length {
            if self.is_at_end() {
                // Flags precede the characters in a record that continues a text.
                self.begin_part()?;
                is_wide = self.byte()? & 1 != 0;
                continue;
            }
            let low = self.byte()?;
            let high = if is_wide { self.byte()? } else { 0 };
            units.push(u16::from_le_bytes([low, high]));
        }
        self.skip(formats.checked_mul(4)?.checked_add(hints)?);
        Some(String::from_utf16_lossy(&units))
    }

    fn current(&self) -> &'a [u8] {
        self.parts.get(self.part).copied().unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.offset >= self.current().len()
    }

    /// Moves to the next record; `None` behind the last one.
    fn begin_part(&mut self) -> Option<()> {
        self.part += 1;
        self.offset = 0;
        (self.part < self.parts.len()).then_some(())
    }

    fn byte(&mut self) -> Option<u8> {
        while self.is_at_end() {
            self.begin_part()?;
        }
        let byte = self.current().get(self.offset).copied()?;
        self.offset += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<usize> {
        let (low, high) = (self.byte()?, self.byte()?);
        Some(usize::from(u16::from_le_bytes([low, high])))
    }

    fn skip(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            let here = self.current().len().saturating_sub(self.offset).min(left);
            self.offset += here;
            left -= here;
            if left > 0 && self.begin_part().is_none() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_on_in_the_next_record() {
        let parts: [&[u8]; 2] =
            [b"\x04\0\0ab", b"\x01\xe9\0\xac\x20\x01\0\x08\x01\0z\x01\x02\x03\x04\x01\0\0y"];
        let mut chars = Chars::new(&parts, 0);
        let texts: Vec<String> = std::iter::from_fn(|| chars.long(Codepage::Unicode)).collect();
        assert_eq!(texts, ["ab\u{e9}\u{20ac}", "z", "y"]);
        assert_eq!(Chars::new(&[b"\x09\0\0ab"], 0).long(Codepage::Unicode), None);
    }

    #[test]
    fn code_pages_have_numbers() {
        let page = Codepage::default().with(Some(1250));
        assert_eq!(page.encoding(), "windows-1250");
        assert_eq!(Chars::new(&[b"\x02\xb3a"], 0).short(page).as_deref(), Some("\u{142}a"));
        assert_eq!(Codepage::Unicode.with(Some(1250)), Codepage::Unicode);
        assert_eq!(Codepage::default().with(Some(9)), Codepage::default());
    }
}
