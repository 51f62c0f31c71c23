//! `dbk import`: preview, decisions, confirmation and undo.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::export::encode;
use crate::failure::{CONFLICT, DIFFERENT, Failure, Result};
use crate::import_options::{ImportArgs, ImportCommand, hint};
use crate::import_rules::stored_rules;
use crate::output::counted;
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Table};

/// The time between two looks at an import in progress.
const POLL: Duration = Duration::from_millis(500);
/// Records that are shown.
const SHOWN: usize = 1000;

/// An import, as far as it is shown here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Import {
    id: String,
    name: String,
    state: String,
    error: Option<String>,
    error_reason: Option<String>,
    expires_at: Option<String>,
    format: Option<String>,
    counts: Map<String, Value>,
    sum_in: Option<String>,
    sum_out: Option<String>,
    statements: Vec<Statement>,
    accounts_to_create: Vec<Named>,
    warnings: Vec<Warning>,
    changed_records: Vec<i64>,
    progress: Option<Progress>,
    undone: Option<Undone>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Statement {
    account: Option<Named>,
    difference: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Warning {
    line: Option<i64>,
    message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Progress {
    done: u64,
    total: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Undone {
    trashed: i64,
    archived: i64,
    deleted_book_ids: Vec<String>,
    left_count: i64,
    left: Vec<Left>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Left {
    transaction_id: String,
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ImportList {
    items: Vec<Import>,
}

/// A record of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    record: i64,
    line: Option<i64>,
    outcome: String,
    reason: Option<String>,
    date: Option<String>,
    amount: Option<String>,
    description: Option<String>,
    from: Option<Named>,
    to: Option<Named>,
    uncategorised: bool,
    draft: bool,
    suggestion: Option<Suggestion>,
}

impl Record {
    /// Shows what the decisions about this record will make of it.
    fn apply(&mut self, decisions: &[String]) {
        let number = self.record.to_string();
        for decision in decisions {
            let Some((record, choice)) = decision.split_once('=') else { continue };
            if record != number {
                continue;
            }
            if choice == "skip" {
                "SKIPPED".clone_into(&mut self.outcome);
                self.reason = Some("as decided".to_owned());
                continue;
            }
            let is_out = self.amount.as_deref().is_some_and(|amount| amount.starts_with('-'));
            let side = if is_out { &mut self.to } else { &mut self.from };
            *side = Some(Named { name: choice.to_owned() });
            (self.uncategorised, self.draft) = (false, false);
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Suggestion {
    account: Named,
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RecordList {
    items: Vec<Record>,
    cursor: Option<String>,
}

/// Runs `dbk import`.
///
/// # Errors
/// When the file cannot be read, the import fails, or the server refuses.
pub(crate) async fn run(session: &Session, args: ImportArgs) -> Result {
    let book = session.book().await?;
    match (&args.command, &args.file) {
        (Some(ImportCommand::Log), _) => log(session, &book).await,
        (Some(ImportCommand::Undo { id }), _) => undo(session, &book, id).await,
        (None, Some(file)) => import(session, &book, &args, &file.clone()).await,
        (None, None) => Err(Failure::usage("no file")),
    }
}

/// Sends a request about imports of the book.
async fn send(
    session: &Session,
    book: &OpenBook,
    method: &str,
    rest: &str,
    body: Option<&[u8]>,
) -> Result<String> {
    let path = format!("/v5/books/{}/imports{rest}", book.choice.id);
    Ok(session.client.raw(method, &path, body)?.await?)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("unexpected response: {error}")))
}

/// Waits while an import is in progress, and shows how far it is.
async fn wait(session: &Session, book: &OpenBook, text: String) -> Result<(String, Import)> {
    let mut text = text;
    let mut line = session.output.progress("records");
    loop {
        let import: Import = read(&text)?;
        if !matches!(import.state.as_str(), "READING" | "RECORDING" | "UNDOING") {
            return Ok((text, import));
        }
        if let Some(Progress { done, total }) = import.progress {
            line.set(done, total);
        }
        tokio::time::sleep(POLL).await;
        text = send(session, book, "GET", &format!("/{}", import.id), None).await?;
    }
}

async fn log(session: &Session, book: &OpenBook) -> Result {
    let text = send(session, book, "GET", "", None).await?;
    if session.output.is_json() {
        return session.output.line(text.trim_end());
    }
    let mut table = Table::new(&[
        ("Import", Kind::Key),
        ("State", Kind::Key),
        ("New", Kind::Amount),
        ("File", Kind::Text),
        ("Format", Kind::Text),
    ]);
    for import in read::<ImportList>(&text)?.items {
        let new = count(&import, "new").to_string();
        table.add(vec![
            import.id,
            import.state,
            new,
            import.name,
            import.format.unwrap_or_default(),
        ]);
    }
    session.output.table(&table)
}

async fn undo(session: &Session, book: &OpenBook, id: &str) -> Result {
    let text = send(session, book, "POST", &format!("/{id}/undo"), None).await?;
    let (text, import) = wait(session, book, text).await?;
    if import.state == "FAILED" {
        return Err(refused(&import));
    }
    if session.output.is_json() {
        return session.output.line(text.trim_end());
    }
    let undone = import.undone.unwrap_or_default();
    let (trashed, archived) = (undone.trashed, undone.archived);
    session
        .output
        .line(&format!("transactions trashed: {trashed}; accounts archived: {archived}"))?;
    for book in &undone.deleted_book_ids {
        session.output.line(&format!("deleted book {book}"))?;
    }
    for left in &undone.left {
        session.output.line(&format!("left {}: {}", left.transaction_id, left.reason))?;
    }
    match undone.left_count {
        0 => Ok(()),
        _ => Err(Failure::different()),
    }
}

async fn import(session: &Session, book: &OpenBook, args: &ImportArgs, path: &PathBuf) -> Result {
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path.display(), &error))?;
    let decisions = args.confirmation()?;
    let rules = match &args.rules {
        Some(named) => Some(stored_rules(book, named).await?),
        None => None,
    };
    let rules_id = rules.as_ref().map(|rules| rules.id.as_str());
    let accepted = preview(session, book, args, &bytes, &args.parameters(path, rules_id)).await;
    let new_rules = rules.filter(|rules| rules.is_new);
    if let (Some(rules), Ok(None) | Err(_)) = (&new_rules, &accepted) {
        // Nothing is recorded, so the book keeps no rules.
        if let Err(error) = book.handle.delete_file(&rules.id).await {
            session.output.say(&format!("the book keeps the rules as file {}: {error}", rules.id));
        }
    }
    let Some(id) = accepted? else { return Ok(()) };
    if let (Some(rules), Some(named)) = (new_rules, &args.rules) {
        session.output.say(&format!("stored {named} in the book as file {}", rules.id));
    }
    confirm(session, book, &id, &decisions).await
}

/// Shows what an import would record. Returns its id if it is to be recorded.
async fn preview(
    session: &Session,
    book: &OpenBook,
    args: &ImportArgs,
    bytes: &[u8],
    parameters: &str,
) -> Result<Option<String>> {
    let text = send(session, book, "POST", &format!("?{parameters}"), Some(bytes)).await?;
    let (text, preview) = wait(session, book, text).await?;
    let address = format!("/{}", preview.id);
    if let Some(error) = &preview.error {
        send(session, book, "DELETE", &address, None).await?;
        let hint = hint(preview.error_reason.as_deref().unwrap_or_default());
        return Err(Failure::refused(error.clone()).with_hint(hint));
    }
    let mut records = records(session, book, &preview.id).await?;
    records.iter_mut().for_each(|record| record.apply(&args.decisions));
    if session.output.is_json() {
        if args.dry_run {
            session.output.line(text.trim_end())?;
        }
    } else {
        show(session, book, &preview, &records)?;
    }
    if args.dry_run {
        send(session, book, "DELETE", &address, None).await?;
        let is_known = records.iter().all(|record| !record.uncategorised && !record.draft)
            && count(&preview, "refused") == 0;
        return if is_known { Ok(None) } else { Err(Failure::different()) };
    }
    if count(&preview, "new") == 0 && count(&preview, "matched") == 0 {
        send(session, book, "DELETE", &address, None).await?;
        session.output.say("nothing new");
        return Ok(None);
    }
    if session.can_ask() && !args.yes {
        let answer = session.ask("Enter records it, q quits:")?;
        if answer.as_deref() != Some("") {
            send(session, book, "DELETE", &address, None).await?;
            return Err(Failure::new("nothing was recorded"));
        }
    }
    Ok(Some(preview.id))
}

/// Returns why the recording or the undo of an import failed (behaviour 15.9).
fn refused(import: &Import) -> Failure {
    let failure = Failure::refused(import.error.clone().unwrap_or_default());
    match &import.progress {
        // It has recorded something, and does not expire.
        Some(Progress { done, total }) if import.expires_at.is_none() => failure.with_hint(
            format!("{done} of {total} records are done; undo: dbk import undo {}", import.id),
        ),
        _ => failure,
    }
}

/// Records a preview, and prints the counts.
async fn confirm(session: &Session, book: &OpenBook, id: &str, decisions: &Value) -> Result {
    let body = decisions.to_string().into_bytes();
    let text = send(session, book, "POST", &format!("/{id}/confirm"), Some(&body)).await?;
    let (text, done) = wait(session, book, text).await?;
    if done.state == "FAILED" {
        return Err(refused(&done));
    }
    if done.state != "DONE" {
        let records: Vec<String> = done.changed_records.iter().map(ToString::to_string).collect();
        let records = records.join(", ");
        return Err(Failure::new(format!("the preview has changed in the records {records}"))
            .with_code(CONFLICT)
            .with_hint("import the file again"));
    }
    match session.output.is_json() {
        true => session.output.line(text.trim_end())?,
        false => session.output.line(&format!("imported {}", counts(&done)))?,
    }
    session.output.say(&format!("undo: dbk import undo {id}"));
    match count(&done, "refused") {
        0 => Ok(()),
        _ => Err(Failure::new("some records were refused").with_code(DIFFERENT)),
    }
}

async fn records(session: &Session, book: &OpenBook, id: &str) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut cursor = String::new();
    loop {
        let rest = format!("/{id}/records?limit={SHOWN}{cursor}");
        let page: RecordList = read(&send(session, book, "GET", &rest, None).await?)?;
        records.extend(page.items);
        match page.cursor {
            Some(next) => cursor = format!("&cursor={}", encode(&next)),
            None => return Ok(records),
        }
    }
}

fn show(session: &Session, book: &OpenBook, preview: &Import, records: &[Record]) -> Result {
    let mut table = Table::new(&[
        ("No.", Kind::Amount),
        ("Outcome", Kind::Key),
        ("Date", Kind::Key),
        ("Amount", Kind::Amount),
        ("Description", Kind::Text),
        ("From", Kind::Text),
        ("To", Kind::Text),
        ("Why", Kind::Text),
    ]);
    let name =
        |side: &Option<Named>| side.as_ref().map(|side| side.name.clone()).unwrap_or_default();
    for record in records.iter().filter(|record| record.outcome != "EXISTING") {
        let suggestion = record.suggestion.as_ref();
        let suggestion = suggestion.map(|it| format!("{}? {}", it.account.name, it.reason));
        let reason = record.reason.clone().filter(|_| record.outcome != "NEW");
        let why = reason.or(suggestion).unwrap_or_default();
        let line = record.line.filter(|_| record.outcome == "REFUSED");
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        table.add(vec![
            record.record.to_string(),
            record.outcome.to_lowercase(),
            record.date.clone().unwrap_or_default(),
            money(book, record.amount.as_deref()),
            record.description.clone().unwrap_or_default(),
            name(&record.from),
            name(&record.to),
            format!("{line}{why}"),
        ]);
    }
    session.output.table(&table)?;
    session.output.say(preview.format.as_deref().unwrap_or_default());
    session.output.say(&counts(preview));
    let sum = |sum: &Option<String>| money(book, sum.as_deref());
    session.output.say(&format!("in {}, out {}", sum(&preview.sum_in), sum(&preview.sum_out)));
    for statement in &preview.statements {
        let is_off = |difference: &&String| !difference.trim_matches(['0', '.', '-']).is_empty();
        if let Some(difference) = statement.difference.as_ref().filter(is_off) {
            let account = name(&statement.account);
            eprintln!("warning: the balances of {account} in the file differ by {difference}");
        }
    }
    let new: Vec<&str> = preview.accounts_to_create.iter().map(|one| one.name.as_str()).collect();
    if !new.is_empty() {
        session.output.say(&format!("new accounts: {}", new.join(", ")));
    }
    for warning in &preview.warnings {
        let line = warning.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        eprintln!("warning: {line}{}", warning.message);
    }
    Ok(())
}

/// Writes an amount as the book does, empty without one.
fn money(book: &OpenBook, amount: Option<&str>) -> String {
    let amount = amount.unwrap_or_default();
    amount.parse().map_or_else(|_| amount.to_owned(), |amount| book.money(amount))
}

fn count(import: &Import, kind: &str) -> i64 {
    import.counts.get(kind).and_then(Value::as_i64).unwrap_or_default()
}

/// Describes the counts, which add up to the records of the file.
fn counts(import: &Import) -> String {
    let kinds = ["new", "existing", "matched", "skipped", "refused"]
        .map(|kind| (kind, count(import, kind)));
    let shown: Vec<String> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{}: {}", counted(count(import, "total"), "record"), shown.join(", "))
}
