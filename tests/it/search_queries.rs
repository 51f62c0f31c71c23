//! Random books and random queries, from seeds.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::transaction::Changes;
use daybook_tests::rng::Rng;

use crate::inside::side;

pub const GROUPS: [(&str, &str); 4] =
    [("Assets", ""), ("Líquid", "Assets"), ("Costs", ""), ("Nothing in it", "")];

pub const ACCOUNTS: [(&str, AccountType, &[&str]); 7] = [
    ("Cash", AccountType::Asset, &["Líquid"]),
    ("Bank of Ação", AccountType::Asset, &["Assets"]),
    ("Credit Card", AccountType::Liability, &[]),
    ("Salary", AccountType::Incoming, &[]),
    ("Food", AccountType::Outgoing, &["Costs"]),
    ("Rent", AccountType::Outgoing, &["Costs", "Líquid"]),
    ("Rarely used", AccountType::Outgoing, &[]),
];

/// Words of descriptions: most of them frequent, the later ones rarer.
const WORDS: [&str; 31] = [
    "payment",
    "lunch",
    "of",
    "the",
    "Café",
    "AÇÃO",
    "naïve",
    "Straße",
    "100%",
    "a_b",
    "it's",
    "\"quoted\"",
    "back\\slash",
    "10:30",
    "http://x.y/z",
    "(so",
    "so)",
    "-minus",
    "日本語",
    "Чай",
    "чаи",
    "कर",
    "कार",
    "ΟΔΟΣ",
    "🙂🙂🙂",
    "#food",
    "#Fuel",
    "#größe",
    "#a_b",
    "NOT",
    "OR",
];
const RARE: [&str; 6] = ["zyzzyva", "Ærøskøbing", "%%%", "___", "qwx", "\\\\\\"];

/// The largest amount a book with two decimals stores (3.12.5).
const LARGEST: &str = "92233720368547758.07";

fn pick<'w>(rng: &mut Rng, words: &[&'w str]) -> &'w str {
    words[usize::try_from(rng.below(words.len() as u64)).expect("a small number")]
}

fn text(rng: &mut Rng) -> String {
    let mut words: Vec<String> =
        (0..1 + rng.below(5)).map(|_| pick(rng, &WORDS).to_owned()).collect();
    if rng.below(4) == 0 {
        words.push(format!("no{}", rng.below(100_000)));
    }
    if rng.below(400) == 0 {
        words.push(pick(rng, &RARE).to_owned());
    }
    if rng.below(150) == 0 {
        words.push(long(rng));
    }
    words.join(if rng.below(20) == 0 { "  " } else { " " })
}

/// A text longer than the index covers (1.7.3), with few equal trigrams, and perhaps a rare word at
/// the end.
fn long(rng: &mut Rng) -> String {
    let mut text: String = (0..260)
        .filter_map(|_| char::from_u32(0x4e00 + u32::try_from(rng.below(20_000)).ok()?))
        .collect();
    if rng.below(3) == 0 {
        text.push_str(pick(rng, &RARE));
    }
    text
}

/// A transaction of any kind, complete or not.
pub fn transaction(rng: &mut Rng, number: usize) -> Changes {
    let names: Vec<&str> = ACCOUNTS[..6].iter().map(|(name, ..)| *name).collect();
    let credit = pick(rng, &names);
    let others: Vec<&str> = names.iter().filter(|name| **name != credit).copied().collect();
    let debit = if number.is_multiple_of(997) { "Rarely used" } else { pick(rng, &others) };
    let some = |rng: &mut Rng, text: String| {
        if rng.below(12) == 0 { Field::Keep } else { Field::Set(text) }
    };
    let (year, month, day) = (2023 + rng.below(3), 1 + rng.below(12), 1 + rng.below(28));
    let amount = if rng.below(300) == 0 {
        LARGEST.to_owned()
    } else {
        format!("{}.{:02}", rng.below(300), rng.below(4) * 25)
    };
    let mut properties = BTreeMap::new();
    if rng.below(6) == 0 {
        properties.insert(
            "invoice_no".to_owned(),
            Some(pick(rng, &["A-1", "a-2", "Ünïted", "100%"]).to_owned()),
        );
    }
    if rng.below(9) == 0 {
        properties.insert("paid".to_owned(), Some("Yes it is".to_owned()));
    }
    Changes {
        date: some(rng, format!("{year}-{month:02}-{day:02}")),
        amount: some(rng, amount),
        description: Field::Set(text(rng)),
        credit: if rng.below(15) == 0 { Field::Keep } else { side(credit) },
        debit: if rng.below(15) == 0 { Field::Keep } else { side(debit) },
        checked: rng.below(4) == 0,
        draft: rng.below(8) == 0,
        urls: (rng.below(10) == 0).then(|| vec!["https://example.com".to_owned()]),
        remote_ids: (rng.below(5) == 0)
            .then(|| vec![format!("R{number}"), format!("it's {number}")]),
        properties,
        ..Changes::default()
    }
}

/// A changed text.
pub fn retold(rng: &mut Rng) -> Field<String> {
    Field::Set(format!("{} retold {}", text(rng), pick(rng, &RARE)))
}

/// A query as a list of parts, each of which can be removed.
pub fn query(rng: &mut Rng) -> Vec<String> {
    let mut pieces = Vec::new();
    conjunction(rng, &mut pieces, 0);
    pieces
}

