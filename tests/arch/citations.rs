//! Citations of the rules of behaviour: every cited rule exists, and each number is one rule.
//!
//! `docs/behaviour.md` and the pages in `docs/api` are one reference. A page defines a rule by a
//! line that starts with its number, by a heading (`## 10. Errors`, `### 3.12 Amounts`), or by an
//! item of the numbered list below a rule: item 8 below 3.8.2 is 3.8.2.8. A list of numbers is
//! written `3.4, 3.5`, `3.4 and 3.5` or `3.4 - 3.6`; of a range, both ends are checked. A citation
//! has one of these forms:
//!
//! - The word behaviour and a list: `behaviour 3.4, 3.5`, or a section: `behaviour 10`. Names of
//!   functions write it with underscores: `amounts_of_behaviour_3_12`.
//! - Names of cases that begin with their rule: `rule_3_4_the_words`.
//! - A list in parentheses, perhaps with words behind it: `(3.4, 3.5)`, `(3.4: the words)`.
//! - In Rust, a list that opens a line of a comment (`3.4: the words`, or just `3.4.`) or a string
//!   (`3.4: the words`).
//! - On the pages themselves, any number with a dot. Amounts and versions stand in backticks there.
//!
//! Of Rust, the comments and the string literals are read; of other files, every line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::process::Command;

use super::prose::{Kind, Passage, newlines, passages};
use super::tree::{behaviour, none, root};

const PAGE: &str = "docs/behaviour.md";

/// The folder of the pages that `PAGE` lists.
const PAGES: &str = "docs/api/";

/// Files with numbers that are not citations: amounts of test data and versions of packages.
const UNREAD: [&str; 6] = [".csv", ".gz", ".html", ".lock", "Cargo.toml", "requirements.txt"];

/// The minimum number of citations of each form, so that a broken parser does not pass.
const FEWEST: [(Form, usize); 5] = [
    (Form::Word, 300),
    (Form::Parentheses, 100),
    (Form::Opening, 300),
    (Form::Case, 100),
    (Form::Page, 100),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Word,
    Parentheses,
    Opening,
    Case,
    Page,
}

/// A cited number and its line.
#[derive(Debug, PartialEq, Eq)]
struct Citation {
    form: Form,
    number: String,
    line: usize,
}

#[test]
fn cited_rules_exist() {
    let rules = defined(&behaviour()).unwrap_or_else(|twice| panic!("defined twice: {twice:?}"));
    assert_sees_wrong_numbers(&rules);
    let mut counts: BTreeMap<Form, usize> = BTreeMap::new();
    let mut missing = Vec::new();
    for path in tracked() {
        // A deleted file may not be committed as such yet.
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        for citation in citations(&path, &text) {
            *counts.entry(citation.form).or_default() += 1;
            if !rules.contains(&citation.number) {
                missing.push(format!("{path}:{}: {}", citation.line, citation.number));
            }
        }
    }
    none(&missing, "A rule that is cited exists");
    for (form, fewest) in FEWEST {
        let found = counts.get(&form).copied().unwrap_or_default();
        assert!(found >= fewest, "{form:?}: only {found} citations are found");
    }
}

fn tracked() -> Vec<String> {
    let places = ["crates", "tests", "migrations", "openapi", "docs", "*.md"];
    let run = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
        .args(places)
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(run.status.success(), "git ls-files: {}", String::from_utf8_lossy(&run.stderr));
    let listed = String::from_utf8(run.stdout).expect("file names are UTF-8");
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    paths.filter(|path| !UNREAD.iter().any(|end| path.ends_with(end))).map(str::to_owned).collect()
}

/// Each form with an unknown number must be found and must not be a rule.
fn assert_sees_wrong_numbers(rules: &BTreeSet<String>) {
    // Split, because this file is checked too.
    let wrong = ["19", ".1"].concat();
    let samples = [
        (Form::Word, "a.rs", format!("// The rule of behaviour 3.4,\n// {wrong} decides.")),
        (Form::Word, "a.rs", format!("fn of_behaviour_{}() {{}}", wrong.replace('.', "_"))),
        (Form::Case, "a.rs", format!("fn rule_{}_words() {{}}", wrong.replace('.', "_"))),
        (Form::Word, "a.md", format!("(see `{PAGE}`, {wrong})")),
        (Form::Parentheses, "a.rs", format!("f(\"words (0.4 -\\\n {wrong})\");")),
        (Form::Parentheses, "a.json", format!("\"description\": \"Words (3.4 and {wrong}).\"")),
        (Form::Opening, "a.rs", format!("/// Words.\n/// 3.4, {wrong}: words.\nfn f() {{}}")),
        (Form::Opening, "a.rs", format!("/// {wrong}.\nfn f() {{}}")),
        (Form::Opening, "a.rs", format!("panic!(r#\"{wrong}: words\"#)")),
        (Form::Page, PAGE, format!("3.4 The words of {wrong}.")),
    ];
    assert!(!rules.contains(&wrong), "a number that no rule has");
    for (form, path, text) in samples {
        let found = citations(path, &text);
        let seen = found.iter().any(|citation| citation.form == form && citation.number == wrong);
        assert!(seen, "{form:?} is not found in {text:?}: {found:?}");
    }
    let none = [
        format!("let amounts = ({wrong}, '\"', \"{wrong}\");"),
        format!("/// HTTP/{wrong} (RFC 9110, {wrong})\nfn f() {{}}"),
        format!("bind(\"{wrong}.0.1:80\")"),
    ];
    for text in none {
        assert_eq!(citations("a.rs", &text), [], "{text:?} cites nothing");
    }
}

