//! A running `daybook serve`.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::guard::{Entry, Folder};
use crate::mint::Mint;
use crate::postgres::Database;
use crate::small_disk::SmallDisk;
use crate::{Client, Engine, pause, scratch, setting, template};

/// How to start a server.
#[derive(Clone, Default)]
pub struct Options {
    /// The database engine.
    pub engine: Engine,
    /// Additional arguments of `daybook serve`; `{port}` is replaced by its port.
    pub args: Vec<String>,
    /// Additional environment variables.
    pub env: Vec<(String, String)>,
    /// The limit of open files, including sockets; by default that of the suite.
    pub open_files: Option<u32>,
    /// Puts the database on a disk and makes PostgreSQL sync it; by default it is in memory if
    /// there is space ([`crate::scratch_dir`]).
    pub durable: bool,
    /// Another build of `daybook`, which creates its schema and its tokens itself.
    pub binary: Option<PathBuf>,
    /// The address of an existing PostgreSQL database.
    pub database_url: Option<String>,
    /// The disk of its data directory, and of an SQLite database.
    pub small_disk: Option<Arc<SmallDisk>>,
}

/// A running `daybook serve` with a database and a data directory of its own; stopped and removed
/// when dropped.
pub struct Server {
    options: Options,
    data_dir: PathBuf,
    address: SocketAddr,
    base: String,
    database_url: String,
    child: Option<(Child, Entry)>,
    mint: Arc<Mint>,
    // These are dropped after the child has been stopped: see `drop`.
    home: Folder,
    _database: Option<Database>,
}

impl Server {
    /// A server with default settings.
    #[track_caller]
    pub fn start(engine: Engine) -> Server {
        Server::start_with(Options { engine, ..Options::default() })
    }

    /// A server with these options on its command line.
    #[track_caller]
    pub fn with_args(engine: Engine, args: &[&str]) -> Server {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        Server::start_with(Options { engine, args, ..Options::default() })
    }

    /// A server with these settings, ready to answer.
    #[track_caller]
    pub fn start_with(options: Options) -> Server {
        let named = options.database_url.clone();
        let database = (options.engine == Engine::Postgres && named.is_none()).then(|| {
            match &options.binary {
                Some(_) => Database::empty(options.durable),
                None => Database::create(options.durable),
            }
        });
        let home = scratch::folder("test", options.durable);
        let disk = options.small_disk.as_ref().map_or(home.path(), |disk| disk.path()).to_owned();
        let database_url = match (&database, named) {
            (Some(database), _) => database.url.clone(),
            (None, Some(url)) => url,
            (None, None) => {
                let file = disk.join("books.db");
                // Only processes on a small disk see its files, and another build may have an
                // older schema.
                if options.small_disk.is_none() && options.binary.is_none() {
                    template::copy_sqlite(&file);
                }
                format!("sqlite:{}", file.display())
            }
        };
        let data_dir = disk.join("data");
        let mint = Arc::new(Mint::new(&database_url, &data_dir));
        let mut server = Server {
            options,
            data_dir,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            base: String::new(),
            database_url,
            child: None,
            mint,
            home,
            _database: database,
        };
        server.find_port();
        server
    }

    #[track_caller]
    fn find_port(&mut self) {
        for _ in 0..5 {
            self.address.set_port(free_port());
            self.base = format!("http://{}", self.address);
            if self.launch() {
                return;
            }
        }
        panic!("daybook finds no free port:\n{}", self.log());
    }

    /// Another process with the same database and token key.
    #[track_caller]
    pub fn beside(&self, args: &[&str]) -> Server {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self.sibling(Options { args, ..self.options.clone() }, self.database_url.clone())
    }

    /// A process with the same keys on another database, such as a copy of this one.
    #[track_caller]
    pub fn on_copy(&self, database_url: &str) -> Server {
        self.sibling(self.options.clone(), database_url.to_owned())
    }

