//! A connection of the attacker: sends a request, and reads the answer or not.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::env::SiegeEnv;
use crate::pause;

/// The pause of an attacker after it has left or was refused.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// The interval at which the connection checks for the end of the attack.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The source address of idle connections, different from the victim's.
const OTHER_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A request of an attacker.
pub struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// Additional header lines, each with its line end.
    pub(super) headers: String,
    /// The token of another user than the attacker.
    pub(super) token: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) then: Then,
}

/// The attacker's behaviour after the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Reads and discards the answer.
    Read,
    /// Closes the connection.
    Leave,
    /// Never sends the last byte of the body.
    Withhold,
    /// Sends the body slowly, a few bytes at a time.
    Trickle,
}

/// A connection of the attacker, reopened for each request.
pub(super) struct AttackConnection {
    address: SocketAddr,
    token: String,
    deadline: Instant,
}

impl AttackConnection {
    pub(super) fn new(env: &SiegeEnv, deadline: Instant) -> AttackConnection {
        AttackConnection { address: env.server.address(), token: env.token(), deadline }
    }

    /// Sends a request; returns the outcome and the bytes of the answer.
    pub(super) fn send_request(&self, request: &Request) -> (String, u64) {
        let outcome = self.try_send(request);
        if !matches!(outcome, Ok((200..=299, _))) {
            pause(RETRY_PAUSE);
        }
        match outcome {
            Ok((0, bytes)) if request.then == Then::Leave => ("left".to_owned(), bytes),
            Ok((0, bytes)) => ("no answer".to_owned(), bytes),
            Ok((status, bytes)) => (status.to_string(), bytes),
            Err(error) => (format!("{:?}", error.kind()), 0),
        }
    }

    fn try_send(&self, request: &Request) -> io::Result<(u16, u64)> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        stream.set_write_timeout(Some(POLL_INTERVAL))?;
        let (head, Request { body, then, .. }) = (self.head(request), request);
        let now = match then {
            Then::Read | Then::Leave => body.len(),
            Then::Withhold => body.len() - 1,
            Then::Trickle => body.len() / 2,
        };
        let (now, later) = body.split_at(now);
        let sent =
            self.send(&mut stream, head.as_bytes()).and_then(|()| self.send(&mut stream, now));
        // A refused request may end with a closed connection and an unread answer.
        if *then == Then::Leave {
            return sent.map(|()| (0, 0));
        }
        let later = if *then == Then::Trickle { later } else { &[] };
        self.receive(&mut stream, later)
    }

    /// Sends all bytes, unless the attack is over.
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

    /// Reads an answer, and sends a little more of the body at each interval.
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
                // A server that refuses a body closes the connection before the end of the body.
                Err(error) if bytes == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok((status, bytes))
    }

    /// Opens connections from another address and reopens closed ones until the attack is over.
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
            pause(POLL_INTERVAL);
        }
        (format!("held {}, closed {closed}", held.len()), 0)
    }

    /// Opens a stream for each request, reads what they send, and opens ended ones again.
    pub(super) fn hold_streams(&self, requests: Vec<Request>) -> (String, u64) {
        let mut held: Vec<(Request, Option<TcpStream>)> =
            requests.into_iter().map(|request| (request, None)).collect();
        let (mut ended, mut bytes) = (0, 0);
        let mut chunk = vec![0; 16 * 1024];
        while Instant::now() < self.deadline {
            for (request, stream) in &mut held {
                let Some(open) = stream else {
                    *stream = self.open_stream(request).ok();
                    continue;
                };
                match open.read(&mut chunk) {
                    Err(error) if is_slow(&error) => {}
                    Ok(count) if count > 0 => bytes += count as u64,
                    Ok(_) | Err(_) => {
                        ended += 1;
                        *stream = None;
                    }
                }
            }
            pause(POLL_INTERVAL);
        }
        let open = held.iter().filter(|(_, stream)| stream.is_some()).count();
        (format!("streams {open}, ended {ended}"), bytes)
    }

    /// Opens a stream and reads the status of its response.
    fn open_stream(&self, request: &Request) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(self.head(request).as_bytes())?;
        let mut start = [0; 12];
        stream.read_exact(&mut start)?;
        stream.set_nonblocking(true)?;
        if code(&start) == 200 { Ok(stream) } else { Err(ErrorKind::ConnectionRefused.into()) }
    }

    /// The head of a request.
    fn head(&self, request: &Request) -> String {
        let Request { method, path, headers, token, body, .. } = request;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \
                {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
            token.as_deref().unwrap_or(&self.token),
            body.len()
        )
    }
}

/// Opens a non-blocking connection from another loopback address.
pub fn connect_from_elsewhere(to: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((OTHER_ADDRESS, 0)).into())?;
    socket.connect_timeout(&to.into(), Duration::from_secs(10))?;
    let stream = TcpStream::from(socket);
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Whether an idle connection is still open.
pub fn is_open(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0; 64]), Err(error) if is_slow(&error))
}

fn is_slow(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The status of an answer; 0 for anything else.
fn code(start: &[u8]) -> u16 {
    let text = start.get(9..12).and_then(|code| std::str::from_utf8(code).ok());
    text.and_then(|code| code.parse().ok()).unwrap_or_default()
}
