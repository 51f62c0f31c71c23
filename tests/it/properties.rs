//! Custom properties (4.6), identical on every resource that has them.

use daybook_tests::{Cast, Client, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    type Rule = fn(&Holder<'_>);
    let rules: [(&str, Rule); 8] = [
        ("keys_are_normalized", keys_are_normalized),
        ("key_length", key_length),
        ("value_length", value_length),
        ("blank_deletes", blank_deletes),
        ("update_merges", update_merges),
        ("hidden_keys_are_ordinary", hidden_keys_are_ordinary),
        ("values_are_stored_as_given", values_are_stored_as_given),
        ("none_is_an_empty_object", none_is_an_empty_object),
    ];
    let mut cases = Vec::new();
    for kind in ["book", "account", "group", "transaction"] {
        for (name, rule) in rules {
            cases.push(Case::shared(format!("{kind}_{name}"), move |server| {
                let cast = Cast::new(server);
                rule(&Holder { kind, cast: &cast });
            }));
        }
    }
    cases
}

/// A resource with properties.
struct Holder<'a> {
    kind: &'static str,
    cast: &'a Cast,
}

impl Holder<'_> {
    fn owner(&self) -> &Client {
        &self.cast.owner
    }

    fn path(&self) -> String {
        match self.kind {
            "book" => "/v5/books".to_owned(),
            kind => self.cast.path(&format!("/{kind}s")),
        }
    }

    /// Creates a resource with these properties; returns the status and the resource.
    #[track_caller]
    fn try_create(&self, properties: Value) -> (u16, Value) {
        let mut body = json!({"name": daybook_tests::unique("Holder")});
        if !properties.is_null() {
            body["properties"] = properties;
        }
        let answer = self.owner().post(&self.path(), &body);
        (answer.status, self.resource(answer.body))
    }

    #[track_caller]
    fn create(&self, properties: Value) -> Value {
        let (status, resource) = self.try_create(properties);
        assert_eq!(status, 200);
        resource
    }

    #[track_caller]
    fn update(&self, resource: &Value, properties: Value) -> Value {
        let answer =
            self.owner().put(&self.path(), &json!({"id": id(resource), "properties": properties}));
        let updated = self.resource(answer.ok());
        assert_eq!(
            self.read(resource)["properties"],
            updated["properties"],
            "the answer shows what is stored"
        );
        updated
    }

    fn read(&self, resource: &Value) -> Value {
        self.owner().get(&format!("{}/{}", self.path(), id(resource))).ok()
    }

    fn resource(&self, body: Value) -> Value {
        if self.kind == "transaction" && body["transaction"].is_object() {
            body["transaction"].clone()
        } else {
            body
        }
    }
}

/// Trimmed, lower-cased, spaces become `_`.
fn keys_are_normalized(holder: &Holder<'_>) {
    let table = [
        ("testKey", "testkey"),
        ("  padded  ", "padded"),
        ("Invoice Number", "invoice_number"),
        ("ÄÖÜ", "äöü"),
        ("with-dash.and/slash", "with-dash.and/slash"),
        ("two  spaces", "two__spaces"),
        ("already_lower", "already_lower"),
    ];
    for (sent, stored) in table {
        let resource = holder.create(json!({sent: "v"}));
        assert_eq!(resource["properties"], json!({stored: "v"}), "{sent:?}");
        let updated = holder.update(&resource, json!({sent: "w"}));
        assert_eq!(updated["properties"], json!({stored: "w"}), "{sent:?} on update");
    }
}

