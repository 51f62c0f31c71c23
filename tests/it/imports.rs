//! Imports (15): previews, accounts, rules, identity, matches and suggestions.

use std::time::{Duration, Instant};

use daybook_tests::{Answer, Cast, Client, Server, encode, id, pause, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::files::base64;
use crate::reading::{find, items, labels};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_15_1_preview_records_nothing,
        rule_15_1_files_that_cannot_be_read,
        rule_15_2_statements_find_their_accounts,
        rule_15_2_large_balances_are_shown,
        rule_15_3_rules_of_the_account,
        rule_15_4_equal_records_of_a_day_are_counted,
        rule_15_4_ids_of_the_bank_are_unique_per_account,
        rule_15_4_id_that_is_used_again_later_is_recorded,
        rule_15_4_trashed_records_stay_in_the_trash,
        rule_15_4_typed_transactions_are_matched,
        rule_15_4_transfer_is_one_transaction,
        rule_15_4_pending_records_become_drafts,
        rule_15_4_locked_records_are_refused,
        rule_15_4_records_in_another_currency_are_refused,
        rule_15_5_balance_is_the_banks,
        rule_15_5_rules_check_records,
        rule_15_6_suggestions_have_reasons,
    ]
}

const CAFE: &str = "2026-01-02,Cafe,-5";

const ACCOUNTS: [(&str, &str); 4] =
    [("Bank", "ASSET"), ("Savings", "ASSET"), ("Food", "OUTGOING"), ("Salary", "INCOMING")];

pub fn book(server: &Server) -> Cast {
    Cast::with_accounts(server, &ACCOUNTS)
}

pub fn upload(caller: &Client, cast: &Cast, query: &str, file: &str) -> Answer {
    let path = cast.path(&format!("/imports?{query}"));
    caller.send_raw("POST", &path, Some("text/csv"), file.as_bytes())
}

/// The import when no worker is at it.
#[track_caller]
pub fn settle(cast: &Cast, import: &Value) -> Value {
    let is_settled = |read: &Value| {
        !["READING", "RECORDING", "UNDOING"].contains(&read["state"].as_str().unwrap_or(""))
    };
    wait_until(cast, import, Duration::from_secs(120), is_settled)
}

/// The import when the worker has got so far.
#[track_caller]
pub fn wait_until(
    cast: &Cast,
    import: &Value,
    timeout: Duration,
    is_there: impl Fn(&Value) -> bool,
) -> Value {
    let (started, path) = (Instant::now(), format!("/imports/{}", id(import)));
    loop {
        let read = cast.get(&path).ok();
        if is_there(&read) {
            return read;
        }
        assert!(started.elapsed() < timeout, "still in progress: {read}");
        pause(Duration::from_millis(20));
    }
}

/// The preview of a file of the account Bank.
#[track_caller]
pub fn preview(cast: &Cast, file: &str) -> Value {
    preview_of(cast, "account=Bank", file)
}

#[track_caller]
pub fn preview_of(cast: &Cast, query: &str, file: &str) -> Value {
    let read = settle(cast, &upload(&cast.owner, cast, query, file).ok());
    assert_eq!(read["state"], "PREVIEW", "{read}");
    read
}

pub fn confirm(cast: &Cast, import: &Value, body: &Value) -> Answer {
    cast.post(&format!("/imports/{}/confirm", id(import)), body)
}

#[track_caller]
pub fn done(cast: &Cast, answer: Answer) -> Value {
    let done = settle(cast, &answer.ok());
    assert_eq!(done["state"], "DONE", "{done}");
    assert_eq!(done["progress"]["done"], done["progress"]["total"], "{done}");
    done
}

/// Imports a file of the account Bank.
#[track_caller]
pub fn run(cast: &Cast, file: &str) -> Value {
    run_of(cast, "account=Bank", file)
}

#[track_caller]
fn run_of(cast: &Cast, query: &str, file: &str) -> Value {
    let preview = preview_of(cast, query, file);
    done(cast, confirm(cast, &preview, &json!({})))
}

#[track_caller]
pub fn undo(cast: &Cast, import: &Value) -> Value {
    let undone =
        settle(cast, &cast.post(&format!("/imports/{}/undo", id(import)), &Value::Null).ok());
    assert_eq!(undone["state"], "UNDONE", "{undone}");
    undone["undone"].clone()
}

