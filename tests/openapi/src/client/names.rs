//! Names of the contract as names of Rust.

/// Converts `createdAt` and `resource-id` to `created_at` and `resource_id`.
pub fn snake(name: &str) -> String {
    let mut made = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !made.is_empty() && !made.ends_with('_') {
            made.push('_');
        }
        made.extend(if c.is_alphanumeric() { c.to_lowercase().next() } else { Some('_') });
    }
    made
}

/// Converts `createdAt`, `trial-balance`, `TRANSACTION_POSTED` and `dd/MM/yyyy` to a type's name.
pub fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        let is_shouted = !word.contains(char::is_lowercase);
        first.to_uppercase() + &if is_shouted { rest.to_lowercase() } else { rest.to_owned() }
    };
    words.map(word).collect()
}

/// Returns the name of a field, and the name on the wire where serde would not find it.
pub fn field(name: &str) -> (String, Option<String>) {
    let made = match name {
        "match" => "match_with".to_owned(),
        "type" => "kind".to_owned(),
        name => snake(name),
    };
    let found = made.split('_').enumerate().map(|(index, word)| match index {
        0 => word.to_owned(),
        _ => pascal(word),
    });
    let renamed = found.collect::<String>() != name;
    (made, renamed.then(|| name.to_owned()))
}

/// The file of the types and operations of a tag.
pub fn file(tag: &str) -> &'static str {
    match tag {
        "Accounts" => "account",
        "Administration" => "administration",
        "Apps" => "app",
        "Balances" => "balance",
        "Books" => "book",
        "Collaborators" => "collaborator",
        "Collections" => "collection",
        "Connections" => "connection",
        "Event stream" | "Events" => "event",
        "Exports" => "export",
        "Files" => "file",
        "Groups" => "group",
        "Imports" => "import",
        "Integrations" => "integration",
        "Queries" => "saved_query",
        "Reconciliations" => "reconciliation",
        "Reports" => "report",
        "Templates" => "template",
        "Transactions" => "transaction",
        "User" => "user",
        tag => panic!("no file for the tag {tag}"),
    }
}

/// Names of types that the rule for nested schemas would name worse.
pub fn nested(owner: &str, name: &str) -> String {
    match (owner, name) {
        ("Balances" | "countTransactionsPosted", "periodicity") => "Periodicity".to_owned(),
        ("BookClosing" | "Report", "lastEvent") => "LogHead".to_owned(),
        ("createImport", "decimalMark") => "BookDecimalSeparator".to_owned(),
        ("createImport", name) => format!("Import{}", pascal(name)),
        ("listImportRecords", "outcome") => "ImportOutcome".to_owned(),
        ("exportBook" | "getExportLink", "format") => "ExportFormat".to_owned(),
        ("getReport" | "getReportLink", "format") => "ReportFormat".to_owned(),
        ("getReport" | "getReportLink", "id") => "ReportKind".to_owned(),
        ("requestBookAccess", "permission") => "Permission".to_owned(),
        _ => pascal(owner) + &pascal(name),
    }
}

/// The third person of a summary: `List books` is `Lists books.`
pub fn third_person(summary: &str) -> String {
    let (verb, rest) = summary.split_once(' ').unwrap_or((summary, ""));
    let ending = if verb.ends_with("sh") || verb.ends_with("ss") {
        format!("{verb}es")
    } else if verb.ends_with('y') && !verb.ends_with("ay") {
        format!("{}ies", verb.trim_end_matches('y'))
    } else {
        format!("{verb}s")
    };
    let rest = rest.trim_end_matches(" (deprecated)").replace(" or decline ", " or declines ");
    let rest = rest.replace("or update ", "or updates ");
    format!("{ending} {rest}").trim_end().to_owned() + "."
}
