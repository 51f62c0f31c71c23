//! Connections of users to other services. Their properties are sealed.

use daybook_domain::app::AppId;
use daybook_domain::connection::{Connection, ConnectionKind};
use daybook_domain::id::{ConnectionId, UserId};
use daybook_domain::name::Name;
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::connections;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = connections,
    primary_key(user_id, id),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
struct Row {
    user_id: i64,
    id: i64,
    app_id: String,
    uuid: String,
    kind: String,
    name: String,
    properties: Option<Vec<u8>>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl From<&Connection> for Row {
    fn from(connection: &Connection) -> Self {
        let Connection { id, owner, app, uuid, kind, name, properties, stamp } = connection;
        Self {
            user_id: owner.get(),
            id: id.get(),
            app_id: app.to_string(),
            uuid: uuid.clone(),
            kind: kind.as_str().to_owned(),
            name: name.as_str().to_owned(),
            properties: properties.clone(),
            created_at: stamp.created_at.milliseconds(),
            updated_at: stamp.updated_at.milliseconds(),
            version: stamp.version,
        }
    }
}

impl TryFrom<Row> for Connection {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: ConnectionId::new(row.id),
            owner: UserId::new(row.user_id),
            app: AppId::stored(row.app_id),
            uuid: row.uuid,
            kind: ConnectionKind::from_name(&row.kind).ok_or(Error::Corrupt("kind"))?,
            name: Name::stored(row.name),
            properties: row.properties,
            stamp: column::stamp(None, row.created_at, row.updated_at, row.version),
        })
    }
}

/// The connections of users.
pub struct Connections<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Connections<'_, '_> {
    /// Lists the connections of a user, in no order.
    pub fn list(self, owner: UserId) -> Result<Vec<Connection>> {
        let query = connections::table.filter(connections::user_id.eq(owner.get()));
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Finds a connection of a user by id.
    pub fn find(self, owner: UserId, id: ConnectionId) -> Result<Option<Connection>> {
        let query = connections::table.find((owner.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Finds a connection and shares it, so it is not deleted before the unit of work ends.
    ///
    /// A connection that is being deleted is not found.
    pub fn share_lock(self, owner: UserId, id: ConnectionId) -> Result<Option<Connection>> {
        let mut conn = self.tx.flushed()?;
        let row = Sql::new("SELECT id FROM connections WHERE user_id = {} AND id = {}{}").bind((
            owner,
            id,
            Sql::new(conn.for_key_share_skip_locked()),
        ));
        match conn.row::<i64>(&row)? {
            Some(_) => self.find(owner, id),
            None => Ok(None),
        }
    }

    /// Inserts a connection.
    pub fn insert(self, connection: &Connection) -> Result<()> {
        let row = Row::from(connection);
        let query = diesel::insert_into(connections::table).values(&row);
        self.tx.flushed()?.run(query)
    }

    /// Saves a changed connection.
    pub fn update(self, connection: &Connection) -> Result<()> {
        let row = Row::from(connection);
        let target = connections::table.find((row.user_id, row.id));
        self.tx.flushed()?.run(diesel::update(target).set(&row))
    }

    /// Deletes a connection.
    pub fn delete(self, connection: &Connection) -> Result<()> {
        let target = connections::table.find((connection.owner.get(), connection.id.get()));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
