//! The published document, and the check of answers against it.
//!
//! The check implements the part of JSON Schema that the document uses and fails at any other
//! keyword, so nothing is skipped silently. It is stricter than the standard in one point: an
//! undocumented field is a fault.

use std::sync::OnceLock;

use serde_json::Value;

use super::access;

/// The text of the file.
pub const TEXT: &str = include_str!("../../../openapi/openapi.json");

/// An operation of the document.
#[derive(Clone, Copy)]
pub struct Operation {
    /// The method, in upper case.
    pub method: &'static str,
    /// The path template.
    pub path: &'static str,
    /// The `operationId`.
    pub id: &'static str,
    value: &'static Value,
    /// Parameters of all operations of the path.
    shared: &'static [Value],
}

/// The parsed document.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(TEXT).expect("openapi.json is JSON"))
}

/// Every operation, in the document's order of paths.
pub fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, entry) in document()["paths"].as_object().expect("paths") {
        let shared = entry["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (method, value) in
            entry.as_object().expect("a path").iter().filter(|(key, _)| *key != "parameters")
        {
            let method = match method.as_str() {
                "get" => "GET",
                "put" => "PUT",
                "post" => "POST",
                "patch" => "PATCH",
                "delete" => "DELETE",
                other => panic!("{path}: {other}"),
            };
            let id = value["operationId"]
                .as_str()
                .unwrap_or_else(|| panic!("{method} {path} has an operationId"));
            all.push(Operation { method, path, id, value, shared });
        }
    }
    all
}

/// Follows a `$ref`.
pub fn resolve(value: &'static Value) -> &'static Value {
    let Some(target) = value["$ref"].as_str() else { return value };
    let pointer = target
        .strip_prefix('#')
        .unwrap_or_else(|| panic!("a reference inside the document: {target}"));
    // Pointers outside the components refer to the second document.
    let of = if pointer.starts_with("/components/") { access::document() } else { document() };
    of.pointer(pointer).unwrap_or_else(|| panic!("{target} is defined"))
}

impl Operation {
    /// Every declared parameter, as `in name`.
    pub fn parameters(&self) -> Vec<String> {
        let own = self.value["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |value: &Value| {
            value
                .as_str()
                .unwrap_or_else(|| panic!("{}: a parameter has a name and a place", self.id))
                .to_owned()
        };
        let shown = |parameter: &'static Value| {
            let parameter = resolve(parameter);
            format!("{} {}", text(&parameter["in"]), text(&parameter["name"]))
        };
        own.iter().chain(self.shared).map(shown).collect()
    }

    /// The documented response for a status.
    pub fn response(&self, status: &str) -> Option<&'static Value> {
        self.value["responses"].get(status).map(resolve)
    }

    /// The headers documented for a status.
    pub fn headers(&self, status: &str) -> Vec<&'static str> {
        let promised = self.response(status).and_then(|response| response["headers"].as_object());
        promised.map(|headers| headers.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// Whether the operation writes. Some reads have a body (3.15, 12.11).
    pub fn writes(&self) -> bool {
        self.method != "GET" && !["loadTransactionsBatch", "previewTransaction"].contains(&self.id)
    }

    /// Whether its success is a stream of text instead of JSON (8.23, 16.1).
    pub fn is_stream(&self) -> bool {
        self.value["produces"][0].as_str().is_some_and(|kind| kind != "application/json")
    }

    /// The cost of a call (10.6).
    pub fn cost(&self) -> u64 {
        self.value["x-quota-cost"].as_u64().unwrap_or(1)
    }

    /// Whether it accepts a header of that name.
    pub fn takes(&self, header: &str) -> bool {
        self.parameters().contains(&format!("header {header}"))
    }

    /// The differences between an answer and the document, one per line.
    pub fn faults(&self, status: u16, text: &str) -> Vec<String> {
        let Some(response) = self.response(&status.to_string()) else {
            return vec![format!("{status} is not documented")];
        };
        let mut faults = Vec::new();
        match (response.get("schema"), text) {
            (None, "") => {}
            (None, _) => faults.push(format!("a body although {status} has none: {text}")),
            (Some(schema), _) if status == 200 && self.is_stream() => {
                check(schema, &Value::from(text), "answer", &mut faults);
            }
            (Some(schema), _) => match serde_json::from_str(text) {
                Ok(value) => check(schema, &value, "answer", &mut faults),
                Err(error) => faults.push(format!("no JSON: {error}: {text}")),
            },
        }
        faults
    }
}

