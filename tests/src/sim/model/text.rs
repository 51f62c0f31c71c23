//! Names, hashtags and properties, from behaviour 3.9.1, 4.3 and 4.6.

use daybook_domain::property::Edits;

use crate::sim::facts::{Properties, Refusal};

/// Removes case and diacritics, for comparisons of names and texts.
pub fn folded(text: &str) -> String {
    let mut folded = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'ø' => folded.push('o'),
            'ú' | 'ù' | 'û' | 'ü' => folded.push('u'),
            'ç' | 'ć' => folded.push('c'),
            'ñ' | 'ń' => folded.push('n'),
            'ź' | 'ż' => folded.push('z'),
            'ς' => folded.push('σ'),
            'ß' => folded.push('s'),
            'æ' => folded.push_str("ae"),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            other => folded.push(other),
        }
    }
    folded
}

/// Normalizes a name (4.3).
pub fn normalized(name: &str) -> String {
    let spaced = folded(name).replace(['_', '-'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join("_")
}

/// The stored name of an account or a group, which needs letters or digits (4.5).
pub fn checked_name(name: Option<&str>) -> Result<String, Refusal> {
    let name = name.unwrap_or_default().trim();
    if normalized(name).is_empty() || name.chars().count() > 255 {
        Err(Refusal::bad())
    } else {
        Ok(name.to_owned())
    }
}

/// The stored name of any other resource, which is never looked up.
pub fn checked_title(name: Option<&str>) -> Result<String, Refusal> {
    let name = name.unwrap_or_default().trim();
    if name.is_empty() || name.chars().count() > 255 {
        Err(Refusal::bad())
    } else {
        Ok(name.to_owned())
    }
}

/// The hashtags of a text (3.9.1).
pub fn tags(text: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let letters: Vec<char> = text.chars().collect();
    for index in 0..letters.len() {
        if letters[index] != '#' {
            continue;
        }
        let tag: String =
            letters[index + 1..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Normalizes a property key (4.6).
pub fn property_key(key: &str) -> String {
    key.trim().to_lowercase().replace(' ', "_")
}

/// Applies property edits: present keys are set or deleted, absent keys stay (4.6).
pub fn merged(properties: &Properties, edits: &Edits) -> Result<Properties, Refusal> {
    let mut merged = properties.clone();
    for (key, value) in edits {
        let key = property_key(key);
        if key.is_empty() || key.chars().count() > 30 {
            return Err(Refusal::bad());
        }
        match value {
            Some(value) if !value.trim().is_empty() => {
                if value.len() > 90_000 {
                    return Err(Refusal::bad());
                }
                merged.insert(key, value.clone());
            }
            _ => {
                merged.remove(&key);
            }
        }
    }
    Ok(merged)
}
