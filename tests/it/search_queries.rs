//! Random books and random queries about them, from seeds.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::transaction::Changes;
use daybook_tests::rng::Dice;

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

/// Words of descriptions: most of them everywhere, the later ones rarer.
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

fn pick<'w>(dice: &mut Dice, words: &[&'w str]) -> &'w str {
    words[usize::try_from(dice.below(words.len() as u64)).expect("a small number")]
}

fn text(dice: &mut Dice) -> String {
    let mut words: Vec<String> =
        (0..1 + dice.below(5)).map(|_| pick(dice, &WORDS).to_owned()).collect();
    if dice.below(4) == 0 {
        words.push(format!("no{}", dice.below(100_000)));
    }
    if dice.below(400) == 0 {
        words.push(pick(dice, &RARE).to_owned());
    }
    if dice.below(150) == 0 {
        words.push(long(dice));
    }
    words.join(if dice.below(20) == 0 { "  " } else { " " })
}

/// More characters than are indexed (1.7.3), few of their trigrams alike, and perhaps a rare word
/// at the end.
fn long(dice: &mut Dice) -> String {
    let mut text: String = (0..260)
        .filter_map(|_| char::from_u32(0x4e00 + u32::try_from(dice.below(20_000)).ok()?))
        .collect();
    if dice.below(3) == 0 {
        text.push_str(pick(dice, &RARE));
    }
    text
}

/// A transaction of any kind, complete or not.
pub fn transaction(dice: &mut Dice, number: usize) -> Changes {
    let names: Vec<&str> = ACCOUNTS[..6].iter().map(|(name, ..)| *name).collect();
    let credit = pick(dice, &names);
    let others: Vec<&str> = names.iter().filter(|name| **name != credit).copied().collect();
    let debit = if number.is_multiple_of(997) { "Rarely used" } else { pick(dice, &others) };
    let some = |dice: &mut Dice, text: String| {
        if dice.below(12) == 0 { Field::Keep } else { Field::Set(text) }
    };
    let (year, month, day) = (2023 + dice.below(3), 1 + dice.below(12), 1 + dice.below(28));
    let amount = if dice.below(300) == 0 {
        LARGEST.to_owned()
    } else {
        format!("{}.{:02}", dice.below(300), dice.below(4) * 25)
    };
    let mut properties = BTreeMap::new();
    if dice.below(6) == 0 {
        properties.insert(
            "invoice_no".to_owned(),
            Some(pick(dice, &["A-1", "a-2", "Ünïted", "100%"]).to_owned()),
        );
    }
    if dice.below(9) == 0 {
        properties.insert("paid".to_owned(), Some("Yes it is".to_owned()));
    }
    Changes {
        date: some(dice, format!("{year}-{month:02}-{day:02}")),
        amount: some(dice, amount),
        description: Field::Set(text(dice)),
        credit: if dice.below(15) == 0 { Field::Keep } else { side(credit) },
        debit: if dice.below(15) == 0 { Field::Keep } else { side(debit) },
        checked: dice.below(4) == 0,
        draft: dice.below(8) == 0,
        urls: (dice.below(10) == 0).then(|| vec!["https://example.com".to_owned()]),
        remote_ids: (dice.below(5) == 0)
            .then(|| vec![format!("R{number}"), format!("it's {number}")]),
        properties,
        ..Changes::default()
    }
}

/// A changed text.
pub fn retold(dice: &mut Dice) -> Field<String> {
    Field::Set(format!("{} retold {}", text(dice), pick(dice, &RARE)))
}

/// A query as a list of pieces, each of which can be taken away.
pub fn query(dice: &mut Dice) -> Vec<String> {
    let mut pieces = Vec::new();
    conjunction(dice, &mut pieces, 0);
    pieces
}

fn conjunction(dice: &mut Dice, pieces: &mut Vec<String>, depth: u64) {
    for index in 0..1 + dice.below(3) {
        if index > 0 && dice.below(4) == 0 {
            pieces.push(if dice.below(3) == 0 { "AND" } else { "OR" }.to_owned());
        }
        if dice.below(6) == 0 {
            pieces.push("NOT".to_owned());
        }
        let minus = if dice.below(8) == 0 { "-" } else { "" };
        if depth < 3 && dice.below(5) == 0 {
            pieces.push(format!("{minus}("));
            conjunction(dice, pieces, depth + 1);
            pieces.push(")".to_owned());
        } else {
            pieces.push(format!("{minus}{}", term(dice)));
        }
    }
}

