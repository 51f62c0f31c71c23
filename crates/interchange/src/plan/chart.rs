//! Groups and accounts of a journal.
//!
//! The inner parts of names are groups, each named by its whole path. A group contains the account
//! of the same path, if that has postings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use daybook_domain::account::AccountType;
use daybook_domain::name::{MAX_NAME, normalized};
use daybook_domain::property::MAX_VALUE;

use super::facts::Facts;
use super::kind::Kind;
use super::model::{Account, Group};
use super::naming::Names;
use crate::read::journal::{Journal, SharedText, Side};
use crate::read::limits::MAX_DEPTH;
use crate::read::problem::{self, Problem, excerpt};

/// The property of the account of amounts between two days.
pub const IN_TRANSIT: &str = "in_transit";

/// The most groups of a book (behaviour 4.23).
const MAX_GROUPS: usize = 20_000;

/// The accounts and groups of all books.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) accounts: Vec<Entry>,
    pub(crate) groups: Vec<GroupEntry>,
    pub(crate) warnings: Vec<Problem>,
    by_path: HashMap<String, usize>,
    in_transit: usize,
    conversions: usize,
    unbalanced: usize,
}

/// An account with its type and its groups.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) account: Account,
    pub(crate) kind: Option<Kind>,
    pub(crate) groups: Vec<usize>,
    /// Whether the journal declares it.
    pub(crate) is_declared: bool,
}

/// A group with its parent.
#[derive(Debug)]
pub(crate) struct GroupEntry {
    pub(crate) group: Group,
    pub(crate) parent: Option<usize>,
}

/// An account of the journal.
struct Path<'j> {
    path: &'j str,
    declared: Option<&'j crate::read::journal::Account>,
    is_posted: bool,
    kind: Option<Kind>,
}

impl Chart {
    /// Makes the chart of a journal.
    ///
    /// `posted` lists the accounts that have postings.
    pub(crate) fn new(journal: &Journal, posted: &[SharedText]) -> Result<Self, Vec<Problem>> {
        let paths = paths(journal, posted);
        let inner: BTreeSet<&str> = paths.iter().flat_map(|path| prefixes(path.path)).collect();
        if inner.len() >= MAX_GROUPS {
            return Err(vec![Problem::of_file(problem::Kind::TooManyGroups)]);
        }
        let mut groups = Groups::new(&paths);
        let mut chart = Self {
            accounts: Vec::with_capacity(paths.len()),
            groups: Vec::new(),
            warnings: Vec::new(),
            by_path: HashMap::new(),
            in_transit: 0,
            conversions: 0,
            unbalanced: 0,
        };
        let mut names = Names::default();
        let mut unknown: BTreeSet<&str> = BTreeSet::new();
        for path in &paths {
            let parent = groups.below(path.path);
            let own = inner.contains(path.path).then(|| groups.of(path.path, parent));
            let facts = facts(path);
            if let Some(own) = own.filter(|_| !path.is_posted) {
                groups.add_facts(own, facts);
                continue;
            }
            let first = path.path.split(':').next().unwrap_or_default();
            if path.kind.is_none() && unknown.insert(first) {
                let kind = problem::Kind::UnknownType(excerpt(path.path));
                let position = path.declared.map(|declared| declared.position);
                chart.warnings.push(Problem { position, kind });
            }
            let mut within: Vec<usize> = own.or(parent).into_iter().collect();
            if path.kind.is_some_and(Kind::is_equity) {
                groups.add_equity(path.path, &mut within);
            }
            let name = names.unique(path.path);
            chart.by_path.insert(path.path.to_owned(), chart.accounts.len());
            chart.accounts.push(entry(path, name, facts, within));
        }
        chart.groups = groups.entries;
        chart.in_transit = chart.add_helper(names.unique("In transit"), AccountType::Asset);
        if let Some(entry) = chart.accounts.last_mut() {
            entry.account.properties.insert(IN_TRANSIT.to_owned(), "true".to_owned());
        }
        chart.conversions = chart.add_helper(names.unique("Conversions"), AccountType::Liability);
        chart.unbalanced = chart.add_helper(names.unique("Virtual"), AccountType::Liability);
        Ok(chart)
    }

    /// Adds an account that is in no group.
    fn add_helper(&mut self, name: String, kind: AccountType) -> usize {
        let account = Account {
            name,
            written_name: None,
            kind,
            groups: Vec::new(),
            is_archived: false,
            properties: BTreeMap::new(),
        };
        self.accounts.push(Entry { account, kind: None, groups: Vec::new(), is_declared: false });
        self.accounts.len() - 1
    }

    /// Returns the index of the account of a side.
    pub(crate) fn index(&self, side: &Side) -> Option<usize> {
        match side {
            Side::Account(path) => self.by_path.get(path.as_str()).copied(),
            Side::InTransit => Some(self.in_transit),
            Side::Conversions => Some(self.conversions),
            Side::Virtual => Some(self.unbalanced),
        }
    }

    /// Returns the name of the account of a side.
    pub(crate) fn name(&self, side: &Side) -> Option<String> {
        self.accounts.get(self.index(side)?).map(|entry| entry.account.name.clone())
    }

    /// Returns the type of an account of the journal.
    pub(crate) fn kind(&self, path: &str) -> Option<Kind> {
        self.by_path.get(path).and_then(|index| self.accounts.get(*index)?.kind)
    }
}

