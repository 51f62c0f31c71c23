//! `daybook serve`: wiring, start and stop of the server.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use daybook_domain::id::BookKey;
use daybook_http::{
    ApiKeyCache, ApiKeyCalls, AppState, AttemptLimit, BeforeRemoval, BookRemoval, Budget,
    FileSweep, GrantLimits, Identity, LargeCopies, ReaderShares, Templates, Uploads, Wakeup,
    WebhookClient, WebhookSender, check_keys,
};
use daybook_service::{Ids, signing_key};
use daybook_storage::{Options, Store};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::worker::audit::AuditWorker;
use crate::worker::checkpoint::CheckpointWorker;
use crate::worker::mail::MailWorker;
use crate::worker::webhook::WebhookWorker;
use crate::worker::{
    self, Stop, Worker, api_key_calls, audit, book_removal, checkpoint, copy_sweep, delivery_sweep,
    file_sweep, identity, mail, webhook,
};
use crate::{clock, files, key, limit, registries};

/// Serves until SIGTERM or Ctrl-C, then finishes running requests and closes the store.
///
/// # Errors
/// An invalid setting; a database that cannot be opened; an address that cannot be listened on.
pub(crate) fn run(options: &ServeArgs) -> anyhow::Result<()> {
    options.logs.start()?;
    let templates = options.templates.as_deref().map(templates).transpose()?.unwrap_or_default();
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
    let (ids, blobs) =
        (Arc::new(Ids::new(store.generation())), files::open(&options.files, data_dir)?);
    let (stop, unfinished) = (Stop::new(), Wakeup::default());
    let replica_shares = replica_shares(&store, &database)?;
    let state = AppState {
        store: Arc::clone(&store),
        ids,
        clock: clock::now,
        identity,
        admission: Arc::new(options.admission.admission()),
        administrators: options.administrators.iter().cloned().collect(),
        api_keys: ApiKeyCache::default(),
        api_key_calls: Arc::new(ApiKeyCalls::default()),
        quotas: options.rates.quotas(options.providers.is_some()),
        trusted_proxies: options.rates.trusted_proxies.clone(),
        refused_tokens: AttemptLimit::per_minute(options.rates.refused_tokens_per_minute),
        security: options.logs.security()?,
        web_origins: options.web_origins.clone(),
        clients: clients.unwrap_or_default(),
        grant_limits: GrantLimits::default(),
        headers: options.compat.headers()?,
        path_prefix: options.path_prefix.clone(),
        public_url: options.public_url.clone(),
        blobs,
        storage_quotas: options.limits.storage_quotas(),
        uploads: Uploads::within(Duration::from_secs(options.orphan_seconds)),
        read_deadline: options.limits.read_deadline(),
        reader_shares: ReaderShares::new(usize::try_from(database.readers)?),
        delivery_shares: ReaderShares::of_deliveries(),
        replica_shares,
        budget: Budget::of_megabytes(options.bodies_megabytes),
        missing_as_no_content: options.compat.missing_as_no_content(),
        ledger_alias: options.compat.ledger_alias(),
        templates,
        mail_address: mail_address(options, address),
        mailed_links: options.mail.links(),
        webhooks: WebhookClient::new(options.webhooks.allowed(is_trial(options))?)?,
        mails: Wakeup::default(),
        audits: Wakeup::default(),
        copies: LargeCopies::new(unfinished.clone(), {
            let stop = stop.clone();
            move || stop.is_requested()
        }),
        deleted_books_days: options.deleted_books_days,
        removals: Wakeup::default(),
        delivery_sweeps: Wakeup::default(),
    };
    let state = Arc::new(state);
    let calls = Arc::clone(&state.api_key_calls);
    let mut workers = workers(&state, options, &stop, unfinished)?;
    workers.push(webhook_worker(&state, &stop));
    announce(options, address);
    // This returns after blocking work has ended too; a running audit gives up on a stop.
    actix_web::rt::System::new().block_on(serve(listener, state, workers, stop))?;
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

/// Returns the reader shares of each replica.
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
    let store = &state.store;
    let checkpoints = CheckpointWorker {
        store: Arc::clone(store),
        key: Arc::new(state.identity.key().checkpoint_key()?),
        directory: options.checkpoints.directory(&options.data.data_dir),
        clock: state.clock,
        stop: stop.clone(),
    };
    Ok(vec![
        api_key_calls::worker(Arc::clone(&state.api_key_calls), Arc::clone(store), state.clock),
        identity::worker(Arc::clone(&state.identity), Arc::clone(store)),
        audit::worker(
            AuditWorker {
                store: Arc::clone(store),
                ids: Arc::clone(&state.ids),
                clock: state.clock,
                stop: stop.clone(),
            },
            state.audits.clone(),
        ),
        mail::worker(MailWorker::new(store, options.mail.relay()?, stop), state.mails.clone()),
        copy_sweep::worker(Arc::clone(store), stop.clone(), unfinished),
        delivery_sweep::worker(
            Arc::clone(store),
            state.clock,
            stop.clone(),
            state.delivery_sweeps.clone(),
        ),
        book_removal::worker(
            BookRemoval {
                store: Arc::clone(store),
                blobs: state.blobs.clone(),
                clock: state.clock,
                before_removal: before_removal(state),
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
            clock: state.clock,
            orphan_age: Duration::from_secs(options.orphan_seconds),
        }),
        checkpoint::worker(checkpoints),
    ])
}

/// Returns the hook that detaches the pending deliveries of a book before its rows are removed.
fn before_removal(state: &Arc<AppState>) -> BeforeRemoval {
    let sender = WebhookSender::new(Arc::clone(state));
    Arc::new(move |book: BookKey| {
        let sender = sender.clone();
        Box::pin(async move { sender.detach_pending_deliveries(&book).await })
    })
}

/// Creates the worker that delivers events to apps.
fn webhook_worker(state: &Arc<AppState>, stop: &Stop) -> Worker {
    let wakeup = Wakeup::default();
    let deliveries_wakeup = wakeup.clone();
    state.store.on_deliveries(move || deliveries_wakeup.notify());
    webhook::worker(WebhookWorker {
        store: Arc::clone(&state.store),
        storage_quotas: state.storage_quotas,
        ids: Arc::clone(&state.ids),
        clock: state.clock,
        stop: stop.clone(),
        sender: WebhookSender::new(Arc::clone(state)),
        wakeup,
        server: state.mail_address.clone(),
        mails: state.mails.clone(),
    })
}

/// Returns the address of this server in mails and deliveries.
fn mail_address(options: &ServeArgs, address: SocketAddr) -> String {
    let default = || format!("http://{address}{}", options.path_prefix);
    options.public_url.clone().unwrap_or_else(default)
}

/// Returns whether this is a trial: the server listens on loopback only, and has no public URL, no
/// identity providers and no mail server.
fn is_trial(options: &ServeArgs) -> bool {
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
    workers: Vec<Worker>,
    stop: Stop,
) -> anyhow::Result<()> {
    let workers = worker::start(workers, &stop);
    let server = daybook_http::serve(listener, state, limit::connections())?;
    let handle = server.handle();
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    actix_web::rt::spawn(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        tracing::info!("stopping, waiting for running requests");
        stop.request();
        handle.stop(true).await;
    });
    server.await?;
    for worker in workers {
        worker.await.context("a background worker panicked")?;
    }
    Ok(())
}

fn templates(path: &Path) -> anyhow::Result<Templates> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the templates {} cannot be read", path.display()))?;
    Templates::read(&text)
        .map_err(|fault| anyhow::anyhow!("the templates {} are invalid: {fault}", path.display()))
}