    /// A process on another data directory and database, such as those of a restored backup.
    #[track_caller]
    pub fn elsewhere(&self, data_dir: &Path, database_url: &str) -> Server {
        let options = Options { args: Vec::new(), ..self.options.clone() };
        self.on(options, data_dir.to_owned(), database_url.to_owned())
    }

    #[track_caller]
    fn sibling(&self, options: Options, database_url: String) -> Server {
        self.on(options, self.data_dir.clone(), database_url)
    }

    #[track_caller]
    fn on(&self, options: Options, data_dir: PathBuf, database_url: String) -> Server {
        let home = scratch::folder("test", options.durable);
        let mint = Arc::new(Mint::new(&database_url, &data_dir));
        let mut server = Server {
            options,
            data_dir,
            address: self.address,
            base: String::new(),
            database_url,
            child: None,
            mint,
            home,
            _database: None,
        };
        server.find_port();
        server
    }

    /// Starts the process and waits until it is ready; false when another program took the port.
    #[track_caller]
    fn launch(&mut self) -> bool {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.home.path().join("log"))
            .expect("a log file");
        let length = log.metadata().expect("its length").len();
        let mut command = self.command("serve");
        command.args(["--listen", &self.address.to_string(), "--database-url", &self.database_url]);
        // Arguments that contain the server's own address need the port.
        let port = self.address.port().to_string();
        let args = self.options.args.iter().map(|arg| arg.replace("{port}", &port));
        command.arg("--data-dir").arg(self.data_dir()).args(args);
        // All cases of a server have the same client address.
        command.env("DAYBOOK_REFUSED_TOKENS_PER_MINUTE", "1000000");
        // Cases about limits by address have their own addresses.
        command.env("DAYBOOK_TRUSTED_PROXIES", "127.0.0.1");
        command.envs(self.options.env.iter().map(|(name, value)| (name, value)));
        command.stdout(log.try_clone().expect("a second handle")).stderr(log);
        let child = command.spawn().expect("daybook starts");
        let guard = Entry::new(&format!("kill -9 {}", child.id()));
        self.child = Some((child, guard));
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            if let Some(status) = self.exited() {
                let log = self.log();
                let log = log.get(usize::try_from(length).expect("a short log")..).unwrap_or(&log);
                // The operating system's text for EADDRINUSE.
                assert!(
                    log.contains("in use"),
                    "daybook ended ({status}) instead of starting:\n{log}"
                );
                self.child = None;
                return false;
            }
            let ready = self.anonymous().try_send("GET", "/ready", None, &[]);
            if ready.is_ok_and(|answer| answer.status == 200) {
                return true;
            }
            pause(Duration::from_millis(5));
        }
        panic!("daybook is not ready after 60 s:\n{}", self.log());
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = match (self.options.open_files, &self.options.small_disk) {
            (None, None) => Command::new(self.options.binary.as_deref().unwrap_or(binary())),
            (None, Some(disk)) => disk.command(binary(), None),
            (Some(most), _) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", "ulimit -n $0 && exec \"$@\"", &most.to_string()]).arg(binary());
                shell
            }
        };
        // Only settings of the test: those of the developer must not change a result.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("DAYBOOK_") {
                command.env_remove(name);
            }
        }
        // Ctrl-C ends the suite; its guard then stops the servers.
        command.arg(verb).current_dir(self.home.path()).process_group(0).stdin(Stdio::null());
        command
    }

    fn exited(&mut self) -> Option<ExitStatus> {
        let (child, _) = self.child.as_mut()?;
        child.try_wait().expect("the state of the process")
    }

    /// Whether the process has ended without a signal of the suite.
    pub fn has_ended(&mut self) -> bool {
        self.exited().is_some()
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.options.engine
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its `--data-dir`.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Its `--database-url`.
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("the server runs").0.id()
    }

    /// Whether it was started and neither killed nor stopped.
    pub fn runs(&self) -> bool {
        self.child.is_some()
    }

    /// Sends SIGKILL.
    pub fn kill(&mut self) {
        self.mint.close();
        if let Some((mut child, _guard)) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Restarts it on the same data and port; a running process is stopped first.
    #[track_caller]
    pub fn restart(&mut self) {
        if self.child.is_some() {
            self.terminate();
        }
        for _ in 0..20 {
            if self.launch() {
                return;
            }
            pause(Duration::from_millis(100));
        }
        panic!("daybook does not get its port {} back:\n{}", self.address, self.log());
    }

    /// Sends SIGTERM and waits for the end (at most 60 s); returns the exit status and the time.
    #[track_caller]
    pub fn terminate(&mut self) -> (ExitStatus, Duration) {
        self.signal("TERM")
    }

    /// Sends SIGINT, as Ctrl-C does, and waits for the end.
    #[track_caller]
    pub fn interrupt(&mut self) -> (ExitStatus, Duration) {
        self.signal("INT")
    }

    #[track_caller]
    fn signal(&mut self, name: &str) -> (ExitStatus, Duration) {
        self.mint.close();
        let pid = self.pid();
        let asked = Instant::now();
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -{name} {pid}")])
            .status()
            .expect("sh runs");
        assert!(sent.success(), "the server {pid} is gone already:\n{}", self.log());
        while asked.elapsed() < Duration::from_secs(60) {
            if let Some(status) = self.exited() {
                self.child = None;
                return (status, asked.elapsed());
            }
            pause(Duration::from_millis(2));
        }
        panic!("daybook ignores SIG{name} for 60 s:\n{}", self.log());
    }

    /// Its output so far.
    pub fn log(&self) -> String {
        let bytes = std::fs::read(self.home.path().join("log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// An access token for this address.
    #[track_caller]
    pub fn token(&self, email: &str) -> String {
        if self.prints_tokens() {
            return printed_tokens(self.admin(&["token"]), &[email.to_owned()]).remove(0);
        }
        self.mint.tokens(&[email.to_owned()]).remove(0)
    }

    /// Whether `daybook token` issues the tokens, because this process cannot open the database.
    fn prints_tokens(&self) -> bool {
        self.options.small_disk.is_some() || self.options.binary.is_some()
    }

    /// An operator command, such as `token list`, on the data of this server.
    pub fn admin(&self, verbs: &[&str]) -> Command {
        let (first, rest) = verbs.split_first().expect("a command");
        let mut command = self.command(first);
        command.args(rest).arg("--data-dir").arg(&self.data_dir);
        command.args(["--database-url", &self.database_url]);
        command
    }

    /// Runs an operator command on the data of this server; returns its output, or its error
    /// message.
    pub fn run(&self, arguments: &[&str]) -> Result<String, String> {
        // This reads the output while the command runs: `user list` fills a pipe.
        let run = self.admin(arguments).output().expect("daybook runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        if run.status.success() { Ok(text(run.stdout)) } else { Err(text(run.stderr)) }
    }

    /// A caller with this e-mail address.
    pub fn client(&self, email: &str) -> Client {
        self.clients(&[email.to_owned()]).remove(0)
    }

    /// Callers with these e-mail addresses. The first request of one of them creates all users and
    /// issues all tokens.
    pub fn clients(&self, emails: &[String]) -> Vec<Client> {
        let issue: Issue = if self.prints_tokens() {
            let command = Mutex::new(Some(self.admin(&["token"])));
            Box::new(move |emails| {
                let command = command.lock().expect("no panic before").take();
                printed_tokens(command.expect("the tokens are issued once"), emails)
            })
        } else {
            let mint = Arc::clone(&self.mint);
            Box::new(move |emails| mint.tokens(emails))
        };
        let (addresses, issued) = (emails.to_vec(), OnceLock::new());
        let token = Arc::new(move |index: usize| {
            let all: &Vec<String> = issued.get_or_init(|| issue(&addresses));
            all[index].clone()
        });
        let caller = |(index, email): (usize, &String)| {
            let token = Arc::clone(&token);
            Client::new(&self.base, email, Some(Box::new(move || token(index))))
        };
        emails.iter().enumerate().map(caller).collect()
    }

    /// A caller without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.base, "", None)
    }

    /// A caller with this token, valid or not.
    pub fn client_with_token(&self, token: &str) -> Client {
        Client::at(&self.base, token)
    }
}

/// Issues tokens for some addresses.
type Issue = Box<dyn Fn(&[String]) -> Vec<String> + Send + Sync>;

/// Issues tokens with `daybook token`.
#[track_caller]
fn printed_tokens(mut command: Command, emails: &[String]) -> Vec<String> {
    for email in emails {
        command.args(["--email", email]);
    }
    let run = command.output().expect("daybook token runs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "daybook token {emails:?}: {}: {said}", run.status);
    let printed = String::from_utf8(run.stdout).expect("a token is ASCII");
    let tokens: Vec<String> = printed.lines().map(str::to_owned).collect();
    let plain =
        |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(
        tokens.len() == emails.len() && tokens.iter().all(plain),
        "standard output is the tokens and nothing else: {printed:?}"
    );
    tokens
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(40).collect();
            eprintln!(
                "the end of the server's log:\n{}",
                tail.into_iter().rev().collect::<Vec<_>>().join("\n")
            );
        }
    }
}

/// The resident memory of a process in MiB; NaN if it has ended.
pub fn resident(process: u32) -> f64 {
    memory(process, "VmRSS:")
}

/// The largest resident memory of a process so far in MiB; NaN if it has ended.
pub fn peak_memory(process: u32) -> f64 {
    memory(process, "VmHWM:")
}

/// A line of the status of a process in MiB; NaN if it has ended.
fn memory(process: u32, line: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let size = status.lines().find_map(|text| text.strip_prefix(line));
    let kilobytes = size.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// A free port below the ephemeral range, so that it stays free during a restart. Other processes
/// of this suite search elsewhere.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let offset = u16::try_from(std::process::id() * 97 % 11_000).expect("below 11,000");
    for _ in 0..11_000 {
        let turn = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 21_000 + (offset + turn % 11_000) % 11_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no free port between 21000 and 32000");
}

/// The daybook binary: `DAYBOOK_BIN`, or built now, once.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match setting("DAYBOOK_BIN") {
        Some(path) => std::path::absolute(path).expect("an absolute path"),
        None => build(&["-p", "daybook-server"], "daybook"),
    })
}

