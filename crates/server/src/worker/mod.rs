//! Background workers, which run beside the requests.
//!
//! [`daybook_edge::worker`] runs them; these are their rounds.
//!
//! Several processes may serve one database. A lease ([`daybook_storage::Lease`]), which ends
//! with its process, keeps two of them from doing the same work; doing it twice would be harmless.
//!
//! | Worker | Runs | Taken by one process at a time |
//! |---|---|---|
//! | [`audit`] | on request, each minute | the audit of a book, by lease |
//! | [`daybook_blobs::worker::book_removal`] | on deletion without a wait, each minute | a book, by lease |
//! | [`checkpoint`] | each ten minutes, writes once a day | the checkpoint, by lease |
//! | [`copy_sweep`] | after a failed copy, each minute | an abandoned copy, by its lease |
//! | [`daybook_blobs::worker::file_sweep`] | each hour, or as often as `--files-orphan-seconds` | the sweep, by lease |
//! | [`mail`] | on a new mail, each minute | a mail, by its row; sent again if the process ends |
//! | [`daybook_webhooks::worker::delivery`] | on new deliveries, each second | the queue of an app in a book, by its row |
//! | [`daybook_webhooks::worker::delivery_sweep`] | each ten minutes | nothing; locked rows are skipped |
//! | [`daybook_http::import_workers`] | on a new import, each two seconds | reading, and recording, by lease |
//! | [`daybook_auth::worker::identity`] | each two seconds | nothing; drops its own caches |
//! | [`daybook_http::EventStreams::worker`] | each 250 ms while streams are open | nothing; wakes its own streams |
//! | [`daybook_auth::worker::api_key_calls`] | each ten seconds, and at the stop | nothing; flushes its own counters |
//!
//! Expired idempotency keys need no worker: one in eight requests with a key removes some of them.
//! A new worker is a file here, a row in the table above, and a line in `serve.rs`.

pub(crate) mod audit;
pub(crate) mod checkpoint;
pub(crate) mod copy_sweep;
pub(crate) mod mail;
