//! Translation of the bodies of a trace to the input of use cases, as the HTTP layer does it.

use daybook_domain::account::{self, AccountRef};
use daybook_domain::field::Field;
use daybook_domain::file::{self, Attachment, Content};
use daybook_domain::group::{self, GroupRef};
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::Changes;
use daybook_service::account::Input as AccountInput;
use daybook_service::group::Input as GroupInput;

use super::Service;
use super::labels::Label;
use crate::sim::body::{AccountBody, Email, FileBody, GroupBody, Id, Named, TransactionBody};
use crate::sim::facts::{self, Resource};
use crate::sim::label;

impl Service {
    /// Translates a remote id. `merged_T7` means the link to a transaction (3.11.2), or itself if
    /// no transaction has that label.
    pub fn remote_id(&self, text: &str) -> String {
        let label = text.strip_prefix("merged_T").and_then(|number| number.parse().ok());
        let known = label.and_then(|label| self.labels.id(label::Transaction(label)));
        known.map_or_else(|| text.to_owned(), |id| format!("merged_{}", TransactionId::new(id)))
    }

    pub fn email(&self, email: &Email) -> String {
        match email {
            Email::Of(who) => self.users[*who].email.to_string(),
            Email::Uppercase(who) => self.users[*who].email.as_str().to_uppercase(),
            Email::Text(text) => text.clone(),
        }
    }

    pub fn file_changes(&self, body: &FileBody) -> file::Changes {
        file::Changes {
            id: body.id.map(|id| self.labels.text(id)),
            name: body.name.clone(),
            content_type: body.content_type.clone(),
            properties: body.properties.clone(),
            content: self.content(body),
        }
    }

    /// The content of a body, under a name of its own.
    pub fn content(&self, body: &FileBody) -> Option<Content> {
        let stored = |content: facts::Content| Content {
            blob: blob(body.label),
            size: content.size(),
            digest: content.digest(),
        };
        body.content.map(stored)
    }

    fn attachment(&self, entry: &FileBody) -> Attachment {
        let new = self.content(entry).map(|content| Box::new((self.file_changes(entry), content)));
        Attachment::Given { id: entry.id.map(|id| self.labels.text(id)), new }
    }

    /// The public id of a resource.
    pub fn resource_id(&self, resource: Resource) -> String {
        match resource {
            Resource::Book(label) => self.labels.key(label),
            Resource::Account(label) => self.labels.text(Id::Of(label)),
            Resource::Group(label) => self.labels.text(Id::Of(label)),
            Resource::Transaction(label) => self.labels.text(Id::Of(label)),
            Resource::File(label) => self.labels.text(Id::Of(label)),
            Resource::SavedQuery(label) => self.labels.text(Id::Of(label)),
            Resource::Comment(label) => self.labels.text(Id::Of(label)),
            Resource::Collaborator(label) => self.labels.text(Id::Of(label)),
            Resource::Integration(label) => self.labels.text(Id::Of(label)),
        }
    }

    pub fn account_ref(&self, named: &Named<label::Account>) -> AccountRef {
        AccountRef { id: named.id.map(|id| self.labels.text(id)), name: named.name.clone() }
    }

    pub fn group_ref(&self, named: &Named<label::Group>) -> GroupRef {
        GroupRef { id: named.id.map(|id| self.labels.text(id)), name: named.name.clone() }
    }

    /// A reference as a path or a query contains it: one text for id or name.
    pub fn named_text<L: Label>(&self, named: &Named<L>) -> String {
        named.id.map(|id| self.labels.text(id)).or_else(|| named.name.clone()).unwrap_or_default()
    }

    pub fn account_inputs(&self, items: &[AccountBody]) -> Vec<AccountInput> {
        let input = |body: &AccountBody| AccountInput {
            changes: account::Changes {
                id: body.id.map(|id| self.labels.text(id)),
                name: body.name.clone(),
                kind: body.kind,
                nature: body.nature,
                archived: body.archived,
                groups: Field::Keep,
                min_balance: body.min_balance.clone(),
                properties: body.properties.clone(),
            },
            groups: set(&body.groups, |groups| {
                groups.iter().map(|group| self.group_ref(group)).collect()
            }),
        };
        items.iter().map(input).collect()
    }

    pub fn group_inputs(&self, items: &[GroupBody]) -> Vec<GroupInput> {
        let input = |body: &GroupBody| GroupInput {
            changes: group::Changes {
                id: body.id.map(|id| self.labels.text(id)),
                name: body.name.clone(),
                parent: Field::Keep,
                hidden: body.hidden,
                locked: body.locked,
                properties: body.properties.clone(),
            },
            parent: set(&body.parent, |parent| self.group_ref(parent)),
        };
        items.iter().map(input).collect()
    }

    pub fn transaction_inputs(&self, items: &[TransactionBody]) -> Vec<Changes> {
        let input = |body: &TransactionBody| Changes {
            id: body.id.map(|id| self.labels.text(id)),
            date: body.date.clone(),
            amount: body.amount.clone(),
            description: body.description.clone(),
            credit: set(&body.credit, |side| self.account_ref(side)),
            debit: set(&body.debit, |side| self.account_ref(side)),
            checked: body.checked,
            draft: body.draft,
            urls: body.urls.clone(),
            remote_ids: body
                .remote_ids
                .as_ref()
                .map(|ids| ids.iter().map(|id| self.remote_id(id)).collect()),
            files: body
                .files
                .as_ref()
                .map(|files| files.iter().map(|file| self.attachment(file)).collect()),
            properties: body.properties.clone(),
            round_trip: body.round_trip,
        };
        items.iter().map(input).collect()
    }
}

/// The name of the bytes of a body.
pub fn blob(label: label::File) -> String {
    format!("blob-{}", label.0)
}

fn set<T, U>(field: &Field<T>, change: impl FnOnce(&T) -> U) -> Field<U> {
    match field {
        Field::Keep => Field::Keep,
        Field::Clear => Field::Clear,
        Field::Set(value) => Field::Set(change(value)),
    }
}
