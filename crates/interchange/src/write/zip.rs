//! ZIP archives that are written as a stream (APPNOTE 6.3.10).
//!
//! A member is compressed while it is written, or stored as it is. Its size and its checksum follow
//! it in a data descriptor, because they are not known before. Sizes and positions above 4 GB, and
//! more than 65,535 members, are written with ZIP64. Only the directory is held in memory: some 100
//! bytes for each member.

use std::io::Write as _;

use daybook_domain::instant::Instant;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::notation::dos_time;

/// Signatures of the parts.
const LOCAL: u32 = 0x0403_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// The versions that a reader needs: 2.0, and 4.5 for ZIP64.
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// The member has a descriptor, and its name is UTF-8.
const FLAGS: u16 = 1 << 3 | 1 << 11;
/// The methods.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The extra field of ZIP64.
const EXTRA_64: u16 = 1;
/// The file is a regular one that its owner writes and others read, on Unix.
const UNIX: u16 = 3 << 8;
const MODE: u32 = 0o100_644 << 16;

/// How a member is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// As it is, for files that are compressed already.
    Stored,
    /// Compressed, with ZIP64 because its size is not known.
    Deflated,
}

/// A member that is being written.
struct Member {
    name: String,
    offset: u64,
    crc: Crc,
    /// The bytes before and after the compression.
    size: u64,
    compressed: u64,
    /// The compression, whose output is moved to the archive; none for a stored member.
    encoder: Option<DeflateEncoder<Vec<u8>>>,
}

/// Writes an archive.
pub struct Archive {
    /// Time and day of all members, as MS-DOS has them.
    time: (u16, u16),
    written: u64,
    directory: Vec<u8>,
    members: u64,
    open: Option<Member>,
}

impl Archive {
    /// Begins an archive whose members have this time.
    #[must_use]
    pub fn new(time: Instant) -> Self {
        let time = dos_time(time);
        Self { time, written: 0, directory: Vec::new(), members: 0, open: None }
    }

    /// Begins a member, and ends the one before.
    pub fn begin(&mut self, out: &mut Vec<u8>, name: &str, method: Method) {
        self.end_member(out);
        let is_large = method == Method::Deflated;
        let mut header = Vec::new();
        put_32(&mut header, LOCAL);
        put_16(&mut header, if is_large { VERSION_64 } else { VERSION });
        put_16(&mut header, FLAGS);
        put_16(&mut header, code(method));
        put_16(&mut header, self.time.0);
        put_16(&mut header, self.time.1);
        put_32(&mut header, 0);
        let unknown = if is_large { u32::MAX } else { 0 };
        put_32(&mut header, unknown);
        put_32(&mut header, unknown);
        put_16(&mut header, short(name.len()));
        put_16(&mut header, if is_large { 20 } else { 0 });
        header.extend_from_slice(name.as_bytes());
        if is_large {
            put_16(&mut header, EXTRA_64);
            put_16(&mut header, 16);
            put_64(&mut header, 0);
            put_64(&mut header, 0);
        }
        let encoder = || DeflateEncoder::new(Vec::new(), Compression::default());
        self.open = Some(Member {
            name: name.to_owned(),
            offset: self.written,
            crc: Crc::new(),
            size: 0,
            compressed: 0,
            encoder: (method == Method::Deflated).then(encoder),
        });
        self.append(out, &header);
    }

    /// Writes bytes of the member.
    pub fn write(&mut self, out: &mut Vec<u8>, bytes: &[u8]) {
        let Some(member) = &mut self.open else { return };
        member.crc.update(bytes);
        member.size = member.size.saturating_add(length(bytes));
        let Some(encoder) = &mut member.encoder else {
            member.compressed = member.size;
            self.append(out, bytes);
            return;
        };
        // Writing to a Vec cannot fail.
        let _ = encoder.write_all(bytes);
        let packed = std::mem::take(encoder.get_mut());
        member.compressed = member.compressed.saturating_add(length(&packed));
        self.append(out, &packed);
    }