#[track_caller]
fn records(cast: &Cast, import: &Value) -> Vec<Value> {
    items(&cast.read(&format!("/imports/{}/records", id(import)))).clone()
}

#[track_caller]
pub fn outcomes(cast: &Cast, import: &Value) -> Vec<String> {
    let outcome = |record: &Value| record["outcome"].as_str().expect("an outcome").to_owned();
    records(cast, import).iter().map(outcome).collect()
}

/// A CSV file with a header.
pub fn csv(rows: &[&str]) -> String {
    format!("Date,Description,Amount\n{}\n", rows.join("\n"))
}

/// An OFX file of an account.
fn ofx(account: &str, rows: &[(&str, &str, &str, &str)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(fitid, day, amount, name)| {
            format!(
                "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{fitid}<NAME>{name}\
                 </STMTTRN>"
            )
        })
        .collect();
    format!(
        "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM>\
         <BANKID>1<ACCTID>{account}</BANKACCTFROM><BANKTRANLIST>{rows}</BANKTRANLIST></STMTRS>\
         </STMTTRNRS></BANKMSGSRSV1></OFX>"
    )
}

/// The balance of an account over all time, without its sign.
#[track_caller]
pub fn balance(cast: &Cast, account: &str) -> String {
    let query = encode(&format!("account:\"{account}\" before:2101"));
    let body = cast.read(&format!("/balances?query={query}"));
    let rows = body["accountBalances"].as_array().expect("balances");
    let row = rows.iter().find(|row| row["name"] == account);
    let balance = row.map_or("0.00", |row| row["cumulativeBalance"].as_str().expect("a balance"));
    balance.trim_start_matches('-').to_owned()
}

pub fn typed(date: &str, amount: &str, from: &str, to: &str, text: &str) -> Value {
    json!({
        "date": date, "amount": amount, "description": text,
        "creditAccount": {"name": from}, "debitAccount": {"name": to},
    })
}

#[track_caller]
pub fn post(cast: &Cast, body: &Value) -> Value {
    let posted = cast.patch("/transactions/post", body).ok();
    posted["transaction"].clone()
}

/// 15.1, 15.4, 15.5: everything is shown and nothing is recorded.
fn rule_15_1_preview_records_nothing(server: &Server) {
    let cast = book(server);
    let before = cast.read("")["totalTransactions"].clone();
    let file = csv(&["2026-01-02,Cafe,-12.50", "2026-01-03,Pay,1000", "2026-01-04,Broken,x"]);
    let read = preview_of(&cast, "account=bank&name=january.csv", &file);
    shows(
        &read,
        &json!({
            "name": "january.csv", "state": "PREVIEW", "target": "HERE",
            "counts": {
                "new": 2, "existing": 0, "matched": 0, "skipped": 0, "refused": 1, "total": 3,
                "drafts": 0, "locked": 0,
            },
            "sumIn": "1000.00", "sumOut": "12.50", "bookIds": [], "changedRecords": [],
            "progress": {"done": 0, "total": 3},
            "accountsToCreate": [
                {"name": "Uncategorised expenses", "type": "OUTGOING"},
                {"name": "Uncategorised income", "type": "INCOMING"},
            ],
        }),
    );
    assert_eq!(read["account"]["name"], "Bank");
    assert!(read["format"].as_str().expect("a format").starts_with("CSV"), "{read}");
    assert!(read["expiresAt"].is_string() && read.get("reportFileId").is_none(), "{read}");
    let [cafe, pay, broken] = <[Value; 3]>::try_from(records(&cast, &read)).expect("three");
    shows(
        &cafe,
        &json!({
            "record": 1, "line": 2, "outcome": "NEW", "date": "2026-01-02", "amount": "-12.5",
            "description": "Cafe", "uncategorised": true,
        }),
    );
    assert_eq!(cafe["from"]["name"], "Bank");
    assert_eq!(cafe["to"], json!({"name": "Uncategorised expenses"}), "it has no id yet");
    assert_eq!(pay["from"], json!({"name": "Uncategorised income"}));
    shows(&broken, &json!({"record": 3, "line": 4, "outcome": "REFUSED"}));
    assert!(broken["reason"].as_str().expect("a reason").contains('x'), "{broken}");
    let path = format!("/imports/{}/records", id(&read));
    let page = cast.read(&format!("{path}?limit=1&outcome=NEW"));
    assert_eq!(items(&page)[0]["record"], 1);
    let cursor = page["cursor"].as_str().expect("a second page");
    let page = cast.read(&format!("{path}?limit=1&cursor={cursor}"));
    assert_eq!((&items(&page)[0]["record"], page.get("cursor")), (&json!(2), None));
    cast.get(&format!("{path}?outcome=OLD")).refused(400, "badRequest");
    assert_eq!(cast.read("")["totalTransactions"], before);
    assert_eq!(items(&cast.read("/accounts")).len(), ACCOUNTS.len(), "no account is created");
}

