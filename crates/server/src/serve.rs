//! `daybook serve`: wiring, start and stop.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use daybook_http::token::Tokens;
use daybook_http::{Budget, Headers, State, Templates, UserCache};
use daybook_service::Ids;
use daybook_storage::{Address, Options, Store};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::auditor::{Auditor, Stop};
use crate::cli::Serve;
use crate::{clock, files, key, limit};

/// Serves until SIGTERM or Ctrl-C; then finishes what runs and closes the store.
pub(crate) fn run(options: &Serve) -> anyhow::Result<()> {
    start_log(options)?;
    let templates = options.templates.as_deref().map(templates).transpose()?.unwrap_or_default();
    let data_dir = &options.data.data_dir;
    let tokens = Tokens::Local(key::load(data_dir)?);
    let url = options
        .database_url
        .clone()
        .unwrap_or_else(|| format!("sqlite:{}", data_dir.join("daybook.db").display()));
    let store = Arc::new(
        Store::open(&Options::new(Address::parse(&url)?))
            .context("the database cannot be opened")?,
    );
    let listener = TcpListener::bind(options.listen)
        .with_context(|| format!("{} cannot be listened on", options.listen))?;
    let address = listener.local_addr()?;
    let ids = Arc::new(Ids::new(store.start()));
    let auditor = Auditor::start(Arc::clone(&store), Arc::clone(&ids), clock::now)
        .context("the auditor cannot be started")?;
    let state = State {
        store: Arc::clone(&store),
        ids,
        clock: clock::now,
        tokens,
        headers: Headers::with_prefixes(&options.header_prefixes),
        path_prefix: options.path_prefix.clone(),
        public_url: options.public_url.clone(),
        blobs: files::open(&options.files, data_dir)?,
        budget: Budget::of_megabytes(options.bodies_megabytes),
        orphan_seconds: options.files.orphan_seconds,
        missing_as_no_content: options.missing_as_no_content,
        ledger_alias: options.ledger_alias,
        templates,
        known: UserCache::default(),
        audits: auditor.bell(),
    };
    if !address.ip().is_loopback() && options.public_url.is_none() {
        tracing::warn!(
            "links to files will be http:// with the host of each request; behind a proxy that \
                does TLS, give --public-url"
        );
    }
    tracing::info!(%address, "daybook is ready: http://{address}/docs");
    if options.database_url.is_none() {
        let command = std::env::current_exe().unwrap_or_else(|_| "daybook".into());
        tracing::info!(
            "get a token: TOKEN=$({} token --email you@example.com --data-dir {})",
            command.display(),
            data_dir.display()
        );
        tracing::info!(
            "then: curl -H \"Authorization: Bearer $TOKEN\" http://{address}{}/v5/user",
            options.path_prefix
        );
    }
    actix_web::rt::System::new().block_on(answer(listener, state, auditor.stop()))?;
    drop(auditor);
    // The writers finish what they have taken on before they end.
    drop(store);
    tracing::info!("daybook has stopped");
    Ok(())
}

async fn answer(listener: TcpListener, state: State, auditor: Stop) -> anyhow::Result<()> {
    let server = daybook_http::serve(listener, state, limit::connections())?;
    let handle = server.handle();
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    actix_web::rt::spawn(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        tracing::info!("stopping: finishing what runs");
        auditor.ask();
        handle.stop(true).await;
    });
    Ok(server.await?)
}

fn templates(path: &Path) -> anyhow::Result<Templates> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the templates {} cannot be read", path.display()))?;
    Templates::read(&text)
        .map_err(|fault| anyhow::anyhow!("the templates {} are refused: {fault}", path.display()))
}

fn start_log(options: &Serve) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&options.log)
        .with_context(|| format!("{:?} is not a log filter", options.log))?;
    // A log that cannot be written must not say so on the same way: that would panic, in the middle
    // of a request.
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    let started = if options.log_json {
        builder.json().try_init()
    } else {
        builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))
}