    /// Ends the archive.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.end_member(out);
        let directory = std::mem::take(&mut self.directory);
        let (start, size, members) = (self.written, length(&directory), self.members);
        self.append(out, &directory);
        let end = self.written;
        let mut tail = Vec::new();
        let is_large = members >= u64::from(u16::MAX)
            || start >= u64::from(u32::MAX)
            || size >= u64::from(u32::MAX);
        if is_large {
            put_32(&mut tail, END_64);
            put_64(&mut tail, 44);
            put_16(&mut tail, UNIX | VERSION_64);
            put_16(&mut tail, VERSION_64);
            put_32(&mut tail, 0);
            put_32(&mut tail, 0);
            put_64(&mut tail, members);
            put_64(&mut tail, members);
            put_64(&mut tail, size);
            put_64(&mut tail, start);
            put_32(&mut tail, LOCATOR_64);
            put_32(&mut tail, 0);
            put_64(&mut tail, end);
            put_32(&mut tail, 1);
        }
        put_32(&mut tail, END);
        put_16(&mut tail, 0);
        put_16(&mut tail, 0);
        let count = u16::try_from(members).unwrap_or(u16::MAX);
        put_16(&mut tail, count);
        put_16(&mut tail, count);
        put_32(&mut tail, word(size));
        put_32(&mut tail, word(start));
        put_16(&mut tail, 0);
        self.append(out, &tail);
    }

    /// Writes the descriptor of the open member, and adds it to the directory.
    fn end_member(&mut self, out: &mut Vec<u8>) {
        let Some(member) = self.open.take() else { return };
        let Member { name, offset, crc, size, mut compressed, encoder } = member;
        let method = if encoder.is_some() { Method::Deflated } else { Method::Stored };
        if let Some(encoder) = encoder {
            let rest = encoder.finish().unwrap_or_default();
            compressed = compressed.saturating_add(length(&rest));
            self.append(out, &rest);
        }
        let mut descriptor = Vec::new();
        put_32(&mut descriptor, DESCRIPTOR);
        put_32(&mut descriptor, crc.sum());
        match method {
            Method::Stored => {
                put_32(&mut descriptor, word(compressed));
                put_32(&mut descriptor, word(size));
            }
            Method::Deflated => {
                put_64(&mut descriptor, compressed);
                put_64(&mut descriptor, size);
            }
        }
        self.append(out, &descriptor);
        let mut extra = Vec::new();
        for number in [size, compressed, offset] {
            if number >= u64::from(u32::MAX) {
                put_64(&mut extra, number);
            }
        }
        let entry = &mut self.directory;
        let is_large = method == Method::Deflated || !extra.is_empty();
        let version = if is_large { VERSION_64 } else { VERSION };
        put_32(entry, CENTRAL);
        put_16(entry, UNIX | version);
        put_16(entry, version);
        put_16(entry, FLAGS);
        put_16(entry, code(method));
        put_16(entry, self.time.0);
        put_16(entry, self.time.1);
        put_32(entry, crc.sum());
        put_32(entry, word(compressed));
        put_32(entry, word(size));
        put_16(entry, short(name.len()));
        put_16(entry, if extra.is_empty() { 0 } else { short(extra.len() + 4) });
        // The comment, the disk and the attributes of MS-DOS.
        put_16(entry, 0);
        put_16(entry, 0);
        put_16(entry, 0);
        put_32(entry, MODE);
        put_32(entry, word(offset));
        entry.extend_from_slice(name.as_bytes());
        if !extra.is_empty() {
            put_16(entry, EXTRA_64);
            put_16(entry, short(extra.len()));
            entry.append(&mut extra);
        }
        self.members = self.members.saturating_add(1);
    }

    fn append(&mut self, out: &mut Vec<u8>, bytes: &[u8]) {
        self.written = self.written.saturating_add(length(bytes));
        out.extend_from_slice(bytes);
    }
}

const fn code(method: Method) -> u16 {
    match method {
        Method::Stored => STORED,
        Method::Deflated => DEFLATED,
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Returns the number in 32 bits, or all ones if ZIP64 has it.
fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn short(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn put_16(out: &mut Vec<u8>, number: u16) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use ::zip::ZipArchive;

    use super::*;

    #[test]
    fn another_program_reads_the_members() {
        let mut out = Vec::new();
        let mut archive = Archive::new(Instant::new(1_793_466_309_007));
        let long = "line of text\n".repeat(100_000);
        archive.begin(&mut out, "book.jsonl", Method::Deflated);
        for chunk in long.as_bytes().chunks(7_001) {
            archive.write(&mut out, chunk);
        }
        archive.begin(&mut out, "files/2026-03-14 42.50 Café ß.pdf", Method::Stored);
        archive.write(&mut out, b"%PDF");
        archive.write(&mut out, b"-1.7");
        archive.begin(&mut out, "files/empty", Method::Stored);
        archive.begin(&mut out, "empty.csv", Method::Deflated);
        archive.finish(&mut out);
        assert!(out.len() < 20_000, "{}", out.len());
        let mut read = ZipArchive::new(Cursor::new(out)).unwrap();
        let expected = [
            ("book.jsonl", long.as_str()),
            ("files/2026-03-14 42.50 Café ß.pdf", "%PDF-1.7"),
            ("files/empty", ""),
            ("empty.csv", ""),
        ];
        assert_eq!(read.len(), expected.len());
        for (index, (name, content)) in expected.into_iter().enumerate() {
            let mut member = read.by_index(index).unwrap();
            assert_eq!(member.name().unwrap(), name);
            let time = member.last_modified().unwrap();
            assert_eq!((time.year(), time.hour(), time.second()), (2026, 17, 8));
            let mut text = String::new();
            member.read_to_string(&mut text).unwrap();
            assert_eq!(text, content);
        }
    }

    #[test]
    fn more_members_than_16_bits_are_read() {
        let mut out = Vec::new();
        let mut archive = Archive::new(Instant::new(0));
        for number in 0..70_000 {
            archive.begin(&mut out, &format!("files/{number}"), Method::Stored);
        }
        archive.finish(&mut out);
        let mut read = ZipArchive::new(Cursor::new(out)).unwrap();
        assert_eq!(read.len(), 70_000);
        let last = read.by_index(69_999).unwrap();
        assert_eq!(last.name().unwrap(), "files/69999");
    }
}
