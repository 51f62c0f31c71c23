//! Writes the files of `dist/` as a static table, each with its compressed copies.
//!
//! The build needs neither the network nor Node.js, because `dist/` is committed.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// The element of `index.html` that the server replaces by the path it is mounted under.
const BASE: &str = "<base href=\"/\">";

/// The number of characters of the hash in a file name.
const NAME_HASH: usize = 8;

/// The media types by file extension.
const MEDIA_TYPES: [(&str, &str); 10] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("webmanifest", "application/manifest+json"),
    ("woff2", "font/woff2"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = |name: &'static str| std::env::var_os(name).map(PathBuf::from).ok_or(name);
    let (dist, out) = (folder("CARGO_MANIFEST_DIR")?.join("dist"), folder("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", dist.display());
    let index = fs::read_to_string(dist.join("index.html"))?;
    if index.matches(BASE).count() != 1 {
        return Err(format!("dist/index.html must contain {BASE} once").into());
    }
    let mut files = Vec::new();
    list(&dist, &mut files)?;
    // In the order of their text, which `lookup` compares; a path is compared by its components.
    files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    let mut table = "&[\n".to_owned();
    for (number, file) in files.iter().enumerate() {
        let path = file.strip_prefix(&dist)?.to_str().ok_or("a file name is not UTF-8")?;
        let plain = fs::read(file)?;
        let brotli = keep(&out.join(format!("{number}.br")), &plain, compress_brotli(&plain)?)?;
        let gzip = keep(&out.join(format!("{number}.gz")), &plain, compress_gzip(&plain)?)?;
        writeln!(
            table,
            "Asset {{ path: {path:?}, media_type: {:?}, etag: {:?}, is_hashed: {}, \
             plain: include_bytes!({file:?}), brotli: {brotli}, gzip: {gzip} }},",
            media_type(path)?,
            etag(&plain),
            is_hashed(path),
        )?;
    }
    table.push(']');
    Ok(fs::write(out.join("assets.rs"), table)?)
}

/// Appends the files of a folder and of the folders in it.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// Returns the media type of a file.
fn media_type(path: &str) -> Result<&'static str, String> {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let known = MEDIA_TYPES.into_iter().find(|(known, _)| *known == extension);
    known.map(|(_, media_type)| media_type).ok_or(format!("dist/{path} has an unknown extension"))
}

/// Whether the name of a file contains the hash of its content, as in `assets/index-Dx0pyr3F.js`.
fn is_hashed(path: &str) -> bool {
    let Some(name) = path.strip_prefix("assets/") else { return false };
    let stem = name.split('.').next().unwrap_or_default();
    let is_hash = |hash: &str| {
        hash.len() == NAME_HASH + 1
            && hash.starts_with('-')
            && hash.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    stem.len().checked_sub(NAME_HASH + 1).and_then(|at| stem.get(at..)).is_some_and(is_hash)
}

/// Returns the entity tag of a content.
fn etag(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

fn compress_brotli(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let parameters = BrotliEncoderParams { quality: 11, ..BrotliEncoderParams::default() };
    brotli::BrotliCompress(&mut &*plain, &mut compressed, &parameters)?;
    Ok(compressed)
}

fn compress_gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// Stores a compressed copy if it is smaller, and returns its expression for the table.
fn keep(path: &Path, plain: &[u8], compressed: Vec<u8>) -> std::io::Result<String> {
    if compressed.len() >= plain.len() {
        return Ok("None".to_owned());
    }
    fs::write(path, compressed)?;
    Ok(format!("Some(include_bytes!({path:?}))"))
}
