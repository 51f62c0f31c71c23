//! Properties and hashtags of what a journal says beside amounts and accounts.

use std::collections::BTreeMap;

use daybook_domain::amount::write_units;
use daybook_domain::calendar::format_iso;
use daybook_domain::property::{MAX_BYTES, MAX_KEY, MAX_KEYS};
use daybook_domain::transaction::MAX_DESCRIPTION;

use crate::read::journal::{Assertion, Cost, Entry, Mark, Posting, Quantity};

/// The most bytes of a property of a transaction.
pub(crate) const MAX_TEXT: usize = 8 * 1024;

/// Properties within the limits of a book (behaviour 4.6).
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    values: BTreeMap<String, String>,
    bytes: usize,
    /// Whether something was left out.
    pub(crate) is_cut: bool,
}

impl Facts {
    /// Adds a value of at most `max` bytes; to one that exists, as a further line.
    pub(crate) fn add(&mut self, key: &str, value: &str, max: usize) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let key = key_of(key);
        let known = self.values.get(&key).map(String::as_str).unwrap_or_default();
        if known.lines().any(|line| line == value) || known == value {
            return;
        }
        let joined = if known.is_empty() { value.to_owned() } else { format!("{known}\n{value}") };
        let cut = cut(&joined, max);
        let bytes = self.bytes.saturating_add(key.len()).saturating_add(cut.len());
        let has_room = bytes <= MAX_BYTES && self.values.len() < MAX_KEYS;
        self.is_cut |= cut.len() < joined.len() || !has_room;
        if has_room {
            self.bytes = bytes;
            self.values.insert(key, cut.to_owned());
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    pub(crate) fn into_values(self) -> BTreeMap<String, String> {
        self.values
    }
}

/// Returns a key in its normalized form, as long as one may be.
fn key_of(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let plain = lower.chars().map(|c| if c.is_whitespace() { '_' } else { c });
    plain.take(MAX_KEY).collect()
}

/// Returns the beginning of a text of at most `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

/// Writes an amount with the decimal places that it was written with.
pub(crate) fn number(quantity: &Quantity) -> String {
    let decimals = quantity.decimals.max(quantity.amount.decimals());
    let units = quantity.amount.units(decimals);
    units
        .map_or_else(|| quantity.amount.to_string(), |units| write_units(units, decimals, decimals))
}

fn amount(quantity: &Quantity) -> String {
    format!("{} {}", number(quantity), quantity.commodity).trim_end().to_owned()
}

/// Returns the properties that all transactions of an entry have.
pub(crate) fn of_entry(entry: &Entry) -> Facts {
    let mut facts = Facts::default();
    let mut add = |key: &str, value: &str| facts.add(key, value, MAX_TEXT);
    add("code", entry.code.as_deref().unwrap_or_default());
    add("date2", &entry.date2.map(format_iso).unwrap_or_default());
    add("payee", entry.payee.as_deref().unwrap_or_default());
    add("note", entry.note.as_deref().unwrap_or_default());
    if entry.mark == Mark::Pending {
        add("status", "pending");
    }
    add("links", &entry.links.join(" "));
    for (name, value) in &entry.tags {
        add(&format!("tag_{name}"), value);
    }
    add("comment", &remarks(&entry.comment, &entry.tags));
    facts
}

/// Returns the lines of a comment that say more than the tags found in them.
fn remarks(comment: &str, tags: &[(String, String)]) -> String {
    let is_tag = |part: &str| {
        let name = part.split_once(':').map(|(name, _)| name.trim());
        let is_known = |name| tags.iter().any(|(known, _)| known == name);
        part.trim().is_empty()
            || name.is_some_and(|name| is_known(name) || matches!(name, "date" | "date2"))
    };
    let lines = comment.lines().filter(|line| !line.split(',').all(is_tag));
    lines.collect::<Vec<&str>>().join("\n")
}

/// Properties of a posting.
pub(crate) type PostingFacts = Vec<(String, String)>;

/// Returns the properties of a posting.
///
/// `is_last` is true for the last transaction with it, which gets the assertion.
pub(crate) fn of_posting(entry: &Entry, posting: &Posting, is_last: bool) -> PostingFacts {
    let mut facts = PostingFacts::new();
    let mut add = |key: &str, value: String| facts.push((key.to_owned(), value));
    if posting.mark != Mark::Unmarked && posting.mark != entry.mark {
        let is_pending = posting.mark == Mark::Pending;
        add("status", if is_pending { "pending" } else { "cleared" }.to_owned());
    }
    add("date2", posting.date2.map(format_iso).unwrap_or_default());
    for (cost, names) in
        [(&posting.cost, ["cost", "cost_total"]), (&posting.price, ["price", "price_total"])]
    {
        let Some(cost) = cost else { continue };
        let [unit, total] = names;
        add(if cost.is_total { total } else { unit }, amount(&cost.quantity));
        add_lot(cost, &mut add);
    }
    if let Some(assertion) = posting.assertion.as_ref().filter(|_| is_last) {
        add("assert", show_assertion(posting, assertion));
    }
    for (name, value) in &posting.tags {
        add(&format!("tag_{name}"), value.clone());
    }
    add("comment", remarks(&posting.comment, &posting.tags));
    facts.retain(|(_, value)| !value.trim().is_empty());
    facts
}

fn add_lot(cost: &Cost, add: &mut dyn FnMut(&str, String)) {
    let Some(lot) = &cost.lot else { return };
    add("cost_date", lot.date.map(format_iso).unwrap_or_default());
    add("cost_label", lot.label.clone().unwrap_or_default());
}

/// Writes an assertion: `960.00`, `== 960.00`, and with a commodity that is not the posting's.
fn show_assertion(posting: &Posting, assertion: &Assertion) -> String {
    let quantity = &assertion.quantity;
    let is_own = posting.quantity.as_ref().is_some_and(|own| own.commodity == quantity.commodity);
    let value = if is_own { number(quantity) } else { amount(quantity) };
    match (assertion.is_total, assertion.is_inclusive) {
        (false, false) => value,
        (true, false) => format!("== {value}"),
        (false, true) => format!("=* {value}"),
        (true, true) => format!("==* {value}"),
    }
}

/// Adds the properties of the postings on both sides.
///
/// A property of one side, or equal on both, has its own name. Where the sides differ from each
/// other or from the entry, the name begins with the side.
pub(crate) fn add_sides(facts: &mut Facts, credit: &PostingFacts, debit: &PostingFacts) {
    let entry = facts.clone();
    for (side, own, other) in [("credit", credit, debit), ("debit", debit, credit)] {
        for (key, value) in own {
            let of_entry = entry.get(&key_of(key));
            let values = other.iter().filter(|(known, _)| known == key);
            let differs = values.clone().any(|(_, known)| known != value)
                || of_entry.is_some_and(|known| known != value);
            let name = if differs { format!("{side}_{key}") } else { key.clone() };
            facts.add(&name, value, MAX_TEXT);
        }
    }
}

/// Collects hashtags within the limit of a description.
#[derive(Debug)]
pub(crate) struct Hashtags {
    tags: Vec<String>,
    room: usize,
}

impl Hashtags {
    pub(crate) const fn new(description: &str) -> Self {
        Self { tags: Vec::new(), room: MAX_DESCRIPTION.saturating_sub(description.len()) }
    }

