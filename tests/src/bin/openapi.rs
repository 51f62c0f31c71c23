//! `make openapi`: writes the contract in OpenAPI 3.1.

use std::path::Path;

use anyhow::Context;
use daybook_tests::openapi::{contract, version_3_1};

fn main() -> anyhow::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/openapi-3.1.json");
    std::fs::write(&path, version_3_1::text(contract::document()))
        .with_context(|| format!("cannot write {}", path.display()))
}
