//! Deterministic simulation: random operations on the service in this process (real use cases, real
//! storage, a simulated clock) beside a plain model of it in memory. After every operation answers
//! and events agree, from time to time everything does.
//!
//! A run is many small worlds. A world's operations follow from its seed alone, so a failure is
//! brought back by its seed; what is reported is the shortest trace of operations that still fails.

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

use crate::rng::Dice;
pub use model::dates::Unit;
pub use oracle::{BalanceQuestion, Oracle};

use body::Email;
use draw::{AGENTS, Draw};
use ops::{Operation, TABLE};
use service::Place;
use world::{Step, Taken, World};

/// Operations of a world. Small books find as much as large ones, and faster.
const STEPS: usize = 300;
/// Everything is compared after so many operations, and at the end.
const CHECKED_EVERY: usize = 60;

/// Where the worlds are.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Each in a SQLite database of its own, in memory.
    Memory,
    /// All in the database of this URL, one after the other.
    Database(String),
}

/// How a trace fails.
#[derive(Clone, Debug)]
pub struct Fails {
    /// At which step, counted from 0.
    pub step: usize,
    /// Where service and model differ.
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

/// Runs one world from a seed and counts what was drawn. `shrinking` hears of a failure before its
/// trace is shortened.
///
/// # Errors
/// When there is no database.
pub fn run(
    stage: &Stage,
    seed: u64,
    counts: &mut Counts,
    shrinking: &dyn Fn(),
) -> anyhow::Result<Result<usize, Failure>> {
    let (mut trace, mut loud) = (Vec::new(), Vec::new());
    let mut world = Some(open(stage)?);
    let mut life =
        Life { dice: Dice::new(seed), last: 0, counts, trace: &mut trace, loud: &mut loud };
    // A panic of the model or of a read is a failure as others are.
    let lived =
        catch_unwind(AssertUnwindSafe(|| life.live(world.as_mut().expect("it was just made"))));
    let why = match lived {
        Ok(Ok(())) => return Ok(Ok(trace.len())),
        Ok(Err(why)) => why,
        Err(panic) => said(panic.as_ref()),
    };
    drop(world.take());
    shrinking();
    let steps = trace.len();
    let first = Fails { step: steps.saturating_sub(1), why };
    let (trace, last) = shrink::shrink(trace, &loud, first, &|trace| replay(stage, trace));
    Ok(Err(Failure { seed, steps, trace, why: last.why }))
}

/// A world's own database, or its own corner of a common one.
fn open(stage: &Stage) -> anyhow::Result<World> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    match stage {
        Stage::Memory => World::new(Place::in_memory(&format!("sim{process}-{number}"))?, 0),
        Stage::Database(url) => {
            World::new(Place::at(url)?, u64::from(process) << 32 | u64::from(number))
        }
    }
}

/// Runs a trace in a fresh world and compares everything at its end.
fn replay(stage: &Stage, trace: &[Step]) -> Option<Fails> {
    let mut world = open(stage).ok()?;
    for (step, taken) in trace.iter().enumerate() {
        let ends = step + 1 == trace.len();
        let checked = catch_unwind(AssertUnwindSafe(|| {
            world.step(taken)?;
            if ends { world.check() } else { Ok(()) }
        }));
        match checked {
            Ok(Ok(())) => {}
            Ok(Err(why)) => return Some(Fails { step, why }),
            Err(panic) => return Some(Fails { step, why: said(panic.as_ref()) }),
        }
    }
    None
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    format!("panicked: {}", crate::panic_text(panic))
}

/// A world's course: what is drawn in it.
struct Life<'l> {
    dice: Dice,
    /// The last label given.
    last: u32,
    counts: &'l mut Counts,
    trace: &'l mut Vec<Step>,
    /// The places of the steps that changed something.
    loud: &'l mut Vec<usize>,
}

