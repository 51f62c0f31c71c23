//! A relay between Daybook and PostgreSQL that loses commits or their answers, or holds them back.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postgres::config::Host;

use crate::pause;

/// What becomes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It does not reach the server, whose connection ends.
    Message,
    /// The server carries it out, and its answer does not come back.
    Answer,
    /// It is held back until [`Relay::deliver`], and the server waits for it.
    Delayed,
}

/// What the next loss is.
#[derive(Default)]
struct Fate {
    /// The commit that is lost is that of a connection that has sent this text.
    next: Option<(Loss, String)>,
    /// Whether nobody gets a new connection once it is lost.
    cut_off: bool,
    refusing: bool,
    /// The messages of those that are lost.
    lost: Vec<String>,
    /// The commit that is held back, and where it goes.
    delayed: Option<(TcpStream, Vec<u8>)>,
}

type SharedFate = Arc<Mutex<Fate>>;

fn locked(fate: &SharedFate) -> MutexGuard<'_, Fate> {
    fate.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A relay before a database. It ends with the process.
pub struct Relay {
    url: String,
    fate: SharedFate,
}

impl Relay {
    /// Starts one before the database of this address.
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
        let fate = SharedFate::default();
        let shared = Arc::clone(&fate);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if locked(&shared).refusing {
                    continue;
                }
                if let Ok(server) = TcpStream::connect((host.as_str(), port)) {
                    connect(client, server, &shared);
                }
            }
        });
        Relay { url, fate }
    }

    /// The address of the database behind it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Loses the commit of the transaction that sends this text.
    pub fn lose(&self, loss: Loss, text: &str) {
        locked(&self.fate).next = Some((loss, text.to_owned()));
    }

    /// The same, and lets nobody connect from then on.
    pub fn lose_for_long(&self, loss: Loss, text: &str) {
        locked(&self.fate).cut_off = true;
        self.lose(loss, text);
    }

    /// Lets everybody connect again.
    pub fn reconnect(&self) {
        let mut fate = locked(&self.fate);
        (fate.refusing, fate.cut_off) = (false, false);
    }

    /// The commits that were lost.
    pub fn lost(&self) -> Vec<String> {
        locked(&self.fate).lost.clone()
    }

    /// Waits until so many commits are lost.
    pub fn wait_for(&self, count: usize) {
        let begun = Instant::now();
        while self.lost().len() < count {
            assert!(begun.elapsed() < Duration::from_secs(60), "{count} commits are lost");
            pause(Duration::from_millis(10));
        }
    }

    /// The commit that is held back arrives now, or never.
    pub fn deliver(&self, arrives: bool) {
        let (mut server, message) = locked(&self.fate).delayed.take().expect("a commit is held");
        if arrives {
            server.write_all(&message).expect("the server waits for it");
        }
        // It may have answered and ended meanwhile.
        let _ = server.shutdown(Shutdown::Write);
    }
}

impl Fate {
    /// What becomes of this message of a connection, which has sent that text.
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

/// Passes on what each side sends.
fn connect(client: TcpStream, server: TcpStream, fate: &SharedFate) {
    let clones = || Ok::<_, std::io::Error>((server.try_clone()?, client.try_clone()?));
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let Ok((answering, answered)) = clones() else { return };
    let (is_silent, fate) = (Arc::new(AtomicBool::new(false)), Arc::clone(fate));
    let silent = Arc::clone(&is_silent);
    std::thread::spawn(move || pass_answers(answering, answered, &silent));
    std::thread::spawn(move || pass_requests(client, server, &is_silent, &fate));
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
    fate: &SharedFate,
) {
    let (mut chunk, mut has_sent) = (vec![0; 1 << 20], false);
    while let Ok(read @ 1..) = client.read(&mut chunk) {
        let message = &chunk[..read];
        let mut fate = locked(fate);
        match fate.loss_of(message, &mut has_sent) {
            None => {}
            Some(Loss::Answer) => is_silent.store(true, Ordering::SeqCst),
            Some(Loss::Message) => break,
            Some(Loss::Delayed) => {
                let _ = client.shutdown(Shutdown::Both);
                fate.delayed = Some((server, message.to_vec()));
                return;
            }
        }
        drop(fate);
        if server.write_all(message).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Write);
    if !is_silent.load(Ordering::SeqCst) {
        let _ = client.shutdown(Shutdown::Both);
    }
}
