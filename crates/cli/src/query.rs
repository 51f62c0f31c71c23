//! Queries from the words of a command line.

/// Operators whose value may be a name with spaces.
const KEYS: [&str; 5] = ["account", "acc", "from", "to", "group"];

/// Joins the words of a query.
///
/// A shell removes the quotes of `account:'Checking account'`. A word that begins with an operator
/// of names, and has neither quotes nor other operators, is quoted again.
pub(crate) fn join(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| requote(word)).collect();
    words.join(" ")
}

fn requote(word: &str) -> String {
    let term = word.strip_prefix('-').unwrap_or(word);
    let Some((key, value)) = term.split_once(':') else { return word.to_owned() };
    let has_others = value.contains([':', '#', '\'', '"', '(', ')']);
    match KEYS.contains(&key) && value.trim().contains(' ') && !has_others {
        true => word.replacen(value, &format!("\"{value}\""), 1),
        false => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn names_with_spaces_keep_their_quotes() {
        let join =
            |words: &[&str]| join(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(join(&["account:Big bank", "on:2026"]), "account:\"Big bank\" on:2026");
        assert_eq!(join(&["-group:Old cars"]), "-group:\"Old cars\"");
        assert_eq!(join(&["account:Cash on:2026"]), "account:Cash on:2026");
        assert_eq!(join(&["account:'Big bank'"]), "account:'Big bank'");
        assert_eq!(join(&["lunch with her"]), "lunch with her");
    }
}
