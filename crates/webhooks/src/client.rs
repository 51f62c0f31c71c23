//! The client for webhooks.
//!
//! Any developer of an app chooses the address of its webhook. HTTPS requests go to the public
//! internet and to targets that the operator allows; HTTP requests only to the latter. If a name
//! has public addresses, an HTTPS request uses those.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use daybook_edge::outgoing::address::{self, NameLookup, Reach};
use daybook_edge::outgoing::allowed::WebhookTarget;
use daybook_edge::outgoing::{Failure, Outgoing, Timeouts};
use http::{Request, Response};
use reqwest::{Body, Url};

/// The timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout for a delivery, including the last byte of the answer (behaviour 8.8).
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(60);
/// The most bytes of an answer.
const MAX_ANSWER: usize = 64 * 1024;

/// The client for webhooks. Clones share connections.
#[derive(Debug, Clone)]
pub struct WebhookClient {
    public: Outgoing,
    internal: Outgoing,
}

impl WebhookClient {
    /// Creates a client that reaches these targets besides the public internet.
    ///
    /// # Errors
    /// When TLS is unavailable.
    pub fn new(allowed: Vec<WebhookTarget>) -> Result<Self, Failure> {
        Self::within(allowed, DELIVERY_TIMEOUT, &address::system_lookup())
    }

    fn within(
        allowed: Vec<WebhookTarget>,
        answer: Duration,
        lookup: &NameLookup,
    ) -> Result<Self, Failure> {
        let timeouts = Timeouts { connect: CONNECT_TIMEOUT, answer, bytes: MAX_ANSWER };
        let client = |reach| Outgoing::with(reach, timeouts, Arc::clone(lookup));
        let internal = client(Reach::Allowed(allowed.into()))?;
        Ok(Self { public: client(Reach::Public)?, internal })
    }

    /// Returns whether a request to a URL may connect to any of these addresses of its host.
    #[must_use]
    pub fn may_reach(&self, url: &Url, addresses: &[IpAddr]) -> bool {
        let may = |client: &Outgoing| addresses.iter().any(|ip| client.may_reach(url, *ip));
        (url.scheme() == "https" && may(&self.public)) || may(&self.internal)
    }

    /// Sends a request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// [`Failure`].
    pub(crate) async fn send<B: Into<Body> + Clone>(
        &self,
        request: Request<B>,
    ) -> Result<Response<Vec<u8>>, Failure> {
        // Normalize the URL as reqwest does: a scheme may be in upper case.
        let url = Url::parse(&request.uri().to_string()).map_err(|_| Failure::Address)?;
        let outcome = match url.scheme() {
            "https" => self.public.send(request.clone()).await,
            "http" => Err(Failure::Address),
            _ => return Err(Failure::Address),
        };
        if !matches!(outcome, Err(Failure::Address)) {
            return outcome;
        }
        self.internal.send(request).await.map_err(|failure| match failure {
            Failure::NoResponse(cause) => Failure::Internal(cause),
            Failure::Address | Failure::Internal(_) | Failure::TooLarge(_) => failure,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use actix_web::rt::System;

    use super::*;

    /// Starts a receiver that answers each connection with `answer`, then repeats `then` for ever.
    fn receiver(answer: &'static [u8], then: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut buffer = [0; 8192];
                drop(stream.read(&mut buffer));
                drop(stream.write_all(answer));
                while !then.is_empty() && stream.write_all(then).is_ok() {
                    // Short pieces are sent slowly.
                    if then.len() < 100 {
                        drop(stream.set_read_timeout(Some(Duration::from_millis(50))));
                        drop(stream.read(&mut buffer));
                    }
                }
            }
        });
        address
    }

    fn client(allowed: &[&str], lookup: &NameLookup) -> WebhookClient {
        let allowed = allowed.iter().map(|text| text.parse().unwrap()).collect();
        WebhookClient::within(allowed, Duration::from_millis(1_500), lookup).unwrap()
    }

    fn send_by(client: &WebhookClient, url: &str) -> Result<Response<Vec<u8>>, Failure> {
        // Apps store the URL as text, so it has not been parsed yet.
        let request = Request::post(url).body(b"{}".to_vec()).unwrap();
        System::new().block_on(client.send(request))
    }

    fn send(allowed: &[&str], url: &str) -> Result<Response<Vec<u8>>, Failure> {
        send_by(&client(allowed, &address::system_lookup()), url)
    }

    /// A hostile name server: it gives the first answer once, then the second for ever.
    fn changing(first: &[&str], then: &[&str]) -> NameLookup {
        let read = |texts: &[&str]| -> Vec<SocketAddr> {
            let address = |text: &&str| SocketAddr::new(text.parse::<IpAddr>().unwrap(), 0);
            texts.iter().map(address).collect()
        };
        let (answers, queries) = ([read(first), read(then)], AtomicUsize::new(0));
        Arc::new(move |_| {
            let answer = answers[queries.fetch_add(1, Ordering::SeqCst).min(1)].clone();
            Box::pin(async move { Ok(answer) })
        })
    }

    fn refused(outcome: Result<Response<Vec<u8>>, Failure>) -> bool {
        outcome.is_err_and(|failure| failure == Failure::Address)
    }

    fn port(address: SocketAddr) -> u16 {
        address.port()
    }

    const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

