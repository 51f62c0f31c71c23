//! The table of all routes.

use actix_web::http::Method;
use actix_web::{Route, web};
use daybook_auth::{grant, session, signing_key};

use crate::{
    access_request, account, administration, api_key, app, balance, book, book_transfer,
    collaborator, collection, comment, connection, delivery, event, export, file, group, health,
    import, integration, link, reconciliation, report, saved_query, template, token, transaction,
    user,
};

/// The path of a book, the prefix of most operations.
pub(crate) const BOOK: &str = "/v5/books/{bookId}";

/// Marks operations with a lasting effect, which apps may not use with the token of a webhook.
///
/// Their effect outlives the token, or cannot be undone (behaviour 8.22).
#[derive(Clone, Copy)]
pub(crate) struct NotForApps;

/// An operation of the contract.
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path with its parameters.
    pub path: &'static str,
    /// The operationId in the contract; empty for operations outside of it.
    pub id: &'static str,
    /// The cost of a call (behaviour 10.6).
    pub cost: u32,
    /// Whether apps may not use it with the token of a webhook.
    pub(crate) lasting: Option<NotForApps>,
    pub(crate) handler: &'static str,
    /// The handler.
    pub(crate) route: Route,
}

/// Declares operations, grouped by the module of their handlers and a path prefix.
///
/// The line of an operation has the method, the rest of the path, the operationId, the cost if it
/// is not 1, the handler, and `NotForApps` if its effect is lasting.
macro_rules! operations {
    ($($noun:ident at $base:literal {
        $($method:ident $path:literal $id:literal $(costs $cost:literal)?
            => $handler:ident $(, $lasting:ident)?;)*
    })*) => {
        vec![$($(Operation {
            method: Method::$method,
            path: concat!($base, $path),
            id: $id,
            cost: [1 $(, $cost)?].into_iter().fold(1, u32::max),
            lasting: [None $(, Some($lasting))?].into_iter().flatten().next(),
            handler: stringify!($handler),
            route: web::to($noun::$handler),
        },)*)*]
    };
}

/// Returns all operations. The most used come first, because actix tries them in this order.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let mut all = transactions();
    all.extend(chart());
    all.extend(books());
    all.extend(of_users());
    all.extend(outside());
    all
}

fn transactions() -> Vec<Operation> {
    operations!(
        transaction at "/v5/books/{bookId}/transactions" {
            POST "" "createTransaction" => create_transaction;
            GET "" "listTransactions" => list_transactions;
            PUT "" "updateTransaction" => update_transaction;
            POST "/batch" "createTransactionsBatch" => create_transactions_batch;
            PUT "/batch" "updateTransactionsBatch" => update_transactions_batch;
            PATCH "/post" "postTransaction" => post_transaction;
            PATCH "/post/batch" "postTransactionsBatch" => post_transactions_batch;
            PATCH "/check" "checkTransaction" => check_transaction;
            PATCH "/check/batch" "checkTransactionsBatch" => check_transactions_batch;
            PATCH "/uncheck" "uncheckTransaction" => uncheck_transaction;
            PATCH "/uncheck/batch" "uncheckTransactionsBatch" => uncheck_transactions_batch;
            PATCH "/trash" "trashTransaction" => trash_transaction;
            PATCH "/trash/batch" "trashTransactionsBatch" => trash_transactions_batch;
            PATCH "/merge" "mergeTransactions" => merge_transactions;
            PATCH "/remove" "removeTransaction" => trash_transaction;
            PATCH "/untrash" "untrashTransaction" => untrash_transaction;
            PATCH "/untrash/batch" "untrashTransactionsBatch" => untrash_transactions_batch;
            PATCH "/restore" "restoreTransaction" => untrash_transaction;
            POST "/load/batch" "loadTransactionsBatch" => load_transactions_batch;
            POST "/preview" "previewTransaction" => preview_transaction;
            GET "/count" "countTransactions" => count_transactions;
            GET "/count/posted" "countTransactionsPosted" => count_transactions_posted;
            GET "/{id}" "getTransaction" => get_transaction;
        }
        comment at "/v5/books/{bookId}/transactions/{transactionId}/comments" {
            GET "" "listComments" => list_comments;
            POST "" "createComment" => create_comment;
            DELETE "/{commentId}" "deleteComment" => delete_comment;
        }
        balance at "/v5/books/{bookId}/balances" {
            GET "" "getBalances" => get_balances;
        }
        report at "/v5/books/{bookId}/reports" {
            GET "/{id}" "getReport" => get_report;
            GET "/{id}/link" "getReportLink" => get_report_link;
        }
        report at "/v5/books/{bookId}/close" {
            POST "" "closeBook" => close_book;
        }
        export at "/v5/books/{bookId}/export" {
            GET "" "exportBook" => export_book;
            GET "/link" "getExportLink" => get_export_link;
        }
    )
}

