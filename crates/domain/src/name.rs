//! Names of accounts, groups and books, and the normalized forms they are compared by.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// The most characters of a name (behaviour 10.8).
pub const MAX_NAME: usize = 255;

/// Why a name was refused (behaviour 4.5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No name, or only white space.
    #[error("name is required and must not be blank")]
    Missing,
    /// Longer than [`MAX_NAME`] characters.
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    TooLong(usize),
}

/// A name as given, trimmed, 1 to 255 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Trims and checks a name.
    ///
    /// # Errors
    /// [`Refusal`] when it is blank or longer than 255 characters.
    ///
    /// ```
    /// use daybook_domain::name::Name;
    /// let name = Name::new("  Current Assets ").unwrap();
    /// assert_eq!(name.as_str(), "Current Assets");
    /// assert_eq!(name.normalized(), "current_assets");
    /// ```
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(Refusal::Missing);
        }
        match trimmed.chars().count() {
            length if length > MAX_NAME => Err(Refusal::TooLong(length)),
            _ => Ok(Self(trimmed.to_owned())),
        }
    }

    /// As [`Name::new`], of what is found by the normalized form: that must not be empty either.
    ///
    /// # Errors
    /// As [`Name::new`].
    pub fn normalizable(text: &str) -> Result<Self, Refusal> {
        let name = Self::new(text)?;
        if name.normalized().is_empty() { Err(Refusal::Missing) } else { Ok(name) }
    }

    /// Wraps a name that was checked when it was stored.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The name as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form names are compared by (behaviour 4.3).
    #[must_use]
    pub fn normalized(&self) -> String {
        normalized(&self.0)
    }
}

/// `normalizedName` (behaviour 4.3): `_` and `-` become spaces, white space collapses, letters are
/// lower case without diacritics, words are joined by `_`.
///
/// ```
/// use daybook_domain::name::normalized;
/// assert_eq!(normalized("Á é î-õ ú ão"), "a_e_i_o_u_ao");
/// ```
#[must_use]
pub fn normalized(name: &str) -> String {
    let spaced: String =
        name.chars().map(|c| if matches!(c, '_' | '-') { ' ' } else { c }).collect();
    let folded = fold(&spaced);
    folded.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Lower case without diacritics, other characters unchanged: the form in which text is searched
/// (behaviour 1.2.4).
///
/// ```
/// use daybook_domain::name::fold;
/// assert_eq!(fold("Ação Straße Ærø"), "acao strase aero");
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        // Marks are all that a decomposition puts into another order, and none is kept.
        decompose_canonical(c, |part| {
            if !is_combining_mark(part) {
                part.to_lowercase().for_each(|lower| push_folded(&mut folded, lower));
            }
        });
    }
    folded
}

/// Adds a letter of lower case.
fn push_folded(folded: &mut String, lower: char) {
    match lower {
        'ß' => folded.push('s'),
        'æ' => folded.push_str("ae"),
        'ø' => folded.push('o'),
        'đ' => folded.push('d'),
        'ł' => folded.push('l'),
        // Lower case may add a combining mark (İ becomes i and a dot above).
        other if is_combining_mark(other) => {}
        other => folded.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn normalized_names_of_behaviour_4_3() {
        for (name, expected) in [
            ("Current Assets", "current_assets"),
            ("Á é î-õ ú ão", "a_e_i_o_u_ao"),
            ("Anticipo_ IRAE", "anticipo_irae"),
            ("520111 Freight Charges - Intergroup", "520111_freight_charges_intergroup"),
            ("Á é î/õ/ ú/ ão", "a_e_i/o/_u/_ao"),
            ("Á é î.õ. ú ão", "a_e_i.o._u_ao"),
            ("Owner's Equity", "owner's_equity"),
            ("Łódź Straße Ærø Đ", "lodz_strase_aero_d"),
            ("  -_ ", ""),
        ] {
            assert_eq!(normalized(name), expected, "{name}");
        }
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(Name::new("   "), Err(Refusal::Missing));
        assert!(Name::new("_-").is_ok());
        assert_eq!(Name::normalizable("_-"), Err(Refusal::Missing));
        assert!(Name::new(&"é".repeat(255)).is_ok());
        assert_eq!(Name::new(&"é".repeat(256)), Err(Refusal::TooLong(256)));
    }

    proptest! {
        /// Each letter is decomposed by itself, as if the whole text was.
        #[test]
        fn folding_is_decomposing_without_marks(text in "\\PC*|[a-zÀ-ʯ\u{300}-\u{36f}ßﬁ가-힣्ͅ]*") {
            let parts = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
            let mut expected = String::new();
            parts.for_each(|lower| push_folded(&mut expected, lower));
            prop_assert_eq!(fold(&text), expected);
        }

        #[test]
        fn normalizing_twice_changes_nothing(name in ".*") {
            let once = normalized(&name);
            prop_assert_eq!(normalized(&once), once);
        }
    }
}
