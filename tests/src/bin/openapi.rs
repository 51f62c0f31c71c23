//! `make openapi`: writes what is made from the contracts.
//!
//! These are the contract in OpenAPI 3.1 and the generated sources of `daybook-client`.

use std::path::Path;

use anyhow::Context;
use daybook_tests::openapi::{access, client, contract, version_3_1};

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let write = |path: &str, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write("openapi/openapi-3.1.json", version_3_1::text(contract::document()))?;
    for (path, text) in client::sources(contract::document(), access::document()) {
        write(&format!("{}/{path}", client::FOLDER), text)?;
    }
    Ok(())
}
