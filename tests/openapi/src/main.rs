//! `make openapi`: writes what is made from the contracts.

use std::path::Path;

use anyhow::Context;
use daybook_openapi::{client, version_3_1};
use serde_json::Value;

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| -> anyhow::Result<Value> {
        let text = std::fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?;
        serde_json::from_str(&text).with_context(|| path.to_owned())
    };
    let write = |path: &str, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    let contract = read("openapi/openapi.json")?;
    write("openapi/openapi-3.1.json", version_3_1::text(&contract))?;
    for (path, text) in client::sources(&contract, &read("openapi/auth.json")?) {
        write(&format!("{}/{path}", client::FOLDER), text)?;
    }
    Ok(())
}