/// The dbk binary: `DBK_BIN`, or built now, once, with the features of the whole workspace.
pub fn dbk_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match setting("DBK_BIN") {
        Some(path) => std::path::absolute(path).expect("an absolute path"),
        None => build(&["--workspace"], "dbk"),
    })
}

fn build(packages: &[&str], name: &str) -> PathBuf {
    let cargo = setting("CARGO").unwrap_or_else(|| "cargo".to_owned());
    let run = Command::new(cargo)
        .arg("build")
        .args(packages)
        .args(["--bin", name, "--message-format=json-render-diagnostics"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{name} does not build");
    let messages = String::from_utf8_lossy(&run.stdout).into_owned();
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executable = artifacts
        .filter(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == name
        })
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.expect("cargo names the executable it built")
}

/// Runs `daybook serve` with these options, which must fail within a minute; returns its error
/// output.
#[track_caller]
pub fn refused_start(arguments: &[&str]) -> String {
    let mut command = Command::new(binary());
    command.arg("serve").args(arguments);
    let run = run_for(&mut command, Duration::from_secs(60));
    let run = run.unwrap_or_else(|| panic!("{arguments:?}: still runs after a minute"));
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success(), "{arguments:?}: {message}");
    assert!(!message.is_empty() && !message.contains("panicked"), "{arguments:?}: {message}");
    message
}

/// Runs a program that should end by itself. Returns `None` and kills it after this time.
pub fn run_for(command: &mut Command, time: Duration) -> Option<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let started = Instant::now();
    while child.try_wait().expect("the state of the process").is_none() {
        if started.elapsed() > time {
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        pause(Duration::from_millis(5));
    }
    child.wait_with_output().ok()
}
