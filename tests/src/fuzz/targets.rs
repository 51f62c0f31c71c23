//! The fuzz targets and their properties: no panic, and every parsed value is valid.

use std::fmt::Debug;

use daybook_domain::amount::{self, DecimalSeparator, Precision};
use daybook_domain::app::AppId;
use daybook_domain::calendar::{DatePattern, format_iso, parse_iso};
use daybook_domain::delivery::{MAX_MESSAGE, Receiver, ResponseKind, read_response};
use daybook_domain::email::Email;
use daybook_domain::event::EventType;
use daybook_domain::grant::{GrantScope, RedirectUri, UserCode};
use daybook_domain::id::AccountId;
use daybook_domain::json::{Json, Object};
use daybook_domain::name::{fold, normalized};
use daybook_domain::query::{BalanceQuery, Filter, ParseContext, Query};
use daybook_domain::transaction::quick_entry::{Lexicon, QuickEntryReader};
use daybook_domain::transaction::tags;
use serde_json::{Map, Value};

use super::{corpus, exported_books, statements};

/// A parser under test.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name of the target.
    pub name: &'static str,
    /// The corpus of its inputs.
    pub corpus: &'static [&'static str],
    /// Parses an input and checks the result.
    pub check: fn(&str) -> Result<(), String>,
}

/// All targets.
pub fn all() -> [Target; 27] {
    [
        Target { name: "query", corpus: corpus::QUERY, check: query },
        Target { name: "amount", corpus: corpus::AMOUNT, check: amount },
        Target { name: "day", corpus: corpus::DAY, check: day },
        Target { name: "text", corpus: corpus::TEXT, check: text },
        Target { name: "name", corpus: corpus::NAME, check: name },
        Target { name: "email", corpus: corpus::EMAIL, check: email },
        Target { name: "json", corpus: corpus::NAME, check: json },
        Target { name: "app answer", corpus: corpus::ANSWER, check: app_answer },
        Target { name: "file pattern", corpus: corpus::FILE_PATTERN, check: file_pattern },
        Target { name: "redirect address", corpus: corpus::REDIRECT, check: redirect },
        Target { name: "scope", corpus: corpus::SCOPE, check: scope },
        Target { name: "user code", corpus: corpus::USER_CODE, check: user_code },
        Target { name: "csv", corpus: statements::CSV, check: statements::statement },
        Target { name: "rules", corpus: statements::RULES, check: statements::csv_with_rules },
        Target { name: "ofx", corpus: statements::OFX, check: statements::statement },
        Target { name: "qif", corpus: statements::QIF, check: statements::statement },
        Target { name: "camt", corpus: statements::CAMT, check: statements::statement },
        Target { name: "mt940", corpus: statements::MT940, check: statements::statement },
        Target { name: "journal", corpus: statements::JOURNAL, check: statements::journal },
        Target { name: "xlsx", corpus: statements::SHEET, check: statements::xlsx },
        Target { name: "ods", corpus: statements::TABLE, check: statements::ods },
        Target { name: "html", corpus: statements::PAGE, check: statements::statement },
        Target {
            name: "beancount",
            corpus: exported_books::BEANCOUNT,
            check: exported_books::beancount,
        },
        Target { name: "gnucash", corpus: exported_books::GNUCASH, check: exported_books::gnucash },
        Target {
            name: "json lines",
            corpus: exported_books::JSON_LINES,
            check: exported_books::json_lines,
        },
        Target { name: "xls", corpus: exported_books::CHANGES, check: exported_books::xls },
        Target { name: "archive", corpus: exported_books::CHANGES, check: exported_books::archive },
    ]
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, expected {expected:?}"))
    }
}

fn holds(what: &str, holds: bool) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

const SEPARATORS: [DecimalSeparator; 2] = [DecimalSeparator::Dot, DecimalSeparator::Comma];

fn readings() -> impl Iterator<Item = ParseContext> {
    let today = parse_iso("2025-05-20").expect("a day");
    DatePattern::ALL.into_iter().flat_map(move |pattern| {
        SEPARATORS.map(|separator| ParseContext { today, pattern, separator })
    })
}

