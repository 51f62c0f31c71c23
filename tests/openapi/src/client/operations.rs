//! The operations of the contract, as methods of a book or of the client.

use std::collections::BTreeMap;

use serde_json::Value;

use super::names::{field, file, pascal, snake, third_person};
use super::shapes::{Shapes, reference};
use super::text::{doc, sentence};

/// Columns of a line of an example.
const MAX_EXAMPLE: usize = 90;

/// Operations that the crate has by hand, because they are not single requests.
const BY_HAND: [&str; 1] = ["streamEvents"];

/// Requests by POST that only read.
const READS: [&str; 2] = ["loadTransactionsBatch", "previewTransaction"];

/// Parameters that the client sets, and misspelled names.
const OF_THE_CLIENT: [&str; 2] = ["service-agent-id", "resoureId"];

/// An argument of a function, or a field of its optional parameters.
struct Argument {
    /// The name on the wire.
    wire: String,
    place: Place,
    kind: String,
    text: String,
    /// The first of the values, if they are enumerated.
    value: Option<String>,
}

#[derive(PartialEq)]
enum Place {
    Path,
    Query,
    Header,
}

/// An operation.
pub struct Operation {
    id: String,
    tag: String,
    method: String,
    path: String,
    summary: String,
    description: String,
    is_deprecated: bool,
    required: Vec<Argument>,
    optional: Vec<Argument>,
    /// The type of the body.
    body: Option<String>,
    /// Whether the body is the bytes of a file.
    takes_file: bool,
    takes_key: bool,
    takes_if_match: bool,
    /// The type of the response.
    response: Option<String>,
    /// Whether the response is the bytes of a file.
    returns_file: bool,
    has_etag: bool,
    /// The definitions that it names.
    pub shapes: Vec<String>,
}

/// Reads the operations.
pub fn all(contract: &Value, shapes: &mut Shapes) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, entry) in contract["paths"].as_object().expect("paths") {
        for (method, value) in entry.as_object().expect("a path") {
            let id = value["operationId"].as_str().unwrap_or_default();
            if method != "parameters" && !BY_HAND.contains(&id) {
                let shared = entry["parameters"].as_array().into_iter().flatten();
                let own = value["parameters"].as_array().into_iter().flatten();
                let parameters = shared.chain(own).map(|parameter| resolve(contract, parameter));
                let parameters: Vec<&Value> = parameters.collect();
                found.push(read(path, method, value, &parameters, shapes));
            }
        }
    }
    // Books first: the types of a definition go to the file of the first operation that names it.
    let tags: Vec<&str> = contract["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .map(|tag| tag["name"].as_str().expect("a name"))
        .collect();
    let rank = |operation: &Operation| {
        tags.iter().position(|tag| *tag == operation.tag).unwrap_or(tags.len())
    };
    found.sort_by_key(rank);
    found
}

fn resolve<'a>(contract: &'a Value, value: &'a Value) -> &'a Value {
    let Some(target) = value["$ref"].as_str() else { return value };
    contract.pointer(target.trim_start_matches('#')).expect("the target of a reference")
}

fn read(
    path: &str,
    method: &str,
    value: &Value,
    parameters: &[&Value],
    shapes: &mut Shapes,
) -> Operation {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let success = &value["responses"]["200"];
    let mut operation = Operation {
        id: text("operationId"),
        tag: value["tags"][0].as_str().expect("a tag").to_owned(),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text("summary"),
        description: text("description"),
        is_deprecated: value["deprecated"] == true,
        required: Vec::new(),
        optional: Vec::new(),
        body: None,
        takes_file: false,
        takes_key: false,
        takes_if_match: false,
        response: success.get("schema").and_then(reference),
        returns_file: success["schema"]["type"] == "string",
        has_etag: success["headers"]["ETag"].is_object(),
        shapes: Vec::new(),
    };
    for parameter in parameters {
        operation.add(parameter, shapes);
    }
    operation.shapes.extend(operation.response.clone());
    operation.shapes.extend(operation.body.clone());
    operation
}