/// 15.1, 15.2: a file that cannot be read, or whose account is unknown, fails with a reason.
fn rule_15_1_files_that_cannot_be_read(server: &Server) {
    let cast = book(server);
    for (query, file, part, reason) in [
        ("account=Bank", csv(&["03/04/2026,Cafe,-5"]), "ambiguous", "ambiguousDates"),
        ("account=Nowhere", csv(&[CAFE]), "Account not found: Nowhere", "unknownAccount"),
        ("account=Food", csv(&[CAFE]), "not permanent", "unknownAccount"),
        ("", ofx("DE1", &[("F1", "20260102", "-5", "Cafe")]), "DE1", "unknownAccount"),
        ("account=Bank", "no table".to_owned(), "no columns", "unknownColumns"),
        ("account=Bank&encoding=klingon", csv(&[CAFE]), "klingon", "invalidEncoding"),
    ] {
        let failed = settle(&cast, &upload(&cast.owner, &cast, query, &file).ok());
        assert_eq!(failed["state"], "FAILED", "{failed}");
        let error = failed["error"].as_str().expect("an error");
        assert!(error.contains(part), "{error}");
        assert_eq!(failed["errorReason"], reason, "{failed}");
        let named = query.strip_prefix("account=").map(|rest| rest.split('&').next());
        assert_eq!(failed["options"].get("account"), named.map(|name| json!(name)).as_ref());
        let known = ["Bank", "Food"].iter().find(|name| query.contains(**name));
        assert_eq!(failed["account"]["name"].as_str(), known.copied(), "{failed}");
        confirm(&cast, &failed, &json!({})).refused(400, "badRequest");
        cast.delete(&format!("/imports/{}", id(&failed))).ok();
    }
    let decided =
        preview_of(&cast, "account=Bank&dateOrder=DAY_FIRST", &csv(&["03/04/2026,Cafe,-5"]));
    assert_eq!(records(&cast, &decided)[0]["date"], "2026-04-03");
    for query in ["account=Bank&dateOrder=YEAR", "account=Bank&decimalMark=X", "target=THERE"] {
        upload(&cast.owner, &cast, query, &csv(&["2026-01-02,Cafe,-5"])).refused(400, "badRequest");
    }
    let named = preview_of(&cast, "account=Bank&name=a%00b&source=c%00d", &csv(&[CAFE]));
    assert_eq!((&named["name"], &named["options"]["source"]), (&json!("a b"), &json!("c d")));
    let large = vec![b'x'; 64 * 1024 * 1024 + 1];
    let path = cast.path("/imports?account=Bank");
    let sent = cast.owner.send_raw("POST", &path, None, &large);
    let message = sent.refused(413, "requestTooLarge");
    assert!(message.contains("64 MB"), "{message}");
}

/// 15.2: by number, in any notation, by name, and by the parameter.
fn rule_15_2_statements_find_their_accounts(server: &Server) {
    let cast = book(server);
    let bank = json!({"name": "Bank", "properties": {"bank_account": "DE12 3456"}});
    cast.put("/accounts", &bank).ok();
    let row = [("F1", "20260102", "-5", "Cafe")];
    for (number, query, account) in [
        ("de123456", "account=Savings", "Bank"),
        ("savings", "", "Savings"),
        ("OTHER", "account=Savings", "Savings"),
    ] {
        let read = preview_of(&cast, query, &ofx(number, &row));
        let statement = &read["statements"][0];
        assert_eq!(statement["account"]["name"], account, "{number}: {read}");
        shows(
            statement,
            &json!({"number": number, "currency": "EUR", "count": 1, "sumOut": "5.00"}),
        );
    }
}

