//! Response bodies as they are stored under idempotency keys: compressed when they are large,
//! within a limit (behaviour 0.38).

use actix_web::web::Bytes;
use daybook_domain::idempotency::BodyForm;
use daybook_edge::error::RequestError;
use daybook_edge::response_budget::{EncodeError, ResponseText};

/// Bytes of a body that is stored as it is: most responses about one resource.
const MAX_PLAIN: usize = 4 * 1024;
/// Bytes of a body that is stored compressed.
const MAX_COMPRESSED: usize = 1024 * 1024;
/// zstd's fastest level: its window is larger than anything that a response repeats.
const LEVEL: i32 = 1;

/// Returns the stored form of a body; `None` if it is too large even when it is compressed.
///
/// # Errors
/// 500 when it cannot be compressed.
pub(crate) fn encode(body: &[u8]) -> Result<Option<(BodyForm, Vec<u8>)>, RequestError> {
    if body.len() <= MAX_PLAIN {
        return Ok(Some((BodyForm::Plain, body.to_vec())));
    }
    let compressed = compress(body)?;
    Ok((compressed.len() <= MAX_COMPRESSED).then_some((BodyForm::Compressed, compressed)))
}

/// Compresses a body.
///
/// # Errors
/// 500 when it cannot be compressed.
pub(crate) fn compress(body: &[u8]) -> Result<Vec<u8>, RequestError> {
    zstd::bulk::compress(body, LEVEL).map_err(|error| RequestError::Failed(error.to_string()))
}

/// Restores a stored body within the budget of this thread.
///
/// # Errors
/// [`EncodeError`].
pub(crate) fn restore(form: BodyForm, stored: Vec<u8>) -> Result<Bytes, EncodeError> {
    match form {
        BodyForm::Plain => Ok(stored.into()),
        BodyForm::Compressed | BodyForm::Ids => {
            let mut text = ResponseText::empty();
            text.copy(|text| zstd::stream::copy_decode(stored.as_slice(), text))?;
            Ok(text.finish())
        }
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::id::UserId;
    use daybook_edge::budget::Budget;
    use daybook_edge::response_budget::ResponseBudget;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn rule_0_22_restored_bodies_take_memory_from_the_budget() {
        const MEGABYTE: usize = 1024 * 1024;
        let budget = Budget::of_megabytes(8);
        let body = vec![b' '; 4 * MEGABYTE];
        let (form, stored) = encode(&body).unwrap().unwrap();
        assert!(stored.len() < MEGABYTE, "{}", stored.len());
        let restored = || {
            let memory = budget.reservation(UserId::new(1));
            ResponseBudget::new(memory).with(|| restore(form, stored.clone()))
        };
        let (first, held) = restored();
        assert_eq!(first.as_deref(), Ok(body.as_slice()));
        assert_eq!(restored().0, Err(EncodeError::MemoryExhausted));
        drop((first, held));
        assert!(restored().0.is_ok());
        let damaged = restore(BodyForm::Compressed, b"no zstd".to_vec());
        assert!(matches!(damaged, Err(EncodeError::Fault(_))), "{damaged:?}");
    }

    #[test]
    fn large_bodies_are_compressed() {
        let items = vec![r#"{"id":"1","name":"Cash"}"#; 100_000].join(",");
        for (body, expected, max) in [
            (String::new(), BodyForm::Plain, 0),
            (r#"{"id":"1"}"#.to_owned(), BodyForm::Plain, 10),
            (format!(r#"{{"items":[{items}]}}"#), BodyForm::Compressed, 24_000),
        ] {
            let (form, stored) = encode(body.as_bytes()).unwrap().unwrap();
            assert_eq!(form, expected);
            assert!(stored.len() <= max, "{}", stored.len());
            assert_eq!(restore(form, stored).unwrap(), body.as_bytes());
        }
    }

    #[test]
    fn incompressible_bodies_are_not_stored() {
        let noise: Vec<u8> =
            (0..70_000_u32).flat_map(|at| Sha256::digest(at.to_be_bytes())).collect();
        assert_eq!(encode(&noise).unwrap(), None);
    }
}