/// The numbers that the page defines, or the ones defined twice.
fn defined(page: &str) -> Result<BTreeSet<String>, Vec<String>> {
    let (mut rules, mut twice) = (BTreeSet::new(), Vec::new());
    let mut rule = "";
    for line in page.lines() {
        let heading = line.trim_start_matches('#');
        let Some(opening) = defines(heading.trim_start()) else { continue };
        let number = match opening.strip_suffix('.') {
            Some(section) if heading != line => section.to_owned(),
            Some(item) => format!("{rule}.{item}"),
            None => {
                rule = opening;
                rule.to_owned()
            }
        };
        if !rules.insert(number.clone()) {
            twice.push(number);
        }
    }
    if twice.is_empty() { Ok(rules) } else { Err(twice) }
}

/// The number at the start of a line: `3.4.2` of a rule, `8.` of an item or section.
fn defines(line: &str) -> Option<&str> {
    let (first, _) = line.split_once(' ')?;
    let digits = first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (digits && first.contains('.') && first.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(first)
}

fn citations(path: &str, text: &str) -> Vec<Citation> {
    if path == PAGE || path.starts_with(PAGES) {
        return on_the_page(text);
    }
    let mut found = Vec::new();
    if path.ends_with(".rs") {
        in_names(text, &mut found);
        for passage in passages(text) {
            passage.citations(&mut found);
        }
    } else {
        let passage = Passage { line: 1, text: text.to_owned(), kind: Kind::Document };
        passage.citations(&mut found);
    }
    found
}

fn on_the_page(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('#').trim_start();
        let own = defines(line).map_or(0, str::len);
        // Every second piece is in backticks.
        for piece in line[own..].split('`').step_by(2) {
            let words = piece.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '/');
            let numbers = words.filter_map(|word| {
                let word = word.trim_end_matches('.');
                number(word).filter(|found| found.len() == word.len() && found.contains('.'))
            });
            found.extend(numbers.map(|number| Citation {
                form: Form::Page,
                number: number.to_owned(),
                line: index + 1,
            }));
        }
    }
    found
}

/// Citations in names of functions and cases: `amounts_of_behaviour_3_12`, `rule_3_12_amounts`.
fn in_names(text: &str, found: &mut Vec<Citation>) {
    for (form, marker) in [(Form::Word, "behaviour_"), (Form::Case, "rule_")] {
        for (start, word) in text.match_indices(marker) {
            let rest = &text[start + word.len()..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len());
            let number = rest[..end].trim_end_matches('_').replace('_', ".");
            if !number.is_empty() {
                let line = 1 + newlines(&text[..start]);
                found.push(Citation { form, number, line });
            }
        }
    }
}

impl Passage {
    fn citations(&self, found: &mut Vec<Citation>) {
        let text = &self.text;
        for (start, word) in text.match_indices("ehaviour") {
            let rest = &text[start + word.len()..];
            let rest = rest.strip_prefix(".md").unwrap_or(rest);
            let rest = rest.strip_prefix('`').unwrap_or(rest);
            let rest = rest.strip_prefix(',').unwrap_or(rest);
            if rest.starts_with(char::is_whitespace) {
                let at = text.len() - rest.trim_start().len();
                self.add(Form::Word, list(text, at, true), found);
            }
        }
        for (start, _) in text.match_indices('(') {
            let list = list(text, start + 1, false);
            let ends = [')', ':', ',', ';'];
            if list.last().is_some_and(|last| text[last.end..].starts_with(ends)) {
                self.add(Form::Parentheses, list, found);
            }
        }
        for start in self.lines() {
            let at = text.len() - text[start..].trim_start_matches(' ').len();
            let list = list(text, at, false);
            if list.last().is_some_and(|last| self.opens(&text[last.end..])) {
                self.add(Form::Opening, list, found);
            }
        }
    }

    /// The offsets of the lines that a citation may start.
    fn lines(&self) -> Vec<usize> {
        let others = self.text.match_indices('\n').map(|(at, _)| at + 1);
        match self.kind {
            Kind::Comment => std::iter::once(0).chain(others).collect(),
            Kind::Literal => vec![0],
            Kind::Document => Vec::new(),
        }
    }

    /// Whether a list at the start of a line is a citation, by the text after it.
    fn opens(&self, rest: &str) -> bool {
        let end = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\n']);
        // A colon without a space belongs to a port.
        rest.strip_prefix(':').is_some_and(end)
            || self.kind == Kind::Comment && rest.strip_prefix('.').is_some_and(end)
    }

    fn add(&self, form: Form, list: Vec<Range<usize>>, found: &mut Vec<Citation>) {
        found.extend(list.into_iter().map(|place| Citation {
            form,
            line: self.line + newlines(&self.text[..place.start]),
            number: self.text[place].to_owned(),
        }));
    }
}

/// The ranges of the numbers of the list that starts here. Numbers without a dot count if
/// `sections`.
fn list(text: &str, start: usize, sections: bool) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut rest = &text[start..];
    while let Some(number) = number(rest).filter(|number| sections || number.contains('.')) {
        let at = text.len() - rest.len();
        places.push(at..at + number.len());
        rest = rest[number.len()..].trim_start();
        rest = rest.strip_prefix([',', '-']).unwrap_or(rest).trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
    places
}

/// The number at the start of a text, with or without dots: `3.4.2`.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let rest = &text[number.len()..];
    let whole = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '/'));
    (whole && !number.is_empty() && number.split('.').all(|part| !part.is_empty()))
        .then_some(number)
}
