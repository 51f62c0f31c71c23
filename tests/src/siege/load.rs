//! What an attacker's connection does with a request: sends it, and takes the answer, or does not.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::env::Ground;
use crate::pause;

/// How long an attacker that has left, or was refused, takes to come back.
const BREATH: Duration = Duration::from_millis(20);
/// How often it looks whether time is over.
const LOOK: Duration = Duration::from_millis(100);
/// From where idle connections come: not where the victim is.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A request of an attacker.
pub struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// Further lines of the head, each with its end.
    pub(super) headers: String,
    /// Of another user than the attacker.
    pub(super) token: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) then: Then,
}

/// What an attacker does with its request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Takes the answer, and throws it away.
    Read,
    /// Leaves.
    Leave,
    /// Keeps the last byte of its body back.
    Withhold,
    /// The same after all but the first bytes, of which it sends a few now and then.
    Trickle,
}

/// One connection of an attacker, or its next one.
pub(super) struct Gun {
    address: SocketAddr,
    token: String,
    deadline: Instant,
}

impl Gun {
    pub(super) fn new(ground: &Ground, deadline: Instant) -> Gun {
        Gun { address: ground.server.address(), token: ground.token(), deadline }
    }

    /// Sends a request: how it ended, and the bytes of its answer.
    pub(super) fn fire(&self, request: &Request) -> (String, u64) {
        let outcome = self.try_fire(request);
        if !matches!(outcome, Ok((200..=299, _))) {
            pause(BREATH);
        }
        match outcome {
            Ok((0, bytes)) if request.then == Then::Leave => ("left".to_owned(), bytes),
            Ok((0, bytes)) => ("no answer".to_owned(), bytes),
            Ok((status, bytes)) => (status.to_string(), bytes),
            Err(error) => (format!("{:?}", error.kind()), 0),
        }
    }

    fn try_fire(&self, request: &Request) -> io::Result<(u16, u64)> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LOOK))?;
        let Request { method, path, headers, token, body, then } = request;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \
                {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
            token.as_deref().unwrap_or(&self.token),
            body.len()
        );
        let now = match then {
            Then::Read | Then::Leave => body.len(),
            Then::Withhold => body.len() - 1,
            Then::Trickle => body.len() / 2,
        };
        let (now, later) = body.split_at(now);
        let sent =
            self.send(&mut stream, head.as_bytes()).and_then(|()| self.send(&mut stream, now));
        // Who is refused may find the way closed, and the answer waiting.
        if *then == Then::Leave {
            return sent.map(|()| (0, 0));
        }
        let later = if *then == Then::Trickle { later } else { &[] };
        self.receive(&mut stream, later)
    }

    /// Sends it all, unless time is over.
    fn send(&self, stream: &mut TcpStream, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() && Instant::now() < self.deadline {
            match stream.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_slow(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes an answer, sending a little more of the body at each look.
    fn receive(&self, stream: &mut TcpStream, mut later: &[u8]) -> io::Result<(u16, u64)> {
        let mut chunk = vec![0; 256 * 1024];
        let (mut status, mut bytes) = (0, 0);
        while Instant::now() < self.deadline {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    if bytes == 0 {
                        status = code(&chunk[..count]);
                    }
                    bytes += count as u64;
                }
                Err(error) if is_slow(&error) => {
                    let (piece, rest) = later.split_at(later.len().min(100));
                    later = rest;
                    self.send(stream, piece)?;
                }
                // A server that refuses a body closes while it is sent to.
                Err(error) if bytes == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok((status, bytes))
    }

    /// Opens so many connections from another address, keeps them, and opens those anew that are
    /// closed, until time is over.
    pub(super) fn hold_idle(&self, many: usize) -> (String, u64) {
        let mut held: Vec<TcpStream> = Vec::new();
        let mut closed = 0;
        while Instant::now() < self.deadline {
            let before = held.len();
            held.retain_mut(is_open);
            closed += (before - held.len()) as u64;
            while held.len() < many {
                match connect_from_elsewhere(self.address) {
                    Ok(stream) => held.push(stream),
                    Err(_) => break,
                }
            }
            pause(LOOK);
        }
        (format!("held {}, closed {closed}", held.len()), 0)
    }
}

/// A connection from another address of this machine, which does not wait for what it reads.
pub fn connect_from_elsewhere(to: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((ELSEWHERE, 0)).into())?;
    socket.connect_timeout(&to.into(), Duration::from_secs(10))?;
    let stream = TcpStream::from(socket);
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Whether the other side has not closed a connection on which nothing is said.
pub fn is_open(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0; 64]), Err(error) if is_slow(&error))
}

fn is_slow(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The status at the start of an answer; 0 for what is none.
fn code(start: &[u8]) -> u16 {
    let text = start.get(9..12).and_then(|code| std::str::from_utf8(code).ok());
    text.and_then(|code| code.parse().ok()).unwrap_or_default()
}
