//! The header of OFX.

/// Returns the version, such as `1.02`, if the header has one.
pub(crate) fn version(text: &str) -> Option<String> {
    let head = text.get(..text.floor_char_boundary(2_048)).unwrap_or(text);
    let head = head.split_once("<OFX>").map_or(head, |(head, _)| head);
    // The version of XML comes first in OFX 2.
    let head = head.split_once("<?OFX").map_or(head, |(_, ofx)| ofx);
    let value = ["VERSION:", "VERSION=\"", "VERSION='"]
        .into_iter()
        .find_map(|name| head.split_once(name).map(|(_, value)| value.trim_start()))?;
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (major, minor) = value.get(..end)?.split_at_checked(1)?;
    Some(if minor.is_empty() { major.to_owned() } else { format!("{major}.{minor}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (text, expected) in [
            ("OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n<OFX>", Some("1.02")),
            ("OFXHEADER:100 DATA:OFXSGML VERSION:160 <OFX>", Some("1.60")),
            ("<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\" VERSION=\"211\"?>", Some("2.11")),
            ("<OFX>VERSION:102", None),
            ("VERSION:", None),
        ] {
            assert_eq!(version(text).as_deref(), expected, "{text}");
        }
    }
}
