//! Event streams of many users.

use anyhow::Context;
use serde_json::json;

use super::{Traffic, get};
use crate::siege::env::SiegeEnv;
use crate::unique;

/// Streams that are open at a time.
const STREAMS: usize = 1_000;
/// Streams of one user: the most that a process allows (8.23).
const OF_A_USER: usize = 20;

/// 1,000 streams of 50 users that wait for events of a public book.
pub(super) fn listeners(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let path = format!("/v5/books/{book}");
    env.attacker.put(&path, &json!({"visibility": "PUBLIC"})).ok();
    let streams = env.size.of(STREAMS);
    let users = streams.div_ceil(OF_A_USER);
    let emails: Vec<String> =
        (0..users).map(|_| format!("{}@example.com", unique("listener"))).collect();
    let clients = env.server.clients(&emails);
    let token = |client: &crate::Client| client.token().map(str::to_owned).context("a token");
    let tokens = clients.iter().map(token).collect::<anyhow::Result<Vec<String>>>()?;
    let listen = move |number: usize| {
        let token = tokens.get(number / OF_A_USER).cloned();
        super::Request { token, ..get(format!("{path}/events/stream")) }
    };
    Ok(Traffic::Streams(streams, Box::new(listen)))
}
