//! `dbk api`: any request of the API.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use crate::failure::{Failure, Result};
use crate::session::Session;

/// The options of `dbk api`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: dbk api POST /v5/books/{book}/accounts -f name=Rent -f type=OUTGOING"
)]
pub(crate) struct ApiArgs {
    /// Method, such as GET
    method: String,
    /// Path, such as /v5/books/{book}/accounts; `{book}` is the book in use
    path: String,
    /// A field of the JSON body; repeatable
    #[arg(short, long = "field", value_name = "NAME=VALUE", conflicts_with = "input")]
    field: Vec<String>,
    /// File with the body; `-` reads the standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Key under which a repetition is executed only once
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

/// Sends a request, and prints the response as it is.
///
/// # Errors
/// When the input cannot be read, or the server refuses.
pub(crate) async fn run(session: &Session, args: ApiArgs) -> Result {
    let body = match &args.input {
        Some(path) if path.as_os_str() == "-" => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().read_to_end(&mut bytes);
            read.map_err(|error| Failure::io("the input cannot be read", &error))?;
            Some(bytes)
        }
        Some(path) => {
            Some(std::fs::read(path).map_err(|error| Failure::io(path.display(), &error))?)
        }
        None if args.field.is_empty() => None,
        None => Some(fields(&args.field)?.to_string().into_bytes()),
    };
    let mut path = args.path;
    if path.contains("{book}") {
        path = path.replace("{book}", &session.book().await?.choice.id);
    }
    let method = args.method.to_uppercase();
    let mut request = session.client.raw(&method, &path, body.as_deref())?;
    if let Some(key) = &args.idempotency_key {
        request = request.idempotency_key(key);
    }
    session.output.bytes(&request.into_bytes().await?)?;
    if session.output.format == crate::output::Format::Table {
        session.output.line("")?;
    }
    Ok(())
}

/// Returns an object with the fields. Each value is read as JSON if it is some.
fn fields(fields: &[String]) -> Result<Value> {
    let mut object = Map::new();
    for field in fields {
        let (name, value) = field.split_once('=').ok_or_else(|| {
            Failure::usage(format!("invalid --field {field:?}: expected NAME=VALUE"))
        })?;
        let read = serde_json::from_str(value).ok().filter(|read: &Value| !read.is_number());
        object.insert(name.to_owned(), read.unwrap_or_else(|| Value::String(value.to_owned())));
    }
    Ok(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fields;

    #[test]
    fn amounts_stay_text_and_objects_become_json() {
        let given = ["amount=12.50", "draft=true", "creditAccount={\"name\":\"Cash\"}", "x=a=b"];
        let given = given.map(str::to_owned);
        assert_eq!(
            fields(&given).unwrap(),
            json!({"amount": "12.50", "draft": true, "creditAccount": {"name": "Cash"}, "x": "a=b"})
        );
        assert!(fields(&["name".to_owned()]).is_err());
    }
}
