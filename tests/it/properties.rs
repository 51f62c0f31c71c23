//! Custom properties (4.6), identical on every resource that has them.

use daybook_tests::{Cast, Client, id};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    type Rule = fn(&Holder<'_>);
    let rules: [(&str, Rule); 6] = [
        ("keys_are_normalized", keys_are_normalized),
        ("lengths", lengths),
        ("blank_deletes", blank_deletes),
        ("update_merges", update_merges),
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
    let sent = " Äußere Number-1 ";
    let resource = holder.create(json!({sent: "v"}));
    assert_eq!(resource["properties"], json!({"äußere_number-1": "v"}));
    let updated = holder.update(&resource, json!({sent: "w"}));
    assert_eq!(updated["properties"], json!({"äußere_number-1": "w"}));
}

/// A key has at most 30 characters, a value at most 90,000 bytes, as a public app writes them.
fn lengths(holder: &Holder<'_>) {
    let resource = holder.create(json!({"é".repeat(30): "1", "long": "v".repeat(90_000)}));
    let before = holder.read(&resource);
    assert_eq!(before["properties"]["long"].as_str().map(str::len), Some(90_000));
    for (key, value, limit) in
        [("é".repeat(31), "v".to_owned(), "30"), ("long".to_owned(), "é".repeat(45_001), "90000")]
    {
        assert_eq!(holder.try_create(json!({&key: value})).0, 400, "{limit}");
        let update = json!({"id": id(&resource), "properties": {key: value}});
        let message = holder.owner().put(&holder.path(), &update).refused(400, "badRequest");
        assert!(message.contains(limit), "the limit is named: {message}");
    }
    assert_eq!(holder.read(&resource), before);
}

/// An empty, blank or null value deletes the key; on create it stores none.
fn blank_deletes(holder: &Holder<'_>) {
    for blank in [json!("  \t\n"), Value::Null] {
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

/// Values are text: not trimmed, not parsed.
fn values_are_stored_as_given(holder: &Holder<'_>) {
    let properties = json!({
        "spaces": "  kept  ", "number": "007", "json": "{\"a\": [1]}", "lines": "a\nb",
        "unicode": "日本 😀", "quote": "it's \"x\"", "_": "hidden only in user interfaces",
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