/// Any text is a query (1.1.10); a range is a query of the same days (5.9).
fn query(input: &str) -> Result<(), String> {
    for reading in readings() {
        let query = Query::parse(input, &reading);
        holds("1.1.10: a conjunction", matches!(query.filter(), Filter::All(_)))?;
        let mut terms = 0;
        query.filter().each_term(&mut |_| terms += 1);
        // One implicit term excludes the trash (1.2.2).
        holds("a term takes a character", terms <= input.chars().count() + 1)?;
        let _ = query.single_account();
        let balance = BalanceQuery::parse(input, &reading);
        same("5.1: balances refuse a blank query", &balance.is_none(), &input.trim().is_empty())?;
        let understood = |query: &BalanceQuery| query.check_understood().is_ok();
        holds(
            "1.1.13: what cannot be read is warned of",
            balance.iter().all(|query| !query.unreadable || !understood(query)),
        )?;
        let Some(balance) = balance.filter(|balance| !balance.range.is_empty()) else { continue };
        let Some(again) = BalanceQuery::parse(&balance.range, &reading) else {
            return Err(format!("{:?} is blank", balance.range));
        };
        same(
            "5.9: the days of the range",
            &(again.from, again.until),
            &(balance.from, balance.until),
        )?;
    }
    Ok(())
}

/// A recorded amount parses back to itself and is in range (3.12).
fn amount(input: &str) -> Result<(), String> {
    for separator in SEPARATORS {
        for (fraction_digits, scale) in [(0, 0), (2, 2), (2, 8), (8, 8)] {
            let precision = Precision { fraction_digits, scale, separator };
            let Ok(Some(reading)) = amount::read(input, separator) else { continue };
            let Ok(recorded) = reading.round(precision) else { continue };
            holds(
                "3.12.5: it can be stored",
                recorded.units(scale).is_some_and(|units| units > 0),
            )?;
            let written = amount::write(recorded.value(), fraction_digits);
            let again = amount::read(&written, separator).ok().flatten();
            let again = again.and_then(|reading| reading.round(precision).ok());
            same(&format!("3.12.6: {written} read back"), &again, &Some(recorded))?;
        }
    }
    Ok(())
}

/// A date is formatted as it was parsed (3.2.4); a date term accepts any text (1.3).
fn day(input: &str) -> Result<(), String> {
    if let Some(day) = parse_iso(input) {
        same("3.2.4: the day written", &format_iso(day).as_str(), &input)?;
    }
    for operator in ["on:", "after:", "before:", "by:d on:"] {
        query(&format!("{operator}{input}"))?;
        query(&format!("{operator}'{input}'"))?;
    }
    Ok(())
}

/// Parsed fields are valid, and the rest of the text keeps its order (3.8).
fn text(input: &str) -> Result<(), String> {
    let accounts = [
        "Cash",
        "Credit Card",
        "Táxi",
        "Food",
        "Food Court",
        "Owner's Equity",
        "10",
        "a a a b",
        "a",
    ];
    let names =
        Lexicon::new(accounts.into_iter().zip(1..).map(|(name, id)| (AccountId::new(id), name)));
    for reading in readings() {
        let precision = Precision { fraction_digits: 2, scale: 2, separator: reading.separator };
        let reader = QuickEntryReader {
            names: &names,
            pattern: reading.pattern,
            precision,
            today: reading.today,
            repeats: true,
        };
        let found = reader.read(input);
        holds(
            "3.8.2.1: the amount can be stored",
            found.amount.is_none_or(|amount| amount.units(2).is_some_and(|units| units > 0)),
        )?;
        holds(
            "3.2.8: two accounts",
            found.debit.is_none() || (found.credit.is_some() && found.credit != found.debit),
        )?;
        holds(
            "3.8.2.8: later and later",
            found
                .date
                .into_iter()
                .chain(found.repeats.iter().copied())
                .is_sorted_by(|one, two| one < two),
        )?;
        holds("3.8.2.6: in the text", found.urls.iter().all(|url| input.contains(url.as_str())))?;
        let mut rest = input.chars();
        let kept = found
            .description
            .chars()
            .filter(|c| !c.is_whitespace())
            .all(|c| rest.any(|other| other == c));
        holds("3.8.2.4: the rest was there", kept)?;
        let tags = tags::of(input);
        holds(
            "3.8.2.5: no tag from nowhere",
            tags::of(&found.description).iter().all(|tag| tags.contains(tag)),
        )?;
    }
    Ok(())
}

