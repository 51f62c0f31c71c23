//! `dbk verify` and `dbk history`.

use daybook_client::Reason;
use daybook_client::parameters::ListEvents;
use daybook_client::types::{Account, Audit, Event};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::output::counted;
use crate::session::Session;

/// Has the server audit the book, and computes the hashes of its events here.
///
/// The newest event is kept in the configuration. The next run compares it, so a server cannot
/// replace the log unnoticed.
///
/// # Errors
/// When the server refuses, or something differs.
pub(crate) async fn run(session: &Session) -> Result {
    let book = session.book().await?;
    let noted = session.entry().and_then(|entry| entry.heads.get(&book.choice.id)).cloned();
    session.output.say("the server recomputes balances and hashes ...");
    let audit = match book.handle.audit().await {
        Err(error) if error.reason() == Some(&Reason::Forbidden) => {
            session.output.say("it does so for the OWNER and EDITORs alone");
            None
        }
        audit => Some(audit?),
    };
    session.output.say("this machine computes the hashes of the events ...");
    let mut progress = session.output.progress("events");
    let show = |done, total| progress.set(done, total);
    let chain = book.handle.verify_chain_with_progress(noted.clone(), show).await?;
    drop(progress);
    if session.output.is_json() {
        let faults: Vec<String> = chain.faults.iter().map(ToString::to_string).collect();
        let head =
            chain.head.as_ref().map(|(sequence, hash)| json!({"sequence": sequence, "hash": hash}));
        let (events, hashes) = (chain.events, chain.hashes);
        let chain = json!({"events": events, "hashes": hashes, "head": head, "faults": faults});
        session.output.json(&json!({"audit": audit, "chain": chain}))?;
    } else {
        if let Some(audit) = &audit {
            show_audit(session, audit)?;
        }
        let line = |text: String| session.output.line(&text);
        match &chain.head {
            Some((sequence, hash)) if chain.is_intact() => {
                line(format!("computed {}", counted(chain.hashes, "hash")))?;
                line(format!("chain intact to event {sequence}, {hash}"))?;
            }
            Some(_) | None => chain.faults.iter().try_for_each(|fault| line(fault.to_string()))?,
        }
        if let Some((sequence, _)) = noted.filter(|_| chain.is_intact()) {
            line(format!("event {sequence} is as it was when this machine last looked"))?;
        }
    }
    let is_sound = audit.is_none_or(|audit| {
        audit.findings_count == 0 && audit.chain_intact && audit.balances_match && audit.zero_sum
    });
    if !is_sound || !chain.is_intact() {
        return Err(Failure::different());
    }
    match chain.head {
        Some(head) => {
            let id = book.choice.id;
            session.file.change(&session.server, |entry| drop(entry.heads.insert(id, head)))
        }
        None => Ok(()),
    }
}

fn show_audit(session: &Session, audit: &Audit) -> Result {
    session.output.line(&format!(
        "audited {}, {} and {}: {}",
        counted(audit.transactions_checked, "transaction"),
        counted(audit.accounts_checked, "account"),
        counted(audit.events_checked, "event"),
        if audit.findings_count == 0 { "no findings" } else { "findings" }
    ))?;
    for finding in &audit.findings {
        let (expected, actual) = (&finding.expected, &finding.actual);
        let what = format!("{} {}", finding.kind, finding.resource);
        session.output.line(&format!("  {what}: expected {expected}, found {actual}"))?;
    }
    Ok(())
}

/// Shows the events of a transaction, oldest first, with what each changed.
///
/// # Errors
/// When the server refuses, or does not have the transaction.
pub(crate) async fn history(session: &Session, id: &str) -> Result {
    let book = session.book().await?;
    let wanted = ListEvents { resource_id: Some(id.to_owned()), ..ListEvents::default() };
    if session.output.is_json() {
        let text = book.handle.list_events(&wanted).into_text().await?;
        return session.output.line(text.trim_end());
    }
    let events = book.handle.events(wanted).all().await?;
    if events.is_empty() {
        return Err(Failure::not_found(format!("no events of {id:?}")));
    }
    let moves = |event: &Event| {
        let changed = &event.data.previous_attributes;
        changed.iter().flatten().any(|(field, _)| field == CREDIT || field == DEBIT)
    };
    let accounts = match events.iter().any(moves) {
        true => book.handle.list_accounts().await?.items,
        false => Vec::new(),
    };
    for event in events.iter().rev() {
        session.output.line(&heading(event))?;
        for (field, before) in event.data.previous_attributes.iter().flatten() {
            let (name, before, after) = change(&event.data.object, field, before, &accounts);
            session.output.line(&format!("  {name}: {before:?} -> {after:?}"))?;
        }
    }
    Ok(())
}

/// The fields of an event with the ids of the accounts that a transaction had (behaviour 8.3).
const CREDIT: &str = "creditAccId";
const DEBIT: &str = "debitAccId";

/// Returns the name of a changed field, and its values before and after.
fn change<'f>(
    object: &Value,
    field: &'f str,
    before: &str,
    accounts: &[Account],
) -> (&'f str, String, String) {
    let account = |id: &str| {
        let found = accounts.iter().find(|account| account.id.as_deref() == Some(id));
        found.and_then(|account| account.name.clone()).unwrap_or_else(|| id.to_owned())
    };
    match field {
        CREDIT => ("from", account(before), field_text(object, "creditAccount")),
        DEBIT => ("to", account(before), field_text(object, "debitAccount")),
        "dateValue" => ("date", with_hyphens(before), field_text(object, "date")),
        _ => (field, before.to_owned(), field_text(object, field)),
    }
}

/// Writes a day such as `20260131` as `2026-01-31`.
fn with_hyphens(day: &str) -> String {
    let parts = (day.get(..4), day.get(4..6), day.get(6..));
    match parts {
        (Some(year), Some(month), Some(of_month)) => format!("{year}-{month}-{of_month}"),
        _ => day.to_owned(),
    }
}

/// Describes an event in a line.
pub(crate) fn heading(event: &Event) -> String {
    let agent = event.agent.name.as_deref().unwrap_or(&event.agent.id);
    let hash = event.hash.get(..12).unwrap_or(&event.hash);
    let (sequence, time, user) = (event.sequence, &event.created_on, &event.user.username);
    format!("#{sequence} {time} {} by {user} with {agent}, {hash}", event.kind)
}

/// Returns the text of a field of a changed resource, empty without one.
fn field_text(object: &Value, field: &str) -> String {
    let found = object.get("transaction").unwrap_or(object).get(field);
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(side)) => {
            side.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_))) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_sides_and_dates_are_named_as_people_do() {
        let cash = Account {
            id: Some("a1".to_owned()),
            name: Some("Cash".to_owned()),
            ..Account::default()
        };
        let accounts = [cash];
        let object = json!({"transaction": {
            "creditAccount": {"id": "a2", "name": "Bank"},
            "debitAccount": {"id": "a3", "name": "Food"},
            "date": "2026-01-15", "dateValue": 20_260_115, "amount": "12.80",
        }});
        for (field, before, name, shown, after) in [
            ("creditAccId", "a1", "from", "Cash", "Bank"),
            ("debitAccId", "gone", "to", "gone", "Food"),
            ("debitAccId", "", "to", "", "Food"),
            ("dateValue", "20260114", "date", "2026-01-14", "2026-01-15"),
            ("dateValue", "", "date", "", "2026-01-15"),
            ("amount", "12.50", "amount", "12.50", "12.80"),
        ] {
            let wanted = (name, shown.to_owned(), after.to_owned());
            assert_eq!(change(&object, field, before, &accounts), wanted);
        }
    }
}
