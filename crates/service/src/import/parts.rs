//! Loading of many transactions within a limit of texts.

use daybook_domain::transaction::Transaction;

use crate::error::{Error, Result};

/// Loads transactions in parts that keep the limit of texts, oldest first.
///
/// `load` returns `None` for a part that exceeds the limit.
///
/// # Errors
/// [`Error::BadRequest`] if what one key finds exceeds the limit.
pub(super) fn load_in_parts<T>(
    keys: &[T],
    load: &mut impl FnMut(&[T]) -> Result<Option<Vec<Transaction>>>,
) -> Result<Vec<Transaction>> {
    if let Some(found) = load(keys)? {
        return Ok(found);
    }
    let (first, second) = keys.split_at_checked(keys.len() / 2).unwrap_or_default();
    if first.is_empty() {
        let why = "the transactions with a remote id of the file have too much text";
        return Err(Error::BadRequest(why.to_owned()));
    }
    let mut found = load_in_parts(first, load)?;
    found.extend(load_in_parts(second, load)?);
    found.sort_unstable_by_key(|row| row.id);
    found.dedup_by_key(|row| row.id);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_over_the_limit_are_split() {
        let mut sizes = Vec::new();
        let mut load = |keys: &[u32]| {
            sizes.push(keys.len());
            Ok((keys.len() <= 2).then(Vec::new))
        };
        assert!(load_in_parts(&[1, 2, 3, 4, 5], &mut load).unwrap().is_empty());
        assert_eq!(sizes, [5, 2, 3, 1, 2]);
        let mut never = |_: &[u32]| Ok(None);
        assert!(load_in_parts(&[1, 2], &mut never).is_err());
    }
}
