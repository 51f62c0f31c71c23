//! Storage allowances of users (10.14): `daybook user storage`, `allow` and `show`.

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server};
use serde_json::json;

use crate::Case;
use crate::storage_quotas::usage;

pub fn tests() -> Vec<Case> {
    crate::isolated![an_allowance_is_given_and_taken_back, usage_of_users_is_listed]
}

/// Runs `daybook user`; returns its output, or its error message.
fn run(server: &Server, arguments: &[&str]) -> Result<String, String> {
    server.run(&[&["user"], arguments].concat())
}

fn an_allowance_is_given_and_taken_back(engine: Engine) {
    let usual = ["--quota-user-transactions", "1", "--quota-book-bytes", "90000000"];
    let server = Server::with_args(engine, &usual);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let draft =
        || cast.editor.post(&cast.path("/transactions"), &json!({"description": "a draft"})).status;
    let allow = |arguments: &[&str]| {
        run(&server, &[&["allow", "--email", cast.owner.email()], arguments].concat())
    };
    let shown = || {
        let storage = cast.owner.get("/v5/user").ok()["storage"].clone();
        let limits = ["maxTransactions", "maxBytes", "maxTransactionsOfBook", "maxBytesOfBook"];
        limits.map(|limit| storage[limit].as_i64())
    };
    let bytes = Some(90_000_000);
    assert_eq!(shown(), [Some(1), None, None, bytes]);
    assert_eq!([draft(), draft()], [200, 413]);
    // Every process applies it at once.
    allow(&["--transactions", "3", "--book-bytes", "0"]).expect("it is done");
    assert_eq!(shown(), [Some(3), None, None, None]);
    assert_eq!([draft(), draft(), draft()], [200, 200, 413]);
    allow(&["--transactions", "0", "--book-transactions", "4"]).expect("it is done");
    assert_eq!(shown(), [None, None, Some(4), None], "what is not named stays");
    assert_eq!([draft(), draft()], [200, 413]);
    let report = run(&server, &["show", "--email", cast.owner.email()]).expect("a user");
    for line in [
        "Transactions stored: 4".to_owned(),
        format!("Bytes stored: {}", usage(&cast.owner).1),
        "Allowance: transactions=0,book-transactions=4,book-bytes=0".to_owned(),
    ] {
        assert!(report.lines().any(|found| found == line), "{line} in {report}");
    }
    let cleared = ["--transactions", "usual", "--book-transactions", "usual", "--book-bytes"];
    let printed = allow(&[&cleared[..], &["usual"]].concat()).expect("it is done");
    assert!(printed.starts_with(&format!("{}\t", cast.owner.email())), "{printed}");
    assert_eq!(shown(), [Some(1), None, None, bytes]);
    assert_eq!(draft(), 413);
    let other = cast.editor.post("/v5/books", &json!({"name": "Own"})).ok();
    let own = format!("/v5/books/{}/transactions", other["id"].as_str().expect("an id"));
    let tries = [1, 2].map(|_| cast.editor.post(&own, &json!({"description": "x"})).status);
    assert_eq!(tries, [200, 413], "an allowance is one user's");
    for wrong in [&[][..], &["--bytes", "-1"], &["--bytes", "many"], &["--bytes", "1.5"]] {
        allow(wrong).expect_err("refused");
    }
    run(&server, &["allow", "--email", "nobody@example.org", "--bytes", "1"]).expect_err("nobody");
}

fn usage_of_users_is_listed(engine: Engine) {
    let server = Server::with_args(engine, &[]);
    let (small, large) = (Cast::new(&server), Cast::with_accounts(&server, &CASH_AND_FOOD));
    let second = large.owner.post("/v5/books", &json!({"name": "Gone"})).ok();
    let second = second["id"].as_str().expect("an id").to_owned();
    large.owner.delete(&format!("/v5/books/{second}")).ok();
    let email = large.owner.email();
    run(&server, &["allow", "--email", email, "--bytes", "77000000"]).expect("it is done");
    let listed = run(&server, &["storage"]).expect("a list");
    let of = |cast: &Cast, allowance: &str| {
        let (transactions, bytes) = usage(&cast.owner);
        format!("{bytes}\t{transactions}\t{allowance}\t{}", cast.owner.email())
    };
    let expected = [of(&large, "bytes=77000000"), of(&small, "usual")];
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected, "the largest first");
    let books = run(&server, &["storage", "--email", email]).expect("a list");
    let lines: Vec<Vec<&str>> = books.lines().map(|line| line.split('\t').collect()).collect();
    let rest: Vec<[&str; 2]> = lines.iter().map(|line| [line[2], line[3]]).collect();
    assert_eq!(rest, [["present", large.book.as_str()], ["deleted", second.as_str()]]);
    assert_eq!(lines[1][4], "Gone");
    let sum: i64 = lines.iter().map(|line| line[0].parse::<i64>().expect("bytes")).sum();
    assert_eq!(sum, usage(&large.owner).1);
    run(&server, &["storage", "--email", "nobody@example.org"]).expect_err("nobody");
}
