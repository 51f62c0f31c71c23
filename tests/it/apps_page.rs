//! Runs the commands and the bot of `docs/apps.md` as written, with other ports.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use daybook_tests::{Engine, Server, free_port, run_for, setting};
use serde_json::Value;

use crate::Case;
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::isolated![commands_of_the_page_run_a_working_bot]
}

const PAGE: &str = include_str!("../../docs/apps.md");

/// Returns the code blocks of the page in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let opened = PAGE.split("\n```").skip(1).step_by(2);
    let of_language = opened.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'));
    of_language.collect()
}

#[track_caller]
fn only_block(language: &str) -> &'static str {
    let [block] = blocks(language)[..] else { panic!("one block of {language}") };
    block
}

/// Returns what the page requires and this machine lacks.
fn missing() -> Option<&'static str> {
    let succeeds = |program: &str, arguments: &[&str]| {
        let run = Command::new(program).args(arguments).output();
        run.is_ok_and(|run| run.status.success())
    };
    let python = "import sys; sys.exit(sys.version_info < (3, 9))";
    let curl = "curl --help all | grep -q -e --json";
    if !succeeds("python3", &["-c", python]) {
        Some("Python 3.9 or later")
    } else if !succeeds("sh", &["-c", curl]) {
        Some("curl 7.82 or later")
    } else {
        None
    }
}

/// Creates `target/quick/daybook` of the page: the tested program on the data of the server.
fn install_program(server: &Server, home: &Path) {
    let command = server.admin(&["token"]);
    let quoted = |text: &std::ffi::OsStr| format!("'{}'", text.display());
    let options: Vec<String> = command.get_args().skip(1).map(quoted).collect();
    let program = quoted(command.get_program());
    let path = home.join("target/quick/daybook");
    fs::create_dir_all(home.join("target/quick")).expect("a folder");
    let script = format!("#!/bin/sh\nexec {program} \"$@\" {}\n", options.join(" "));
    fs::write(&path, script).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
}

fn commands_of_the_page_run_a_working_bot(engine: Engine) {
    if let Some(what) = missing() {
        assert!(setting("CI").is_none(), "missing, for the commands of docs/apps.md: {what}");
        eprintln!("apps_page is left out; missing: {what}");
        return;
    }
    let server = Server::start(engine);
    let home = server.data_dir().parent().expect("a folder").join("page");
    install_program(&server, &home);
    let port = free_port().to_string();
    let here = |text: &str| {
        assert!(!text.contains("8080") || text.contains("127.0.0.1:8080"), "{text}");
        // Replace the port of the bot first: the port of the server may contain its digits.
        text.replace("9000", &port).replace("127.0.0.1:8080", &server.address().to_string())
    };
    fs::write(home.join("app.json"), here(only_block("json"))).expect("a file");
    fs::write(home.join("bot.py"), here(only_block("python"))).expect("a file");
    let commands = here(&blocks("sh").join("\n"));
    // Stop the bot when the script ends.
    let script = format!("trap '[ -z \"$!\" ] || kill \"$!\"' EXIT\n{commands}\necho $BOOK\n");
    fs::write(home.join("commands.sh"), script).expect("a file");
    let path = setting("PATH").expect("a search path");
    let mut shell = Command::new("timeout");
    shell.args(["180", "sh", "-eu", "commands.sh"]).current_dir(&home);
    shell.env_clear().env("PATH", path);
    let run = run_for(&mut shell, Duration::from_secs(240)).expect("the commands come to an end");
    let output = String::from_utf8(run.stdout).expect("UTF-8");
    let failed = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{output}\n{failed}");
    assert!(!output.contains("\"error\":"), "a command of the page is refused: {output}");
    assert!(output.contains("recorded 12.00 of tax"), "the event says what the bot did: {output}");
    let mut last = output.lines().rev();
    let (book, refused) = (last.next().expect("the book"), last.next().expect("a status"));
    assert!(refused.ends_with("401"), "a request without the signature is refused: {output}");
    let owner = server.client("you@example.com");
    let list = |what: &str| owner.get(&format!("/v5/books/{book}/{what}")).ok();
    let recorded = list("transactions");
    let recorded: Vec<[&Value; 3]> = items(&recorded)
        .iter()
        .map(|row| [&row["description"], &row["amount"], &row["agentId"]])
        .collect();
    assert_eq!(recorded.len(), 2, "the bot does not react to its own transaction: {recorded:?}");
    let of_bot = recorded.iter().find(|row| row[2] == "tax-bot").expect("what the bot recorded");
    assert_eq!(of_bot[..2], ["Tax on Bicycle #tax", "12.00"]);
    let events = list("events?type=TRANSACTION_POSTED");
    let responses: Vec<&Value> = items(&events)
        .iter()
        .flat_map(|event| event["botResponses"].as_array())
        .flatten()
        .collect();
    assert_eq!(responses.len(), 1, "8.7: {responses:?}");
    assert_eq!(responses[0]["type"], "INFO");
}
