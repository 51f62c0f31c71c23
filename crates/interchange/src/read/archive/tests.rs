//! Tests of archives: those that the export writes, and hostile ones.

use std::io::{Cursor, Write as _};

use daybook_domain::instant::Instant;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::write::zip::{Archive, Method};

/// Writes an archive as an export does.
fn exported(members: &[(&str, Method, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut archive = Archive::new(Instant::new(1_793_466_309_007));
    for (name, method, content) in members {
        archive.begin(&mut out, name, *method);
        archive.write(&mut out, content);
    }
    archive.finish(&mut out);
    out
}

/// Writes an archive as other programs do.
fn packed(names: &[&str], content: &[u8], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn directory(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let tail_bytes = usize::try_from(TAIL_BYTES).unwrap();
    let tail = &bytes[bytes.len().saturating_sub(tail_bytes)..];
    let range = locate_directory(tail, length(bytes)).map_err(|problem| problem.to_string())?;
    let start = usize::try_from(range.start).unwrap();
    let end = usize::try_from(range.end).unwrap();
    read_directory(&bytes[start..end], range.start).map_err(|problem| problem.to_string())
}

/// Unpacks a member in small pieces.
fn unpack(bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, String> {
    let at = |range: Range<u64>| {
        let (start, end) = (usize::try_from(range.start), usize::try_from(range.end));
        &bytes[start.unwrap()..end.unwrap()]
    };
    let text = |problem: Problem| problem.to_string();
    let data = at(entry.data(at(entry.local_range())).map_err(text)?);
    let (mut unpacker, mut out) = (Unpacker::new(entry.clone()), Vec::new());
    for mut piece in data.chunks(7) {
        loop {
            let Step { used, unpacked } = unpacker.unpack(piece, &mut out, 5).map_err(text)?;
            piece = &piece[used..];
            if used == 0 && unpacked == 0 {
                break;
            }
        }
    }
    unpacker.finish().map_err(text)?;
    Ok(out)
}

#[test]
fn members_are_unpacked_piece_by_piece() {
    let long = "line of text\n".repeat(10_000);
    let members: [(&str, Method, &[u8]); 3] = [
        (LINES, Method::Deflated, long.as_bytes()),
        ("files/2026-03-14 42.50 Caf\u{e9}.pdf", Method::Stored, b"%PDF-1.7"),
        ("files/empty", Method::Stored, b""),
    ];
    let bytes = exported(&members);
    assert!(is_export(&bytes[..HEAD_BYTES]));
    let entries = directory(&bytes).unwrap();
    assert_eq!(entries.len(), members.len());
    for (entry, (name, _, content)) in entries.iter().zip(members) {
        assert_eq!((entry.name.as_str(), entry.size), (name, length(content)));
        assert_eq!(unpack(&bytes, entry).unwrap(), content);
    }
    let other = packed(&["a/b.txt"], long.as_bytes(), CompressionMethod::Deflated);
    assert!(!is_export(&other));
    assert_eq!(unpack(&other, &directory(&other).unwrap()[0]).unwrap(), long.as_bytes());
    let many: Vec<String> = (0..70_000).map(|number| format!("files/{number}")).collect();
    let many: Vec<(&str, Method, &[u8])> =
        many.iter().map(|name| (name.as_str(), Method::Stored, b"".as_slice())).collect();
    assert_eq!(directory(&exported(&many)).unwrap().len(), 70_000, "with ZIP64");
}

#[test]
fn hostile_names_are_refused() {
    for name in ["../x", "a/../../x", "/etc/passwd", "a\\b", "C:x", "a/./b"] {
        let bytes = exported(&[(name, Method::Stored, b"x")]);
        let error = directory(&bytes).unwrap_err();
        assert!(error.contains("the name leaves the archive"), "{name}: {error}");
    }
    let bytes = exported(&[("a", Method::Stored, b"x"), ("A", Method::Stored, b"y")]);
    assert!(directory(&bytes).unwrap_err().contains("two entries of this name"));
}

#[test]
fn overlapping_entries_are_refused() {
    let bytes = exported(&[("a", Method::Stored, b"12345678"), ("b", Method::Stored, b"x")]);
    let entries = bytes.windows(4).rposition(|four| four == CENTRAL.to_le_bytes()).unwrap();
    let mut overlapping = bytes.clone();
    // The second entry begins where the first one does.
    overlapping[entries + 42..entries + 46].fill(0);
    assert!(directory(&overlapping).unwrap_err().contains("overlaps another one"));
    // The first entry reaches into the second one.
    let first = bytes.windows(4).position(|four| four == CENTRAL.to_le_bytes()).unwrap();
    let mut overlapping = bytes;
    overlapping[first + 20] = 200;
    overlapping[first + 24] = 200;
    assert!(directory(&overlapping).unwrap_err().contains("overlaps another one"));
}

#[test]
fn bombs_are_refused() {
    let bomb = packed(&["bomb"], &vec![0; 4 << 20], CompressionMethod::Deflated);
    assert!(directory(&bomb).unwrap_err().contains("unpacks to more than 200 times"));
    // The directory lies about the size.
    let mut lying = exported(&[("a", Method::Deflated, &[7; 1_000])]);
    let entry = lying.windows(4).position(|four| four == CENTRAL.to_le_bytes()).unwrap();
    lying[entry + 24..entry + 28].copy_from_slice(&10_u32.to_le_bytes());
    let entries = directory(&lying).unwrap();
    let error = unpack(&lying, &entries[0]).unwrap_err();
    assert!(error.contains("entry \"a\": it is larger than the directory says"), "{error}");
}

#[test]
fn damaged_and_cut_archives_are_refused() {
    let bytes = exported(&[(LINES, Method::Deflated, b"text"), ("f", Method::Stored, b"content")]);
    for end in 0..bytes.len() {
        assert!(directory(&bytes[..end]).is_err(), "cut off after {end} bytes");
    }
    let mut damaged = bytes.clone();
    let content = damaged.windows(7).position(|seven| seven == b"content").unwrap();
    damaged[content] ^= 1;
    let entries = directory(&damaged).unwrap();
    let error = unpack(&damaged, &entries[1]).unwrap_err();
    assert!(error.contains("entry \"f\": its bytes differ from their checksum"), "{error}");
    let mut encrypted = bytes;
    let entry = encrypted.windows(4).position(|four| four == CENTRAL.to_le_bytes()).unwrap();
    encrypted[entry + 8] |= 1;
    assert!(directory(&encrypted).unwrap_err().contains("it is encrypted"));
}

#[test]
fn any_bytes_are_read_without_panic() {
    let bytes = exported(&[(LINES, Method::Deflated, b"text"), ("f", Method::Stored, b"content")]);
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            if let Ok(entries) = directory(&changed) {
                entries.iter().for_each(|entry| drop(unpack(&changed, entry)));
            }
        }
    }
}
