//! ZIP archives of exported books, read as a stream with their directory first (APPNOTE 6.3.10).
//!
//! The caller reads the end of the archive for [`locate_directory`], the directory for
//! [`read_directory`], and the beginning of a member for [`Entry::data`]. An [`Unpacker`] then
//! takes the bytes of the member piece by piece, and checks their number and checksum. So an
//! archive of any size needs little memory beside its directory.
//!
//! An archive is refused as a whole if a name leaves its folder or stands twice, if members
//! overlap, or if a member is encrypted, uses another compression than DEFLATE, or unpacks to more
//! than [`MAX_RATIO`] times its size.

use std::collections::HashSet;
use std::ops::Range;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::limits::{MAX_DIRECTORY_BYTES, MAX_RATIO};
use super::problem::{Kind, Problem, excerpt};

/// The name of the member with the lines of the book.
pub const LINES: &str = "book.jsonl";

/// The most bytes of the end of an archive that have its last record.
pub const TAIL_BYTES: u64 = 22 + 65_535 + LOCATOR_BYTES + END_64_BYTES;

/// The bytes before the name of a member.
pub const LOCAL_BYTES: u64 = 30;

/// The bytes from which [`is_export`] recognizes an archive.
pub const HEAD_BYTES: usize = 40;

/// Signatures of the parts.
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: u32 = 0x0201_4b50;
const END: &[u8] = b"PK\x05\x06";
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;

/// The bytes of the records at the end.
const END_BYTES: usize = 22;
const LOCATOR_BYTES: u64 = 20;
const END_64_BYTES: u64 = 56;

/// The bytes of an entry of the directory before its name.
const ENTRY_BYTES: usize = 46;

/// Members up to this size may be compressed at any ratio.
const SMALL_BYTES: u64 = 1024 * 1024;

/// Returns whether a file begins as the archive of an exported book.
#[must_use]
pub fn is_export(head: &[u8]) -> bool {
    head.starts_with(LOCAL)
        && u16_at(head, 26) == Some(10)
        && head.get(30..).is_some_and(|rest| rest.starts_with(LINES.as_bytes()))
}

/// Returns where the directory of an archive of `size` bytes is.
///
/// `tail` are its last [`TAIL_BYTES`], or all bytes of a smaller one.
///
/// # Errors
/// [`Kind::InvalidArchive`].
pub fn locate_directory(tail: &[u8], size: u64) -> Result<Range<u64>, Problem> {
    let cut_off = || invalid("its end is missing: it was cut off");
    let tail_start = size.checked_sub(length(tail)).ok_or_else(cut_off)?;
    // The record ends with a comment whose length it states, so it ends exactly with the archive.
    let ends_here = |at: &usize| {
        let comment = u16_at(tail, at + 20).map(usize::from);
        tail.get(*at..).is_some_and(|rest| rest.starts_with(END))
            && comment.is_some_and(|comment| at + END_BYTES + comment == tail.len())
    };
    let last = tail.len().saturating_sub(END_BYTES);
    let at = (0..=last).rev().find(ends_here).ok_or_else(cut_off)?;
    let end_at = tail_start.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
    let (directory_size, start) = (u32_at(tail, at + 12), u32_at(tail, at + 16));
    let (directory_size, start) = directory_size.zip(start).ok_or_else(cut_off)?;
    let locator = at.checked_sub(20).filter(|at| u32_at(tail, *at) == Some(LOCATOR_64));
    let (directory_size, start, limit) = match locator {
        None => (u64::from(directory_size), u64::from(start), end_at),
        Some(locator) => {
            let end_64 = u64_at(tail, locator + 8).and_then(|at| at.checked_sub(tail_start));
            let end_64 = end_64.and_then(|at| usize::try_from(at).ok());
            let end_64 = end_64.filter(|at| u32_at(tail, *at) == Some(END_64));
            let at = end_64.ok_or_else(|| invalid("its last record of ZIP64 is missing"))?;
            let found = u64_at(tail, at + 40).zip(u64_at(tail, at + 48));
            let (directory_size, start) = found.ok_or_else(cut_off)?;
            let limit = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(tail_start);
            (directory_size, start, limit)
        }
    };
    if directory_size > MAX_DIRECTORY_BYTES {
        return Err(invalid(&format!("its directory has more than {MAX_DIRECTORY_BYTES} bytes")));
    }
    let end = start.checked_add(directory_size).filter(|end| *end <= limit);
    Ok(start..end.ok_or_else(|| invalid("its directory lies outside"))?)
}

