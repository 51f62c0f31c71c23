//! `dbk verify` and `dbk history`.

use daybook_client::Reason;
use daybook_client::parameters::ListEvents;
use daybook_client::types::{Audit, Event};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
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
                line(format!("computed {} hashes", chain.hashes))?;
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
        "audited {} transactions, {} accounts and {} events: {}",
        audit.transactions_checked,
        audit.accounts_checked,
        audit.events_checked,
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
    for event in events.iter().rev() {
        session.output.line(&heading(event))?;
        for (field, before) in event.data.previous_attributes.iter().flatten() {
            let after = field_text(&event.data.object, field);
            session.output.line(&format!("  {field}: {before:?} -> {after:?}"))?;
        }
    }
    Ok(())
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
