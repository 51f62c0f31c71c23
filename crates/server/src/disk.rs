//! File systems: free space, sizes of files, and the kind of a file system.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nix::sys::statfs::{self, FsType};
use nix::sys::statvfs::statvfs;

/// Returns the bytes that this user may still write on the file system of a path.
///
/// # Errors
/// When the path does not exist.
pub(crate) fn free_bytes(path: &Path) -> std::io::Result<u64> {
    let found = statvfs(path)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}

/// Returns the bytes of a file, if it exists.
pub(crate) fn file_bytes(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|data| data.len())
}

/// Returns the path of the write-ahead log of a SQLite file.
pub(crate) fn wal_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push("-wal");
    PathBuf::from(name)
}

/// Returns the folder of a file.
pub(crate) fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
}

/// Returns whether the file system of a path is on another machine.
///
/// # Errors
/// When the path does not exist.
pub(crate) fn is_remote(path: &Path) -> std::io::Result<bool> {
    Ok(is_remote_type(statfs::statfs(path)?.filesystem_type()))
}

/// The numbers of the file systems of networks (`statfs(2)`): nfs, smb, cifs, smb2, afs, ceph, 9p.
const REMOTE_TYPES: [u32; 7] =
    [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x00c3_6400, 0x0102_1997];

/// Returns whether a type of file systems is one of a network.
fn is_remote_type(kind: FsType) -> bool {
    u32::try_from(kind.0 & 0xffff_ffff).is_ok_and(|number| REMOTE_TYPES.contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_remote() {
        assert!(is_remote_type(statfs::NFS_SUPER_MAGIC));
        assert!(is_remote_type(FsType(0xff53_4d42)) && is_remote_type(FsType(0xfe53_4d42)));
        assert!(!is_remote_type(statfs::EXT4_SUPER_MAGIC));
        assert!(!is_remote_type(statfs::TMPFS_MAGIC));
    }

    #[test]
    fn folder_of_a_bare_name_is_the_current_one() {
        assert_eq!(folder_of(Path::new("daybook.db")), Some(PathBuf::from(".")));
        assert_eq!(folder_of(Path::new("/a/b.db")), Some(PathBuf::from("/a")));
        assert_eq!(wal_of(Path::new("/a/b.db")), PathBuf::from("/a/b.db-wal"));
    }
}
