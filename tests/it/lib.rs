//! The cases of the suites `it` and `nightly`, most of them over HTTP.
//!
//! Each module lists its cases in `tests()`; [`daybook_tests::suite`] runs them. A new module is
//! listed below under the engines that it runs on in `make test`:
//!
//! - `both`: the storage behind it has SQL of its own for each engine, or locks differently.
//! - `sqlite`: HTTP, tokens, pages, the query language and other parts above the storage.
//! - `postgres`: everything else.
//! - `nightly`: runs in `make nightly` only, on both engines. So do the cases of `nightly()` of a
//!   module that has others in `it`.
//!
//! `make nightly` runs the modules of `it` on both engines, too.

// `cargo test --lib` would compile all cases once more for no unit test.
#![cfg(not(test))]

use daybook_tests::Engine;
use daybook_tests::suite::{Module, Suite};

pub(crate) use daybook_tests::suite::Case;
pub(crate) use daybook_tests::{cases, isolated};

// Shared by other modules.
mod bank_export;
mod chart_matrix;
mod inside;
mod matrix;
mod reading;
mod s3;
mod search_queries;
mod secrets;
mod targets;

/// Declares modules and a function that lists their cases.
macro_rules! modules {
    ($list:ident on $engines:expr; $($module:ident),* $(,)?) => {
        $(mod $module;)*

        fn $list() -> Vec<Module> {
            const ENGINES: &[Engine] = $engines;
            vec![$(Module {
                name: stringify!($module),
                engines: ENGINES,
                cases: $module::tests(),
            }),*]
        }
    };
}

modules! {
    both on &Engine::ALL;
    account_batches,
    account_updates,
    accounts,
    administration,
    audit,
    audit_runs,
    background_flushes,
    balance_plans,
    balance_ranges,
    balance_series,
    balances,
    batches,
    book_copies,
    collections,
    comments,
    counts,
    deliveries,
    delivery_pauses,
    delivery_plans,
    delivery_shares,
    delivery_sweeps,
    event_corruption,
    event_deletions,
    events,
    exports,
    first_user,
    group_commit,
    groups,
    imports,
    log_plans,
    migrations,
    min_balances,
    operated_backups,
    operated_deletions,
    overlaps,
    paged_days,
    paging,
    plans,
    posting,
    previews,
    read_portions,
    readiness,
    reconciliations,
    remote_ids,
    report_links,
    report_plans,
    reports,
    running_balances,
    schema,
    searches,
    simulation,
    single_reads,
    statements,
    storage_allowances,
    storage_quotas,
    store,
    stored_answers,
    transactions,
    undated,
    updates,
    upgrades,
    webhooks,
}

modules! {
    sqlite on &[Engine::Sqlite];
    administrators,
    amounts,
    api_keys,
    app_tokens,
    apps_page,
    audiences,
    bank,
    bodies,
    book_imports,
    checkpoints,
    chromium,
    command_line,
    compat,
    compression,
    configuration,
    console,
    console_sign_in,
    dbk_messages,
    dbk_terminal,
    errors,
    etags,
    file_serving,
    file_stores,
    file_sweep,
    grants,
    headers,
    hostile,
    idempotency,
    identity,
    import_formats,
    import_runs,
    journal_imports,
    lifecycle,
    limited_callers,
    locks,
    logs,
    lost_access,
    mailboxes,
    mailed_links,
    mails,
    monitoring,
    openapi,
    operated_users,
    permissions,
    privacy,
    process,
    queries,
    query_dates,
    query_garbage,
    query_warnings,
    quick_entry,
    quotas,
    refused_tokens,
    report_oracle,
    round_trips,
    sealing_keys,
    security_log,
    sessions,
    signing_keys,
    templates,
    tokens,
    traced,
    transport,
    typed_client,
    typed_imports,
    v5_clients,
    verification,
    verified_users,
    webhook_libraries,
    webhook_security,
    wire,
}

modules! {
    postgres on &[Engine::Postgres];
    access_requests,
    account_names,
    apps,
    attachments,
    billing,
    book_dates,
    book_offers,
    book_settings,
    book_transfers,
    books,
    chart_limits,
    collaborators,
    collection_moves,
    collection_views,
    connections,
    copied_transactions,
    deleted_books,
    delivery_log,
    detached_deliveries,
    distribution,
    event_blocks,
    event_filters,
    event_objects,
    event_streams,
    event_times,
    files,
    group_flags,
    group_locks,
    integrations,
    kept_answers,
    large_batches,
    learning,
    lists,
    merge,
    merge_payloads,
    opening_balances,
    outbox,
    own_access,
    own_events,
    owned_books,
    properties,
    recorder,
    removed_books,
    repetitions,
    report_changes,
    saved_queries,
    transaction_shapes,
    users,
    webhook_chains,
    webhook_courses,
    writer_shares,
}

modules! {
    long on &Engine::ALL;
    answer_memory,
    backups,
    contract_fuzz,
    crowds,
    durability,
    killed_copies,
    large_answers,
    large_copies,
    large_imports,
    lost_commits,
    many_pauses,
    memory,
    partitions,
    poolers,
    read_limits,
    releases,
    replicas,
    report_programs,
    sieges,
    v5_packages,
    webhook_kills,
    report_oracle_bank,
}

/// The suite that `make test` runs.
#[must_use]
pub fn it() -> Suite {
    Suite {
        name: "it",
        modules: [both(), sqlite(), postgres()].into_iter().flatten().collect(),
        second_server: &[
            "deliveries",
            "delivery_log",
            "delivery_pauses",
            "webhook_chains",
            "webhooks",
        ],
        serial: &[
            "event_streams::rule_8_23_events_of_another_process_arrive_within_a_second",
            "event_streams::rule_8_23_stream_ends_with_the_access",
            "writer_shares::requests_take_the_time_of_their_users",
            "writer_shares::abandoned_writes_are_skipped",
        ],
    }
}

/// The long cases that `make nightly` runs.
#[must_use]
pub fn nightly() -> Suite {
    let parts = [
        ("book_imports", book_imports::nightly()),
        ("chromium", chromium::nightly()),
        ("event_streams", event_streams::nightly()),
        ("identity", identity::nightly()),
        ("monitoring", monitoring::nightly()),
        ("repetitions", repetitions::nightly()),
        ("report_oracle", report_oracle::nightly()),
        ("searches", searches::nightly()),
        ("sessions", sessions::nightly()),
        ("simulation", simulation::nightly()),
        ("upgrades", upgrades::nightly()),
        ("wire", wire::nightly()),
    ];
    let parts = parts.map(|(name, cases)| Module { name, engines: &Engine::ALL, cases });
    Suite {
        name: "nightly",
        modules: long().into_iter().chain(parts).collect(),
        second_server: &[],
        serial: &[
            "identity::rule_11_13_slow_provider_does_not_delay_others",
            "monitoring::scrape_is_fast_with_many_books",
            "read_limits::rule_0_32_a_read_ends_at_its_deadline",
            "read_limits::rule_0_32_a_read_ends_when_its_client_has_left",
            "read_limits::rule_0_32_slow_reads_of_one_user_leave_readers_to_others",
            "read_limits::rule_1_7_5_text_search_takes_time_by_length_of_description",
            "sieges::victim_is_served_during_attacks",
        ],
    }
}
