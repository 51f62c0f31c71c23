//! Tests of the parser of rules.

use daybook_domain::amount::DecimalSeparator;

use super::*;

fn rules(text: &str) -> Rules {
    parse(text, &|_| None).unwrap_or_else(|problem| panic!("{problem}"))
}

fn problem(text: &str) -> String {
    parse(text, &|_| None).expect_err(text).to_string()
}

#[test]
fn directives_are_parsed() {
    let rules = rules(
        "# comment\n; comment\n* comment\n\nskip 2\nseparator ;\ndecimal-mark: ,\ndate-format \
         %d.%m.%Y\naccount1-currency CHF\nnewest-first\nintra-day-reversed\nencoding cp1252\n\
         fields date, , Amount\n",
    );
    assert_eq!((rules.skip, rules.separator), (2, Some(';')));
    assert_eq!(rules.decimal_mark, Some(DecimalSeparator::Comma));
    assert!(rules.newest_first && rules.intra_day_reversed && rules.date_format.is_some());
    assert_eq!(rules.account_currency.as_deref(), Some("CHF"));
    assert_eq!(rules.encoding.as_deref(), Some("cp1252"));
    assert_eq!(rules.columns, ["date", "", "amount"]);
    let targets: Vec<&Target> = rules.assignments.iter().map(|each| &each.target).collect();
    assert_eq!(targets, [&Target::Date, &Target::Amount(0)]);
    assert_eq!(self::rules("skip\nseparator TAB\n").skip, 1);
    assert_eq!(self::rules("separator tab\n").separator, Some('\t'));
}

#[test]
fn blocks_have_alternatives_of_conjunctions() {
    let rules = rules(
        "if shop\n account2 a\n\nif\none\n& %date 2026\n&& !two\nthree && four\n  account2 \
         b\n\n  skip 2\nif last\n end\nif|account2|comment\nrow && ! x|c|d\n# note\nother|e|\n\n",
    );
    let shape = |block: &Block| -> Vec<usize> { block.alternatives.iter().map(Vec::len).collect() };
    let shapes: Vec<Vec<usize>> = rules.blocks.iter().map(shape).collect();
    assert_eq!(shapes, [vec![1], vec![3, 2], vec![1], vec![2], vec![1]]);
    let controls: Vec<Option<Control>> = rules.blocks.iter().map(|block| block.control).collect();
    assert_eq!(controls, [None, Some(Control::Skip(2)), Some(Control::End), None, None]);
    let lines: Vec<u32> = rules.blocks.iter().map(|block| block.line).collect();
    assert_eq!(lines, [1, 4, 12, 15, 17]);
    assert_eq!(rules.notes.len(), 1, "the empty value");
}

#[test]
fn columns_may_be_named_after_their_use() {
    let rules = rules("comment %note\nfields date, note, amount\n");
    assert_eq!(rules.columns_of(|target| matches!(target, Target::Comment(0))), [1]);
}

#[test]
fn files_are_included_by_name() {
    let resolve = |name: &str| match name {
        "a.rules" => Some("skip 3\ninclude b.rules\n".to_owned()),
        "b.rules" => Some("account1 bank\n".to_owned()),
        "bad.rules" => Some("\nnonsense\n".to_owned()),
        "loop.rules" => Some("include loop.rules\ninclude loop.rules\n".to_owned()),
        _ => None,
    };
    let rules = parse("include a.rules\nfields date, amount\n", &resolve).unwrap();
    assert_eq!((rules.skip, rules.assignments.len()), (3, 3));
    let problem = |text: &str| parse(text, &resolve).unwrap_err().to_string();
    assert_eq!(problem("include bad.rules"), "bad.rules, line 2: unknown rule \"nonsense\"");
    assert_eq!(
        problem("include c.rules"),
        "line 1: the rules file \"c.rules\" does not exist in this book"
    );
    assert_eq!(
        problem("include loop.rules"),
        "loop.rules, line 1: files are included more than 8 deep"
    );
}

#[test]
fn sources_are_noted_and_commands_are_refused() {
    let rules = rules("source ./bank*.csv\narchive\ntimezone Asia/Tokyo\nbalance-type ==\n");
    let notes: Vec<String> = rules.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 4);
    assert_eq!(notes[0], "line 1: the rule has no effect: \"source ./bank*.csv\"");
    for command in ["source x.csv | sort", "source | make-csv"] {
        assert_eq!(problem(command), "line 1: a source with a command is not accepted");
    }
}

#[test]
fn invalid_rules_are_refused_with_their_line() {
    for (text, expected) in [
        ("\nfoo bar\n", "line 2: unknown rule \"foo bar\""),
        ("skip x", "line 1: invalid number \"x\""),
        ("separator ab", "line 1: invalid separator \"ab\": expected one character, TAB or SPACE"),
        ("decimal-mark '", "line 1: invalid decimal mark \"'\": expected . or ,"),
        ("date-format %K", "line 1: invalid date format: %K is not known"),
        ("date-format", "line 1: the rule needs a value"),
        ("fields date", "line 1: the fields list needs at least two fields"),
        ("if\n account2 x\n", "line 1: the \"if\" has no matcher"),
        ("if x\naccount2 y\n", "line 1: the \"if\" has no assignment"),
        ("if x\n  nope y\n", "line 2: unknown rule \"nope y\""),
        ("if,account2\nx,y,z\n", "line 2: the table row has 2 values for 1 fields"),
        ("if,nope\nx,y\n", "line 2: unknown field \"nope\""),
        ("property a", "line 1: the rule needs a value"),
    ] {
        assert_eq!(problem(text), expected, "{text:?}");
    }
    assert!(problem("if (\n account2 x\n").starts_with("line 1: invalid regular expression \"(\""));
    let many = "if x\n account2 y\n".repeat(2_001);
    assert_eq!(problem(&many), "line 4001: the rules have more than 2000 matchers");
    let many = "comment x\n".repeat(5_001);
    assert_eq!(problem(&many), "line 5001: the rules have more than 5000 assignments");
    let long = format!("# {}\n", "x".repeat(MAX_RULES_BYTES));
    assert_eq!(problem(&long), "line 1: the rules have more than 1048576 bytes");
}

#[test]
fn included_files_are_named() {
    let text = "\u{feff}include a.rules\nfields date\n# include b\ninclude:  c d \n";
    assert_eq!(included_names(text).collect::<Vec<_>>(), ["a.rules", "c d"]);
}
