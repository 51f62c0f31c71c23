//! The choice of the access path: the ranges of the most selective terms.

use daybook_domain::book::Book;
use daybook_domain::id::AccountId;
use daybook_domain::query::{Filter, Status, Term};

use super::plan::{Search, SearchPlan};
use super::range::{AccessPath, IndexRange};
use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, numbers};
use crate::error::Result;
use crate::index_term;
use crate::transaction::candidate_blocks::candidate_blocks;

/// Maximum number of ranges of a path. Each range repeats the whole condition (an account twice),
/// and is planned separately, except for a page of accounts on PostgreSQL.
const MAX_RANGES: usize = 64;
/// Maximum number of terms in the conditions of all ranges, with an account counted once.
const MAX_REPEATED: usize = 2_000;
/// Maximum number of blocks of a path, which are in the text of the statement.
const MAX_BLOCKS: usize = 50_000;
/// A text in at most this many blocks is more selective than most accounts.
const FEW_BLOCKS: i64 = 32;

/// The expected selectivity of a range, the most selective first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A remote id, a property value, an unknown name.
    Exact,
    /// A text in few blocks.
    Rare,
    Account,
    Tag,
    /// Drafts, the trash, or transactions with an error or with comments.
    Status,
    /// A property with any value.
    Property,
    /// The accounts of a group.
    Group,
    /// A text in fewer blocks than a scan by day would read.
    Text,
}

/// Ranges that together contain every match of a filter.
struct Candidate {
    rank: Rank,
    ranges: Vec<IndexRange>,
}

impl Candidate {
    fn one(rank: Rank, range: IndexRange) -> Self {
        Self { rank, ranges: vec![range] }
    }

    /// Returns the range of an account in the query, or no range if the name is unknown.
    fn of_account(account: Option<&AccountId>, range: impl Fn(AccountId) -> IndexRange) -> Self {
        account.map_or_else(Self::empty, |id| Self::one(Rank::Account, range(*id)))
    }

    /// Returns a candidate without ranges, with which nothing can match.
    fn empty() -> Self {
        Self { rank: Rank::Exact, ranges: Vec::new() }
    }
}

/// Selects the access path of one search.
pub(crate) struct PathSelector<'p, 's, 't, 'a> {
    pub(crate) tx: &'p mut Tx<'t>,
    pub(crate) book: &'s Book,
    pub(crate) search: &'s Search<'a>,
    /// The number of rows of the page, or nothing for all rows.
    pub(crate) limit: Option<i64>,
}

impl<'s, 'a> PathSelector<'_, 's, '_, 'a> {
    /// Chooses the access path of the search.
    pub(crate) fn plan(mut self) -> Result<SearchPlan<'s, 'a>> {
        let path = self.path()?;
        let Self { tx, search, .. } = self;
        Ok(SearchPlan { path, ..SearchPlan::of_book(tx, search) })
    }

