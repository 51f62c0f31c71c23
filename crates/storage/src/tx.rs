//! The unit of work: one database transaction, with an accessor for each noun.

use std::collections::{HashMap, HashSet};

use daybook_domain::id::BookId;

use crate::book::{Books, HeadRow};
use crate::conn::Conn;
use crate::dialect::Use;
use crate::error::Result;
use crate::{account, balance, collaborator, collection, event, group, saved_query, transaction, user};

/// A unit of work. On a read it is one snapshot; on a write everything in it becomes durable together.
pub struct Tx<'a> {
    pub(crate) conn: &'a mut Conn,
    pub(crate) purpose: Use,
    /// Books whose row lock this unit holds already.
    pub(crate) locked: HashSet<String>,
    /// Where the chains of the entered books end, as this unit has moved them.
    pub(crate) heads: HashMap<BookId, HeadRow>,
    open: bool,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(conn: &'a mut Conn, purpose: Use) -> Self {
        Self { conn, purpose, locked: HashSet::new(), heads: HashMap::new(), open: true }
    }

    /// Users.
    pub fn users(&mut self) -> user::Users<'_, 'a> {
        user::Users { tx: self }
    }

    /// Books.
    pub fn books(&mut self) -> Books<'_, 'a> {
        Books { tx: self }
    }

    /// Collaborators of a book.
    pub fn collaborators(&mut self) -> collaborator::Collaborators<'_, 'a> {
        collaborator::Collaborators { tx: self }
    }

    /// Accounts of a book.
    pub fn accounts(&mut self) -> account::Accounts<'_, 'a> {
        account::Accounts { tx: self }
    }

    /// Groups of a book.
    pub fn groups(&mut self) -> group::Groups<'_, 'a> {
        group::Groups { tx: self }
    }

    /// Transactions of a book.
    pub fn transactions(&mut self) -> transaction::Transactions<'_, 'a> {
        transaction::Transactions { tx: self }
    }

    /// Balance totals of a book.
    pub fn balances(&mut self) -> balance::Balances<'_, 'a> {
        balance::Balances { tx: self }
    }

    /// Saved queries of a book.
    pub fn saved_queries(&mut self) -> saved_query::SavedQueries<'_, 'a> {
        saved_query::SavedQueries { tx: self }
    }

    /// Collections of users.
    pub fn collections(&mut self) -> collection::Collections<'_, 'a> {
        collection::Collections { tx: self }
    }

    /// The event log of a book.
    pub fn events(&mut self) -> event::Events<'_, 'a> {
        event::Events { tx: self }
    }

    /// Asks the database for an answer, any answer.
    ///
    /// # Errors
    /// When there is none.
    pub fn ping(&mut self) -> Result<()> {
        self.conn.execute(&crate::sql::Sql::new("SELECT 1"))?;
        Ok(())
    }

    pub(crate) fn open_savepoint(&mut self) -> Result<()> {
        self.forget();
        Ok(self.conn.savepoint()?)
    }

    pub(crate) fn close_savepoint(&mut self) -> Result<()> {
        Ok(self.conn.release()?)
    }

    /// Undoes the innermost level; a lone unit of work is over then.
    pub(crate) fn undo(&mut self, alone: bool) -> Result<()> {
        self.forget();
        if alone {
            self.open = false;
            return Ok(self.conn.rollback()?);
        }
        Ok(self.conn.undo()?)
    }

    /// Commits, unless the only work was undone already.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if self.open {
            self.open = false;
            self.conn.commit()?;
        }
        Ok(())
    }

    pub(crate) fn abandon(&mut self) -> Result<()> {
        self.open = false;
        Ok(self.conn.rollback()?)
    }

    /// What was remembered belongs to one savepoint: a rollback releases its locks and undoes its numbers.
    fn forget(&mut self) {
        self.locked.clear();
        self.heads.clear();
    }
}
