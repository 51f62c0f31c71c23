//! The facts of a heading, in the order in which every format lists them.

use daybook_domain::report::{Heading, ReportKind};

use crate::notation;

/// Something that a heading says of its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

pub(crate) fn all(heading: &Heading) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("Book", &heading.book_name),
        Fact::new("Book id", heading.book.as_str()),
        Fact::new("Report", &heading.title),
        Fact::new("Period", &heading.period),
    ];
    facts.extend(conditions(heading));
    facts.extend(origin(heading));
    facts
}

/// Returns the facts that decide what the figures include.
pub(crate) fn conditions(heading: &Heading) -> Vec<Fact> {
    let mut facts = vec![Fact::new("Basis", &basis(heading))];
    facts.extend(heading.currency.iter().map(|currency| Fact::new("Currency", currency)));
    if !heading.filters.is_empty() {
        facts.push(Fact::new("Filter", &heading.filters.join(" ")));
    }
    facts.extend(heading.notes.iter().map(|note| Fact::new("Note", note)));
    facts
}

/// Returns the facts about the data that the report was computed from.
pub(crate) fn origin(heading: &Heading) -> [Fact; 3] {
    [
        Fact::new("Computed at", &format!("{} UTC", notation::clock(heading.computed_at))),
        Fact::new("Last event", &heading.head.sequence.to_string()),
        Fact::new("Event hash", &heading.head.hash.to_string()),
    ]
}

impl Fact {
    fn new(label: &'static str, value: &str) -> Self {
        Self { label, value: value.to_owned() }
    }
}

fn basis(heading: &Heading) -> String {
    if heading.kind == ReportKind::Changes {
        return "Transactions and drafts; names, types and groups of accounts".to_owned();
    }
    match heading.omitted_drafts {
        0 => "Posted transactions".to_owned(),
        1 => "Posted transactions; 1 draft left out".to_owned(),
        drafts => format!("Posted transactions; {drafts} drafts left out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn heading_tells_what_the_figures_include() {
        let heading = fixture::balance_sheet().heading;
        let lines = |facts: &[Fact]| -> Vec<String> {
            facts.iter().map(|fact| format!("{}: {}", fact.label, fact.value)).collect()
        };
        let expected = [
            "Basis: Posted transactions; 3 drafts left out",
            "Currency: EUR",
            "Filter: #vat #2026",
            "Note: Not closed after 30 September 2026",
        ];
        assert_eq!(lines(&conditions(&heading)), expected);
        let bare = Heading {
            omitted_drafts: 1,
            currency: None,
            filters: Vec::new(),
            notes: Vec::new(),
            ..heading.clone()
        };
        assert_eq!(lines(&conditions(&bare)), ["Basis: Posted transactions; 1 draft left out"]);
        let none = Heading { omitted_drafts: 0, ..bare };
        assert_eq!(lines(&conditions(&none)), ["Basis: Posted transactions"]);
        let all = lines(&all(&heading));
        assert_eq!(all.len(), 11);
        assert_eq!(all[3], "Period: On 31 October 2026");
        assert_eq!(all[8], "Computed at: 2026-11-02 09:30:05 UTC");
    }
}
