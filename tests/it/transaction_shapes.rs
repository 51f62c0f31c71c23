//! The fields of a transaction derived from its text (3.9), and in lists (2.10).

use daybook_tests::{CASH_BANK_FOOD, Cast, Lunch, Server, shows};
use serde_json::json;

use crate::reading::{Faults, find, items, labels};

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "12.00" };

/// A book with Cash, Bank and Food.
fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

fn rule_3_9_1_hashtags(server: &Server) {
    let cast = cast(server);
    let rows: [(&str, &[&str]); 3] =
        [("no tags here", &[]), ("#a #A #a", &["a", "A"]), ("#café #with-dash", &["café", "with"])];
    let mut faults = Faults::default();
    for (description, tags) in rows {
        let made = LUNCH.create(&cast, json!({"description": description, "tags": ["wrong"]}));
        faults.same(description, &made["tags"], &json!(tags));
        faults.same("3.8.1: verbatim", &made["description"], &json!(description));
    }
    let made = LUNCH.create(&cast, json!({"description": "#old"}));
    let changed = cast
        .owner
        .put(
            &cast.path("/transactions"),
            &json!({"id": made["id"], "description": "#New", "tags": ["old"]}),
        )
        .ok();
    faults.same("recomputed", &changed["transaction"]["tags"], &json!(["New"]));
    faults.none();
}

fn rule_3_9_2_urls(server: &Server) {
    let cast = cast(server);
    let urls = json!(["https://example.com/a?b=c", "not a url", "https://example.com/a?b=c"]);
    let made = LUNCH.create(&cast, json!({"urls": urls}));
    assert_eq!(made["urls"], urls, "stored as given");
}

fn rule_2_10_list_rows(server: &Server) {
    let cast = cast(server);
    LUNCH.create(
        &cast,
        json!({"description": "t1 #tag", "properties": {"a": "b"}, "remoteIds": ["r"]}),
    );
    let list = find(&cast, "");
    let row = &items(&list)[0];
    let side = row["creditAccount"].as_object().expect("a side");
    for field in ["id", "name", "normalizedName", "type", "credit", "permanent", "archived"] {
        assert!(side.contains_key(field), "2.10: {field}: {row}");
    }
    assert!(!side.contains_key("groups"), "4.18: list rows use the short form: {row}");
    shows(row, &json!({"properties": {"a": "b"}, "remoteIds": ["r"], "tags": ["tag"]}));
    // Clients send those objects back: the id has precedence over the name.
    let mut copy = row.clone();
    copy["remoteIds"] = json!([]);
    copy["description"] = json!("t2");
    copy["creditAccount"]["name"] = json!("Renamed meanwhile");
    let repeated = cast.owner.post(&cast.path("/transactions"), &copy).ok();
    assert_eq!(repeated["transaction"]["creditAccount"]["name"], "Cash");
    assert_eq!(labels(&find(&cast, "")), ["t2", "t1"]);
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_3_9_1_hashtags, rule_3_9_2_urls, rule_2_10_list_rows,]
}
