//! The timeouts of a socket, fed with what its client takes.

use std::future::poll_fn;

use actix_web::rt::System;
use actix_web::rt::net::TcpStream;
use tokio::net::TcpListener;
use tokio::task::yield_now;

use super::*;
use crate::slots::Slots;

/// A socket whose client is waited for so long, and the other end.
async fn socket(most: Duration) -> (Socket, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (stream, peer) = listener.accept().await.unwrap();
    let slot = Slots::new(8, &[]).take(peer.ip()).unwrap();
    let socket = Socket { patience: WriteDeadline::of(most), ..Socket::new(stream, slot).unwrap() };
    (socket, client)
}

/// A client that takes so many bytes each time, and stops before it takes them. Answers the error
/// that ends it; or nothing, when it is still waited for after as many turns as `turns` says.
async fn given_up(socket: &mut Socket, bytes: usize, turns: impl Fn(u64) -> bool) -> Option<Error> {
    let mut turn = 0;
    while turns(turn) {
        turn += 1;
        let waited = |cx: &mut Context<'_>| Poll::Ready(socket.unless_stalled(cx, Poll::Pending));
        if let Poll::Ready(outcome) = poll_fn(waited).await {
            return outcome.err();
        }
        yield_now().await;
        let taken = |cx: &mut Context<'_>| socket.unless_stalled(cx, Poll::Ready(Ok(bytes)));
        assert_eq!(poll_fn(taken).await.unwrap(), bytes);
    }
    None
}

/// 0.20: to take a byte of an answer now and then does not keep the connection open.
#[test]
fn who_takes_drops_is_given_up() {
    System::new().block_on(async {
        let (mut socket, _client) = socket(Duration::from_millis(50)).await;
        let begun = Instant::now();
        let in_time = |_| begun.elapsed() < Duration::from_secs(60);
        let error = given_up(&mut socket, 1, in_time).await.expect("it is given up");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    });
}

/// 0.20: who goes on taking is waited for.
#[test]
fn who_takes_much_is_waited_for() {
    System::new().block_on(async {
        let (mut socket, _client) = socket(Duration::from_secs(30)).await;
        let error = given_up(&mut socket, 64 * 1024, |turn| turn < 10_000).await;
        assert!(error.is_none(), "{error:?}");
        let left = socket.patience.wait(Instant::now());
        assert!(left > Instant::now(), "there is time left");
    });
}

/// The last piece of an answer does not wait until the client has confirmed the others.
#[test]
fn nothing_is_held_back() {
    System::new().block_on(async {
        let (socket, client) = socket(Duration::from_secs(30)).await;
        assert!(!client.nodelay().unwrap(), "not by itself");
        assert!(socket.stream.nodelay().unwrap());
    });
}