fn chart() -> Vec<Operation> {
    operations!(
        account at "/v5/books/{bookId}/accounts" {
            GET "" "listAccounts" => list_accounts;
            POST "" "createAccount" costs 2 => create_account;
            PUT "" "updateAccount" costs 2 => update_account;
            POST "/batch" "createAccountsBatch" costs 3 => create_accounts_batch;
            PUT "/batch" "updateAccountsBatch" costs 3 => update_accounts_batch;
            POST "/delete/batch" "deleteAccountsBatch" costs 3 => delete_accounts_batch;
            GET "/{id}" "getAccount" => get_account;
            DELETE "/{id}" "deleteAccount" => delete_account;
            GET "/{id}/groups" "listAccountGroups" => list_account_groups;
        }
        group at "/v5/books/{bookId}/groups" {
            GET "" "listGroups" => list_groups;
            POST "" "createGroup" => create_group;
            PUT "" "updateGroup" => update_group;
            POST "/batch" "createGroupsBatch" => create_groups_batch;
            PUT "/batch" "updateGroupsBatch" => update_groups_batch;
            POST "/delete/batch" "deleteGroupsBatch" => delete_groups_batch;
            GET "/{id}" "getGroup" => get_group;
            DELETE "/{id}" "deleteGroup" => delete_group;
            GET "/{id}/accounts" "listGroupAccounts" => list_group_accounts;
        }
    )
}

