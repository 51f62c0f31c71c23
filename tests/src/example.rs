//! A server for the examples in the documentation of `daybook-client`.

use std::error::Error;

use serde_json::json;

use crate::{CASH_AND_FOOD, Engine, Server, block_on};

/// The server and the data of an example.
pub struct Example {
    /// The address of the server.
    pub url: String,
    /// The access token of a user.
    pub token: String,
    /// The id of a book of that user, with the accounts Cash and Food.
    pub book: String,
}

/// Runs an example against a server of its own, on SQLite.
///
/// # Panics
/// If the example fails.
pub fn run_example(example: impl AsyncFnOnce(Example) -> Result<(), Box<dyn Error>>) {
    let server = Server::start(Engine::Sqlite);
    let user = server.client("example@example.com");
    let accounts = CASH_AND_FOOD.map(|(name, kind)| json!({"name": name, "type": kind}));
    let book = user.post("/v5/books", &json!({"name": "Example", "accounts": accounts})).ok();
    let given = Example {
        url: server.base().to_owned(),
        token: user.token().expect("a user has a token").to_owned(),
        book: book["id"].as_str().expect("a book has an id").to_owned(),
    };
    let result = block_on(example(given));
    drop(server);
    if let Err(error) = result {
        panic!("the example fails: {error}");
    }
}
