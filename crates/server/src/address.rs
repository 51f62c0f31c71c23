//! Parsers of options with addresses of this server.

/// Parses an absolute URL and removes its trailing slash.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let trimmed = text.trim_end_matches('/');
    let rest = trimmed.strip_prefix("https://").or_else(|| trimmed.strip_prefix("http://"));
    let is_valid = |rest: &str| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest.bytes().all(|b| b.is_ascii_graphic() && !b"?#\"<>".contains(&b))
    };
    match rest {
        Some(rest) if is_valid(rest) => Ok(trimmed.to_owned()),
        _ => {
            Err("expected a URL that starts with https:// or http:// and has no query or fragment"
                .to_owned())
        }
    }
}

/// Parses a path such as `/a/b`, or an empty one.
pub(crate) fn path_prefix(text: &str) -> Result<String, String> {
    let trimmed = text.trim_end_matches('/');
    let is_valid = |segment: &str| {
        !segment.is_empty()
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match trimmed.strip_prefix('/') {
        None if trimmed.is_empty() => Ok(String::new()),
        Some(rest) if rest.split('/').all(is_valid) => Ok(trimmed.to_owned()),
        _ => {
            Err("expected a path that starts with / and has only letters, digits and - _ . in its \
                  segments"
                .to_owned())
        }
    }
}
