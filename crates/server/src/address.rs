//! The addresses of this server, as options give them.

/// An absolute address, without its trailing slash.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let trimmed = text.trim_end_matches('/');
    let rest = trimmed.strip_prefix("https://").or_else(|| trimmed.strip_prefix("http://"));
    let plain = |rest: &str| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest.bytes().all(|b| b.is_ascii_graphic() && !b"?#\"<>".contains(&b))
    };
    match rest {
        Some(rest) if plain(rest) => Ok(trimmed.to_owned()),
        _ => Err("an address starts with https:// or http:// and has neither query nor fragment"
            .to_owned()),
    }
}

/// `/a/b`, or nothing.
pub(crate) fn path_prefix(text: &str) -> Result<String, String> {
    let trimmed = text.trim_end_matches('/');
    let plain = |segment: &str| {
        !segment.is_empty()
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match trimmed.strip_prefix('/') {
        None if trimmed.is_empty() => Ok(String::new()),
        Some(rest) if rest.split('/').all(plain) => Ok(trimmed.to_owned()),
        _ => {
            Err("a path starts with / and has only letters, digits, - _ . in its segments"
                .to_owned())
        }
    }
}
