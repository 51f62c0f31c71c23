//! The files of the web console, which `console/` is built into (`dist/`).
//!
//! The build script compresses each file once, so a response costs no compression. A path is looked
//! up in a table: no request reaches the file system.

/// A file of the console.
#[derive(Debug)]
pub struct Asset {
    /// The path below `dist/`, without a leading slash.
    pub path: &'static str,
    /// The media type, with the character set of a text.
    pub media_type: &'static str,
    /// The strong entity tag, without its quotation marks.
    pub etag: &'static str,
    /// Whether the path contains the hash of the content, so that the file never changes.
    pub is_hashed: bool,
    /// The content.
    pub plain: &'static [u8],
    /// The content compressed with brotli, if that makes it smaller.
    pub brotli: Option<&'static [u8]>,
    /// The content compressed with gzip, if that makes it smaller.
    pub gzip: Option<&'static [u8]>,
}

/// The files, sorted by path.
static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The page of the console, in which the element [`BASE`] occurs once.
pub static INDEX: &str = include_str!("../dist/index.html");

/// The base element of [`INDEX`]. The server replaces it by the path it is mounted under.
pub const BASE: &str = "<base href=\"/\">";

/// Returns the file with this path below `dist/`.
///
/// ```
/// assert!(daybook_console::lookup("index.html").is_some());
/// assert!(daybook_console::lookup("../Cargo.toml").is_none());
/// ```
#[must_use]
pub fn lookup(path: &str) -> Option<&'static Asset> {
    let found = ASSETS.binary_search_by(|asset| asset.path.cmp(path));
    found.ok().and_then(|index| ASSETS.get(index))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn compressed_copies_have_the_same_content() {
        for asset in ASSETS {
            let path = asset.path;
            assert_eq!(lookup(path).map(|found| found.etag), Some(asset.etag), "{path}");
            if let Some(mut compressed) = asset.brotli {
                let mut plain = Vec::new();
                brotli::BrotliDecompress(&mut compressed, &mut plain).unwrap();
                assert!(plain == asset.plain, "{path}");
            }
            if let Some(compressed) = asset.gzip {
                let mut plain = Vec::new();
                flate2::read::GzDecoder::new(compressed).read_to_end(&mut plain).unwrap();
                assert!(plain == asset.plain, "{path}");
            }
        }
    }

    #[test]
    fn page_loads_files_that_never_change() {
        assert_eq!(INDEX.matches(BASE).count(), 1);
        let loaded: Vec<&str> = INDEX.split("assets/").skip(1).collect();
        assert!(!loaded.is_empty());
        for text in loaded {
            let name = text.split('"').next().unwrap();
            let asset = lookup(&format!("assets/{name}"));
            assert!(asset.is_some_and(|asset| asset.is_hashed), "{name}");
        }
        assert!(
            !INDEX.contains("<style") && !INDEX.contains("<script>"),
            "the policy forbids both"
        );
    }
}
