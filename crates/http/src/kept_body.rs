//! Bodies of answers as they are kept under idempotency keys (behaviour 0.38): compressed when they
//! are large, within a bound.

use actix_web::web::Bytes;
use daybook_domain::idempotency::BodyForm;

use crate::error::RequestError;
use crate::response_budget::{self, EncodeError};

/// Most bytes that are kept as they are: most answers about one resource.
const MAX_PLAIN: usize = 4 * 1024;
/// Most bytes that are kept of an answer, compressed.
const MAX_COMPRESSED: usize = 1024 * 1024;
/// zstd's fastest level: its window is larger than anything that an answer repeats.
const LEVEL: i32 = 1;

/// What is kept of a body, unless it is too large even when it is compressed.
///
/// # Errors
/// 500 when it cannot be compressed.
pub(crate) fn keep(body: &[u8]) -> Result<Option<(BodyForm, Vec<u8>)>, RequestError> {
    if body.len() <= MAX_PLAIN {
        return Ok(Some((BodyForm::Plain, body.to_vec())));
    }
    let compressed = compress(body)?;
    Ok((compressed.len() <= MAX_COMPRESSED).then_some((BodyForm::Compressed, compressed)))
}

/// What is kept of a body that shows ids alone.
///
/// # Errors
/// As [`keep`].
pub(crate) fn keep_ids(body: &[u8]) -> Result<(BodyForm, Vec<u8>), RequestError> {
    Ok((BodyForm::Ids, compress(body)?))
}

/// The body that is sent again. What was compressed takes its memory from the room of this thread
/// as it grows.
///
/// # Errors
/// [`EncodeError`], also for what [`keep`] and [`keep_ids`] have not made.
pub(crate) fn restore(form: BodyForm, kept: Vec<u8>) -> Result<Bytes, EncodeError> {
    match form {
        BodyForm::Plain => Ok(kept.into()),
        BodyForm::Compressed | BodyForm::Ids => {
            response_budget::copied(|body| zstd::stream::copy_decode(kept.as_slice(), body))
        }
    }
}

fn compress(bytes: &[u8]) -> Result<Vec<u8>, RequestError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> RequestError {
    RequestError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::budget::{Budget, MemoryOwner};
    use crate::response_budget::ResponseBudget;
    use daybook_domain::id::UserId;

    fn again(body: &[u8]) -> (BodyForm, Vec<u8>, usize) {
        let (form, kept) = keep(body).unwrap().unwrap();
        let length = kept.len();
        (form, restore(form, kept).unwrap().to_vec(), length)
    }

    #[test]
    fn rule_0_22_what_is_sent_again_takes_its_memory_from_the_budget() {
        const MEGABYTE: usize = 1024 * 1024;
        let budget = Budget::of_megabytes(8);
        let body = vec![b' '; 4 * MEGABYTE];
        let (form, kept) = keep(&body).unwrap().unwrap();
        assert!(kept.len() < MEGABYTE, "{}", kept.len());
        let restored = || {
            let room = ResponseBudget::of_read(budget.grant(MemoryOwner::User(UserId::new(1))));
            room.around(|| restore(form, kept.clone()))
        };
        let (first, held) = restored();
        assert_eq!(first.as_deref(), Ok(body.as_slice()));
        assert_eq!(restored().0, Err(EncodeError::Crowded), "7 MB are there for what is large");
        drop((first, held));
        assert!(restored().0.is_ok());
        let damaged = restore(BodyForm::Compressed, b"no zstd".to_vec());
        assert!(matches!(damaged, Err(EncodeError::Fault(_))), "{damaged:?}");
    }

    #[test]
    fn small_bodies_are_kept_as_they_are() {
        for body in ["", "{}", r#"{"id":"1","name":"Cash"}"#] {
            assert_eq!(again(body.as_bytes()), (BodyForm::Plain, body.into(), body.len()));
        }
    }

    #[test]
    fn large_bodies_are_compressed() {
        let items = vec![r#"{"id":"1","name":"Cash"}"#; 100_000].join(",");
        let body = format!(r#"{{"items":[{items}]}}"#);
        let (form, restored, length) = again(body.as_bytes());
        assert_eq!((form, restored.as_slice()), (BodyForm::Compressed, body.as_bytes()));
        assert!(length < body.len() / 100, "{length}");
    }

    #[test]
    fn what_does_not_become_small_is_not_kept() {
        let noise: Vec<u8> =
            (0..70_000_u32).flat_map(|at| Sha256::digest(at.to_be_bytes())).collect();
        assert_eq!(keep(&noise).unwrap(), None);
        let (form, kept) = keep_ids(b"{}").unwrap();
        assert_eq!((form, restore(form, kept).unwrap().as_ref()), (BodyForm::Ids, &b"{}"[..]));
    }
}