/// 15.2: balances of any size; their difference may be beyond what is computed.
fn rule_15_2_large_balances_are_shown(server: &Server) {
    let cast = Cast::with_settings(server, json!({"fractionDigits": 8}));
    cast.account("Bank", "ASSET");
    let large = "9".repeat(30);
    let file = format!(
        ":20:A\n:25:B\n:28C:1\n:60F:D260101EUR{large},\n:61:2601020102C1,NTRFx\n:86:x\n\
         :62F:C260102EUR{large},\n-\n"
    );
    let read = preview_of(&cast, "account=Bank", &file);
    let statement = &read["statements"][0];
    assert_eq!(statement["closing"], format!("{large}.00000000"), "{read}");
    assert_eq!(statement["opening"], format!("-{large}.00000000"), "{read}");
    assert_eq!(statement.get("difference"), None, "{read}");
}

/// 15.3: the file with the property `import_rules`.
fn rule_15_3_rules_of_the_account(server: &Server) {
    let cast = book(server);
    let bank = cast.read("/accounts/Bank");
    let rules = "fields date, description, amount\ninclude common.rules\nif holiday\n  skip\n";
    let common = "if cafe\n  account2 Food\ninclude gifts.rules\n";
    let save = |name: &str, rules: &str, of: &Value| {
        let content = base64(rules.as_bytes());
        let body = json!({"name": name, "content": content, "properties": {"import_rules": of}});
        cast.post("/files", &body).ok()
    };
    let first = save("bank.rules", rules, &bank["id"]);
    save("common.rules", common, &json!("common"));
    save("gifts.rules", "if gift\n  account2 Gifts\n", &json!("common"));
    let file = "2026-01-02,Cafe,-5\n2026-01-03,Gift,-7\n2026-01-04,Holiday,-9\n";
    let read = preview(&cast, file);
    assert_eq!(outcomes(&cast, &read), ["NEW", "NEW", "SKIPPED"]);
    let all = records(&cast, &read);
    assert_eq!(all[0]["to"]["name"], "Food");
    assert_eq!((&all[0]["rule"], &all[1]["rule"]), (&json!(2), &json!(2)), "lines of account2");
    assert_eq!(read["accountsToCreate"], json!([{"name": "Gifts", "type": "OUTGOING"}]));
    assert!(all[2]["rule"] == 3 || all[2]["rule"] == 4, "{}", all[2]);
    let second = save("second.rules", "fields date, description, amount\n", &bank["id"]);
    let failed = settle(&cast, &upload(&cast.owner, &cast, "account=Bank", file).ok());
    assert!(failed["error"].as_str().expect("an error").contains("two files"), "{failed}");
    let named = preview_of(&cast, &format!("account=Bank&rules={}", id(&second)), file);
    assert_eq!(outcomes(&cast, &named), ["NEW", "NEW", "NEW"]);
    cast.delete(&format!("/files/{}", id(&first))).ok();
}

/// 15.4: cases 9, 10 and 11 of twins, late records and neighbours.
fn rule_15_4_equal_records_of_a_day_are_counted(server: &Server) {
    let cast = book(server);
    let coffee = "2026-02-01,COFFEE,-3.20";
    run(&cast, &csv(&[coffee, coffee]));
    let again = preview(&cast, &csv(&[coffee, coffee]));
    assert_eq!(outcomes(&cast, &again), ["EXISTING", "EXISTING"]);
    let more = run(&cast, &csv(&[coffee, coffee, coffee, "2026-02-02,COFFEE,-3.20"]));
    assert_eq!(outcomes(&cast, &more), ["EXISTING", "EXISTING", "NEW", "NEW"]);
    run(&cast, &csv(&["2026-02-03,A,-1", "2026-02-05,B,-1"]));
    let late = run(&cast, &csv(&["2026-02-03,A,-1", "2026-02-03,C,-1", "2026-02-05,B,-1"]));
    assert_eq!(outcomes(&cast, &late), ["EXISTING", "NEW", "EXISTING"]);
    assert_eq!(balance(&cast, "Bank"), "15.80");
}

/// 15.4: case 6, when the fee comes in a later file than the purchase.
fn rule_15_4_id_that_is_used_again_later_is_recorded(server: &Server) {
    let cast = book(server);
    let rows = [("F1", "20260102", "-50.00", "SHOP"), ("F1", "20260102", "-1.50", "FX FEE")];
    run(&cast, &ofx("1", &rows[..1]));
    let both = run(&cast, &ofx("1", &rows));
    assert_eq!(outcomes(&cast, &both), ["EXISTING", "NEW"]);
    assert_eq!(balance(&cast, "Bank"), "51.50");
    run(&cast, &ofx("1", &rows));
    assert_eq!(balance(&cast, "Bank"), "51.50");
}

