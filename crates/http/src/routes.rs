//! All routes in one table.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{HttpRequest, Route, guard, web};

use crate::error::Transport;
use crate::reply::{self, ApiResult};
use crate::state::State;
use crate::{
    account, balance, book, collaborator, collection, event, file, group, health, saved_query,
    template, transaction, user,
};

/// An operation of the contract.
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path with its parameters.
    pub path: &'static str,
    /// The operationId of the contract; empty outside of it.
    pub id: &'static str,
    /// What answers.
    route: Route,
}

/// Declares operations: `operations!(GET "/path" "operationId" => handler; ...)`.
macro_rules! operations {
    ($($method:ident $path:literal $id:literal => $handler:expr;)*) => {
        vec![$(Operation { method: Method::$method, path: $path, id: $id, route: taking(Method::$method).to($handler) },)*]
    };
}

/// A route for a method. What GET answers, HEAD does too: the server leaves out the body (RFC 9110,
/// 9.3.2).
fn taking(method: Method) -> Route {
    if method == Method::GET {
        web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
    } else {
        web::method(method)
    }
}

/// Every operation, the busiest first: they are tried in this order.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let mut all = transactions();
    all.extend(chart());
    all.extend(books());
    all.extend(outside());
    all
}

fn transactions() -> Vec<Operation> {
    operations!(
        POST "/v5/books/{bookId}/transactions" "createTransaction" => transaction::create_transaction;
        GET "/v5/books/{bookId}/transactions" "listTransactions" => transaction::list_transactions;
        PUT "/v5/books/{bookId}/transactions" "updateTransaction" => transaction::update_transaction;
        POST "/v5/books/{bookId}/transactions/batch" "createTransactionsBatch" => transaction::create_transactions_batch;
        PUT "/v5/books/{bookId}/transactions/batch" "updateTransactionsBatch" => transaction::update_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/post" "postTransaction" => transaction::post_transaction;
        PATCH "/v5/books/{bookId}/transactions/post/batch" "postTransactionsBatch" => transaction::post_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/check" "checkTransaction" => transaction::check_transaction;
        PATCH "/v5/books/{bookId}/transactions/check/batch" "checkTransactionsBatch" => transaction::check_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/uncheck" "uncheckTransaction" => transaction::uncheck_transaction;
        PATCH "/v5/books/{bookId}/transactions/uncheck/batch" "uncheckTransactionsBatch" => transaction::uncheck_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/trash" "trashTransaction" => transaction::trash_transaction;
        PATCH "/v5/books/{bookId}/transactions/trash/batch" "trashTransactionsBatch" => transaction::trash_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/merge" "mergeTransactions" => transaction::merge_transactions;
        PATCH "/v5/books/{bookId}/transactions/remove" "removeTransaction" => transaction::trash_transaction;
        PATCH "/v5/books/{bookId}/transactions/untrash" "untrashTransaction" => transaction::untrash_transaction;
        PATCH "/v5/books/{bookId}/transactions/untrash/batch" "untrashTransactionsBatch" => transaction::untrash_transactions_batch;
        PATCH "/v5/books/{bookId}/transactions/restore" "restoreTransaction" => transaction::untrash_transaction;
        GET "/v5/books/{bookId}/transactions/count" "countTransactions" => transaction::count_transactions;
        GET "/v5/books/{bookId}/transactions/count/posted" "countTransactionsPosted" => transaction::count_transactions_posted;
        GET "/v5/books/{bookId}/transactions/{id}" "getTransaction" => transaction::get_transaction;
        GET "/v5/books/{bookId}/balances" "getBalances" => balance::get_balances;
    )
}