/// Folding is idempotent (4.3).
fn name(input: &str) -> Result<(), String> {
    let once = normalized(input);
    same("4.3: normalized twice", &normalized(&once), &once)?;
    let folded = fold(input);
    same("1.2.4: folded twice", &fold(&folded), &folded)
}

/// An address has one normalized form of visible characters (7.9).
fn email(input: &str) -> Result<(), String> {
    let Ok(email) = Email::parse(input) else { return Ok(()) };
    same("7.9: parsed twice", &Email::parse(email.as_str()), &Ok(email.clone()))?;
    holds("7.9: the domain as the DNS has it", email.domain().is_ascii())?;
    let hidden = |c: char| c.is_control() || c.is_whitespace() || c.is_uppercase();
    holds("7.9: visible and lower case", !email.as_str().contains(hidden))?;
    holds("7.9: no longer than what is stored", email.as_str().len() <= 254)
}

/// The most severe response of an app is recorded, as far as it can be stored; an empty one is not
/// (8.7).
fn app_answer(input: &str) -> Result<(), String> {
    let kept: String = input.chars().filter(|c| *c != '\0').collect();
    let says = !kept.trim().is_empty();
    let cut: String = kept.chars().take(MAX_MESSAGE).collect();
    let lines = input.split('\n').map(Json::text).collect();
    let object = Json::Object(Object::new().with(input, Json::text(input)));
    let values = [(Json::text(input), says), (Json::List(lines), says), (object, true)];
    let kinds = [
        ("error", ResponseKind::Error),
        ("warning", ResponseKind::Warning),
        ("result", ResponseKind::Info),
    ];
    for (value, says) in values {
        let is_text = !matches!(value, Json::Object(_));
        let mut answer = Object::new();
        // From the least to the most severe: each one precedes those before.
        for (key, kind) in kinds.into_iter().rev() {
            answer = answer.with(key, value.clone());
            let Some(remark) = read_response(&answer, &[]) else {
                holds("8.7: what says something is recorded", !says)?;
                continue;
            };
            holds("8.7: what says nothing is absent", says)?;
            same("8.7: error beats warning, which beats result", &remark.kind, &kind)?;
            holds(
                "8.7: no longer than what is kept",
                remark.message.chars().count() <= MAX_MESSAGE,
            )?;
            holds("8.7: no NUL", !remark.message.contains('\0'))?;
            holds("8.7: as it was said", !is_text || remark.message == cut)?;
        }
    }
    Ok(())
}

/// A pattern parses or matches only itself, and one without wildcards is a name (8.11).
fn file_pattern(input: &str) -> Result<(), String> {
    let patterns: Vec<String> = input.split('\n').map(str::to_owned).collect();
    let receiver = Receiver {
        app: AppId::stored("app".to_owned()),
        events: vec![EventType::FileCreated],
        file_patterns: patterns.clone(),
        own_events: true,
    };
    let receives = |name: &str| receiver.receives(EventType::FileCreated, Some(name), None);
    for pattern in &patterns {
        let plain = !pattern.contains(['*', '?', '[']);
        holds("8.11: a name without signs is meant", !plain || receives(pattern))?;
    }
    for name in ["", "receipt.pdf", "Statement 2025-01.CSV", "\u{130}.\u{df}", input] {
        let all = patterns.iter().any(|pattern| pattern == "*");
        holds("8.11: a star is every name", !all || receives(name))?;
    }
    Ok(())
}

