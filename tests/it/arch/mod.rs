//! The architecture, held by the machine: the invariants of ARCHITECTURE.md that no lint of the
//! compiler can see.
//!
//! Most cases read the sources only. They run once per engine like all others; that costs less than
//! a third kind of case.

mod catalogue;
mod citations;
mod cycles;
mod documents;
mod files;
mod layers;
mod names;
mod prose;
mod schema;
mod tree;

pub use catalogue::tables;

pub fn tests() -> Vec<crate::Case> {
    let themes = [
        cycles::tests(),
        citations::tests(),
        documents::tests(),
        files::tests(),
        names::tests(),
        layers::tests(),
        schema::tests(),
    ];
    themes.into_iter().flatten().collect()
}