/// A key longer than 30 characters after normalization answers 400; characters, not bytes.
fn key_length(holder: &Holder<'_>) {
    let remaining = ["k".repeat(30), "é".repeat(30), format!("   {}   ", "k".repeat(30))];
    for key in remaining {
        assert_eq!(holder.try_create(json!({&key: "v"})).0, 200, "{key:?}");
    }
    let resource = holder.create(json!({"kept": "1"}));
    for key in ["k".repeat(31), "é".repeat(31), format!("a {}", "k".repeat(29))] {
        assert_eq!(holder.try_create(json!({&key: "v"})).0, 400, "{key:?}");
        let update = json!({"id": id(&resource), "properties": {&key: "v", "kept": "2"}});
        let message = holder.owner().put(&holder.path(), &update).refused(400, "badRequest");
        assert!(message.contains("30"), "the limit is named: {message}");
    }
    assert_eq!(holder.read(&resource)["properties"], json!({"kept": "1"}));
}

/// A value has at most 90,000 bytes, as a public app writes them.
fn value_length(holder: &Holder<'_>) {
    let resource = holder.create(json!({"long": "v".repeat(90_000)}));
    assert_eq!(resource["properties"]["long"].as_str().map(str::len), Some(90_000));
    for value in ["v".repeat(90_001), "é".repeat(45_001)] {
        assert_eq!(holder.try_create(json!({"long": value})).0, 400);
        let update = json!({"id": id(&resource), "properties": {"long": value}});
        holder.owner().put(&holder.path(), &update).refused(400, "badRequest");
    }
}

/// An empty, blank or null value deletes the key; on create it stores none.
fn blank_deletes(holder: &Holder<'_>) {
    for blank in [json!(""), json!("   "), json!("\t\n"), Value::Null] {
        let resource = holder.create(json!({"gone": "1", "kept": "2", "never": blank}));
        assert_eq!(resource["properties"], json!({"gone": "1", "kept": "2"}), "{blank} on create");
        // Under another spelling of the key.
        let updated = holder.update(&resource, json!({"Gone": blank, "unknown": blank}));
        assert_eq!(updated["properties"], json!({"kept": "2"}), "{blank}");
    }
}

/// Keys present are set or deleted, absent keys stay; absent or empty `properties` change nothing.
fn update_merges(holder: &Holder<'_>) {
    let resource = holder.create(json!({"a": "1", "b": "2"}));
    let updated = holder.update(&resource, json!({"b": "3", "c": "4"}));
    assert_eq!(updated["properties"], json!({"a": "1", "b": "3", "c": "4"}));
    assert_eq!(holder.update(&resource, json!({})).get("properties"), updated.get("properties"));
    let without = holder.owner().put(&holder.path(), &json!({"id": id(&resource)}));
    assert_eq!(holder.resource(without.ok())["properties"], updated["properties"]);
    // A round trip (`createdAt` present) merges like any update.
    let mut whole = holder.read(&resource);
    whole["properties"] = json!({"d": "5"});
    let merged = holder.resource(holder.owner().put(&holder.path(), &whole).ok());
    assert_eq!(merged["properties"], json!({"a": "1", "b": "3", "c": "4", "d": "5"}));
}

/// Keys ending in `_` are hidden only in user interfaces.
fn hidden_keys_are_ordinary(holder: &Holder<'_>) {
    let resource = holder.create(json!({"parent_account_": "x", "_": "y"}));
    shows(&resource["properties"], &json!({"parent_account_": "x"}));
    let updated = holder.update(&resource, json!({"parent_account_": ""}));
    shows(&updated["properties"], &json!({"parent_account_": null}));
}

/// Values are text: not trimmed, not parsed.
fn values_are_stored_as_given(holder: &Holder<'_>) {
    let properties = json!({
        "spaces": "  kept  ", "number": "007", "json": "{\"a\": [1]}", "lines": "a\nb",
        "unicode": "日本 😀", "quote": "it's \"x\"",
    });
    let resource = holder.create(properties.clone());
    assert_eq!(resource["properties"], properties);
    assert_eq!(holder.read(&resource)["properties"], properties);
}

fn none_is_an_empty_object(holder: &Holder<'_>) {
    for properties in [Value::Null, json!({})] {
        let resource = holder.create(properties);
        assert_eq!(resource["properties"], json!({}));
        assert_eq!(holder.read(&resource)["properties"], json!({}));
    }
}
