//! A book with one caller of each permission.

use serde_json::{Value, json};

use crate::{Answer, Client, Server, id, unique};

/// A book with one caller of each permission, each with a unique e-mail address.
pub struct Cast {
    /// The id of the book.
    pub book: String,
    /// OWNER.
    pub owner: Client,
    /// EDITOR.
    pub editor: Client,
    /// POSTER.
    pub poster: Client,
    /// RECORDER.
    pub recorder: Client,
    /// VIEWER.
    pub viewer: Client,
    /// A signed-in user without a permission in the book.
    pub stranger: Client,
    /// A caller without a token.
    pub anonymous: Client,
}

impl Cast {
    /// A book with the default settings.
    #[track_caller]
    pub fn new(server: &Server) -> Cast {
        Cast::with_settings(server, json!({}))
    }

    /// A book created from this body; a missing name is added.
    #[track_caller]
    pub fn with_settings(server: &Server, mut book: Value) -> Cast {
        let kinds = ["owner", "editor", "poster", "recorder", "viewer", "stranger"];
        let emails = kinds.map(|kind| format!("{}@example.com", unique(kind)));
        let [owner, editor, poster, recorder, viewer, stranger] =
            server.clients(&emails).try_into().unwrap_or_else(|_| panic!("a caller for each"));
        if book["name"].is_null() {
            book["name"] = json!(unique("Book"));
        }
        let created = owner.post("/v5/books", &book).ok();
        let cast = Cast {
            book: created["id"].as_str().expect("a book has an id").to_owned(),
            editor,
            poster,
            recorder,
            viewer,
            stranger,
            anonymous: server.anonymous(),
            owner,
        };
        let shares = [
            (&cast.editor, "EDITOR"),
            (&cast.poster, "POSTER"),
            (&cast.recorder, "RECORDER"),
            (&cast.viewer, "VIEWER"),
        ];
        for (person, permission) in shares {
            cast.share(person.email(), permission);
        }
        cast
    }

    /// A book with these accounts: name and type.
    #[track_caller]
    pub fn with_accounts(server: &Server, accounts: &[(&str, &str)]) -> Cast {
        let cast = Cast::new(server);
        for (name, kind) in accounts {
            cast.account(name, kind);
        }
        cast
    }

    /// The path of a resource in the book: `/v5/books/{book}{rest}`.
    pub fn path(&self, rest: &str) -> String {
        format!("/v5/books/{}{rest}", self.book)
    }

    /// GET of a path in the book as the owner.
    #[track_caller]
    pub fn get(&self, rest: &str) -> Answer {
        self.owner.get(&self.path(rest))
    }

    /// The body of a GET of a path in the book as the owner.
    #[track_caller]
    pub fn read(&self, rest: &str) -> Value {
        self.get(rest).ok()
    }

    /// POST to a path in the book as the owner.
    #[track_caller]
    pub fn post(&self, rest: &str, body: &Value) -> Answer {
        self.owner.post(&self.path(rest), body)
    }

    /// PUT to a path in the book as the owner.
    #[track_caller]
    pub fn put(&self, rest: &str, body: &Value) -> Answer {
        self.owner.put(&self.path(rest), body)
    }

    /// PATCH of a path in the book as the owner.
    #[track_caller]
    pub fn patch(&self, rest: &str, body: &Value) -> Answer {
        self.owner.patch(&self.path(rest), body)
    }

    /// DELETE of a path in the book as the owner.
    #[track_caller]
    pub fn delete(&self, rest: &str) -> Answer {
        self.owner.delete(&self.path(rest))
    }

    /// Gives a user a permission; returns the collaborator.
    #[track_caller]
    pub fn share(&self, email: &str, permission: &str) -> Value {
        self.post("/collaborators", &json!({"email": email, "permission": permission})).ok()
    }

    /// Transfers the book from its owner to a user, who accepts; returns the book as the new owner
    /// sees it.
    #[track_caller]
    pub fn give(&self, from: &Client, to: &Client) -> Value {
        give(&self.book, from, to)
    }

