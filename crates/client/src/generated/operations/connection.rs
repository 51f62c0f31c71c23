//! Operations of the contract: connection.

use reqwest::Method;

use crate::client::Client;
use crate::request::Request;
use crate::types::{Connection, ConnectionList, IntegrationList};

impl Client {
    /// Lists connections.
    ///
    /// Returns the caller's own connections, by name, ignoring case (9.5).
    ///
    /// `GET /v5/user/connections` is `listConnections`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_connections().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_connections(&self) -> Request<ConnectionList> {
        Request::json(self, Method::GET, &["v5", "user", "connections"])
    }

    /// Connects to an app.
    ///
    /// If a connection with the same agentId and uuid exists, returns it unchanged. A user has at
    /// most 100 (9.5).
    ///
    /// `POST /v5/user/connections` is `createConnection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Connection,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.create_connection(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_connection(&self, body: &Connection) -> Request<Connection> {
        Request::json(self, Method::POST, &["v5", "user", "connections"]).body(body).keyed()
    }

    /// Updates a connection.
    ///
    /// Writable: name, properties; an absent field stays (9.5).
    ///
    /// `PUT /v5/user/connections` is `updateConnection`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     client: &daybook_client::Client,
    /// #     body: daybook_client::types::Connection,
    /// # ) -> Result<(), daybook_client::Error> {
    /// let response = client.update_connection(&body).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_connection(&self, body: &Connection) -> Request<Connection> {
        Request::json(self, Method::PUT, &["v5", "user", "connections"]).body(body).keyed()
    }

    /// Deletes a connection.
    ///
    /// Its integrations are deleted in every book (9.5).
    ///
    /// `DELETE /v5/user/connections/{id}` is `deleteConnection`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.delete_connection("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_connection(&self, id: &str) -> Request<Connection> {
        Request::json(self, Method::DELETE, &["v5", "user", "connections", id]).keyed()
    }

    /// Gets a connection.
    ///
    /// Returns one of the caller's own connections.
    ///
    /// `GET /v5/user/connections/{id}` is `getConnection`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.get_connection("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_connection(&self, id: &str) -> Request<Connection> {
        Request::json(self, Method::GET, &["v5", "user", "connections", id])
    }

    /// Lists the integrations of a connection.
    ///
    /// Returns the integrations in the books that the caller may read, in at most 1,000 books, by
    /// name, ignoring case (9.5).
    ///
    /// `GET /v5/user/connections/{id}/integrations` is `listConnectionIntegrations`.
    ///
    /// ```no_run
    /// # async fn example(client: &daybook_client::Client) -> Result<(), daybook_client::Error> {
    /// let response = client.list_connection_integrations("id").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_connection_integrations(&self, id: &str) -> Request<IntegrationList> {
        Request::json(self, Method::GET, &["v5", "user", "connections", id, "integrations"])
    }
}
