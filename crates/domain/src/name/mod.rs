//! Names of accounts, groups and books, and their normalized forms.
//!
//! A [`Name`] is trimmed text without invisible characters. Names are compared in their normalized
//! form, which ignores case, accents and the kind of separator. [`fold`] is the case and accent
//! folding of the texts that searches compare.

mod invisible;
mod latin;

use std::fmt::{self, Debug, Formatter};
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{compose, is_combining_mark};

use crate::reason::Reason;
use invisible::find_invisible;

/// Maximum length of a name, in characters (behaviour 10.8).
pub const MAX_NAME: usize = 255;

/// Why a name was refused (behaviour 4.5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The name is missing or blank.
    #[error("name is required and must not be blank")]
    Missing,
    /// The name is longer than [`MAX_NAME`] characters.
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    TooLong(usize),
    /// The name has an invisible character, or one that changes the direction of text.
    #[error("name has the invisible character U+{:04X}: remove it", u32::from(*.0))]
    Invisible(char),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::BadRequest
    }
}

/// A trimmed name of 1 to 255 characters.
#[derive(Clone)]
pub struct Name {
    text: String,
    /// The normalized form, once it was computed.
    normalized: OnceLock<Box<str>>,
}

impl Debug for Name {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Name").field(&self.text).finish()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl Name {
    /// Trims and validates a name.
    ///
    /// # Errors
    /// [`Refusal`] for a blank or long name, and for an invisible character.
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
        let length = trimmed.chars().count();
        if length > MAX_NAME {
            return Err(Refusal::TooLong(length));
        }
        match find_invisible(trimmed) {
            Some(character) => Err(Refusal::Invisible(character)),
            None => Ok(Self::stored(trimmed.to_owned())),
        }
    }

    /// Validates the name of a resource that is found by its normalized name, which must not be
    /// empty.
    ///
    /// # Errors
    /// See [`Name::new`].
    pub fn normalizable(text: &str) -> Result<Self, Refusal> {
        let name = Self::new(text)?;
        if name.normalized().is_empty() { Err(Refusal::Missing) } else { Ok(name) }
    }

    /// Wraps a stored name.
    pub const fn stored(text: String) -> Self {
        Self { text, normalized: OnceLock::new() }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the normalized form, by which names are compared (behaviour 4.3).
    pub fn normalized(&self) -> &str {
        self.normalized.get_or_init(|| normalized(&self.text).into())
    }
}

/// Computes `normalizedName` (behaviour 4.3).
///
/// The result is lower case, Latin letters lose diacritics, and words are joined by `_`. White
/// space, `_` and `-` separate words.
pub fn normalized(name: &str) -> String {
    if name.is_ascii() {
        return normalized_ascii(name);
    }
    let spaced: String =
        name.chars().map(|c| if matches!(c, '_' | '-') { ' ' } else { c }).collect();
    let folded = fold_name(&spaced);
    folded.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Computes the normalized form of an ASCII name in one pass.
fn normalized_ascii(name: &str) -> String {
    let mut normalized = String::with_capacity(name.len());
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '_' | '-');
    for word in name.split(is_separator).filter(|word| !word.is_empty()) {
        if !normalized.is_empty() {
            normalized.push('_');
        }
        normalized.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    }
    normalized
}

/// Folds the letters of a name like JavaScript's `toLowerCase`, including the final sigma
/// (behaviour 4.3).
pub(crate) fn fold_name(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    remove_diacritics(&text.nfc().collect::<String>().to_lowercase())
}

/// Folds text for searches: lower case, composed, Latin letters without diacritics (behaviour
/// 1.2.4).
///
/// Each character is folded by itself, so the fold of a part is a part of the fold.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower: String = text
        .nfc()
        .flat_map(char::to_lowercase)
        .map(|c| if c == FINAL_SIGMA { 'σ' } else { c })
        .collect();
    remove_diacritics(&lower)
}

const FINAL_SIGMA: char = 'ς';

