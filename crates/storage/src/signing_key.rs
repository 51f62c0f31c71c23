//! Signing key pairs of the token issuer. Private keys are sealed.

use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, NewPair, SigningAlgorithm, SigningKey};
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::error::{Error, Result};
use crate::schema::signing_keys;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = signing_keys)]
struct Row {
    algorithm: String,
    number: i64,
    id: String,
    sealed: Vec<u8>,
    created_at: i64,
    signs_from: i64,
}

impl From<&SigningKey> for Row {
    fn from(key: &SigningKey) -> Self {
        let SigningKey { pair, number, created_at, signs_from } = key;
        let NewPair { id, algorithm, sealed } = pair;
        Self {
            algorithm: algorithm.as_str().to_owned(),
            number: *number,
            id: id.clone(),
            sealed: sealed.clone(),
            created_at: created_at.milliseconds(),
            signs_from: signs_from.milliseconds(),
        }
    }
}

impl TryFrom<Row> for SigningKey {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { algorithm, number, id, sealed, created_at, signs_from } = row;
        let algorithm =
            SigningAlgorithm::from_name(&algorithm).ok_or(Error::Corrupt("algorithm"))?;
        Ok(Self {
            pair: NewPair { id, algorithm, sealed },
            number,
            created_at: Instant::new(created_at),
            signs_from: Instant::new(signs_from),
        })
    }
}

/// The signing keys of this installation.
pub struct SigningKeys<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl SigningKeys<'_, '_> {
    /// Lists all keys.
    pub fn list(self) -> Result<KeyRing> {
        Ok(KeyRing::new(self.tx.flushed()?.select_all::<Row, _>(signing_keys::table)?))
    }

    /// Inserts a key.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] if another process has inserted a key with the same number.
    pub fn insert(self, key: &SigningKey) -> Result<()> {
        let row = Row::from(key);
        self.tx.flushed()?.run(diesel::insert_into(signing_keys::table).values(&row))
    }

    /// Deletes a key.
    pub fn remove(self, key: &SigningKey) -> Result<()> {
        let target = signing_keys::table.find((key.pair.algorithm.as_str(), key.number));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