/// A member as the directory describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, with `/` between folders.
    pub name: String,
    /// The bytes when it is unpacked.
    pub size: u64,
    packed: u64,
    crc: u32,
    is_deflated: bool,
    /// Where it begins.
    offset: u64,
    /// Where the next member or the directory begins.
    end: u64,
}

/// Reads the directory, which begins at `start`.
///
/// # Errors
/// [`Kind::InvalidArchive`], which names the member.
pub fn read_directory(bytes: &[u8], start: u64) -> Result<Vec<Entry>, Problem> {
    let (mut entries, mut names, mut at) = (Vec::new(), HashSet::new(), 0);
    while at < bytes.len() {
        let (entry, after) = read_entry(bytes, at)?;
        if !names.insert(entry.name.to_lowercase()) {
            return Err(entry.problem("the archive has two entries of this name"));
        }
        entries.push(entry);
        at = after;
    }
    drop(names);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|index| entries.get(*index).map(|entry| entry.offset));
    let mut end = start;
    for index in order.into_iter().rev() {
        let Some(entry) = entries.get_mut(index) else { continue };
        entry.end = end;
        if entry.data_end(LOCAL_BYTES, length(entry.name.as_bytes())).is_none() {
            return Err(entry.problem("it overlaps another one, or lies outside of the archive"));
        }
        end = entry.offset;
    }
    Ok(entries)
}

/// Reads the entry at an offset of the directory, and returns where the next one begins.
fn read_entry(bytes: &[u8], at: usize) -> Result<(Entry, usize), Problem> {
    let cut = || invalid("its directory is cut off");
    let head = bytes.get(at..).and_then(|rest| rest.get(..ENTRY_BYTES)).ok_or_else(cut)?;
    if u32_at(head, 0) != Some(CENTRAL) {
        return Err(invalid("its directory has an unknown record"));
    }
    let short = |at: usize| u16_at(head, at).unwrap_or_default();
    let word = |at: usize| u32_at(head, at).unwrap_or_default();
    let [name_length, extra_length, comment_length] = [28, 30, 32].map(|at| usize::from(short(at)));
    let name_at = at + ENTRY_BYTES;
    let extra_at = name_at + name_length;
    let after = extra_at + extra_length + comment_length;
    let name = bytes.get(name_at..extra_at).ok_or_else(cut)?;
    let extra = bytes.get(extra_at..extra_at + extra_length).ok_or_else(cut)?;
    if after > bytes.len() {
        return Err(cut());
    }
    let name =
        std::str::from_utf8(name).map_err(|_| invalid("the name of an entry is not UTF-8"))?;
    let mut entry = Entry {
        name: name.to_owned(),
        size: u64::from(word(24)),
        packed: u64::from(word(20)),
        crc: word(16),
        is_deflated: short(10) == 8,
        offset: u64::from(word(42)),
        end: 0,
    };
    if !is_safe(name) {
        return Err(entry.problem("the name leaves the archive, or no system has it"));
    }
    let (large, _) = extra_64(extra).as_chunks::<8>();
    let mut large = large.iter().map(|number| u64::from_le_bytes(*number));
    for number in [&mut entry.size, &mut entry.packed, &mut entry.offset] {
        if *number == u64::from(u32::MAX) {
            *number = large.next().ok_or_else(|| invalid("a size of ZIP64 is missing"))?;
        }
    }
    if short(8) & 1 != 0 {
        return Err(entry.problem("it is encrypted"));
    }
    if ![0, 8].contains(&short(10)) {
        return Err(entry.problem("its compression is not read: expected DEFLATE or none"));
    }
    if !entry.is_deflated && entry.size != entry.packed {
        return Err(entry.problem("its sizes differ"));
    }
    if entry.size > SMALL_BYTES && entry.size / MAX_RATIO > entry.packed {
        return Err(entry.problem(&format!("it unpacks to more than {MAX_RATIO} times its size")));
    }
    Ok((entry, after))
}

/// Returns whether a name stays in the folder that an archive is unpacked to.
fn is_safe(name: &str) -> bool {
    let is_part = |part: &str| part != ".." && part != ".";
    !name.is_empty()
        && !name.starts_with('/')
        && !name.contains(['\\', '\0', ':'])
        && name.split('/').all(is_part)
}

/// Returns the field of ZIP64 of the extra fields of an entry.
fn extra_64(mut extra: &[u8]) -> &[u8] {
    while let (Some(id), Some(size)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let end = 4 + usize::from(size);
        let Some(field) = extra.get(4..end) else { break };
        if id == 1 {
            return field;
        }
        extra = extra.get(end..).unwrap_or_default();
    }
    &[]
}

