//! The contract as OpenAPI 3.1, made from the document in OpenAPI 2.0.
//!
//! The conversion fails at any word that it does not know, so nothing is dropped silently. Names in
//! the result are in alphabetical order.

use serde_json::{Map, Value, json};

/// The dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The address that a server replaces by its own when it serves the document.
const SERVER: &str = "http://127.0.0.1:8080";

const JSON: &str = "application/json";

/// The text of `openapi/openapi-3.1.json`.
///
/// # Panics
/// If the document contains a word that the conversion does not know.
pub fn text(source: &Value) -> String {
    let made = serde_json::to_string_pretty(&convert(source)).expect("a value is JSON");
    made + "\n"
}

/// Converts a document in OpenAPI 2.0.
///
/// # Panics
/// If the document contains a word that the conversion does not know.
pub fn convert(source: &Value) -> Value {
    let produces = &source["produces"];
    let mut components = Map::new();
    let mut made = Map::new();
    for (word, says) in fields(source) {
        match word.as_str() {
            "swagger" => {
                assert_eq!(says, "2.0", "the version of the source");
                made.insert("openapi".to_owned(), "3.1.0".into());
                made.insert("jsonSchemaDialect".to_owned(), DIALECT.into());
            }
            "basePath" => {
                assert_eq!(says, "/", "paths begin at the server");
                made.insert("servers".to_owned(), json!([{"url": SERVER}]));
            }
            "consumes" | "produces" => {}
            "info" | "security" | "tags" => keep(&mut made, word, says),
            "paths" => {
                let paths = each(says, |item| path(item, source));
                made.insert("paths".to_owned(), paths);
            }
            "definitions" => {
                components.insert("schemas".to_owned(), each(says, schema));
            }
            "parameters" => {
                components.insert("parameters".to_owned(), each(says, parameter));
            }
            "responses" => {
                let responses = each(says, |item| response(item, produces));
                components.insert("responses".to_owned(), responses);
            }
            "securityDefinitions" => {
                components.insert("securitySchemes".to_owned(), each(says, security_scheme));
            }
            word => unknown("document", word),
        }
    }
    made.insert("components".to_owned(), components.into());
    made.into()
}

fn path(source: &Value, document: &Value) -> Value {
    let mut made = Map::new();
    for (word, says) in fields(source) {
        let converted = match word.as_str() {
            "parameters" => list(says, parameter),
            "get" | "put" | "post" | "patch" | "delete" => operation(says, document),
            word => unknown("path", word),
        };
        made.insert(word.clone(), converted);
    }
    made.into()
}

fn operation(source: &Value, document: &Value) -> Value {
    let types = |word| source.get(word).unwrap_or(&document[word]);
    let mut made = Map::new();
    for (word, says) in fields(source) {
        match word.as_str() {
            "operationId" | "tags" | "summary" | "description" | "deprecated" | "security"
            | "x-quota-cost" => keep(&mut made, word, says),
            "consumes" | "produces" => {}
            "parameters" => {
                let is_body = |value: &&Value| value["in"] == "body" || value["in"] == "formData";
                let (body, others): (Vec<&Value>, Vec<&Value>) =
                    says.as_array().expect("parameters are listed").iter().partition(is_body);
                if !others.is_empty() {
                    let others = others.into_iter().map(parameter).collect();
                    made.insert("parameters".to_owned(), others);
                }
                if !body.is_empty() {
                    let body = request_body(&body, types("consumes"));
                    made.insert("requestBody".to_owned(), body);
                }
            }
            "responses" => {
                let responses = each(says, |item| response(item, types("produces")));
                made.insert("responses".to_owned(), responses);
            }
            word => unknown("operation", word),
        }
    }
    made.into()
}

/// Converts the body parameter, or the fields of a form.
fn request_body(parameters: &[&Value], consumes: &Value) -> Value {
    let mut made = Map::new();
    let schema = match parameters {
        [body] if body["in"] == "body" => {
            for (word, says) in fields(body) {
                match word.as_str() {
                    "name" | "in" | "schema" => {}
                    "description" | "required" => keep(&mut made, word, says),
                    word => unknown("body", word),
                }
            }
            schema(&body["schema"])
        }
        form => {
            let (mut properties, mut required) = (Map::new(), Vec::new());
            for field in form {
                let converted = parameter(field);
                let name = field["name"].as_str().expect("a field has a name");
                required.extend((field["required"] == true).then_some(name));
                let mut property = converted["schema"].clone();
                if let Some(text) = field.get("description") {
                    property["description"] = text.clone();
                }
                properties.insert(name.to_owned(), property);
            }
            made.insert("required".to_owned(), (!required.is_empty()).into());
            json!({"type": "object", "properties": properties, "required": required})
        }
    };
    let types = consumes.as_array().expect("types are listed").iter();
    let types = types.map(|kind| kind.as_str().expect("a type is text").to_owned());
    let content: Map<_, _> = types.map(|kind| (kind, json!({"schema": schema}))).collect();
    made.insert("content".to_owned(), content.into());
    made.into()
}

fn response(source: &Value, produces: &Value) -> Value {
    let mut made = Map::new();
    for (word, says) in fields(source) {
        match word.as_str() {
            "$ref" => return reference(says),
            "description" => keep(&mut made, word, says),
            "headers" => {
                made.insert("headers".to_owned(), each(says, parameter));
            }
            "schema" => {
                made.insert("content".to_owned(), content(says, produces));
            }
            word => unknown("response", word),
        }
    }
    made.into()
}

