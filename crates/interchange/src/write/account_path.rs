//! The place of an account in a tree of accounts: the names of its groups and its own.

use std::collections::HashSet;

use daybook_domain::account::Account;
use daybook_domain::group::Group;

/// The groups that a path has at most; deeper ones are left out.
const MAX_GROUPS: usize = 32;

/// Returns the names from the root down to an account.
///
/// A name that already begins with the path above it is the whole path, as in books that were
/// imported from journals: `Assets:Bank` in the group `Assets`. An account with the name of its
/// group stands in its place.
pub(super) fn path(groups: &[&Group], account: &Account) -> Vec<String> {
    let names = groups.iter().take(MAX_GROUPS).map(|group| group.name.as_str());
    let mut path = Vec::new();
    for name in names.chain([account.name.as_str()]) {
        let parts: Vec<String> = name.split(':').map(one_line).collect();
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.starts_with(&path) { path = parts } else { path.extend(parts) }
    }
    if path.is_empty() { vec![format!("Account {}", account.id)] } else { path }
}

/// Replaces control characters and sequences of white space with single spaces.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds a number to a name that is used already.
pub(super) fn distinct(name: String, used: &mut HashSet<String>, separator: char) -> String {
    let mut numbered = name.clone();
    let mut number: usize = 2;
    while !used.insert(numbered.clone()) {
        numbered = format!("{name}{separator}{number}");
        number = number.saturating_add(1);
    }
    numbered
}
