//! Large responses are compressed for clients that accept it (0.39).

use std::process::Command;

use daybook_tests::{CASH_AND_FOOD, Cast, Server};
use serde_json::{Value, json};

use crate::reading::{batch, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_0_39_large_answers_are_compressed]
}

/// A response read by curl, which decompresses it.
struct Response {
    body: Value,
    encoding: String,
    vary: String,
    /// Bytes on the wire.
    size: usize,
    content_length: String,
}

fn curl(server: &Server, token: &str, path: &str, accepted: Option<&str>) -> Response {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--fail", "--compressed"]);
    command.args(["--header", &format!("Authorization: Bearer {token}")]);
    command.args(["--header", &format!("Accept-Encoding:{}", accepted.unwrap_or_default())]);
    let format = "\n%header{content-encoding}\n%header{vary}\n%{size_download}\n\
                  %header{content-length}";
    command.args(["--write-out", format]);
    let output =
        command.arg(format!("http://{}{path}", server.address())).output().expect("curl runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = text.lines();
    let mut line = || lines.next().unwrap_or_default().to_owned();
    Response {
        body: serde_json::from_str(&line()).expect("JSON"),
        encoding: line(),
        vary: line(),
        size: line().parse().expect("a size"),
        content_length: line(),
    }
}

fn rule_0_39_large_answers_are_compressed(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let lunch = |at: usize| {
        json!({"date": "2026-01-15", "amount": "1.00", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": format!("Lunch {at} é")})
    };
    cast.post("/transactions/batch", &batch((0..900).map(lunch))).ok();
    let path = cast.path("/transactions?limit=900");
    let whole = cast.owner.get(&path).ok();
    assert_eq!(items(&whole).len(), 900);
    let token = cast.owner.token().expect("a token").to_owned();
    let plain = curl(server, &token, &path, None);
    assert!(plain.body == whole, "the same response");
    assert_eq!(plain.encoding, "", "no Accept-Encoding, no compression");
    assert!(plain.size > 300_000, "more than one chunk: {}", plain.size);
    assert_eq!(plain.content_length, plain.size.to_string(), "uncompressed bodies have a length");
    let gzipped = curl(server, &token, &path, Some("gzip, deflate"));
    assert!(gzipped.body == whole, "the same response");
    assert_eq!(gzipped.encoding, "gzip");
    assert!(gzipped.vary.to_lowercase().contains("accept-encoding"), "0.39: {}", gzipped.vary);
    assert!(gzipped.size < plain.size / 5, "{} of {} bytes", gzipped.size, plain.size);
    let small = curl(server, &token, &cast.path(""), Some("gzip"));
    assert_eq!(small.body["id"], cast.book.as_str());
    assert_eq!(small.encoding, "", "small responses are not compressed");
}
