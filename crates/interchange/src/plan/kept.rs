//! Texts of a journal that have no place in a book.

use daybook_domain::calendar::format_iso;

use super::facts::number;
use super::model::KeptFile;
use crate::read::journal::Journal;

/// Returns the prices and the directives without a place in a book as files.
#[must_use]
pub fn files(journal: &Journal) -> Vec<KeptFile> {
    let mut prices = String::new();
    for price in &journal.prices {
        let quantity = &price.price;
        prices.push_str(&format!(
            "P {} {} {} {}\n",
            format_iso(price.date),
            quoted(&price.commodity),
            number(quantity),
            quoted(&quantity.commodity),
        ));
    }
    let mut directives = String::new();
    for directive in &journal.directives {
        directives.push_str(&directive.written);
        directives.push('\n');
    }
    [("prices.journal", prices), ("directives.txt", directives)]
        .into_iter()
        .filter(|(_, content)| !content.is_empty())
        .map(|(name, content)| KeptFile { name, content })
        .collect()
}

/// Writes a symbol as journals have it: in quotes unless it has letters only.
fn quoted(symbol: &str) -> String {
    let is_plain = symbol.chars().all(|c| c.is_alphabetic() || "$\u{20ac}\u{a3}\u{a5}".contains(c));
    if is_plain { symbol.to_owned() } else { format!("\"{symbol}\"") }
}
