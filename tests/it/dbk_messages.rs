//! Messages of `dbk` about unchanged data and mistaken input, with the command that helps.

use daybook_tests::{Server, column, id};
use serde_json::{Value, json};

use crate::Case;
use crate::command_line::Run;
use crate::dbk_terminal::User;
use crate::reading::{find, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        import_keeps_rules_once_and_only_if_it_records,
        long_preview_begins_with_open_decisions,
        decisions_about_records_are_recorded,
        pipes_are_imported_and_exports_replace_files,
        json_has_no_questions,
        dry_runs_print_json,
        failed_import_says_what_helps,
        journals_of_one_book_have_their_sources,
        duplicate_is_not_of_the_import,
        duplicate_reverses_nothing_and_is_in_no_series,
        draft_on_closed_day_is_explained,
        unchanged_transactions_have_no_undo,
        unknown_account_has_near_names,
        statement_opens_with_the_one_before,
        incomplete_draft_is_explained_in_words,
        drafts_beyond_a_page_are_announced,
        history_names_accounts_and_days,
        relative_home_is_refused,
        deleted_book_in_use_is_explained,
    ]
}

impl Run {
    /// Asserts that the text does not have a part.
    #[track_caller]
    fn lacks(&self, part: &str) {
        assert!(!self.text.contains(part), "{part:?} is in:\n{}", self.text);
    }
}

impl User<'_> {
    /// Writes a file into the directory of the user.
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.directory.path().join(name), text).expect("a file is written");
    }

    /// Records 12.50 from Cash for Food; returns the id.
    fn lunch(&self, date: &str) -> String {
        id(&self.cast.record(date, "12.50", "Cash", "Food", "lunch")).to_owned()
    }
}

const RULES: &str = "skip 1\nfields date, description, amount\naccount2 Food\n";
const TWO_COMMODITIES: &str = "2026-02-03 a\n  x  1 EUR\n  y\n\n2026-02-04 b\n  x  2 USD\n  y\n";
const COFFEE: &str = "2026-02-03 coffee\n  Food  4.50\n  Cash\n";
const STATEMENT: &str = "Date,Description,Amount\n2026-02-03,Shop,-4.50\n";

fn import_keeps_rules_once_and_only_if_it_records(server: &Server) {
    let user = User::new(server);
    // The files also include a report of each finished import.
    let rules = || {
        let names = column(&user.cast.read("/files"), "name");
        names.iter().filter(|name| *name == "bank.rules").count()
    };
    let imports = || items(&user.cast.read("/imports")).len();
    user.write("bank.csv", STATEMENT);
    user.write("bank.rules", RULES);
    let import = "dbk import bank.csv --account Cash --rules bank.rules";
    user.run(&format!("{import} --dry-run"), 0).lacks("stored");
    assert_eq!((rules(), imports()), (0, 0), "after a dry run");

    user.run(import, 0)
        .has(&["stored bank.rules in the book as file ", "imported 1 record: 1 new"]);
    assert_eq!(rules(), 1);
    user.write("bank.csv", "Date,Description,Amount\n2026-02-04,Shop,-5.50\n");
    user.run(&format!("{import} --dry-run"), 0).lacks("stored");
    user.run(import, 0).lacks("stored");
    user.run(import, 0).has(&["nothing new"]);
    assert_eq!(rules(), 1, "an identical file is used again");

    user.write("bank.rules", &format!("{RULES}# corrected\n"));
    user.run(import, 0).has(&["nothing new"]);
    assert_eq!(rules(), 1, "nothing was recorded with the new rules");

    user.write("bank.csv", "Date,Description,Amount\n2026-02-05,Shop,-6.50\n");
    let removed = ["stored bank.rules in the book", "removed bank.rules from the book\n"];
    let left = user.on_terminal(import, "q\n");
    left.has(&removed);
    left.has(&["error: nothing was recorded"]);
    assert_eq!((left.code, rules()), (Some(1), 1), "{}", left.text);
    user.run(&format!("{import} --decide 1=Fod"), 5).has(&removed);
    assert_eq!((rules(), imports()), (1, 2), "a refused confirmation");
}

