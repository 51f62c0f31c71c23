//! The union of all refusals. Each is declared beside its rule.

use crate::reason::{Reason, RefusalKind};
use crate::{
    access, access_request, account, amount, api_key, app, book, chart, collaborator, collection,
    comment, connection, delivery, email, file, grant, group, idempotency, import, integration,
    mail, name, property, query, reconciliation, report, saved_query, session, storage_quota,
    token, transaction, user, version,
};

/// Declares the union of the refusals of these modules.
macro_rules! union {
    ($($variant:ident: $module:ident,)*) => {
        /// A refusal of any rule.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[expect(missing_docs, reason = "each variant has the refusals of its module")]
        pub enum Refusal {
            $(
                #[error(transparent)]
                $variant(#[from] $module::Refusal),
            )*
        }

        impl Refusal {
            /// Returns the stable reason.
            pub const fn reason(&self) -> Reason {
                match self { $(Self::$variant(refusal) => refusal.reason(),)* }
            }

            /// Returns the kind.
            pub const fn kind(&self) -> RefusalKind {
                self.reason().kind()
            }
        }
    };
}

union! {
    Access: access,
    AccessRequest: access_request,
    Account: account,
    Amount: amount,
    ApiKey: api_key,
    App: app,
    Book: book,
    Chart: chart,
    Collaborator: collaborator,
    Collection: collection,
    Comment: comment,
    Connection: connection,
    Delivery: delivery,
    Email: email,
    File: file,
    Grant: grant,
    Group: group,
    Idempotency: idempotency,
    Import: import,
    Integration: integration,
    Mail: mail,
    Name: name,
    Property: property,
    Query: query,
    Reconciliation: reconciliation,
    Report: report,
    SavedQuery: saved_query,
    Session: session,
    StorageQuota: storage_quota,
    Token: token,
    Transaction: transaction,
    User: user,
    Version: version,
}
