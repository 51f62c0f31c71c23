//! Comments on transactions, from behaviour 3.14.

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Caller, Model, Tx};
use crate::sim::body::Id;
use crate::sim::facts::{Comment, Refusal, Resource, Transaction};
use crate::sim::label;

impl Model {
    /// Lists comments, oldest first. Only collaborators read them (3.14.2).
    pub fn list_comments(
        &self,
        caller: &Caller,
        id: Id<label::Transaction>,
    ) -> Result<Vec<Comment>, Refusal> {
        let found = self.get_transaction(caller, id.known());
        let (book, _) = self.enter(caller, super::may::READ_TRANSACTIONS)?;
        if !self.collaborates(book, caller) {
            return Err(Refusal::forbidden());
        }
        let of = found?.label;
        Ok(book.comments.values().filter(|one| one.transaction == of).cloned().collect())
    }
}

impl Tx {
    pub fn create_comment(
        &mut self,
        label: label::Comment,
        id: Id<label::Transaction>,
        text: &str,
    ) -> Result<Comment, Refusal> {
        let transaction = self.commented(id)?;
        let text = text.trim().to_owned();
        if text.is_empty() || text.chars().count() > 2_000 {
            return Err(Refusal::bad());
        }
        let Caller { who, agent, now, .. } = self.caller.clone();
        let comment = Comment { label, transaction, text, author: who, agent, created: now };
        self.book.comments.insert(label, comment.clone());
        self.commented_transaction(transaction).comments += 1;
        self.emit(EventType::CommentCreated, Resource::Comment(label));
        Ok(comment)
    }

    pub fn delete_comment(
        &mut self,
        id: Id<label::Transaction>,
        comment: Id<label::Comment>,
    ) -> Result<Comment, Refusal> {
        let transaction = self.commented(id)?;
        let found = comment.known().and_then(|label| self.book.comments.get(&label)).cloned();
        let comment = found.filter(|one| one.transaction == transaction);
        let comment = comment.ok_or_else(Refusal::missing)?;
        if comment.author != self.caller.who && self.permission != Permission::Owner {
            return Err(Refusal::forbidden());
        }
        self.book.comments.remove(&comment.label);
        self.commented_transaction(transaction).comments -= 1;
        self.emit(EventType::CommentDeleted, Resource::Comment(comment.label));
        Ok(comment)
    }

    /// Copies the comments on merged transactions to the result, oldest first (3.14.6).
    pub fn copy_comments(
        &mut self,
        originals: &[Transaction],
        result: label::Transaction,
        labels: &[label::Comment],
    ) {
        let of_original =
            |one: &&Comment| originals.iter().any(|original| original.label == one.transaction);
        let mut comments: Vec<Comment> =
            self.book.comments.values().filter(of_original).cloned().collect();
        comments.sort_by_key(|one| (one.created, one.label));
        for (comment, label) in comments.into_iter().zip(labels) {
            let copy = Comment { label: *label, transaction: result, ..comment };
            self.book.comments.insert(*label, copy);
            self.emit(EventType::CommentCreated, Resource::Comment(*label));
        }
    }

    /// A transaction that the caller, who must be a collaborator, may comment on.
    fn commented(&self, id: Id<label::Transaction>) -> Result<label::Transaction, Refusal> {
        if !self.book.collaborators.values().any(|one| one.email == self.email) {
            return Err(Refusal::forbidden());
        }
        self.visible(id).ok_or_else(Refusal::missing)
    }

    fn commented_transaction(&mut self, label: label::Transaction) -> &mut Transaction {
        self.book.transactions.get_mut(&label).expect("it was found")
    }
}
