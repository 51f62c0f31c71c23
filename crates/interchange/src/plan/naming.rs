//! Names that a book accepts.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::name::{MAX_NAME, Name, Refusal, normalized};

/// Makes names that are unique in their normalized form (behaviour 4.5).
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// The last number behind each normalized name.
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// Returns a valid name that is not taken, and takes it.
    ///
    /// A name that another account has already gets a number.
    pub(crate) fn unique(&mut self, written: &str) -> String {
        let name = valid(written);
        let key = normalized(&name);
        if self.taken.insert(key.clone()) {
            return name;
        }
        loop {
            let number = self.numbers.entry(key.clone()).or_insert(1);
            *number = number.saturating_add(1);
            let suffix = format!(" {number}");
            let room = MAX_NAME.saturating_sub(suffix.len());
            let numbered = format!("{}{suffix}", beginning(&name, room));
            if self.taken.insert(normalized(&numbered)) {
                return numbered;
            }
        }
    }
}

/// Returns the name with what a book refuses left out: invisible characters, and a long end.
pub(crate) fn valid(written: &str) -> String {
    let mut text = beginning(written.trim(), MAX_NAME).to_owned();
    loop {
        match Name::normalizable(&text) {
            Ok(name) => return name.as_str().to_owned(),
            Err(Refusal::Invisible(invisible)) => text.retain(|c| c != invisible),
            Err(Refusal::TooLong(_)) => text = beginning(&text, MAX_NAME).to_owned(),
            Err(Refusal::Missing) => return "Unnamed".to_owned(),
        }
    }
}

fn beginning(text: &str, characters: usize) -> &str {
    let end = text.char_indices().nth(characters).map_or(text.len(), |(index, _)| index);
    text.get(..end).unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let mut names = Names::default();
        let long = "x".repeat(300);
        let made: Vec<String> = ["A:b-c", "a:B C", "A:b_c", "A:b c 4", "a:b c", "\u{200b}", "--"]
            .into_iter()
            .chain([long.as_str(), long.as_str()])
            .map(|name| names.unique(name))
            .collect();
        let (short, cut) = made.split_at(7);
        assert_eq!(
            short,
            ["A:b-c", "a:B C 2", "A:b_c 3", "A:b c 4", "a:b c 5", "Unnamed", "Unnamed 2"]
        );
        assert_eq!(cut[0].len(), 255);
        assert!(cut[1].ends_with("x 2") && cut[1].len() == 255);
        assert!(made.iter().all(|name| Name::normalizable(name).is_ok()));
    }
}
