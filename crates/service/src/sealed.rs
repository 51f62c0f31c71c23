//! Seals anew what the database keeps secret, after the key that seals was rotated (behaviour
//! 11.23).

use daybook_storage::Tx;
use daybook_storage::sealed::{SealedColumn, SealedRow, SealedSecret};

use crate::error::Result;

/// Rows that one unit of work seals anew: it holds up other writers no longer than a batch does.
const MAX_RESEALED: i64 = 100;

/// What becomes of a sealed secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seal {
    /// The key that seals now has sealed it.
    Current,
    /// It is sealed with that key from now on.
    Renewed(Vec<u8>),
    /// No key opens it.
    Lost,
}

/// What a portion was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResealedPortion {
    /// Its last row; none when nothing was left.
    pub last: Option<SealedRow>,
    /// How many have another seal now.
    pub renewed: u64,
    /// How many no key opens. They stay as they are.
    pub lost: u64,
}

/// Seals the next rows of a column anew.
///
/// # Errors
/// What `seal` answers, which leaves the rows as they are.
pub fn reseal(
    tx: &mut Tx<'_>,
    column: SealedColumn,
    after: Option<&SealedRow>,
    seal: &impl Fn(&SealedSecret) -> Result<Seal>,
) -> Result<ResealedPortion> {
    let mut portion = ResealedPortion::default();
    for secret in tx.sealed_secrets().after(column, after, MAX_RESEALED)? {
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