/// Keywords without a constraint; `additionalProperties` is checked with the fields.
const SILENT: [&str; 5] =
    ["description", "example", "readOnly", "x-nullable", "additionalProperties"];

/// Checks a value against a schema; each fault has its path.
pub fn check(schema: &'static Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    if value.is_null() && schema["x-nullable"] == true {
        return;
    }
    for (word, says) in schema.as_object().unwrap_or_else(|| panic!("{at}: a schema is an object"))
    {
        let holds = match word.as_str() {
            "$ref" => {
                check(resolve(schema), value, at, faults);
                true
            }
            "allOf" => {
                says.as_array()
                    .expect("allOf lists")
                    .iter()
                    .for_each(|part| check(part, value, at, faults));
                true
            }
            "items" => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, item)| check(says, item, &format!("{at}[{index}]"), faults));
                true
            }
            "properties" => true,
            "type" => is_a(says, value),
            "enum" => says.as_array().expect("enum lists").contains(value),
            "required" => says
                .as_array()
                .expect("required lists")
                .iter()
                .all(|name| value.get(name.as_str().unwrap_or_default()).is_some()),
            "minimum" => value.as_i64() >= says.as_i64(),
            "maximum" => value.as_i64() <= says.as_i64(),
            "maxLength" => value.as_str().is_some_and(|text| {
                text.chars().count() as u64 <= says.as_u64().expect("a length")
            }),
            "maxItems" => value.as_array().is_some_and(|items| {
                items.len() as u64 <= says.as_u64().expect("a number of items")
            }),
            "pattern" => value.as_str().is_some_and(|text| matches(says, text)),
            "format" => has_format(says, value),
            word if SILENT.contains(&word) => true,
            word => panic!("{at}: teach this check the word `{word}`"),
        };
        if !holds {
            faults.push(format!("{at}: {word} {says}, but it is {value}"));
        }
    }
    fields(schema, value, at, faults);
}

/// Checks the fields of an object: each one is documented, or of the documented type where names
/// are free. A schema without both accepts any object.
fn fields(schema: &'static Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let (known, others) = (schema.get("properties"), schema.get("additionalProperties"));
    let Some(object) = value.as_object().filter(|_| known.is_some() || others.is_some()) else {
        return;
    };
    for (name, field) in object {
        let at = format!("{at}.{name}");
        match known.and_then(|known| known.get(name)).or(others) {
            Some(documented) => check(documented, field, &at, faults),
            None => faults.push(format!("{at} is not documented: {field}")),
        }
    }
}

fn is_a(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a type is a word") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("teach this check the type `{other}`"),
    }
}

/// Matches the five patterns of the document, without a regex engine.
fn matches(pattern: &Value, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern.as_str().expect("a pattern is text") {
        "^[0-9]+$" => digits(text),
        "^[0-9a-f]{64}$" => {
            text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        }
        "^[a-z0-9-]+$" => {
            let is_fit = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
            !text.is_empty() && text.bytes().all(is_fit)
        }
        r"^-?[0-9]+(\.[0-9]+)?$" => {
            let number = text.strip_prefix('-').unwrap_or(text);
            number
                .split_once('.')
                .map_or(digits(number), |(whole, fraction)| digits(whole) && digits(fraction))
        }
        "^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$" => {
            let is_letter = |byte: u8| byte.is_ascii_uppercase() && !b"AEIOUY".contains(&byte);
            let is_half = |half: &str| half.len() == 4 && half.bytes().all(is_letter);
            text.split_once('-').is_some_and(|(one, two)| is_half(one) && is_half(two))
        }
        other => panic!("teach this check the pattern `{other}`"),
    }
}

fn has_format(format: &Value, value: &Value) -> bool {
    match format.as_str().expect("a format is a word") {
        "int32" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        "int64" => value.is_i64(),
        // Exact match, because jiff reads more notations than it writes.
        "date" => value.as_str().is_some_and(|text| {
            text.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == text)
        }),
        "date-time" => value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()),
        other => panic!("teach this check the format `{other}`"),
    }
}