/// Returns the schema of each media type of a response.
///
/// The schema in the source is that of the JSON. If it is a string or a file, it is that of the
/// other types, and JSON is the type of the errors.
fn content(source: &Value, produces: &Value) -> Value {
    let types = produces.as_array().expect("types are listed");
    let is_json = types.len() == 1 || source["type"] != "string" && source["type"] != "file";
    let mut made = Map::new();
    for kind in types.iter().map(|kind| kind.as_str().expect("a type is text")) {
        let schema = match kind {
            JSON if is_json => schema(source),
            JSON => continue,
            kind if kind.starts_with("text/") => json!({"type": "string"}),
            _ => binary(),
        };
        made.insert(kind.to_owned(), json!({"schema": schema}));
    }
    made.into()
}

/// Converts a parameter, a field of a form or a header of a response.
fn parameter(source: &Value) -> Value {
    let (mut made, mut typed) = (Map::new(), Map::new());
    for (word, says) in fields(source) {
        match word.as_str() {
            "$ref" => return reference(says),
            "name" | "in" | "required" | "description" => keep(&mut made, word, says),
            "collectionFormat" => {
                assert_eq!(source["in"], "query", "only a query has lists");
                let is_repeated = match says.as_str() {
                    Some("csv") => false,
                    Some("multi") => true,
                    _ => panic!("teach the conversion the collectionFormat {says}"),
                };
                made.insert("style".to_owned(), "form".into());
                made.insert("explode".to_owned(), is_repeated.into());
            }
            word => keep(&mut typed, word, says),
        }
    }
    made.insert("schema".to_owned(), schema(&typed.into()));
    made.into()
}

fn security_scheme(source: &Value) -> Value {
    if source["type"] != "oauth2" {
        return source.clone();
    }
    let flow = match source["flow"].as_str() {
        Some("implicit") => "implicit",
        Some("accessCode") => "authorizationCode",
        other => panic!("teach the conversion the flow {other:?}"),
    };
    let (mut made, mut within) = (Map::new(), Map::new());
    for (word, says) in fields(source) {
        match word.as_str() {
            "type" | "description" => keep(&mut made, word, says),
            "authorizationUrl" | "tokenUrl" | "scopes" => keep(&mut within, word, says),
            "flow" => {}
            word => unknown("security scheme", word),
        }
    }
    made.insert("flows".to_owned(), json!({flow: within}));
    made.into()
}

fn schema(source: &Value) -> Value {
    let mut made = Map::new();
    for (word, says) in fields(source) {
        let (word, converted) = match word.as_str() {
            "$ref" => (word.as_str(), reference(says)["$ref"].clone()),
            "type" if says == "file" => return binary(),
            "type" | "format" | "description" | "enum" | "required" | "minimum" | "maximum"
            | "maxLength" | "maxItems" | "pattern" | "readOnly" | "default" => {
                (word.as_str(), says.clone())
            }
            "example" => ("examples", json!([says])),
            "discriminator" => ("discriminator", json!({"propertyName": says})),
            "allOf" => ("allOf", list(says, schema)),
            "properties" => ("properties", each(says, schema)),
            "items" | "additionalProperties" => (word.as_str(), schema(says)),
            "x-nullable" => continue,
            word => unknown("schema", word),
        };
        made.insert(word.to_owned(), converted);
    }
    // Generators read an object without fields as one that may have none.
    let is_free = !["properties", "additionalProperties"].iter().any(|at| made.contains_key(*at));
    if source["type"] == "object" && is_free {
        made.insert("additionalProperties".to_owned(), true.into());
    }
    if source["x-nullable"] == true {
        add_null(&mut made);
    }
    made.into()
}

/// Makes null a value of a schema.
fn add_null(schema: &mut Map<String, Value>) {
    if let Some(others) = schema.remove("allOf") {
        schema.insert("anyOf".to_owned(), json!([{"allOf": others}, {"type": "null"}]));
        return;
    }
    let kind = schema.remove("type").expect("what may be null has a type");
    schema.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// The schema of bytes.
fn binary() -> Value {
    json!({"type": "string", "format": "binary"})
}

fn reference(target: &Value) -> Value {
    let target = target.as_str().expect("a reference is text");
    let (section, name) = target
        .strip_prefix("#/")
        .and_then(|path| path.split_once('/'))
        .unwrap_or_else(|| panic!("a reference inside the document: {target}"));
    let section = match section {
        "definitions" => "schemas",
        "parameters" | "responses" => section,
        other => unknown("reference", other),
    };
    json!({"$ref": format!("#/components/{section}/{name}")})
}

fn fields(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("an object: {value}"))
}

/// Converts each value of an object.
fn each(values: &Value, convert: impl Fn(&Value) -> Value) -> Value {
    fields(values).iter().map(|(name, value)| (name.clone(), convert(value))).collect()
}

/// Converts each item of a list.
fn list(items: &Value, convert: impl Fn(&Value) -> Value) -> Value {
    items.as_array().unwrap_or_else(|| panic!("a list: {items}")).iter().map(convert).collect()
}

fn keep(made: &mut Map<String, Value>, word: &str, says: &Value) {
    made.insert(word.to_owned(), says.clone());
}

fn unknown(of: &str, word: &str) -> ! {
    panic!("teach the conversion the word `{word}` of a {of}")
}
