//! Growing byte buffers for bodies, responses and files.
//!
//! A short text is on the heap. A long one has memory pages of its own, which the system takes back
//! as soon as the text is dropped. The allocator keeps freed memory for a while: with ten responses
//! of 64 MB a second that would be half a gigabyte. If another thread frees a block of more than
//! 16 MB, the allocator uses `MADV_FREE`, and the block stays resident until it is reused.

use std::io::{self, Read};

use actix_web::web::Bytes;
use memmap2::MmapMut;

/// Bytes of the longest text on the heap.
const MAX_ON_HEAP: usize = 256 * 1024;

/// Bytes that are read at once.
const MAX_PIECE: usize = 64 * 1024;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 2 * 1024 * 1024;

/// A growing text.
#[derive(Debug)]
pub enum LongText {
    /// A short text.
    Heap(Vec<u8>),
    /// A long text. Pages behind the written ones are only reserved addresses.
    Mapped(Pages),
}

/// Memory pages, written at their beginning.
#[derive(Debug)]
pub struct Pages {
    pages: MmapMut,
    written: usize,
}

impl AsRef<[u8]> for Pages {
    fn as_ref(&self) -> &[u8] {
        self.pages.get(..self.written).unwrap_or_default()
    }
}

impl Pages {
    /// Appends bytes if they fit.
    #[inline]
    fn add(&mut self, bytes: &[u8]) -> bool {
        let end = self.written.saturating_add(bytes.len());
        let Some(free) = self.pages.get_mut(self.written..end) else { return false };
        free.copy_from_slice(bytes);
        self.written = end;
        true
    }
}

impl Pages {
    /// Asks the system for huge pages behind the first one, which spare a text of megabytes most of
    /// its page faults. A shorter text takes none.
    fn prefer_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        if let Some(rest) = self.pages.len().checked_sub(HUGE_PAGE) {
            // Without them the text is only slower.
            let _ = self.pages.advise_range(memmap2::Advice::HugePage, HUGE_PAGE, rest);
        }
    }
}

impl AsRef<[u8]> for LongText {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Mapped(pages) => pages.as_ref(),
        }
    }
}

impl Default for LongText {
    fn default() -> Self {
        Self::Heap(Vec::new())
    }
}

impl LongText {
    /// Returns whether it has no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes.
    pub const fn len(&self) -> usize {
        match self {
            Self::Heap(bytes) => bytes.len(),
            Self::Mapped(pages) => pages.written,
        }
    }

    /// Appends bytes. Addresses are reserved for `max` bytes, so that nothing is moved later.
    ///
    /// # Errors
    /// When the system has no more memory pages.
    #[inline]
    pub fn add(&mut self, bytes: &[u8], max: usize) -> io::Result<()> {
        let fits = match self {
            Self::Heap(heap) => {
                let fits = bytes.len() <= MAX_ON_HEAP.saturating_sub(heap.len());
                if fits {
                    heap.extend_from_slice(bytes);
                }
                fits
            }
            Self::Mapped(pages) => pages.add(bytes),
        };
        if fits { Ok(()) } else { self.add_to_new_pages(bytes, max) }
    }

    /// Appends the rest of a source, such as a file. Addresses are reserved for `max` bytes.
    ///
    /// # Errors
    /// Those of the source and of [`Self::add`].
    pub fn add_all(&mut self, source: &mut impl Read, max: usize) -> io::Result<()> {
        let mut piece = vec![0; max.clamp(1, MAX_PIECE)];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(length) => self.add(piece.get(..length).unwrap_or_default(), max)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    #[cold]
    fn add_to_new_pages(&mut self, bytes: &[u8], max: usize) -> io::Result<()> {
        let size = max.max(self.len().saturating_add(bytes.len()));
        let mut pages = Pages { pages: MmapMut::map_anon(size)?, written: 0 };
        pages.prefer_huge_pages();
        pages.add(self.as_ref());
        pages.add(bytes);
        *self = Self::Mapped(pages);
        Ok(())
    }

    /// Returns the bytes for reading.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        match self {
            Self::Heap(bytes) => bytes.into(),
            Self::Mapped(pages) => Bytes::from_owner(pages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_bytes() {
        let pieces = || (0..40_u8).map(|number| vec![number; 10_000]);
        let all: Vec<u8> = pieces().flatten().collect();
        let text = |count: usize, max: usize| {
            let mut text = LongText::default();
            pieces().take(count).for_each(|piece| text.add(&piece, max).unwrap());
            text
        };
        for max in [0, 300_000, 400_000, 1_000_000] {
            let text = text(40, max);
            assert!(matches!(text, LongText::Mapped(_)), "{max}");
            assert_eq!(text.into_bytes(), all, "{max}");
        }
        let short = text(20, 1_000_000);
        assert!(matches!(short, LongText::Heap(_)));
        assert_eq!(short.into_bytes(), all[..200_000]);
    }

    #[test]
    fn source_is_read_to_its_end() {
        let all: Vec<u8> = (0..=u8::MAX).cycle().take(300_000).collect();
        for (length, max) in
            [(0, 0), (1_000, 0), (1_000, 1_000), (300_000, 70_000), (300_000, 300_000)]
        {
            let source = &all[..length];
            let mut text = LongText::default();
            text.add_all(&mut &*source, max).unwrap();
            assert_eq!(text.into_bytes(), source, "{length}, {max}");
        }
    }
}
