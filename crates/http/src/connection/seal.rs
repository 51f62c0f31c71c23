//! The properties of connections, sealed row by row.

use std::collections::BTreeMap;

use daybook_auth::identity::{Sealer, properties_context};
use daybook_domain::id::ConnectionId;
use daybook_domain::property::{Edits, Properties};
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Error;

/// Applies edits to sealed properties.
///
/// If nothing changes, the sealed properties are returned unchanged.
///
/// # Errors
/// The refusals of the rules of properties; 500 if the properties do not open.
pub(super) fn edit(
    sealer: &Sealer,
    id: ConnectionId,
    sealed: Option<&[u8]>,
    edits: &Edits,
) -> Result<Option<Vec<u8>>, Error> {
    let failed = || Error::Storage(daybook_storage::Error::Corrupt("properties"));
    let before = open(sealer, id, sealed).map_err(|_| failed())?;
    let after = before.merge(edits).map_err(daybook_domain::Refusal::from)?;
    if after == before {
        return Ok(sealed.map(<[u8]>::to_vec));
    }
    if after.is_empty() {
        return Ok(None);
    }
    let map: BTreeMap<&str, &str> = after.iter().collect();
    let text = serde_json::to_vec(&map).map_err(|_| failed())?;
    let sealed = sealer.seal(&properties_context(&id.to_string()), &text).map_err(|_| failed())?;
    Ok(Some(sealed))
}

/// Opens sealed properties.
///
/// # Errors
/// 500 if they do not open.
pub(super) fn open(
    sealer: &Sealer,
    id: ConnectionId,
    sealed: Option<&[u8]>,
) -> Result<Properties, ApiError> {
    let Some(sealed) = sealed else { return Ok(Properties::default()) };
    let text =
        sealer.open(&properties_context(&id.to_string()), sealed).map_err(|_| unreadable())?;
    let map = serde_json::from_slice(&text).map_err(|_| unreadable())?;
    Ok(Properties::stored(map))
}

pub(super) fn unreadable() -> ApiError {
    RequestError::Failed("cannot open the properties of a connection".to_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(pairs: &[(&str, Option<&str>)]) -> Edits {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect()
    }

    #[test]
    fn edits_are_merged_into_sealed_properties() {
        let (sealer, id) = (Sealer::with_secret(&[1; 32]), ConnectionId::new(7));
        let shown = |sealed: Option<&[u8]>| {
            let properties = open(&sealer, id, sealed).unwrap();
            properties.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
        };
        let first = edit(&sealer, id, None, &edits(&[("Token", Some("secret"))])).unwrap();
        assert_eq!(shown(first.as_deref()), ["token=secret"]);
        let plain = first.as_ref().unwrap().windows(6).any(|window| window == b"secret");
        assert!(!plain);
        let same = edit(&sealer, id, first.as_deref(), &edits(&[("token", Some("secret"))]));
        assert_eq!(same.unwrap(), first, "not sealed again");
        let more = edit(&sealer, id, first.as_deref(), &edits(&[("at", Some("1"))])).unwrap();
        assert_eq!(shown(more.as_deref()), ["at=1", "token=secret"]);
        let none = edits(&[("at", None), ("token", Some(" "))]);
        assert_eq!(edit(&sealer, id, more.as_deref(), &none).unwrap(), None);
        assert_eq!(edit(&sealer, id, None, &Edits::new()).unwrap(), None);
        assert!(open(&sealer, ConnectionId::new(8), more.as_deref()).is_err(), "another context");
        assert!(open(&Sealer::with_secret(&[2; 32]), id, more.as_deref()).is_err());
        assert!(edit(&sealer, id, Some(b"x"), &Edits::new()).is_err());
    }
}
