//! `daybook health`: asks a running server whether it serves, for containers and scripts.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;

use crate::address::path_prefix;
use crate::installation::print;

/// How long a connection, and then the response, may take. `/ready` responds within 5 seconds.
const TIMEOUT: Duration = Duration::from_secs(7);
/// The most bytes of a response that are read.
const MAX_RESPONSE: u64 = 4_096;

/// The options of `daybook health`.
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    /// Address that the server listens on
    #[arg(
        long,
        env = "DAYBOOK_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDR:PORT"
    )]
    listen: SocketAddr,
    /// Path the API is mounted under
    #[arg(
        long,
        env = "DAYBOOK_PATH_PREFIX",
        default_value = "",
        hide_default_value = true,
        value_name = "PATH",
        value_parser = path_prefix
    )]
    path_prefix: String,
    /// Ask whether the process runs, and not whether its database responds
    #[arg(long)]
    alive: bool,
}

/// Runs `daybook health`. It prints the response and fails unless the status is 200.
///
/// # Errors
/// When the server does not respond, or is not ready.
pub(crate) fn run(options: &HealthArgs) -> anyhow::Result<()> {
    let HealthArgs { listen, path_prefix, alive } = options;
    let path = format!("{path_prefix}{}", if *alive { "/health" } else { "/ready" });
    let response = ask(reachable(*listen), &path)
        .with_context(|| format!("no server responds at http://{listen}{path}"))?;
    let status = response.lines().next().unwrap_or_default().to_owned();
    if status.split(' ').nth(1) != Some("200") {
        bail!("http://{listen}{path}: {status}");
    }
    print([format!("http://{listen}{path}: {status}")])
}

/// Returns an address of this machine for a server that listens on all of its addresses.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        ip if ip.is_ipv4() => Ipv4Addr::LOCALHOST.into(),
        _ => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

fn ask(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.take(MAX_RESPONSE).read_to_string(&mut response)?;
    Ok(response)
}
