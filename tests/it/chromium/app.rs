//! A web app that serves one page under every path of a free port.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// The running app; it stops when dropped.
pub struct App {
    address: SocketAddr,
    page: Arc<Mutex<String>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl App {
    /// Starts an app with this page.
    pub fn start(page: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let page = Arc::new(Mutex::new(page.to_owned()));
        let over = Arc::new(AtomicBool::new(false));
        let (shown, stop) = (Arc::clone(&page), Arc::clone(&over));
        let thread = thread::spawn(move || {
            for socket in listener.incoming() {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                let page = shown.lock().expect("a page").clone();
                if let Ok(socket) = socket {
                    thread::spawn(move || answer(socket, &page));
                }
            }
        });
        Self { address, page, over, thread: Some(thread) }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Replaces the page.
    pub fn set_page(&self, page: &str) {
        page.clone_into(&mut self.page.lock().expect("a page"));
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers one request. Browsers open connections that they may never use.
fn answer(mut socket: TcpStream, page: &str) {
    let mut head = BufReader::new(socket.try_clone().expect("a socket")).lines();
    if head.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).count() == 0 {
        return;
    }
    let page = format!("<!DOCTYPE html><meta charset=utf-8><body>{page}</body>");
    let length = page.len();
    let _ = write!(
        socket,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{page}"
    );
}