impl Entry {
    /// Returns the bytes before its data that [`Self::data`] needs.
    #[must_use]
    pub const fn local_range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(LOCAL_BYTES)
    }

    /// Returns where its packed bytes are, from the bytes of [`Self::local_range`].
    ///
    /// # Errors
    /// [`Kind::InvalidArchive`].
    pub fn data(&self, local: &[u8]) -> Result<Range<u64>, Problem> {
        if !local.starts_with(LOCAL) {
            return Err(self.problem("it is not where the directory says"));
        }
        let lengths = u16_at(local, 26).zip(u16_at(local, 28));
        let (name, extra) = lengths.ok_or_else(|| self.problem("it is cut off"))?;
        let before = LOCAL_BYTES + u64::from(extra);
        let end = self.data_end(before, u64::from(name));
        let end = end.ok_or_else(|| self.problem("it overlaps another one"))?;
        Ok(end - self.packed..end)
    }

    /// Returns where its data ends; `None` if that is behind the next member.
    fn data_end(&self, before: u64, name: u64) -> Option<u64> {
        let start = self.offset.checked_add(before)?.checked_add(name)?;
        start.checked_add(self.packed).filter(|end| *end <= self.end)
    }

    /// Returns a problem that names the entry.
    #[must_use]
    pub fn problem(&self, fault: &str) -> Problem {
        invalid(&format!("entry \"{}\": {fault}", excerpt(&self.name)))
    }
}

/// How far a step of an [`Unpacker`] came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The bytes of the input that were used.
    pub used: usize,
    /// The bytes that were unpacked.
    pub unpacked: usize,
}

/// Unpacks the bytes of a member, and checks them.
#[derive(Debug)]
pub struct Unpacker {
    entry: Entry,
    inflate: Option<Decompress>,
    has_ended: bool,
    crc: Crc,
    unpacked: u64,
}

impl Unpacker {
    /// Creates an unpacker of a member.
    #[must_use]
    pub fn new(entry: Entry) -> Self {
        let inflate = entry.is_deflated.then(|| Decompress::new(false));
        Self { has_ended: inflate.is_none(), inflate, entry, crc: Crc::new(), unpacked: 0 }
    }

    /// Appends up to `max` bytes to `out`. It has to be called until it neither uses nor unpacks
    /// any.
    ///
    /// # Errors
    /// [`Kind::InvalidArchive`].
    pub fn unpack(&mut self, input: &[u8], out: &mut Vec<u8>, max: usize) -> Result<Step, Problem> {
        let start = out.len();
        let used = match &mut self.inflate {
            None => {
                let part = input.get(..max.min(input.len())).unwrap_or_default();
                out.extend_from_slice(part);
                part.len()
            }
            Some(_) if self.has_ended => 0,
            Some(inflate) => {
                out.resize(start.saturating_add(max), 0);
                let space = out.get_mut(start..).unwrap_or_default();
                let before = (inflate.total_in(), inflate.total_out());
                let status = inflate.decompress(input, space, FlushDecompress::None);
                let used = usize::try_from(inflate.total_in() - before.0).unwrap_or(input.len());
                let made = usize::try_from(inflate.total_out() - before.1).unwrap_or(max);
                out.truncate(start.saturating_add(made));
                match status {
                    Ok(Status::StreamEnd) => self.has_ended = true,
                    Ok(Status::Ok | Status::BufError) => {}
                    Err(_) => return Err(self.entry.problem("its compressed bytes are damaged")),
                }
                used
            }
        };
        let made = out.get(start..).unwrap_or_default();
        self.crc.update(made);
        self.unpacked = self.unpacked.saturating_add(length(made));
        if self.unpacked > self.entry.size {
            return Err(self.entry.problem("it is larger than the directory says"));
        }
        Ok(Step { used, unpacked: made.len() })
    }

    /// Checks the number of bytes and their checksum.
    ///
    /// # Errors
    /// [`Kind::InvalidArchive`].
    pub fn finish(&self) -> Result<(), Problem> {
        if !self.has_ended || self.unpacked != self.entry.size {
            return Err(self.entry.problem("it is smaller than the directory says"));
        }
        if self.crc.sum() != self.entry.crc {
            return Err(self.entry.problem("its bytes differ from their checksum"));
        }
        Ok(())
    }
}

fn invalid(fault: &str) -> Problem {
    Problem::of_file(Kind::InvalidArchive(fault.to_owned()))
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.first_chunk::<2>()?;
    Some(u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
