//! The accessors of the repositories.

use super::Tx;
use crate::{
    access_request, account, api_key, app, audit, balance, book, bot_response, collaborator,
    collection, comment, connection, delivery, event, file, grant, group, idempotency, identity,
    import, integration, mail, monitor, reconciliation, saved_query, sealed, session, signing_key,
    storage_quota, token, transaction, user,
};

/// Defines an accessor for each repository: its documentation, name and type.
macro_rules! accessors {
    ($(#[doc = $doc:literal] $name:ident: $($repository:ident)::+;)*) => {
        impl<'a> Tx<'a> {
            $(#[doc = $doc]
            pub fn $name(&mut self) -> $($repository)::+<'_, 'a> {
                $($repository)::+ { tx: self }
            })*
        }
    };
}

accessors! {
    /// Users.
    users: user::Users;
    /// Access tokens.
    tokens: token::Tokens;
    /// Storage usage of books and owners.
    storage_usage: storage_quota::StorageUsages;
    /// API keys.
    api_keys: api_key::ApiKeys;
    /// Apps.
    apps: app::Apps;
    /// Connections.
    connections: connection::Connections;
    /// Sign-in links.
    login_links: session::LoginLinks;
    /// Browser sessions.
    sessions: session::Sessions;
    /// Signing key pairs of the token issuer.
    signing_keys: signing_key::SigningKeys;
    /// Deliveries of removed books.
    detached_deliveries: delivery::detached::DetachedDeliveries;
    /// The delivery log.
    delivery_log: delivery::log::DeliveryLog;
    /// Sealed secrets of all tables.
    sealed_secrets: sealed::SealedSecrets;
    /// Outgoing mails.
    mails: mail::Mails;
    /// Grants of users to apps.
    grants: grant::Grants;
    /// Consents of users to apps.
    consents: grant::Consents;
    /// Pending device authorizations.
    device_authorizations: grant::DeviceAuthorizations;
    /// The counter of changes of users, tokens and API keys.
    identity_changes: identity::IdentityChanges;
    /// Books.
    books: book::Books;
    /// Collaborators of a book.
    collaborators: collaborator::Collaborators;
    /// Requests for access to a book.
    access_requests: access_request::AccessRequests;
    /// Accounts of a book.
    accounts: account::Accounts;
    /// Groups of a book.
    groups: group::Groups;
    /// Transactions of a book.
    transactions: transaction::Transactions;
    /// Balance totals of a book.
    balances: balance::Balances;
    /// Integrations of a book.
    integrations: integration::Integrations;
    /// Imports of files into a book.
    imports: import::Imports;
    /// Comments on transactions of a book.
    comments: comment::Comments;
    /// Saved queries of a book.
    saved_queries: saved_query::SavedQueries;
    /// Reconciliations of a book.
    reconciliations: reconciliation::Reconciliations;
    /// Files of a book.
    files: file::Files;
    /// Audits.
    audits: audit::Audits;
    /// Figures about the whole database.
    monitor: monitor::Monitor;
    /// Collections of users.
    collections: collection::Collections;
    /// The event log of a book.
    events: event::Events;
    /// Deliveries of events to apps.
    deliveries: delivery::Deliveries;
    /// App responses to events.
    bot_responses: bot_response::BotResponses;
    /// Idempotency keys.
    keys: idempotency::Keys;
}