impl Operation {
    /// The file of the types of its tag.
    pub fn tag_file(&self) -> String {
        file(&self.tag).to_owned()
    }

    fn add(&mut self, parameter: &Value, shapes: &mut Shapes) {
        let name = parameter["name"].as_str().expect("a name");
        let place = match parameter["in"].as_str().expect("a place") {
            "body" => {
                self.body = reference(&parameter["schema"]);
                self.takes_file = self.body.is_none();
                return;
            }
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            place => panic!("{}: {place}", self.id),
        };
        match name {
            "Idempotency-Key" => self.takes_key = true,
            "If-Match" => self.takes_if_match = true,
            // The header takes precedence.
            "cursor" if place == Place::Query => {}
            "bookId" => {}
            name if OF_THE_CLIENT.contains(&name) => {}
            name => {
                let kind = match place {
                    // Ids that are numbers are digits in a path.
                    Place::Path if parameter["enum"].is_null() => "String".to_owned(),
                    _ => shapes.kind(&self.id, name, parameter, &self.tag_file()),
                };
                let text = sentence(parameter["description"].as_str().unwrap_or_default());
                let value = parameter["enum"][0].as_str().map(str::to_owned);
                let argument = Argument { wire: name.to_owned(), place, kind, text, value };
                let is_required = parameter["required"] == true;
                let list = if is_required { &mut self.required } else { &mut self.optional };
                list.push(argument);
            }
        }
    }

    /// Whether it is a method of a book.
    fn is_of_book(&self) -> bool {
        self.path.starts_with("/v5/books/{bookId}")
    }

    /// The file of the method.
    fn file(&self) -> String {
        let tag = self.tag_file();
        match tag.as_str() {
            "transaction" if self.path.contains("/comments") => "comment".to_owned(),
            "transaction" if self.path.contains("/batch") => "transaction_batch".to_owned(),
            "user" if self.path.starts_with("/v5/user/") && !self.path.contains("billing") => {
                "user_access".to_owned()
            }
            _ => tag,
        }
    }

    /// The struct of its optional parameters.
    fn parameters(&self) -> Option<String> {
        if self.optional.is_empty() {
            return None;
        }
        let mut fields = String::new();
        for argument in &self.optional {
            let (name, _) = field(&argument.wire);
            fields += &doc(4, &[&argument.text]);
            fields += &format!("    pub {name}: Option<{}>,\n", argument.kind);
        }
        let (name, of) = (pascal(&self.id), if self.is_of_book() { "Book" } else { "Client" });
        let method = format!("{of}::{}", snake(&self.id));
        let mut about = format!("/// Optional parameters of [`{method}`](crate::{method}).");
        if about.len() > 100 {
            about = about.replace(" of [", " of\n/// [");
        }
        let derive = "#[derive(Debug, Clone, Default, PartialEq)]";
        Some(format!("\n{about}\n{derive}\npub struct {name} {{\n{fields}}}\n"))
    }

