//! The parser of rules files.

use daybook_domain::amount::DecimalSeparator;

use super::assign::{Assignment, Target};
use super::block::{Block, Control};
use super::date_format::DateFormat;
use super::matcher::Matcher;
use super::model::Rules;
use super::problem::{RuleKind, RuleProblem};
use super::search::{Patterns, Search};
use super::template::Template;
use crate::read::problem::excerpt;

/// The most bytes of rules, included files too.
pub const MAX_RULES_BYTES: usize = 1024 * 1024;

/// The most matchers of a rules file.
const MAX_MATCHERS: usize = 2_000;

/// The most assignments of a rules file.
const MAX_ASSIGNMENTS: usize = 5_000;

/// How deep files may include one another.
const MAX_INCLUDES: usize = 8;

/// Parses a rules file.
///
/// `resolve` returns the content of another rules file by the name that `include` has.
///
/// # Errors
/// The first rule that is not accepted.
pub fn parse(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> Result<Rules, RuleProblem> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    flatten(text, None, resolve, 0, &mut bytes, &mut lines)?;
    let columns = lines.iter().filter_map(|line| keyword(&line.text, "fields")).next_back();
    let mut parser = Parser {
        rules: Rules { columns: columns.map(field_names).unwrap_or_default(), ..Rules::default() },
        matchers: 0,
        assignments: 0,
    };
    let mut rest = lines.as_slice();
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if is_ignored(&line.text) {
            continue;
        }
        let used = parser.rule(line, after)?;
        rest = after.get(used..).unwrap_or_default();
    }
    parser.rules.search = search(&mut parser.rules);
    Ok(parser.rules)
}

/// Compiles the patterns of each column together, and tells the matchers their indices.
fn search(rules: &mut Rules) -> Search {
    let mut patterns = Patterns::new();
    let Rules { blocks, requirements, .. } = rules;
    let of_blocks = blocks.iter_mut().flat_map(|block| block.alternatives.iter_mut().flatten());
    for matcher in of_blocks.chain(requirements) {
        let of_column = patterns.entry(matcher.column()).or_default();
        matcher.set_index(of_column.len());
        of_column.push(matcher.pattern().to_owned());
    }
    Search::new(patterns)
}

/// A line of a rules file or of one that it includes.
struct Line {
    file: Option<String>,
    number: u32,
    text: String,
}

impl Line {
    fn problem(&self, kind: RuleKind) -> RuleProblem {
        RuleProblem { file: self.file.clone(), line: self.number, kind }
    }

    fn is_indented(&self) -> bool {
        self.text.starts_with([' ', '\t']) && !self.text.trim().is_empty()
    }
}

/// Collects the lines with those of included files in their places.
fn flatten(
    text: &str,
    file: Option<&str>,
    resolve: &dyn Fn(&str) -> Option<String>,
    depth: usize,
    bytes: &mut usize,
    lines: &mut Vec<Line>,
) -> Result<(), RuleProblem> {
    *bytes = bytes.saturating_add(text.len());
    for (number, text) in (1_u32..).zip(lines_of(text)) {
        let line = Line { file: file.map(str::to_owned), number, text: text.to_owned() };
        if *bytes > MAX_RULES_BYTES {
            return Err(line.problem(RuleKind::TooLarge(MAX_RULES_BYTES)));
        }
        let Some(name) = keyword(text, "include") else {
            lines.push(line);
            continue;
        };
        if depth >= MAX_INCLUDES {
            return Err(line.problem(RuleKind::TooDeep(MAX_INCLUDES)));
        }
        let Some(included) = resolve(name) else {
            return Err(line.problem(RuleKind::UnknownInclude(excerpt(name))));
        };
        flatten(&included, Some(name), resolve, depth + 1, bytes, lines)?;
    }
    Ok(())
}

/// Returns the names of the files that a text includes directly.
pub fn included_names(text: &str) -> impl Iterator<Item = &str> {
    lines_of(text).filter_map(|line| keyword(line, "include"))
}

/// Returns the lines of a text, which may begin with a byte order mark.
fn lines_of(text: &str) -> std::str::Lines<'_> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
}

/// Whether a line is blank or a comment.
fn is_ignored(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', ';', '*'])
}

/// Returns the value of a rule, if the line is that rule.
fn keyword<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (word, value) = split_word(line);
    (word == name).then_some(value)
}

/// Splits the first word off, and the colon behind it.
fn split_word(line: &str) -> (&str, &str) {
    let at = line.find([':', ' ', '\t']).unwrap_or(line.len());
    let (word, rest) = line.split_at(at);
    let rest = rest.trim_start();
    (word, rest.strip_prefix(':').unwrap_or(rest).trim())
}

fn field_names(list: &str) -> Vec<String> {
    let names = list.split(',').map(|name| name.trim().trim_matches('"').to_ascii_lowercase());
    names.collect()
}

struct Parser {
    rules: Rules,
    matchers: usize,
    assignments: usize,
}

