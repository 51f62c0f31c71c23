//! Files of a ZIP archive, with bounds on what they unpack to.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use zip::ZipArchive;

use crate::read::limits::{MAX_PART_BYTES, MAX_UNPACKED_BYTES};
use crate::read::problem::{Kind, Problem, invalid_workbook};

/// A ZIP archive in memory.
pub(crate) struct Archive<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The index of each file by its name in lower case.
    names: HashMap<String, usize>,
    /// The bytes that may still be unpacked.
    left: u64,
}

impl<'a> Archive<'a> {
    /// Opens an archive.
    ///
    /// # Errors
    /// [`Kind::InvalidWorkbook`].
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Problem> {
        let archive = ZipArchive::new(Cursor::new(bytes));
        let archive = archive.map_err(|_| invalid_workbook("the ZIP archive cannot be read"))?;
        let mut names = HashMap::new();
        for index in 0..archive.len() {
            if let Some(Ok(name)) = archive.name_for_index(index) {
                // The first of several files with one name counts.
                names.entry(normalize(&name)).or_insert(index);
            }
        }
        Ok(Self { archive, names, left: MAX_UNPACKED_BYTES })
    }

    /// Returns whether a file has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains_key(&normalize(name))
    }

    /// Returns whether a file is in this folder.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        self.names.keys().any(|name| name.starts_with(folder))
    }

    /// Opens a file; `None` if there is none of this name.
    ///
    /// # Errors
    /// [`Kind::UnpackedTooLarge`] if the archive states such a size, and
    /// [`Kind::InvalidWorkbook`].
    pub(crate) fn file(&mut self, name: &str) -> Result<Option<Unpacked<'_>>, Problem> {
        let Some(index) = self.names.get(&normalize(name)) else { return Ok(None) };
        let file = self.archive.by_index(*index);
        let file =
            file.map_err(|_| invalid_workbook("a file of the ZIP archive cannot be read"))?;
        if file.size() > self.left {
            return Err(Problem::of_file(Kind::UnpackedTooLarge));
        }
        Ok(Some(Unpacked {
            inner: BufReader::with_capacity(64 * 1024, Box::new(file)),
            left: &mut self.left,
            part: MAX_PART_BYTES,
            is_exceeded: false,
        }))
    }
}

fn normalize(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// A file that is unpacked as far as it is read.
///
/// The archive's own statement of the size is not trusted: each byte is counted.
pub(crate) struct Unpacked<'a> {
    inner: BufReader<Box<dyn Read + 'a>>,
    /// The bytes that may still be unpacked of the whole archive.
    left: &'a mut u64,
    /// The bytes that may still be read before [`Self::begin_part`] is called again.
    part: u64,
    is_exceeded: bool,
}

impl Unpacked<'_> {
    /// Begins a tag or a text, of which only so much is kept in memory.
    pub(crate) const fn begin_part(&mut self) {
        self.part = MAX_PART_BYTES;
    }

    /// Returns the problem that an error of reading stands for, unless it is one of XML.
    pub(crate) fn problem(&self, error: &quick_xml::Error) -> Option<Problem> {
        if self.is_exceeded {
            return Some(Problem::of_file(Kind::UnpackedTooLarge));
        }
        matches!(error, quick_xml::Error::Io(_))
            .then(|| invalid_workbook("a file of the ZIP archive cannot be unpacked"))
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Unpacked<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if *self.left == 0 || self.part == 0 {
            self.is_exceeded = true;
            return Err(io::Error::other("too large"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let bytes = u64::try_from(count).unwrap_or(u64::MAX);
        *self.left = self.left.saturating_sub(bytes);
        self.part = self.part.saturating_sub(bytes);
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(content: &[u8]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("A\\B.xml", SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap().into_inner()
    }

    /// Reads a file of so many bytes when only some may be unpacked.
    fn read(bytes: usize, left: u64) -> Result<usize, Option<Kind>> {
        let packed = archive(&vec![b' '; bytes]);
        let mut archive = Archive::open(&packed).unwrap();
        let mut file = archive.file("/a/b.XML").map_err(|problem| Some(problem.kind))?.unwrap();
        *file.left = left;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map(|_| content.len()).map_err(|error| {
            file.problem(&quick_xml::Error::from(error)).map(|problem| problem.kind)
        })
    }

    #[test]
    fn bytes_are_counted_while_they_are_unpacked() {
        assert_eq!(read(1_000, 2_000), Ok(1_000));
        assert_eq!(read(300_000, 200_000), Err(Some(Kind::UnpackedTooLarge)));
        let part = usize::try_from(MAX_PART_BYTES).unwrap();
        assert_eq!(read(part + 1, MAX_UNPACKED_BYTES), Err(Some(Kind::UnpackedTooLarge)));
    }

    #[test]
    fn files_are_found_by_name() {
        let packed = archive(b"x");
        let mut archive = Archive::open(&packed).unwrap();
        assert!(archive.has("a/b.xml") && archive.has_folder("a/"));
        assert!(!archive.has("b.xml") && archive.file("b.xml").unwrap().is_none());
        assert!(Archive::open(b"PK\x03\x04").is_err());
    }
}
