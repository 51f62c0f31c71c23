//! Resealing of stored secrets after the sealing key was rotated (behaviour 11.23).

use daybook_storage::sealed::{SealedColumn, SealedRow, SealedSecret};
use daybook_storage::{ShardKey, Tx};

use crate::error::Result;

/// The shard key of [`reseal`].
pub const SHARD_KEY: ShardKey = ShardKey::NO_BOOK;
/// Rows that one unit of work reseals. Other writers wait no longer than for a batch.
const MAX_RESEALED: i64 = 100;

/// The seal of a stored secret under the current key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seal {
    /// The current key sealed it.
    Current,
    /// An older key sealed it; these are the bytes under the current key.
    Renewed(Vec<u8>),
    /// No known key opens it.
    Lost,
}

/// The result of resealing one portion of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResealedPortion {
    /// The last row of the portion; `None` when no rows are left.
    pub last: Option<SealedRow>,
    /// The number of secrets that were resealed.
    pub renewed: u64,
    /// The number of secrets that no key opens. They stay unchanged.
    pub lost: u64,
}

/// Reseals the next rows of a column.
///
/// # Errors
/// Every error of `seal`; the rows then stay unchanged.
pub fn reseal(
    tx: &mut Tx<'_>,
    column: SealedColumn,
    after: Option<&SealedRow>,
    seal: &impl Fn(&SealedSecret) -> Result<Seal>,
) -> Result<ResealedPortion> {
    let mut portion = ResealedPortion::default();
    for secret in tx.sealed_secrets().list_after(column, after, MAX_RESEALED)? {
        match seal(&secret)? {
            Seal::Current => {}
            Seal::Renewed(sealed) => {
                let replaced = tx.sealed_secrets().replace(&secret, &sealed)?;
                portion.renewed = portion.renewed.saturating_add(u64::from(replaced));
            }
            Seal::Lost => portion.lost = portion.lost.saturating_add(1),
        }
        portion.last = Some(secret.row);
    }
    Ok(portion)
}