/// 15.4: cases 6 and 7: an id that is used twice, and in two accounts.
fn rule_15_4_ids_of_the_bank_are_unique_per_account(server: &Server) {
    let cast = book(server);
    let rows = [("F1", "20260102", "-50.00", "SHOP"), ("F1", "20260102", "-1.50", "FX FEE")];
    run(&cast, &ofx("1", &rows));
    let again = preview(&cast, &ofx("1", &rows));
    assert_eq!(outcomes(&cast, &again), ["EXISTING", "EXISTING"]);
    run_of(&cast, "account=Savings", &ofx("2", &rows[..1]));
    assert_eq!(
        (balance(&cast, "Bank"), balance(&cast, "Savings")),
        ("51.50".into(), "50.00".into())
    );
}

/// 15.4: what a person has trashed is not brought back, unless asked.
fn rule_15_4_trashed_records_stay_in_the_trash(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5", "2026-01-03,Shop,-7"]);
    run(&cast, &file);
    let cafe = items(&find(&cast, "Cafe"))[0].clone();
    cast.patch("/transactions/trash", &json!({"id": cafe["id"]})).ok();
    let again = preview(&cast, &file);
    assert_eq!(outcomes(&cast, &again), ["SKIPPED", "EXISTING"]);
    assert_eq!(records(&cast, &again)[0]["transactionId"], cafe["id"]);
    let back = run_of(&cast, "account=Bank&trashed=true", &file);
    assert_eq!(outcomes(&cast, &back), ["NEW", "EXISTING"]);
    assert_eq!(balance(&cast, "Bank"), "12.00");
}

/// 15.4: a typed transaction gets the remote id; a checked one is left as it is.
fn rule_15_4_typed_transactions_are_matched(server: &Server) {
    let cast = book(server);
    let typed_one = post(&cast, &typed("2026-01-02", "5", "Bank", "Food", "Cafe"));
    let checked = post(&cast, &typed("2026-01-03", "7", "Bank", "Food", "Shop"));
    cast.patch("/transactions/check", &json!({"id": checked["id"]})).ok();
    let file = csv(&["2026-01-02,CAFE ROMA,-5", "2026-01-03,SHOP 24,-7", "2026-01-03,Other,-7"]);
    let read = run(&cast, &file);
    assert_eq!(outcomes(&cast, &read), ["MATCHED", "MATCHED", "NEW"]);
    let all = records(&cast, &read);
    assert_eq!(
        (&all[0]["transactionId"], &all[1]["transactionId"]),
        (&typed_one["id"], &checked["id"])
    );
    let after = |row: &Value| cast.read(&format!("/transactions/{}", id(row)));
    assert_eq!(after(&typed_one)["remoteIds"].as_array().map(Vec::len), Some(1));
    assert_eq!(after(&checked)["remoteIds"], json!([]), "a checked one does not change");
    assert_eq!(outcomes(&cast, &preview(&cast, &file)), ["EXISTING", "EXISTING", "EXISTING"]);
    assert_eq!(balance(&cast, "Bank"), "19.00");
    undo(&cast, &read);
    assert_eq!(after(&typed_one)["remoteIds"], json!([]), "15.9: it loses the remote id");
    assert_eq!(balance(&cast, "Bank"), "12.00");
}

/// 15.4: case 13: both sides of a transfer meet.
fn rule_15_4_transfer_is_one_transaction(server: &Server) {
    let cast = book(server);
    run(&cast, &csv(&["2026-05-02,TO SAVINGS,-200"]));
    let other = run_of(&cast, "account=Savings", &csv(&["2026-05-03,FROM BANK,200"]));
    assert_eq!(outcomes(&cast, &other), ["MATCHED"]);
    let list = find(&cast, "account:Savings");
    let [transfer] = items(&list).as_slice() else { panic!("one transaction: {list}") };
    let transfer = cast.read(&format!("/transactions/{}", id(transfer)));
    shows(&transfer, &json!({"date": "2026-05-02", "amount": "200.00"}));
    assert_eq!(transfer["creditAccount"]["name"], "Bank");
    assert_eq!(transfer["debitAccount"]["name"], "Savings");
    assert_eq!(transfer["remoteIds"].as_array().map(Vec::len), Some(2));
    assert_eq!(transfer["properties"]["second_date"], "2026-05-03");
    assert_eq!(balance(&cast, "Uncategorised expenses"), "0.00");
}

