//! Filling the books of benchmarks, with a progress bar.
//!
//! The batches go over a raw connection: `daybook-client` sends idempotency keys, and the stored
//! responses would count as bytes of the transactions.

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use crate::load::Connection;

/// The transactions of a batch.
pub const BATCH: usize = 1000;

/// Records transactions, given as JSON objects, in order.
pub fn record(
    connection: &mut Connection,
    path: &str,
    label: &str,
    transactions: impl ExactSizeIterator<Item = String>,
) -> anyhow::Result<()> {
    let bar = bar(label, transactions.len());
    let mut transactions = transactions.peekable();
    let mut recorded = 0;
    while transactions.peek().is_some() {
        let body = body(transactions.by_ref().take(BATCH));
        let reply = connection.post(path, body.as_bytes())?;
        reply.accepted().with_context(|| format!("the batch after {recorded} transactions"))?;
        recorded += BATCH;
        bar.inc(BATCH as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

/// The request body of a batch.
pub fn body(transactions: impl Iterator<Item = String>) -> String {
    let mut body = String::from(r#"{"items":["#);
    for (place, transaction) in transactions.enumerate() {
        if place > 0 {
            body.push(',');
        }
        body.push_str(&transaction);
    }
    body.push_str("]}");
    body
}

/// A progress bar on standard error, drawn only on a terminal.
pub fn bar(label: &str, total: usize) -> ProgressBar {
    let style = "{msg:<28} {bar:40} {human_pos:>9} of {human_len}  {per_sec:>12}  {eta:>4} left";
    let style = ProgressStyle::with_template(style).expect("a valid template");
    ProgressBar::new(total as u64)
        .with_style(style.progress_chars("█▉▊▋▌▍▎▏ "))
        .with_message(label.to_owned())
}