    /// The method.
    fn method(&self) -> String {
        let mut arguments = Vec::new();
        let mut calls = String::new();
        let mut examples = Vec::new();
        for argument in &self.required {
            let (name, _) = field(&argument.wire);
            let kind = if argument.kind == "String" { "str" } else { &argument.kind };
            let is_number = matches!(kind, "i64" | "i32");
            arguments.push(format!("{name}: {}{kind}", if is_number { "" } else { "&" }));
            examples.push(example_of(argument, &name));
            if argument.place == Place::Query {
                calls += &format!(".parameter({:?}, Some({name}))", argument.wire);
            }
        }
        if let Some(body) = &self.body {
            let body = typed(body);
            let of = if self.takes_if_match {
                format!("impl Into<Row<'a, {body}>>")
            } else {
                format!("&{body}")
            };
            arguments.push(format!("body: {of}"));
            examples.push("&body".to_owned());
            calls += if self.takes_if_match { ".row(body.into())" } else { ".body(body)" };
        }
        if self.takes_file {
            arguments.push("file: &[u8]".to_owned());
            examples.push("file".to_owned());
            calls += ".file(file)";
        }
        if !self.optional.is_empty() {
            arguments.push(format!("parameters: &{}", pascal(&self.id)));
            examples.push("&Default::default()".to_owned());
        }
        for argument in &self.optional {
            calls += &call_of(argument);
        }
        if self.takes_key && !READS.contains(&self.id.as_str()) {
            calls += ".keyed()";
        }
        if READS.contains(&self.id.as_str()) {
            calls += ".read_only()";
        }
        let response = match &self.response {
            Some(name) if self.has_etag => format!("Versioned<{}>", typed(name)),
            Some(name) => typed(name).to_owned(),
            None if self.returns_file => "Vec<u8>".to_owned(),
            None => "()".to_owned(),
        };
        let begin = match (&self.response, self.has_etag) {
            (None, _) if self.returns_file => "bytes",
            (None, _) => "empty",
            (Some(_), true) => "versioned",
            (Some(_), false) => "json",
        };
        let name = snake(&self.id);
        let client = if self.is_of_book() { "self.client()" } else { "self" };
        let generics = if self.body.is_some() && self.takes_if_match { "<'a>" } else { "" };
        let deprecated = if self.is_deprecated {
            "    #[deprecated = \"the contract keeps it for existing clients\"]\n"
        } else {
            ""
        };
        let arguments: String = arguments.iter().map(|argument| format!(", {argument}")).collect();
        let docs = self.docs(&examples);
        let (method, segments) = (&self.method, self.segments());
        format!(
            "\n{docs}{deprecated}\
             pub fn {name}{generics}(&self{arguments}) -> Request<{response}> {{\n\
             Request::{begin}({client}, Method::{method}, &[{segments}]){calls}\n}}\n"
        )
    }

    fn segments(&self) -> String {
        let segments = self.path.split('/').skip(1).map(|segment| {
            match segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}')) {
                None => format!("{segment:?}"),
                Some("bookId") => "self.id()".to_owned(),
                Some(name) => {
                    let (argument, _) = field(name);
                    let found = self.required.iter().find(|argument| argument.wire == name);
                    match found.expect("an argument of the path").kind.as_str() {
                        "String" => argument,
                        _ => format!("{argument}.as_str()"),
                    }
                }
            }
        });
        segments.collect::<Vec<_>>().join(", ")
    }

    fn docs(&self, examples: &[String]) -> String {
        let place = format!("`{} {}` is `{}`.", self.method, self.path, self.id);
        let mut made = doc(4, &[&third_person(&self.summary), &self.description, &place]);
        let (kind, handle) =
            if self.is_of_book() { ("Book", "book") } else { ("Client", "client") };
        let body = self.body.as_ref().map(|body| format!("body: daybook_client::types::{body}"));
        let file = self.takes_file.then(|| "file: &[u8]".to_owned());
        let given: Vec<String> = std::iter::once(format!("{handle}: &daybook_client::{kind}"))
            .chain(body)
            .chain(file)
            .collect();
        let (name, arguments) = (snake(&self.id), examples.join(", "));
        let has_result = self.response.is_some() || self.returns_file;
        let result = if has_result { "let response = " } else { "" };
        let call = format!("{result}{handle}.{name}({arguments}).await?;");
        let call = match call.len() > MAX_EXAMPLE {
            false => call,
            true => {
                format!("{result}{handle}\n    ///     .{name}({arguments})\n    ///     .await?;")
            }
        };
        let (begin, end) = ("# async fn example(", ") -> Result<(), daybook_client::Error> {");
        let open = format!("{begin}{}{end}", given.join(", "));
        let open = match open.len() > MAX_EXAMPLE {
            false => open,
            true => {
                let given = given.join(",\n    /// #     ");
                format!("{begin}\n    /// #     {given},\n    /// # {end}")
            }
        };
        for line in ["", "```no_run", &open, &call, "# Ok(())", "# }", "```"] {
            made += &format!("    /// {line}\n");
        }
        made
    }
}

/// The name of a type in the source of a method, where `Book` is the handle.
fn typed(name: &str) -> &str {
    if name == "Book" { "types::Book" } else { name }
}

