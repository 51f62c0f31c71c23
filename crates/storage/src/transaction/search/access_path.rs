//! Which index ranges a search reads: those of the terms that narrow most.

use daybook_domain::book::Book;
use daybook_domain::id::AccountId;
use daybook_domain::query::{Filter, Status, Term};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::{Search, SearchPlan};
use crate::conn::on_engine;
use crate::error::Result;
use crate::index_term;
use crate::sql::Sql;
use crate::transaction::candidate_blocks::candidate_blocks;
use crate::tx::Tx;

/// Ranges a path has at most: each repeats the whole condition, that of an account twice, and an
/// engine plans each of them, but for a page of accounts alone on PostgreSQL.
const MAX_RANGES: usize = 64;
/// Terms of the conditions of all ranges at most, those of an account counted once.
const MAX_REPEATED: usize = 2_000;
/// Blocks a path names at most: they stand in the text of the statement.
const MAX_BLOCKS: usize = 50_000;
/// A text in no more blocks of transactions than this is rarer than what most accounts hold.
const FEW_BLOCKS: i64 = 32;

/// A range of an index that a search reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transaction) enum IndexRange {
    /// The transactions of one account: two ranges, one for each side, which share nothing
    /// (behaviour 3.2.8).
    Account(AccountId),
    /// Those that credit an account.
    Credit(AccountId),
    /// Those that debit an account.
    Debit(AccountId),
    /// What is indexed under one term.
    Term(String),
    /// Blocks of transactions whose texts may hold what is looked for.
    Blocks(Vec<i64>),
    /// The transactions behind this id, whose texts are not indexed yet.
    Tail(i64),
    /// The transactions with an event that an app answered with an error.
    Errors,
}

impl IndexRange {
    /// The account, when this is all of one.
    pub(in crate::transaction) const fn account(&self) -> Option<AccountId> {
        if let Self::Account(account) = self { Some(*account) } else { None }
    }
}

/// How a search finds the rows it tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transaction) enum AccessPath {
    /// By day, through the whole book.
    Book,
    /// These ranges, which together hold every match; with none of them nothing can match.
    Ranges(Vec<IndexRange>),
}

/// How much a range is expected to narrow, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A remote id, a property with its value, a name that nothing has.
    Exact,
    /// A text in few blocks.
    Rare,
    Account,
    Tag,
    /// Drafts, the trash, or those with an error.
    Status,
    /// A property with any value.
    Key,
    /// The accounts of a group.
    Group,
    /// A text in fewer blocks than a read by day would pass.
    Text,
}

/// Ranges that together hold every match of a filter.
struct Candidate {
    rank: Rank,
    ranges: Vec<IndexRange>,
}

impl Candidate {
    fn one(rank: Rank, range: IndexRange) -> Self {
        Self { rank, ranges: vec![range] }
    }

    /// A range of an account that a query names; nothing when the book has none of this name.
    fn of_account(account: Option<&AccountId>, range: impl Fn(AccountId) -> IndexRange) -> Self {
        account.map_or_else(Self::empty, |id| Self::one(Rank::Account, range(*id)))
    }

    /// No range: nothing can match.
    fn empty() -> Self {
        Self { rank: Rank::Exact, ranges: Vec::new() }
    }
}

/// Selects the access path of one search.
pub(in crate::transaction) struct PathSelector<'p, 's, 't, 'a> {
    pub(in crate::transaction) tx: &'p mut Tx<'t>,
    pub(in crate::transaction) book: &'s Book,
    pub(in crate::transaction) search: &'s Search<'a>,
    /// Rows of the page; all of them when there is none.
    pub(in crate::transaction) wanted: Option<i64>,
}

impl<'s, 'a> PathSelector<'_, 's, '_, 'a> {
    /// The search with its access path.
    pub(in crate::transaction) fn plan(mut self) -> Result<SearchPlan<'s, 'a>> {
        let path = self.path()?;
        let Self { tx, search, .. } = self;
        let (lookup, contains, stoppable) = (tx.lookup(), tx.contains(), tx.stoppable("t.id"));
        let folded_description = tx.folded_description();
        Ok(SearchPlan { search, path, lookup, contains, folded_description, stoppable })
    }

    fn path(&mut self) -> Result<AccessPath> {
        let filter = self.search.filter;
        let own = self.search.drafts_of.map(|_| drafts_and_trash());
        let candidate = narrower(self.candidate(filter)?, own);
        let mut terms: usize = 1;
        filter.each_term(&mut |_| terms = terms.saturating_add(1));
        let blocks = |range: &IndexRange| {
            if let IndexRange::Blocks(blocks) = range { blocks.len() } else { 0 }
        };
        let affordable = |ranges: &Vec<IndexRange>| {
            let few =
                ranges.len() <= MAX_RANGES && ranges.len().saturating_mul(terms) <= MAX_REPEATED;
            few && ranges.iter().map(blocks).sum::<usize>() <= MAX_BLOCKS
        };
        Ok(candidate
            .map(|candidate| candidate.ranges)
            .filter(affordable)
            .map_or(AccessPath::Book, AccessPath::Ranges))
    }

    /// The narrowest ranges that hold every match of a filter; none when only the whole book does.
    fn candidate(&mut self, filter: &Filter) -> Result<Option<Candidate>> {
        match filter {
            Filter::All(filters) => self.all(filters),
            Filter::Any(filters) => self.any(filters),
            Filter::Not(_) => Ok(None),
            Filter::Term(Term::Text(_)) => self.all(std::slice::from_ref(filter)),
            Filter::Term(term) => self.term(term),
        }
    }

