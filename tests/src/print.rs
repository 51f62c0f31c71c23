//! Pages on paper: printed by Chromium (`tests/install-chromium`), read back with pdftotext
//! (`tests/install-libreoffice`).

use std::process::Command;

use crate::guard::Folder;
use crate::unique;

/// Reports a missing program and how to install it.
pub fn missing() -> Option<String> {
    let is_there = Command::new("pdftotext").arg("-v").output().is_ok();
    let missing = || "pdftotext is not installed: run tests/install-libreoffice".to_owned();
    crate::chromium::missing().or_else(|| (!is_there).then(missing))
}

/// Prints a page and returns the text of each sheet, with its layout.
#[track_caller]
pub fn print(page: &str) -> Vec<String> {
    let name = format!("daybook-print-{}-{}", std::process::id(), unique("page"));
    let folder = Folder::create(std::env::temp_dir().join(name));
    let (page_path, pdf) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
    std::fs::write(&page_path, page).expect("the page is written");
    let arguments = [
        "--headless=new".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        format!("--user-data-dir={}", folder.path().join("profile").display()),
        "--no-pdf-header-footer".to_owned(),
        format!("--print-to-pdf={}", pdf.display()),
        format!("file://{}", page_path.display()),
    ];
    let run = |name: &str| Command::new(name).args(&arguments).output();
    let output = run("chromium").or_else(|_| run("google-chrome")).expect("Chromium starts");
    assert!(pdf.exists(), "Chromium prints: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new("pdftotext")
        .arg("-layout")
        .args([pdf.as_os_str(), "-".as_ref()])
        .output()
        .expect("pdftotext starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // Each sheet ends with a form feed.
    text.split_terminator('\u{c}').map(str::to_owned).collect()
}
