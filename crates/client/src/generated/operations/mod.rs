//! One function for each operation of the contract.

mod account;
mod administration;
mod app;
mod balance;
mod book;
mod collaborator;
mod collection;
mod comment;
mod connection;
mod event;
mod export;
mod file;
mod group;
mod import;
mod integration;
mod reconciliation;
mod report;
mod saved_query;
mod template;
mod transaction;
mod transaction_batch;
mod user;
mod user_access;
