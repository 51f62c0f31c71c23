//! Seals anew everything that the database keeps secret.

use std::sync::Arc;

use daybook_service::Error;
use daybook_service::sealed::{self, ResealedPortion, Seal};
use daybook_storage::sealed::{SealedColumn, SealedRow, SealedSecret};
use daybook_storage::{ShardKey, Store};

use super::own_token::LocalKey;
use super::sealer::{Sealer, Unsealed};
use crate::connection::place_of_properties;
use crate::delivery::place_of_secret;
use crate::signing_key::place_of_pair;

/// What was sealed anew in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resealed {
    /// The column.
    pub column: SealedColumn,
    /// How many have another seal now. The others had that of the current key.
    pub renewed: u64,
    /// How many no key opens. They stay as they are.
    pub lost: u64,
}

/// Seals everything anew that the current key has not sealed, in portions. It may be interrupted
/// and repeated, and servers may run.
///
/// # Errors
/// Of the database.
pub fn reseal(store: &Store, key: &Arc<LocalKey>) -> Result<Vec<Resealed>, Error> {
    SealedColumn::ALL.into_iter().map(|column| reseal_column(store, key, column)).collect()
}

fn reseal_column(
    store: &Store,
    key: &Arc<LocalKey>,
    column: SealedColumn,
) -> Result<Resealed, Error> {
    let mut sum = Resealed { column, renewed: 0, lost: 0 };
    let mut after = None;
    loop {
        let key = Arc::clone(key);
        let ResealedPortion { last, renewed, lost } =
            store.write_repeatable(ShardKey::NO_BOOK, move |tx| -> Result<_, Error> {
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

fn renewal(sealer: &Sealer, secret: &SealedSecret) -> Result<Seal, Error> {
    let resealed = match &secret.row {
        SealedRow::SigningKey { algorithm, id, .. } => {
            sealer.reseal(&place_of_pair(*algorithm, id), &secret.sealed)
        }
        SealedRow::App(app) => sealer.reseal(&place_of_secret(app.as_str()), &secret.sealed),
        SealedRow::Connection(_, id) => {
            sealer.reseal(&place_of_properties(&id.to_string()), &secret.sealed)
        }
    };
    match resealed {
        Ok(Some(sealed)) => Ok(Seal::Renewed(sealed)),
        Ok(None) => Ok(Seal::Current),
        Err(Unsealed::NotOpened(_)) => Ok(Seal::Lost),
        Err(Unsealed::NotSealed(error)) => {
            Err(daybook_storage::Error::Unavailable(error.to_string()).into())
        }
    }
}