    #[test]
    fn only_allowed_targets_are_reached() {
        let port = port(receiver(OK, b""));
        let every_spelling = [
            "127.0.0.1",
            "localhost",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "127.1",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
        ];
        for host in every_spelling {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}:{port}/");
                let outcome = send(&["10.0.0.0/8", "bot.example"], &url);
                assert_eq!(outcome.err(), Some(Failure::Address), "{url}");
            }
            let url = format!("http://{host}:{port}/");
            let answer = send(&["127.0.0.0/8"], &url);
            assert_eq!(answer.map(|answer| answer.status().as_u16()), Ok(200), "{url}");
        }
        let listed = send(&["localhost"], &format!("http://localhost:{port}/"));
        assert_eq!(listed.map(Response::into_body), Ok(b"{}".to_vec()));
    }

    #[test]
    fn metadata_and_private_addresses_are_refused() {
        for host in ["169.254.169.254", "[fd00:ec2::254]", "[fe80::1]", "10.0.0.1", "0.0.0.0"] {
            for scheme in ["http", "https"] {
                let outcome = send(&["127.0.0.0/8"], &format!("{scheme}://{host}/"));
                assert_eq!(outcome.err(), Some(Failure::Address), "{scheme} {host}");
            }
        }
    }

    #[test]
    fn names_with_internal_addresses_are_refused() {
        for ip in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
        ] {
            let client = client(&[], &changing(&[ip], &[ip]));
            for scheme in ["http", "https"] {
                assert!(refused(send_by(&client, &format!("{scheme}://bot.example/"))), "{ip}");
            }
        }
    }

    #[test]
    fn internal_failures_look_alike() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (silent, garbage) = (receiver(b"", b""), receiver(b"SSH-2.0-x\r\n", b"y"));
        for scheme in ["http", "https"] {
            for address in [closed, silent, garbage] {
                let outcome = send(&["127.0.0.0/8"], &format!("{scheme}://{address}/"));
                let failure = outcome.expect_err("the receiver does not speak HTTP");
                assert_eq!(failure.to_string(), "no answer", "8.6: {scheme} {failure:?}");
            }
        }
    }

    /// The receivers listen on the same port of two loopback addresses, of which only one is
    /// allowed.
    #[test]
    fn changing_name_server_answers_reach_only_allowed_addresses() {
        let port = port(receiver(OK, b""));
        let inside = TcpListener::bind(("127.0.0.2", port)).unwrap();
        inside.set_nonblocking(true).unwrap();
        let url = format!("http://bot.example:{port}/");
        let rebound = client(&["127.0.0.1"], &changing(&["127.0.0.1"], &["127.0.0.2"]));
        assert_eq!(send_by(&rebound, &url).map(|answer| answer.status().as_u16()), Ok(200));
        for _ in 0..3 {
            assert!(refused(send_by(&rebound, &url)));
        }
        let both = ["127.0.0.2", "127.0.0.1"];
        let both = client(&["127.0.0.1"], &changing(&both, &both));
        assert_eq!(send_by(&both, &url).map(|answer| answer.status().as_u16()), Ok(200));
        let connection = inside.accept().map(drop).map_err(|error| error.kind());
        assert_eq!(connection, Err(ErrorKind::WouldBlock), "the refused address was connected to");
    }

    #[test]
    fn redirects_are_not_followed() {
        let head =
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        let address = receiver(head, b"");
        let answer = send(&["127.0.0.0/8"], &format!("http://{address}/")).unwrap();
        assert_eq!(answer.status().as_u16(), 302);
    }

    #[test]
    fn large_and_endless_answers_are_cut_off() {
        const LONG: &[u8] = &[b'x'; MAX_ANSWER + 1];
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n";
        for address in [receiver(head, LONG), receiver(b"HTTP/1.1 200 OK\r\n\r\n", LONG)] {
            let outcome = send(&["127.0.0.0/8"], &format!("http://{address}/"));
            assert_eq!(outcome.err(), Some(Failure::TooLarge(MAX_ANSWER)));
        }
    }

    /// Heads, chunks and trailers without an end, sent as fast as possible.
    #[test]
    fn floods_are_cut_off() {
        const LINES: &[u8] = &[b'x'; 4 * MAX_ANSWER];
        let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let trailers = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n";
        let floods: [(&[u8], &[u8]); 5] = [
            (b"", LINES),
            (b"HTTP/1.1 200 OK\r\na: ", LINES),
            (chunked, LINES),
            (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", LINES),
            (trailers, LINES),
        ];
        for (head, then) in floods {
            let begun = std::time::Instant::now();
            let address = receiver(head, then);
            let outcome = send(&["127.0.0.0/8"], &format!("http://{address}/"));
            assert!(matches!(outcome, Err(Failure::Internal(_))), "{outcome:?}");
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    }

    #[test]
    fn slow_answers_end_with_the_timeout() {
        let trickles: [(&[u8], &[u8]); 4] = [
            (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
            (b"HTTP/1.1 200 OK\r\n", b"a: b\r\n"),
            (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            (b"", b""),
        ];
        for (head, then) in trickles {
            let begun = std::time::Instant::now();
            let address = receiver(head, then);
            let outcome = send(&["127.0.0.0/8"], &format!("http://{address}/"));
            assert!(matches!(outcome, Err(Failure::Internal(_))), "{outcome:?}");
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    }
}
