//! Sealed secrets of all tables, which are resealed when the sealing key is rotated (behaviour
//! 11.23).

use daybook_domain::app::AppId;
use daybook_domain::id::{ConnectionId, UserId};
use daybook_domain::signing_key::{NewPair, SigningAlgorithm, SigningKey};
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::error::Result;
use crate::schema::{apps, connections, signing_keys};
use crate::signing_key::SigningKeys;

/// A column of sealed secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedColumn {
    /// The private signing keys.
    SigningKeys,
    /// The client secrets of apps.
    ClientSecrets,
    /// The properties of connections.
    ConnectionProperties,
}

impl SealedColumn {
    /// All columns.
    pub const ALL: [Self; 3] = [Self::SigningKeys, Self::ClientSecrets, Self::ConnectionProperties];
}

/// The row of a sealed secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealedRow {
    /// A key pair.
    SigningKey {
        /// The algorithm.
        algorithm: SigningAlgorithm,
        /// The number among the keys of the algorithm.
        number: i64,
        /// The thumbprint of its public key.
        id: String,
    },
    /// An app.
    App(AppId),
    /// A connection of a user.
    Connection(UserId, ConnectionId),
}

/// A sealed secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// The row.
    pub row: SealedRow,
    /// The sealed bytes.
    pub sealed: Vec<u8>,
}

/// All sealed secrets.
pub struct SealedSecrets<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl SealedSecrets<'_, '_> {
    /// Lists the secrets of a column after a row, in table order.
    ///
    /// Signing keys are few, so they are listed at once.
    pub fn list_after(
        self,
        column: SealedColumn,
        row: Option<&SealedRow>,
        limit: i64,
    ) -> Result<Vec<SealedSecret>> {
        match (column, row) {
            (SealedColumn::SigningKeys, None) => self.signing_keys(),
            (SealedColumn::ClientSecrets, None) => self.client_secrets("", limit),
            (_, Some(SealedRow::App(app))) => self.client_secrets(app.as_str(), limit),
            (SealedColumn::ConnectionProperties, None) => self.properties(0, 0, limit),
            (_, Some(SealedRow::Connection(owner, id))) => {
                self.properties(owner.get(), id.get(), limit)
            }
            (_, Some(SealedRow::SigningKey { .. })) => Ok(Vec::new()),
        }
    }

    fn signing_keys(self) -> Result<Vec<SealedSecret>> {
        let ring = SigningKeys { tx: self.tx }.list()?;
        let convert = |SigningKey { pair, number, .. }: &SigningKey| {
            let NewPair { id, algorithm, sealed } = pair.clone();
            let row = SealedRow::SigningKey { algorithm, number: *number, id };
            SealedSecret { row, sealed }
        };
        Ok(ring.keys().iter().map(convert).collect())
    }

    fn client_secrets(self, after: &str, limit: i64) -> Result<Vec<SealedSecret>> {
        let query = apps::table.filter(apps::id.gt(after)).order(apps::id).limit(limit);
        let query = query.select((apps::id, apps::client_secret.assume_not_null()));
        let query = query.filter(apps::client_secret.is_not_null());
        let rows: Vec<(String, Vec<u8>)> = self.tx.flushed()?.load(query)?;
        let convert =
            |(id, sealed)| SealedSecret { row: SealedRow::App(AppId::stored(id)), sealed };
        Ok(rows.into_iter().map(convert).collect())
    }

    fn properties(self, owner: i64, after: i64, limit: i64) -> Result<Vec<SealedSecret>> {
        let (user, id) = (connections::user_id, connections::id);
        let rest = user.gt(owner).or(user.eq(owner).and(id.gt(after)));
        let query = connections::table.filter(user.ge(owner).and(rest)).order((user, id));
        let query = query.filter(connections::properties.is_not_null()).limit(limit);
        let query = query.select((user, id, connections::properties.assume_not_null()));
        let rows: Vec<(i64, i64, Vec<u8>)> = self.tx.flushed()?.load(query)?;
        let convert = |(owner, id, sealed)| SealedSecret {
            row: SealedRow::Connection(UserId::new(owner), ConnectionId::new(id)),
            sealed,
        };
        Ok(rows.into_iter().map(convert).collect())
    }

    /// Replaces a sealed secret; returns false if the row has changed meanwhile.
    pub fn replace(self, secret: &SealedSecret, sealed: &[u8]) -> Result<bool> {
        let before = secret.sealed.as_slice();
        let mut conn = self.tx.flushed()?;
        let replaced = match &secret.row {
            SealedRow::SigningKey { algorithm, number, .. } => {
                let target = signing_keys::table.find((algorithm.as_str(), *number));
                let target = target.filter(signing_keys::sealed.eq(before));
                let query = diesel::update(target).set(signing_keys::sealed.eq(sealed));
                conn.execute(query)?
            }
            SealedRow::App(app) => {
                let target = apps::table.find(app.as_str());
                let target = target.filter(apps::client_secret.eq(before));
                let query = diesel::update(target).set(apps::client_secret.eq(sealed));
                conn.execute(query)?
            }
            SealedRow::Connection(owner, id) => {
                let target = connections::table.find((owner.get(), id.get()));
                let target = target.filter(connections::properties.eq(before));
                let query = diesel::update(target).set(connections::properties.eq(sealed));
                conn.execute(query)?
            }
        };
        Ok(replaced > 0)
    }
}
