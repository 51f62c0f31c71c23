//! `make demo`: records a real bank's books through `daybook-client` and reads them back, on a
//! server of its own.

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use daybook_client::types::Transaction;
use daybook_client::{Book, Query};
use daybook_tests::table::thousands;
use daybook_tests::{Engine, Server, bank, binary, block_on, fill, finish, release, statement};

/// Records the statements of a real bank, compares the balances and shows its books.
#[derive(Parser)]
struct Arguments {
    /// The database engine.
    #[arg(long, value_enum, default_value_t = Choice::Sqlite)]
    engine: Choice,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    Sqlite,
    Postgres,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    release::prefer(false)?;
    let engine = match arguments.engine {
        Choice::Sqlite => Engine::Sqlite,
        Choice::Postgres => Engine::Postgres,
    };
    let done = block_on(demonstrate(engine));
    finish();
    done
}

async fn demonstrate(engine: Engine) -> anyhow::Result<ExitCode> {
    println!(
        "The books of a Czech bank, January 1993 to March 1994: real statement lines, anonymized \
            (tests/data/bank-1993).\n"
    );
    let program = binary();
    let started = Instant::now();
    let server = Server::start(engine);
    step(
        "server",
        &format!(
            "{} on {engine}, ready in {} ms",
            program.display(),
            started.elapsed().as_millis()
        ),
    );
    step("data", &format!("{} (removed at the end)", shown(&server)));
    let owner = server.client("demo@example.com").typed();
    let book = bank::chart().create_book(&owner, "Bank 1993").await?;
    step("chart", "1,236 accounts in 4 groups");
    record(&book).await?;

    let agrees = compare(&book).await?;
    println!("\n{}", statement::balance_sheet(&book).await?);
    println!("\n{}", statement::year_by_month(&book).await?);
    println!(
        "\nThe API's figures are raw: credits less debits, so that a whole book adds up to zero. \
            Here they have the signs people"
    );
    println!(
        "read: what the bank owns and spends is turned round and positive, what it owes and earns \
            is positive as it comes."
    );
    println!("\nStart a server of your own with `make run`.");
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn step(what: &str, words: &str) {
    println!("{what:<8} {words}");
}

fn shown(server: &Server) -> String {
    // Do not print the password of a PostgreSQL URL.
    match server.database_url().split_once('@') {
        Some((_, place)) => format!("postgres://{place}"),
        None => server.database_url().to_owned(),
    }
}

async fn record(book: &Book) -> anyhow::Result<()> {
    let transactions: Vec<Transaction> =
        bank::transactions().map(serde_json::from_value).collect::<Result<_, _>>()?;
    let started = Instant::now();
    let mut batch = book.create_transactions(transactions)?;
    let bar = fill::bar("recording", batch.total());
    let mut requests = 0;
    while let Some(recorded) = batch.next().await {
        recorded?;
        requests += 1;
        bar.set_position(batch.sent() as u64);
    }
    bar.finish_and_clear();
    let (count, elapsed) = (batch.sent(), started.elapsed().as_secs_f64());
    step(
        "recorded",
        &format!(
            "{} transactions in {requests} requests: {elapsed:.1} s, {} a second",
            thousands(&count.to_string()),
            thousands(&format!("{:.0}", count as f64 / elapsed))
        ),
    );
    Ok(())
}

/// Prints whether every balance equals that of an independent program.
async fn compare(book: &Book) -> anyhow::Result<bool> {
    let expected = bank::expected_balances();
    let answer = book.balances(bank::WHOLE).into_value().await?;
    let mut differences = bank::differences(&expected, &answer);
    if bank::whole(&answer) != 0 {
        differences.push("the whole book does not add up to zero".to_owned());
    }
    let monthly = bank::expected_monthly();
    for (account, changes) in &monthly.accounts {
        let query = Query::new().account(account).after("1993-01").before("1994-04");
        let series = book.balances(query).into_value().await?;
        let container = &series["accountBalances"][0];
        differences.extend(bank::monthly_differences(&monthly.months, changes, container));
    }
    for difference in differences.iter().take(20) {
        step("WRONG", difference);
    }
    if differences.is_empty() {
        step(
            "compared",
            &format!(
                "{} accounts and {} monthly series equal hledger's figures to the last digit; the \
                    book adds up to zero",
                thousands(&expected.len().to_string()),
                monthly.accounts.len()
            ),
        );
    }
    Ok(differences.is_empty())
}
