//! Backups made during writes, as described in `docs/operations.md`: the restored copy must contain
//! every acknowledged write.

use daybook_tests::Engine;
use daybook_tests::torture::backups;

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![backup_during_writes_is_complete]
}

/// `pg_dump` or `VACUUM INTO`, restored, served, compared with what was acknowledged, and audited.
fn backup_during_writes_is_complete(engine: Engine) {
    let report = backups::check_backup(engine, 1993).expect("a copy that is served");
    assert!(report.violations.is_empty(), "{report:#?}");
    assert!(report.before > 0 && report.meanwhile > 0, "clients wrote: {report:?}");
}