fn chart() -> Vec<Operation> {
    operations!(
        GET "/v5/books/{bookId}/accounts" "listAccounts" => account::list_accounts;
        POST "/v5/books/{bookId}/accounts" "createAccount" => account::create_account;
        PUT "/v5/books/{bookId}/accounts" "updateAccount" => account::update_account;
        POST "/v5/books/{bookId}/accounts/batch" "createAccountsBatch" => account::create_accounts_batch;
        PUT "/v5/books/{bookId}/accounts/batch" "updateAccountsBatch" => account::update_accounts_batch;
        POST "/v5/books/{bookId}/accounts/delete/batch" "deleteAccountsBatch" => account::delete_accounts_batch;
        GET "/v5/books/{bookId}/accounts/{id}" "getAccount" => account::get_account;
        DELETE "/v5/books/{bookId}/accounts/{id}" "deleteAccount" => account::delete_account;
        GET "/v5/books/{bookId}/accounts/{id}/groups" "listAccountGroups" => account::list_account_groups;
        GET "/v5/books/{bookId}/groups" "listGroups" => group::list_groups;
        POST "/v5/books/{bookId}/groups" "createGroup" => group::create_group;
        PUT "/v5/books/{bookId}/groups" "updateGroup" => group::update_group;
        POST "/v5/books/{bookId}/groups/batch" "createGroupsBatch" => group::create_groups_batch;
        PUT "/v5/books/{bookId}/groups/batch" "updateGroupsBatch" => group::update_groups_batch;
        POST "/v5/books/{bookId}/groups/delete/batch" "deleteGroupsBatch" => group::delete_groups_batch;
        GET "/v5/books/{bookId}/groups/{id}" "getGroup" => group::get_group;
        DELETE "/v5/books/{bookId}/groups/{id}" "deleteGroup" => group::delete_group;
        GET "/v5/books/{bookId}/groups/{id}/accounts" "listGroupAccounts" => group::list_group_accounts;
    )
}

fn books() -> Vec<Operation> {
    operations!(
        GET "/v5/books" "listBooks" => book::list_books;
        POST "/v5/books" "createNewBook" => book::create_new_book;
        PUT "/v5/books" "updateBook" => book::update_book;
        GET "/v5/books/{bookId}" "getBook" => book::get_book;
        PUT "/v5/books/{bookId}" "updateBookDeprecated" => book::update_book_deprecated;
        DELETE "/v5/books/{bookId}" "deleteBook" => book::delete_book;
        PATCH "/v5/books/{bookId}/audit" "auditBook" => book::audit_book;
        POST "/v5/books/{bookId}/copy" "copyBook" => book::copy_book;
        GET "/v5/books/{bookId}/collaborators" "listCollaborators" => collaborator::list_collaborators;
        POST "/v5/books/{bookId}/collaborators" "addCollaborator" => collaborator::add_collaborator;
        DELETE "/v5/books/{bookId}/collaborators/{id}" "removeCollaborator" => collaborator::remove_collaborator;
        GET "/v5/books/{bookId}/events" "listEvents" => event::list_events;
        GET "/v5/books/{bookId}/events/{id}" "getEvent" => event::get_event;
        GET "/v5/books/{bookId}/queries" "listQueries" => saved_query::list_queries;
        POST "/v5/books/{bookId}/queries" "saveQuery" => saved_query::save_query;
        PUT "/v5/books/{bookId}/queries" "updateQuery" => saved_query::update_query;
        GET "/v5/books/{bookId}/queries/{id}" "getQuery" => saved_query::get_query;
        DELETE "/v5/books/{bookId}/queries/{id}" "deleteQuery" => saved_query::delete_query;
        GET "/v5/collections" "listCollections" => collection::list_collections;
        POST "/v5/collections" "createCollection" => collection::create_collection;
        PUT "/v5/collections" "updateCollection" => collection::update_collection;
        GET "/v5/collections/{id}" "getCollection" => collection::get_collection;
        DELETE "/v5/collections/{id}" "deleteCollection" => collection::delete_collection;
        PATCH "/v5/collections/{id}/books/add" "addBooksToCollection" => collection::add_books_to_collection;
        PATCH "/v5/collections/{id}/books/remove" "removeBooksFromCollection" => collection::remove_books_from_collection;
        GET "/v5/templates" "listTemplates" => template::list_templates;
        GET "/v5/books/{bookId}/files" "listFiles" => file::list_files;
        POST "/v5/books/{bookId}/files" "createFile" => file::create_file;
        PUT "/v5/books/{bookId}/files" "updateFile" => file::update_file;
        GET "/v5/books/{bookId}/files/{id}" "getFile" => file::get_file;
        DELETE "/v5/books/{bookId}/files/{id}" "deleteFile" => file::delete_file;
        GET "/v5/user" "getUser" => user::get_user;
    )
}