/// Removes diacritics from the Latin letters of a lower-case text.
fn remove_diacritics(lower: &str) -> String {
    let mut folded = String::with_capacity(lower.len());
    // The base letter of the following combining marks, if it is ASCII.
    let mut base = None;
    for c in lower.nfc() {
        if is_combining_mark(c) {
            // Several marks do not compose into one character, so compare each with the base.
            let composed = base.and_then(|base| compose(base, c)).and_then(latin::plain);
            folded.extend(composed.is_none().then_some(c));
            continue;
        }
        match latin::plain(c) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(c),
        }
        base = folded.chars().next_back().filter(char::is_ascii_lowercase);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{items, shared_cases};
    use proptest::prelude::*;

    #[test]
    fn names_are_normalized() {
        for (name, expected) in [
            ("Current Assets", "current_assets"),
            ("Á é î-õ ú ão", "a_e_i_o_u_ao"),
            ("Anticipo_ IRAE", "anticipo_irae"),
            ("520111 Freight Charges - Intergroup", "520111_freight_charges_intergroup"),
            ("Á é î/õ/ ú/ ão", "a_e_i/o/_u/_ao"),
            ("Á é î.õ. ú ão", "a_e_i.o._u_ao"),
            ("Owner's Equity", "owner's_equity"),
            ("Łódź Straße Ærø Đ", "lodz_strase_aero_d"),
            // Results of `normalizeName` of bkper-js.
            ("İstanbul ISPARTA ısı", "i\u{307}stanbul_isparta_isi"),
            ("ΟΔΟΣ Οδός", "οδος_οδός"),
            ("Œuvre Þór ſ Ａｂｃ ẞ", "œuvre_þor_l_abc_s"),
            ("m\u{302} 1\u{301}", "m\u{302}_1\u{301}"),
            ("Чай Чаи", "чай_чаи"),
            ("कर कार", "कर_कार"),
            ("バス パス", "バス_パス"),
            ("ไก่ ไก", "ไก่_ไก"),
            ("한국 서울", "한국_서울"),
            // Decomposed input.
            ("ハ\u{309a}ス", "パス"),
            ("Чаи\u{306}", "чай"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("Ta\u{301}xi a\u{323}\u{301} a\u{316}\u{323}\u{301}", "taxi_a_a\u{316}"),
            ("  -_ ", ""),
        ] {
            assert_eq!(normalized(name), expected, "{name}");
        }
    }

    /// 4.3: results of `normalizeName` of bkper-js 2.42.0 in Node.js 24.
    #[test]
    fn normalization_equals_that_of_v5_clients() {
        for (name, expected) in [
            ("ß SS ss ẞ Straße", "s_ss_ss_s_strase"),
            ("Ação Ñandú Čeština Łódź", "acao_nandu_cestina_lodz"),
            ("Ǻ Ǽ Ǿ Æ Ø Þ Œ Ð Đ", "a_ae_o_ae_o_þ_œ_ð_d"),
            ("ΟΔΟΣ ΣΑΣ Σ Οδός", "οδος_σας_σ_οδός"),
            ("ısı IŞI İ", "isi_isi_i\u{307}"),
            ("ﬁn ﬂ ﬀ ﬆ", "ﬁn_ﬂ_ﬀ_ﬆ"),
            ("ǅ Ǆ ǈ Ǌ ǰ ŉ", "dz_dz_lj_nj_j_n"),
            ("ẚ ẘ ẙ ẗ ẖ", "a_w_y_t_h"),
            ("ⓐⒷ ＡＢ ſ", "ab_ab_l"),
            ("Å Ω K", "a_ω_k"),
            ("Tiếng Việt ỄỄ Đặng ậ", "tieng_viet_ee_dang_a"),
            // A letter keeps a mark with which it has no composed form.
            ("x\u{302} q\u{301}", "x\u{302}_q\u{301}"),
            ("Й й И и", "й_й_и_и"),
            ("कार कर की", "कार_कर_की"),
            ("ガ ｶﾞ パ ハ", "ガ_ｶﾞ_パ_ハ"),
            ("한국", "한국"),
            ("مُحَمَّد محمد", "مُحَمَّد_محمد"),
            ("ไก่ กำ", "ไก่_กำ"),
            ("𝐀 𐐀", "𝐀_𐐨"),
            ("Á  é   î", "a_e_i"),
            ("a__b a_-_b a - b", "a_b_a_b_a_b"),
            ("  a  ", "a"),
            ("a / b.c,d & (e) Owner's #1", "a_/_b.c,d_&_(e)_owner's_#1"),
        ] {
            assert_eq!(normalized(name), expected, "{name}");
        }
    }

    /// 4.3: differences from `normalizeName` of bkper-js, which neither composes letters nor
    /// normalizes other white space.
    #[test]
    fn names_that_look_alike_are_the_same() {
        for (name, expected, of_clients) in [
            ("Cafe\u{301}", "cafe", "cafe\u{301}"),
            ("a\u{323}\u{302}", "a", "a\u{323}\u{302}"),
            ("и\u{306}", "й", "и\u{306}"),
            ("ハ\u{309a}", "パ", "ハ\u{309a}"),
            ("\u{1112}\u{1161}\u{11ab}", "한", "\u{1112}\u{1161}\u{11ab}"),
            ("\u{958}", "क\u{93c}", "\u{958}"),
            ("a\tb", "a_b", "a\tb"),
            ("a\u{a0}b", "a_b", "a\u{a0}b"),
        ] {
            assert_eq!(normalized(name), expected, "{name:?}");
            // The form that such a client looks up is found too.
            assert_eq!(normalized(of_clients), expected, "{of_clients:?}");
        }
    }

    #[test]
    fn letters_are_replaced_in_both_cases() {
        for (plain, letter) in latin::all() {
            assert_eq!(normalized(&letter.to_string()), plain, "{letter}");
            let upper: String = letter.to_uppercase().collect();
            if upper.to_lowercase() == letter.to_string() {
                assert_eq!(normalized(&upper), plain, "{upper}");
            }
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        assert_eq!(Name::new("   "), Err(Refusal::Missing));
        assert!(Name::new("_-").is_ok());
        assert_eq!(Name::normalizable("_-"), Err(Refusal::Missing));
        assert!(Name::new(&"é".repeat(255)).is_ok());
        assert_eq!(Name::new(&"é".repeat(256)), Err(Refusal::TooLong(256)));
        let invisible = "\u{200b}\u{202e}\u{feff}\u{ad}\n\u{7}\u{85}\u{2028}\u{200d}\u{fe0f}\
                         \u{2067}\u{3164}\u{e0041}";
        for character in invisible.chars() {
            let found = Name::new(&format!("Ca{character}sh"));
            assert_eq!(found, Err(Refusal::Invisible(character)));
        }
        let message = Name::new("a\u{200b}").unwrap_err().to_string();
        assert_eq!(message, "name has the invisible character U+200B: remove it");
        // Joiners in scripts and between symbols that use them.
        let needed = ["حساب\u{200c}ها", "क्\u{200d}ष", "👨\u{200d}👩\u{200d}👧", "❤\u{fe0f}"];
        for name in needed.into_iter().chain(["1\u{fe0f}\u{20e3}", "a\u{a0}b"]) {
            assert!(Name::new(name).is_ok(), "{name:?}");
        }
    }

    proptest! {
        /// Folding is idempotent, composes, and is the concatenation of the folded parts.
        #[test]
        fn folding_composes_and_concatenates(
            text in "\\PC*|[a-zÀ-ʯ\u{300}-\u{36f}ßﬁ가-힣्ͅΣσ]*",
            rest in "[ a-zк]{0,3}",
        ) {
            let folded = fold(&text);
            prop_assert_eq!(&fold(&folded), &folded);
            prop_assert_eq!(&fold(&text.nfd().collect::<String>()), &folded);
            prop_assert_eq!(fold(&format!("{text}{rest}")), format!("{folded}{rest}"));
        }
    }

    #[test]
    fn names_are_searched_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../../tests/cases/names.json"));
        for (key, same) in [("same", true), ("different", false)] {
            for pair in items(&cases[key]) {
                let [left, right] = [0, 1].map(|at: usize| fold(pair[at].as_str().unwrap()));
                assert_eq!(left == right, same, "{pair}: {left}, {right}");
            }
        }
    }
}
