//! A fast HTTP/1.1 client for benchmarks: one keep-alive connection per caller, which parses only
//! the length of an answer, and closed loops of such callers with their latencies.
//!
//! A load generator must cost less than what it measures. `daybook-client` decodes each response,
//! and its idempotency keys make the server store the responses of writes.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

/// Longer than any answer should take, so that a stuck server ends a benchmark.
const IO_TIMEOUT: Duration = Duration::from_secs(120);

/// A connection idle for longer is reopened, because servers close idle connections.
const REST: Duration = Duration::from_secs(1);

/// A keep-alive connection of one caller.
pub struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    used: Instant,
    /// The headers of every request.
    headers: String,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// An answer; it borrows the connection's buffer.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body as sent.
    pub body: &'a [u8],
}

impl Reply<'_> {
    /// An error with the body unless the status is 200 or 204.
    pub fn accepted(self) -> anyhow::Result<Self> {
        ensure!(
            matches!(self.status, 200 | 204),
            "status {}: {}",
            self.status,
            String::from_utf8_lossy(&self.body[..self.body.len().min(500)])
        );
        Ok(self)
    }

    /// Whether the body contains this text.
    pub fn says(self, words: &str) -> bool {
        String::from_utf8_lossy(self.body).contains(words)
    }

    /// The body as JSON.
    pub fn json(self) -> anyhow::Result<serde_json::Value> {
        serde_json::from_slice(self.body).context("the answer is not JSON")
    }
}

impl Connection {
    /// Opens a connection.
    pub fn open(address: SocketAddr, token: &str) -> io::Result<Connection> {
        Connection::with_headers(address, &format!("Authorization: Bearer {token}\r\n"))
    }

    /// Opens a connection for requests with these headers.
    pub fn with_headers(address: SocketAddr, headers: &str) -> io::Result<Connection> {
        let headers = format!("Host: {address}\r\n{headers}Content-Type: application/json\r\n");
        Ok(Connection {
            address,
            stream: connect(address)?,
            used: Instant::now(),
            headers,
            request: Vec::new(),
            answer: Vec::new(),
        })
    }

    /// GET.
    pub fn get(&mut self, path: &str) -> io::Result<Reply<'_>> {
        self.send("GET", path, "", b"")
    }

    /// GET with additional headers.
    pub fn get_with(&mut self, path: &str, headers: &str) -> io::Result<Reply<'_>> {
        self.send("GET", path, headers, b"")
    }

    /// GET of the page that starts at this cursor.
    pub fn page(&mut self, path: &str, cursor: &str) -> io::Result<Reply<'_>> {
        self.send("GET", path, &format!("cursor: {cursor}\r\n"), b"")
    }

    /// POST with a JSON body.
    pub fn post(&mut self, path: &str, body: &[u8]) -> io::Result<Reply<'_>> {
        let length = format!("Content-Length: {}\r\n", body.len());
        self.send("POST", path, &length, body)
    }

    fn send(&mut self, method: &str, path: &str, more: &str, body: &[u8]) -> io::Result<Reply<'_>> {
        if self.used.elapsed() > REST {
            self.stream = connect(self.address)?;
        }
        self.request.clear();
        write!(self.request, "{method} {path} HTTP/1.1\r\n{}{more}\r\n", self.headers)?;
        // One write, so that a request is one packet if it fits.
        self.request.extend_from_slice(body);
        self.stream.write_all(&self.request)?;
        self.receive()
    }

    fn receive(&mut self) -> io::Result<Reply<'_>> {
        self.answer.clear();
        let body = loop {
            let searched = self.answer.len().saturating_sub(3);
            self.read_more(16 * 1024)?;
            if let Some(at) = find(&self.answer[searched..], b"\r\n\r\n") {
                break searched + at + 4;
            }
        };
        let (status, length) = head(&self.answer[..body])?;
        let end = body + length;
        while self.answer.len() < end {
            self.read_more(end - self.answer.len())?;
        }
        if self.answer.len() > end {
            return Err(malformed("more bytes than the length says"));
        }
        self.used = Instant::now();
        Ok(Reply { status, body: &self.answer[body..] })
    }

    fn read_more(&mut self, room: usize) -> io::Result<()> {
        let filled = self.answer.len();
        self.answer.resize(filled + room, 0);
        let read = read_on(&mut self.stream, &mut self.answer[filled..])?;
        self.answer.truncate(filled + read);
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

/// Reads, also after the process was stopped and continued: a read with a timeout then ends with
/// EINTR.
fn read_on(stream: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IO_TIMEOUT))?;
    stream.set_write_timeout(Some(IO_TIMEOUT))?;
    Ok(stream)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Status and body length of an answer.
