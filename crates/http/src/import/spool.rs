//! Records in compressed blocks, which are written one after another and read one at a time.
//!
//! A blob has the length of its index (4 bytes), the index as JSON, and the blocks. A block is a
//! zstd frame of JSON lines. So the records of a file of 64 MB take some 20 MB, and a page reads
//! one or a few blocks.
//!
//! In memory, blocks are in segments with memory pages of their own. So the system takes a segment
//! back when its blocks are read, on whichever thread.

use actix_web::web::Bytes;
use daybook_domain::import::OutcomeKind;
use daybook_edge::error::RequestError;
use daybook_edge::long_text::LongText;
use serde::{Deserialize, Serialize};

use super::document::RecordDoc;

/// The records of a block. A block is recorded in one unit of work (behaviour 15.7).
pub(super) const BLOCK_RECORDS: usize = 500;

/// The level of compression: the fastest usual one.
const LEVEL: i32 = 1;

/// The bytes of the blocks of a segment.
const SEGMENT_BYTES: usize = 1024 * 1024;

/// The bytes of the length of the index.
pub(super) const HEAD_BYTES: u64 = 4;

/// A block of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BlockEntry {
    /// Where it begins, after the index.
    offset: u64,
    /// Its bytes.
    length: u64,
    /// Its records by outcome, in the order of [`OutcomeKind::ALL`].
    counts: [u32; 5],
}

impl BlockEntry {
    /// Returns the number of records.
    pub(super) fn count(&self) -> u32 {
        self.counts.iter().copied().fold(0, u32::saturating_add)
    }

    /// Returns the number of records with an outcome.
    pub(super) fn count_of(&self, kind: OutcomeKind) -> u32 {
        let index = OutcomeKind::ALL.iter().position(|other| *other == kind);
        index.and_then(|index| self.counts.get(index)).copied().unwrap_or_default()
    }

    /// Returns its bytes in the blob, whose blocks begin at `start`.
    pub(super) const fn range(&self, start: u64) -> std::ops::Range<u64> {
        let from = start.saturating_add(self.offset);
        from..from.saturating_add(self.length)
    }
}

/// Writes records.
#[derive(Default)]
pub(super) struct Writer {
    /// The blocks of complete segments.
    blocks: Vec<Bytes>,
    /// The blocks behind them.
    segment: LongText,
    bytes: u64,
    index: Vec<BlockEntry>,
    lines: Vec<u8>,
    counts: [u32; 5],
    records: usize,
}

impl Writer {
    /// Adds a record.
    ///
    /// # Errors
    /// 500 when the block cannot be compressed.
    pub(super) fn add(&mut self, record: &RecordDoc) -> Result<(), RequestError> {
        serde_json::to_writer(&mut self.lines, record).map_err(failed)?;
        self.lines.push(b'\n');
        let index = OutcomeKind::ALL.iter().position(|kind| *kind == record.kind());
        if let Some(count) = index.and_then(|index| self.counts.get_mut(index)) {
            *count = count.saturating_add(1);
        }
        self.records = self.records.saturating_add(1);
        if self.records == BLOCK_RECORDS { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), RequestError> {
        if self.records == 0 {
            return Ok(());
        }
        let block = zstd::bulk::compress(&self.lines, LEVEL).map_err(failed)?;
        if self.segment.len().saturating_add(block.len()) > SEGMENT_BYTES {
            self.end_segment();
        }
        self.segment.add(&block, SEGMENT_BYTES).map_err(failed)?;
        let (offset, length) = (self.bytes, u64::try_from(block.len()).unwrap_or(u64::MAX));
        self.index.push(BlockEntry { offset, length, counts: std::mem::take(&mut self.counts) });
        self.bytes = self.bytes.saturating_add(length);
        self.lines.clear();
        self.records = 0;
        Ok(())
    }

    fn end_segment(&mut self) {
        let mut segment = std::mem::take(&mut self.segment).into_bytes();
        for entry in self.index.iter().skip(self.blocks.len()) {
            let length = usize::try_from(entry.length).unwrap_or(usize::MAX);
            self.blocks.push(segment.split_to(length.min(segment.len())));
        }
    }

    /// Ends the last block.
    ///
    /// # Errors
    /// Those of [`Writer::add`].
    pub(super) fn finish(mut self) -> Result<Spool, RequestError> {
        self.end_block()?;
        self.end_segment();
        Ok(Spool { blocks: self.blocks, index: self.index })
    }
}

/// Records in memory.
pub(super) struct Spool {
    blocks: Vec<Bytes>,
    index: Vec<BlockEntry>,
}

impl Spool {
    /// Returns the number of records.
    pub(super) fn count(&self) -> usize {
        let count: u32 = self.index.iter().map(BlockEntry::count).fold(0, u32::saturating_add);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Iterates over the records of each block.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Result<Vec<RecordDoc>, RequestError>> + '_ {
        self.blocks.iter().map(|block| read_block(block))
    }

    /// Iterates over the records of each block, whose memory is freed when they are read.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Result<Vec<RecordDoc>, RequestError>> {
        self.blocks.into_iter().map(|block| read_block(&block))
    }

