//! The folder of temporary files, in memory if there is space, because most cases are not about
//! disks.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::guard::Folder;
use crate::unique;

/// The memory-backed file system of Linux.
const MEMORY: &str = "/dev/shm";

/// The free bytes it must have.
const MIN_FREE: u64 = 4 << 30;

/// The folder of temporary files: in memory, or [`std::env::temp_dir`].
pub fn scratch_dir() -> &'static Path {
    static CHOSEN: OnceLock<PathBuf> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let free = nix::sys::statvfs::statvfs(MEMORY)
            .map_or(0, |system| system.blocks_available().saturating_mul(system.fragment_size()));
        if free >= MIN_FREE { PathBuf::from(MEMORY) } else { std::env::temp_dir() }
    })
}

/// A new folder in [`scratch_dir`]; `durable` puts it on a disk.
pub fn folder(what: &str, durable: bool) -> Folder {
    let parent = if durable { std::env::temp_dir() } else { scratch_dir().to_owned() };
    Folder::create(parent.join(format!("daybook-{}-{}", std::process::id(), unique(what))))
}