    /// Adds a name as a hashtag: characters that one cannot have become `_`.
    pub(crate) fn add(&mut self, name: &str) {
        let plain: String =
            name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let bytes = plain.len().saturating_add(2);
        if !plain.is_empty() && bytes <= self.room && !self.tags.contains(&plain) {
            self.room -= bytes;
            self.tags.push(plain);
        }
    }

    /// Adds the tags without a value.
    pub(crate) fn add_tags(&mut self, tags: &[(String, String)]) {
        for (name, _) in tags.iter().filter(|(_, value)| value.trim().is_empty()) {
            self.add(name);
        }
    }

    pub(crate) fn into_tags(self) -> Vec<String> {
        self.tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use daybook_domain::property::{Edits, Properties};
    use daybook_domain::transaction::tags;

    #[test]
    fn facts_keep_the_limits_of_properties() {
        let mut facts = Facts::default();
        facts.add("Tax Rate", " 10 ", MAX_TEXT);
        facts.add("tax rate", "20", MAX_TEXT);
        facts.add("tax rate", "20", MAX_TEXT);
        facts.add("x", "  ", MAX_TEXT);
        assert_eq!(facts.get("tax_rate"), Some("10\n20"));
        assert!(!facts.is_cut);
        facts.add(&"\u{130}".repeat(40), &"\u{e9}".repeat(MAX_TEXT), MAX_TEXT);
        assert!(facts.is_cut);
        for index in 0..2_000 {
            facts.add(&format!("k{index}"), &"v".repeat(200), MAX_TEXT);
        }
        let values = facts.into_values();
        let edits: Edits =
            values.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect();
        let stored = Properties::default().merge(&edits).unwrap();
        let stored: Vec<(&str, &str)> = stored.iter().collect();
        let planned: Vec<(&str, &str)> =
            values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(stored, planned);
    }

    #[test]
    fn hashtags_are_those_that_a_book_finds() {
        let mut hashtags = Hashtags::new("");
        for name in ["project-x", "inv-2024/01", "\u{e9}t\u{e9}", "a b", "project x"] {
            hashtags.add(name);
        }
        let found = hashtags.into_tags();
        assert_eq!(found, ["project_x", "inv_2024_01", "\u{e9}t\u{e9}", "a_b"]);
        for tag in found {
            assert_eq!(tags::of(&format!("#{tag}")), [tag]);
        }
        let mut full = Hashtags::new(&"x".repeat(MAX_DESCRIPTION - 3));
        full.add("ab");
        full.add("a");
        assert_eq!(full.into_tags(), ["a"]);
    }
}