fn long_preview_begins_with_open_decisions(server: &Server) {
    let user = User::new(server);
    let mut statement = String::from("Date,Description,Amount\n");
    for number in 1..=14 {
        let description = if number == 14 { "unknown" } else { "shop" };
        statement.push_str(&format!("2026-02-{number:02},{description},-{number}.00\n"));
    }
    user.write("bank.csv", &statement);
    user.write("bank.rules", "skip 1\nfields date, description, amount\nif shop\n account2 Food\n");
    let import = "dbk import bank.csv --account Cash --rules bank.rules --dry-run";
    let records = |run: &Run| -> Vec<i32> {
        let first = |line: &str| line.split_whitespace().next()?.parse::<i32>().ok();
        run.text.lines().filter(|line| line.contains("2026-02-")).filter_map(first).collect()
    };
    let cut = user.run(&format!("{import} --format table"), 3);
    let expected: Vec<i32> = std::iter::once(14).chain(1..=11).collect();
    assert_eq!(records(&cut), expected, "{}", cut.text);
    cut.has(&["and 2 more records; those that need a decision come first; --all shows all\n"]);
    for whole in ["--format table --all", "--csv", "--format tsv"] {
        let run = user.run(&format!("{import} {whole} | tr , ' '"), 0);
        assert_eq!(records(&run), (1..=14).collect::<Vec<_>>(), "{whole}: {}", run.text);
        run.lacks("more records");
    }
    // A decided record needs no decision.
    user.run(&format!("{import} --decide 14=skip"), 0).lacks("more records");
}

