//! Backups of the database, made while it is written to as `docs/operations.md` says.

use daybook_tests::Engine;
use daybook_tests::torture::backups;

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![a_copy_made_while_clients_write_is_whole]
}

/// `pg_dump` or `VACUUM INTO`, restored, served, compared with what was acknowledged, and audited.
fn a_copy_made_while_clients_write_is_whole(engine: Engine) {
    let kept = backups::keep(engine, 1993).expect("a copy that is served");
    assert!(kept.violations.is_empty(), "{kept:#?}");
    assert!(kept.before > 0 && kept.meanwhile > 0, "clients wrote: {kept:?}");
}
