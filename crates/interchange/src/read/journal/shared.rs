//! Texts that many postings have: names of accounts, and commodities.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A text whose clones share its memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SharedText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// The different texts of a file.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts(HashSet<SharedText>);

impl SharedTexts {
    /// Lets a text share the memory of the first one that is equal to it.
    pub(crate) fn share(&mut self, text: &mut SharedText) {
        match self.0.get(text.as_str()) {
            Some(known) => text.clone_from(known),
            None => {
                self.0.insert(text.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_memory() {
        let mut texts = SharedTexts::default();
        let [mut one, mut other] = [SharedText::from("Assets:Cash"), "Assets:Cash".into()];
        let mut bank = SharedText::from("Assets:Bank".to_owned());
        for text in [&mut one, &mut other, &mut bank] {
            texts.share(text);
        }
        assert!(Arc::ptr_eq(&one.0, &other.0));
        assert_eq!((one.as_str(), bank.to_string()), ("Assets:Cash", "Assets:Bank".to_owned()));
        assert_eq!(texts.0.len(), 2);
    }
}