    /// Reads a whole blob.
    ///
    /// # Errors
    /// Those of [`read_head`].
    pub(super) fn read(blob: Bytes) -> Result<Self, RequestError> {
        let head = usize::try_from(HEAD_BYTES).map_err(failed)?;
        let length = read_head(blob.get(..head).unwrap_or_default())?;
        let start = usize::try_from(HEAD_BYTES.saturating_add(length)).map_err(failed)?;
        let index = read_index(blob.get(head..start).unwrap_or_default())?;
        let blocks = index.iter().map(|entry| {
            let range = entry.range(u64::try_from(start).map_err(failed)?);
            let range = usize::try_from(range.start).map_err(failed)?
                ..usize::try_from(range.end).map_err(failed)?;
            let is_inside = range.start <= range.end && range.end <= blob.len();
            is_inside.then(|| blob.slice(range)).ok_or_else(|| failed("it is cut off"))
        });
        Ok(Self { blocks: blocks.collect::<Result<_, RequestError>>()?, index })
    }

    /// Returns the bytes of the blob, in parts.
    ///
    /// # Errors
    /// 500 when the index cannot be written.
    pub(super) fn into_parts(self) -> Result<impl Iterator<Item = Bytes>, RequestError> {
        let index = serde_json::to_vec(&self.index).map_err(failed)?;
        let length = u32::try_from(index.len()).map_err(failed)?;
        let head = Bytes::from([length.to_le_bytes().as_slice(), &index].concat());
        Ok(std::iter::once(head).chain(self.blocks))
    }
}

/// Reads the length of the index from the head of a blob.
///
/// # Errors
/// 500 for a blob that this program has not written.
pub(super) fn read_head(head: &[u8]) -> Result<u64, RequestError> {
    let bytes = <[u8; 4]>::try_from(head).map_err(failed)?;
    Ok(u64::from(u32::from_le_bytes(bytes)))
}

/// Reads the index.
///
/// # Errors
/// Those of [`read_head`].
pub(super) fn read_index(bytes: &[u8]) -> Result<Vec<BlockEntry>, RequestError> {
    serde_json::from_slice(bytes).map_err(failed)
}

/// Reads the records of a block.
///
/// # Errors
/// Those of [`read_head`].
pub(super) fn read_block(bytes: &[u8]) -> Result<Vec<RecordDoc>, RequestError> {
    let lines = zstd::stream::decode_all(bytes).map_err(failed)?;
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(failed)).collect()
}

fn failed(error: impl std::fmt::Display) -> RequestError {
    RequestError::Failed(format!("invalid records of an import: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_takes_less_than_64_bytes() {
        const RECORDS: u32 = 10_000;
        let mut writer = Writer::default();
        for number in 1..=RECORDS {
            let (units, hash) = (number % 900 + 1, number.wrapping_mul(2_654_435_761));
            let text = format!("Shop {} card {number} ref {:x}", number % 5_000, hash % 1_000_003);
            let record = RecordDoc {
                number,
                line: number,
                column: 1,
                statement: Some(0),
                account: 1_234_567_890_123,
                amount: Some(format!("-{units}.10")),
                units: -i64::from(units),
                text: text.clone(),
                description: text,
                outcome: "NEW".to_owned(),
                remote_id: format!("csv:1234567890123:2026-01-02:-{units}.1:{hash:08x}:1"),
                ..RecordDoc::default()
            };
            writer.add(&record).unwrap();
        }
        let spool = writer.finish().unwrap();
        let bytes: usize = spool.blocks.iter().map(Bytes::len).sum();
        let max = 64 * usize::try_from(RECORDS).unwrap();
        assert!(bytes < max, "{bytes} bytes");
        assert_eq!(spool.count(), usize::try_from(RECORDS).unwrap());
    }

    #[test]
    fn blocks_are_in_segments() {
        let mut writer = Writer::default();
        // Compression halves the texts, so a block has about 250 KB.
        let text = |number: u32| -> String {
            let hash = |at: u32| (number * 125 + at).wrapping_mul(2_654_435_761);
            (0..125).map(|at| format!("{:08x}", hash(at) ^ (hash(at) >> 15))).collect()
        };
        for number in 1..=5_000 {
            let record = RecordDoc { number, text: text(number), ..RecordDoc::default() };
            writer.add(&record).unwrap();
        }
        let spool = writer.finish().unwrap();
        assert!(spool.blocks.iter().map(Bytes::len).sum::<usize>() > 2 * SEGMENT_BYTES);
        let numbers = spool.into_blocks().flat_map(Result::unwrap).map(|one| one.number);
        assert!(numbers.eq(1..=5_000));
    }

    #[test]
    fn records_survive_a_blob() {
        let mut writer = Writer::default();
        for number in 1..=1_201 {
            let outcome = if number % 2 == 0 { "NEW" } else { "EXISTING" };
            let record = RecordDoc { number, outcome: outcome.to_owned(), ..RecordDoc::default() };
            writer.add(&record).unwrap();
        }
        let spool = writer.finish().unwrap();
        let numbers: Vec<u32> =
            spool.blocks().flat_map(Result::unwrap).map(|one| one.number).collect();
        assert_eq!(numbers, (1..=1_201).collect::<Vec<_>>());
        let blob = spool.into_parts().unwrap().collect::<Vec<_>>().concat();
        let read = Spool::read(Bytes::from(blob.clone())).unwrap();
        let again: Vec<u32> =
            read.into_blocks().flat_map(Result::unwrap).map(|one| one.number).collect();
        assert_eq!(again, numbers);
        let length = usize::try_from(read_head(&blob[..4]).unwrap()).unwrap();
        let index = read_index(&blob[4..4 + length]).unwrap();
        let counts: Vec<u32> = index.iter().map(BlockEntry::count).collect();
        assert_eq!(counts, [500, 500, 201]);
        assert_eq!(index[2].count_of(OutcomeKind::New), 100);
        let range = index[2].range(u64::try_from(4 + length).unwrap());
        let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
        assert_eq!(read_block(&blob[range]).unwrap()[0].number, 1_001);
    }
}
