//! Bytes that come one after another and may become many: bodies and answers. While they are few
//! they are on the heap. Many have memory pages of their own, which the system takes back as soon
//! as they are dropped: an allocator keeps what is freed for a while, and answers of 64 MB, made
//! and sent ten times a second, would be half a gigabyte that nobody uses.

use std::io;

use actix_web::web::Bytes;
use memmap2::MmapMut;

/// Bytes that are on the heap.
const MAX_ON_HEAP: usize = 256 * 1024;

/// Bytes to which others are added.
#[derive(Debug)]
pub(crate) enum LongText {
    /// On the heap.
    Few(Vec<u8>),
    /// At the beginning of pages of their own. Pages behind what is written are addresses alone.
    Many(Pages),
}

/// Memory pages, and how many of their bytes are written.
#[derive(Debug)]
pub(crate) struct Pages {
    pages: MmapMut,
    written: usize,
}

impl AsRef<[u8]> for Pages {
    fn as_ref(&self) -> &[u8] {
        self.pages.get(..self.written).unwrap_or_default()
    }
}

impl Pages {
    /// Pages for so many bytes, with these at their beginning.
    fn with(bytes: &[u8], most: usize) -> io::Result<Self> {
        let mut new = Self { pages: MmapMut::map_anon(most)?, written: 0 };
        new.add(bytes);
        Ok(new)
    }

    /// Adds bytes, if there is room for them.
    #[inline]
    fn add(&mut self, bytes: &[u8]) -> bool {
        let end = self.written.saturating_add(bytes.len());
        let Some(room) = self.pages.get_mut(self.written..end) else { return false };
        room.copy_from_slice(bytes);
        self.written = end;
        true
    }
}

impl AsRef<[u8]> for LongText {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Few(bytes) => bytes,
            Self::Many(pages) => pages.as_ref(),
        }
    }
}

impl LongText {
    /// No bytes.
    pub(crate) const fn new() -> Self {
        Self::Few(Vec::new())
    }

    /// No bytes, and room for the first ones.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self::Few(Vec::with_capacity(bytes))
    }

    /// How many bytes there are.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Few(bytes) => bytes.len(),
            Self::Many(pages) => pages.written,
        }
    }

    /// Adds bytes. `most` is how many there may be in all: for so many there are addresses, so that
    /// nothing is moved as they come.
    ///
    /// # Errors
    /// When the system has no more memory pages.
    #[inline]
    pub(crate) fn add(&mut self, bytes: &[u8], most: usize) -> io::Result<()> {
        let added = match self {
            Self::Few(few) => {
                let fit = bytes.len() <= MAX_ON_HEAP.saturating_sub(few.len());
                if fit {
                    few.extend_from_slice(bytes);
                }
                fit
            }
            Self::Many(pages) => pages.add(bytes),
        };
        if added { Ok(()) } else { self.add_to_more_pages(bytes, most) }
    }

    #[cold]
    fn add_to_more_pages(&mut self, bytes: &[u8], most: usize) -> io::Result<()> {
        let size = self.len().saturating_add(bytes.len());
        let mut more = Pages::with(self.as_ref(), most.max(size))?;
        more.add(bytes);
        *self = Self::Many(more);
        Ok(())
    }

    /// All the bytes, to be read.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Few(bytes) => bytes.into(),
            Self::Many(pages) => Bytes::from_owner(pages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of the pieces that `most` bytes are announced for.
    fn text(pieces: impl IntoIterator<Item = Vec<u8>>, most: usize) -> LongText {
        let mut text = LongText::new();
        for piece in pieces {
            text.add(&piece, most).expect("there are pages");
        }
        text
    }

    #[test]
    fn bytes_stay_as_they_come() {
        let pieces = || (0..40_u8).map(|number| vec![number; 10_000]);
        let all: Vec<u8> = pieces().flatten().collect();
        for most in [0, 300_000, 400_000, 1_000_000] {
            let text = text(pieces(), most);
            assert!(matches!(text, LongText::Many(_)), "{most}");
            assert_eq!(text.len(), all.len(), "{most}");
            assert_eq!(text.into_bytes(), all, "{most}");
        }
        let few = text(pieces().take(20), 1_000_000);
        assert!(matches!(few, LongText::Few(_)));
        assert_eq!(few.into_bytes(), all[..200_000]);
        assert!(LongText::new().into_bytes().is_empty());
    }
}