/// 15.4, 15.5: case 12: a pending record is a draft, and offered to the booked one.
fn rule_15_4_pending_records_become_drafts(server: &Server) {
    let cast = book(server);
    let rules = "fields date, description, amount, status\n";
    let bank = cast.read("/accounts/Bank");
    let content = base64(rules.as_bytes());
    let body = json!({
        "name": "bank.rules", "content": content, "properties": {"import_rules": bank["id"]},
    });
    cast.post("/files", &body).ok();
    let pending = run(&cast, "2026-04-01,PENDING HOTEL,-100.00,!\n2026-04-01,KIOSK,-2.00,*\n");
    assert_eq!(pending["counts"]["drafts"], 1, "{pending}");
    assert_eq!(balance(&cast, "Bank"), "2.00");
    let booked = preview(&cast, "2026-04-03,HOTEL ABC,-104.20,*\n2026-04-01,TAXI,-100.00,*\n");
    assert_eq!(outcomes(&cast, &booked), ["NEW", "NEW"]);
    let [hotel, taxi] = <[Value; 2]>::try_from(records(&cast, &booked)).expect("two");
    let draft = items(&find(&cast, "is:draft"))[0]["id"].clone();
    let (hotel, taxi) = if hotel["description"] == "TAXI" { (taxi, hotel) } else { (hotel, taxi) };
    assert_eq!(hotel["candidates"][0]["id"], draft, "{hotel}");
    assert_eq!(taxi.get("candidates"), None, "{taxi}");
    let chosen = json!({"decisions": [{"record": hotel["record"], "match": draft}]});
    done(&cast, confirm(&cast, &booked, &chosen));
    assert_eq!(balance(&cast, "Bank"), "206.20");
    assert_eq!(items(&find(&cast, "is:draft")).len(), 0);
}

/// 15.4: records on locked dates are refused, never drafts.
fn rule_15_4_locked_records_are_refused(server: &Server) {
    let cast = book(server);
    cast.owner.put("/v5/books", &json!({"id": cast.book, "lockDate": "2026-01-31"})).ok();
    let read = run(&cast, &csv(&["2026-01-31,Cafe,-5", "2026-02-01,Shop,-7"]));
    assert_eq!(outcomes(&cast, &read), ["REFUSED", "NEW"]);
    assert_eq!(read["counts"]["locked"], 1);
    assert_eq!(records(&cast, &read)[0]["locked"], true);
    assert_eq!(items(&find(&cast, "is:draft")).len(), 0);
}

