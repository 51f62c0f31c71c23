//! Decisions about single records of an import, `--decide`.

use std::collections::BTreeMap;

use daybook_client::Amount;
use daybook_client::types::{
    ImportAccount, ImportDecision, ImportDecisionOutcome, ImportOutcome, ImportRecord,
};

use crate::failure::{Failure, Result};

const ACCEPTED: &str = "expected RECORD=ACCOUNT, RECORD=skip, RECORD=new, or RECORD.PART=VALUE \
    with the part account, match, description or tags";

/// One part of a decision about a record.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Skip,
    New,
    Account(&'a str),
    Match(&'a str),
    Description(&'a str),
    Tags(Vec<&'a str>),
}

/// Reads decisions. Those about one record are joined.
///
/// # Errors
/// When one cannot be read, repeats a part, or contradicts another one.
pub(crate) fn read_decisions(texts: &[String]) -> Result<Vec<ImportDecision>> {
    let mut decisions: BTreeMap<i64, ImportDecision> = BTreeMap::new();
    for text in texts {
        let invalid =
            |problem: String| Failure::usage(format!("invalid --decide {text:?}: {problem}"));
        let (record, part) = read(text).map_err(invalid)?;
        let decision = decisions.entry(record).or_default();
        decision.record = record;
        add(decision, part).map_err(invalid)?;
    }
    Ok(decisions.into_values().collect())
}

/// Reads the record and the part of a decision.
fn read(text: &str) -> Result<(i64, Part<'_>), String> {
    let (left, value) = text.split_once('=').ok_or(ACCEPTED)?;
    let (record, name) = match left.split_once('.') {
        Some((record, name)) => (record, Some(name)),
        None => (left, None),
    };
    let record = record.parse().ok().filter(|record| *record > 0).ok_or(ACCEPTED)?;
    let part = match (name, value) {
        (None, "skip") => Part::Skip,
        (None, "new") => Part::New,
        (Some("description"), text) => Part::Description(text),
        (None, "") => return Err(ACCEPTED.to_owned()),
        (Some(name), "") => return Err(format!("{name} is empty")),
        (None | Some("account"), account) => Part::Account(account),
        (Some("match"), id) => Part::Match(id),
        (Some("tags"), tags) => Part::Tags(read_tags(tags)?),
        (Some(name), _) => return Err(format!("unknown part {name:?}: {ACCEPTED}")),
    };
    Ok((record, part))
}

fn read_tags(text: &str) -> Result<Vec<&str>, String> {
    let tags: Vec<&str> = text
        .split(',')
        .map(|tag| tag.trim())
        .map(|tag| tag.strip_prefix('#').unwrap_or(tag))
        .collect();
    let is_invalid = |tag: &str| tag.is_empty() || tag.contains(|c: char| c.is_whitespace());
    match tags.iter().find(|tag| is_invalid(tag)) {
        Some(tag) => Err(format!("invalid tag {tag:?}: expected hashtags, as in trip,food")),
        None => Ok(tags),
    }
}

/// Sets a field that is empty. The error is its name.
fn set<T>(name: &'static str, field: &mut Option<T>, value: T) -> Result<(), &'static str> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(name),
    }
}

/// Adds a part to a decision.
fn add(decision: &mut ImportDecision, part: Part<'_>) -> Result<(), String> {
    let record = decision.record;
    let set = match part {
        Part::Skip => set("outcome", &mut decision.outcome, ImportDecisionOutcome::Skipped),
        Part::New => set("outcome", &mut decision.outcome, ImportDecisionOutcome::New),
        Part::Account(account) => set("account", &mut decision.account, account.to_owned()),
        Part::Match(id) => set("match", &mut decision.match_with, id.to_owned()),
        Part::Description(text) => set("description", &mut decision.description, text.to_owned()),
        Part::Tags(tags) => {
            let tags = tags.into_iter().map(str::to_owned).collect();
            set("tags", &mut decision.tags, tags)
        }
    };
    set.map_err(|name| format!("record {record} has a decision about its {name} already"))?;
    let has_values =
        decision.account.is_some() || decision.description.is_some() || decision.tags.is_some();
    let is_new = decision.outcome == Some(ImportDecisionOutcome::New);
    let is_skipped = decision.outcome == Some(ImportDecisionOutcome::Skipped);
    match &decision.match_with {
        Some(_) if is_new || is_skipped || has_values => {
            Err(format!("record {record} is matched, and takes no other decision"))
        }
        None if is_skipped && has_values => {
            Err(format!("record {record} is skipped, and takes no other decision"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Shows in a record of a preview what the decision about it will make of it.
pub(crate) fn apply(record: &mut ImportRecord, decisions: &[ImportDecision]) {
    let Some(decision) = decisions.iter().find(|decision| decision.record == record.record) else {
        return;
    };
    let ImportDecision { record: _, outcome, account, match_with, description, tags } = decision;
    let decided = match (outcome, match_with) {
        (_, Some(_)) => Some(ImportOutcome::Matched),
        (Some(ImportDecisionOutcome::Skipped), None) => Some(ImportOutcome::Skipped),
        (Some(ImportDecisionOutcome::New), None) => Some(ImportOutcome::New),
        (Some(_) | None, None) => None,
    };
    if let Some(decided) = decided {
        if decided != ImportOutcome::New {
            (record.uncategorised, record.draft) = (None, None);
        }
        record.outcome = decided;
        record.reason = Some("as decided".to_owned());
    }
    if let Some(account) = account {
        (record.uncategorised, record.draft) = (None, None);
        let is_out = record.amount.is_some_and(Amount::is_negative);
        let side = if is_out { &mut record.to } else { &mut record.from };
        *side = Some(ImportAccount { id: None, name: account.clone() });
    }
    if let Some(description) = description {
        record.description = Some(description.clone());
    }
    for tag in tags.iter().flatten() {
        let text = record.description.get_or_insert_default();
        let tag = format!("#{tag}");
        if !text.split_whitespace().any(|word| word.eq_ignore_ascii_case(&tag)) {
            *text = format!("{text} {tag}").trim_start().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(texts: &[&str]) -> Result<Vec<ImportDecision>, String> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        read_decisions(&texts).map_err(|failure| {
            assert_eq!(failure.code, crate::failure::USAGE);
            failure.message
        })
    }

    fn about(record: i64) -> ImportDecision {
        ImportDecision { record, ..ImportDecision::default() }
    }

    #[test]
    fn parts_are_read_and_joined() {
        let text = |text: &str| Some(text.to_owned());
        let tags = |tags: &[&str]| Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
        let skipped = Some(ImportDecisionOutcome::Skipped);
        let new = Some(ImportDecisionOutcome::New);
        let all = ImportDecision {
            account: text("Food"),
            description: text("Lunch"),
            tags: tags(&["trip"]),
            ..about(3)
        };
        for (texts, expected) in [
            (&["1=Food"][..], vec![ImportDecision { account: text("Food"), ..about(1) }]),
            (&["12=A=B.c"], vec![ImportDecision { account: text("A=B.c"), ..about(12) }]),
            (&["1=skip"], vec![ImportDecision { outcome: skipped, ..about(1) }]),
            (&["1=new"], vec![ImportDecision { outcome: new.clone(), ..about(1) }]),
            (&["1.account=skip"], vec![ImportDecision { account: text("skip"), ..about(1) }]),
            (&["1.match=t7"], vec![ImportDecision { match_with: text("t7"), ..about(1) }]),
            (
                &["1.description=a = b"],
                vec![ImportDecision { description: text("a = b"), ..about(1) }],
            ),
            (&["1.description="], vec![ImportDecision { description: text(""), ..about(1) }]),
            (
                &["1.tags=trip, #fun"],
                vec![ImportDecision { tags: tags(&["trip", "fun"]), ..about(1) }],
            ),
            (&["3=Food", "3.description=Lunch", "3.tags=trip"], vec![all]),
            (
                &["2=Food", "1=Rent", "2=new"],
                vec![
                    ImportDecision { account: text("Rent"), ..about(1) },
                    ImportDecision { account: text("Food"), outcome: new, ..about(2) },
                ],
            ),
            (&[], vec![]),
        ] {
            assert_eq!(read_all(texts), Ok(expected), "{texts:?}");
        }
    }

    #[test]
    fn invalid_decisions_are_explained() {
        let syntax = "expected RECORD=ACCOUNT, RECORD=skip, RECORD=new, or RECORD.PART=VALUE with \
            the part account, match, description or tags";
        for (texts, problem) in [
            (&["Food"][..], syntax),
            (&["one=Food"], syntax),
            (&["0=Food"], syntax),
            (&["1="], syntax),
            (&["=Food"], syntax),
            (&[".tags=x"], syntax),
            (&["1.match="], "match is empty"),
            (&["1.tags="], "tags is empty"),
            (&["1.tags=a,,b"], "invalid tag \"\": expected hashtags, as in trip,food"),
            (&["1.tags=a b"], "invalid tag \"a b\": expected hashtags, as in trip,food"),
            (&["1.tags=#"], "invalid tag \"\": expected hashtags, as in trip,food"),
            (&["1=Food", "1=Rent"], "record 1 has a decision about its account already"),
            (&["1=Food", "1.account=Rent"], "record 1 has a decision about its account already"),
            (&["1=skip", "1=new"], "record 1 has a decision about its outcome already"),
            (&["1.tags=a", "1.tags=b"], "record 1 has a decision about its tags already"),
            (&["1=Food", "1=skip"], "record 1 is skipped, and takes no other decision"),
            (&["1=skip", "1.tags=a"], "record 1 is skipped, and takes no other decision"),
            (&["1.match=t7", "1=Food"], "record 1 is matched, and takes no other decision"),
            (&["1=new", "1.match=t7"], "record 1 is matched, and takes no other decision"),
        ] {
            let last = texts[texts.len() - 1];
            let message = format!("invalid --decide {last:?}: {problem}");
            assert_eq!(read_all(texts), Err(message), "{texts:?}");
        }
        let unknown = format!("invalid --decide \"1.tag=x\": unknown part \"tag\": {syntax}");
        assert_eq!(read_all(&["1.tag=x"]), Err(unknown));
    }

    #[test]
    fn preview_shows_decisions() {
        let uncertain = ImportRecord {
            record: 1,
            outcome: ImportOutcome::New,
            amount: Some(Amount::new(-450, 2)),
            description: Some("Shop #Fun".to_owned()),
            uncategorised: Some(true),
            ..ImportRecord::default()
        };
        let shown = |texts: &[&str]| {
            let mut record = uncertain.clone();
            apply(&mut record, &read_all(texts).unwrap());
            record
        };
        assert_eq!(shown(&["2=Food", "3=skip"]), uncertain, "decisions about other records");
        let food = shown(&["1=Food"]);
        assert_eq!(food.to.map(|side| side.name).as_deref(), Some("Food"));
        assert_eq!((food.outcome, food.uncategorised), (ImportOutcome::New, None));
        for (decision, outcome) in
            [("1=skip", ImportOutcome::Skipped), ("1.match=t7", ImportOutcome::Matched)]
        {
            let record = shown(&[decision]);
            assert_eq!((record.outcome, record.uncategorised), (outcome, None), "{decision}");
            assert_eq!(record.reason.as_deref(), Some("as decided"), "{decision}");
        }
        let tagged = shown(&["1.tags=fun,trip", "1=new"]);
        assert_eq!(tagged.description.as_deref(), Some("Shop #Fun #trip"));
        assert_eq!((tagged.outcome, tagged.uncategorised), (ImportOutcome::New, Some(true)));
        let renamed = shown(&["1.description=", "1.tags=trip"]);
        assert_eq!(renamed.description.as_deref(), Some("#trip"));
    }
}
