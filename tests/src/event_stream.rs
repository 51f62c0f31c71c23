//! A reader of an event stream (8.23) over a connection of its own.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The fields of a block of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamBlock {
    /// `id`.
    pub id: Option<i64>,
    /// `event`.
    pub event: Option<String>,
    /// `data`, as JSON.
    pub data: Value,
    /// Whether it has a comment.
    pub is_comment: bool,
}

/// A stream of events that is read block by block. Dropping it closes the connection.
pub struct EventStream {
    socket: TcpStream,
    /// The head of the response.
    pub head: String,
    raw: Vec<u8>,
    text: Vec<u8>,
    has_ended: bool,
}

impl EventStream {
    /// Requests a stream and reads the head of the response.
    ///
    /// # Errors
    /// When the connection fails before the head has arrived.
    pub fn open(
        address: SocketAddr,
        token: &str,
        path: &str,
        last: Option<i64>,
    ) -> std::io::Result<EventStream> {
        let mut socket = TcpStream::connect(address)?;
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{last}\r\n"
        );
        socket.write_all(request.as_bytes())?;
        let (raw, text) = (Vec::new(), Vec::new());
        let mut stream = EventStream { socket, head: String::new(), raw, text, has_ended: false };
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(end) = find(&stream.raw, b"\r\n\r\n") {
                let head: Vec<u8> = stream.raw.drain(..end + 4).collect();
                stream.head = String::from_utf8_lossy(&head).into_owned();
                return Ok(stream);
            }
            if !stream.receive(deadline)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// The status of the response.
    pub fn status(&self) -> u16 {
        self.head.get(9..12).and_then(|code| code.parse().ok()).unwrap_or_default()
    }

    /// The next block, or `None` if none arrives in this time or the stream has ended.
    pub fn next_within(&mut self, time: Duration) -> Option<StreamBlock> {
        let deadline = Instant::now() + time;
        loop {
            self.decode();
            if let Some(end) = find(&self.text, b"\n\n") {
                let block: Vec<u8> = self.text.drain(..end + 2).collect();
                return Some(parse(&String::from_utf8(block).expect("UTF-8")));
            }
            if self.has_ended {
                return None;
            }
            match self.receive(deadline) {
                Ok(true) => {}
                Ok(false) => self.has_ended = true,
                Err(error) if is_timeout(&error) => return None,
                Err(_) => self.has_ended = true,
            }
        }
    }

    /// The next block with an event, or `None` as in [`Self::next_within`].
    pub fn event_within(&mut self, time: Duration) -> Option<StreamBlock> {
        let deadline = Instant::now() + time;
        loop {
            let block = self.next_within(deadline.saturating_duration_since(Instant::now()))?;
            if block.event.is_some() {
                return Some(block);
            }
        }
    }

    /// The time until the stream ends; `None` if it has not after this time.
    pub fn end_within(&mut self, time: Duration) -> Option<Duration> {
        let begun = Instant::now();
        while self.next_within(time.saturating_sub(begun.elapsed())).is_some() {}
        self.has_ended.then(|| begun.elapsed())
    }

    /// Reads some bytes; false at the end of the connection.
    fn receive(&mut self, deadline: Instant) -> std::io::Result<bool> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.socket.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let mut bytes = [0; 16 * 1024];
        loop {
            match self.socket.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.raw.extend_from_slice(&bytes[..count]);
                    return Ok(count > 0);
                }
            }
        }
    }

    /// Moves whole chunks of the body to the text (RFC 9112, 7.1).
    fn decode(&mut self) {
        while let Some(line) = find(&self.raw, b"\r\n") {
            let size = std::str::from_utf8(&self.raw[..line]).expect("a size");
            let size = usize::from_str_radix(size, 16).expect("a hexadecimal size");
            let end = line + 2 + size;
            if self.raw.len() < end + 2 {
                return;
            }
            self.text.extend_from_slice(&self.raw[line + 2..end]);
            self.raw.drain(..end + 2);
            self.has_ended |= size == 0;
        }
    }
}

fn parse(text: &str) -> StreamBlock {
    let mut block = StreamBlock::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.split_once(':') {
            Some(("", _)) => block.is_comment = true,
            Some(("id", number)) => block.id = number.trim().parse().ok(),
            Some(("event", kind)) => block.event = Some(kind.trim().to_owned()),
            Some(("data", data)) => block.data = serde_json::from_str(data).expect("JSON"),
            Some(("retry", "1000" | " 1000")) => {}
            _ => panic!("a field of a stream: {line}"),
        }
    }
    block
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
