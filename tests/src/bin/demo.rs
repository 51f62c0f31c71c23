//! `make demo`: records a real bank's books through the API and reads them back, on its own server.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use daybook_tests::load::Connection;
use daybook_tests::statement::{self, Statement};
use daybook_tests::table::thousands;
use daybook_tests::{Client, Engine, Server, bank, binary, fill, finish, release};
use serde_json::{Value, json};

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
    let done = demonstrate(engine);
    finish();
    done
}

fn demonstrate(engine: Engine) -> anyhow::Result<ExitCode> {
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
    let owner = server.client("demo@example.com");
    let book = owner.post("/v5/books", &json!({"name": "Bank 1993"})).ok();
    let book = book["id"].as_str().context("a book has an id")?;
    bank::create_chart(&owner, book);
    step("chart", "1,236 accounts in 4 groups");
    record(&server, &owner, book)?;

    let answer = bank::balances(&owner, book, &format!("{} by:y", bank::WHOLE));
    let agrees = compare(&owner, book, &answer);
    println!("\n{}", statement::balance_sheet(&answer)?);
    let statement = Statement::of_1993(|query| bank::balances(&owner, book, query))?;
    println!("\n{statement}");
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

fn record(server: &Server, owner: &Client, book: &str) -> anyhow::Result<()> {
    let token = owner.token().context("the owner has a token")?;
    let mut connection = Connection::open(server.address(), token)?;
    let lines: Vec<String> = bank::transactions().map(|line: Value| line.to_string()).collect();
    let count = lines.len();
    let elapsed = fill::record(&mut connection, book, "recording", lines.into_iter())?;
    let rate = count as f64 / elapsed.as_secs_f64();
    step(
        "recorded",
        &format!(
            "{} transactions in batches of {}: {:.1} s, {} a second",
            thousands(&count.to_string()),
            thousands(&fill::BATCH.to_string()),
            elapsed.as_secs_f64(),
            thousands(&format!("{rate:.0}"))
        ),
    );
    Ok(())
}

/// Prints whether every balance equals that of an independent program.
fn compare(owner: &Client, book: &str, answer: &Value) -> bool {
    let expected = bank::expected_balances();
    let mut differences = bank::differences(&expected, answer);
    if bank::whole(answer) != 0 {
        differences.push("the whole book does not add up to zero".to_owned());
    }
    let monthly = bank::expected_monthly();
    for (account, changes) in &monthly.accounts {
        let query = format!("account:'{account}' after:1993-01 before:1994-04");
        let series = bank::balances(owner, book, &query);
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
    differences.is_empty()
}
