//! The types of the contract's definitions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::names::{self, field, nested, pascal};
use super::operations::Operation;
use super::text::{doc, first_sentence, sentence};

/// Definitions that the crate has by hand.
const BY_HAND: [&str; 2] = ["Error", "Properties"];

/// Definitions whose types refer to one another stand in one file.
const PLACED: [(&str, &str); 2] = [("Collection", "book"), ("Group", "account")];

/// Schemas of `auth.json` that programs read. The others are of pages and browser sessions.
const SIGN_IN: [&str; 4] = ["DeviceCodes", "Metadata", "TokenState", "Userinfo"];

/// The list of names of `auth.json`.
const NAMES: &str = "#/components/schemas/Names";

/// Fields that contain their own type without a list between.
const BOXED: [(&str, &str); 1] = [("Group", "parent")];

/// Fields that are amounts, although the contract lets requests write other texts.
const AMOUNTS: [&str; 3] = ["amount", "closingBalance", "minBalance"];

/// The types found so far.
pub struct Shapes<'a> {
    contract: &'a Value,
    /// The text of each type, by its name.
    made: BTreeMap<String, String>,
    /// The file of each type.
    files: BTreeMap<String, String>,
    /// The values of each enumeration.
    enums: BTreeMap<String, Vec<String>>,
}

impl<'a> Shapes<'a> {
    pub fn new(contract: &'a Value) -> Self {
        let mut shapes = Shapes {
            contract,
            made: BTreeMap::new(),
            files: BTreeMap::new(),
            enums: BTreeMap::new(),
        };
        // Enumerations with a name of their own are known first: others with their values are the
        // same.
        for (name, schema) in contract["definitions"].as_object().expect("definitions") {
            if schema["enum"].is_array() {
                shapes.enums.insert(name.clone(), values(schema));
            }
        }
        shapes
    }

    /// Adds all definitions, each to the file of the first operation that reaches it.
    pub fn add_definitions(&mut self, operations: &[Operation]) {
        let definitions = self.contract["definitions"].as_object().expect("definitions");
        let mut open: VecDeque<(String, String)> = VecDeque::new();
        for operation in operations {
            open.extend(operation.shapes.iter().map(|name| (name.clone(), operation.tag_file())));
        }
        let mut placed = BTreeMap::new();
        while let Some((name, file)) = open.pop_front() {
            if BY_HAND.contains(&name.as_str()) || placed.contains_key(&name) {
                continue;
            }
            let fixed = PLACED.iter().find(|(placed, _)| *placed == name);
            let file = fixed.map_or(file, |(_, file)| (*file).to_owned());
            let inside = references(&definitions[&name]);
            open.extend(inside.into_iter().map(|inner| (inner, file.clone())));
            placed.insert(name, file);
        }
        for (name, schema) in definitions {
            if BY_HAND.contains(&name.as_str()) {
                continue;
            }
            let file = placed.get(name).unwrap_or_else(|| panic!("{name} is used nowhere"));
            self.add(name, schema, file);
        }
    }

    /// Adds the shapes of sign-in.
    pub fn add_sign_in(&mut self, sign_in: &Value) {
        for name in SIGN_IN {
            let schema = &sign_in["components"]["schemas"][name];
            assert!(schema.is_object(), "auth.json has no {name}");
            self.add(name, schema, "sign_in");
        }
    }

    /// The sources by file.
    pub fn sources(&self) -> BTreeMap<String, String> {
        let mut sources: BTreeMap<String, String> = BTreeMap::new();
        for (name, file) in &self.files {
            let text = sources.entry(file.clone()).or_default();
            *text += &format!("\n{}", self.made[name]);
        }
        for (file, text) in &mut sources {
            *text = format!("{}{text}", self.head(file, text));
        }
        sources
    }

    /// The first lines of a file: what it contains, and its imports.
    fn head(&self, file: &str, text: &str) -> String {
        // The types of the fields.
        let kinds = text.lines().filter_map(|line| line.strip_prefix("    pub ")?.split_once(": "));
        let words = kinds.flat_map(|(_, kind)| kind.split(|c: char| !c.is_alphanumeric()));
        let words: BTreeSet<&str> = words.collect();
        let uses = |word: &str| words.contains(word);
        let own = ["Amount", "Date", "Nullable", "Properties", "Timestamp"];
        let mut imports: Vec<String> = Vec::new();
        for (name, module) in
            own.iter().zip(["amount", "date", "nullable", "properties", "timestamp"])
        {
            imports.extend(uses(name).then(|| format!("use crate::{module}::{name};\n")));
        }
        for (name, other) in &self.files {
            let is_foreign = other != file && uses(name);
            imports.extend(is_foreign.then(|| format!("use super::{other}::{name};\n")));
        }
        let serde =
            if text.contains("derive(") { "use serde::{Deserialize, Serialize};\n\n" } else { "" };
        let open =
            if text.contains("open_enum!") { "use crate::open_enum::open_enum;\n" } else { "" };
        let title = file.replace('_', " ");
        format!("//! Shapes of the contract: {title}.\n\n{serde}{open}{}", imports.concat())
    }