    fn path(&mut self) -> Result<AccessPath> {
        let filter = self.search.filter;
        // A recorder sees only their own drafts. A trashed draft has the term of the trash only.
        let visible = self.search.drafts_of.map(|_| drafts_and_trash());
        let candidate = narrower(self.candidate(filter)?, visible);
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

    /// Returns the most selective ranges that contain every match, or nothing for the whole book.
    fn candidate(&mut self, filter: &Filter) -> Result<Option<Candidate>> {
        match filter {
            Filter::All(filters) => self.all(filters),
            Filter::Any(filters) => self.any(filters),
            Filter::Not(_) => Ok(None),
            Filter::Term(Term::Text(_)) => self.all(std::slice::from_ref(filter)),
            Filter::Term(term) => self.term(term),
        }
    }

    /// Returns the best candidate of one condition. Texts cost a statement, so they are tried only
    /// if no other condition is selective.
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

    /// Joins the candidates of alternatives. Each must have one; the least selective one counts.
    fn any(&mut self, filters: &[Filter]) -> Result<Option<Candidate>> {
        let mut joined = Candidate::empty();
        for filter in filters {
            let Some(candidate) = self.candidate(filter)? else { return Ok(None) };
            joined.rank = joined.rank.max(candidate.rank);
            for range in candidate.ranges {
                // All texts share the tail that is not indexed.
                if !joined.ranges.contains(&range) {
                    joined.ranges.push(range);
                }
            }
            if joined.ranges.len() > MAX_RANGES {
                return Ok(None);
            }
        }
        Ok(Some(joined))
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
                Some(Candidate::one(Rank::Property, IndexRange::Term(index_term::key(key))))
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
            Term::HasError(true) if self.search.names.chart_visible => {
                Some(Candidate::one(Rank::Status, IndexRange::Errors))
            }
            Term::HasComment if self.search.names.comments_visible => Some(Candidate::one(
                Rank::Status,
                IndexRange::Term(index_term::COMMENTED.to_owned()),
            )),
            Term::HasComment => Some(Candidate::empty()),
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

    /// Returns the accounts of a group, if they are few enough.
    fn group(&mut self, name: &str) -> Result<Option<Candidate>> {
        let Some(groups) = self.search.names.groups.get(name) else {
            return Ok(Some(Candidate::empty()));
        };
        let max_ranges = i64::try_from(MAX_RANGES).unwrap_or(i64::MAX);
        let members = Sql::new(
            "SELECT DISTINCT m.account_id AS number FROM memberships m WHERE m.book_id = {} \
             AND m.group_id IN {} LIMIT {}",
        )
        .bind((
            self.book.id,
            numbers(groups.iter().map(|id| id.get())),
            max_ranges.saturating_add(1),
        ))
        .uncached();
        let rows: Vec<i64> = self.tx.flushed()?.rows(&members)?;
        if rows.len() > MAX_RANGES {
            return Ok(None);
        }
        let ranges = rows.into_iter().map(|row| IndexRange::Account(AccountId::new(row))).collect();
        Ok(Some(Candidate { rank: Rank::Group, ranges }))
    }

    /// Returns the blocks that may contain all texts, if reading them is cheaper than a scan by
    /// day.
    ///
    /// The rarer the texts, the more blocks a scan reads before it has a page.
    fn texts(&mut self, texts: &[&str]) -> Result<Option<Candidate>> {
        let extent = self.tx.trigram_extent(self.book.id)?;
        let (all, limit) = (extent.blocks(), self.limit);
        let scanned_by_day = |found: i64| {
            limit.map_or(all, |limit| {
                all.min(limit.saturating_mul(all).checked_div(found).unwrap_or(all))
            })
        };
        let helps = |found: i64| found <= FEW_BLOCKS || found < scanned_by_day(found);
        let blocks = candidate_blocks(self.tx, self.book.id, &extent, texts, helps)?;
        let found = blocks.as_ref().and_then(|blocks| i64::try_from(blocks.len()).ok());
        let Some((blocks, found)) = blocks.zip(found).filter(|(_, found)| helps(*found)) else {
            return Ok(None);
        };
        let rank = if found <= FEW_BLOCKS { Rank::Rare } else { Rank::Text };
        let indexed = (!blocks.is_empty()).then_some(IndexRange::Blocks(blocks));
        Ok(Some(Candidate {
            rank,
            ranges: indexed.into_iter().chain([IndexRange::Unindexed(extent.until)]).collect(),
        }))
    }
}

impl<'s, 'a> SearchPlan<'s, 'a> {
    /// Plans to read the whole book by day.
    pub(crate) fn of_book(tx: &Tx<'_>, search: &'s Search<'a>) -> Self {
        SearchPlan {
            search,
            path: AccessPath::Book,
            lookup: tx.lookup(),
            contains: tx.contains(),
            folded_description: tx.folded_description(),
            stop_check: tx.stop_check("t.id"),
        }
    }
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