/// The server parses a redirect URI as browsers do, and rejects URIs that only share a prefix
/// (11.16).
fn redirect(input: &str) -> Result<(), String> {
    let Ok(uri) = RedirectUri::parse(input) else { return Ok(()) };
    holds("11.16: its own address", uri.matches(input))?;
    let odd = |c: char| !c.is_ascii_graphic() || c == '#' || c == '\\';
    holds("RFC 6749, 3.1.2: absolute, without a fragment", !input.contains(odd))?;
    for rest in ["x", "/..", "@evil.example/", ".evil.example/", ":80@evil.example/", "?a", "#"] {
        holds("11.16: letter by letter", !uri.matches(&format!("{input}{rest}")))?;
    }
    for start in ["http://127.0.0.1", "http://localhost"] {
        let Some(rest) = input.strip_prefix(start) else { continue };
        let port = format!("{start}:51234{rest}");
        let free = !rest.starts_with(':');
        holds("11.16: the port is free, unless one was registered", uri.matches(&port) == free)?;
    }
    Ok(())
}

/// Parsed scopes include the e-mail and parse back to the same scopes (11.17).
fn scope(input: &str) -> Result<(), String> {
    const ALIAS: &str = "https://id.example/userinfo.email";
    for alias in [None, Some(ALIAS)] {
        let Ok(scope) = GrantScope::read(Some(input), alias) else { continue };
        holds(
            "11.17: it holds the address",
            scope.has("email") || scope.has(alias.unwrap_or("email")),
        )?;
        let written = scope.to_string();
        same("read again", &GrantScope::read(Some(&written), alias), &Ok(scope.clone()))?;
        holds("what is stored covers it", GrantScope::stored(&written).covers(&scope))?;
    }
    Ok(())
}

/// A parsed user code is one that could have been issued (11.19).
fn user_code(input: &str) -> Result<(), String> {
    let Some(code) = UserCode::read(input) else { return Ok(()) };
    let letters = |c: char| "BCDFGHJKLMNPQRSTVWXZ".contains(c);
    holds("11.19: eight letters", code.as_str().len() == 8 && code.as_str().chars().all(letters))?;
    let shown = code.to_string();
    same("11.19: as it is shown", &UserCode::read(&shown), &Some(code.clone()))?;
    same("11.19: in any case", &UserCode::read(&shown.to_lowercase()), &Some(code))
}

/// Canonical JSON has the same value and is a fixed point (8.15, RFC 8785).
fn json(input: &str) -> Result<(), String> {
    let mut object = Object::new();
    let mut expected = Map::new();
    for (number, piece) in (0_i64..).zip(input.split(' ')) {
        let (json, value) = match number % 4 {
            0 => (Json::text(piece), Value::from(piece)),
            1 => (Json::Number(number - 2), Value::from(number - 2)),
            2 => (Json::Bool(piece.is_empty()), Value::from(piece.is_empty())),
            _ => {
                let inner = Object::new()
                    .with(piece, Json::text(input))
                    .with_texts("list", &[piece.to_owned()]);
                let mut map = Map::from_iter([(piece.to_owned(), Value::from(input))]);
                map.insert("list".to_owned(), Value::from(vec![piece]));
                (Json::List(vec![Json::Object(inner)]), Value::from(vec![Value::Object(map)]))
            }
        };
        object = object.with(piece, json);
        expected.insert(piece.to_owned(), value);
    }
    let text = Json::Object(object).canonical();
    let back: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    same("the same value", &back, &Value::Object(expected))?;
    same("RFC 8785: written the same way again", &canonical(&back), &text)
}

/// RFC 8785 implemented independently: serde's string writer, sorted by UTF-16 code units.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Object(map) => {
            let mut pairs: Vec<(Vec<u16>, String)> = map
                .iter()
                .map(|(key, value)| {
                    (
                        key.encode_utf16().collect(),
                        format!("{}:{}", Value::from(key.as_str()), canonical(value)),
                    )
                })
                .collect();
            pairs.sort();
            format!("{{{}}}", pairs.into_iter().map(|(_, pair)| pair).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
