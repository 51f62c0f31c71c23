//! `daybook serve`: wiring, start and stop of the server.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use anyhow::{Context, ensure};
use daybook_auth::Auth;
use daybook_auth::api_key::{ApiKeyCache, ApiKeyCalls};
use daybook_auth::grant::GrantLimits;
use daybook_auth::identity::Identity;
use daybook_auth::rate::AttemptLimit;
use daybook_auth::session::WebOrigins;
use daybook_auth::signing_key::check_keys;
use daybook_auth::worker::{api_key_calls, identity};
use daybook_blobs::worker::{book_removal, file_sweep};
use daybook_blobs::{BeforeRemoval, BookRemoval, FileSweep, Uploads};
use daybook_domain::id::BookKey;
use daybook_edge::budget::Budget;
use daybook_edge::reader_shares::ReaderShares;
use daybook_edge::worker::{self, Stop, Worker};
use daybook_edge::{Edge, Site, Wakeup};
use daybook_http::{
    AppState, EventStreams, ImportQueue, LargeCopies, ReportSlots, Templates, encode_single_event,
};
use daybook_service::{Ids, signing_key};
use daybook_storage::{Options, Store};
use daybook_webhooks::worker::{delivery, delivery_sweep};
use daybook_webhooks::{WebhookClient, Webhooks};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::first_user::FirstUser;
use crate::metrics::Metrics;
use crate::systemd::{READY, STOPPING, notify};
use crate::worker::audit::AuditWorker;
use crate::worker::checkpoint::CheckpointWorker;
use crate::worker::mail::MailWorker;
use crate::worker::{audit, checkpoint, copy_sweep, mail};
use crate::{clock, files, key, limit, registries};

/// Event streams have at most this part of the connections: a quarter.
const STREAMS_SHARE: usize = 4;

/// Serves until SIGTERM or Ctrl-C, then finishes running requests and closes the store.
///
/// # Errors
/// An invalid setting; a database that cannot be opened; an address that cannot be listened on.
pub(crate) fn run(options: &ServeArgs) -> anyhow::Result<()> {
    options.logs.start()?;
    let templates = templates(options.templates.as_deref())?;
    let data_dir = &options.data.data_dir;
    let providers = options.providers.as_deref().map(registries::providers).transpose()?;
    let clients = options.clients.as_deref().map(registries::clients).transpose()?;
    let identity = Arc::new(Identity::new(key::load(data_dir)?, providers));
    let database = database(options)?;
    let store = Arc::new(Store::open(&database).context("the database cannot be opened")?);
    check_keys(store.read(signing_key::list)?, identity.key(), clock::now())?;
    let listener = TcpListener::bind(options.listen)
        .with_context(|| format!("{} cannot be listened on", options.listen))?;
    let address = listener.local_addr()?;
    let first_user = if is_trial(options) { FirstUser::find(&store, clock::now())? } else { None };
    let blobs = files::open(&options.files, data_dir)?;
    let (stop, unfinished) = (Stop::default(), Wakeup::default());
    let replica_shares = replica_shares(&store, &database)?;
    let edge = Arc::new(Edge {
        store: Arc::clone(&store),
        ids: Arc::new(Ids::new(store.generation())),
        clock: clock::now,
        read_deadline: options.limits.read_deadline(),
        reader_shares: ReaderShares::new(usize::try_from(database.readers)?),
        budget: Budget::of_megabytes(options.bodies_megabytes),
        site: site(options, address),
        headers: options.compat.headers()?,
        mails: Wakeup::default(),
    });
    let auth = Arc::new(Auth {
        edge: Arc::clone(&edge),
        identity,
        admission: Arc::new(options.admission.admission()),
        api_keys: ApiKeyCache::default(),
        api_key_calls: Arc::new(ApiKeyCalls::default()),
        quotas: options.rates.quotas(options.providers.is_some()),
        refused_tokens: AttemptLimit::per_minute(options.rates.refused_tokens_per_minute),
        security: options.logs.security()?,
        has_console: !options.no_console,
        web_origins: web_origins(options, address),
        administrators: options.administrators.iter().cloned().collect(),
        first_user_link: first_user.as_ref().map(FirstUser::link),
        clients: clients.unwrap_or_default(),
        grant_limits: GrantLimits::default(),
        mailed_links: options.mail.links(),
    });
    let max_connections = limit::connections();
    let webhooks = webhooks(options, &edge, &auth)?;
    let state = AppState {
        edge,
        auth,
        blobs,
        storage_quotas: options.limits.storage_quotas(),
        uploads: Uploads::within(Duration::from_secs(options.orphan_seconds)),
        replica_shares,
        missing_as_no_content: options.compat.missing_as_no_content(),
        ledger_alias: options.compat.ledger_alias(),
        templates,
        webhooks: Arc::new(webhooks),
        audits: Wakeup::default(),
        reports: ReportSlots::default(),
        imports: ImportQueue::default(),
        copies: LargeCopies::new(unfinished.clone(), {
            let stop = stop.clone();
            move || stop.is_requested()
        }),
        event_streams: EventStreams::new(max_connections / STREAMS_SHARE, stop.clone()),
        data_dir: data_dir.clone(),
        deleted_books_days: options.deleted_books_days,
        removals: Wakeup::default(),
        delivery_sweeps: Wakeup::default(),
    };
    let state = Arc::new(state);
    let calls = Arc::clone(&state.auth.api_key_calls);
    let mut workers = workers(&state, options, &stop, unfinished)?;
    let metrics = Metrics::open(&options.metrics, &options.data, &state)?;
    workers.extend(metrics.iter().map(Metrics::worker));
    announce(options, address);
    if let Some(first_user) = first_user {
        first_user.print(&state.edge.site.canonical_url)?;
    }
    // This returns after blocking work has ended too; a running audit gives up on a stop.
    actix_web::rt::System::new().block_on(serve(
        listener,
        state,
        max_connections,
        workers,
        stop,
        options.notify_socket.clone(),
        metrics,
    ))?;
    if let Err(error) = calls.flush(&store, clock::now()) {
        tracing::warn!(%error, "API key calls not recorded");
    }
    // The writers finish the units of work in their queues before they end.
    drop(store);
    tracing::info!("daybook stopped");
    Ok(())
}