impl Parser {
    /// Parses the rule that begins with this line, and returns how many further lines it has.
    fn rule(&mut self, line: &Line, after: &[Line]) -> Result<usize, RuleProblem> {
        let text = line.text.as_str();
        if let Some(rest) = text.strip_prefix("if") {
            match rest.chars().next() {
                None | Some(' ' | '\t') => return self.block(line, rest, after),
                Some(separator) if !separator.is_alphanumeric() => {
                    return self.table(line, rest, separator, after);
                }
                Some(_) => {}
            }
        }
        let (word, value) = split_word(text);
        let outcome = match word {
            "fields" => self.fields(value, line.number),
            "require" => self.requirement(value),
            _ => self.directive(word, value, line),
        };
        match outcome.map_err(|kind| line.problem(kind))? {
            true => {}
            false => {
                let assignment =
                    self.assignment(text, line.number).map_err(|kind| line.problem(kind))?;
                self.rules.assignments.push(assignment);
            }
        }
        Ok(0)
    }

    fn directive(&mut self, word: &str, value: &str, line: &Line) -> Result<bool, RuleKind> {
        let rules = &mut self.rules;
        match word {
            "skip" => rules.skip = count(value)?,
            "separator" => rules.separator = Some(separator(value)?),
            "header" => {
                let names = value.split(',').map(|name| name.trim().trim_matches('"').to_owned());
                rules.header = Some(names.collect());
            }
            "encoding" => rules.encoding = Some(required(value)?.to_owned()),
            "date-format" => {
                let format = DateFormat::parse(required(value)?);
                rules.date_format = Some(format.map_err(RuleKind::InvalidDateFormat)?);
            }
            "decimal-mark" => {
                rules.decimal_mark = Some(match value {
                    "." => DecimalSeparator::Dot,
                    "," => DecimalSeparator::Comma,
                    _ => return Err(RuleKind::InvalidDecimalMark(excerpt(value))),
                });
            }
            "account1-currency" => rules.account_currency = Some(required(value)?.to_owned()),
            "newest-first" => rules.newest_first = true,
            "intra-day-reversed" => rules.intra_day_reversed = true,
            "source" if value.contains('|') => return Err(RuleKind::Command),
            "source" | "archive" | "timezone" | "balance-type" => {
                let problem = line.problem(RuleKind::NoEffect(excerpt(line.text.trim())));
                rules.notes.push(problem);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses `fields a, b`: names of columns, and an assignment for each that is a target.
    fn fields(&mut self, list: &str, line: u32) -> Result<bool, RuleKind> {
        let names = field_names(list);
        if names.len() < 2 {
            return Err(RuleKind::TooFewFields);
        }
        for (number, name) in (1_usize..).zip(&names) {
            if let Some(target) = Target::from_name(name) {
                let value = Template::parse(&format!("%{number}"), &[]);
                self.rules.assignments.push(Assignment { line, target, value });
            }
        }
        Ok(true)
    }

    fn requirement(&mut self, value: &str) -> Result<bool, RuleKind> {
        let matcher = self.matcher(value)?;
        self.rules.requirements.push(matcher);
        Ok(true)
    }

    fn matcher(&mut self, text: &str) -> Result<Matcher, RuleKind> {
        self.matchers += 1;
        if self.matchers > MAX_MATCHERS {
            return Err(RuleKind::TooManyMatchers(MAX_MATCHERS));
        }
        Matcher::parse(text, &self.rules.columns)
    }

    /// Parses matchers that are joined by `&&` on a line.
    fn conjunction(&mut self, text: &str) -> Result<Vec<Matcher>, RuleKind> {
        text.split(" && ").map(|part| self.matcher(part)).collect()
    }

    fn assignment(&mut self, text: &str, line: u32) -> Result<Assignment, RuleKind> {
        self.assignments += 1;
        if self.assignments > MAX_ASSIGNMENTS {
            return Err(RuleKind::TooManyAssignments(MAX_ASSIGNMENTS));
        }
        let (word, value) = split_word(text);
        if word == "property" {
            let (key, value) = split_word(value);
            if key.is_empty() || value.is_empty() {
                return Err(RuleKind::MissingValue);
            }
            let value = Template::parse(value, &self.rules.columns);
            return Ok(Assignment { line, target: Target::Property(key.to_owned()), value });
        }
        let target =
            Target::from_name(word).ok_or_else(|| RuleKind::UnknownRule(excerpt(text.trim())))?;
        Ok(Assignment { line, target, value: Template::parse(value, &self.rules.columns) })
    }

    /// Parses matchers, one a line, and the indented lines behind them.
    fn block(&mut self, line: &Line, first: &str, after: &[Line]) -> Result<usize, RuleProblem> {
        let mut alternatives: Vec<Vec<Matcher>> = Vec::new();
        let matchers = after.iter().take_while(|line| {
            !line.text.is_empty() && !line.is_indented() && !is_ignored(&line.text)
        });
        let matchers: Vec<&Line> = matchers.collect();
        let first = Some((line, first)).filter(|(_, text)| !text.trim().is_empty());
        let rest = matchers.iter().map(|line| (*line, line.text.as_str()));
        for (line, text) in first.into_iter().chain(rest) {
            let text = text.trim();
            let joined = text.strip_prefix("&&").or_else(|| text.strip_prefix('&'));
            let parsed = self.conjunction(joined.unwrap_or(text));
            let parsed = parsed.map_err(|kind| line.problem(kind))?;
            match alternatives.last_mut() {
                Some(last) if joined.is_some() => last.extend(parsed),
                _ => alternatives.push(parsed),
            }
        }
        if alternatives.is_empty() {
            return Err(line.problem(RuleKind::MissingMatcher));
        }
        let body = after.get(matchers.len()..).unwrap_or_default();
        // A blank or commented line ends the block only if no indented line follows.
        let length =
            body.iter().take_while(|line| line.is_indented() || is_ignored(&line.text)).count();
        let mut block =
            Block { line: line.number, alternatives, assignments: Vec::new(), control: None };
        for line in body.iter().take(length).filter(|line| !is_ignored(&line.text)) {
            self.body_line(line, &mut block).map_err(|kind| line.problem(kind))?;
        }
        if block.assignments.is_empty() && block.control.is_none() {
            return Err(line.problem(RuleKind::MissingAssignment));
        }
        self.rules.blocks.push(block);
        Ok(matchers.len() + length)
    }

    fn body_line(&mut self, line: &Line, block: &mut Block) -> Result<(), RuleKind> {
        let text = line.text.trim();
        let (word, value) = split_word(text);
        match word {
            "skip" => block.control = block.control.or(Some(Control::Skip(count(value)?.max(1)))),
            "end" => block.control = block.control.or(Some(Control::End)),
            _ => block.assignments.push(self.assignment(text, line.number)?),
        }
        Ok(())
    }

    /// Parses the rows of `if,field,field` up to a blank line: a matcher and values each.
    fn table(
        &mut self,
        line: &Line,
        header: &str,
        separator: char,
        after: &[Line],
    ) -> Result<usize, RuleProblem> {
        let names: Vec<&str> = header.split(separator).skip(1).map(str::trim).collect();
        if names.is_empty() {
            return Err(line.problem(RuleKind::MissingAssignment));
        }
        let rows = after.iter().take_while(|line| !line.text.trim().is_empty()).count();
        for row in after.iter().take(rows).filter(|row| !is_ignored(&row.text)) {
            let block = self.table_row(row, &names, separator);
            let block = block.map_err(|kind| row.problem(kind))?;
            self.rules.blocks.push(block);
        }
        Ok(rows)
    }

    fn table_row(
        &mut self,
        row: &Line,
        names: &[&str],
        separator: char,
    ) -> Result<Block, RuleKind> {
        let mut cells = row.text.split(separator);
        let matchers = self.conjunction(cells.next().unwrap_or_default())?;
        let values: Vec<&str> = cells.map(str::trim).collect();
        if values.len() != names.len() {
            return Err(RuleKind::TableRow { found: values.len(), expected: names.len() });
        }
        let mut block = Block {
            line: row.number,
            alternatives: vec![matchers],
            assignments: Vec::new(),
            control: None,
        };
        for (name, value) in names.iter().zip(values) {
            match *name {
                "skip" | "end" if value.is_empty() => {}
                "skip" => block.control = Some(Control::Skip(count(value)?.max(1))),
                "end" => block.control = Some(Control::End),
                _ => {
                    let target = Target::from_name(name)
                        .ok_or_else(|| RuleKind::UnknownField(excerpt(name)))?;
                    if value.is_empty() {
                        self.rules.notes.push(row.problem(RuleKind::EmptyTableValue));
                    }
                    let value = Template::parse(value, &self.rules.columns);
                    block.assignments.push(Assignment { line: row.number, target, value });
                }
            }
        }
        Ok(block)
    }
}

fn required(value: &str) -> Result<&str, RuleKind> {
    if value.is_empty() { Err(RuleKind::MissingValue) } else { Ok(value) }
}

/// Parses the number of `skip`; none is 1.
fn count(value: &str) -> Result<usize, RuleKind> {
    if value.is_empty() {
        return Ok(1);
    }
    value.parse().map_err(|_| RuleKind::InvalidNumber(excerpt(value)))
}

fn separator(value: &str) -> Result<char, RuleKind> {
    let invalid = || RuleKind::InvalidSeparator(excerpt(value));
    let mut characters = value.chars();
    match value.to_ascii_lowercase().as_str() {
        "tab" | r"\t" => Ok('\t'),
        "space" => Ok(' '),
        _ => match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_alphanumeric() && c != '"' => Ok(c),
            _ => Err(invalid()),
        },
    }
}
