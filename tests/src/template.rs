//! Databases with the schema, copied for each server instead of migrated.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::OnceLock;

use daybook_storage::{Address, Options, Store};

use crate::guard::Folder;
use crate::scratch;

/// Creates the schema in an empty database.
pub(crate) fn migrate(url: &str) {
    let address = Address::parse(url).expect("the address of a database");
    drop(Store::open(&Options::for_command(address)).expect("the schema is created"));
}

/// Writes a SQLite database with the schema to this path.
pub(crate) fn copy_sqlite(to: &Path) {
    static TEMPLATE: OnceLock<Folder> = OnceLock::new();
    let template = TEMPLATE.get_or_init(|| {
        let folder = scratch::folder("template", false);
        let made = folder.path().join("made.db");
        migrate(&format!("sqlite:{}", made.display()));
        // The last connection may still copy the log into the file.
        let copy = folder.path().join("books.db");
        rusqlite::Connection::open(made)
            .and_then(|made| made.execute("VACUUM INTO ?1", [copy.display().to_string()]))
            .expect("a whole copy");
        folder
    });
    std::fs::copy(template.path().join("books.db"), to).expect("a copy of the template");
    // The server refuses a file that other users may read.
    std::fs::set_permissions(to, Permissions::from_mode(0o600)).expect("its mode is set");
}
