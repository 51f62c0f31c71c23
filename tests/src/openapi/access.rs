//! The document of signing in and of tokens (11.22), and the check of answers against it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::Value;

use super::contract::{check, resolve};
use crate::Answer;

/// The text of the file.
pub const TEXT: &str = include_str!("../../../openapi/auth.json");

/// An operation of the document.
#[derive(Clone, Copy)]
pub struct AccessOperation {
    /// The method, in upper case.
    pub method: &'static str,
    /// The path template.
    pub path: &'static str,
    /// The `operationId`.
    pub id: &'static str,
    /// The operation object of the document.
    pub value: &'static Value,
}

/// The parsed document.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(TEXT).expect("auth.json is JSON"))
}

/// Every operation, in the order of the document.
pub fn operations() -> Vec<AccessOperation> {
    let paths = document()["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, entry)| {
        entry.as_object().expect("a path").iter().map(move |(method, value)| {
            let method = match method.as_str() {
                "get" => "GET",
                "post" => "POST",
                other => panic!("{path}: {other}"),
            };
            let id = value["operationId"].as_str().expect("an operationId");
            AccessOperation { method, path, id, value }
        })
    });
    all.collect()
}

impl AccessOperation {
    /// The parameter names of its query or its form.
    pub fn names(&self) -> BTreeSet<&'static str> {
        let listed = self.value["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let query = listed.iter().filter_map(|parameter| resolve(parameter)["name"].as_str());
        let mut names: BTreeSet<&str> = query.collect();
        let form = &self.value["requestBody"]["content"]["application/x-www-form-urlencoded"];
        add_fields(&form["schema"], &mut names);
        names
    }

    fn takes(&self, method: &str, path: &str) -> bool {
        let open = self.path.strip_suffix("{path}");
        self.method == method
            && open.map_or(self.path == path, |start| {
                path.strip_prefix(start).is_some_and(|rest| !rest.is_empty())
            })
    }

    /// The differences between an answer and the document, one per line.
    pub fn faults(&self, answer: &Answer) -> Vec<String> {
        let status = answer.status.to_string();
        let Some(response) = self.value["responses"].get(&status).map(resolve) else {
            return vec![format!("{}: {status} is not documented: {}", self.id, answer.text)];
        };
        let mut faults = Vec::new();
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = resolve(header);
            match answer.headers.get(&name.to_lowercase()) {
                Some(value) => {
                    let number = header["schema"]["type"] == "integer";
                    let read = value.parse::<u64>().map(Value::from).ok().filter(|_| number);
                    let read = read.unwrap_or_else(|| Value::from(value.as_str()));
                    check(&header["schema"], &read, name, &mut faults);
                }
                None if header["required"] == true => faults.push(format!("no {name}")),
                None => {}
            }
        }
        self.check_body(response, answer, &mut faults);
        faults
    }

    fn check_body(&self, response: &'static Value, answer: &Answer, faults: &mut Vec<String>) {
        let kind = answer.headers.get("content-type").map_or("", |kind| kind.as_str());
        let essence = kind.split(';').next().unwrap_or_default();
        let documented = response["content"].as_object();
        match documented.and_then(|kinds| kinds.get(essence)) {
            None if documented.is_none() && answer.text.is_empty() => {}
            None => faults.push(format!("{}: a body of {kind:?}: {}", self.id, answer.text)),
            Some(_) if essence == "text/html" => {
                let whole = answer.text.starts_with("<!DOCTYPE html>")
                    && !answer.text.contains("<script")
                    && answer.headers.contains_key("content-security-policy");
                if !whole {
                    faults.push(format!("no page without scripts: {}", answer.text));
                }
            }
            Some(media) => check(&media["schema"], &answer.body, "answer", faults),
        }
    }
}

fn add_fields(schema: &'static Value, names: &mut BTreeSet<&'static str>) {
    let schema = resolve(schema);
    let properties = schema["properties"].as_object().into_iter().flatten();
    names.extend(properties.map(|(name, _)| name.as_str()));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        add_fields(part, names);
    }
}

/// Finds the operation of a request.
pub fn find(method: &str, path: &str) -> Option<AccessOperation> {
    let path = path.split('?').next().unwrap_or_default();
    operations().into_iter().find(|operation| operation.takes(method, path))
}

/// Asserts that an answer is documented.
#[track_caller]
pub fn is_documented(method: &str, path: &str, answer: &Answer) {
    let operation = find(method, path).unwrap_or_else(|| panic!("{method} {path} is documented"));
    let faults = operation.faults(answer);
    assert!(faults.is_empty(), "{method} {path}: {} {faults:#?}", answer.status);
}
