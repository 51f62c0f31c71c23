//! Each row of the tables in `docs/import-journals.md` is a case: its example becomes what it says.
//!
//! A cell has lines in code spans, separated by `<br>`. The second cell is a journal; elements of
//! GnuCash are put into a book. The third cell has the transactions, problems and kept files of the
//! plan, and those groups, accounts and books that the row is about.

use std::path::Path;

use daybook_domain::calendar::format_iso;
use daybook_interchange::plan::{Book, KeptFile, Options, Plan, Transaction, kept_files, plan};
use daybook_interchange::read::read_journal;

#[test]
fn examples_become_what_the_table_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import-journals.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut rows = 0;
    let mut failures = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ") && line.matches('`').count() > 2)
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [name, example, expected, ..] = cells.as_slice() else { panic!("{line}") };
        let (example, expected) = (spans(example), spans(expected));
        let found = record(&example);
        let is_optional = |line: &&String| {
            ["account ", "group ", "book "].iter().any(|start| line.starts_with(start))
        };
        let required: Vec<&String> = found.iter().filter(|line| !is_optional(line)).collect();
        let stated: Vec<&String> = expected.iter().filter(|line| !is_optional(line)).collect();
        let are_there = expected.iter().filter(is_optional).all(|line| found.contains(line));
        if required != stated || !are_there {
            failures.push(format!("{name}\n{}", found.join("\n")));
        }
        rows += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(rows >= 40, "{rows} rows are too few to be all");
}

/// Returns the texts in code spans.
fn spans(cell: &str) -> Vec<String> {
    let spans = cell.trim().split("<br>").filter(|span| !span.is_empty());
    spans
        .map(|span| {
            let inner = span.strip_prefix('`').and_then(|span| span.strip_suffix('`'));
            inner.unwrap_or_else(|| panic!("no code span: {span}")).replace("\\|", "|")
        })
        .collect()
}

/// Shows what is recorded of an example.
fn record(example: &[String]) -> Vec<String> {
    let mut text = example.join("\n");
    text.push('\n');
    if text.starts_with('<') {
        text = book_of_gnucash(&text);
    }
    let journal = match read_journal(text.as_bytes()) {
        Ok((_, journal)) => journal,
        Err(problem) => return vec![format!("error: {problem}")],
    };
    let options = Options { source: "doc", ..Options::default() };
    let several = Options { book_per_commodity: true, ..options.clone() };
    let (mut shown, files) = (Vec::new(), kept_files(&journal));
    match plan(journal.clone(), &options) {
        Ok(plan) => show(&plan, &files, &mut shown),
        Err(problems) => {
            shown.extend(problems.iter().map(|problem| format!("error: {problem}")));
            show(&plan(journal, &several).expect("several books"), &files, &mut shown);
        }
    }
    shown
}

fn show(plan: &Plan, files: &[KeptFile], shown: &mut Vec<String>) {
    let has_several = plan.books.len() > 1;
    for book in &plan.books {
        let virtual_mark = if book.is_virtual { " virtual" } else { "" };
        let prefix =
            if has_several { format!("{}{virtual_mark}: ", book.commodity) } else { String::new() };
        shown.push(format!("book {} with {} decimals", book.name, book.fraction_digits));
        for group in &book.groups {
            let parent = group.parent.as_ref().map(|parent| format!(" in {parent}"));
            let properties = properties(group.properties.iter());
            shown.push(format!("group {}{}{properties}", group.name, parent.unwrap_or_default()));
        }
        for account in &book.accounts {
            let groups = account.groups.iter().map(|group| format!(" in {group}"));
            let archived = if account.is_archived { " archived" } else { "" };
            shown.push(format!(
                "account {} {}{}{archived}{}",
                account.name,
                account.kind.as_str(),
                groups.collect::<String>(),
                properties(account.properties.iter())
            ));
        }
        let transactions = book.transactions.iter();
        shown.extend(transactions.map(|each| format!("{prefix}{}", show_one(book, each))));
    }
    for file in files {
        shown.extend(file.content.lines().map(|line| format!("{}: {line}", file.name)));
    }
    shown.extend(plan.refused.iter().map(|problem| format!("refused: {problem}")));
    shown.extend(plan.warnings.iter().map(|problem| format!("warning: {problem}")));
}

fn show_one(book: &Book, transaction: &Transaction) -> String {
    let mut text = format_iso(transaction.date);
    if let (Some(amount), Some(credit), Some(debit)) =
        (transaction.amount, &transaction.credit, &transaction.debit)
    {
        let amount = daybook_domain::amount::write(amount.value(), book.fraction_digits);
        text.push_str(&format!(" {amount} {credit} -> {debit}"));
    }
    text.push_str(if transaction.is_draft() { " draft" } else { "" });
    text.push_str(if transaction.is_checked { " checked" } else { "" });
    text.push_str(if transaction.is_closing { " closing" } else { "" });
    for hashtag in &transaction.hashtags {
        text.push_str(&format!(" #{hashtag}"));
    }
    // The same in all rows: they are tested elsewhere.
    let hidden = ["entry_id", "postings"];
    let shown = transaction.properties.iter().filter(|(key, _)| !hidden.contains(&key.as_str()));
    text + &properties(shown)
}

fn properties<'p>(properties: impl Iterator<Item = (&'p String, &'p String)>) -> String {
    // A table has no line breaks.
    let pair = |(key, value): (&String, &String)| format!("{key}={}", value.replace('\n', " / "));
    let pairs: Vec<String> = properties.map(pair).collect();
    if pairs.is_empty() { String::new() } else { format!(" {{{}}}", pairs.join(", ")) }
}

/// Puts elements into a book: of the transaction, of its first split, or of the account of it.
fn book_of_gnucash(elements: &str) -> String {
    let of = |prefix: &str| {
        let lines = elements.lines().filter(|line| line.starts_with(prefix));
        lines.collect::<Vec<&str>>().join("\n")
    };
    let account = |id: &str, name: &str, kind: &str, more: &str| {
        format!(
            "<gnc:account><act:name>{name}</act:name><act:id>{id}</act:id><act:type>{kind}\
             </act:type><act:commodity><cmdty:space>CURRENCY</cmdty:space><cmdty:id>EUR</cmdty:id>\
             </act:commodity>{more}</gnc:account>"
        )
    };
    let split = |account: &str, value: &str, more: &str| {
        format!(
            "<trn:split><split:value>{value}/100</split:value><split:quantity>{value}/100\
             </split:quantity><split:account>{account}</split:account>{more}</trn:split>"
        )
    };
    format!(
        "<gnc-v2><gnc:book>{}{}<gnc:transaction><trn:currency><cmdty:space>CURRENCY</cmdty:space>\
         <cmdty:id>EUR</cmdty:id></trn:currency><trn:date-posted><ts:date>2024-01-02 10:59:00 +0000\
         </ts:date></trn:date-posted>{}<trn:splits>{}{}</trn:splits></gnc:transaction></gnc:book>\
         </gnc-v2>",
        account("a", "Giro", "BANK", &of("<act:")),
        account("b", "Food", "EXPENSE", ""),
        of("<trn:"),
        split("a", "-1250", &of("<split:")),
        split("b", "1250", ""),
    )
}
