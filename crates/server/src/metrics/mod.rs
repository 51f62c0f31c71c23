//! Metrics for Prometheus, on a listener of their own (`--metrics-listen`).
//!
//! Counters and histograms are atomics of the process, declared where their events happen
//! ([`daybook_storage::metric`]). Figures of the database and of the machine are read by a
//! background worker ([`polled`]). So a scrape reads memory and `/proc` only, whatever the number
//! of books. The values of all labels are from fixed sets: no request adds a series.

mod polled;
mod process;
mod text;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Context;
use clap::Args;
use daybook_auth::security::AUTH_FAILURES;
use daybook_blobs::STORED_BYTES;
use daybook_domain::instant::Instant;
use daybook_edge::metric::{RATE_LIMITED, TURNED_AWAY};
use daybook_edge::worker::Worker;
use daybook_http::{AppState, IN_FLIGHT, RouteMetrics};
use daybook_storage::metric::{COMMIT_DURATION, EVENTS_APPENDED, GROUP_SIZE, Gauge};
use daybook_webhooks::worker::delivery::DELIVERIES;

use crate::clock;
use crate::installation::DataArgs;
use crate::worker::audit::{AUDITS, FINDINGS};
use polled::{PLACES, Polled};
use text::{MEDIA_TYPE, Micros, Millis, Text};

/// The path of the metrics, which Prometheus asks for by default.
const PATH: &str = "/metrics";
/// How long a scrape may take to finish after a stop, in seconds.
const SHUTDOWN_SECONDS: u64 = 1;

/// The option of the metrics.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    /// Address of the metrics for Prometheus, under /metrics and without a token, for example
    /// 127.0.0.1:9464; not served by default
    #[arg(long, env = "DAYBOOK_METRICS_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) metrics_listen: Option<SocketAddr>,
}

/// The metrics of a server.
pub(crate) struct Metrics {
    state: Arc<AppState>,
    polled: Arc<Polled>,
    engine: &'static str,
    started: Instant,
    listener: TcpListener,
}

impl Metrics {
    /// Binds the listener of the metrics, if they are to be served.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub(crate) fn open(
        options: &MetricsArgs,
        data: &DataArgs,
        state: &Arc<AppState>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(address) = options.metrics_listen else { return Ok(None) };
        let listener = TcpListener::bind(address)
            .with_context(|| format!("{address} cannot be listened on for metrics"))?;
        let address = listener.local_addr()?;
        tracing::info!(%address, "metrics are served: http://{address}{PATH}");
        let (database, edge) = (data.address()?, &state.edge);
        let engine = if database.is_server() { "postgresql" } else { "sqlite" };
        let files = state.blobs.folder().cloned();
        let data_dir = data.data_dir.clone();
        let polled = Polled::new(&edge.store, edge.clock, database, data_dir, files);
        let (polled, state) = (Arc::new(polled), Arc::clone(state));
        Ok(Some(Self { state, polled, engine, started: clock::now(), listener }))
    }

    /// Creates the worker that reads the figures of the database and of the machine.
    pub(crate) fn worker(&self) -> Worker {
        Polled::worker(&self.polled)
    }

    /// Serves the metrics while the returned future is awaited.
    ///
    /// # Errors
    /// When the server cannot listen on the socket.
    pub(crate) fn serve(self) -> std::io::Result<Server> {
        let listener = self.listener.try_clone()?;
        let metrics = web::Data::new(self);
        let app = move || App::new().app_data(metrics.clone()).route(PATH, web::get().to(scrape));
        let server = HttpServer::new(app)
            .workers(1)
            .shutdown_timeout(SHUTDOWN_SECONDS)
            .disable_signals()
            .listen(listener)?;
        Ok(server.run())
    }

    /// Returns the text of all metrics.
    fn text(&self) -> String {
        let mut text = Text::default();
        let build = [("version", env!("CARGO_PKG_VERSION")), ("engine", self.engine)];
        text.gauge("daybook_build_info", "The version and the engine.").add(&build, Some(1));
        let now = Millis(clock::now().milliseconds());
        text.gauge("daybook_clock_timestamp_seconds", "The clock of the server, since 1970.")
            .show(&[], &now);
        requests(&mut text);
        self.write_path(&mut text);
        background(&mut text);
        self.figures(&mut text);
        process::write(&mut text, self.started);
        text.finish()
    }

    /// Adds the metrics of writes, connections and memory.
    fn write_path(&self, text: &mut Text) {
        let store = &self.state.edge.store;
        let mut depth = text.gauge("daybook_writer_queue_depth", "Units of work in the queue.");
        for (writer, queued) in (1_u32..).zip(store.queue_depths()) {
            let writer = writer.to_string();
            depth.add(&[("writer", writer.as_str())], i64::try_from(queued).ok());
        }
        text.histogram("daybook_writer_group_size", "Units of work of a group commit.").buckets(
            &[],
            &GROUP_SIZE,
            |number| number,
        );
        text.histogram("daybook_commit_duration_seconds", "Commits, with the last flush of rows.")
            .buckets(&[], &COMMIT_DURATION, Micros);
        text.counter("daybook_events_appended_total", "Events that were committed.")
            .show(&[], &EVENTS_APPENDED.get());
        let (idle, used) = store.read_connections();
        text.gauge("daybook_db_connections", "Connections that read the database.")
            .add(&[("state", "idle")], Some(idle.into()))
            .add(&[("state", "used")], Some(used.into()));
        let reserved = i64::try_from(self.state.edge.budget.reserved()).ok();
        text.gauge("daybook_body_memory_bytes", "Memory that bodies and responses reserve.")
            .add(&[], reserved);
        let mut lag = text.gauge("daybook_replica_lag_seconds", "Age of what a replica lacks.");
        for (replica, found) in (1_u32..).zip(store.replica_lags()) {
            let Some(found) = found else { continue };
            let millis = Millis(i64::try_from(found.as_millis()).unwrap_or(i64::MAX));
            let replica = replica.to_string();
            lag.show(&[("replica", replica.as_str())], &millis);
        }
    }

    /// Adds the figures that the worker has read.
    fn figures(&self, text: &mut Text) {
        let polled = &self.polled;
        let is_up = polled.is_database_up();
        let known = |gauge: &Gauge| gauge.get().filter(|_| is_up);
        for (name, help, number) in [
            ("daybook_database_up", "Whether the database could be read.", Some(i64::from(is_up))),
            ("daybook_webhook_backlog", "Delivery queues that are due.", known(&polled.due_queues)),
            ("daybook_webhook_paused_apps", "Paused apps, by book.", known(&polled.paused_apps)),
            ("daybook_mail_outbox", "Mails to send.", known(&polled.mails)),
            ("daybook_audits_waiting", "Requested audits.", known(&polled.waiting_audits)),
            ("daybook_db_size_bytes", "Size of the database.", known(&polled.database_bytes)),
            ("daybook_sqlite_wal_bytes", "Size of the write-ahead log.", polled.wal_bytes.get()),
            ("daybook_files_bytes", "Contents of files at the last sweep.", STORED_BYTES.get()),
            (
                "daybook_backup_last_size_bytes",
                "Size of the last good backup.",
                polled.backup_bytes.get(),
            ),
        ] {
            text.gauge(name, help).add(&[], number);
        }
        let now = clock::now().milliseconds();
        // A good backup has audited its copy of every book.
        let audited = known(&polled.oldest_audit).map(|at| {
            let backup = polled.backup_finished.get();
            now.saturating_sub(backup.map_or(at, |backup| backup.max(at)))
        });
        for (name, help, millis) in [
            (
                "daybook_webhook_backlog_age_seconds",
                "How long the first delivery queue is due.",
                known(&polled.oldest_due),
            ),
            (
                "daybook_oldest_unaudited_book_seconds",
                "Time since all books have been audited, or since the last good backup.",
                audited,
            ),
            (
                "daybook_backup_last_success_timestamp_seconds",
                "The end of the last good backup, since 1970.",
                polled.backup_finished.get(),
            ),
        ] {
            let mut gauge = text.gauge(name, help);
            if let Some(millis) = millis {
                gauge.show(&[], &Millis(millis));
            }
        }
        let mut free = text.gauge("daybook_disk_free_bytes", "Free space of a place.");
        for (place, bytes) in PLACES.into_iter().zip(&polled.free_bytes) {
            free.add(&[("place", place)], bytes.get());
        }
    }
}