/// Returns how the database and its replicas are opened.
fn database(options: &ServeArgs) -> anyhow::Result<Options> {
    let address = options.data.address()?;
    let replicas = options.replicas.of(&address)?;
    let coordinator = options.coordinator.of(&address)?;
    let default = Options::new(address);
    let writers = options.limits.writers().unwrap_or(default.writers);
    ensure!(
        default.address.is_server() || writers == 1,
        "--writers is for PostgreSQL: SQLite has one"
    );
    Ok(Options { coordinator, replicas, writers, ..default })
}

/// Returns the sender of webhooks.
fn webhooks(options: &ServeArgs, edge: &Arc<Edge>, auth: &Arc<Auth>) -> anyhow::Result<Webhooks> {
    Ok(Webhooks {
        edge: Arc::clone(edge),
        auth: Arc::clone(auth),
        client: WebhookClient::new(options.webhooks.allowed(is_trial(options))?)?,
        shares: ReaderShares::of_deliveries(),
        encode: encode_single_event,
        storage_quotas: options.limits.storage_quotas(),
    })
}

fn replica_shares(store: &Store, database: &Options) -> anyhow::Result<Vec<ReaderShares>> {
    let readers = usize::try_from(database.readers)?;
    Ok((0..store.replicas()).map(|_| ReaderShares::new(readers)).collect())
}

/// Creates the background workers. They share the state of the requests.
fn workers(
    state: &Arc<AppState>,
    options: &ServeArgs,
    stop: &Stop,
    unfinished: Wakeup,
) -> anyhow::Result<Vec<Worker>> {
    let edge = &state.edge;
    let store = &edge.store;
    let checkpoints = CheckpointWorker {
        store: Arc::clone(store),
        key: Arc::new(state.auth.identity.key().checkpoint_key()?),
        directory: options.checkpoints.directory(&options.data.data_dir),
        clock: edge.clock,
        stop: stop.clone(),
    };
    let mut workers = vec![
        api_key_calls::worker(Arc::clone(&state.auth.api_key_calls), Arc::clone(store), edge.clock),
        identity::worker(Arc::clone(&state.auth.identity), Arc::clone(store)),
        audit::worker(
            AuditWorker {
                store: Arc::clone(store),
                ids: Arc::clone(&edge.ids),
                clock: edge.clock,
                stop: stop.clone(),
                found: Arc::default(),
            },
            state.audits.clone(),
        ),
        mail::worker(MailWorker::new(store, options.mail.relay()?, stop), edge.mails.clone()),
        copy_sweep::worker(Arc::clone(store), stop.clone(), unfinished),
        delivery::worker(Arc::clone(&state.webhooks), stop.clone()),
        delivery_sweep::worker(
            Arc::clone(store),
            edge.clock,
            stop.clone(),
            state.delivery_sweeps.clone(),
        ),
        book_removal::worker(
            BookRemoval {
                store: Arc::clone(store),
                blobs: state.blobs.clone(),
                clock: edge.clock,
                before_removal: before_removal(&state.webhooks),
                note: checkpoints.clone().removal_note(),
                stop: {
                    let stop = stop.clone();
                    Arc::new(move || stop.is_requested())
                },
            },
            state.removals.clone(),
        ),
        file_sweep::worker(FileSweep {
            store: Arc::clone(store),
            blobs: state.blobs.clone(),
            clock: edge.clock,
            orphan_age: Duration::from_secs(options.orphan_seconds),
        }),
        checkpoint::worker(checkpoints),
        state.event_streams.worker(Arc::clone(store)),
    ];
    workers.extend(daybook_http::import_workers(state, stop));
    Ok(workers)
}

