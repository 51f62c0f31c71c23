//! The examples of behaviour 1.6, with the pattern dd/MM/yyyy on 2025-05-20.

use super::*;

#[test]
fn examples_of_transactions() {
    for (text, expected) in [
        ("account:'Bank' after:01/04/2014", "account:Bank [2014-04-01,)"),
        ("on:2025-01", "[2025-01-01,2025-02-01)"),
        ("after:$m-1 before:$m", "[2025-05-01,) [,2025-06-01)"),
        ("before:$m", "[,2025-06-01)"),
        ("after:$m-12 before:$m-6", "[2024-06-01,) [,2024-12-01)"),
        ("after:$m-3 before:$m+1", "[2025-03-01,) [,2025-07-01)"),
        ("on:$m-1", "[2025-04-01,2025-05-01)"),
        ("after:$y-1 before:$y", "[2025-01-01,) [,2026-01-01)"),
        ("before:$d", "[,2025-05-20)"),
        ("#fuel after:$d-4", "#fuel [2025-05-16,)"),
        ("after:15/$m", "[2025-05-15,)"),
        ("on: 25/01/2020", "[2020-01-25,2020-01-26)"),
        ("is:unchecked after:2025-01-01", "is:unchecked [2025-01-01,)"),
        (
            "acc:CreditCard after:28/01/2013 before:29/01/2013",
            "account:CreditCard [2013-01-28,) [,2013-01-29)",
        ),
        ("invoice_number:\"INV-2024-001\"", "{invoice_number=inv-2024-001}"),
        ("amount>=1000 AND amount<=5000", "amount>=1000 amount<=5000"),
        ("account:Cash account:Bank", "account:Cash account:Bank"),
        ("(#food OR #fuel) -is:checked", "(#food | #fuel) !is:checked"),
        ("account:'Credit Ca", "account:Credit Ca"),
    ] {
        check(text, expected);
    }
    check_whole("remoteId:abc is:trashed", "remote:abc is:trashed");
}

#[test]
fn examples_of_balances() {
    let query = balance("group:'COGS' #projectB on:2025");
    assert!(query.accounts.is_empty());
    assert_eq!((query.groups, query.tags), (vec!["COGS".to_owned()], vec!["projectb".to_owned()]));
    assert_eq!((query.from, query.until), (parse_iso("2025-01-01"), parse_iso("2026-01-01")));
    for (text, from, until) in [
        ("after:$m-12 before:$m-6", "2024-06-01", "2024-12-01"),
        ("before:$d", "", "2025-05-20"),
        ("after:15/$m", "2025-05-15", ""),
    ] {
        let query = balance(text);
        assert_eq!((query.from, query.until), (parse_iso(from), parse_iso(until)), "{text}");
    }
}
