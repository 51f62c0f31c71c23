//! The names of the files in an archive.

use daybook_domain::amount::Amount;
use daybook_interchange::write::file_names::FileNames;

use crate::book::{day, file, transaction};

#[test]
fn names_are_readable_safe_and_unique() {
    let mut names = FileNames::default();
    let mut id = 0;
    let mut name = |description: &str, file_name: &str| {
        id += 1;
        let mut one = transaction(1, day("2026-03-14"));
        one.amount = Amount::from_units(42_50, 2);
        one.description = description.to_owned();
        names.add(&file(id, file_name), Some((&one, 2)))
    };
    for (description, file_name, expected) in [
        ("Corner Shop", "IMG_1.pdf", "files/2026-03-14 42.50 Corner Shop.pdf"),
        ("corner shop", "IMG_2.PDF", "files/2026-03-14 42.50 corner shop (2).PDF"),
        ("Corner Shop", "no extension", "files/2026-03-14 42.50 Corner Shop"),
        ("../../etc\\passwd", "x.sh", "files/2026-03-14 42.50 ..-..-etc-passwd.sh"),
        ("a:b?*\"<>|", "x.p d f", "files/2026-03-14 42.50 a b -.pdf"),
        ("", "x.tar.gz", "files/2026-03-14 42.50.gz"),
        ("\u{202e}gpj.exe", "x.jpg", "files/2026-03-14 42.50 gpj.exe.jpg"),
    ] {
        assert_eq!(name(description, file_name), expected);
    }
    let long = name(&"x".repeat(500), "x.pdf");
    assert_eq!(long.chars().count(), "files/".len() + 80 + ".pdf".len());
    for (own, expected) in [
        ("2026-09-30 Balance sheet.xlsx", "other files/2026-09-30 Balance sheet.xlsx"),
        ("CON.txt", "other files/File CON.txt"),
        ("com1", "other files/File com1"),
        ("...", "other files/File"),
        ("Contract.pdf", "other files/Contract.pdf"),
    ] {
        id += 1;
        assert_eq!(names.add(&file(id, own), None), expected);
    }
}
