//! A disk that can be full: a small file system in memory, mounted in a mount namespace that only
//! the processes started on it share. It disappears with the suite.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::guard::{Entry, Folder};
use crate::{pause, unique};

/// A small file system; unmounted when dropped.
pub struct SmallDisk {
    folder: Folder,
    /// The process that keeps the mount namespace.
    keeper: Child,
    _guard: Entry,
}

impl SmallDisk {
    /// Mounts a file system of this size in megabytes.
    ///
    /// # Errors
    /// When it cannot be mounted, with the reason for the user of the suite.
    pub fn mount(megabytes: usize) -> Result<SmallDisk, String> {
        let folder = Folder::create(std::env::temp_dir().join(format!(
            "daybook-disk-{}-{}",
            std::process::id(),
            unique("disk")
        )));
        let script = format!(
            "mount -t tmpfs -o size={megabytes}m,mode=0777 none '{}' && exec sleep infinity",
            folder.path().display()
        );
        let mut keeper = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script])
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("a full disk needs unshare (util-linux): {error}"))?;
        let guard = Entry::new(&format!("kill -9 {}", keeper.id()));
        let mounts = format!("/proc/{}/mounts", keeper.id());
        let begun = Instant::now();
        let mounted = || {
            let mounts = std::fs::read_to_string(&mounts).unwrap_or_default();
            mounts.contains(&*folder.path().to_string_lossy())
        };
        while !mounted() {
            let ended = keeper.try_wait().expect("the state of the process").is_some();
            if ended || begun.elapsed() > Duration::from_secs(60) {
                drop(keeper.kill());
                drop(keeper.wait());
                return Err("a full disk needs a tmpfs in a mount namespace of its own: run this \
                    as root, where `unshare --mount` and `mount -t tmpfs` are allowed"
                    .to_owned());
            }
            pause(Duration::from_millis(5));
        }
        Ok(SmallDisk { folder, keeper, _guard: guard })
    }

    /// The path for the processes on it.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command that sees the file system, run as this user and group.
    pub fn command(&self, program: &Path, owner: Option<(u32, u32)>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--target", &self.keeper.id().to_string()]);
        if let Some((user, group)) = owner {
            command.args([format!("--setuid={user}"), format!("--setgid={group}")]);
        }
        command.arg("--").arg(program);
        command
    }

    /// The path of the file system from outside the namespace.
    fn seen_from_outside(&self) -> PathBuf {
        let inside = self.path().strip_prefix("/").expect("an absolute path");
        Path::new("/proc").join(self.keeper.id().to_string()).join("root").join(inside)
    }

    /// Fills the disk. Call it again if processes have freed space.
    pub fn fill(&self) {
        let balloon = self.seen_from_outside().join("balloon");
        let mut file = File::options().create(true).append(true).open(balloon).expect("a file");
        for size in [1 << 20, 4096, 1] {
            let bytes = vec![0_u8; size];
            while file.write_all(&bytes).is_ok() {}
        }
    }

    /// Frees the space again.
    pub fn free(&self) {
        std::fs::remove_file(self.seen_from_outside().join("balloon")).expect("it was full");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.keeper.kill());
        drop(self.keeper.wait());
    }
}
