//! Large answers are compressed for clients that ask for it (0.39).

use std::process::Command;

use daybook_tests::{CASH_AND_FOOD, Cast, Server};
use serde_json::{Value, json};

use crate::reading::{batch, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_0_39_large_answers_are_compressed]
}

/// What curl, which reads compressed answers, makes of one; and the header and the size on the way.
fn curl(server: &Server, token: &str, path: &str, accepted: Option<&str>) -> (Value, Vec<String>) {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--fail", "--compressed"]);
    command.args(["--header", &format!("Authorization: Bearer {token}")]);
    command.args(["--header", &format!("Accept-Encoding:{}", accepted.unwrap_or_default())]);
    let told = ["%header{content-encoding}", "%header{vary}", "%{size_download}"];
    let told = format!("\n{}\n%header{{content-length}}", told.join("\n"));
    command.args(["--write-out", &told]);
    let output =
        command.arg(format!("http://{}{path}", server.address())).output().expect("curl runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut lines = text.lines();
    let body = serde_json::from_str(lines.next().expect("a body")).expect("JSON");
    (body, lines.map(str::to_owned).collect())
}

fn rule_0_39_large_answers_are_compressed(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let lunch = |at: usize| {
        json!({"date": "2026-01-15", "amount": "1.00", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": format!("Lunch {at} é")})
    };
    cast.owner.post(&cast.path("/transactions/batch"), &batch((0..900).map(lunch))).ok();
    let path = cast.path("/transactions?limit=900");
    let whole = cast.owner.get(&path).ok();
    assert_eq!(items(&whole).len(), 900);
    let token = cast.owner.token().expect("a token").to_owned();
    let size = |told: &[String]| told[2].parse::<usize>().expect("a size");
    let (plain, told) = curl(server, &token, &path, None);
    let length = size(&told);
    assert_eq!((plain == whole, told[0].as_str()), (true, ""), "who asks for nothing");
    assert!(length > 300_000, "more than one piece: {length}");
    assert_eq!(told[3], length.to_string(), "the head says the length of what is not compressed");
    let (gzipped, told) = curl(server, &token, &path, Some("gzip, deflate"));
    assert!(gzipped == whole, "the same answer");
    assert_eq!(told[0], "gzip");
    assert!(told[1].to_lowercase().contains("accept-encoding"), "0.39: {told:?}");
    assert!(size(&told) < length / 5, "{told:?} of {length}");
    let (small, told) = curl(server, &token, &cast.path(""), Some("gzip"));
    assert_eq!((small["id"] == cast.book.as_str(), told[0].as_str()), (true, ""), "a small one");
}
