//! `dbk import`: preview, decisions, confirmation and undo.

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use daybook_client::parameters::{ListImportRecords, ListImports};
use daybook_client::types::{
    Import, ImportAccount, ImportConfirmation, ImportDecision, ImportDecisionOutcome,
    ImportErrorReason, ImportOutcome, ImportRecord, ImportState,
};
use daybook_client::{Amount, Request};

use crate::failure::{CONFLICT, DIFFERENT, Failure, Result};
use crate::import_decisions::apply;
use crate::import_options::{ImportArgs, ImportCommand, hint};
use crate::import_rules::stored_rules;
use crate::output::{Format, counted};
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Table};

/// The time between two looks at an import in progress. It begins short, because most imports are.
const FIRST_POLL: Duration = Duration::from_millis(20);
const LONGEST_POLL: Duration = Duration::from_millis(500);
/// Records of a page.
const PAGE: i32 = 1000;
/// Records of a preview that people see without `--all`.
const MAX_SHOWN: usize = 12;

/// Returns whether a record lacks something that a decision or another file would give it.
fn needs_decision(record: &ImportRecord) -> bool {
    let is_vague = record.uncategorised == Some(true) || record.draft == Some(true);
    is_vague || record.outcome == ImportOutcome::Refused
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
        (None, Some(file)) => import(session, &book, &args, file).await,
        (None, None) => Err(Failure::usage("no file")),
    }
}

/// Sends a request, and waits while the import is in progress. Shows how far it is.
///
/// Returns the import also as the server writes it.
async fn wait(
    session: &Session,
    book: &OpenBook,
    request: Request<Import>,
) -> Result<(String, Import)> {
    let mut text = request.into_text().await?;
    let mut line = session.output.progress("records");
    let mut poll = FIRST_POLL;
    loop {
        let import: Import = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("unexpected response: {error}")))?;
        let is_in_progress = matches!(
            import.state,
            ImportState::Reading | ImportState::Recording | ImportState::Undoing
        );
        if !is_in_progress {
            return Ok((text, import));
        }
        let count = |records: i64| u64::try_from(records).unwrap_or_default();
        line.set(count(import.progress.done), count(import.progress.total));
        tokio::time::sleep(poll).await;
        poll = LONGEST_POLL.min(2 * poll);
        text = book.handle.get_import(&import.id).into_text().await?;
    }
}

async fn log(session: &Session, book: &OpenBook) -> Result {
    let request = book.handle.list_imports(&ListImports::default());
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let mut table = Table::new(&[
        ("Import", Kind::Key),
        ("State", Kind::Key),
        ("New", Kind::Amount),
        ("File", Kind::Text),
        ("Format", Kind::Text),
    ]);
    for import in request.await?.items {
        table.add(vec![
            import.id,
            import.state.to_string(),
            import.counts.new.to_string(),
            import.name,
            import.format.unwrap_or_default(),
        ]);
    }
    session.output.table(&table)
}

async fn undo(session: &Session, book: &OpenBook, id: &str) -> Result {
    let (text, import) = wait(session, book, book.handle.undo_import(id)).await?;
    if import.state == ImportState::Failed {
        return Err(refused(&import));
    }
    let undone = import.undone.unwrap_or_default();
    if session.output.is_json() {
        session.output.line(text.trim_end())?;
    } else {
        let (trashed, archived) = (undone.trashed, undone.archived);
        let text = format!("transactions trashed: {trashed}; accounts archived: {archived}");
        session.output.line(&text)?;
        for book in undone.deleted_book_ids.iter().flatten() {
            session.output.line(&format!("deleted book {book}"))?;
        }
        for left in &undone.left {
            session.output.line(&format!("left {}: {}", left.transaction_id, left.reason))?;
        }
    }
    match undone.left_count {
        0 => Ok(()),
        _ => Err(Failure::different()),
    }
}

/// Reads what can be read only once, such as a pipe. A regular file is read while it is sent.
///
/// # Errors
/// When the file cannot be read, before anything is sent.
fn read_unseekable(path: &Path) -> Result<Option<Vec<u8>>> {
    let failure = |error: io::Error| Failure::io(path.display(), &error);
    match fs::metadata(path).map_err(failure)?.is_file() {
        true => fs::File::open(path).map(|_| None).map_err(failure),
        false => fs::read(path).map(Some).map_err(failure),
    }
}

