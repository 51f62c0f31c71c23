//! copyBook (behaviour 6.6). It is one unit of work, so nobody sees half a copy and a refused copy
//! leaves nothing.

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::Account;
use daybook_domain::book::{Book, copy};
use daybook_domain::group::Group;
use daybook_domain::id::{AccountId, BookId, GroupId, SavedQueryId};
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Record, WriteChart, WriteSavedQueries};
use daybook_domain::saved_query::SavedQuery;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::book_state::Activity;
use daybook_storage::event::PostingCounts;
use daybook_storage::transaction::Copying;
use time::Date;

use super::View;
use crate::context::Context;
use crate::error::Result;
use crate::{access, event_log, zone};

/// The parameters of copyBook, still as text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its name.
    pub name: Option<String>,
    /// Whether the transactions are copied too.
    pub transactions: bool,
    /// The first day of the transactions to copy; ignored when they are not copied.
    pub from: Option<String>,
}

/// copyBook: copies settings, groups, accounts and saved queries and, for the owner of the source,
/// transactions. The caller owns the copy; its only event is its creation.
///
/// # Errors
/// What the access step refuses; a missing or refused name, an unreadable day, too many
/// transactions.
pub fn copy(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<View> {
    let source = access::enter(tx, cx, book, Action::CopyBook)?;
    if request.transactions {
        source.require(Action::CopyTransactions)?;
    }
    let settings = source.book().settings_of_copy(request.name.as_deref())?;
    let from = copy::first_day(request.from.as_deref())?;
    let owner_name = cx.user.username.clone();
    let scale = source.book().scale;
    let target = Book {
        id: BookId::new(0),
        key: cx.ids.book_key(),
        owner_name,
        settings,
        scale,
        stamp: cx.stamp(),
    };
    let target = super::establish(tx, cx, target)?;
    let accounts = chart(tx, cx, &source, &target.with_purpose(WriteChart)?)?;
    saved_queries(tx, cx, &source, &target.with_purpose(WriteSavedQueries)?)?;
    let posted = if request.transactions {
        transactions(tx, cx, (&source, &target.with_purpose(Record::Post)?), accounts, from)?
    } else {
        0
    };
    // Copied transactions count as posted now.
    let month = zone::month(cx.now, &target.book().settings.time_zone);
    let created = vec![target.book().created_event()];
    let posting_counts = PostingCounts::from([(month, posted)]);
    event_log::append_counted(tx, cx, &target, created, &posting_counts)?;
    let activity =
        Activity { posted, month, month_posted: posted, year_posted: posted, changed_at: cx.now };
    Ok(View::plain(target.into_access(), activity))
}

/// The id of an account and the id of its copy.
type Pair = (AccountId, AccountId);

/// Copies groups and accounts under new ids, oldest first. Nothing is posted on the copies yet.
fn chart(
    tx: &mut Tx<'_>,
    cx: &Context,
    source: &Access,
    target: &AccessTo<WriteChart>,
) -> Result<Vec<Pair>> {
    let mut groups = tx.groups().list(source)?;
    groups.sort_by_key(|group| group.id);
    let ids: HashMap<GroupId, GroupId> =
        groups.iter().map(|group| (group.id, GroupId::new(cx.mint()))).collect();
    let renumbered = |id: &GroupId| ids.get(id).copied();
    let copies = groups.iter().filter_map(|group| {
        let Group { id, name, parent, hidden, locked, properties, stamp: _ } = group.clone();
        let parent = parent.as_ref().and_then(renumbered);
        Some(Group {
            id: renumbered(&id)?,
            name,
            parent,
            hidden,
            locked,
            properties,
            stamp: cx.stamp(),
        })
    });
    tx.groups().insert(target, &copies.collect::<Vec<_>>())?;
    let mut accounts = tx.accounts().list(source)?;
    accounts.sort_by_key(|account| account.id);
    let pairs: Vec<Pair> =
        accounts.iter().map(|account| (account.id, AccountId::new(cx.mint()))).collect();
    let copies = accounts.into_iter().zip(&pairs).map(|(account, (_, id))| {
        let Account {
            id: _,
            name,
            kind,
            archived,
            balance_verified: _,
            has_transaction_posted: _,
            properties,
            groups,
            stamp: _,
        } = account;
        let groups = groups.iter().filter_map(renumbered).collect();
        let (id, stamp) = (*id, cx.stamp());
        Account {
            id,
            name,
            kind,
            archived,
            balance_verified: true,
            has_transaction_posted: false,
            properties,
            groups,
            stamp,
        }
    });
    tx.accounts().insert(target, &copies.collect::<Vec<_>>())?;
    Ok(pairs)
}

fn saved_queries(
    tx: &mut Tx<'_>,
    cx: &Context,
    source: &Access,
    target: &AccessTo<WriteSavedQueries>,
) -> Result<()> {
    let mut all = tx.saved_queries().list(source)?;
    all.sort_by_key(|saved| saved.id);
    let copies = all.into_iter().map(|saved| {
        let SavedQuery { id: _, title, query, stamp: _ } = saved;
        SavedQuery { id: SavedQueryId::new(cx.mint()), title, query, stamp: cx.stamp() }
    });
    Ok(tx.saved_queries().insert(target, &copies.collect::<Vec<_>>())?)
}

/// Copies drafts and posted transactions, checked or not. Returns how many are posted.
fn transactions(
    tx: &mut Tx<'_>,
    cx: &Context,
    (source, target): (&Access, &AccessTo<Record>),
    accounts: Vec<Pair>,
    from: Option<Date>,
) -> Result<i64> {
    let count = tx.transactions().count_copied(source, from)?;
    copy::check_size(count)?;
    let copying = Copying {
        accounts,
        from,
        numbers: cx.ids.reserve(cx.now, count),
        user: cx.user.id,
        stamp: cx.stamp(),
    };
    Ok(tx.transactions().copy(source, target, &copying)?)
}
