//! A receiver of webhooks: stores the requests and answers as configured.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::{certificates, pause};

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and path.
    pub line: String,
    /// The headers, their names in lower case.
    pub headers: HashMap<String, String>,
    /// The unparsed body.
    pub text: String,
    /// The body as JSON.
    pub body: Value,
}

impl Received {
    /// A required header.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}: {self:?}"))
    }
}

/// An answer: the status line, perhaps with header lines, and the body.
pub type Answered = (String, String);

/// A 200 answer with a body.
pub fn fine(body: &str) -> Answered {
    ("200 OK".to_owned(), body.to_owned())
}

/// Whether a receiver stores the requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Nothing,
}

type Handler = Box<dyn Fn(&Received) -> Answered + Send + Sync>;

/// A receiver with its own port; stopped when dropped.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// Starts a receiver that answers with an empty body.
    pub fn start() -> Receiver {
        Receiver::answering(|_| fine("{}"))
    }

    /// Starts a receiver that answers by the function.
    pub fn answering(answer: impl Fn(&Received) -> Answered + Send + Sync + 'static) -> Receiver {
        Receiver::listening(Box::new(answer), Keep::All, None)
    }

    /// Starts a receiver that holds its answers back until the flag is set.
    pub fn gated() -> (Receiver, Arc<AtomicBool>) {
        let open = Arc::new(AtomicBool::new(false));
        let gate = Arc::clone(&open);
        let receiver = Receiver::answering(move |_| {
            while !gate.load(Ordering::SeqCst) {
                pause(Duration::from_millis(5));
            }
            fine("{}")
        });
        (receiver, open)
    }

    /// Starts a receiver that answers by the function and stores nothing, for more events than fit
    /// in memory.
    pub fn forgetting(answer: impl Fn(&Received) -> Answered + Send + Sync + 'static) -> Receiver {
        Receiver::listening(Box::new(answer), Keep::Nothing, None)
    }

    /// Starts a TLS receiver with the certificate of `localhost`.
    pub fn with_tls() -> Receiver {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let chain = CertificateDer::from_pem_file(certificates::host()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(certificates::host_key()).expect("its key");
        let tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![chain], key))
            .expect("TLS");
        Receiver::listening(Box::new(|_| fine("{}")), Keep::All, Some(Arc::new(tls)))
    }

    fn listening(handler: Handler, keep: Keep, tls: Option<Arc<ServerConfig>>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let received = Arc::new(Mutex::new(Vec::new()));
        let (kept, handler) = (Arc::downgrade(&received), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Some(kept) = kept.upgrade() else { return };
                let Ok(stream) = stream else { continue };
                let (handler, tls) = (Arc::clone(&handler), tls.clone());
                std::thread::spawn(move || {
                    let Some(tls) = tls else {
                        return drop(serve(stream, &kept, keep, &handler));
                    };
                    let Ok(connection) = ServerConnection::new(tls) else { return };
                    let stream = StreamOwned::new(connection, stream);
                    drop(serve(stream, &kept, keep, &handler));
                });
            }
        });
        Receiver { address, received }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic before").clone()
    }

    /// Waits for a number of requests.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            let few = received.len();
            // Longer than the lease of a killed process.
            assert!(begun.elapsed() < Duration::from_secs(120), "{few} of {count} after 120 s");
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
    stream: impl Read + Write,
    kept: &Mutex<Vec<Received>>,
    keep: Keep,
    handler: &Handler,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let Some(received) = read(&mut reader)? else { return Ok(()) };
        if keep == Keep::All {
            kept.lock().expect("no panic before").push(received.clone());
        }
        let (status, body) = handler(&received);
        let length = body.len();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
        reader.get_mut().write_all(answer.as_bytes())?;
        reader.get_mut().flush()?;
    }
}

fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Received>> {
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
