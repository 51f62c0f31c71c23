//! The union of all refusals. Each is declared beside its rule.

use crate::reason::{Reason, RefusalKind};
use crate::{
    access, access_request, account, amount, api_key, app, book, collaborator, collection,
    connection, delivery, email, file, grant, group, idempotency, integration, mail, name,
    property, query, saved_query, session, storage_quota, token, transaction, user, version,
};

/// A refusal of any rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// About access.
    #[error(transparent)]
    Access(#[from] access::Refusal),
    /// About an access request.
    #[error(transparent)]
    AccessRequest(#[from] access_request::Refusal),
    /// About an account.
    #[error(transparent)]
    Account(#[from] account::Refusal),
    /// About an amount.
    #[error(transparent)]
    Amount(#[from] amount::Refusal),
    /// About an API key.
    #[error(transparent)]
    ApiKey(#[from] api_key::Refusal),
    /// About an app.
    #[error(transparent)]
    App(#[from] app::Refusal),
    /// About a book.
    #[error(transparent)]
    Book(#[from] book::Refusal),
    /// About a collaborator.
    #[error(transparent)]
    Collaborator(#[from] collaborator::Refusal),
    /// About a collection.
    #[error(transparent)]
    Collection(#[from] collection::Refusal),
    /// About a connection.
    #[error(transparent)]
    Connection(#[from] connection::Refusal),
    /// About deliveries and responses.
    #[error(transparent)]
    Delivery(#[from] delivery::Refusal),
    /// About an email address.
    #[error(transparent)]
    Email(#[from] email::Refusal),
    /// About a file.
    #[error(transparent)]
    File(#[from] file::Refusal),
    /// About an OAuth grant.
    #[error(transparent)]
    Grant(#[from] grant::Refusal),
    /// About a group.
    #[error(transparent)]
    Group(#[from] group::Refusal),
    /// About an idempotency key.
    #[error(transparent)]
    Idempotency(#[from] idempotency::Refusal),
    /// About an integration.
    #[error(transparent)]
    Integration(#[from] integration::Refusal),
    /// About a mail.
    #[error(transparent)]
    Mail(#[from] mail::Refusal),
    /// About a name.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// About properties.
    #[error(transparent)]
    Property(#[from] property::Refusal),
    /// About a query.
    #[error(transparent)]
    Query(#[from] query::Refusal),
    /// About a saved query.
    #[error(transparent)]
    SavedQuery(#[from] saved_query::Refusal),
    /// About signing in.
    #[error(transparent)]
    Session(#[from] session::Refusal),
    /// About a storage quota.
    #[error(transparent)]
    StorageQuota(#[from] storage_quota::Refusal),
    /// About an access token.
    #[error(transparent)]
    Token(#[from] token::Refusal),
    /// About a transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Refusal),
    /// About a user.
    #[error(transparent)]
    User(#[from] user::Refusal),
    /// About an `If-Match` condition.
    #[error(transparent)]
    Version(#[from] version::Refusal),
}

impl Refusal {
    /// Returns the stable reason.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Access(refusal) => refusal.reason(),
            Self::AccessRequest(refusal) => refusal.reason(),
            Self::Account(refusal) => refusal.reason(),
            Self::ApiKey(refusal) => refusal.reason(),
            Self::App(refusal) => refusal.reason(),
            Self::Book(refusal) => refusal.reason(),
            Self::Collaborator(refusal) => refusal.reason(),
            Self::Collection(refusal) => refusal.reason(),
            Self::Connection(refusal) => refusal.reason(),
            Self::Delivery(refusal) => refusal.reason(),
            Self::Email(refusal) => refusal.reason(),
            Self::File(refusal) => refusal.reason(),
            Self::Grant(refusal) => refusal.reason(),
            Self::Group(refusal) => refusal.reason(),
            Self::Idempotency(refusal) => refusal.reason(),
            Self::Integration(refusal) => refusal.reason(),
            Self::Query(refusal) => refusal.reason(),
            Self::SavedQuery(refusal) => refusal.reason(),
            Self::Session(refusal) => refusal.reason(),
            Self::StorageQuota(refusal) => refusal.reason(),
            Self::Token(refusal) => refusal.reason(),
            Self::Transaction(refusal) => refusal.reason(),
            Self::User(refusal) => refusal.reason(),
            Self::Version(refusal) => refusal.reason(),
            Self::Amount(_) | Self::Mail(_) | Self::Name(_) | Self::Property(_) => {
                Reason::BadRequest
            }
        }
    }

    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> RefusalKind {
        self.reason().kind()
    }
}