/// A value for the example of an operation.
fn example_of(argument: &Argument, name: &str) -> String {
    match (&argument.value, argument.kind.as_str()) {
        (Some(value), _) => format!("&{value:?}.into()"),
        (None, "String") if name == "query" => "\"account:Cash\"".to_owned(),
        (None, "String") => format!("{name:?}"),
        (None, "Date") => "&Default::default()".to_owned(),
        (None, kind) => panic!("no example of {kind}"),
    }
}

/// The call that passes an optional parameter.
fn call_of(argument: &Argument) -> String {
    let (name, _) = field(&argument.wire);
    let wire = &argument.wire;
    match (&argument.place, argument.kind.as_str()) {
        (Place::Header, _) => format!(".maybe_header({wire:?}, parameters.{name}.as_deref())"),
        (_, "Vec<String>") => {
            format!(".parameter({wire:?}, parameters.{name}.as_ref().map(|list| list.join(\",\")))")
        }
        _ => format!(".parameter({wire:?}, parameters.{name}.as_ref())"),
    }
}

/// The source of the optional parameters, and the sources of the methods by file.
pub fn sources(operations: &[Operation]) -> (String, BTreeMap<String, String>) {
    let parameters: String = operations.iter().filter_map(Operation::parameters).collect();
    let types = imports(&parameters);
    let parameters = format!("//! Optional parameters of the operations.\n\n{types}{parameters}");
    let mut methods: BTreeMap<String, (String, String)> = BTreeMap::new();
    for operation in operations {
        let (book, client) = methods.entry(operation.file()).or_default();
        let place = if operation.is_of_book() { book } else { client };
        *place += &operation.method();
    }
    let write = |(file, (book, client)): (String, (String, String))| {
        let mut text = String::new();
        for (name, methods) in [("Book", book), ("Client", client)] {
            if !methods.is_empty() {
                let methods = methods.trim_start_matches('\n');
                text += &format!("\nimpl {name} {{\n{methods}}}\n");
            }
        }
        let title = file.replace('_', " ");
        let head = format!("//! Operations of the contract: {title}.\n\n{}", imports(&text));
        (file, head + &text)
    };
    (parameters, methods.into_iter().map(write).collect())
}

/// The imports of a source: the names that its code uses outside of comments.
fn imports(text: &str) -> String {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("///"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut types: Vec<&str> = Vec::new();
    let mut parameters: Vec<&str> = Vec::new();
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut seen = std::collections::BTreeSet::new();
    for word in words {
        let is_name = word.starts_with(char::is_uppercase) && seen.insert(word);
        let is_declared = code.contains(&format!("pub struct {word} {{"));
        let is_parameters = code.contains(&format!("parameters: &{word})"));
        match word {
            "Book" | "Date" | "Request" | "Row" | "Versioned" | "Method" | "Client" => {}
            "String" | "Vec" | "Option" | "Some" | "Into" | "GET" | "POST" | "PUT" | "PATCH"
            | "DELETE" | "Debug" | "Clone" | "Default" | "PartialEq" => {}
            word if is_name && is_parameters => parameters.push(word),
            word if is_name && !is_declared => types.push(word),
            _ => {}
        }
    }
    let mut made = String::new();
    if code.contains("types::Book") {
        made += "use crate::types;\n";
    }
    if code.contains("Method::") {
        made += "use reqwest::Method;\n\n";
        for (name, module) in [("Book", "book"), ("Client", "client")] {
            let is_used = code.contains(&format!("impl {name} {{"));
            made +=
                &if is_used { format!("use crate::{module}::{name};\n") } else { String::new() };
        }
        let own = ["Request", "Row", "Versioned"].into_iter().filter(|name| seen.contains(name));
        made += &format!("use crate::request::{{{}}};\n", own.collect::<Vec<_>>().join(", "));
    }
    if seen.contains("Date") {
        made += "use crate::date::Date;\n";
    }
    if !types.is_empty() {
        made += &format!("use crate::types::{{{}}};\n", types.join(", "));
    }
    if !parameters.is_empty() {
        made += &format!("use crate::parameters::{{{}}};\n", parameters.join(", "));
    }
    made
}