    /// Creates an account of a type (`ASSET`, ...) as the owner.
    #[track_caller]
    pub fn account(&self, name: &str, kind: &str) -> Value {
        self.post("/accounts", &json!({"name": name, "type": kind})).ok()
    }

    /// Creates an account in these groups (by name).
    #[track_caller]
    pub fn account_in(&self, name: &str, kind: &str, groups: &[&str]) -> Value {
        let groups: Vec<Value> = groups.iter().map(|group| json!({"name": group})).collect();
        self.post("/accounts", &json!({"name": name, "type": kind, "groups": groups})).ok()
    }

    /// Creates a root group as the owner.
    #[track_caller]
    pub fn group(&self, name: &str) -> Value {
        self.post("/groups", &json!({"name": name})).ok()
    }

    /// Creates a group below another one (by name).
    #[track_caller]
    pub fn group_under(&self, name: &str, parent: &str) -> Value {
        self.post("/groups", &json!({"name": name, "parent": {"name": parent}})).ok()
    }

    /// Calls createTransaction as the owner; returns the transaction.
    #[track_caller]
    pub fn create(&self, body: &Value) -> Value {
        self.post("/transactions", body).ok()["transaction"].clone()
    }

    /// Calls createTransaction as the owner, with the accounts by name; returns the transaction.
    #[track_caller]
    pub fn record(
        &self,
        date: &str,
        amount: &str,
        credit: &str,
        debit: &str,
        description: &str,
    ) -> Value {
        let body = json!({
            "date": date,
            "amount": amount,
            "creditAccount": {"name": credit},
            "debitAccount": {"name": debit},
            "description": description,
        });
        self.create(&body)
    }

    /// Comments on a transaction as the owner; returns the comment.
    #[track_caller]
    pub fn comment(&self, transaction: &Value, text: &str) -> Value {
        let path = format!("/transactions/{}/comments", id(transaction));
        self.post(&path, &json!({"text": text})).ok()
    }

    /// The collaborators with their permissions.
    pub fn members(&self) -> [(&'static str, &Client); 5] {
        [
            ("OWNER", &self.owner),
            ("EDITOR", &self.editor),
            ("POSTER", &self.poster),
            ("RECORDER", &self.recorder),
            ("VIEWER", &self.viewer),
        ]
    }
}

/// Transfers a book from its owner to a user, who accepts; returns the book as the new owner sees
/// it.
#[track_caller]
pub fn give(book: &str, from: &Client, to: &Client) -> Value {
    let path = format!("/v5/books/{book}/transfer");
    let given = from.post(&path, &json!({"email": to.email()})).ok();
    if given["permission"] == "OWNER" {
        return to.send("POST", &format!("{path}/accept"), &Value::Null).ok();
    }
    // The new owner had requested it.
    to.get(&format!("/v5/books/{book}")).ok()
}

/// The accounts that most cases need: name and type.
pub const CASH_AND_FOOD: [(&str, &str); 2] = [("Cash", "ASSET"), ("Food", "OUTGOING")];
/// The accounts that most cases need, with a second one to pay from.
pub const CASH_BANK_FOOD: [(&str, &str); 3] =
    [("Cash", "ASSET"), ("Bank", "ASSET"), ("Food", "OUTGOING")];

/// The transaction that most cases record: a lunch paid from Cash.
#[derive(Clone, Copy, Debug)]
pub struct Lunch {
    /// Its day.
    pub date: &'static str,
    /// Its amount.
    pub amount: &'static str,
}

impl Lunch {
    /// The complete body, with some fields replaced.
    #[track_caller]
    pub fn with(self, fields: Value) -> Value {
        let mut body = json!({
            "date": self.date,
            "amount": self.amount,
            "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"},
            "description": "Lunch",
        });
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        body
    }

    /// Calls createTransaction as the owner; returns the transaction.
    #[track_caller]
    pub fn create(self, cast: &Cast, fields: Value) -> Value {
        cast.create(&self.with(fields))
    }
}
