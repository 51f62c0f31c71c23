//! The runner of the suites `it` and `nightly`: which cases run, on which engine, in which order.
//!
//! A module lists its cases in `pub fn tests()`. Cases made by [`cases!`] share one server per
//! engine, so each case creates its own book ([`crate::Cast`]). Cases made by [`isolated!`] start
//! their own servers and receive the engine.

mod durations;
mod failures;
mod serial;
mod shared;

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use libtest_mimic::{Arguments, Trial};

use crate::{Engine, Server, setting};
use durations::Durations;
use failures::Failures;
use shared::SharedServers;

/// A test case. It fails by panicking.
pub struct Case {
    /// Unique in its module.
    pub name: String,
    /// The body.
    pub run: Body,
}

/// The body of a case.
pub enum Body {
    /// Runs on the shared server of an engine.
    Shared(Box<dyn Fn(&Server) + Send + Sync>),
    /// Starts its own servers.
    Isolated(Box<dyn Fn(Engine) + Send + Sync>),
}

impl Case {
    /// A case on the shared server of an engine.
    pub fn shared(name: impl Into<String>, run: impl Fn(&Server) + Send + Sync + 'static) -> Case {
        Case { name: name.into(), run: Body::Shared(Box::new(run)) }
    }

    /// A case that starts its own servers.
    pub fn isolated(name: impl Into<String>, run: impl Fn(Engine) + Send + Sync + 'static) -> Case {
        Case { name: name.into(), run: Body::Isolated(Box::new(run)) }
    }

    /// Skips the case where a tool is missing and prints what to install; fails instead when the
    /// environment variable `CI` is set.
    pub fn needs(self, missing: fn() -> Option<String>) -> Case {
        let name = self.name.clone();
        let is_there = move || {
            let Some(what) = missing() else { return true };
            assert!(setting("CI").is_none(), "{what}");
            eprintln!("{name} is skipped: {what}");
            false
        };
        let run = match self.run {
            Body::Shared(run) => Body::Shared(Box::new(move |server| {
                if is_there() {
                    run(server);
                }
            })),
            Body::Isolated(run) => Body::Isolated(Box::new(move |engine| {
                if is_there() {
                    run(engine);
                }
            })),
        };
        Case { name: self.name, run }
    }
}

/// `cases![create_defaults, delete]`: one shared [`Case`] per function `fn(&Server)`, with the name
/// of the function.
#[macro_export]
macro_rules! cases {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::suite::Case::shared(stringify!($function), $function)),*]
    };
}

/// `isolated![terminates]`: one isolated [`Case`] per function `fn(Engine)`, with the name of the
/// function.
#[macro_export]
macro_rules! isolated {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::suite::Case::isolated(stringify!($function), $function)),*]
    };
}

/// The cases of a module.
pub struct Module {
    /// The name of the module; cases are called `engine::module::case`.
    pub name: &'static str,
    /// The engines that its cases run on unless `DAYBOOK_TEST_ENGINES` names others.
    pub engines: &'static [Engine],
    /// Its cases.
    pub cases: Vec<Case>,
}

/// A suite: one test binary.
pub struct Suite {
    /// The name of the binary; durations are written to `target/durations/NAME-*.tsv`.
    pub name: &'static str,
    /// Its modules.
    pub modules: Vec<Module>,
    /// Modules that share a second server. They count deliveries. A process that another module
    /// starts beside the first server may take over deliveries and repeat them after a kill.
    pub second_server: &'static [&'static str],
    /// `module::case`: cases that measure time or need the machine for themselves. They run one
    /// after another when all others have ended.
    pub serial: &'static [&'static str],
}

/// The shared state of the threads of a run.
#[derive(Default)]
struct Run {
    servers: SharedServers,
    durations: Durations,
    failures: Failures,
}

impl Suite {
    /// Runs the cases that the command line selects.
    pub fn run(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        // Most cases wait most of the time: for responses, for commits, for processes.
        arguments.test_threads =
            arguments.test_threads.or_else(|| Some(2 * available_parallelism().ok()?.get()));
        let (name, serial) = (self.name, self.serial);
        let run = Arc::new(Run::default());
        let conclusions = serial::run(&arguments, self.trials(&run), serial);
        if !arguments.list {
            run.durations.write(name);
        }
        eprint!("{}{}", run.durations, run.failures);
        let panics = run.servers.panics();
        let failed = conclusions.iter().find(|conclusion| conclusion.has_failed());
        if failed.is_some() {
            eprintln!("the shared servers logged:\n{}", run.servers.failed_requests().join("\n"));
        }
        // The last owner: the servers stop before their databases do.
        drop(run);
        crate::finish();
        if let Some(failed) = failed {
            return failed.exit_code();
        }
        if panics.is_empty() {
            return ExitCode::SUCCESS;
        }
        eprintln!("the shared servers panicked:\n{}", panics.join("\n"));
        ExitCode::FAILURE
    }

    fn trials(self, run: &Arc<Run>) -> Vec<Trial> {
        let mut names = HashSet::new();
        let mut trials = Vec::new();
        let selected = Engine::selected();
        for Module { name: module, engines, cases } in self.modules {
            let second = self.second_server.contains(&module);
            let cases = cases.into_iter().map(|case| (case.name, Arc::new(case.run)));
            for (case, body) in cases {
                for &engine in selected.as_deref().unwrap_or(engines) {
                    let name = format!("{engine}::{module}::{case}");
                    assert!(names.insert(name.clone()), "two cases are called {name}");
                    let (run, body) = (Arc::clone(run), Arc::clone(&body));
                    let body = {
                        let name = name.clone();
                        move || {
                            run.failures.note(name.clone(), || {
                                run.durations.add(name, || match &*body {
                                    Body::Shared(body) => body(run.servers.get(engine, second)),
                                    Body::Isolated(body) => body(engine),
                                });
                            })
                        }
                    };
                    trials.push(Trial::test(name, body));
                }
            }
        }
        trials
    }
}
