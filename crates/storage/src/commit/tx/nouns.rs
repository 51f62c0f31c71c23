//! The accessors of the repositories.

use super::Tx;
use crate::book::Books;
use crate::{
    access_request, account, api_key, app, audit, balance, bot_response, collaborator, collection,
    connection, delivery, event, file, grant, group, idempotency, identity, integration, mail,
    saved_query, sealed, session, signing_key, storage_quota, token, transaction, user,
};

impl<'a> Tx<'a> {
    /// Users.
    pub fn users(&mut self) -> user::Users<'_, 'a> {
        user::Users { tx: self }
    }

    /// Access tokens.
    pub fn tokens(&mut self) -> token::Tokens<'_, 'a> {
        token::Tokens { tx: self }
    }

    /// Storage usage of books and owners.
    pub fn storage_usage(&mut self) -> storage_quota::StorageUsages<'_, 'a> {
        storage_quota::StorageUsages { tx: self }
    }

    /// API keys.
    pub fn api_keys(&mut self) -> api_key::ApiKeys<'_, 'a> {
        api_key::ApiKeys { tx: self }
    }

    /// Apps.
    pub fn apps(&mut self) -> app::Apps<'_, 'a> {
        app::Apps { tx: self }
    }

    /// Connections.
    pub fn connections(&mut self) -> connection::Connections<'_, 'a> {
        connection::Connections { tx: self }
    }

    /// Sign-in links.
    pub fn login_links(&mut self) -> session::LoginLinks<'_, 'a> {
        session::LoginLinks { tx: self }
    }

    /// Browser sessions.
    pub fn sessions(&mut self) -> session::Sessions<'_, 'a> {
        session::Sessions { tx: self }
    }

    /// Signing key pairs of the token issuer.
    pub fn signing_keys(&mut self) -> signing_key::SigningKeys<'_, 'a> {
        signing_key::SigningKeys { tx: self }
    }

    /// Deliveries of removed books.
    pub fn detached_deliveries(&mut self) -> delivery::detached::DetachedDeliveries<'_, 'a> {
        delivery::detached::DetachedDeliveries { tx: self }
    }

    /// The delivery log.
    pub fn delivery_log(&mut self) -> delivery::log::DeliveryLog<'_, 'a> {
        delivery::log::DeliveryLog { tx: self }
    }

    /// Sealed secrets of all tables.
    pub fn sealed_secrets(&mut self) -> sealed::SealedSecrets<'_, 'a> {
        sealed::SealedSecrets { tx: self }
    }

    /// Outgoing mails.
    pub fn mails(&mut self) -> mail::Mails<'_, 'a> {
        mail::Mails { tx: self }
    }

    /// Grants of users to apps.
    pub fn grants(&mut self) -> grant::Grants<'_, 'a> {
        grant::Grants { tx: self }
    }

    /// Consents of users to apps.
    pub fn consents(&mut self) -> grant::Consents<'_, 'a> {
        grant::Consents { tx: self }
    }

    /// Pending device authorizations.
    pub fn device_authorizations(&mut self) -> grant::DeviceAuthorizations<'_, 'a> {
        grant::DeviceAuthorizations { tx: self }
    }

    /// The counter of changes of users, tokens and API keys.
    pub fn identity_changes(&mut self) -> identity::IdentityChanges<'_, 'a> {
        identity::IdentityChanges { tx: self }
    }

    /// Books.
    pub fn books(&mut self) -> Books<'_, 'a> {
        Books { tx: self }
    }

    /// Collaborators of a book.
    pub fn collaborators(&mut self) -> collaborator::Collaborators<'_, 'a> {
        collaborator::Collaborators { tx: self }
    }

    /// Requests for access to a book.
    pub fn access_requests(&mut self) -> access_request::AccessRequests<'_, 'a> {
        access_request::AccessRequests { tx: self }
    }

    /// Accounts of a book.
    pub fn accounts(&mut self) -> account::Accounts<'_, 'a> {
        account::Accounts { tx: self }
    }

    /// Groups of a book.
    pub fn groups(&mut self) -> group::Groups<'_, 'a> {
        group::Groups { tx: self }
    }

    /// Transactions of a book.
    pub fn transactions(&mut self) -> transaction::Transactions<'_, 'a> {
        transaction::Transactions { tx: self }
    }

    /// Balance totals of a book.
    pub fn balances(&mut self) -> balance::Balances<'_, 'a> {
        balance::Balances { tx: self }
    }

    /// Integrations of a book.
    pub fn integrations(&mut self) -> integration::Integrations<'_, 'a> {
        integration::Integrations { tx: self }
    }

    /// Saved queries of a book.
    pub fn saved_queries(&mut self) -> saved_query::SavedQueries<'_, 'a> {
        saved_query::SavedQueries { tx: self }
    }

    /// Files of a book.
    pub fn files(&mut self) -> file::Files<'_, 'a> {
        file::Files { tx: self }
    }

    /// Audits.
    pub fn audits(&mut self) -> audit::Audits<'_, 'a> {
        audit::Audits { tx: self }
    }

    /// Collections of users.
    pub fn collections(&mut self) -> collection::Collections<'_, 'a> {
        collection::Collections { tx: self }
    }

    /// The event log of a book.
    pub fn events(&mut self) -> event::Events<'_, 'a> {
        event::Events { tx: self }
    }

    /// Deliveries of events to apps.
    pub fn deliveries(&mut self) -> delivery::Deliveries<'_, 'a> {
        delivery::Deliveries { tx: self }
    }

    /// App responses to events.
    pub fn bot_responses(&mut self) -> bot_response::BotResponses<'_, 'a> {
        bot_response::BotResponses { tx: self }
    }

    /// Idempotency keys.
    pub fn keys(&mut self) -> idempotency::Keys<'_, 'a> {
        idempotency::Keys { tx: self }
    }
}
