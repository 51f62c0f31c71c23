//! A book with one caller of each kind.

use serde_json::{Value, json};

use crate::{Client, Server, unique};

/// A book with one caller of each kind, made through the API by its owner, all with e-mails of
/// their own.
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
    /// A signed-in user without any permission in the book.
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

    /// A book created from this body; a missing name is filled in.
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

    /// The path of something in the book: `/v5/books/{book}{rest}`.
    pub fn path(&self, rest: &str) -> String {
        format!("/v5/books/{}{rest}", self.book)
    }

    /// Gives a person a permission; returns the collaborator.
    #[track_caller]
    pub fn share(&self, email: &str, permission: &str) -> Value {
        self.owner
            .post(&self.path("/collaborators"), &json!({"email": email, "permission": permission}))
            .ok()
    }

    /// The owner `from` gives the book to somebody, who accepts it; returns it as `to` sees it.
    #[track_caller]
    pub fn give(&self, from: &Client, to: &Client) -> Value {
        give(&self.book, from, to)
    }

    /// An account of a type (`ASSET`, ...), created by the owner.
    #[track_caller]
    pub fn account(&self, name: &str, kind: &str) -> Value {
        self.owner.post(&self.path("/accounts"), &json!({"name": name, "type": kind})).ok()
    }

    /// An account in these groups (by name).
    #[track_caller]
    pub fn account_in(&self, name: &str, kind: &str, groups: &[&str]) -> Value {
        let groups: Vec<Value> = groups.iter().map(|group| json!({"name": group})).collect();
        self.owner
            .post(&self.path("/accounts"), &json!({"name": name, "type": kind, "groups": groups}))
            .ok()
    }

    /// A root group, created by the owner.
    #[track_caller]
    pub fn group(&self, name: &str) -> Value {
        self.owner.post(&self.path("/groups"), &json!({"name": name})).ok()
    }

    /// A group under another one (by name).
    #[track_caller]
    pub fn group_under(&self, name: &str, parent: &str) -> Value {
        self.owner
            .post(&self.path("/groups"), &json!({"name": name, "parent": {"name": parent}}))
            .ok()
    }

    /// createTransaction as the owner, with this body; returns the transaction.
    #[track_caller]
    pub fn create(&self, body: &Value) -> Value {
        self.owner.post(&self.path("/transactions"), body).ok()["transaction"].clone()
    }

    /// createTransaction as the owner, with the accounts by name; returns the transaction.
    #[track_caller]
    #[expect(
        clippy::too_many_arguments,
        reason = "read as a line of a journal, which has these columns"
    )]
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

    /// The callers who may see the book, with their permission.
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

/// The owner of a book gives it to somebody, who accepts it; returns it as they see it.
#[track_caller]
pub fn give(book: &str, from: &Client, to: &Client) -> Value {
    let path = format!("/v5/books/{book}/transfer");
    let given = from.post(&path, &json!({"email": to.email()})).ok();
    if given["permission"] == "OWNER" {
        return to.send("POST", &format!("{path}/accept"), &Value::Null).ok();
    }
    // They had asked for it.
    to.get(&format!("/v5/books/{book}")).ok()
}

/// Accounts that most cases need: name and type.
pub const CASH_AND_FOOD: [(&str, &str); 2] = [("Cash", "ASSET"), ("Food", "OUTGOING")];
/// The same with a second account to pay from.
pub const CASH_BANK_FOOD: [(&str, &str); 3] =
    [("Cash", "ASSET"), ("Bank", "ASSET"), ("Food", "OUTGOING")];

/// What most cases record: a lunch paid from Cash.
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

    /// createTransaction as the owner; returns the transaction.
    #[track_caller]
    pub fn create(self, cast: &Cast, fields: Value) -> Value {
        cast.create(&self.with(fields))
    }
}
