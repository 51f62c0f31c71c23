//! The integration suite: everything through HTTP, on both engines.
//!
//! A module of this folder names its cases in `pub fn tests()`; they share one server per engine,
//! so each makes a book of its own ([`daybook_tests::Cast`]). Cases that stop servers, or need
//! special ones, stand in `pub fn lone()` and get the engine.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use daybook_tests::{Engine, Server, panic_text};
use durations::Durations;
use failures::Failures;
use libtest_mimic::{Arguments, Trial};

/// A case on the shared server of its engine.
pub struct Case {
    /// Unique in its module.
    pub name: String,
    /// The test: it fails by panicking.
    pub run: Box<dyn Fn(&Server) + Send + Sync>,
}

/// A case that starts its own servers.
pub struct Lone {
    /// Unique in its module.
    pub name: String,
    /// The test: it fails by panicking.
    pub run: Box<dyn Fn(Engine) + Send + Sync>,
}

/// `cases![create_defaults, delete]`: one [`Case`] per function `fn(&Server)`, named like it.
#[macro_export]
macro_rules! cases {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::Case { name: stringify!($function).to_owned(), run: Box::new($function) }),*]
    };
}

/// `lone![terminates]`: one [`Lone`] per function `fn(Engine)`, named like it.
#[macro_export]
macro_rules! lone {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::Lone { name: stringify!($function).to_owned(), run: Box::new($function) }),*]
    };
}

/// Declares the modules and collects their cases under the modules' names.
macro_rules! modules {
    (shared: $($shared:ident),* ; lone: $($lone:ident),* ;) => {
        $(mod $shared;)*
        $(mod $lone;)*

        fn shared_cases() -> Vec<(&'static str, Vec<Case>)> {
            vec![$((stringify!($shared), $shared::tests())),*]
        }

        fn lone_cases() -> Vec<(&'static str, Vec<Lone>)> {
            vec![$((stringify!($lone), $lone::lone())),*]
        }
    };
}

mod durations;
mod failures;
mod quiet;

// Used by other modules.
mod chart_matrix;
mod fault_bodies;
mod inside;
mod matrix;
mod reading;
mod s3;
mod search_queries;
mod secrets;
mod targets;

// Modules with `tests()`, then modules with `lone()`.
modules! {
    shared:
        access_requests,
        account_batches,
        account_names,
        account_updates,
        accounts,
        amounts,
        api_keys,
        apps,
        arch,
        attachments,
        audiences,
        audit,
        balance_ranges,
        balance_series,
        balances,
        bank,
        batches,
        billing,
        bodies,
        book_copies,
        book_dates,
        book_settings,
        book_transfers,
        books,
        chart_limits,
        collaborators,
        collection_views,
        collections,
        compression,
        connections,
        chromium,
        configuration,
        copied_transactions,
        counts,
        deleted_books,
        deliveries,
        delivery_log,
        delivery_pauses,
        errors,
        etags,
        event_deletions,
        event_blocks,
        event_filters,
        event_objects,
        events,
        faults,
        file_serving,
        files,
        grants,
        group_flags,
        group_locks,
        groups,
        integrations,
        headers,
        hostile,
        idempotency,
        large_copies,
        lifecycle,
        learning,
        limited_callers,
        lists,
        locks,
        lost_access,
        mailed_links,
        merge,
        merge_payloads,
        openapi,
        opening_balances,
        operated_deletions,
        operated_users,
        outbox,
        owned_books,
        paging,
        permissions,
        posting,
        properties,
        queries,
        query_dates,
        query_garbage,
        query_warnings,
        recorder,
        remote_ids,
        round_trips,
        running_balances,
        saved_queries,
        sessions,
        text_mode,
        typed_imports,
        tokens,
        transaction_shapes,
        transactions,
        transport,
        updates,
        users,
        webhook_chains,
        webhook_libraries,
        webhooks,
        verified_users,
        wire;
    lone:
        administrators,
        answer_memory,
        apps_page,
        audit_runs,
        background_flushes,
        backups,
        balance_plans,
        checkpoints,
        collection_moves,
        contract_fuzz,
        crowds,
        delivery_plans,
        delivery_sweeps,
        distribution,
        durability,
        event_corruption,
        event_times,
        file_stores,
        file_sweep,
        group_commit,
        identity,
        kept_answers,
        killed_copies,
        large_answers,
        large_batches,
        laws,
        log_plans,
        logs,
        lost_commits,
        mails,
        many_pauses,
        memory,
        migrations,
        overlaps,
        paged_days,
        partitions,
        plans,
        poolers,
        privacy,
        process,
        quotas,
        read_limits,
        read_portions,
        refused_tokens,
        removed_books,
        releases,
        replicas,
        repetitions,
        search_examples,
        searches,
        sealing_keys,
        security_log,
        signing_keys,
        sieges,
        simulation,
        statements,
        storage_allowances,
        storage_quotas,
        store,
        templates,
        told_deletions,
        traced,
        undated,
        webhook_courses,
        webhook_kills,
        webhook_security,
        writer_shares;
}

