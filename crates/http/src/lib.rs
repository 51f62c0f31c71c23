//! The v5 REST API: an actix-web adapter over the use cases of [`daybook_service`].
//!
//! [`serve`] runs the server until its handle stops it. A request passes through these modules:
//!
//! 1. `socket` and `slots` limit the connections, and close those that are idle or too slow.
//! 2. `middleware` assigns the request id, opens a tracing span and adds the common headers.
//! 3. `mount` matches the operation in the table of `routes`.
//! 4. The extractor `request` authenticates the caller, charges the quota ([`daybook_auth`]) and
//!    creates the `Context` of the use case. The extractors of `body` receive the body within the
//!    memory budget.
//! 5. The handler converts the body to the input of a use case, and calls it on a snapshot or in a
//!    unit of work ([`daybook_edge::run`]). There is one module per noun, with its wire shapes.
//! 6. `respond` and `reply` encode the result within the response budget. With an idempotency key,
//!    the response is stored in the same unit of work (`idempotency`).
//!
//! A path without an operation may be one of the web console (`console`).
//!
//! [`daybook_edge::error`] maps every refusal to a status. The pages and endpoints of
//! sign-in and OAuth are in [`daybook_auth`]. [`daybook_webhooks`] sends webhooks.

mod access_request;
mod account;
mod administration;
mod api_key;
mod app;
mod balance;
mod body;
mod book;
mod book_transfer;
mod collaborator;
mod collection;
mod comment;
mod compression;
mod connection;
mod console;
mod cursor;
mod delivery;
mod event;
mod event_streams;
mod export;
mod file;
mod group;
mod health;
mod idempotency;
mod import;
mod import_queue;
mod integration;
mod item_notes;
mod large_copies;
mod link;
mod log_position;
mod middleware;
mod mount;
mod pieces;
mod read_stream;
mod reconciliation;
mod replica_read;
mod reply;
mod report;
mod report_slots;
mod request;
mod respond;
mod route_metrics;
pub mod routes;
mod saved_query;
mod sealed_link;
mod segments;
mod slots;
mod socket;
mod state;
mod stored_body;
mod surrogate;
mod template;
mod timed_body;
mod token;
mod transaction;
mod unmatched;
mod user;
mod wire;

use std::future::ready;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{ServiceFactoryExt, map_config};
use actix_web::dev::{AppConfig, Extensions, Server, fn_service};
use actix_web::middleware::{NormalizePath, TrailingSlash, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{App, web};
use daybook_edge::receive::BodyReceived;

use console::Console;
use health::Contract;
use slots::Slots;
use socket::Socket;

pub use event::encode_single_event;
pub use event_streams::EventStreams;
pub use import::workers as import_workers;
pub use import_queue::ImportQueue;
pub use large_copies::LargeCopies;
pub use report_slots::ReportSlots;
pub use route_metrics::{IN_FLIGHT, RouteMetrics};
pub use state::AppState;
pub use template::catalog::Templates;

/// How long running requests may take to finish after a stop, in seconds.
const SHUTDOWN_SECONDS: u64 = 8;

/// How long a connection that is being closed waits for its client to read the response.
const LINGER: Duration = Duration::from_secs(2);

/// Serves HTTP on a listening socket, with at most `max_connections` connections.
///
/// The server runs while the returned future is awaited. When its handle stops it, it accepts no
/// new connections, and running requests have 8 seconds to finish.
///
/// # Errors
/// When the server cannot listen on the socket.
pub fn serve(
    listener: TcpListener,
    state: Arc<AppState>,
    max_connections: usize,
) -> std::io::Result<Server> {
    let site = &state.edge.site;
    let contract = web::Data::new(Contract::under(site.public_path()));
    let console =
        web::Data::new(state.auth.has_console.then(|| Console::under(site.public_path())));
    let slots = Slots::new(max_connections, &site.trusted_proxies);
    let edge = web::Data::from(Arc::clone(&state.edge));
    let auth = web::Data::from(Arc::clone(&state.auth));
    let state = web::Data::from(state);
    let workers = available_parallelism().map_or(1, usize::from);
    let builder = Server::build()
        .workers(workers)
        .max_concurrent_connections((max_connections / workers).max(1))
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals();
    let stop = builder.graceful_shutdown_signal();
    // The same stack as `actix_web::HttpServer`, but with sockets that have their own timeouts.
    let connections = move || {
        let app = App::new()
            .app_data(edge.clone())
            .app_data(auth.clone())
            .app_data(state.clone())
            .app_data(contract.clone())
            .app_data(console.clone())
            .wrap(from_fn(middleware::observe))
            .wrap(NormalizePath::new(TrailingSlash::Trim))
            .configure(|config| mount::mount(config, &state));
        let stop = stop.clone();
        let http = HttpService::build()
            // The socket times idle connections and heads.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(LINGER)
            .graceful_shutdown_signal(move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            })
            .on_connect_ext(|socket: &Socket, data: &mut Extensions| {
                let connection = socket.connection();
                drop(data.insert(Rc::clone(&connection)));
                drop(data.insert(BodyReceived(Box::new(move || connection.received()))));
            });
        let slots = slots.clone();
        let accept = move |stream: TcpStream| {
            // An error closes the connection: the client has gone, or there is no slot.
            let accepted = stream.peer_addr().and_then(|peer| {
                let slot = slots.take(peer.ip()).ok_or(ErrorKind::ConnectionRefused)?;
                Ok((Socket::new(stream, slot)?, Protocol::Http1, Some(peer)))
            });
            ready(accepted.map_err(DispatchError::Io))
        };
        fn_service(accept).and_then(http.finish(map_config(app, |()| AppConfig::default())))
    };
    Ok(builder.listen("daybook", listener, connections)?.run())
}