/// 15.4: the currency of the book decides, else that of the first record.
fn rule_15_4_records_in_another_currency_are_refused(server: &Server) {
    const MIXED: &str = "Date,Description,Amount,Currency\n2026-01-02,A,-5,EUR\n\
                         2026-01-03,B,-6,USD\n2026-01-04,C,-7,eur\n";
    for (currency, file, expected) in [
        (json!({}), MIXED.replace("eur", "EUR"), ["NEW", "REFUSED", "NEW"]),
        (json!({"exc_code": "EUR"}), MIXED.to_owned(), ["NEW", "REFUSED", "NEW"]),
        (json!({"currency": "USD", "exc_code": "EUR"}), MIXED.to_owned(), {
            ["REFUSED", "NEW", "REFUSED"]
        }),
        (json!({"currency": "$"}), MIXED.replace("eur", "EUR"), ["NEW", "REFUSED", "NEW"]),
    ] {
        let cast = book(server);
        cast.owner.put("/v5/books", &json!({"id": cast.book, "properties": currency})).ok();
        let read = preview(&cast, &file);
        assert_eq!(outcomes(&cast, &read), expected, "{currency}: {read}");
        let all = records(&cast, &read);
        let refused = all.iter().find(|record| record["outcome"] == "REFUSED").expect("one");
        let reason = refused["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("the currency is ") && refused["line"].is_number(), "{refused}");
        done(&cast, confirm(&cast, &read, &json!({})));
        let booked = if expected[0] == "NEW" { "12.00" } else { "6.00" };
        assert_eq!(balance(&cast, "Bank"), booked, "{currency}");
    }
    let cast = book(server);
    let dollars = json!({"id": cast.book, "properties": {"exc_code": "USD"}});
    cast.owner.put("/v5/books", &dollars).ok();
    let read = preview(&cast, &ofx("Bank", &[("F1", "20260102", "-5", "Cafe")]));
    assert_eq!(outcomes(&cast, &read), ["REFUSED"], "a statement in EUR: {read}");
}

/// 15.5: the register, the properties and the report, also without `autoPost`.
fn rule_15_5_balance_is_the_banks(server: &Server) {
    let cast = Cast::with_settings(server, json!({"autoPost": false}));
    for (name, kind) in ACCOUNTS {
        cast.account(name, kind);
    }
    let file = csv(&["2026-01-02,Cafe,-12.50", "2026-01-03,Pay,1000"]);
    let read = run_of(&cast, "account=Bank&name=bank.csv", &file);
    assert_eq!(balance(&cast, "Bank"), "987.50");
    assert_eq!(balance(&cast, "Uncategorised expenses"), "12.50");
    let cafe = items(&find(&cast, "Cafe"))[0].clone();
    shows(&cafe["properties"], &json!({"import_run": id(&read), "source": "bank.csv:2"}));
    assert_eq!(records(&cast, &read)[0]["transactionId"], cafe["id"]);
    let report = read["reportFileId"].as_str().expect("a report");
    let report = cast.read(&format!("/files/{report}"));
    let url = report["url"].as_str().expect("an address");
    let path = url.strip_prefix(server.base()).expect("at the host of the request");
    let text = cast.anonymous.download(path);
    let text = String::from_utf8(text).expect("a text");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(
        text.contains("1,2,NEW,") && text.contains(",Cafe,Bank,Uncategorised expenses,"),
        "{text}"
    );
    assert!(text.contains(",\"2026-01-02,Cafe,-12.50\"\r\n"), "15.7: as the file has it: {text}");
    let again = run(&cast, &file);
    assert_eq!(outcomes(&cast, &again), ["EXISTING", "EXISTING"]);
    let drafts = run_of(&cast, "account=Bank&drafts=true", &csv(&["2026-01-05,Unknown,-3"]));
    assert_eq!(drafts["counts"]["drafts"], 1);
    assert_eq!(labels(&find(&cast, "is:draft")), ["Unknown"]);
    assert_eq!(balance(&cast, "Bank"), "987.50");
}

/// 15.5, 15.9: records that rules check are checked, and the undo takes them back.
fn rule_15_5_rules_check_records(server: &Server) {
    let cast = book(server);
    let rules = "fields date, description, amount, state\ncheck %state\n";
    let body = json!({
        "name": "bank.rules", "content": base64(rules.as_bytes()),
        "properties": {"import_rules": cast.read("/accounts/Bank")["id"]},
    });
    cast.post("/files", &body).ok();
    let read = run(&cast, "2026-01-02,Cafe,-5,yes\n2026-01-03,Shop,-7,no\n");
    assert_eq!(outcomes(&cast, &read), ["NEW", "NEW"]);
    assert_eq!(labels(&find(&cast, "is:checked")), ["Cafe"]);
    shows(&undo(&cast, &read), &json!({"trashed": 2, "leftCount": 0}));
    assert_eq!(balance(&cast, "Bank"), "0.00");
}

/// 15.6, 15.8: a suggestion is accepted above a threshold only.
fn rule_15_6_suggestions_have_reasons(server: &Server) {
    let cast = book(server);
    for day in 1..=6 {
        post(
            &cast,
            &typed(&format!("2025-1{}-0{day}", day % 3), "9", "Bank", "Food", "NETFLIX plan"),
        );
    }
    let file = csv(&["2026-01-02,NETFLIX PLAN,-9.99", "2026-01-03,Kiosk,-2"]);
    let read = preview(&cast, &file);
    let netflix = records(&cast, &read)[0].clone();
    assert_eq!(netflix["suggestion"]["account"]["name"], "Food", "{netflix}");
    assert!(netflix["suggestion"]["reason"].as_str().expect("a reason").contains("6 of 6"));
    assert_eq!(netflix["uncategorised"], true, "it has no effect by itself");
    done(&cast, confirm(&cast, &read, &json!({"acceptAbove": 0.95})));
    assert_eq!(balance(&cast, "Food"), "63.99");
}