/// Responds to a scrape.
async fn scrape(metrics: web::Data<Metrics>) -> HttpResponse {
    HttpResponse::Ok().content_type(MEDIA_TYPE).body(metrics.text())
}

/// Adds the metrics of requests. Operations without a request have no samples.
fn requests(text: &mut Text) {
    let mut total = text.counter("daybook_http_requests_total", "Requests by operation.");
    let mut called = Vec::new();
    for route in RouteMetrics::all() {
        let found = route.statuses().filter(|(_, count)| *count > 0);
        let statuses: Vec<(&str, u64)> = found.collect();
        for (status, count) in &statuses {
            let labels = [("method", route.method), ("route", route.route), ("status", *status)];
            total.show(&labels, count);
        }
        if !statuses.is_empty() {
            called.push(route);
        }
    }
    let help = "Time until the head of the response.";
    let mut durations = text.histogram("daybook_http_request_duration_seconds", help);
    for route in called {
        let labels = [("method", route.method), ("route", route.route)];
        durations.buckets(&labels, &route.durations, Micros);
    }
    text.gauge("daybook_http_requests_in_flight", "Requests without a response.")
        .add(&[], IN_FLIGHT.get());
    text.counter("daybook_turned_away_total", "Requests and connections that were refused by 503.")
        .each("cause", &TURNED_AWAY);
    text.counter("daybook_rate_limited_total", "Requests that were refused by 429.")
        .each("scope", &RATE_LIMITED);
    text.counter("daybook_auth_failures_total", "Failed authentications.")
        .each("reason", &AUTH_FAILURES);
}

/// Adds the metrics of background work.
fn background(text: &mut Text) {
    text.counter("daybook_webhook_deliveries_total", "Attempts to deliver an event to an app.")
        .each("outcome", &DELIVERIES);
    text.counter("daybook_audits_total", "Audits of books.").each("result", &AUDITS);
    text.gauge("daybook_audit_findings", "Findings in books since the start, until they are gone.")
        .add(&[], FINDINGS.get());
}