async fn import(session: &Session, book: &OpenBook, args: &ImportArgs, path: &Path) -> Result {
    let asks = session.asks_to_confirm(args.yes || args.dry_run)?;
    let bytes = read_unseekable(path)?;
    let decisions = args.confirmation()?;
    let named = args.rules.as_deref().unwrap_or_default();
    let rules = match &args.rules {
        Some(named) => Some(stored_rules(book, named).await?),
        None => None,
    };
    let rules_id = rules.as_ref().map(|rules| rules.id.as_str());
    let parameters = args.parameters(path, rules_id);
    let request = match &bytes {
        Some(bytes) => book.handle.create_import(bytes, &parameters),
        None => book.handle.create_import(&[], &parameters).upload(path),
    };
    let ready = preview(session, book, args, &decisions, request).await;
    let new_rules = rules.filter(|rules| rules.is_new);
    let is_ready = matches!(ready, Ok(Some(_)));
    if is_ready && let Some(rules) = &new_rules {
        // Before the question, because Ctrl-C there leaves them in the book.
        session.output.say(&format!("stored {named} in the book as file {}", rules.id));
    }
    let (result, has_recorded) = match ready {
        Ok(Some(id)) => {
            let result = confirm(session, book, &id, &decisions, asks).await;
            let has_recorded = match &result {
                Ok(()) => true,
                // One that has recorded something cannot be discarded (behaviour 15.10). The
                // others are, because a user may have few of them (15.1).
                Err(_) => {
                    let discarded = book.handle.delete_import(&id).await;
                    discarded.is_err_and(|error| error.status() != Some(404))
                }
            };
            (result, has_recorded)
        }
        Ok(None) => (Ok(()), false),
        Err(failure) => (Err(failure), false),
    };
    if let Some(rules) = new_rules.filter(|_| !has_recorded) {
        // The book keeps no rules of an import that has recorded nothing.
        match book.handle.delete_file(&rules.id).await {
            Ok(_) if is_ready => session.output.say(&format!("removed {named} from the book")),
            Ok(_) => {}
            Err(error) => {
                let text = format!("the book keeps the rules as file {}: {error}", rules.id);
                session.output.say(&text);
            }
        }
    }
    result
}

/// Shows what an import would record. Returns its id if there is something to record.
async fn preview(
    session: &Session,
    book: &OpenBook,
    args: &ImportArgs,
    decisions: &ImportConfirmation,
    request: Request<Import>,
) -> Result<Option<String>> {
    let (text, preview) = wait(session, book, request).await?;
    if let Some(error) = &preview.error {
        book.handle.delete_import(&preview.id).await?;
        let hint = hint(preview.error_reason.as_ref().map_or("", ImportErrorReason::as_str));
        return Err(Failure::refused(error.clone()).with_hint(hint));
    }
    let decided = decisions.decisions.as_deref().unwrap_or_default();
    let limit = match session.output.format {
        Format::Json => 0,
        Format::Table if !args.all => MAX_SHOWN,
        Format::Table | Format::Tsv | Format::Csv => usize::MAX,
    };
    let shown = records(book, &preview.id, decided, limit).await?;
    let is_known = !shown.is_open && preview.counts.refused == 0;
    if !session.output.is_json() {
        show(session, book, &preview, shown)?;
    } else if args.dry_run {
        session.output.line(text.trim_end())?;
    }
    if args.dry_run {
        book.handle.delete_import(&preview.id).await?;
        return if is_known { Ok(None) } else { Err(Failure::different()) };
    }
    let restores = decided.iter().any(|it| it.outcome == Some(ImportDecisionOutcome::New));
    if preview.counts.new == 0 && preview.counts.matched == 0 && !restores {
        book.handle.delete_import(&preview.id).await?;
        session.output.say("nothing new");
        return Ok(None);
    }
    Ok(Some(preview.id))
}

/// Returns why the recording or the undo of an import failed (behaviour 15.9).
fn refused(import: &Import) -> Failure {
    let failure = Failure::refused(import.error.clone().unwrap_or_default());
    if import.expires_at.is_some() {
        return failure;
    }
    // It has recorded something, and does not expire.
    let (done, total) = (import.progress.done, import.progress.total);
    failure.with_hint(format!(
        "{done} of {total} records are done; undo: dbk import undo {}",
        import.id
    ))
}