/// Returns the hook that detaches the pending deliveries of a book before its rows are removed.
fn before_removal(webhooks: &Arc<Webhooks>) -> BeforeRemoval {
    let webhooks = Arc::clone(webhooks);
    Arc::new(move |book: BookKey| {
        let webhooks = Arc::clone(&webhooks);
        Box::pin(async move { webhooks.detach_pending_deliveries(&book).await })
    })
}

/// Returns the addresses of this server.
fn site(options: &ServeArgs, address: SocketAddr) -> Site {
    let default = || format!("http://{address}{}", options.path_prefix);
    Site {
        path_prefix: options.path_prefix.clone(),
        public_url: options.public_url.clone(),
        canonical_url: options.public_url.clone().unwrap_or_else(default),
        trusted_proxies: options.rates.trusted_proxies.clone(),
    }
}

/// Returns the web origins whose apps may use sessions.
fn web_origins(options: &ServeArgs, address: SocketAddr) -> WebOrigins {
    WebOrigins::new(options.public_url.as_deref(), address, options.web_origins.clone())
}

/// Returns whether this is a trial: the server listens on loopback only, and has no public URL, no
/// identity providers and no mail server.
pub(crate) fn is_trial(options: &ServeArgs) -> bool {
    options.listen.ip().is_loopback()
        && options.public_url.is_none()
        && options.providers.is_none()
        && options.mail.smtp_url.is_none()
}

/// Logs that the server is ready, and the first steps.
fn announce(options: &ServeArgs, address: SocketAddr) {
    let encrypted = options.public_url.as_ref().is_some_and(|url| url.starts_with("https:"));
    if !address.ip().is_loopback() && !encrypted {
        tracing::warn!(
            "access tokens and links to files travel in clear; let a proxy do TLS, and give \
                --public-url with https://"
        );
    }
    if is_trial(options) && !options.webhooks.is_given() {
        tracing::info!(
            "trial mode: webhooks may reach this machine. It ends with --public-url, --providers \
                or --smtp-url; --webhook-allow none turns it off"
        );
    }
    tracing::info!(%address, "daybook is ready: http://{address}/docs");
    if options.data.database_url.is_none() {
        let command = std::env::current_exe().unwrap_or_else(|_| "daybook".into());
        tracing::info!(
            "get a token: TOKEN=$({} token --email you@example.com --data-dir {})",
            command.display(),
            options.data.data_dir.display()
        );
        tracing::info!(
            "then: curl -H \"Authorization: Bearer $TOKEN\" http://{address}{}/v5/user",
            options.path_prefix
        );
    }
}

/// Serves requests and runs the background workers until a signal arrives.
async fn serve(
    listener: TcpListener,
    state: Arc<AppState>,
    max_connections: usize,
    workers: Vec<Worker>,
    stop: Stop,
    manager: Option<String>,
    metrics: Option<Metrics>,
) -> anyhow::Result<()> {
    let workers = worker::start(workers, &stop);
    let server = daybook_http::serve(listener, state, max_connections)?;
    let handle = server.handle();
    let metrics = metrics.map(Metrics::serve).transpose()?;
    let metrics_handle = metrics.as_ref().map(Server::handle);
    let metrics = metrics.map(actix_web::rt::spawn);
    notify(manager.as_deref(), READY);
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    actix_web::rt::spawn(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        tracing::info!("stopping, waiting for running requests");
        notify(manager.as_deref(), STOPPING);
        stop.request();
        handle.stop(true).await;
        if let Some(metrics) = metrics_handle {
            metrics.stop(true).await;
        }
    });
    server.await?;
    if let Some(metrics) = metrics {
        metrics.await.context("the server of the metrics panicked")??;
    }
    for worker in workers {
        worker.await.context("a background worker panicked")?;
    }
    Ok(())
}

fn templates(path: Option<&Path>) -> anyhow::Result<Templates> {
    let Some(path) = path else { return Templates::read(None).map_err(anyhow::Error::msg) };
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the templates {} cannot be read", path.display()))?;
    Templates::read(Some(&text))
        .map_err(|fault| anyhow::anyhow!("the templates {} are invalid: {fault}", path.display()))
}