/// Returns the accounts of a journal, the declared ones first.
fn paths<'j>(journal: &'j Journal, posted: &'j [SharedText]) -> Vec<Path<'j>> {
    let mut paths: Vec<Path<'_>> = Vec::new();
    let mut indices: HashMap<&str, usize> = HashMap::new();
    let mut kinds: HashMap<&str, Kind> = HashMap::new();
    for declared in &journal.accounts {
        let kind = declared.kind.as_deref().and_then(Kind::named);
        kinds.extend(kind.map(|kind| (declared.name.as_str(), kind)));
        let path = declared.name.as_str();
        indices.entry(path).or_insert_with(|| {
            let declared = Some(declared);
            paths.push(Path { path, declared, is_posted: false, kind: None });
            paths.len() - 1
        });
    }
    for path in posted {
        let path = path.as_str();
        let index = *indices.entry(path).or_insert_with(|| {
            paths.push(Path { path, declared: None, is_posted: false, kind: None });
            paths.len() - 1
        });
        paths.get_mut(index).into_iter().for_each(|path| path.is_posted = true);
    }
    for path in &mut paths {
        let above = || prefixes(path.path).filter_map(|prefix| kinds.get(prefix)).last();
        let kind = kinds.get(path.path).or_else(above).copied();
        path.kind = kind.or_else(|| Kind::of_name(path.path));
    }
    paths
}

/// Returns the paths above a path, the shortest first: those that can name a group.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices(':').map(|(index, _)| index).take(MAX_DEPTH);
    // A character has at least a byte.
    ends.take_while(|end| *end <= MAX_NAME).filter_map(|end| path.get(..end))
}

fn facts(path: &Path<'_>) -> Facts {
    let mut facts = Facts::default();
    let letter = path.kind.and_then(Kind::letter);
    facts.add("type", letter.unwrap_or_default(), MAX_VALUE);
    let Some(declared) = path.declared else { return facts };
    for (name, value) in &declared.facts {
        facts.add(name, value, MAX_VALUE);
    }
    for (name, value) in &declared.tags {
        // A tag without a value.
        let value = if value.trim().is_empty() { "true" } else { value };
        facts.add(&format!("tag_{name}"), value, MAX_VALUE);
    }
    facts
}

fn entry(path: &Path<'_>, name: String, mut facts: Facts, groups: Vec<usize>) -> Entry {
    if name != path.path {
        facts.add(WRITTEN_NAME, path.path, MAX_VALUE);
    }
    let account = Account {
        name,
        written_name: Some(path.path.to_owned()),
        kind: path.kind.map(Kind::account_type).unwrap_or_default(),
        groups: Vec::new(),
        is_archived: path.declared.is_some_and(|declared| declared.is_closed),
        properties: facts.into_values(),
    };
    Entry { account, kind: path.kind, groups, is_declared: path.declared.is_some() }
}

/// The property with the name in the journal, where the book has another.
const WRITTEN_NAME: &str = "written_name";

/// The groups on the way to their order.
struct Groups {
    entries: Vec<GroupEntry>,
    by_path: HashMap<String, usize>,
    names: Names,
    /// The root groups that contain other accounts than those of equity.
    mixed: BTreeSet<String>,
    equity: Option<usize>,
}

impl Groups {
    /// Creates the group of equity, if an account needs it: it precedes the groups in it.
    fn new(paths: &[Path<'_>]) -> Self {
        let mut groups = Self {
            entries: Vec::new(),
            by_path: HashMap::new(),
            names: Names::default(),
            mixed: BTreeSet::new(),
            equity: None,
        };
        let root = |path: &Path<'_>| path.path.split(':').next().unwrap_or_default().to_owned();
        let is_equity = |path: &&Path<'_>| path.kind.is_some_and(Kind::is_equity);
        groups.mixed = paths.iter().filter(|path| !is_equity(path)).map(root).collect();
        if paths.iter().any(|path| is_equity(&path)) {
            let mut roots = paths.iter().flat_map(|path| prefixes(path.path).next());
            let own = roots.find(|root| normalized(root) == "equity").unwrap_or("Equity");
            groups.equity = Some(groups.of(own, None));
        }
        groups
    }

    /// Returns the group of a path, which may be new.
    fn of(&mut self, path: &str, parent: Option<usize>) -> usize {
        if let Some(index) = self.by_path.get(path) {
            return *index;
        }
        let name = self.names.unique(path);
        let mut facts = Facts::default();
        if name != path {
            facts.add(WRITTEN_NAME, path, MAX_VALUE);
        }
        let group = Group { name, parent: None, properties: facts.into_values() };
        let index = self.entries.len();
        self.entries.push(GroupEntry { group, parent });
        self.by_path.insert(path.to_owned(), index);
        index
    }

    /// Returns the innermost group above a path.
    fn below(&mut self, path: &str) -> Option<usize> {
        let mut parent = None;
        for prefix in prefixes(path) {
            parent = Some(self.of(prefix, parent));
        }
        parent
    }

    /// Puts an account into the group of equity: by its root group, if that has equity alone.
    fn add_equity(&mut self, path: &str, within: &mut Vec<usize>) {
        let Some(equity) = self.equity else { return };
        let root = path.split(':').next().unwrap_or_default();
        let root_group = self.by_path.get(root).copied();
        if root_group == Some(equity) {
            return;
        }
        let index = root_group.filter(|_| !self.mixed.contains(root));
        match index.and_then(|index| self.entries.get_mut(index)) {
            Some(entry) => entry.parent = Some(equity),
            None if !within.contains(&equity) => within.push(equity),
            None => {}
        }
    }

    fn add_facts(&mut self, index: usize, facts: Facts) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.group.properties.extend(facts.into_values());
        }
    }
}
