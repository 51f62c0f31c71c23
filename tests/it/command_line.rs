//! The sessions of the pages about `dbk`, run as they stand.
//!
//! A block ` ```console ` has commands after `$ ` (continued after `> `), and below each what it
//! prints on both streams. `[..]` stands for any text in a line, `...` for any lines, and `? 3` at
//! the end for the exit code. All blocks of a page share a directory and a configuration.
//! `target/transcripts` has what the commands of the last run printed.

use std::fs::{create_dir_all, write};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{Engine, Server, binary, dbk_binary, folder, target_dir};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![manual_shows_what_commands_print];
    cases.extend(crate::isolated![readme_and_guide_lead_to_a_reconciled_month]);
    cases
}

/// A page with sessions.
struct Page {
    path: &'static str,
    text: &'static str,
    /// The user who runs the commands.
    email: &'static str,
    /// The width of tables.
    columns: &'static str,
}

const MANUAL: Page = Page {
    path: "docs/dbk.md",
    text: include_str!("../../docs/dbk.md"),
    email: "manual@example.com",
    columns: "80",
};
const README: Page = Page {
    path: "README.md",
    text: include_str!("../../README.md"),
    email: "you@example.com",
    columns: "100",
};
const GUIDE: Page =
    Page { path: "docs/guide.md", text: include_str!("../../docs/guide.md"), ..README };

/// A command of a session.
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
    code: i32,
}

fn steps(page: &str) -> Vec<Step> {
    let (mut steps, mut is_session): (Vec<Step>, bool) = (Vec::new(), false);
    for (line, text) in (1..).zip(page.lines()) {
        if text.starts_with("```") {
            is_session = text == "```console";
            continue;
        }
        if !is_session {
            continue;
        }
        if let Some(command) = text.strip_prefix("$ ") {
            let command = command.to_owned();
            steps.push(Step { line, command, expected: Vec::new(), code: 0 });
            continue;
        }
        let step = steps.last_mut().expect("a session begins with a command");
        match (text.strip_prefix("> "), text.strip_prefix("? ")) {
            (Some(more), _) if step.expected.is_empty() => {
                step.command = format!("{}\n{more}", step.command);
            }
            (_, Some(code)) => step.code = code.parse().expect("an exit code"),
            _ => step.expected.push(text.to_owned()),
        }
    }
    steps
}

/// Whether a line is as expected, where `[..]` stands for any text.
fn is_line(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("[..]");
    let first = parts.next().expect("a split has a part");
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Whether the lines are as expected, where `...` stands for any lines.
fn are_lines(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| are_lines(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| is_line(first, line) && are_lines(rest, lines)),
    }
}

/// The output of a command, and its exit code.
pub struct Run {
    pub text: String,
    pub code: Option<i32>,
}

/// A shell command with `daybook` and `dbk` on its path, and a configuration in this directory.
fn shell(server: &Server, directory: &Path, command: &str) -> Command {
    let programs = [dbk_binary(), binary()].map(|program| {
        program.parent().expect("a program is in a directory").display().to_string()
    });
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(directory)
        .env_clear()
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", programs.join(":")))
        .env("HOME", directory)
        .env("DAYBOOK_DATA_DIR", server.data_dir())
        .env("DAYBOOK_DATABASE_URL", server.database_url())
        .env("DBK_SERVER", server.base())
        .env("DBK_FORMAT", "table")
        .env("DBK_TODAY", "2026-02-10");
    shell
}

/// Runs a command. A sign-in is allowed in the browser of the user.
fn run(server: &Server, directory: &Path, page: &Page, command: &str) -> Run {
    let mut shell = shell(server, directory, &format!("{{ {command}\n}} 2>&1"));
    shell.env("COLUMNS", page.columns).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = shell.spawn().expect("sh runs");
    let mut output = BufReader::new(child.stdout.take().expect("an output"));
    let mut text = String::new();
    if command.starts_with("dbk login") {
        output.read_line(&mut text).expect("UTF-8");
        let code = text.trim_end().trim_end_matches(':').rsplit(' ').next().expect("a code");
        let decision = [("user_code", code), ("decision", "allow")];
        let mut browser = Browser::signed_in(server, page.email);
        is_page(&browser.post("/auth/device", &decision), 200);
    }
    output.read_to_string(&mut text).expect("UTF-8");
    Run { text, code: child.wait().expect("sh ends").code() }
}

/// Runs the sessions of a page, and compares what they print.
fn check_page(server: &Server, directory: &Path, page: &Page) {
    let steps = steps(page.text);
    assert!(!steps.is_empty(), "the sessions of {} are found", page.path);
    let mut transcript = String::new();
    for step in steps {
        let run = run(server, directory, page, &step.command);
        transcript.push_str(&format!("$ {}\n{}", step.command, run.text));
        let lines: Vec<&str> = run.text.lines().map(str::trim_end).collect();
        // Pages have the default address.
        let expected: Vec<String> = step
            .expected
            .iter()
            .map(|line| line.replace("http://127.0.0.1:8080", server.base()))
            .collect();
        let place = format!("{}:{}: {}", page.path, step.line, step.command);
        assert!(
            are_lines(&expected, &lines),
            "{place}\nexpected:\n{}\nprinted:\n{}",
            expected.join("\n"),
            run.text
        );
        assert_eq!(run.code, Some(step.code), "{place}\n{}", run.text);
    }
    let transcripts = target_dir().join("transcripts");
    create_dir_all(&transcripts).expect("a folder");
    write(transcripts.join(page.path.replace('/', "-")), transcript).expect("a file");
}

fn manual_shows_what_commands_print(server: &Server) {
    let user = server.client(MANUAL.email);
    let directory = folder("dbk", false);
    let mut login = shell(server, directory.path(), "dbk login --token -")
        .stdin(Stdio::piped())
        .spawn()
        .expect("dbk runs");
    let mut input = login.stdin.take().expect("an input");
    input.write_all(user.token().expect("a token").as_bytes()).expect("a token is written");
    drop(input);
    assert!(login.wait().expect("dbk ends").success());

    let mode = directory.path().join(".config/dbk/config.json").metadata().expect("a file");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600, "the file has a token");
    check_page(server, directory.path(), &MANUAL);
}

fn readme_and_guide_lead_to_a_reconciled_month(engine: Engine) {
    let server = Server::start(engine);
    let home = folder("dbk", false);
    let directory = home.path();
    // The pages import the examples of the repository.
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    symlink(docs, directory.join("docs")).expect("a link");
    check_page(&server, directory, &README);
    check_page(&server, directory, &GUIDE);

    let whoami = run(&server, directory, &GUIDE, "dbk whoami");
    assert!(whoami.text.starts_with("you@example.com at "), "{}", whoami.text);
    assert_eq!(run(&server, directory, &GUIDE, "dbk logout").code, Some(0));
    assert_eq!(run(&server, directory, &GUIDE, "dbk whoami").code, Some(4));
}