    fn add(&mut self, name: &str, schema: &Value, file: &str) {
        let text = match schema["type"].as_str() {
            Some("string") if schema["enum"].is_array() => enumeration(name, schema),
            Some("object") => self.structure(name, schema, file),
            kind => panic!("{name}: {kind:?}"),
        };
        let code = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("///"));
            lines.map(str::to_owned).collect()
        };
        // A nested shape may have different descriptions in its owners: the first one stays.
        let first = self.made.entry(name.to_owned()).or_insert_with(|| text.clone());
        assert_eq!(code(first), code(&text), "{name} names two shapes");
        self.files.entry(name.to_owned()).or_insert_with(|| file.to_owned());
    }

    fn structure(&mut self, name: &str, schema: &Value, file: &str) -> String {
        let required: BTreeSet<&str> = strings(&schema["required"]).collect();
        let mut fields = String::new();
        for (wire, schema) in schema["properties"].as_object().expect("properties") {
            let (field, renamed) = field(wire);
            let kind = self.kind(name, wire, schema, file);
            let boxed = BOXED.contains(&(name, wire));
            let kind = if boxed { format!("Box<{kind}>") } else { kind };
            let is_nullable = schema["x-nullable"] == true;
            let mut serde: Vec<String> =
                renamed.map(|name| format!("rename = {name:?}")).into_iter().collect();
            let is_list = kind.starts_with("Vec<") && schema["readOnly"] == true;
            let kind = if required.contains(wire.as_str()) {
                kind
            } else if is_nullable {
                serde.push("default, skip_serializing_if = \"Nullable::is_absent\"".to_owned());
                format!("Nullable<{kind}>")
            } else if is_list {
                serde.push("default, skip_serializing_if = \"Vec::is_empty\"".to_owned());
                kind
            } else {
                serde.push("default, skip_serializing_if = \"Option::is_none\"".to_owned());
                format!("Option<{kind}>")
            };
            fields += &doc(4, &[&self.field_text(wire, schema)]);
            if !serde.is_empty() {
                fields += &format!("    #[serde({})]\n", serde.join(", "));
            }
            fields += &format!("    pub {field}: {kind},\n");
        }
        let about =
            schema["description"].as_str().map_or_else(|| format!("`{name}`"), str::to_owned);
        let (first, rest) = first_sentence(&about);
        let docs = doc(0, &[&sentence(first), rest]);
        format!(
            "{docs}#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]\n\
             #[serde(rename_all = \"camelCase\")]\npub struct {name} {{\n{fields}}}\n"
        )
    }

    /// The description of a field, or else of its type.
    fn field_text(&self, name: &str, schema: &Value) -> String {
        if let Some(text) = schema["description"].as_str() {
            return sentence(text);
        }
        let Some(target) = reference(schema) else {
            // Of nested objects without descriptions, whose own description says it.
            return format!("`{name}`.");
        };
        let text = self.contract["definitions"][&target]["description"].as_str();
        text.map_or_else(|| format!("The {}.", names::snake(name).replace('_', " ")), sentence)
    }

    /// The type of a field or a parameter, whether it may be absent or not.
    pub fn kind(&mut self, owner: &str, name: &str, schema: &Value, file: &str) -> String {
        if let Some(target) = reference(schema) {
            return target;
        }
        if schema["$ref"] == NAMES {
            return "Vec<String>".to_owned();
        }
        let is = |format: &str| schema["format"] == format;
        match schema["type"].as_str().unwrap_or_else(|| panic!("{owner}.{name} has a type")) {
            "boolean" => "bool".to_owned(),
            "integer" if is("int32") => "i32".to_owned(),
            "integer" => "i64".to_owned(),
            "string" if schema["enum"].is_array() => self.enumeration(owner, name, schema, file),
            "string" if is("date") => "Date".to_owned(),
            "string" if schema["pattern"] == "^[0-9]+$" => "Timestamp".to_owned(),
            "string" if schema["pattern"] == r"^-?[0-9]+(\.[0-9]+)?$" => "Amount".to_owned(),
            "string" if AMOUNTS.contains(&name) => "Amount".to_owned(),
            "string" => "String".to_owned(),
            // A share between 0 and 1.
            "number" => "f64".to_owned(),
            "array" => format!("Vec<{}>", self.kind(owner, name, &schema["items"], file)),
            "object" if schema["properties"].is_object() => {
                let made = nested(owner, name);
                self.add(&made, schema, file);
                made
            }
            "object" if schema["additionalProperties"].is_object() => {
                "std::collections::BTreeMap<String, String>".to_owned()
            }
            "object" => "serde_json::Value".to_owned(),
            kind => panic!("{owner}.{name}: {kind}"),
        }
    }

    fn enumeration(&mut self, owner: &str, name: &str, schema: &Value, file: &str) -> String {
        let values = values(schema);
        let made = nested(owner, name);
        if made == "Permission" {
            return made;
        }
        let same = self.enums.iter().find(|(_, known)| **known == values);
        if let Some((known, _)) = same {
            return known.clone();
        }
        self.enums.insert(made.clone(), values);
        self.add(&made, schema, file);
        made
    }
}

fn enumeration(name: &str, schema: &Value) -> String {
    let about = schema["description"].as_str().map_or_else(|| format!("`{name}`"), str::to_owned);
    let (first, rest) = first_sentence(&about);
    let mut made = format!("open_enum! {{\n{}", doc(4, &[&sentence(first), rest]));
    made += &format!("    pub enum {name} {{\n");
    for value in values(schema) {
        made += &format!("        /// `{value}`.\n        {} = {value:?},\n", pascal(&value));
    }
    made + "    }\n}\n"
}

fn values(schema: &Value) -> Vec<String> {
    strings(&schema["enum"]).map(str::to_owned).collect()
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().map(|value| value.as_str().expect("a string"))
}

/// The definition that a schema is, directly or as its only part.
pub fn reference(schema: &Value) -> Option<String> {
    let schema = schema["allOf"].get(0).unwrap_or(schema);
    let target = schema["$ref"].as_str().filter(|target| *target != NAMES)?;
    let (_, name) = target.rsplit_once('/').expect("a path");
    Some(name.to_owned())
}

/// The definitions that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(map) => {
            let own = map.get("$ref").and_then(|_| reference(schema));
            own.into_iter().chain(map.values().flat_map(references)).collect()
        }
        Value::Array(list) => list.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
