//! The sessions of the manual of `dbk`, run as they stand.
//!
//! A block ` ```console ` has commands after `$ ` (continued after `> `), and below each what it
//! prints on both streams. `[..]` stands for any text in a line, `...` for any lines, and `? 3` at
//! the end for the exit code. All blocks of the page share a directory and a configuration.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{Server, dbk_binary, folder, unique};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![manual_shows_what_commands_print, device_code_signs_in]
}

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

/// A shell command with `dbk` on its path, and a configuration in this directory.
fn shell(server: &Server, directory: &Path, command: &str) -> Command {
    let programs = dbk_binary().parent().expect("a program is in a directory");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(directory)
        .env_clear()
        .env("PATH", path)
        .env("HOME", directory)
        .env("DBK_SERVER", server.base())
        .env("DBK_FORMAT", "table")
        .env("DBK_TODAY", "2026-02-10");
    shell
}

fn manual_shows_what_commands_print(server: &Server) {
    let page = include_str!("../../docs/dbk.md");
    let user = server.client("manual@example.com");
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

    let steps = steps(page);
    assert!(steps.len() > 20, "the sessions are found");
    for step in steps {
        let command = format!("{{ {}\n}} 2>&1", step.command);
        let run = shell(server, directory.path(), &command).output().expect("sh runs");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let expected = step.expected.join("\n");
        let place = format!("docs/dbk.md:{}: {}", step.line, step.command);
        assert!(
            are_lines(&step.expected, &lines),
            "{place}\nexpected:\n{expected}\nprinted:\n{text}"
        );
        assert_eq!(run.status.code(), Some(step.code), "{place}\n{text}");
    }
}

fn device_code_signs_in(server: &Server) {
    let directory = folder("dbk", false);
    let mut login = shell(server, directory.path(), "dbk login")
        .stderr(Stdio::piped())
        .spawn()
        .expect("dbk runs");
    let mut said = BufReader::new(login.stderr.take().expect("an error output")).lines();
    let mut next = || said.next().expect("a line").expect("UTF-8");
    let code = next();
    let code = code.trim_end_matches(':').rsplit(' ').next().expect("a code").to_owned();
    assert!(next().contains(&code), "the page knows the code");

    let email = format!("{}@example.com", unique("dbk"));
    let decision = [("user_code", code.as_str()), ("decision", "allow")];
    is_page(&Browser::signed_in(server, &email).post("/auth/device", &decision), 200);
    assert_eq!(next(), format!("signed in to {} as {email}", server.base()));
    assert!(login.wait().expect("dbk ends").success());

    let out = |command: &str| {
        let run = shell(server, directory.path(), command).output().expect("sh runs");
        (String::from_utf8_lossy(&run.stdout).into_owned(), run.status.code())
    };
    assert!(out("dbk whoami").0.starts_with(&format!("{email} at ")));
    assert_eq!(out("dbk logout").1, Some(0));
    assert_eq!(out("dbk whoami").1, Some(4));
}
