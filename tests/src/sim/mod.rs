//! Deterministic simulation: random operations run on the service in this process (real use cases,
//! real storage, a simulated clock) and on a plain model in memory. Answers and events are compared
//! after every operation, the whole state periodically.
//!
//! A run is many small worlds. A world's operations depend only on its seed, so the seed reproduces
//! a failure. The report has the shortest trace of operations that still fails.

mod body;
mod draw;
mod facts;
mod label;
mod model;
mod ops;
mod oracle;
mod service;
mod shrink;
mod world;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use daybook_domain::permission::Permission;

use crate::rng::Rng;
pub use oracle::Oracle;

use body::Email;
use draw::{AGENTS, Draw};
use ops::collaborator::Collaborators;
use ops::{DynOperation, TABLE};
use service::TestDatabase;
use world::{Step, StepResult, World};

/// Operations of a world. Small books find as many faults as large ones, and faster.
const STEPS: usize = 300;
/// The whole state is compared after this many operations, and at the end.
const CHECKED_EVERY: usize = 60;

/// The database of the worlds.
#[derive(Clone, Debug)]
pub enum WorldDatabase {
    /// A SQLite database in memory for each world.
    Memory,
    /// One database for all worlds, one after the other.
    Database(String),
}

/// The failure of a trace.
#[derive(Clone, Debug)]
pub struct TraceFailure {
    /// The index of the failing step.
    pub step: usize,
    /// The difference between service and model.
    pub why: String,
}

/// How often an operation was drawn, and how often it was accepted.
pub type Counts = BTreeMap<&'static str, (u64, u64)>;

/// A world in which service and model differ.
#[derive(Debug)]
pub struct Failure {
    /// The seed of the world.
    pub seed: u64,
    /// Steps until it failed, before shrinking.
    pub steps: usize,
    trace: Vec<Step>,
    why: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "service and model differ in the world of seed {} after {} operations; {} suffice:",
            self.seed,
            self.steps,
            self.trace.len()
        )?;
        for (number, step) in self.trace.iter().enumerate() {
            writeln!(f, "{:>4}. {step:?}", number + 1)?;
        }
        write!(f, "{}", self.why)
    }
}

/// Runs one world from a seed and counts its operations. `shrinking` is called before a failing
/// trace is shortened.
///
/// # Errors
/// When the database cannot be opened.
pub fn run(
    database: &WorldDatabase,
    seed: u64,
    counts: &mut Counts,
    shrinking: &dyn Fn(),
) -> anyhow::Result<Result<usize, Failure>> {
    let (mut trace, mut changing) = (Vec::new(), Vec::new());
    let mut world = Some(open(database)?);
    let mut run = WorldRun {
        rng: Rng::new(seed),
        last: 0,
        counts,
        trace: &mut trace,
        changing: &mut changing,
    };
    // A panic of the model or of a read is a failure, too.
    let result = catch_unwind(AssertUnwindSafe(|| {
        run.run_steps(world.as_mut().expect("the world was just opened"))
    }));
    let why = match result {
        Ok(Ok(())) => return Ok(Ok(trace.len())),
        Ok(Err(why)) => why,
        Err(panic) => panic_message(panic.as_ref()),
    };
    drop(world.take());
    shrinking();
    let steps = trace.len();
    let first = TraceFailure { step: steps.saturating_sub(1), why };
    let (trace, last) = shrink::shrink(trace, &changing, first, &|trace| replay(database, trace));
    Ok(Err(Failure { seed, steps, trace, why: last.why }))
}

/// Opens a database of its own, or a part of the common one.
fn open(database: &WorldDatabase) -> anyhow::Result<World> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    match database {
        WorldDatabase::Memory => {
            World::new(TestDatabase::in_memory(&format!("sim{process}-{number}"))?, 0)
        }
        WorldDatabase::Database(url) => {
            World::new(TestDatabase::at(url)?, u64::from(process) << 32 | u64::from(number))
        }
    }
}

/// Runs a trace in a fresh world and compares everything at its end.
fn replay(database: &WorldDatabase, trace: &[Step]) -> Option<TraceFailure> {
    let mut world = open(database).ok()?;
    for (index, step) in trace.iter().enumerate() {
        let ends = index + 1 == trace.len();
        let checked = catch_unwind(AssertUnwindSafe(|| {
            world.step(step)?;
            if ends { world.check() } else { Ok(()) }
        }));
        match checked {
            Ok(Ok(())) => {}
            Ok(Err(why)) => return Some(TraceFailure { step: index, why }),
            Err(panic) => {
                return Some(TraceFailure { step: index, why: panic_message(panic.as_ref()) });
            }
        }
    }
    None
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    format!("panicked: {}", crate::panic_text(panic))
}

/// A step of a user, a millisecond after the step before.
fn plain_step(who: usize, book: label::Book, operation: DynOperation) -> Step {
    Step { who, book, agent: None, depth: 0, wait: 1, operation }
}

/// The random course of a world.
struct WorldRun<'l> {
    rng: Rng,
    /// The last assigned label.
    last: u32,
    counts: &'l mut Counts,
    trace: &'l mut Vec<Step>,
    /// The indexes of the steps that changed something.
    changing: &'l mut Vec<usize>,
}

