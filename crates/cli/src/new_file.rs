//! Files that commands write as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file beside the one that it replaces once it is complete. Dropping it before removes it.
///
/// A device or a pipe is written as it is.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: File,
    /// The path of the incomplete file, and that of the complete one.
    paths: Option<(PathBuf, PathBuf)>,
    written: u64,
}

impl NewFile {
    /// Creates an empty file. A file at the path stays until [`finish`](Self::finish).
    ///
    /// # Errors
    /// When the file, or what it would replace, cannot be written.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let replaced = match File::options().write(true).open(path) {
            Ok(file) => Some((file.metadata()?, file)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let (target, permissions) = match replaced {
            Some((metadata, file)) if !metadata.is_file() => {
                return Ok(Self { file, paths: None, written: 0 });
            }
            // A link stays one.
            Some((metadata, _)) => (fs::canonicalize(path)?, Some(metadata.permissions())),
            None => (path.to_owned(), None),
        };
        let incomplete = target.with_added_extension(format!("{}.part", std::process::id()));
        let file = File::create_new(&incomplete)?;
        let new = Self { file, paths: Some((incomplete, target)), written: 0 };
        if let Some(permissions) = permissions {
            new.file.set_permissions(permissions)?;
        }
        Ok(new)
    }

    /// Puts the file in its place. Returns its size.
    ///
    /// # Errors
    /// When it cannot be written or renamed.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        if let Some((incomplete, target)) = &self.paths {
            self.file.sync_all()?;
            fs::rename(incomplete, target)?;
        }
        self.paths = None;
        Ok(self.written)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written = self.written.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((incomplete, _)) = &self.paths {
            // The failure that ends the command is reported, not that of its cleaning up.
            let _ = fs::remove_file(incomplete);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a test in an empty directory.
    fn in_directory(name: &str, test: impl FnOnce(&Path)) {
        let directory = std::env::temp_dir().join(format!("dbk-{name}-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        test(&directory);
        fs::remove_dir_all(&directory).unwrap();
    }

    fn names(directory: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn file_is_replaced_at_the_end() {
        in_directory("replaced", |directory| {
            let path = directory.join("book.csv");
            for content in ["one", "another"] {
                let before = fs::read_to_string(&path).ok();
                let mut file = NewFile::create(&path).unwrap();
                file.write_all(content.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&path).ok(), before);
                assert_eq!(file.finish().unwrap(), u64::try_from(content.len()).unwrap());
                assert_eq!(fs::read_to_string(&path).unwrap(), content);
            }
            let mut incomplete = NewFile::create(&path).unwrap();
            incomplete.write_all(b"half").unwrap();
            drop(incomplete);
            assert_eq!(fs::read_to_string(&path).unwrap(), "another");
            assert_eq!(names(directory), ["book.csv"]);
            assert!(NewFile::create(&directory.join("missing/book.csv")).is_err());
            assert!(NewFile::create(directory).is_err());
        });
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        in_directory("links", |directory| {
            let (path, link) = (directory.join("book.csv"), directory.join("link.csv"));
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            symlink(&path, &link).unwrap();
            let mut file = NewFile::create(&link).unwrap();
            file.write_all(b"new").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(names(directory), ["book.csv", "link.csv"]);
        });
        let mut device = NewFile::create(Path::new("/dev/null")).unwrap();
        device.write_all(b"gone").unwrap();
        assert_eq!(device.finish().unwrap(), 4);
    }
}