fn outside() -> Vec<Operation> {
    operations!(
        GET "/files/{address}" "" => file::serve;
        GET "/health" "" => health::health;
        GET "/ready" "" => health::ready;
        GET "/openapi.json" "" => health::contract;
        GET "/docs" "" => health::page;
    )
}

/// Paths with a method that each takes.
type Paths = LazyLock<Vec<(ResourceDef, Method)>>;

/// Those of the contract and of what is outside it, read once for all requests that no route takes.
static ALL_PATHS: Paths = LazyLock::new(|| paths(operations()));
/// Those that are found without the prefix too.
static OUTSIDE_PATHS: Paths = LazyLock::new(|| paths(outside()));
/// Those of the addresses beyond the contract.
static ALIAS_PATHS: Paths = LazyLock::new(|| paths(aliases()));

fn paths(operations: Vec<Operation>) -> Vec<(ResourceDef, Method)> {
    operations
        .into_iter()
        .map(|operation| (ResourceDef::new(operation.path), operation.method))
        .collect()
}

/// Addresses beyond the contract, off by default (behaviour 12.6).
fn aliases() -> Vec<Operation> {
    operations!(
        POST "/v2/ledgers/{bookId}/accounts" "" => account::create_account;
    )
}

/// Adds every route, under the prefix when there is one; health, contract and served files are
/// found without it too.
pub(crate) fn mount(config: &mut web::ServiceConfig, state: &State) {
    let prefix = state.path_prefix.as_str();
    if prefix.is_empty() {
        return configure(config, state);
    }
    config.service(web::scope(prefix).configure(|config| configure(config, state)));
    for operation in outside() {
        config.route(operation.path, operation.route);
    }
    config.default_service(web::to(unmatched));
}

/// Adds every route. Each method is a resource of its own, so that an account named `batch` is
/// found by GET although POST has a route there; what no route takes is told apart by
/// [`unmatched`].
fn configure(config: &mut web::ServiceConfig, state: &State) {
    for operation in
        operations().into_iter().chain(if state.ledger_alias { aliases() } else { Vec::new() })
    {
        config.route(operation.path, operation.route);
    }
    config.default_service(web::to(unmatched));
}

/// 405 for a known path with another method, 404 for an unknown path; OPTIONS is answered
/// everywhere (behaviour 0.13).
async fn unmatched(request: HttpRequest, state: web::Data<State>) -> ApiResult {
    if request.method() == Method::OPTIONS {
        return Ok(reply::no_content());
    }
    let methods = methods(request.path(), &state);
    Err(if methods.is_empty() {
        Transport::UnknownRoute
    } else {
        Transport::MethodNotAllowed(allow(&methods))
    }
    .into())
}

/// The methods that a path takes.
fn methods(path: &str, state: &State) -> BTreeSet<&'static str> {
    let outside = OUTSIDE_PATHS.iter().filter(|(resource, _)| resource.is_match(path));
    let inside = path.strip_prefix(&state.path_prefix).into_iter().flat_map(|path| {
        let aliases = ALIAS_PATHS.iter().filter(|_| state.ledger_alias);
        ALL_PATHS.iter().chain(aliases).filter(move |(resource, _)| resource.is_match(path))
    });
    outside.chain(inside).map(|(_, method)| method.as_str()).collect()
}

/// `Allow` (RFC 9110, 10.2.1).
fn allow(methods: &BTreeSet<&str>) -> String {
    let head = methods.contains("GET").then_some("HEAD");
    methods.iter().copied().chain(head).chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}