/// The modules that count deliveries. A process that another module starts beside its server may
/// take some of those, and make them again after it was killed, as it should; so these have a
/// server beside which there is none.
const COUNT_DELIVERIES: [&str; 5] =
    ["deliveries", "delivery_log", "delivery_pauses", "webhook_chains", "webhooks"];

/// The shared servers.
#[derive(Default)]
struct Shared {
    usual: Servers,
    deliveries: Servers,
}

impl Shared {
    fn of(&self, module: &str) -> &Servers {
        if COUNT_DELIVERIES.contains(&module) { &self.deliveries } else { &self.usual }
    }

    /// Panics of the servers: one that was answered with a 500 fails its case, but one behind the
    /// answer shows only here.
    fn panics(&self) -> Vec<String> {
        [self.usual.panics(), self.deliveries.panics()].concat()
    }
}

/// A server for each engine, started by the first case that needs it.
#[derive(Default)]
struct Servers {
    sqlite: OnceLock<Result<Server, String>>,
    postgres: OnceLock<Result<Server, String>>,
}

impl Servers {
    fn panics(&self) -> Vec<String> {
        let started =
            [&self.sqlite, &self.postgres].into_iter().filter_map(|slot| slot.get()?.as_ref().ok());
        let log = |server: &Server| {
            server
                .log()
                .lines()
                .filter(|line| line.contains("panicked at"))
                .map(str::to_owned)
                .collect()
        };
        started.flat_map(|server| -> Vec<String> { log(server) }).collect()
    }

    fn server(&self, engine: Engine) -> &Server {
        let slot = match engine {
            Engine::Sqlite => &self.sqlite,
            Engine::Postgres => &self.postgres,
        };
        // A failed start is kept: else every case would wait for it again.
        let started = slot.get_or_init(|| {
            let server = catch_unwind(AssertUnwindSafe(|| Server::start(engine)));
            server.map_err(|panic| panic_text(panic.as_ref()))
        });
        match started {
            Ok(server) => server,
            Err(cause) => panic!("the shared {engine} server does not start: {cause}"),
        }
    }
}

fn trials(
    shared: &Arc<Shared>,
    durations: &Arc<Durations>,
    failures: &Arc<Failures>,
) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut names = HashSet::new();
    let mut add = |module: String, case: &str, run: Box<dyn FnOnce() + Send>| {
        let name = format!("{module}::{case}");
        assert!(names.insert(name.clone()), "two cases are called {name}");
        let (durations, failures) = (Arc::clone(durations), Arc::clone(failures));
        let run = {
            let name = name.clone();
            move || failures.note(name, || durations.add(module, run))
        };
        trials.push(Trial::test(name, run));
    };
    for counts in COUNT_DELIVERIES {
        let is = |(module, _): &(&str, Vec<Case>)| *module == counts;
        assert!(shared_cases().iter().any(is), "no module is called {counts}");
    }
    for engine in Engine::enabled() {
        for (module, cases) in shared_cases() {
            for case in cases {
                let shared = Arc::clone(shared);
                let Case { name, run } = case;
                let run = Box::new(move || run(shared.of(module).server(engine)));
                add(format!("{engine}::{module}"), &name, run);
            }
        }
        for (module, cases) in lone_cases() {
            for case in cases {
                let Lone { name, run } = case;
                add(format!("{engine}::{module}"), &name, Box::new(move || run(engine)));
            }
        }
    }
    trials
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Cases mostly wait: for answers, for commits, for time to pass.
    arguments.test_threads =
        arguments.test_threads.or_else(|| Some(2 * available_parallelism().ok()?.get()));
    let shared = Arc::new(Shared::default());
    let (durations, failures) = (Arc::default(), Arc::default());
    let conclusions = quiet::run(&arguments, trials(&shared, &durations, &failures));
    eprint!("{durations}{failures}");
    let panics = shared.panics();
    // The last owner: the servers stop here, before their databases do.
    drop(shared);
    daybook_tests::finish();
    if let Some(failed) = conclusions.iter().find(|conclusion| conclusion.has_failed()) {
        return failed.exit_code();
    }
    if panics.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("the shared servers panicked:\n{}", panics.join("\n"));
    ExitCode::FAILURE
}
