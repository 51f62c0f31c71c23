//! Tests of the checkpoint files: reading what was written, and refusing everything else.

use daybook_auth::identity::LocalKey;
use daybook_domain::event::{Hash, Head};
use daybook_domain::id::BookKey;

use super::*;

/// A directory that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("daybook-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(byte: u8) -> CheckpointKey {
    LocalKey::new(&[byte; 32]).checkpoint_key().unwrap()
}

fn entry(number: i64) -> CheckpointEntry {
    let head = Head { sequence: number + 1, hash: Hash::of(&number.to_be_bytes()) };
    let book = BookKey::new(format!("{number:032x}"));
    CheckpointEntry { book, head, is_deleted: number % 7 == 0 }
}

fn written(folder: &Folder, books: i64) -> PathBuf {
    let mut new = NewCheckpoint::create(&folder.0, CheckpointKind::All, Instant::new(77)).unwrap();
    (0..books).for_each(|number| new.add(&entry(number)).unwrap());
    new.finish(&key(1)).unwrap().0
}

fn fault(path: &Path) -> Option<CheckpointFault> {
    check(path, &key(1)).unwrap().err()
}

#[test]
fn written_checkpoint_is_read_back() {
    let folder = Folder::new("checkpoint-read");
    for books in [1, 2, 1_000] {
        let path = written(&folder, books);
        assert_eq!(check(&path, &key(1)).unwrap().unwrap().at, Instant::new(77));
        let mut entries = CheckpointReader::new(path.clone());
        for number in 0..books {
            assert_eq!(entries.peek().unwrap(), Some(&entry(number)));
            assert_eq!(entries.take(), Some(entry(number)));
        }
        assert_eq!(entries.peek().unwrap(), None);
        fs::remove_file(path).unwrap();
    }
    assert_eq!(list(&folder.0).unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn changed_or_cut_checkpoint_is_refused() {
    let folder = Folder::new("checkpoint-changed");
    let path = written(&folder, 3);
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert!(fault(&path).is_some(), "byte {place}");
        fs::write(&path, &whole[..place]).unwrap();
        assert!(fault(&path).is_some(), "cut to {place} bytes");
    }
    let lines: Vec<&str> = std::str::from_utf8(&whole).unwrap().split_inclusive('\n').collect();
    for (name, changed, expected) in [
        ("a line less", [&lines[..2], &lines[3..]].concat(), CheckpointFault::Signature),
        ("no end", lines[..4].to_vec(), CheckpointFault::Cut),
        ("a line more", [&lines[..], &lines[1..2]].concat(), CheckpointFault::Line(6)),
        (
            "exchanged",
            [&lines[..1], &[lines[2], lines[1]], &lines[3..]].concat(),
            CheckpointFault::Line(3),
        ),
        ("another version", vec!["daybook-checkpoint 2 77\n"], CheckpointFault::UnknownVersion),
    ] {
        fs::write(&path, changed.concat()).unwrap();
        assert_eq!(fault(&path), Some(expected), "{name}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(fault(&path), None);
    assert_eq!(check(&path, &key(2)).unwrap().err(), Some(CheckpointFault::AnotherKey));
}

#[test]
fn incomplete_checkpoint_has_no_final_name() {
    let folder = Folder::new("checkpoint-part");
    let mut new = NewCheckpoint::create(&folder.0, CheckpointKind::All, Instant::new(5)).unwrap();
    new.add(&entry(1)).unwrap();
    let part = new.part.clone();
    drop(new);
    assert!(part.exists() && list(&folder.0).unwrap().is_empty());
    let written = Instant::new(fs::metadata(&part).unwrap().mtime() * 1_000);
    remove_leftovers(&folder.0, written).unwrap();
    assert!(part.exists(), "another process may still write it");
    remove_leftovers(&folder.0, Instant::new(written.milliseconds() + 90_000_000)).unwrap();
    assert!(!part.exists());
}

#[test]
fn newest_checkpoint_ignores_removals_and_the_future() {
    let folder = Folder::new("checkpoint-newest");
    let now = Instant::new(1_000);
    assert_eq!(newest(&folder.0, now).unwrap(), None);
    for (at, kind) in [
        (400, CheckpointKind::All),
        (300, CheckpointKind::All),
        (900, CheckpointKind::Removal),
        (5_000, CheckpointKind::All),
    ] {
        let new = NewCheckpoint::create(&folder.0, kind, Instant::new(at)).unwrap();
        new.finish(&key(1)).unwrap();
    }
    assert_eq!(newest(&folder.0, now).unwrap(), Some(Instant::new(400)));
    assert_eq!(list(&folder.0).unwrap().len(), 4);
}
