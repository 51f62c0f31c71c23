//! The operator's file of templates, and the starter charts of the program (behaviour 9.7).
//!
//! Both are read once, when the server starts.

use daybook_domain::name::MAX_NAME;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::wire::objects_only;

/// The maximum number of templates. The list has no pages.
const MAX_TEMPLATES: usize = 1_000;
/// The maximum number of characters of a text of a template.
const MAX_TEXT: usize = 8 * 1024;

/// Charts of accounts for a household, a freelancer, a small company and a club.
const STARTER_CHARTS: &str = include_str!("starter_charts.json");

/// The configured templates in the order of their file, and then the starter charts.
#[derive(Debug, Serialize)]
pub struct Templates {
    items: Vec<Template>,
}

/// A starter book: one to copy, a link to one, or a body for createNewBook.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct Template {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    image_url: String,
    #[serde(default)]
    book_id: String,
    #[serde(default)]
    book_link: String,
    #[serde(default)]
    sheets_link: String,
    #[serde(default)]
    times_used: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<Map<String, Value>>,
}

objects_only!(Template);

impl Serialize for Template {
    fn serialize<S: serde::Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, writer)
    }
}

/// The file. Its entries are parsed separately, so that an error names the entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
struct TemplatesFile {
    items: Vec<Value>,
}

objects_only!(TemplatesFile);

impl Templates {
    /// Parses the templates file, if there is one, and adds the starter charts.
    ///
    /// The file has the form of the response of listTemplates.
    ///
    /// # Errors
    /// A description of the error that names the entry.
    ///
    /// ```
    /// use daybook_http::Templates;
    /// assert!(Templates::read(None).is_ok());
    /// let text = r#"{"items": [{"name": "Household", "bookId": "0192"}]}"#;
    /// assert!(Templates::read(Some(text)).is_ok());
    /// let text = r#"{"items": [{"name": "Household"}, {"name": " "}]}"#;
    /// let refused = Templates::read(Some(text)).unwrap_err();
    /// assert_eq!(refused, "items[1]: name is required and must not be blank");
    /// ```
    pub fn read(file: Option<&str>) -> Result<Self, String> {
        let mut items = file.map(parse).transpose()?.unwrap_or_default();
        items.extend(parse(STARTER_CHARTS)?);
        Ok(Self { items })
    }
}

fn parse(text: &str) -> Result<Vec<Template>, String> {
    let file: TemplatesFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let count = file.items.len();
    if count > MAX_TEMPLATES {
        return Err(format!("items has {count} entries; at most {MAX_TEMPLATES} are allowed"));
    }
    let entries = file.items.into_iter().enumerate();
    entries
        .map(|(index, entry)| {
            parse_entry(entry).map_err(|fault| format!("items[{index}]: {fault}"))
        })
        .collect()
}

fn parse_entry(entry: Value) -> Result<Template, String> {
    let template: Template = serde_json::from_value(entry).map_err(|error| error.to_string())?;
    let Template {
        name,
        description,
        category,
        image_url,
        book_id,
        book_link,
        sheets_link,
        times_used,
        // createNewBook checks it.
        book: _,
    } = &template;
    if name.trim().is_empty() {
        return Err("name is required and must not be blank".to_owned());
    }
    for (field, text, max) in [
        ("name", name, MAX_NAME),
        ("category", category, MAX_NAME),
        ("bookId", book_id, MAX_NAME),
        ("description", description, MAX_TEXT),
    ] {
        if text.chars().count() > max {
            return Err(format!("{field} is too long; at most {max} characters are allowed"));
        }
    }
    for (field, text) in
        [("imageUrl", image_url), ("bookLink", book_link), ("sheetsLink", sheets_link)]
    {
        if !is_empty_or_web_url(text) {
            let excerpt: String = text.chars().take(60).collect();
            return Err(format!("{field} {excerpt:?} must start with https:// or http://"));
        }
    }
    if *times_used < 0 {
        return Err(format!("timesUsed is {times_used}; it must not be negative"));
    }
    Ok(template)
}

/// Whether a text is empty or a web URL. A `javascript:` URL would run in clients that link to it.
fn is_empty_or_web_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain =
        |rest: &str| !rest.is_empty() && !rest.chars().any(|c| c.is_whitespace() || c.is_control());
    text.is_empty() || (text.chars().count() <= MAX_TEXT && rest.is_some_and(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_names_its_entry() {
        for (text, fault) in [
            ("", "EOF while parsing a value"),
            ("[]", "expected an object"),
            (r#"{}"#, "missing field `items`"),
            (r#"{"items": [], "cursor": ""}"#, "unknown field `cursor`"),
            (r#"{"items": [3]}"#, "items[0]: invalid type: integer `3`, expected an object"),
            (r#"{"items": [{"name": "A"}, {}]}"#, "items[1]: missing field `name`"),
            (r#"{"items": [{"name": "A", "title": "x"}]}"#, "items[0]: unknown field `title`"),
            (r#"{"items": [{"name": "A", "book": "x"}]}"#, "items[0]: invalid type: string"),
            (r#"{"items": [{"name": "A", "timesUsed": "x"}]}"#, "items[0]: invalid type: string"),
            (r#"{"items": [{"name": "A", "timesUsed": -1}]}"#, "items[0]: timesUsed is -1"),
            (
                r#"{"items": [{"name": "A", "imageUrl": "javascript:alert(1)"}]}"#,
                "items[0]: imageUrl \"javascript:alert(1)\"",
            ),
            (r#"{"items": [{"name": "A", "bookLink": "https://"}]}"#, "items[0]: bookLink"),
            (r#"{"items": [{"name": "A", "sheetsLink": "https://a b"}]}"#, "items[0]: sheetsLink"),
        ] {
            let refused = Templates::read(Some(text)).unwrap_err();
            assert!(refused.contains(fault), "{text}: {refused}");
        }
        let long = format!(r#"{{"items": [{{"name": "{}"}}]}}"#, "é".repeat(256));
        assert_eq!(
            Templates::read(Some(&long)).unwrap_err(),
            "items[0]: name is too long; at most 255 characters are allowed"
        );
    }

    #[test]
    fn response_has_every_field() {
        let text = r#"{"items": [{
            "name": "Café", "timesUsed": 3, "imageUrl": "https://example.com/a.png",
            "book": {"accounts": [{"name": "Cash"}]}
        }]}"#;
        let items = parse(text).unwrap();
        let expected = serde_json::json!([{
            "name": "Café", "description": "", "category": "",
            "imageUrl": "https://example.com/a.png", "bookId": "", "bookLink": "",
            "sheetsLink": "", "timesUsed": 3, "book": {"accounts": [{"name": "Cash"}]},
        }]);
        assert_eq!(serde_json::to_value(&items).unwrap(), expected);
    }
}
