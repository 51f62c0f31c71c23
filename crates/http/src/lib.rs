//! The v5 REST API: a thin actix-web adapter over the use cases of [`daybook_service`].
//!
//! [`serve`] listens and answers until it is told to stop. Handlers decode, call one use case through `run`, encode.

mod account;
mod balance;
mod blob;
mod body;
mod book;
mod collaborator;
mod collection;
mod cursor;
mod error;
mod event;
mod farewell;
mod file;
mod group;
mod health;
mod idempotency;
mod middleware;
mod reply;
mod request;
pub mod routes;
mod run;
mod saved_query;
mod state;
mod sweep;
mod template;
pub mod token;
mod transaction;
mod user;
mod wire;

use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::middleware::{NormalizePath, TrailingSlash, from_fn};
use actix_web::{App, HttpServer, web};

pub use blob::Blobs;
pub use state::{Bell, Headers, Known, State};
pub use template::Templates;

/// How long a client may take to send the head of a request before it is cut off.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection that is being closed waits for its client to read the answer.
const LINGER: Duration = Duration::from_secs(2);
/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long running requests may take to finish after a stop, in seconds.
const SHUTDOWN_SECONDS: u64 = 8;

/// Answers on a listening socket, and sweeps up after files meanwhile. The server runs while the returned future is awaited; its handle stops it: it takes
/// no new connections, finishes what runs, and ends.
///
/// # Errors
/// When the socket cannot be used.
pub fn serve(listener: TcpListener, state: State) -> std::io::Result<Server> {
    let state = web::Data::new(state);
    actix_web::rt::spawn(sweep::forever(state.clone()));
    let app = move || {
        App::new()
            .app_data(state.clone())
            .wrap(from_fn(middleware::around))
            .wrap(NormalizePath::new(TrailingSlash::Trim))
            .configure(|config| routes::mount(config, &state))
    };
    let server = HttpServer::new(app)
        .client_request_timeout(HEAD_PATIENCE)
        .client_disconnect_timeout(LINGER)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}
