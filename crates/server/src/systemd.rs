//! Messages to the service manager that has started the process (`sd_notify(3)`).
//!
//! systemd names a socket in `NOTIFY_SOCKET` for units of `Type=notify`. Such a unit is started
//! when the server is ready, and units after it find it.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The server accepts requests.
pub(crate) const READY: &str = "READY=1";
/// The server finishes running requests.
pub(crate) const STOPPING: &str = "STOPPING=1";

/// Sends a message. Without a service manager it does nothing.
///
/// The server runs on when the message cannot be sent, because it serves its clients all the same.
pub(crate) fn notify(socket: Option<&str>, message: &str) {
    let Some(name) = socket.filter(|name| !name.is_empty()) else { return };
    if let Err(error) = send(name, message) {
        tracing::warn!(%error, "the service manager was not notified");
    }
}

fn send(name: &str, message: &str) -> std::io::Result<()> {
    // A name in the abstract namespace is written with @ for the first, zero byte.
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_arrives_at_a_path_and_at_an_abstract_name() {
        let name = format!("daybook-notify-{}", std::process::id());
        let path = std::env::temp_dir().join(&name);
        let at_path = UnixDatagram::bind(&path).unwrap();
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let at_name = UnixDatagram::bind_addr(&address).unwrap();
        notify(path.to_str(), READY);
        notify(Some(&format!("@{name}")), STOPPING);
        let mut buffer = [0; 32];
        let read = at_path.recv(&mut buffer).unwrap();
        assert_eq!(buffer.get(..read), Some(READY.as_bytes()));
        let read = at_name.recv(&mut buffer).unwrap();
        assert_eq!(buffer.get(..read), Some(STOPPING.as_bytes()));
        std::fs::remove_file(path).unwrap();
        notify(None, READY);
        notify(Some("/nowhere"), READY);
    }
}
