//! Removal of secrets from stored app responses (behaviour 8.7, 12.13).

/// Minimum length of a secret, in bytes. A shorter one would match ordinary text.
const MIN_SECRET: usize = 6;
/// The text that replaces a secret.
const REMOVED: &str = "[removed]";

/// Replaces each exact occurrence of a secret with `[removed]`.
pub(super) fn remove_secrets(text: &str, secrets: &[String]) -> String {
    let mut secrets: Vec<&String> =
        secrets.iter().filter(|secret| secret.len() >= MIN_SECRET).collect();
    // A secret can contain a shorter one: the secret of an app with and without its prefix.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret, REMOVED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_wherever_they_occur() {
        let secrets = ["abcdef".to_owned(), "whsec_abcdef".to_owned(), "a".to_owned()];
        for (text, expected) in [
            ("", ""),
            ("a text", "a text"),
            ("whsec_abcdef abcdef", "[removed] [removed]"),
            ("{\"sent\":\"Bearer abcdef\"}", "{\"sent\":\"Bearer [removed]\"}"),
            ("ABCDEF abcde\\u0066 YWJjZGVm", "ABCDEF abcde\\u0066 YWJjZGVm"),
        ] {
            assert_eq!(remove_secrets(text, &secrets), expected, "{text}");
        }
    }
}