/// Records a preview, and prints the counts.
async fn confirm(
    session: &Session,
    book: &OpenBook,
    id: &str,
    decisions: &ImportConfirmation,
    asks: bool,
) -> Result {
    if asks && session.ask("Enter records it, q quits:")?.as_deref() != Some("") {
        return Err(Failure::new("nothing was recorded"));
    }
    let (text, done) = wait(session, book, book.handle.confirm_import(id, decisions)).await?;
    if done.state == ImportState::Failed {
        return Err(refused(&done));
    }
    if done.state != ImportState::Done {
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
    match done.counts.refused {
        0 => Ok(()),
        _ => Err(Failure::new("some records were refused").with_code(DIFFERENT)),
    }
}

/// The records of a preview that are shown. The others are not kept, because a file may have a
/// million.
struct Shown {
    /// The most records to show.
    limit: usize,
    /// Those that need a decision, and the others.
    open: Vec<ImportRecord>,
    decided: Vec<ImportRecord>,
    count: usize,
    /// Whether any record needs a decision.
    is_open: bool,
}

impl Shown {
    const fn new(limit: usize) -> Self {
        Self { limit, open: Vec::new(), decided: Vec::new(), count: 0, is_open: false }
    }

    fn add(&mut self, record: ImportRecord) {
        let is_open = needs_decision(&record);
        self.is_open |= is_open;
        if record.outcome == ImportOutcome::Existing {
            return;
        }
        self.count = self.count.saturating_add(1);
        let records = if is_open { &mut self.open } else { &mut self.decided };
        if records.len() < self.limit {
            records.push(record);
        }
    }

    /// Returns the records, and the number of those that are left out. If there are some, those
    /// that need a decision come first.
    fn into_records(self) -> (Vec<ImportRecord>, usize) {
        let mut records = self.open;
        records.extend(self.decided);
        records.truncate(self.limit);
        let left = self.count.saturating_sub(records.len());
        if left == 0 {
            records.sort_by_key(|record| record.record);
        }
        (records, left)
    }
}

/// Reads the records of a preview with the decisions about them.
async fn records(
    book: &OpenBook,
    id: &str,
    decisions: &[ImportDecision],
    limit: usize,
) -> Result<Shown> {
    let mut shown = Shown::new(limit);
    let mut parameters = ListImportRecords { limit: Some(PAGE), ..ListImportRecords::default() };
    loop {
        let page = book.handle.list_import_records(id, &parameters).await?;
        for mut record in page.items {
            apply(&mut record, decisions);
            shown.add(record);
        }
        if page.cursor.is_none() {
            return Ok(shown);
        }
        parameters.cursor = page.cursor;
    }
}

/// Shows a preview. In tables, which people read, a long one has the first records alone.
fn show(session: &Session, book: &OpenBook, preview: &Import, shown: Shown) -> Result {
    let (records, left) = shown.into_records();
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
    let name = |side: &Option<ImportAccount>| {
        side.as_ref().map(|side| side.name.clone()).unwrap_or_default()
    };
    let money = |amount: Option<Amount>| amount.map(|it| book.money(it)).unwrap_or_default();
    for record in &records {
        let suggestion = record.suggestion.as_ref();
        let suggestion = suggestion.map(|it| format!("{}? {}", it.account.name, it.reason));
        let reason = record.reason.clone().filter(|_| record.outcome != ImportOutcome::New);
        let why = reason.or(suggestion).unwrap_or_default();
        let line = record.line.filter(|_| record.outcome == ImportOutcome::Refused);
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        table.add(vec![
            record.record.to_string(),
            record.outcome.as_str().to_lowercase(),
            record.date.map(|date| date.to_string()).unwrap_or_default(),
            money(record.amount),
            record.description.clone().unwrap_or_default(),
            name(&record.from),
            name(&record.to),
            format!("{line}{why}"),
        ]);
    }
    session.output.table(&table)?;
    for record in records.iter().filter(|record| record.outcome == ImportOutcome::New) {
        for found in record.candidates.iter().flatten() {
            let (number, id) = (record.record, &found.id);
            let day = found.date.map(|date| date.to_string()).unwrap_or_default();
            let (amount, description) = (book.money(found.amount), &found.description);
            let line = format!("record {number} may be {day} {amount} {description}");
            session.output.say(&format!("{line}; --decide {number}.match={id} matches it"));
        }
    }
    if left > 0 {
        let left = counted(left, "more record");
        let order = "those that need a decision come first";
        session.output.say(&format!("and {left}; {order}; --all shows all"));
    }
    session.output.say(preview.format.as_deref().unwrap_or_default());
    session.output.say(&counts(preview));
    let (sum_in, sum_out) = (money(preview.sum_in), money(preview.sum_out));
    let is_journal = preview.statements.is_empty();
    let [label_in, label_out] = if is_journal { ["debits", "credits"] } else { ["in", "out"] };
    session.output.say(&format!("{label_in} {sum_in}, {label_out} {sum_out}"));
    for statement in &preview.statements {
        let difference = statement.difference.filter(|difference| !difference.is_zero());
        if let Some(difference) = difference {
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

/// Describes the counts, which add up to the records of the file.
fn counts(import: &Import) -> String {
    let counts = &import.counts;
    let kinds = [
        ("new", counts.new),
        ("existing", counts.existing),
        ("matched", counts.matched),
        ("skipped", counts.skipped),
        ("refused", counts.refused),
    ];
    let shown: Vec<String> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{}: {}", counted(counts.total, "record"), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_records_come_first_if_some_are_left_out() {
        let record = |number: i64| ImportRecord {
            record: number,
            uncategorised: (number % 3 == 0).then_some(true),
            outcome: match number {
                2 => ImportOutcome::Existing,
                _ => ImportOutcome::New,
            },
            ..ImportRecord::default()
        };
        for (limit, expected, left) in [
            (9, &[1, 3, 4, 5, 6, 7, 8][..], 0),
            (7, &[1, 3, 4, 5, 6, 7, 8], 0),
            (4, &[3, 6, 1, 4], 3),
            (1, &[3], 6),
            (0, &[], 7),
        ] {
            let mut shown = Shown::new(limit);
            (1..=8).map(record).for_each(|record| shown.add(record));
            assert!(shown.is_open);
            let (records, more) = shown.into_records();
            let numbers: Vec<i64> = records.iter().map(|record| record.record).collect();
            assert_eq!((numbers.as_slice(), more), (expected, left), "{limit}");
        }
    }
}
