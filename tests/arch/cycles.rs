//! How the files of a crate use one another: in one direction.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Source, none, sources};

/// The crates whose files must not form cycles.
const CRATES: [&str; 13] = [
    "domain",
    "cli",
    "client",
    "console",
    "interchange",
    "storage",
    "service",
    "edge",
    "auth",
    "blobs",
    "webhooks",
    "http",
    "server",
];

/// Cycles that stay, as modules of a crate.
const NATURAL: [(&str, &[&str]); 4] = [
    // A module and a part of it.
    ("domain", &["book", "book/dates"]),
    // Each noun is shown within the other.
    ("http", &["account", "group"]),
    ("http", &["book", "collection"]),
    // The stages of matching: each makes the next.
    ("domain", &["import/assignment", "import/matcher", "import/offers"]),
];

/// A module by its path in the crate, `["query", "lexer"]`, perhaps with a name in it.
type Path = Vec<String>;

#[test]
fn files_form_no_cycles() {
    let mut cycles = BTreeSet::new();
    for name in CRATES {
        let uses = Crate::read(name).uses();
        for module in uses.keys() {
            let after = reachable(&uses, module);
            let cycle = after.iter().filter(|other| reachable(&uses, other).contains(module));
            let cycle: Vec<String> = cycle.map(|path| path.join("/")).collect();
            // The shapes of the contract name one another.
            let is_made = cycle.iter().all(|path| path.starts_with("generated/types/"));
            if !cycle.is_empty() && !is_made && !NATURAL.contains(&(name, &strs(&cycle))) {
                cycles.insert(format!("{name}: {}", cycle.join(", ")));
            }
        }
    }
    none(&cycles.into_iter().collect::<Vec<_>>(), "Files use one another in one direction");
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn reachable(uses: &BTreeMap<Path, BTreeSet<Path>>, from: &Path) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Path> = uses[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module.clone()) {
            open.extend(&uses[module]);
        }
    }
    found
}

/// What the modules of a crate say of one another, without its tests.
#[derive(Default)]
struct Crate {
    /// The paths each module names, as written.
    named: BTreeMap<Path, Vec<Path>>,
    /// What a module exports again, by where it seems to be.
    exports: BTreeMap<Path, Path>,
}

impl Crate {
    fn read(name: &str) -> Self {
        let folder = format!("crates/{name}/src/");
        let sources = sources(&[&folder]);
        let module = |source: &Source| -> Path {
            let path = source.path.trim_start_matches(&folder).trim_end_matches(".rs");
            let parts = path.split('/').filter(|part| !["mod", "lib", "main"].contains(part));
            parts.map(str::to_owned).collect()
        };
        let shipped: BTreeMap<Path, String> =
            sources.iter().map(|source| (module(source), shipped(source))).collect();
        // A module of tests is declared by nobody that ships.
        let declared = |path: &Path| {
            path.split_last().is_none_or(|(name, parent)| {
                shipped.get(parent).is_some_and(|code| code.contains(&format!("mod {name};")))
            })
        };
        let mut found = Self::default();
        let kept = shipped.iter().filter(|(path, _)| declared(path));
        found.named.extend(kept.clone().map(|(path, _)| (path.clone(), Vec::new())));
        for (module, code) in kept {
            let (imports, exports, written) = paths(code);
            let mut named = Vec::new();
            // `use crate::account;`, and then `account::Refusal`.
            for path in written {
                let import = imports.iter().find(|import| import.last() == path.first());
                named.push(match import {
                    Some(import) => [import, &path[1..]].concat(),
                    None => path,
                });
            }
            // A module that is only imported is used where its names are.
            let is_module = |path: &Path| {
                let absolute = found.absolute(module, path);
                absolute.is_some_and(|path| found.named.contains_key(&path))
            };
            named.extend(imports.into_iter().filter(|path| !is_module(path)));
            for path in exports {
                let seeming =
                    [module.as_slice(), path.last().map_or(&[], std::slice::from_ref)].concat();
                let target = found.absolute(module, &path).filter(|target| *target != seeming);
                found.exports.extend(target.map(|target| (seeming, target)));
            }
            found.named.insert(module.clone(), named);
        }
        found
    }

    /// A path as seen from the root of the crate; none for a path into another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let child = [module, &path[..1]].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" if rest.first().is_some_and(|next| next == "super") => {
                self.absolute(module.split_last()?.1, rest)
            }
            "super" => Some([module.split_last()?.1, rest].concat()),
            _ => self.named.contains_key(&child).then(|| [module, path].concat()),
        }
    }

    /// The module that declares what a path leads to.
    fn declaring(&self, path: &[String]) -> Path {
        let depth = (0..=path.len()).rev().find(|depth| self.named.contains_key(&path[..*depth]));
        let (module, names) = path.split_at(depth.unwrap_or_default());
        let exported = names.first().map(|name| [module, std::slice::from_ref(name)].concat());
        match exported.and_then(|seeming| self.exports.get(&seeming)) {
            Some(target) => self.declaring(&[target, &names[1..]].concat()),
            None => module.to_vec(),
        }
    }

    fn uses(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let used = |module: &Path, named: &Vec<Path>| -> BTreeSet<Path> {
            let paths = named.iter().filter_map(|path| self.absolute(module, path));
            paths.map(|path| self.declaring(&path)).filter(|target| target != module).collect()
        };
        self.named.iter().map(|(module, named)| (module.clone(), used(module, named))).collect()
    }
}

/// The code of a source up to its tests, without comments and without modules of tests.
fn shipped(source: &Source) -> String {
    let lines: Vec<&str> = source.code().map(|(_, line)| line).collect();
    let text = format!("\n{}", lines.join("\n"));
    let before = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut parts = before.split("#[cfg(test)]\nmod ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |code, part| code + part.split_once(';').map_or("", |(_, rest)| rest))
}

/// The paths a code imports, exports again, and writes out.
fn paths(code: &str) -> (Vec<Path>, Vec<Path>, Vec<Path>) {
    let (mut imports, mut exports, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for statement in code.split(';') {
        let start = statement.rfind("\nuse ").map(|at| (at, "\nuse "));
        let public = ["\npub use ", "\npub(crate) use ", "\npub(super) use "];
        let public = public.iter().find_map(|open| Some((statement.rfind(open)?, *open)));
        let (before, tree) = match start.or(public) {
            Some((at, open)) => (&statement[..at], Some(&statement[at + open.len()..])),
            None => (statement, None),
        };
        let words = before.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let path = |word: &str| {
            word.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        written.extend(words.filter(|word| word.contains("::")).map(path));
        let trees = tree.map(flattened).unwrap_or_default();
        if start.is_some() { imports.extend(trees) } else { exports.extend(trees) }
    }
    (imports, exports, written)
}

/// `a::{b, c::d}` as the paths `a::b` and `a::c::d`.
fn flattened(tree: &str) -> Vec<Path> {
    let names = |path: &str| -> Path {
        let path = path.split(" as ").next().unwrap_or_default().trim();
        path.split("::")
            .filter(|name| !name.is_empty() && *name != "self")
            .map(str::to_owned)
            .collect()
    };
    let Some((head, group)) = tree.split_once('{') else { return vec![names(tree)] };
    let mut depth = 0;
    let members = group.trim().trim_end_matches('}').split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let members: Vec<Path> =
        members.filter(|member| !member.trim().is_empty()).flat_map(flattened).collect();
    members.into_iter().map(|member| [names(head), member].concat()).collect()
}
