//! Properties schemas: keys and values that user interfaces suggest for an app (behaviour 9.3).

use std::collections::BTreeMap;

use super::refusal::{MAX_ITEMS, MAX_SCHEMA, Refusal};
use crate::named::named;
use crate::property::{MAX_KEY, normalized_key};

named! {
    /// A kind of resource that has properties.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PropertyHolder {
        /// Accounts.
        Account = "account",
        /// The book.
        Book = "book",
        /// Groups.
        Group = "group",
        /// Transactions.
        Transaction = "transaction",
    }
}

/// Property keys that an app uses, and values it suggests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PropertyHints {
    /// The keys.
    pub keys: Vec<String>,
    /// The values.
    pub values: Vec<String>,
}

/// The properties that an app uses, by kind of resource.
pub type PropertiesSchema = BTreeMap<PropertyHolder, PropertyHints>;

/// Checks a schema and drops empty entries.
pub(super) fn check_schema(mut schema: PropertiesSchema) -> Result<PropertiesSchema, Refusal> {
    schema.retain(|_, hints| !hints.keys.is_empty() || !hints.values.is_empty());
    let mut bytes: usize = 0;
    for PropertyHints { keys, values } in schema.values() {
        for (field, list) in
            [("keys of propertiesSchema", keys), ("values of propertiesSchema", values)]
        {
            if list.len() > MAX_ITEMS {
                return Err(Refusal::TooMany(field, list.len()));
            }
            bytes = list.iter().fold(bytes, |sum, text| sum.saturating_add(text.len()));
        }
        if let Some(key) = keys.iter().find(|key| !is_key(key)) {
            return Err(Refusal::InvalidKey(key.chars().take(60).collect()));
        }
    }
    if bytes > MAX_SCHEMA { Err(Refusal::SchemaTooLarge(bytes)) } else { Ok(schema) }
}

fn is_key(text: &str) -> bool {
    let length = normalized_key(text).chars().count();
    (1..=MAX_KEY).contains(&length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(keys: &[&str], values: &[&str]) -> PropertiesSchema {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        [(PropertyHolder::Account, PropertyHints { keys: owned(keys), values: owned(values) })]
            .into()
    }

    #[test]
    fn schema_keys_and_sizes_are_checked() {
        let longest = "k".repeat(MAX_KEY);
        let longer = format!("{longest}k");
        for (keys, is_valid) in [
            (vec!["tax_rate", "Tax Rate"], true),
            (vec![longest.as_str()], true),
            (vec![longer.as_str()], false),
            (vec![" "], false),
            (vec![""], false),
        ] {
            assert_eq!(check_schema(schema(&keys, &[])).is_ok(), is_valid, "{keys:?}");
        }
        assert_eq!(check_schema(schema(&[], &[])), Ok(PropertiesSchema::new()));
        let large = "v".repeat(MAX_SCHEMA);
        assert!(check_schema(schema(&[], &[&large])).is_ok());
        let refused = check_schema(schema(&["k"], &[&large]));
        assert_eq!(refused, Err(Refusal::SchemaTooLarge(MAX_SCHEMA + 1)));
        let many = vec!["k"; MAX_ITEMS + 1];
        assert!(matches!(check_schema(schema(&many, &[])), Err(Refusal::TooMany(..))));
    }
}