/// 15.8: a match, an outcome, descriptions and hashtags of single records.
fn decisions_about_records_are_recorded(server: &Server) {
    let user = User::new(server);
    let typed = |day: &str, amount: &str, description: &str| {
        id(&user.cast.record(day, amount, "Cash", "Food", description)).to_owned()
    };
    let (early, late) = (typed("2026-02-03", "4.50", "kiosk"), typed("2026-02-07", "4.50", "bar"));
    let pizza = typed("2026-02-08", "7.00", "pizza");
    user.write(
        "bank.csv",
        "Date,Description,Amount\n2026-02-05,CARD 4711,-4.50\n2026-02-06,ROMA,-30.00\n\
         2026-02-08,PIZZERIA,-7.00\n2026-02-09,FEE,-1.00\n",
    );
    let import = "dbk import bank.csv --account Cash";
    let shown = user.run(&format!("{import} --dry-run"), 3);
    shown.has(&[&format!("record 1 may be 2026-02-03 4.50 kiosk; --decide 1.match={early} ")]);
    user.run(&format!("{import} --decide 2=Food --decide 2=skip"), 2)
        .has(&["invalid --decide \"2=skip\": record 2 is skipped, and takes no other decision"]);
    user.run(&format!("{import} --decide 1.match={pizza}"), 1).has(&["not one of its candidates"]);
    assert!(items(&user.cast.read("/imports")).is_empty(), "nothing is imported");

    let decisions = format!(
        "--decide 1.match={early} --decide 2=Food --decide '2.description=Lunch in Rome' \
         --decide 2.tags=trip,work --decide 3=new --decide 4.tags=bank"
    );
    user.run(&format!("{import} {decisions}"), 0).has(&[
        "1\tmatched\t2026-02-05\t-4.50\tCARD 4711\t",
        "2\tnew\t2026-02-06\t-30.00\tLunch in Rome #trip #work\tCash\tFood\t",
        "4\tnew\t2026-02-09\t-1.00\tFEE #bank\t",
        "imported 4 records: 3 new, 1 matched\n",
    ]);
    let remote_ids = |id: &str| {
        let row = user.cast.read(&format!("/transactions/{id}"));
        row["remoteIds"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([&early, &late, &pizza].map(|id| remote_ids(id)), [1, 0, 0]);
    let lunch = find(&user.cast, "#trip #work to:Food");
    assert_eq!(column(&lunch, "description"), ["Lunch in Rome #trip #work"]);
    assert_eq!(column(&lunch, "amount"), ["30.00"]);
    assert_eq!(column(&find(&user.cast, "#bank"), "description"), ["FEE #bank"]);
    assert_eq!(column(&find(&user.cast, "from:Cash on:2026-02-08"), "amount"), ["7.00", "7.00"]);
}

fn pipes_are_imported_and_exports_replace_files(server: &Server) {
    let user = User::new(server);
    user.write("bank.csv", STATEMENT);
    user.run("cat bank.csv | dbk import /dev/stdin --account Cash", 0).has(&["1 record: 1 new"]);
    user.run("dbk import bank.csv --account Cash", 0).has(&["nothing new"]);
    user.run("dbk import none.csv --account Cash", 1).has(&["error: none.csv: No such file"]);
    user.run("dbk import . --account Cash", 1).has(&["error: .: Is a directory"]);

    let path = user.directory.path().join("book.csv");
    let content = || std::fs::read_to_string(&path).expect("a file");
    user.write("book.csv", "old");
    user.run("DBK_BOOK=none dbk export csv -o book.csv", 5);
    assert_eq!(content(), "old");
    user.run("dbk export csv -o none/book.csv", 1).has(&["error: none/book.csv: No such file"]);
    let wrote = user.run("dbk export csv -o book.csv", 0);
    wrote.has(&[&format!("wrote book.csv ({} bytes)", content().len())]);
    assert!(content().contains("Shop"), "{}", content());
    assert_eq!(user.run("dbk export csv", 0).text, content());
    user.run("dbk export csv -o /dev/null && dbk export jsonl | head -n 1", 0);
    let names = user.run("ls", 0).text;
    assert_eq!(names, "bank.csv\nbook.csv\n", "nothing incomplete is left");
}

fn json_has_no_questions(server: &Server) {
    let user = User::new(server);
    user.write("bank.csv", STATEMENT);
    user.lunch("2026-02-01");
    let count = || items(&find(&user.cast, "")).len();
    for (command, made) in [
        ("dbk add 5 snack cash food", "\"transaction\""),
        ("dbk reconcile Cash --statement 2026-02-01=-12.50", "\"transactionCount\": 1"),
        ("dbk import bank.csv --account Cash", "\"DONE\""),
    ] {
        let before = count();
        let refused = user.on_terminal(&format!("{command} --json --no-pager"), "\n");
        refused.has(&["error: no question is asked when results are JSON\n", "hint: --yes"]);
        assert_eq!((refused.code, count()), (Some(2), before), "{command}: {}", refused.text);
        let done = user.on_terminal(&format!("{command} --json --no-pager --yes"), "");
        done.has(&[made]);
        assert_eq!(done.code, Some(0), "{command}: {}", done.text);
    }
}

fn dry_runs_print_json(server: &Server) {
    let user = User::new(server);
    let lunch = user.lunch("2026-02-01");
    let json = |command: &str, code: i32| -> Value {
        let run = user.run(&format!("{{ {command} --dry-run --json; }} 2>/dev/null"), code);
        serde_json::from_str(&run.text).unwrap_or_else(|error| panic!("{error}: {}", run.text))
    };
    let same = json("dbk reconcile Cash --statement 2026-02-28=-12.50", 0);
    assert_eq!(same["transactionIds"], json!([lunch]));
    assert_eq!(same["difference"], "0.00");
    let other = json("dbk reconcile Cash --statement 2026-02-28=-10", 3);
    assert_eq!((&other["movement"], &other["difference"]), (&json!("-12.50"), &json!("2.50")));
    user.run("dbk reconcile Cash --statement 2026-02-28=-10 --json", 3)
        .has(&["error: the difference is 2.50\n", "hint: --except"]);
    let copy = json(&format!("dbk dup {lunch} --amount 8"), 0);
    assert_eq!((&copy["amount"], &copy["date"]), (&json!("8"), &json!("2026-02-10")));
    assert_eq!(json(&format!("dbk edit {lunch} --amount 9"), 0)["amount"], "9");
    assert_eq!(json(&format!("dbk trash {lunch}"), 0)["items"][0]["id"], lunch);
    assert_eq!(column(&find(&user.cast, ""), "amount"), ["12.50"], "nothing has changed");
    assert!(items(&user.cast.read("/reconciliations")).is_empty());
}

fn failed_import_says_what_helps(server: &Server) {
    let user = User::new(server);
    user.write("bank.csv", STATEMENT);
    user.write("bank.rules", "nonsense");
    user.run("dbk import bank.csv --account Csh", 5)
        .has(&["error: Account not found: Csh\n", "hint: did you mean \"Cash\"? "]);
    user.run("dbk import bank.csv --account 'Big bank'", 5).has(&[
        "error: Account not found: Big bank\n",
        "hint: dbk accounts lists the accounts, dbk api POST '/v5/books/{book}/accounts' \
         -f 'name=Big bank' -f type=TYPE makes one\n",
    ]);
    user.run("dbk import bank.csv --account Food", 1)
        .has(&["is not permanent", "hint: name an account with --account"]);
    user.run("dbk import bank.csv --account Cash --rules bank.rules", 1).has(&["error: "]);
    assert!(items(&user.cast.read("/files")).is_empty(), "the rules of a failed import");
    assert!(items(&user.cast.read("/imports")).is_empty(), "failed imports are discarded");
    user.run("dbk import bank.csv --account Cash --decide 1=Fod", 5)
        .has(&["error: record 1: account not found: Fod\n", "hint: did you mean \"Food\"? "]);
    assert!(items(&user.cast.read("/imports")).is_empty(), "a refused preview is discarded");
    user.run("dbk import bank.csv --account Cash --yes", 0);
    let lunch = user.run("dbk list Shop --ids", 0).text;
    user.run(&format!("dbk edit {} --amount 5", lunch.trim()), 0);
    let undo = "dbk import undo $(dbk import log | cut -f 1)";
    user.run(&format!("{undo} --json"), 3).has(&["\"left\""]);
    user.write("two.journal", TWO_COMMODITIES);
    user.run("dbk import two.journal", 1).has(&["hint: --all-commodities records each"]);
    let done = user.run("dbk import two.journal --all-commodities --yes", 0);
    let undo = done.text.lines().find_map(|line| line.strip_prefix("undo: "));
    let undone = user.run(undo.expect("an undo"), 0);
    assert_eq!(undone.text.matches("deleted book ").count(), 2, "{}", undone.text);
}

/// 15.12: equal entries of two journals are different transactions if the sources differ.
fn journals_of_one_book_have_their_sources(server: &Server) {
    let user = User::new(server);
    user.write("home.journal", COFFEE);
    user.write("club.journal", COFFEE);
    let import = |name: &str, source: &str, result: &str| {
        user.run(&format!("dbk import {name}.journal --here --source {source}"), 0).has(&[result]);
    };
    import("home", "home", "imported 1 record: 1 new");
    import("club", "home", "nothing new");
    import("club", "club", "imported 1 record: 1 new");
    import("home", "home", "nothing new");
    let rows = find(&user.cast, "coffee");
    let remote_id = |row: &Value| row["remoteIds"][0].as_str().expect("a remote id").to_owned();
    let mut sources: Vec<String> = items(&rows).iter().map(remote_id).collect();
    sources.sort();
    assert_eq!(sources.len(), 2, "{rows}");
    assert!(sources[0].starts_with("club:") && sources[1].starts_with("home:"), "{sources:?}");
}

fn duplicate_is_not_of_the_import(server: &Server) {
    let user = User::new(server);
    user.write("one.journal", "2026-02-03 (INV-7) coffee\n  Food  4.50\n  Car  1.00\n  Cash\n");
    user.run("dbk import one.journal --here", 0).has(&["imported 1 record: 1 new"]);
    let legs = find(&user.cast, "to:Food");
    user.run(&format!("dbk dup {}", id(&items(&legs)[0])), 0);
    let copy = find(&user.cast, "on:2026-02-10");
    let mut kept = items(&legs)[0]["properties"].as_object().expect("properties").clone();
    for own in ["entry_id", "import_run", "postings", "source"] {
        assert!(kept.remove(own).is_some(), "{own}: {legs}");
    }
    assert_eq!(kept["code"], "INV-7");
    assert_eq!(items(&copy)[0]["properties"], Value::Object(kept), "{copy}");
}

fn duplicate_reverses_nothing_and_is_in_no_series(server: &Server) {
    let user = User::new(server);
    let original = user.lunch("2026-02-01");
    let properties = json!({"reverses": original, "series": "s1", "sync_": "9", "shop": "Da Nino"});
    user.cast.put("/transactions", &json!({"id": original, "properties": properties})).ok();
    user.run(&format!("dbk dup {original}"), 0);
    let copy = find(&user.cast, "on:2026-02-10");
    assert_eq!(items(&copy)[0]["properties"], json!({"shop": "Da Nino"}), "{copy}");
}

fn draft_on_closed_day_is_explained(server: &Server) {
    let user = User::new(server);
    let open = user.lunch("2026-01-10");
    user.run(&format!("dbk trash {open}"), 0);
    user.cast.post("/close", &json!({"closingDate": "2026-01-31"})).ok();
    let closed = "this book is closed up to 2026-01-31";
    let added = user.run("dbk add 2026-01-20 9 coffee cash food", 0);
    added.has(&["draft 2026-01-20 9.00 Cash -> Food  coffee\n", closed, "complete: dbk edit "]);
    user.run("dbk add --dry-run 2026-01-20 9 coffee cash food", 0)
        .has(&["would record ", "\n  as a draft, because this book is closed up to 2026-01-31\n"]);
    user.run("dbk add --dry-run 2026-02-01 9 coffee cash food", 0).lacks("draft");
    user.run("dbk drafts", 0).has(&["--date DATE --post\n", closed, "the OWNER opens days"]);

    let draft = user.run("dbk list is:draft --ids", 0).text.trim().to_owned();
    let edit = format!("dbk edit {draft} --date DATE --post");
    let refused = user.run(&format!("dbk post {draft}"), 1);
    let remedy = "dbk api PUT /v5/books -f id=";
    refused.has(&["error: the date 2026-01-20 is locked", "\nhint: ", closed, &edit, remedy]);
    user.run(&format!("dbk untrash {open}"), 1).has(&["error: ", "\nhint: ", closed, remedy]);

    let incomplete = user.cast.post("/transactions", &json!({"description": "tea"})).ok();
    let incomplete = id(&incomplete["transaction"]);
    let posted = user.run(&format!("dbk post {draft} {incomplete}"), 0);
    posted.has(&[
        "posted 0 of 2 transactions\n",
        "left as they are: 1 incomplete, 1 on a locked day\n",
        closed,
        "dbk drafts shows what drafts lack\n",
    ]);
    posted.lacks("undo");

    // The commands do what they promise.
    let (_, command) = refused.text.split_once("earlier DATE: ").expect("a command");
    user.run(&command.replace("=DATE", "=2026-01-15"), 0);
    user.run(&format!("dbk post {draft}"), 0).has(&["posted 2026-01-20", "\nundo: dbk trash "]);
    user.run("dbk add 2026-01-14 9 coffee cash food", 0).has(&["closed up to 2026-01-15"]);
    let draft = user.run("dbk list is:draft on:2026-01-14 --ids", 0).text.trim().to_owned();
    user.run(&format!("dbk edit {draft} --date 2026-01-16 --post"), 0).has(&["now posted: "]);
}

fn unchanged_transactions_have_no_undo(server: &Server) {
    let user = User::new(server);
    let (one, other) = (user.lunch("2026-02-01"), user.lunch("2026-02-02"));
    let line = "2026-02-01 12.50 Cash -> Food  lunch\n";
    let unchanged = |command: &str, why: &str| {
        let run = user.run(&format!("dbk {command}"), 0);
        run.has(&[&format!("unchanged, {why}: {line}")]);
        run.lacks("undo");
    };
    unchanged(&format!("post {one}"), "already posted");
    unchanged(&format!("uncheck {one}"), "not checked");
    unchanged(&format!("untrash {one}"), "not in the trash");
    unchanged(&format!("edit {one} --post"), "posted");
    let same = "--amount 12.5 --from cash --to Food --date 2026-02-01 --description lunch";
    unchanged(&format!("edit {one} {same}"), "posted");
    user.run(&format!("dbk check {one}"), 0)
        .has(&[&format!("checked {line}"), &format!("undo: dbk uncheck {one}\n")]);
    unchanged(&format!("check {one}"), "already checked");

    let both = format!("{one} {other}");
    let some = user.run(&format!("dbk check {both}"), 0);
    some.has(&["checked 1 of 2 transactions\n", "left as they are: 1 already checked\n"]);
    some.has(&[&format!("undo: dbk uncheck {other}\n")]);
    for (command, first, why) in [
        ("check", "checked 0 of 2 transactions", "2 already checked"),
        ("post", "posted 0 of 2 transactions", "2 already posted"),
        ("trash", "trashed 0 of 2 transactions", "2 checked"),
        ("untrash", "restored 0 of 2 transactions", "2 not in the trash"),
    ] {
        let none = user.run(&format!("dbk {command} {both}"), 0);
        none.has(&[&format!("{first}\nleft as they are: {why}\n")]);
        none.lacks("undo");
    }
    assert_eq!(user.run(&format!("dbk check {both} --dry-run"), 0).text, "nothing to check\n");
    user.run(&format!("dbk uncheck {both}"), 0)
        .has(&["unchecked 2 transactions\n", &format!("undo: dbk check {both}\n")]);
    user.run(&format!("dbk uncheck {both}"), 0).lacks("undo");
    user.run(&format!("dbk trash {one}"), 0);
    unchanged(&format!("trash {one}"), "already trashed");
    // JSON is the response, whether something was written or not.
    user.run(&format!("dbk trash {one} --json"), 0).lacks("undo");
}

fn unknown_account_has_near_names(server: &Server) {
    let user = User::new(server);
    let lunch = user.lunch("2026-02-01");
    let near = ["error: Account not found: Foood\n", "hint: did you mean \"Food\"? dbk accounts"];
    user.run("dbk reg Foood", 5).has(&near);
    user.run("dbk reg Foood --json", 5).has(&near);
    user.run("dbk reconcile Foood --statement 2026-02-28=0", 5).has(&near);
    user.run(&format!("dbk edit {lunch} --to Foood"), 5).has(&near);
    user.run("dbk reg Nothing", 5).has(&["hint: dbk accounts lists the accounts, dbk api POST "]);
    // The other account may be in the query.
    user.run("dbk reg Cash to:Food", 0).has(&["lunch\tFood\t-12.50"]);
}

/// 14.4: the statement of January comes after that of February.
fn statement_opens_with_the_one_before(server: &Server) {
    let user = User::new(server);
    let january = id(&user.cast.record("2026-01-10", "100.00", "Car", "Cash", "sale")).to_owned();
    user.cast.record("2026-02-05", "30.00", "Car", "Cash", "sale");
    let reconcile = |rest: &str| user.run(&format!("dbk reconcile Cash --statement {rest}"), 0);
    reconcile(&format!("2026-02-28=30 --except {january}")).has(&[
        "opening 0.00, closing 30.00\n",
        "difference 0.00\n",
        "transactions: 1\n",
    ]);
    reconcile("2026-01-31=100").has(&[
        "opening 0.00, closing 100.00\n",
        "difference 0.00\n",
        "transactions: 1\n",
    ]);
    reconcile("2026-03-31=30 --dry-run").has(&["opening 30.00, closing 30.00\n"]);
    user.run("dbk reconcile Cash --statement 2026-03-31=30 --except nothing", 5)
        .has(&["error: no transaction \"nothing\" on this account\n"]);
}

fn incomplete_draft_is_explained_in_words(server: &Server) {
    let user = User::new(server);
    user.run("dbk add 9 coffee cash", 0);
    let draft = user.run("dbk list is:draft --ids", 0).text.trim().to_owned();
    let message = "error: an incomplete draft cannot be posted; missing: To\n";
    let hint = format!("hint: dbk edit {draft} --to ACCOUNT --post\n");
    user.run(&format!("dbk post {draft}"), 1).has(&[message, &hint]);
    user.run(&format!("dbk edit {draft} --amount 8 --post"), 1).has(&[message, &hint]);
    user.run(&format!("dbk edit {draft} --to cash --post"), 1)
        .has(&["error: From and To are the same account\n"]);
    // `dbk api` has the names of the API.
    let path = "/v5/books/{book}/transactions/post";
    user.run(&format!("dbk api PATCH '{path}' -f id={draft}"), 1).has(&["missing: debitAccount"]);
}

fn drafts_beyond_a_page_are_announced(server: &Server) {
    let user = User::new(server);
    let drafts = vec![json!({"description": "tea", "date": "2026-02-01"}); 1_001];
    user.cast.post("/transactions/batch", &json!({"items": drafts})).ok();
    user.run("dbk drafts", 0).has(&["tea", "the newest 1000; dbk list is:draft -n COUNT"]);
    let all = user.run("dbk list is:draft -n 2000 --ids", 0).text;
    assert_eq!(all.lines().count(), 1_001);
}

fn history_names_accounts_and_days(server: &Server) {
    let user = User::new(server);
    let lunch = user.lunch("2026-02-01");
    user.run(&format!("dbk edit {lunch} --to Car --date 2026-02-02"), 0);
    user.run(&format!("dbk history {lunch}"), 0)
        .has(&["  date: \"2026-02-01\" -> \"2026-02-02\"\n", "  to: \"Food\" -> \"Car\"\n"]);
}

fn deleted_book_in_use_is_explained(server: &Server) {
    let user = User::new(server);
    let made = user.run("dbk books new Short", 0).text;
    let (_, undo) = made.split_once("undo: ").expect("a command");
    user.run(undo.trim(), 0);
    user.run("env -u DBK_BOOK dbk bal", 5)
        .has(&["error: book not found\n", "hint: dbk books, then dbk books use BOOK\n"]);
}

fn relative_home_is_refused(server: &Server) {
    let user = User::new(server);
    user.run("HOME=. dbk login --token $DBK_TOKEN", 1)
        .has(&["error: no directory for the configuration: HOME is \".\", ", "\nhint: set HOME"]);
    let count = std::fs::read_dir(user.directory.path()).expect("a directory").count();
    assert_eq!(count, 0, "nothing is written");
}
