//! Which index ranges a search walks along: those of the terms that narrow most.

use daybook_domain::book::Book;
use daybook_domain::id::AccountId;
use daybook_domain::query::{Filter, Status, Term};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::{Search, Walk};
use crate::conn::on_each;
use crate::error::Result;
use crate::mark;
use crate::sql::Sql;
use crate::transaction::candidates::candidates;
use crate::tx::Tx;

/// Legs a path has at most: each repeats the whole condition, and a database plans each of them.
const MAX_LEGS: usize = 64;
/// Terms a path repeats at most, over all of its legs.
const MAX_REPEATED: usize = 2_000;
/// Blocks a path names at most: they stand in the text of the statement.
const MAX_BLOCKS: usize = 50_000;
/// A text in no more blocks of transactions than this is rarer than what most accounts hold.
const FEW_BLOCKS: i64 = 32;

/// A range of an index that a search walks along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transaction) enum Leg {
    /// One account's entries.
    Account(AccountId),
    /// One mark.
    Mark(String),
    /// Blocks of transactions whose texts may hold what is looked for.
    Blocks(Vec<i64>),
    /// The transactions behind this id, whose texts are not indexed yet.
    Tail(i64),
}

/// The way of a search through a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transaction) enum Path {
    /// All of it, by day.
    Book,
    /// These ranges, which together hold every match; with none of them nothing can match.
    Legs(Vec<Leg>),
}

/// How much a range is expected to narrow, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A remote id, a property with its value, a name nothing has.
    Exact,
    /// A text that occurs in few places.
    Rare,
    Account,
    Tag,
    /// Drafts, or the trash.
    Status,
    /// A property with any value.
    Key,
    /// The accounts of a group.
    Group,
    /// A text that still occurs in fewer places than a walk by day would pass.
    Text,
}

/// Ranges that together hold every match of a filter.
struct Course {
    rank: Rank,
    legs: Vec<Leg>,
}

impl Course {
    fn one(rank: Rank, leg: Leg) -> Self {
        Self { rank, legs: vec![leg] }
    }

    fn nowhere() -> Self {
        Self { rank: Rank::Exact, legs: Vec::new() }
    }
}

/// Finds the path of one search.
pub(in crate::transaction) struct Planner<'p, 's, 't, 'a> {
    pub(in crate::transaction) tx: &'p mut Tx<'t>,
    pub(in crate::transaction) book: &'s Book,
    pub(in crate::transaction) search: &'s Search<'a>,
    /// Rows of the page; all of them when there is none.
    pub(in crate::transaction) wanted: Option<i64>,
}

impl<'s, 'a> Planner<'_, 's, '_, 'a> {
    /// The search along the narrowest path there is.
    pub(in crate::transaction) fn walk(mut self) -> Result<Walk<'s, 'a>> {
        let path = self.path()?;
        Ok(Walk { search: self.search, path, lookup: self.tx.flushed_conn()?.lookup() })
    }

    fn path(&mut self) -> Result<Path> {
        let filter = self.search.filter;
        let own = self.search.drafts_of.map(|_| drafts_and_trash());
        let course = narrower(self.course(filter)?, own);
        let mut terms: usize = 1;
        filter.each_term(&mut |_| terms = terms.saturating_add(1));
        let blocks = |leg: &Leg| if let Leg::Blocks(blocks) = leg { blocks.len() } else { 0 };
        let bearable = |legs: &Vec<Leg>| {
            let few = legs.len() <= MAX_LEGS && legs.len().saturating_mul(terms) <= MAX_REPEATED;
            few && legs.iter().map(blocks).sum::<usize>() <= MAX_BLOCKS
        };
        Ok(course.map(|course| course.legs).filter(bearable).map_or(Path::Book, Path::Legs))
    }

    /// The narrowest ranges that hold every match of a filter; none when there is nothing but the
    /// book.
    fn course(&mut self, filter: &Filter) -> Result<Option<Course>> {
        match filter {
            Filter::All(filters) => self.all(filters),
            Filter::Any(filters) => self.any(filters),
            Filter::Not(_) => Ok(None),
            Filter::Term(Term::Text(_)) => self.all(std::slice::from_ref(filter)),
            Filter::Term(term) => self.term(term),
        }
    }

    /// One of the conditions is enough; texts, which cost a question, are tried where no other is
    /// narrow.
    fn all(&mut self, filters: &[Filter]) -> Result<Option<Course>> {
        let mut best = None;
        let mut texts = Vec::new();
        for filter in filters {
            if let Filter::Term(Term::Text(text)) = filter {
                texts.push(text.as_str());
            } else {
                best = narrower(best, self.course(filter)?);
            }
        }
        if texts.is_empty() || best.as_ref().is_some_and(|course| course.rank <= Rank::Rare) {
            return Ok(best);
        }
        Ok(narrower(best, self.texts(&texts)?))
    }