impl WorldRun<'_> {
    fn run_steps(&mut self, world: &mut World) -> Result<(), String> {
        self.create_book(world)?;
        for number in 1..=STEPS {
            if world.model.books.is_empty() {
                self.create_book(world)?;
            }
            let (name, step) = self.draw(world);
            self.run_step(world, name, step)?;
            if number % CHECKED_EVERY == 0 {
                world.check()?;
            }
        }
        world.check()
    }

    /// Creates a book of the first user, with a collaborator of each permission.
    fn create_book(&mut self, world: &mut World) -> Result<(), String> {
        self.last += 1;
        let book = label::Book(self.last);
        let caller = world.caller(0, book, None, 0);
        let mut draw = Draw {
            rng: &mut self.rng,
            model: &world.model,
            caller: &caller,
            book,
            unrestricted: false,
            last: &mut self.last,
        };
        let operation = ops::book::draw_create(&mut draw, book);
        let known = world.model.books.contains_key(&book);
        self.run_step(world, "createNewBook", plain_step(0, book, operation))?;
        if known || !world.model.books.contains_key(&book) {
            // A refused draw is a valid step, too.
            return Ok(());
        }
        for (who, permission) in
            [Permission::Editor, Permission::Poster, Permission::Recorder, Permission::Viewer]
                .into_iter()
                .enumerate()
        {
            self.last += 1;
            let (label, email) = (label::Collaborator(self.last), Some(Email::Of(who + 1)));
            let add = Collaborators::Add(label, email, Some(permission));
            self.run_step(world, "addCollaborator", plain_step(0, book, Arc::new(add)))?;
        }
        self.install_app(world, book)
    }

    /// Creates an app that receives all events; the EDITOR installs it.
    fn install_app(&mut self, world: &mut World, book: label::Book) -> Result<(), String> {
        let mut app = world.model.apps.keys().next().copied();
        if app.is_none() {
            self.last += 1;
            app = Some(label::App(self.last));
            let operation = ops::app::initial_app(label::App(self.last));
            self.run_step(world, "createApp, updateApp", plain_step(1, book, operation))?;
        }
        self.last += 1;
        let operation = ops::integration::install_initial_app(label::Integration(self.last), app);
        self.run_step(world, "write integrations", plain_step(1, book, operation))
    }

    fn draw(&mut self, world: &World) -> (&'static str, Step) {
        // The owner and the EDITOR call most often.
        let who = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5][self.below(16)];
        let agent = if self.below(5) == 0 { Some(AGENTS[self.below(AGENTS.len())]) } else { None };
        // Usually a user; sometimes an app reacting to the event of another app.
        let depth = if self.below(8) == 0 { [1, 9, 10, 11][self.below(4)] } else { 0 };
        let wait = self.wait();
        let books: Vec<label::Book> = world.model.books.keys().copied().collect();
        let book = books.get(self.below(books.len())).copied().unwrap_or(label::Book(0));
        let caller = world.caller(who, book, agent, wait);
        let unrestricted = self.below(6) == 0;
        let deletes = self.below(400) == 0;
        let creates = self.below(400) == 0;
        let copies = self.below(300) == 0;
        let row = self.row();
        let mut draw = Draw {
            rng: &mut self.rng,
            model: &world.model,
            caller: &caller,
            book,
            unrestricted,
            last: &mut self.last,
        };
        let (name, operation) = if deletes {
            ("deleteBook", ops::deletion::draw_delete(&mut draw))
        } else if creates {
            draw.book = draw.label();
            let book = draw.book;
            ("createNewBook", ops::book::draw_create(&mut draw, book))
        } else if copies {
            ("copyBook", ops::copy::draw(&mut draw))
        } else {
            (row.name, (row.draw)(&mut draw))
        };
        (name, Step { who, book: draw.book, agent, depth, wait, operation })
    }

    fn run_step(
        &mut self,
        world: &mut World,
        name: &'static str,
        step: Step,
    ) -> Result<(), String> {
        let index = self.trace.len();
        self.trace.push(step.clone());
        let StepResult { accepted, changed } = world.step(&step)?;
        self.changing.extend(changed.then_some(index));
        let count = self.counts.entry(name).or_default();
        count.0 += 1;
        count.1 += u64::from(accepted);
        Ok(())
    }

    /// Usually a moment; sometimes a day, a month or a year.
    fn wait(&mut self) -> i64 {
        const HOUR: u64 = 3_600_000;
        let longest = match self.below(60) {
            0 => 400 * 24 * HOUR / 4,
            1..4 => 10 * 24 * HOUR,
            4..10 => 20 * HOUR,
            10..20 => 0,
            _ => 5_000,
        };
        i64::try_from(self.rng.below(longest + 1)).expect("within the centuries")
    }

    fn row(&mut self) -> &'static ops::Row {
        let all: usize = TABLE.iter().map(|row| row.weight).sum();
        let mut offset = self.below(all);
        for row in TABLE {
            if offset < row.weight {
                return row;
            }
            offset -= row.weight;
        }
        &TABLE[0]
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.rng.below(u64::try_from(end.max(1)).expect("small"))).expect("small")
    }
}
