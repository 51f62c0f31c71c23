//! A relay between Daybook and PostgreSQL that drops or delays commits and their answers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postgres::config::Host;

use crate::pause;

/// The treatment of a commit by the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The commit does not reach the server; the connection ends.
    Message,
    /// The server commits, and its answer is dropped.
    Answer,
    /// The commit is delayed until [`Relay::deliver`].
    Delayed,
}

/// The next loss.
#[derive(Default)]
struct LossPlan {
    /// The kind of loss, and a text sent earlier by the connection whose commit is dropped.
    next: Option<(Loss, String)>,
    /// Whether new connections are refused after the loss.
    cut_off: bool,
    refusing: bool,
    /// The texts of the dropped commits.
    lost: Vec<String>,
    /// The delayed commit and its connection.
    delayed: Option<(TcpStream, Vec<u8>)>,
}

type SharedLossPlan = Arc<Mutex<LossPlan>>;

fn lock_plan(plan: &SharedLossPlan) -> MutexGuard<'_, LossPlan> {
    plan.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A relay in front of a database. It ends with the process.
pub struct Relay {
    url: String,
    plan: SharedLossPlan,
}

impl Relay {
    /// Starts a relay in front of the database at this address.
    pub fn before(url: &str) -> Relay {
        let config: postgres::Config = url.parse().expect("an address of PostgreSQL");
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            _ => panic!("the relay needs a server with a port: {url}"),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let user = config.get_user().unwrap_or("postgres");
        let secret = config.get_password().map(String::from_utf8_lossy);
        let secret = secret.map(|secret| format!(":{secret}")).unwrap_or_default();
        let database = config.get_dbname().unwrap_or("postgres");
        let url = format!("postgres://{user}{secret}@127.0.0.1:{own}/{database}?sslmode=disable");
        let plan = SharedLossPlan::default();
        let shared = Arc::clone(&plan);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if lock_plan(&shared).refusing {
                    continue;
                }
                if let Ok(server) = TcpStream::connect((host.as_str(), port)) {
                    connect(client, server, &shared);
                }
            }
        });
        Relay { url, plan }
    }

    /// The address of the database through the relay.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the commit of the transaction that sends this text.
    pub fn lose(&self, loss: Loss, text: &str) {
        lock_plan(&self.plan).next = Some((loss, text.to_owned()));
    }

    /// Drops the commit of the transaction that sends this text, and refuses connections
    /// afterwards.
    pub fn lose_for_long(&self, loss: Loss, text: &str) {
        lock_plan(&self.plan).cut_off = true;
        self.lose(loss, text);
    }

    /// Accepts connections again.
    pub fn reconnect(&self) {
        let mut plan = lock_plan(&self.plan);
        (plan.refusing, plan.cut_off) = (false, false);
    }

    /// The dropped commits.
    pub fn lost(&self) -> Vec<String> {
        lock_plan(&self.plan).lost.clone()
    }

    /// Waits for a number of dropped commits.
    pub fn wait_for(&self, count: usize) {
        let begun = Instant::now();
        while self.lost().len() < count {
            assert!(begun.elapsed() < Duration::from_secs(60), "{count} commits are lost");
            pause(Duration::from_millis(10));
        }
    }

    /// Delivers the delayed commit, or drops it.
    pub fn deliver(&self, arrives: bool) {
        let (mut server, message) = lock_plan(&self.plan).delayed.take().expect("a commit is held");
        if arrives {
            server.write_all(&message).expect("the server waits for it");
        }
        // The server may have answered and closed meanwhile.
        let _ = server.shutdown(Shutdown::Write);
    }
}

impl LossPlan {
    /// Decides what to do with a message of a connection. `has_sent` remembers that the text was
    /// sent.
    fn loss_of(&mut self, message: &[u8], has_sent: &mut bool) -> Option<Loss> {
        let (_, text) = self.next.as_ref()?;
        *has_sent |= message.windows(text.len()).any(|part| part == text.as_bytes());
        // A simple query: its kind, its length, its text.
        let is_commit = message.first() == Some(&b'Q')
            && message.get(5..).is_some_and(|text| text.starts_with(b"COMMIT"));
        if !(*has_sent && is_commit) {
            return None;
        }
        let text = message.get(5..).unwrap_or_default();
        self.lost.push(String::from_utf8_lossy(text).trim_end_matches('\0').to_owned());
        self.refusing = self.cut_off;
        self.next.take().map(|(loss, _)| loss)
    }
}

/// Forwards both directions of a connection.
fn connect(client: TcpStream, server: TcpStream, plan: &SharedLossPlan) {
    let clones = || Ok::<_, std::io::Error>((server.try_clone()?, client.try_clone()?));
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let Ok((answering, answered)) = clones() else { return };
    let (is_silent, plan) = (Arc::new(AtomicBool::new(false)), Arc::clone(plan));
    let silent = Arc::clone(&is_silent);
    std::thread::spawn(move || pass_answers(answering, answered, &silent));
    std::thread::spawn(move || pass_requests(client, server, &is_silent, &plan));
}

fn pass_answers(mut server: TcpStream, mut client: TcpStream, is_silent: &AtomicBool) {
    let mut chunk = vec![0; 65_536];
    while let Ok(read @ 1..) = server.read(&mut chunk) {
        if is_silent.load(Ordering::SeqCst) || client.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    for side in [&server, &client] {
        let _ = side.shutdown(Shutdown::Both);
    }
}

fn pass_requests(
    mut client: TcpStream,
    mut server: TcpStream,
    is_silent: &AtomicBool,
    plan: &SharedLossPlan,
) {
    let (mut chunk, mut has_sent) = (vec![0; 1 << 20], false);
    while let Ok(read @ 1..) = client.read(&mut chunk) {
        let message = &chunk[..read];
        let mut plan = lock_plan(plan);
        match plan.loss_of(message, &mut has_sent) {
            None => {}
            Some(Loss::Answer) => is_silent.store(true, Ordering::SeqCst),
            Some(Loss::Message) => break,
            Some(Loss::Delayed) => {
                let _ = client.shutdown(Shutdown::Both);
                plan.delayed = Some((server, message.to_vec()));
                return;
            }
        }
        drop(plan);
        if server.write_all(message).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Write);
    if !is_silent.load(Ordering::SeqCst) {
        let _ = client.shutdown(Shutdown::Both);
    }
}
