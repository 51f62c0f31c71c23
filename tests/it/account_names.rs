//! Names of accounts and groups (4.3 - 4.5): normalization, lookup and uniqueness. Each case runs
//! for accounts and for groups.

use daybook_tests::{Cast, Server, column, encode, id};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    type Rule = fn(&Cast, &str);
    let rules: [(&str, Rule); 7] = [
        ("normalized_names", normalized_names),
        ("look_up_by_name", look_up_by_name),
        ("id_wins_over_name", id_wins_over_name),
        ("duplicates_are_refused", duplicates_are_refused),
        ("rename", rename),
        ("rename_to_a_taken_name", rename_to_a_taken_name),
        ("length_and_padding", length_and_padding),
    ];
    let mut cases = crate::cases![account_and_group_may_have_the_same_name];
    for kind in ["accounts", "groups"] {
        for (name, rule) in rules {
            cases.push(Case::shared(format!("{kind}_{name}"), move |server| {
                rule(&Cast::new(server), kind)
            }));
        }
    }
    cases
}

/// 4.3. The domain crate tests the full table.
fn normalized_names(cast: &Cast, kind: &str) {
    for (name, normalized) in [("Á é î-õ ú ão", "a_e_i_o_u_ao"), ("R&D (EU), a.b", "r&d_(eu),_a.b")]
    {
        let created = create(cast, kind, name);
        daybook_tests::shows(&created, &json!({"name": name, "normalizedName": normalized}));
    }
}

fn create(cast: &Cast, kind: &str, name: &str) -> Value {
    cast.post(&format!("/{kind}"), &json!({"name": name})).ok()
}

fn find_id(cast: &Cast, kind: &str, name: &str) -> Value {
    cast.read(&format!("/{kind}/{}", encode(name)))["id"].clone()
}

/// 4.4: id first, then normalized name.
fn look_up_by_name(cast: &Cast, kind: &str) {
    let created = create(cast, kind, "Current Assets/é");
    for name in [
        "Current Assets/é",
        "current_assets/e",
        "CURRENT ASSETS/É",
        "current-assets/e",
        "  Current_ assets/É ",
    ] {
        assert_eq!(find_id(cast, kind, name), created["id"], "{name:?}");
    }
    for name in ["current", "Current Assets", "current_assets/", "currentassets/e", "%", "_"] {
        cast.get(&format!("/{kind}/{}", encode(name))).refused(404, "notFound");
    }
}

/// 0.14: the name of one account may equal the id of another.
fn id_wins_over_name(cast: &Cast, kind: &str) {
    let first = create(cast, kind, "First");
    let second = create(cast, kind, id(&first));
    assert_eq!(second["name"], first["id"]);
    assert_eq!(find_id(cast, kind, id(&first)), first["id"]);
    let short = create(cast, kind, "4711");
    assert_eq!(find_id(cast, kind, "4711"), short["id"], "a short number is not taken for an id");
    // After the account with that id is deleted, the name matches.
    cast.delete(&format!("/{kind}/{}", id(&first))).ok();
    assert_eq!(find_id(cast, kind, id(&first)), second["id"]);
}

/// 4.5: unique by normalized name.
fn duplicates_are_refused(cast: &Cast, kind: &str) {
    create(cast, kind, "Current Assets");
    for name in ["Current Assets", "current assets", "CURRENT_ASSETS", " Currént-Assets "] {
        let message =
            cast.post(&format!("/{kind}"), &json!({"name": name})).refused(400, "badRequest");
        assert!(message.contains("already exists"), "4.5: {message}");
    }
    assert_eq!(column(&cast.read(&format!("/{kind}")), "name"), ["Current Assets"]);
}

fn put(cast: &Cast, kind: &str, body: &Value) -> daybook_tests::Answer {
    cast.put(&format!("/{kind}"), body)
}

/// Renaming updates the normalized name and frees the old one. Another spelling of the own name is
/// not a duplicate.
fn rename(cast: &Cast, kind: &str) {
    let created = create(cast, kind, "Old Name");
    let renamed = put(cast, kind, &json!({"id": id(&created), "name": "  New Náme "})).ok();
    daybook_tests::shows(
        &renamed,
        &json!({"id": created["id"], "name": "New Náme", "normalizedName": "new_name"}),
    );
    assert_eq!(find_id(cast, kind, "new name"), created["id"]);
    cast.get(&format!("/{kind}/old_name")).refused(404, "notFound");
    let next = create(cast, kind, "Old Name");
    assert_eq!(find_id(cast, kind, "Old Name"), next["id"]);
    let respelled = put(cast, kind, &json!({"id": id(&next), "name": "OLD-NAME"})).ok();
    daybook_tests::shows(&respelled, &json!({"name": "OLD-NAME", "normalizedName": "old_name"}));
}

/// 4.5: a duplicate rename answers 400.
fn rename_to_a_taken_name(cast: &Cast, kind: &str) {
    create(cast, kind, "Taken");
    let created = create(cast, kind, "Free");
    let message =
        put(cast, kind, &json!({"id": id(&created), "name": "TAKEN"})).refused(400, "badRequest");
    assert!(message.contains("already exists"), "4.5: {message}");
    assert_eq!(find_id(cast, kind, "Free"), created["id"]);
    // 4.5: a name is required.
    put(cast, kind, &json!({"id": id(&created), "name": "  "})).refused(400, "badRequest");
}

/// 4.5: trimmed, non-empty, at most 255 characters.
fn length_and_padding(cast: &Cast, kind: &str) {
    let path = cast.path(&format!("/{kind}"));
    assert_eq!(create(cast, kind, " \t padded \n ")["name"], "padded");
    create(cast, kind, &"é".repeat(255));
    // 4.5: also invisible and control characters, which make two names look alike.
    for name in [&"é".repeat(256), "", "\t\n", "Ca\u{200b}sh", "Ca\nsh"] {
        cast.owner.post(&path, &json!({"name": name})).refused(400, "badRequest");
    }
    assert_eq!(cast.owner.get(&path).ok()["items"].as_array().map(Vec::len), Some(2));
}

/// 4.5: account names are unique among accounts, group names among groups.
fn account_and_group_may_have_the_same_name(server: &Server) {
    let cast = Cast::new(server);
    let (account, group) = (create(&cast, "accounts", "Cash"), create(&cast, "groups", "Cash"));
    assert_eq!(find_id(&cast, "accounts", "Cash"), account["id"]);
    assert_eq!(find_id(&cast, "groups", "Cash"), group["id"]);
    cast.get(&format!("/accounts/{}", id(&group))).refused(404, "notFound");
    cast.get(&format!("/groups/{}", id(&account))).refused(404, "notFound");
}