fn books() -> Vec<Operation> {
    operations!(
        book at "/v5/books" {
            GET "" "listBooks" costs 2 => list_books;
            POST "" "createNewBook" => create_new_book;
            PUT "" "updateBook" => update_book;
            GET "/{bookId}" "getBook" => get_book;
            PUT "/{bookId}" "updateBookDeprecated" => update_book_deprecated;
            DELETE "/{bookId}" "deleteBook" => delete_book, NotForApps;
            PATCH "/{bookId}/audit" "auditBook" => audit_book;
            POST "/{bookId}/copy" "copyBook" => copy_book;
            POST "/{bookId}/restore" "restoreBook" => restore_book, NotForApps;
        }
        book_transfer at "/v5/books/{bookId}/transfer" {
            GET "" "getBookTransfer" => get_book_transfer, NotForApps;
            POST "" "transferBook" => transfer_book, NotForApps;
            DELETE "" "declineBookTransfer" => decline_book_transfer, NotForApps;
            POST "/accept" "acceptBookTransfer" => accept_book_transfer, NotForApps;
        }
        collaborator at "/v5/books/{bookId}/collaborators" {
            GET "" "listCollaborators" => list_collaborators;
            POST "" "addCollaborator" costs 2 => add_collaborator, NotForApps;
            DELETE "/{id}" "removeCollaborator" => remove_collaborator, NotForApps;
        }
        access_request at "/v5/books/{bookId}/collaborators/request" {
            GET "" "listBookAccessRequests" => list_book_access_requests, NotForApps;
            POST "" "requestBookAccess" costs 2 => request_book_access, NotForApps;
            GET "/{id}" "getBookAccessRequest" => get_book_access_request, NotForApps;
            DELETE "/{id}" "declineBookAccessRequest" => decline_book_access_request, NotForApps;
        }
        delivery at "/v5/books/{bookId}/events" {
            GET "/backlog" "getBookEventsBacklog" => get_book_events_backlog;
            PATCH "/replay/batch" "replayEvents" => replay_events;
            PUT "/{id}/responses/{agentId}" "replayEventResponse" => replay_event_response;
            DELETE "/{id}/responses/{agentId}" "deleteEventResponse" => delete_event_response;
            GET "/{id}/deliveries" "listEventDeliveries" => list_event_deliveries;
        }
        delivery at "/v5/books/{bookId}/apps" {
            GET "/{agentId}/deliveries" "listAppDeliveries" => list_app_deliveries;
        }
        event at "/v5/books/{bookId}/events" {
            GET "" "listEvents" => list_events;
            GET "/stream" "streamEvents" => stream_events;
            GET "/{id}" "getEvent" => get_event;
        }
        integration at "/v5/books/{bookId}" {
            GET "/apps" "listBookApps" => list_book_apps;
            GET "/integrations" "listIntegrations" => list_integrations;
            POST "/integrations" "createIntegration" => create_integration, NotForApps;
            PUT "/integrations" "updateIntegration" => update_integration, NotForApps;
            DELETE "/integrations/{id}" "deleteIntegration" => delete_integration, NotForApps;
        }
        saved_query at "/v5/books/{bookId}/queries" {
            GET "" "listQueries" => list_queries;
            POST "" "saveQuery" => save_query;
            PUT "" "updateQuery" => update_query;
            GET "/{id}" "getQuery" => get_query;
            DELETE "/{id}" "deleteQuery" => delete_query;
        }
        reconciliation at "/v5/books/{bookId}/reconciliations" {
            GET "" "listReconciliations" => list_reconciliations;
            POST "" "createReconciliation" => create_reconciliation;
            GET "/{id}" "getReconciliation" => get_reconciliation;
            PUT "/{id}" "updateReconciliation" => update_reconciliation;
            DELETE "/{id}" "deleteReconciliation" => delete_reconciliation;
        }
        import at "/v5/books/{bookId}/imports" {
            GET "" "listImports" => list_imports;
            POST "" "createImport" => create_import, NotForApps;
            GET "/{id}" "getImport" => get_import;
            DELETE "/{id}" "deleteImport" => delete_import;
            GET "/{id}/records" "listImportRecords" => list_import_records;
            POST "/{id}/confirm" "confirmImport" => confirm_import, NotForApps;
            POST "/{id}/undo" "undoImport" => undo_import, NotForApps;
        }
        file at "/v5/books/{bookId}/files" {
            GET "" "listFiles" => list_files;
            POST "" "createFile" => create_file;
            PUT "" "updateFile" => update_file;
            GET "/{id}" "getFile" => get_file;
            DELETE "/{id}" "deleteFile" => delete_file;
        }
    )
}