    /// One of the conditions is enough. Texts, which cost a statement, are tried where no other
    /// condition is narrow.
    fn all(&mut self, filters: &[Filter]) -> Result<Option<Candidate>> {
        let mut best = None;
        let mut texts = Vec::new();
        for filter in filters {
            if let Filter::Term(Term::Text(text)) = filter {
                texts.push(text.as_str());
            } else {
                best = narrower(best, self.candidate(filter)?);
            }
        }
        if texts.is_empty() || best.as_ref().is_some_and(|candidate| candidate.rank <= Rank::Rare) {
            return Ok(best);
        }
        Ok(narrower(best, self.texts(&texts)?))
    }

    /// All of the alternatives must have ranges; they are as narrow as the widest of them.
    fn any(&mut self, filters: &[Filter]) -> Result<Option<Candidate>> {
        let mut together = Candidate::empty();
        for filter in filters {
            let Some(candidate) = self.candidate(filter)? else { return Ok(None) };
            together.rank = together.rank.max(candidate.rank);
            for range in candidate.ranges {
                // All texts share the tail that is not indexed yet.
                if !together.ranges.contains(&range) {
                    together.ranges.push(range);
                }
            }
            if together.ranges.len() > MAX_RANGES {
                return Ok(None);
            }
        }
        Ok(Some(together))
    }

    fn term(&mut self, term: &Term) -> Result<Option<Candidate>> {
        let accounts = &self.search.names.accounts;
        Ok(match term {
            Term::RemoteId(id) => {
                Some(Candidate::one(Rank::Exact, IndexRange::Term(index_term::remote_id(id))))
            }
            Term::Property { key, value: Some(value) } => Some(Candidate::one(
                Rank::Exact,
                IndexRange::Term(index_term::property(key, value)),
            )),
            Term::Property { key, value: None } => {
                Some(Candidate::one(Rank::Key, IndexRange::Term(index_term::key(key))))
            }
            Term::Account(name) => {
                Some(Candidate::of_account(accounts.get(name), IndexRange::Account))
            }
            Term::From(name) => Some(Candidate::of_account(accounts.get(name), IndexRange::Credit)),
            Term::To(name) => Some(Candidate::of_account(accounts.get(name), IndexRange::Debit)),
            Term::Tag(tag) => {
                Some(Candidate::one(Rank::Tag, IndexRange::Term(index_term::tag(tag))))
            }
            Term::Status(Status::Draft) => {
                Some(Candidate::one(Rank::Status, IndexRange::Term(index_term::DRAFT.to_owned())))
            }
            Term::Status(Status::Trashed) => {
                Some(Candidate::one(Rank::Status, IndexRange::Term(index_term::TRASHED.to_owned())))
            }
            Term::Group(name) => self.group(name)?,
            Term::HasError(true) if !self.search.names.hides_chart => {
                Some(Candidate::one(Rank::Status, IndexRange::Errors))
            }
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

    /// The accounts of a group, when they are few enough for a range each.
    fn group(&mut self, name: &str) -> Result<Option<Candidate>> {
        let Some(groups) = self.search.names.groups.get(name) else {
            return Ok(Some(Candidate::empty()));
        };
        let most = i64::try_from(MAX_RANGES).unwrap_or(i64::MAX);
        let members = Sql::new(
            "SELECT DISTINCT m.account_id AS number FROM memberships m WHERE m.book_id = ",
        )
        .int(self.book.id.get());
        let members = members.push(" AND m.group_id IN ").numbers(groups.iter().map(|id| id.get()));
        let members = members.push(" LIMIT ").int(most.saturating_add(1)).uncached();
        let rows: Vec<Number> = on_engine!(self.tx.flushed()?, c => (&members).load(c))?;
        if rows.len() > MAX_RANGES {
            return Ok(None);
        }
        let ranges =
            rows.into_iter().map(|row| IndexRange::Account(AccountId::new(row.number))).collect();
        Ok(Some(Candidate { rank: Rank::Group, ranges }))
    }

    /// The blocks that may hold all of the texts, when that is less to read than what a read by day
    /// passes before it has a page. The rarer the texts, the more it passes.
    fn texts(&mut self, texts: &[&str]) -> Result<Option<Candidate>> {
        let extent = self.tx.trigram_extent(self.book.id)?;
        let (all, wanted) = (extent.blocks(), self.wanted);
        let passed = |found: i64| {
            wanted.map_or(all, |wanted| {
                all.min(wanted.saturating_mul(all).checked_div(found).unwrap_or(all))
            })
        };
        let helps = |found: i64| found <= FEW_BLOCKS || found < passed(found);
        let blocks = candidate_blocks(self.tx, self.book.id, &extent, texts, helps)?;
        let found = blocks.as_ref().and_then(|blocks| i64::try_from(blocks.len()).ok());
        let Some((blocks, found)) = blocks.zip(found).filter(|(_, found)| helps(*found)) else {
            return Ok(None);
        };
        let rank = if found <= FEW_BLOCKS { Rank::Rare } else { Rank::Text };
        let indexed = (!blocks.is_empty()).then_some(IndexRange::Blocks(blocks));
        Ok(Some(Candidate {
            rank,
            ranges: indexed.into_iter().chain([IndexRange::Tail(extent.until)]).collect(),
        }))
    }
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn drafts_and_trash() -> Candidate {
    Candidate {
        rank: Rank::Status,
        ranges: [index_term::DRAFT, index_term::TRASHED]
            .map(|term| IndexRange::Term(term.to_owned()))
            .into(),
    }
}

fn narrower(left: Option<Candidate>, right: Option<Candidate>) -> Option<Candidate> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if right.rank < left.rank { right } else { left }),
        (one, other) => one.or(other),
    }
}
