//! Cleanup after the suite, however it ends.
//!
//! A shell in its own process group has one command for each resource (stop a server, drop a
//! database, remove a directory). It reads from a pipe of this process. When this process ends for
//! any reason (a panic, Ctrl-C, SIGKILL), the pipe closes and the shell runs the remaining
//! commands, latest first.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

const SCRIPT: &str = r#"
trap '' INT TERM HUP
kept=$(mktemp -d) || exit 1
while read -r entry command; do
    if [ -z "$command" ]; then rm -f "$kept/$entry"; continue; fi
    printf '%s\n' "$command" >"$kept/$entry"
done
for entry in $(ls -r "$kept"); do sh "$kept/$entry"; done
rm -rf "$kept"
"#;

struct Guard {
    shell: Child,
    pipe: Option<ChildStdin>,
}

fn guard() -> &'static Mutex<Guard> {
    static GUARD: OnceLock<Mutex<Guard>> = OnceLock::new();
    GUARD.get_or_init(|| {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT])
            // Ctrl-C reaches the whole foreground group; the guard must outlive it.
            .process_group(0)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let pipe = shell.stdin.take();
        Mutex::new(Guard { shell, pipe })
    })
}

fn send(line: &str) {
    let mut guard = guard().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(pipe) = &mut guard.pipe {
        pipe.write_all(format!("{line}\n").as_bytes()).expect("the guard reads");
    }
}

/// A command that runs when this process ends, unless the entry is dropped before.
pub(crate) struct Entry(String);

impl Entry {
    pub(crate) fn new(command: &str) -> Entry {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        assert!(!command.contains('\n'), "the guard reads one command per line");
        let entry = format!("{:08}", NEXT.fetch_add(1, Ordering::Relaxed));
        send(&format!("{entry} {command}"));
        Entry(entry)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        send(&self.0);
    }
}

/// A directory that is removed with this value or with the process.
pub struct Folder {
    path: PathBuf,
    _entry: Entry,
}

impl Folder {
    pub(crate) fn create(path: PathBuf) -> Folder {
        let entry = Entry::new(&format!("rm -rf '{}'", path.display()));
        std::fs::create_dir(&path).expect("a directory of its own");
        Folder { path, _entry: entry }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.path));
    }
}

/// Runs the remaining commands and waits for them. Otherwise they run just after the process has
/// ended.
pub fn finish() {
    let mut guard = guard().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    drop(guard.pipe.take());
    // The exit status is irrelevant: resources may have been removed already.
    drop(guard.shell.wait());
}