fn of_users() -> Vec<Operation> {
    operations!(
        collection at "/v5/collections" {
            GET "" "listCollections" => list_collections;
            POST "" "createCollection" => create_collection, NotForApps;
            PUT "" "updateCollection" => update_collection, NotForApps;
            GET "/{id}" "getCollection" => get_collection;
            DELETE "/{id}" "deleteCollection" => delete_collection, NotForApps;
            PATCH "/{id}/books/add" "addBooksToCollection" => add_books_to_collection, NotForApps;
            PATCH "/{id}/books/remove" "removeBooksFromCollection"
                => remove_books_from_collection, NotForApps;
        }
        app at "/v5/apps" {
            GET "" "listApps" => list_apps;
            POST "" "createApp" => create_app, NotForApps;
            PUT "" "updateApp" => update_app, NotForApps;
            PATCH "" "patchApp" => update_app, NotForApps;
            GET "/{agentId}" "getApp" => get_app;
        }
        template at "/v5/templates" {
            GET "" "listTemplates" => list_templates;
        }
        user at "/v5/user" {
            GET "" "getUser" => get_user;
            GET "/billing" "getBilling" => get_billing;
            GET "/billing/checkout" "getBillingCheckout" => get_billing_checkout;
            GET "/billing/portal" "getBillingPortal" => get_billing_portal;
            GET "/billing/counts" "listBillingCounts" => list_billing_counts;
            GET "/sessions" "listSessions" => list_sessions, NotForApps;
            DELETE "/sessions/{id}" "endSession" => end_session, NotForApps;
            GET "/consents" "listConsents" => list_consents, NotForApps;
            DELETE "/consents/{id}" "withdrawConsent" => withdraw_consent, NotForApps;
        }
        book_transfer at "/v5/user/transfers" {
            GET "" "listBookTransfers" => list_book_transfers, NotForApps;
        }
        connection at "/v5/user/connections" {
            GET "" "listConnections" => list_connections;
            POST "" "createConnection" => create_connection;
            PUT "" "updateConnection" => update_connection;
            GET "/{id}" "getConnection" => get_connection;
            DELETE "/{id}" "deleteConnection" => delete_connection;
            GET "/{id}/integrations" "listConnectionIntegrations" => list_connection_integrations;
        }
        token at "/v5/user/tokens" {
            GET "" "listTokens" => list_tokens, NotForApps;
            POST "" "createToken" => create_token, NotForApps;
            GET "/{id}" "getToken" => get_token, NotForApps;
            DELETE "/{id}" "revokeToken" => revoke_token, NotForApps;
        }
        api_key at "/v5/user/keys" {
            GET "" "listApiKeys" => list_api_keys, NotForApps;
            POST "" "createApiKey" => create_api_key, NotForApps;
            GET "/{id}" "getApiKey" => get_api_key, NotForApps;
            DELETE "/{id}" "revokeApiKey" => revoke_api_key, NotForApps;
        }
        administration at "/v5/administration" {
            GET "/status" "getInstallationStatus" => get_installation_status, NotForApps;
            GET "/users" "listUsers" => list_users, NotForApps;
            POST "/users/{id}/disable" "disableUser" => disable_user, NotForApps;
            POST "/users/{id}/enable" "enableUser" => enable_user, NotForApps;
            POST "/invitations" "createInvitation" => create_invitation, NotForApps;
        }
    )
}

pub(crate) fn outside() -> Vec<Operation> {
    operations!(
        session at "/auth" {
            GET "/login" "" => login;
            GET "/link" "" => show_link;
            POST "/link" "" => sign_in;
            POST "/links" "" => create_link;
            GET "/first-user" "" => show_first_user;
            POST "/first-user" "" => create_first_user;
            GET "/provider" "" => begin_provider_sign_in;
            GET "/callback" "" => finish_provider_sign_in;
            POST "/mail" "" => mail_link;
            POST "/refresh" "" => refresh_session;
            GET "/logout" "" => logout;
            POST "/logout" "" => sign_out;
        }
        session at "/style" {
            GET "/{name}" "" => stylesheet;
        }
        grant at "/.well-known" {
            GET "/openid-configuration" "" => metadata;
            GET "/oauth-authorization-server" "" => metadata;
            GET "/oauth-authorization-server/{path:.*}" "" => metadata;
        }
        signing_key at "/.well-known/jwks.json" {
            GET "" "" => jwks;
        }
        grant at "/auth" {
            GET "/authorize" "" => authorize;
            POST "/authorize" "" => authorize_by_form;
            POST "/consent" "" => consent;
            POST "/token" "" => token;
            POST "/device/code" "" => device_code;
            GET "/device" "" => show_device;
            POST "/device" "" => decide_device;
            POST "/revoke" "" => revoke;
            POST "/introspect" "" => introspect;
            GET "/userinfo" "" => userinfo;
            POST "/userinfo" "" => userinfo;
            GET "/consents" "" => list_consents;
            POST "/consents" "" => withdraw_consent;
        }
        app at "/api/apps/{agentId}/source" {
            GET "" "" => source;
        }
        file at "/files" {
            GET "/{address}" "" => serve;
        }
        link at "/links" {
            GET "/{link}" "" => open;
        }
        health at "" {
            GET "/health" "" => health;
            GET "/ready" "" => ready;
            GET "/openapi.json" "" => contract;
            GET "/openapi-3.1.json" "" => contract_3_1;
            GET "/auth/openapi.json" "" => auth_contract;
            GET "/docs" "" => page;
        }
    )
}

/// Returns the paths of older clients, which are off by default (behaviour 12.6).
pub(crate) fn aliases() -> Vec<Operation> {
    operations!(
        account at "/v2/ledgers/{bookId}/accounts" {
            POST "" "" costs 2 => create_ledger_account;
        }
    )
}