/// A value, quoted when it must be and sometimes when it need not.
fn value(dice: &mut Dice, text: &str) -> String {
    let quote = if dice.below(2) == 0 { '\'' } else { '"' };
    if text.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\' | ')'))
        || dice.below(4) == 0
    {
        let escaped = text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        return format!("{quote}{escaped}{quote}");
    }
    text.to_owned()
}

fn term(dice: &mut Dice) -> String {
    let account = |dice: &mut Dice| {
        let name = pick(
            dice,
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
        value(dice, name)
    };
    match dice.below(24) {
        0 | 1 => format!("{}:{}", pick(dice, &["account", "acc", "ACCOUNT"]), account(dice)),
        2 => format!("from:{}", account(dice)),
        3 => format!("to:{}", account(dice)),
        4 => {
            let name = pick(dice, &["Assets", "liquid", "Costs", "Nothing in it", "Nowhere"]);
            format!("group:{}", value(dice, name))
        }
        5..=7 => dated(dice),
        8 => format!(
            "is:{}",
            pick(dice, &["draft", "unchecked", "checked", "posted", "trashed", "nonsense"])
        ),
        9 => "is:trashed".to_owned(),
        10 | 11 => {
            let sign = pick(dice, &["=", ">", ">=", "<", "<=", ":", ":>=", ":<"]);
            // 2^63 units of two decimals and more; the last leave the range of decimals, too.
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
            let number = pick(dice, &numbers);
            format!("amount{sign}{number}")
        }
        12 | 13 => pick(dice, &["#food", "#FUEL", "#größe", "#a_b", "#nothing", "#a-b"]).to_owned(),
        14 => {
            let id = format!("R{}", dice.below(5000));
            let wanted = pick(dice, &[&id, "it's 15", "r1"]).to_owned();
            format!("remoteId:{}", value(dice, &wanted))
        }
        15 => {
            let wanted = pick(dice, &["A-1", "a-1", "*", "ünïted", "100%", "nothing"]);
            format!("Invoice-No:{}", value(dice, wanted))
        }
        16 => pick(dice, &["paid:*", "paid:'yes IT is'", "posted:*", "invoice_no:*"]).to_owned(),
        17 => pick(
            dice,
            &["has:url", "has:file", "error:true", "error:false", "agent:bot", "agent:nobody"],
        )
        .to_owned(),
        18 => {
            format!("type:{}", pick(dice, &["ASSET", "liability", "INCOMING", "OUTGOING", "CASH"]))
        }
        19 => pick(
            dice,
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
        20 | 21 => phrase(dice),
        _ => word(dice),
    }
}

fn dated(dice: &mut Dice) -> String {
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
    format!(
        "{}:{}",
        pick(dice, &["on", "after", "before", "period", "after"]),
        pick(dice, &literals)
    )
}

/// Part of a word as it might be typed: another case, without its diacritics, cut short.
fn word(dice: &mut Dice) -> String {
    let whole = if dice.below(6) == 0 { pick(dice, &RARE) } else { pick(dice, &WORDS) };
    if dice.below(8) == 0 {
        return format!("no{}", dice.below(100_000));
    }
    let chars: Vec<char> = whole.chars().collect();
    let from = usize::try_from(dice.below(2)).expect("a small number").min(chars.len() - 1);
    let upto = chars.len()
        - usize::try_from(dice.below(2)).expect("a small number").min(chars.len() - from - 1);
    let part: String = chars[from..upto].iter().collect();
    match dice.below(4) {
        0 => part.to_uppercase(),
        1 => part.to_lowercase(),
        2 => daybook_domain::name::fold(&part),
        _ => part,
    }
}

fn phrase(dice: &mut Dice) -> String {
    let words = format!("{} {}", pick(dice, &WORDS), pick(dice, &WORDS));
    let cut: String = words.chars().take(9).collect();
    let whole = dice.below(2) == 0;
    value(dice, if whole { &words } else { &cut })
}
