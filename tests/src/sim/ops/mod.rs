//! The operations. Each one calls the service, calls the model, and is drawn by a row of [`TABLE`].
//! To add one, add a type to its noun's file and a row here.

pub mod access_request;
pub mod app;
pub mod balance;
pub mod book;
pub mod chart;
pub mod collaborator;
pub mod collection;
pub mod comment;
pub mod connection;
pub mod copy;
pub mod count;
pub mod deletion;
pub mod delivery;
pub mod event;
pub mod file;
pub mod integration;
pub mod list;
pub mod merge;
pub mod saved_query;
pub mod token;
pub mod transaction;
pub mod transfer;
pub mod typed;

use std::fmt;
use std::sync::Arc;

use super::draw::Draw;
use super::facts::Outcome;
use super::model::{Caller, Model};
use super::service::Service;

/// An operation of a client on the book of the caller.
pub trait Operation: fmt::Debug + Send + Sync {
    /// Whether the operation makes sense in this state. In a shortened trace it may not.
    fn applies(&self, _model: &Model, _caller: &Caller) -> bool {
        true
    }
    /// Runs the operation on the service.
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome;
    /// Runs the operation on the model.
    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome;
    /// Smaller variants of the operation, for shorter traces.
    fn smaller(&self) -> Vec<DynOperation> {
        Vec::new()
    }
}

pub type DynOperation = Arc<dyn Operation>;

/// An operation in the table: its weight, its name and its draw function.
pub struct Row {
    pub weight: usize,
    pub name: &'static str,
    pub draw: fn(&mut Draw<'_>) -> DynOperation,
}

macro_rules! table {
    ($($weight:literal $name:literal $draw:path),* $(,)?) => {
        &[$(Row { weight: $weight, name: $name, draw: $draw }),*]
    };
}

pub const TABLE: &[Row] = table! {
    22 "createTransaction" transaction::draw_create,
    6 "createTransaction and batch with text" typed::draw,
    6 "createTransactionsBatch" transaction::draw_create_batch,
    3 "postTransaction without id" transaction::draw_create_posted,
    9 "post, update, check, uncheck, trash, untrash" transaction::draw_perform,
    9 "... in batches" transaction::draw_perform_batch,
    5 "mergeTransactions" merge::draw,
    2 "getTransaction" transaction::draw_get,
    2 "transactions by ids" transaction::draw_named,
    7 "listTransactions" list::draw,
    3 "countTransactions, countTransactionsPosted" count::draw,
    6 "getBalances" balance::draw,
    2 "createFile" file::draw_create,
    2 "updateFile" file::draw_update,
    1 "deleteFile" file::draw_delete,
    1 "getFile, listFiles" file::draw_read,
    3 "createAccount and batch" chart::draw_create_accounts,
    5 "updateAccount and batch" chart::draw_update_accounts,
    2 "deleteAccount and batch" chart::draw_delete_accounts,
    2 "read accounts" chart::draw_read_accounts,
    3 "createGroup and batch" chart::draw_create_groups,
    4 "updateGroup and batch" chart::draw_update_groups,
    2 "deleteGroup and batch" chart::draw_delete_groups,
    2 "read groups" chart::draw_read_groups,
    5 "updateBook" book::draw_update,
    3 "saveQuery, updateQuery, deleteQuery" saved_query::draw_write,
    1 "getQuery, listQueries" saved_query::draw_read,
    4 "createComment, deleteComment, listComments" comment::draw,
    3 "write collections" collection::draw_write,
    1 "getCollection, listCollections" collection::draw_read,
    2 "getBook, listBooks" book::draw_read,
    2 "addCollaborator" collaborator::draw_add,
    1 "removeCollaborator" collaborator::draw_remove,
    1 "listCollaborators" collaborator::draw_list,
    2 "listEvents" event::draw,
    2 "requestBookAccess" access_request::draw_request,
    2 "read and decline access requests" access_request::draw_decide,
    1 "transferBook" transfer::draw,
    1 "accept, decline and read offers" transfer::draw_decide,
    2 "restoreBook, deleted books" deletion::draw,
    2 "createToken, revokeToken" token::draw_write,
    2 "read and use tokens" token::draw_use,
    4 "createApp, updateApp" app::draw_write,
    1 "getApp, listApps" app::draw_read,
    6 "write integrations" integration::draw_write,
    2 "listIntegrations, listBookApps" integration::draw_read,
    8 "deliver" delivery::draw_work,
    6 "backlog, replays, responses" delivery::draw_request,
    4 "write connections" connection::draw_write,
    2 "read connections" connection::draw_read,
};

/// Variants of an operation.
pub fn variants<T: Operation + 'static>(all: impl IntoIterator<Item = T>) -> Vec<DynOperation> {
    all.into_iter().map(|operation| Arc::new(operation) as DynOperation).collect()
}

/// Variants of a list, each without one item.
pub fn fewer<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let without = |without: usize| {
        items
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != without)
            .map(|(_, item)| item.clone())
            .collect()
    };
    if items.len() < 2 { Vec::new() } else { (0..items.len()).map(without).collect() }
}

/// Variants of a list, each with one item simplified.
pub fn simpler<T: Clone>(items: &[T], simplify: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = fewer(items);
    for (index, item) in items.iter().enumerate() {
        for simple in simplify(item) {
            let mut list = items.to_vec();
            list[index] = simple;
            lists.push(list);
        }
    }
    lists
}
