//! Reseals the sealed columns of the database with the current sealing key.

use std::sync::Arc;

use daybook_service::Error;
use daybook_service::sealed::{self, ResealedPortion, Seal};
use daybook_storage::sealed::{SealedColumn, SealedRow, SealedSecret};
use daybook_storage::{ReadOnlyStore, Store};

use super::own_token::LocalKey;
use super::sealer::{ResealError, Sealer, app_secret_context, properties_context};
use crate::signing_key::pair_context;

/// The counts of resealed rows in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResealReport {
    /// The column.
    pub column: SealedColumn,
    /// The number of rows that were resealed.
    pub renewed: u64,
    /// The number of rows that no key opens. They are unchanged.
    pub lost: u64,
}

/// Reseals everything that the current key has not sealed, in portions.
///
/// It can be interrupted and repeated, and servers may run at the same time.
///
/// # Errors
/// When the database fails.
pub fn reseal(store: &Store, key: &Arc<LocalKey>) -> Result<Vec<ResealReport>, Error> {
    SealedColumn::ALL.into_iter().map(|column| reseal_column(store, key, column)).collect()
}

fn reseal_column(
    store: &Store,
    key: &Arc<LocalKey>,
    column: SealedColumn,
) -> Result<ResealReport, Error> {
    let mut sum = ResealReport { column, renewed: 0, lost: 0 };
    let mut after = None;
    loop {
        let key = Arc::clone(key);
        let ResealedPortion { last, renewed, lost } =
            store.write_repeatable(sealed::SHARD_KEY, move |tx| -> Result<_, Error> {
                sealed::reseal(tx, column, after.as_ref(), &|secret| renewal(key.sealer(), secret))
            })?;
        sum.renewed = sum.renewed.saturating_add(renewed);
        sum.lost = sum.lost.saturating_add(lost);
        if last.is_none() {
            return Ok(sum);
        }
        after = last;
    }
}

/// Counts the secrets that no key opens. It changes nothing.
///
/// # Errors
/// When the database fails.
pub fn count_lost(store: &mut ReadOnlyStore, key: &LocalKey) -> Result<u64, Error> {
    let check = |secret: &SealedSecret| -> Result<Seal, Error> {
        Ok(match renewal(key.sealer(), secret)? {
            Seal::Lost => Seal::Lost,
            Seal::Current | Seal::Renewed(_) => Seal::Current,
        })
    };
    let mut sum: u64 = 0;
    for column in SealedColumn::ALL {
        let mut after = None;
        loop {
            let portion: Result<ResealedPortion, Error> =
                store.read(|tx| sealed::reseal(tx, column, after.as_ref(), &check));
            let ResealedPortion { last, renewed: _, lost } = portion?;
            sum = sum.saturating_add(lost);
            if last.is_none() {
                break;
            }
            after = last;
        }
    }
    Ok(sum)
}

fn renewal(sealer: &Sealer, secret: &SealedSecret) -> Result<Seal, Error> {
    let resealed = match &secret.row {
        SealedRow::SigningKey { algorithm, id, .. } => {
            sealer.reseal(&pair_context(*algorithm, id), &secret.sealed)
        }
        SealedRow::App(app) => sealer.reseal(&app_secret_context(app.as_str()), &secret.sealed),
        SealedRow::Connection(_, id) => {
            sealer.reseal(&properties_context(&id.to_string()), &secret.sealed)
        }
    };
    match resealed {
        Ok(Some(sealed)) => Ok(Seal::Renewed(sealed)),
        Ok(None) => Ok(Seal::Current),
        Err(ResealError::Open(_)) => Ok(Seal::Lost),
        Err(ResealError::Seal(error)) => {
            Err(daybook_storage::Error::Unavailable(error.to_string()).into())
        }
    }
}