fn head(bytes: &[u8]) -> io::Result<(u16, usize)> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("the head is not text"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status: u16 =
        status.and_then(|code| code.parse().ok()).ok_or_else(|| malformed("no status"))?;
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok());
    match (status, length) {
        (204, None) => Ok((status, 0)),
        (_, Some(length)) => Ok((status, length)),
        _ => Err(malformed("an answer without a content length")),
    }
}

/// Latencies with exact percentiles; a round has tens of thousands of samples, not billions.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// Adds a latency.
    pub fn record(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    /// Adds the samples of another set.
    pub fn absorb(&mut self, other: Samples) {
        self.0.extend(other.0);
    }

    /// The number of samples.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The sum of the samples.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The latency that this percentage of samples does not exceed; zero without samples.
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// A percentile in milliseconds.
    pub fn milliseconds(&self, percent: usize) -> f64 {
        self.percentile(percent).as_secs_f64() * 1e3
    }
}

/// The median; the upper one of an even number of values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The result of a timed round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// How long it took.
    pub elapsed: Duration,
    /// One latency per request.
    pub samples: Samples,
}

impl Round {
    /// Requests per second.
    pub fn rate(&self) -> f64 {
        self.samples.count() as f64 / self.elapsed.as_secs_f64()
    }
}

/// Runs a closed loop: every caller sends its next request when the last one is answered, all
/// callers at the same time, for this long. `call` gets the caller's number and connection and
/// sends one request.
pub fn closed_loop<C: Send>(
    callers: &mut [C],
    time: Duration,
    call: impl Fn(usize, &mut C) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<Round> {
    let start = Barrier::new(callers.len() + 1);
    // Shared by the threads; the number and the connection move.
    let (start, call) = (&start, &call);
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, connection) in callers.iter_mut().enumerate() {
            let run = move || -> anyhow::Result<Samples> {
                let mut samples = Samples::default();
                start.wait();
                let end = Instant::now() + time;
                loop {
                    let sent = Instant::now();
                    if sent >= end {
                        return Ok(samples);
                    }
                    call(number, connection)?;
                    samples.record(sent.elapsed());
                }
            };
            // Small stacks, because 64 callers must not cause memory pressure.
            let builder = std::thread::Builder::new().stack_size(256 * 1024);
            threads.push(builder.spawn_scoped(scope, run)?);
        }
        start.wait();
        let started = Instant::now();
        let mut samples = Samples::default();
        for thread in threads {
            samples.absorb(thread.join().expect("a caller does not panic")?);
        }
        Ok(Round { elapsed: started.elapsed(), samples })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_true_values() {
        let mut samples = Samples::default();
        assert_eq!(samples.percentile(50), Duration::ZERO);
        for milliseconds in (1..=100).rev() {
            samples.record(Duration::from_millis(milliseconds));
        }
        assert_eq!(samples.percentile(50), Duration::from_millis(50));
        assert_eq!(samples.percentile(99), Duration::from_millis(99));
        assert_eq!(samples.percentile(100), Duration::from_millis(100));
    }

    struct Stopped(usize);

    impl Read for Stopped {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 < 3 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(room.len()) }
        }
    }

    #[test]
    fn a_stopped_process_goes_on_reading() {
        assert_eq!(read_on(&mut Stopped(0), &mut [0; 5]).expect("bytes"), 5);
    }

    #[test]
    fn heads_are_read() {
        let answer =
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(head(answer).expect("readable"), (200, 12));
        assert_eq!(head(b"HTTP/1.1 204 No Content\r\n\r\n").expect("readable"), (204, 0));
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
