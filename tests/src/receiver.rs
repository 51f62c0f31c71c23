//! A receiver of webhooks, for the tests: it keeps what it gets and answers as it is told.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pause;

/// What came.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and path.
    pub line: String,
    /// The headers, their names in lower case.
    pub headers: HashMap<String, String>,
    /// The body as it came.
    pub text: String,
    /// The body as JSON.
    pub body: Value,
}

impl Received {
    /// A header that must be there.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}: {self:?}"))
    }
}

/// What is answered: a status, perhaps with more lines of headers, and a body.
pub type Answered = (String, String);

/// 200 with a body.
pub fn fine(body: &str) -> Answered {
    ("200 OK".to_owned(), body.to_owned())
}

type Handler = Box<dyn Fn(&Received) -> Answered + Send + Sync>;

/// A receiver on a port of its own. Nobody answers there any more when it is dropped.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// One that has nothing to say.
    pub fn start() -> Receiver {
        Receiver::answering(|_| fine("{}"))
    }

    /// One that answers as the function does.
    pub fn answering(answer: impl Fn(&Received) -> Answered + Send + Sync + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let received = Arc::new(Mutex::new(Vec::new()));
        let (kept, handler) = (Arc::downgrade(&received), Arc::new(Box::new(answer) as Handler));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), Some(kept)) = (stream, kept.upgrade()) else { return };
                let handler = Arc::clone(&handler);
                std::thread::spawn(move || drop(serve(stream, &kept, &handler)));
            }
        });
        Receiver { address, received }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// What has come so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic before").clone()
    }

    /// What has come when it is so much.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            let few = received.len();
            assert!(begun.elapsed() < Duration::from_secs(30), "{few} of {count} after 30 s");
            pause(Duration::from_millis(5));
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.received = Arc::default();
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<Received>>,
    handler: &Handler,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let Some(received) = read(&mut reader)? else { return Ok(()) };
        kept.lock().expect("no panic before").push(received.clone());
        let (status, body) = handler(&received);
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}")?;
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Received>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Ok(Some(Received { line: line.trim_end().to_owned(), headers, text, body }))
}