fn conjunction(rng: &mut Rng, pieces: &mut Vec<String>, depth: u64) {
    for index in 0..1 + rng.below(3) {
        if index > 0 && rng.below(4) == 0 {
            pieces.push(if rng.below(3) == 0 { "AND" } else { "OR" }.to_owned());
        }
        if rng.below(6) == 0 {
            pieces.push("NOT".to_owned());
        }
        let minus = if rng.below(8) == 0 { "-" } else { "" };
        if depth < 3 && rng.below(5) == 0 {
            pieces.push(format!("{minus}("));
            conjunction(rng, pieces, depth + 1);
            pieces.push(")".to_owned());
        } else {
            pieces.push(format!("{minus}{}", term(rng)));
        }
    }
}

/// A value, quoted when necessary and sometimes otherwise.
fn value(rng: &mut Rng, text: &str) -> String {
    let quote = if rng.below(2) == 0 { '\'' } else { '"' };
    if text.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\' | ')'))
        || rng.below(4) == 0
    {
        let escaped = text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        return format!("{quote}{escaped}{quote}");
    }
    text.to_owned()
}

fn term(rng: &mut Rng) -> String {
    let account = |rng: &mut Rng| {
        let name = pick(
            rng,
            &[
                "Cash",
                "cash",
                "bank of acao",
                "Credit Card",
                "Food",
                "RENT",
                "Salary",
                "Rarely used",
                "Nobody",
            ],
        );
        value(rng, name)
    };
    match rng.below(24) {
        0 | 1 => format!("{}:{}", pick(rng, &["account", "acc", "ACCOUNT"]), account(rng)),
        2 => format!("from:{}", account(rng)),
        3 => format!("to:{}", account(rng)),
        4 => {
            let name = pick(rng, &["Assets", "liquid", "Costs", "Nothing in it", "Nowhere"]);
            format!("group:{}", value(rng, name))
        }
        5..=7 => dated(rng),
        8 => format!(
            "is:{}",
            pick(rng, &["draft", "unchecked", "checked", "posted", "trashed", "nonsense"])
        ),
        9 => "is:trashed".to_owned(),
        10 | 11 => {
            let sign = pick(rng, &["=", ">", ">=", "<", "<=", ":", ":>=", ":<"]);
            // 2^63 units of two decimals and more; the last ones are out of the range of decimals.
            let numbers = [
                "0",
                "100",
                "100.25",
                "99.999",
                "1,000",
                "250.5",
                "1e9",
                LARGEST,
                "92233720368547758.08",
                "-92233720368547758.09",
                "99999999999999999999",
                "99999999999999999999999999",
            ];
            let number = pick(rng, &numbers);
            format!("amount{sign}{number}")
        }
        12 | 13 => pick(rng, &["#food", "#FUEL", "#größe", "#a_b", "#nothing", "#a-b"]).to_owned(),
        14 => {
            let id = format!("R{}", rng.below(5000));
            let expected = pick(rng, &[&id, "it's 15", "r1"]).to_owned();
            format!("remoteId:{}", value(rng, &expected))
        }
        15 => {
            let expected = pick(rng, &["A-1", "a-1", "*", "ünïted", "100%", "nothing"]);
            format!("Invoice-No:{}", value(rng, expected))
        }
        16 => pick(rng, &["paid:*", "paid:'yes IT is'", "posted:*", "invoice_no:*"]).to_owned(),
        17 => pick(
            rng,
            &[
                "has:url",
                "has:file",
                "has:comment",
                "error:true",
                "error:false",
                "agent:bot",
                "agent:nobody",
            ],
        )
        .to_owned(),
        18 => {
            format!("type:{}", pick(rng, &["ASSET", "liability", "INCOMING", "OUTGOING", "CASH"]))
        }
        19 => pick(
            rng,
            &[
                "using:postDate",
                "using:force",
                "by:d",
                "by:q",
                "by:nobody",
                "invalid:syntax:query::",
                "on:",
                "nul\0",
                "account:Ca\0sh",
                "'unclosed",
            ],
        )
        .to_owned(),
        20 | 21 => phrase(rng),
        _ => word(rng),
    }
}

fn dated(rng: &mut Rng) -> String {
    let literals = [
        "2024",
        "2024-05",
        "2024-02-29",
        "31/12/2024",
        "01/2025",
        "mar/2024",
        "$m-20",
        "$y-1",
        "$d-500",
        "$q-5",
        "$w-60",
        "15/$m-18",
        "yesterday",
        "2025-02-30",
        "9999-12-31",
    ];
    format!("{}:{}", pick(rng, &["on", "after", "before", "period", "after"]), pick(rng, &literals))
}

/// A part of a word in another case, without diacritics, or truncated.
fn word(rng: &mut Rng) -> String {
    let whole = if rng.below(6) == 0 { pick(rng, &RARE) } else { pick(rng, &WORDS) };
    if rng.below(8) == 0 {
        return format!("no{}", rng.below(100_000));
    }
    let chars: Vec<char> = whole.chars().collect();
    let from = usize::try_from(rng.below(2)).expect("a small number").min(chars.len() - 1);
    let upto = chars.len()
        - usize::try_from(rng.below(2)).expect("a small number").min(chars.len() - from - 1);
    let part: String = chars[from..upto].iter().collect();
    match rng.below(4) {
        0 => part.to_uppercase(),
        1 => part.to_lowercase(),
        2 => daybook_domain::name::fold(&part),
        _ => part,
    }
}

fn phrase(rng: &mut Rng) -> String {
    let words = format!("{} {}", pick(rng, &WORDS), pick(rng, &WORDS));
    let cut: String = words.chars().take(9).collect();
    let whole = rng.below(2) == 0;
    value(rng, if whole { &words } else { &cut })
}