impl Life<'_> {
    fn live(&mut self, world: &mut World) -> Result<(), String> {
        self.found(world)?;
        for number in 1..=STEPS {
            if world.model.books.is_empty() {
                self.found(world)?;
            }
            let (name, step) = self.draw(world);
            self.take(world, name, step)?;
            if number % CHECKED_EVERY == 0 {
                world.check()?;
            }
        }
        world.check()
    }

    /// A book of the first user, with a collaborator of each kind.
    fn found(&mut self, world: &mut World) -> Result<(), String> {
        self.last += 1;
        let book = label::Book(self.last);
        let caller = world.caller(0, None, 0);
        let mut draw = Draw {
            dice: &mut self.dice,
            model: &world.model,
            caller: &caller,
            book,
            wild: false,
            last: &mut self.last,
        };
        let operation = ops::book::draw_create(&mut draw, book);
        let known = world.model.books.contains_key(&book);
        self.take(
            world,
            "createNewBook",
            Step { who: 0, agent: None, depth: 0, wait: 0, operation },
        )?;
        if known || !world.model.books.contains_key(&book) {
            // What was drawn was refused, which is as good as any other operation.
            return Ok(());
        }
        for (who, permission) in
            [Permission::Editor, Permission::Poster, Permission::Recorder, Permission::Viewer]
                .into_iter()
                .enumerate()
        {
            self.last += 1;
            let (label, email) = (label::Collaborator(self.last), Some(Email::Of(who + 1)));
            let operation: Arc<dyn Operation> = Arc::new(ops::collaborator::Add {
                book,
                label,
                email,
                permission: Some(permission),
            });
            self.take(
                world,
                "addCollaborator",
                Step { who: 0, agent: None, depth: 0, wait: 1, operation },
            )?;
        }
        self.install(world, book)
    }

    /// An app that receives everything; the EDITOR installs it.
    fn install(&mut self, world: &mut World, book: label::Book) -> Result<(), String> {
        let mut app = world.model.apps.keys().next().copied();
        if app.is_none() {
            self.last += 1;
            app = Some(label::App(self.last));
            let operation = ops::app::founding(label::App(self.last));
            self.take(
                world,
                "createApp, updateApp",
                Step { who: 1, agent: None, depth: 0, wait: 1, operation },
            )?;
        }
        self.last += 1;
        let operation = ops::integration::founding(book, label::Integration(self.last), app);
        self.take(
            world,
            "write integrations",
            Step { who: 1, agent: None, depth: 0, wait: 1, operation },
        )
    }

    fn draw(&mut self, world: &World) -> (&'static str, Step) {
        // The owner and those who may do much ask most.
        let who = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5][self.below(16)];
        let agent = if self.below(5) == 0 { Some(AGENTS[self.below(AGENTS.len())]) } else { None };
        // Mostly a user; sometimes an app, on the event of another.
        let depth = if self.below(8) == 0 { [1, 9, 10, 11][self.below(4)] } else { 0 };
        let wait = self.wait();
        let caller = world.caller(who, agent, wait);
        let books: Vec<label::Book> = world.model.books.keys().copied().collect();
        let book = books.get(self.below(books.len())).copied().unwrap_or(label::Book(0));
        let wild = self.below(6) == 0;
        let ends = self.below(400) == 0;
        let begins = self.below(400) == 0;
        let copies = self.below(300) == 0;
        let row = self.row();
        let mut draw = Draw {
            dice: &mut self.dice,
            model: &world.model,
            caller: &caller,
            book,
            wild,
            last: &mut self.last,
        };
        let (name, operation) = if ends {
            ("deleteBook", ops::deletion::draw_delete(&mut draw))
        } else if begins {
            let book = draw.label();
            ("createNewBook", ops::book::draw_create(&mut draw, book))
        } else if copies {
            ("copyBook", ops::copy::draw(&mut draw))
        } else {
            (row.name, (row.draw)(&mut draw))
        };
        (name, Step { who, agent, depth, wait, operation })
    }

    fn take(&mut self, world: &mut World, name: &'static str, step: Step) -> Result<(), String> {
        let place = self.trace.len();
        self.trace.push(step.clone());
        let Taken { accepted, changed } = world.step(&step)?;
        self.loud.extend(changed.then_some(place));
        let count = self.counts.entry(name).or_default();
        count.0 += 1;
        count.1 += u64::from(accepted);
        Ok(())
    }

    /// Mostly moments; sometimes a day, a month, a year goes by.
    fn wait(&mut self) -> i64 {
        const HOUR: u64 = 3_600_000;
        let longest = match self.below(60) {
            0 => 400 * 24 * HOUR / 4,
            1..4 => 10 * 24 * HOUR,
            4..10 => 20 * HOUR,
            10..20 => 0,
            _ => 5_000,
        };
        i64::try_from(self.dice.below(longest + 1)).expect("within the centuries")
    }

    fn row(&mut self) -> &'static ops::Row {
        let all: usize = TABLE.iter().map(|row| row.weight).sum();
        let mut place = self.below(all);
        for row in TABLE {
            if place < row.weight {
                return row;
            }
            place -= row.weight;
        }
        &TABLE[0]
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.dice.below(u64::try_from(end.max(1)).expect("small"))).expect("small")
    }
}