    /// All of the alternatives must have ranges; they are as narrow as the widest of them.
    fn any(&mut self, filters: &[Filter]) -> Result<Option<Course>> {
        let mut together = Course::nowhere();
        for filter in filters {
            let Some(course) = self.course(filter)? else { return Ok(None) };
            together.rank = together.rank.max(course.rank);
            for leg in course.legs {
                // Texts share the tail that is not indexed yet.
                if !together.legs.contains(&leg) {
                    together.legs.push(leg);
                }
            }
            if together.legs.len() > MAX_LEGS {
                return Ok(None);
            }
        }
        Ok(Some(together))
    }

    fn term(&mut self, term: &Term) -> Result<Option<Course>> {
        Ok(match term {
            Term::RemoteId(id) => Some(Course::one(Rank::Exact, Leg::Mark(mark::remote_id(id)))),
            Term::Property { key, value: Some(value) } => {
                Some(Course::one(Rank::Exact, Leg::Mark(mark::property(key, value))))
            }
            Term::Property { key, value: None } => {
                Some(Course::one(Rank::Key, Leg::Mark(mark::key(key))))
            }
            Term::Account(name) | Term::From(name) | Term::To(name) => {
                let account = self.search.names.accounts.get(name);
                Some(account.map_or_else(Course::nowhere, |id| {
                    Course::one(Rank::Account, Leg::Account(*id))
                }))
            }
            Term::Tag(tag) => Some(Course::one(Rank::Tag, Leg::Mark(mark::tag(tag)))),
            Term::Status(Status::Draft) => {
                Some(Course::one(Rank::Status, Leg::Mark(mark::DRAFT.to_owned())))
            }
            Term::Status(Status::Trashed) => {
                Some(Course::one(Rank::Status, Leg::Mark(mark::TRASHED.to_owned())))
            }
            Term::Group(name) => self.group(name)?,
            Term::Status(Status::Unchecked | Status::Checked | Status::Posted)
            | Term::Dated { .. }
            | Term::Amount { .. }
            | Term::HasError(_)
            | Term::Text(_)
            | Term::By(_)
            | Term::Agent(_)
            | Term::AccountType(_)
            | Term::HasFile
            | Term::HasUrl => None,
        })
    }

    /// The accounts of a group, when they are few enough to walk each.
    fn group(&mut self, name: &str) -> Result<Option<Course>> {
        let Some(groups) = self.search.names.groups.get(name) else {
            return Ok(Some(Course::nowhere()));
        };
        let most = i64::try_from(MAX_LEGS).unwrap_or(i64::MAX);
        let members = Sql::new(
            "SELECT DISTINCT m.account_id AS number FROM memberships m WHERE m.book_id = ",
        )
        .int(self.book.id.get());
        let members = members.push(" AND m.group_id IN ").numbers(groups.iter().map(|id| id.get()));
        let members = members.push(" LIMIT ").int(most.saturating_add(1)).uncached();
        let rows: Vec<Number> = on_each!(self.tx.flushed_conn()?, c => (&members).load(c))?;
        if rows.len() > MAX_LEGS {
            return Ok(None);
        }
        let legs = rows.into_iter().map(|row| Leg::Account(AccountId::new(row.number))).collect();
        Ok(Some(Course { rank: Rank::Group, legs }))
    }

    /// The blocks that may hold all of the texts, when that is less to read than what a walk by day
    /// passes before it has a page. The rarer they are, the longer that walk.
    fn texts(&mut self, texts: &[&str]) -> Result<Option<Course>> {
        let extent = self.tx.text_extent(self.book.id)?;
        let (all, wanted) = (extent.blocks(), self.wanted);
        let passed = |found: i64| {
            wanted.map_or(all, |wanted| {
                all.min(wanted.saturating_mul(all).checked_div(found).unwrap_or(all))
            })
        };
        let helps = |found: i64| found <= FEW_BLOCKS || found < passed(found);
        let blocks = candidates(self.tx, self.book.id, &extent, texts, helps)?;
        let found = blocks.as_ref().and_then(|blocks| i64::try_from(blocks.len()).ok());
        let Some((blocks, found)) = blocks.zip(found).filter(|(_, found)| helps(*found)) else {
            return Ok(None);
        };
        let rank = if found <= FEW_BLOCKS { Rank::Rare } else { Rank::Text };
        let indexed = (!blocks.is_empty()).then_some(Leg::Blocks(blocks));
        Ok(Some(Course {
            rank,
            legs: indexed.into_iter().chain([Leg::Tail(extent.until)]).collect(),
        }))
    }
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn drafts_and_trash() -> Course {
    Course {
        rank: Rank::Status,
        legs: [mark::DRAFT, mark::TRASHED].map(|mark| Leg::Mark(mark.to_owned())).into(),
    }
}

fn narrower(left: Option<Course>, right: Option<Course>) -> Option<Course> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if right.rank < left.rank { right } else { left }),
        (one, other) => one.or(other),
    }
}
