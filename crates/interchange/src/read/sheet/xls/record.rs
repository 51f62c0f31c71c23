//! Records of a workbook stream: a kind, a length and data.

pub(crate) const BOF: u16 = 0x0809;
pub(crate) const EOF: u16 = 0x000a;
pub(crate) const FILEPASS: u16 = 0x002f;
pub(crate) const DATEMODE: u16 = 0x0022;
pub(crate) const CODEPAGE: u16 = 0x0042;
pub(crate) const BOUNDSHEET: u16 = 0x0085;
pub(crate) const FORMAT: u16 = 0x041e;
pub(crate) const XF: u16 = 0x00e0;
pub(crate) const SST: u16 = 0x00fc;
pub(crate) const CONTINUE: u16 = 0x003c;
pub(crate) const NUMBER: u16 = 0x0203;
pub(crate) const RK: u16 = 0x027e;
pub(crate) const MULRK: u16 = 0x00bd;
pub(crate) const LABEL: u16 = 0x0204;
pub(crate) const RSTRING: u16 = 0x00d6;
pub(crate) const LABELSST: u16 = 0x00fd;
pub(crate) const BOOLERR: u16 = 0x0205;
pub(crate) const FORMULA: u16 = 0x0006;
pub(crate) const STRING: u16 = 0x0207;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) kind: u16,
    pub(crate) data: &'a [u8],
}

/// Reads the records from an offset on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(crate) fn new(stream: &'a [u8], offset: usize) -> Self {
        Self { rest: stream.get(offset..).unwrap_or_default() }
    }

    fn peek(&self) -> Option<(Record<'a>, &'a [u8])> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let length = usize::from(u16_at(head, 2)?);
        // The last record of a file that was cut short.
        let (data, rest) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        Some((Record { kind: u16_at(head, 0)?, data }, rest))
    }

    /// Returns the data of the records that continue the one before them.
    pub(crate) fn continuations(&mut self) -> Vec<&'a [u8]> {
        let mut parts = Vec::new();
        while let Some((record, rest)) = self.peek().filter(|(next, _)| next.kind == CONTINUE) {
            parts.push(record.data);
            self.rest = rest;
        }
        parts
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (record, rest) = self.peek()?;
        self.rest = rest;
        Some(record)
    }
}

pub(crate) fn bytes_at<const N: usize>(data: &[u8], offset: usize) -> Option<[u8; N]> {
    data.get(offset..)?.first_chunk().copied()
}

/// Returns the number of two bytes at an offset.
pub(crate) fn u16_at(data: &[u8], offset: usize) -> Option<u16> {
    bytes_at(data, offset).map(u16::from_le_bytes)
}

/// Returns the number of four bytes at an offset.
pub(crate) fn u32_at(data: &[u8], offset: usize) -> Option<u32> {
    bytes_at(data, offset).map(u32::from_le_bytes)
}
