//! The secrets that tables keep sealed, whatever they belong to: read and replaced when the key
//! that seals them is rotated (behaviour 11.23).

use daybook_domain::app::AppId;
use daybook_domain::id::{ConnectionId, UserId};
use daybook_domain::signing_key::{NewPair, SigningAlgorithm, SigningKey};
use diesel::prelude::*;

use crate::conn::on_engine;
use crate::error::Result;
use crate::schema::{apps, connections, signing_keys};
use crate::signing_key::SigningKeys;
use crate::tx::Tx;

/// A column of sealed secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedColumn {
    /// The private keys that sign for others.
    SigningKeys,
    /// The secrets of apps.
    ClientSecrets,
    /// What connections hold.
    ConnectionProperties,
}

impl SealedColumn {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::SigningKeys, Self::ClientSecrets, Self::ConnectionProperties];
}

/// The row of a sealed secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealedRow {
    /// A key pair.
    SigningKey {
        /// What it signs with.
        algorithm: SigningAlgorithm,
        /// Its number among those of the algorithm.
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
    /// Where it stands.
    pub row: SealedRow,
    /// The secret under its seal.
    pub sealed: Vec<u8>,
}

/// All sealed secrets.
pub struct SealedSecrets<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl SealedSecrets<'_, '_> {
    /// The next ones of a column behind a row, in the order of the table. Signing keys are few and
    /// come at once.
    pub fn after(
        self,
        column: SealedColumn,
        row: Option<&SealedRow>,
        limit: i64,
    ) -> Result<Vec<SealedSecret>> {
        match (column, row) {
            (SealedColumn::SigningKeys, None) => self.signing_keys(),
            (SealedColumn::ClientSecrets, None) => self.client_secrets("", limit),
            (_, Some(SealedRow::App(app))) => self.client_secrets(app.as_str(), limit),
            (SealedColumn::ConnectionProperties, None) => self.properties((0, 0), limit),
            (_, Some(SealedRow::Connection(owner, id))) => {
                self.properties((owner.get(), id.get()), limit)
            }
            (_, Some(SealedRow::SigningKey { .. })) => Ok(Vec::new()),
        }
    }

    fn signing_keys(self) -> Result<Vec<SealedSecret>> {
        let ring = SigningKeys { tx: self.tx }.list()?;
        let read = |SigningKey { pair, number, .. }: &SigningKey| {
            let NewPair { id, algorithm, sealed } = pair.clone();
            let row = SealedRow::SigningKey { algorithm, number: *number, id };
            SealedSecret { row, sealed }
        };
        Ok(ring.keys().iter().map(read).collect())
    }

    fn client_secrets(self, behind: &str, limit: i64) -> Result<Vec<SealedSecret>> {
        let query = apps::table.filter(apps::id.gt(behind)).order(apps::id).limit(limit);
        let query = query.select((apps::id, apps::client_secret.assume_not_null()));
        let query = query.filter(apps::client_secret.is_not_null());
        let rows: Vec<(String, Vec<u8>)> = on_engine!(self.tx.flushed()?, c => query.load(c))?;
        let read = |(id, sealed)| SealedSecret { row: SealedRow::App(AppId::stored(id)), sealed };
        Ok(rows.into_iter().map(read).collect())
    }

    fn properties(self, (owner, behind): (i64, i64), limit: i64) -> Result<Vec<SealedSecret>> {
        let (user, id) = (connections::user_id, connections::id);
        let rest = user.gt(owner).or(user.eq(owner).and(id.gt(behind)));
        let query = connections::table.filter(user.ge(owner).and(rest)).order((user, id));
        let query = query.filter(connections::properties.is_not_null()).limit(limit);
        let query = query.select((user, id, connections::properties.assume_not_null()));
        let rows: Vec<(i64, i64, Vec<u8>)> = on_engine!(self.tx.flushed()?, c => query.load(c))?;
        let read = |(owner, id, sealed)| SealedSecret {
            row: SealedRow::Connection(UserId::new(owner), ConnectionId::new(id)),
            sealed,
        };
        Ok(rows.into_iter().map(read).collect())
    }

    /// Puts another seal in the place of one; whether that was still there. A row that somebody
    /// has changed meanwhile stays as it is.
    pub fn replace(self, secret: &SealedSecret, sealed: &[u8]) -> Result<bool> {
        let before = secret.sealed.as_slice();
        let mut conn = self.tx.flushed()?;
        let replaced = match &secret.row {
            SealedRow::SigningKey { algorithm, number, .. } => {
                let target = signing_keys::table.find((algorithm.as_str(), *number));
                let target = target.filter(signing_keys::sealed.eq(before));
                let query = diesel::update(target).set(signing_keys::sealed.eq(sealed));
                on_engine!(conn, c => query.execute(c))?
            }
            SealedRow::App(app) => {
                let target = apps::table.find(app.as_str());
                let target = target.filter(apps::client_secret.eq(before));
                let query = diesel::update(target).set(apps::client_secret.eq(sealed));
                on_engine!(conn, c => query.execute(c))?
            }
            SealedRow::Connection(owner, id) => {
                let target = connections::table.find((owner.get(), id.get()));
                let target = target.filter(connections::properties.eq(before));
                let query = diesel::update(target).set(connections::properties.eq(sealed));
                on_engine!(conn, c => query.execute(c))?
            }
        };
        Ok(replaced > 0)
    }
}
