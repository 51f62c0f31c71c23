//! Integrations: the apps that are installed in books, and the programs of banks.

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::id::{BookId, ConnectionId, IntegrationId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::integration::{AppReach, Integration};
use daybook_domain::name::Name;
use daybook_domain::purpose::WriteIntegrations;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::{books, integrations};

/// No connection has this number.
const NO_CONNECTION: i64 = 0;
/// The prefix of the app id in an integration that installs no app. Ids of apps never have it, so
/// look-ups of an app do not find such rows.
const NO_APP: &str = ":";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = integrations,
    primary_key(book_id, id),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
struct Row {
    book_id: i64,
    id: i64,
    app_id: String,
    connection_id: i64,
    installer_id: i64,
    name: String,
    properties: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
    reach: String,
    own_events: bool,
}

impl Row {
    fn new(access: &Access, integration: &Integration) -> Self {
        let Integration {
            id,
            app,
            installs_app,
            connection,
            name,
            installer,
            properties,
            reach,
            own_events,
            stamp,
        } = integration;
        let mark = if *installs_app { "" } else { NO_APP };
        Self {
            book_id: access.book().id.get(),
            id: id.get(),
            app_id: format!("{mark}{app}"),
            connection_id: connection.map_or(NO_CONNECTION, ConnectionId::get),
            installer_id: installer.get(),
            name: name.as_str().to_owned(),
            properties: column::properties_to_text(properties),
            created_at: stamp.created_at.milliseconds(),
            updated_at: stamp.updated_at.milliseconds(),
            version: stamp.version,
            reach: reach.as_str().to_owned(),
            own_events: *own_events,
        }
    }
}

impl TryFrom<Row> for Integration {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let program = row.app_id.strip_prefix(NO_APP).map(str::to_owned);
        Ok(Self {
            id: IntegrationId::new(row.id),
            installs_app: program.is_none(),
            app: AppId::stored(program.unwrap_or(row.app_id)),
            connection: (row.connection_id != NO_CONNECTION)
                .then(|| ConnectionId::new(row.connection_id)),
            name: Name::stored(row.name),
            installer: UserId::new(row.installer_id),
            properties: column::properties_from_text(row.properties)?,
            reach: AppReach::from_name(&row.reach).ok_or(Error::Corrupt("reach"))?,
            own_events: row.own_events,
            stamp: column::stamp(None, row.created_at, row.updated_at, row.version),
        })
    }
}

/// The integrations of a book.
pub struct Integrations<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Integrations<'_, '_> {
    /// Lists all integrations, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Integration>> {
        let query = integrations::table.filter(integrations::book_id.eq(access.book().id.get()));
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Finds an integration by id.
    pub fn find(self, access: &Access, id: IntegrationId) -> Result<Option<Integration>> {
        let query = integrations::table.find((access.book().id.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Lists the public ids of the books that use a connection, without deleted ones, in no order.
    pub fn books_of(self, connection: ConnectionId, limit: i64) -> Result<Vec<String>> {
        let using = integrations::table.filter(integrations::connection_id.eq(connection.get()));
        let query = books::table
            .filter(books::id.eq_any(using.select(integrations::book_id)))
            .filter(books::deleted_at.is_null())
            .select(books::public_id)
            .limit(limit);
        self.tx.flushed()?.load(query)
    }

    /// Finds the user who first installed an app in a book.
    pub fn installer(self, book: BookId, app: &AppId) -> Result<Option<UserId>> {
        Ok(self.first(book, app)?.map(|(_, installer)| installer))
    }

    /// Finds the first integration of an app in a book, and the user who installed it.
    pub fn first(self, book: BookId, app: &AppId) -> Result<Option<(IntegrationId, UserId)>> {
        let about = integrations::book_id.eq(book.get()).and(integrations::app_id.eq(app.as_str()));
        let query = integrations::table.filter(about).order(integrations::id);
        let found: Option<(i64, i64)> = self
            .tx
            .flushed()?
            .first(query.select((integrations::id, integrations::installer_id)).limit(1))?;
        Ok(found.map(|(id, installer)| (IntegrationId::new(id), UserId::new(installer))))
    }

    /// Inserts an integration.
    pub fn insert(
        self,
        access: &AccessTo<WriteIntegrations>,
        integration: &Integration,
    ) -> Result<()> {
        let row = Row::new(access, integration);
        let query = diesel::insert_into(integrations::table).values(&row);
        self.tx.flushed()?.run(query)?;
        let state = self.tx.book_state_mut(access.book().id)?;
        state.apps = state.apps.saturating_add(1);
        Ok(())
    }

    /// Saves a changed integration.
    pub fn update(
        self,
        access: &AccessTo<WriteIntegrations>,
        integration: &Integration,
    ) -> Result<()> {
        let row = Row::new(access, integration);
        let target = integrations::table.find((row.book_id, row.id));
        self.tx.flushed()?.run(diesel::update(target).set(&row))
    }

    /// Deletes an integration, with its pending deliveries.
    pub fn delete(
        self,
        access: &AccessTo<WriteIntegrations>,
        integration: &Integration,
        now: Instant,
    ) -> Result<()> {
        let book = access.book().id;
        let target = integrations::table.find((book.get(), integration.id.get()));
        self.tx.flushed()?.run(diesel::delete(target))?;
        let state = self.tx.book_state_mut(book)?;
        state.apps = state.apps.saturating_sub(1);
        if !integration.installs_app {
            return Ok(());
        }
        // The queue belongs to the app, which may have another integration.
        match self.tx.integrations().installer(book, &integration.app)? {
            Some(_) => Ok(()),
            None => self.tx.deliveries().drop_queue(book, &integration.app, now),
        }
    }
}
