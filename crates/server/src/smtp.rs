//! The SMTP client, which hands mails to the mail server.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail, ensure};
use daybook_domain::mail::{Mail, MailAttempt};
use daybook_edge::outgoing::address::host_of;
use lettre::address::Address;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use reqwest::Url;
use tokio::time::timeout;

/// A mail server, with the sender of mails and the credentials.
pub(crate) struct Relay {
    host: String,
    port: u16,
    tls: Encryption,
    hello: ClientId,
    credentials: Option<Credentials>,
    from: Mailbox,
    timeout: Duration,
}

enum Encryption {
    /// From the first byte (`smtps://`).
    Implicit(TlsParameters),
    /// By STARTTLS, which the server must offer (`?tls=required`).
    Required(TlsParameters),
    /// By STARTTLS if the server offers it (`?tls=opportunistic`).
    Opportunistic(TlsParameters),
    None,
}

/// The result of handing over a mail.
pub(crate) struct Delivery {
    pub(crate) attempt: MailAttempt,
    /// The status of the server's answer, if any. The log may show nothing else of it.
    pub(crate) status: Option<String>,
    /// Whether the server accepts other mails: it was reached, and authentication succeeded.
    pub(crate) reachable: bool,
}

/// A failure to hand over a mail.
struct SmtpFault {
    why: String,
    status: Option<String>,
    permanent: bool,
    /// Whether it concerns this mail alone, and not all mails.
    of_mail: bool,
}

impl SmtpFault {
    /// Creates the fault of a server that is unreachable or refuses this client.
    fn of_server(what: &str, error: &Error) -> Self {
        Self { permanent: false, of_mail: false, ..Self::of_mail(what, error) }
    }

    /// Creates the fault of a server that refuses this mail.
    fn of_mail(what: &str, error: &Error) -> Self {
        Self {
            why: format!("{what}: {error}"),
            status: error.status().map(|status| status.to_string()),
            permanent: error.is_permanent(),
            of_mail: error.status().is_some(),
        }
    }

    /// Creates the fault of a server that refuses a recipient.
    ///
    /// A demand for authentication (530) and a refusal to relay (5.7, RFC 3463) concern all mails,
    /// because a different setting may fix them.
    fn of_recipient(error: &Error) -> Self {
        let what = "the mail server refuses the recipient";
        let (status, text) = (error.status().map(|status| status.to_string()), error.to_string());
        if status.as_deref() == Some("530") || text.contains("5.7.") {
            Self::of_server(what, error)
        } else {
            Self::of_mail(what, error)
        }
    }

    fn permanent(why: impl Into<String>) -> Self {
        Self { why: why.into(), status: None, permanent: true, of_mail: true }
    }
}

impl From<Result<(), SmtpFault>> for Delivery {
    fn from(outcome: Result<(), SmtpFault>) -> Self {
        match outcome {
            Ok(()) => Self { attempt: MailAttempt::Sent, status: None, reachable: true },
            Err(SmtpFault { why, status, permanent, of_mail }) => {
                let attempt =
                    if permanent { MailAttempt::Refused(why) } else { MailAttempt::Failed(why) };
                Self { attempt, status, reachable: of_mail }
            }
        }
    }
}

impl Relay {
    /// Parses the URL of a mail server in the format of lettre.
    ///
    /// It is `smtps://USER:PASSWORD@HOST:PORT`, or `smtp://` with `?tls=required` or
    /// `?tls=opportunistic`. A path is the name for the HELO command.
    ///
    /// # Errors
    /// An invalid URL or sender. The message does not contain the URL, which may hold a password.
    pub(crate) fn new(url: &str, from: &str, timeout: Duration) -> anyhow::Result<Self> {
        let from: Mailbox =
            from.parse().map_err(|_| anyhow!("--mail-from is not a valid address"))?;
        let url =
            Url::parse(url).map_err(|fault| anyhow!("--smtp-url is not a valid URL: {fault}"))?;
        let host = host_of(&url).to_owned();
        ensure!(!host.is_empty(), "--smtp-url has no host");
        let parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let tls = match parameters.as_slice() {
            [] => None,
            [(name, value)] if name == "tls" => Some(value.as_str()),
            _ => bail!("--smtp-url accepts only the parameter tls"),
        };
        let tls_parameters = || {
            TlsParameters::new(host.clone())
                .map_err(|fault| anyhow!("no TLS to the host of --smtp-url: {fault}"))
        };
        let (port, tls) = match (url.scheme(), tls) {
            ("smtps", None) => (465, Encryption::Implicit(tls_parameters()?)),
            ("smtp", Some("required")) => (587, Encryption::Required(tls_parameters()?)),
            ("smtp", Some("opportunistic")) => (587, Encryption::Opportunistic(tls_parameters()?)),
            ("smtp", None) => (25, Encryption::None),
            _ => bail!(
                "--smtp-url must start with smtps://, or with smtp:// and have tls=required, \
                tls=opportunistic or no parameter"
            ),
        };
        let credentials = credentials(&url)?;
        if credentials.is_some() && matches!(tls, Encryption::None | Encryption::Opportunistic(_)) {
            ensure!(is_loopback(&host), "--smtp-url has a password and does not require TLS");
        }
        let hello = match url.path().trim_matches('/') {
            "" => from.email.domain().to_owned(),
            name => name.to_owned(),
        };
        let port = url.port().unwrap_or(port);
        Ok(Self { host, port, tls, hello: ClientId::Domain(hello), credentials, from, timeout })
    }

    /// Hands over a mail on the open connection, or on a new one.
    ///
    /// A failure of the server closes the connection.
    pub(crate) async fn deliver(
        &self,
        connection: &mut Option<AsyncSmtpConnection>,
        mail: &Mail,
    ) -> Delivery {
        let work = async {
            let mut open = match connection.take() {
                Some(open) => open,
                None => self.connect().await?,
            };
            let outcome = self.hand_over(&mut open, mail).await;
            // After a refusal the server expects the rest of the mail, so it is reset.
            let usable = match &outcome {
                Ok(()) => true,
                Err(fault) => fault.of_mail && open.command(Rset).await.is_ok(),
            };
            if usable {
                *connection = Some(open);
            }
            outcome
        };
        let outcome = timeout(self.timeout, work).await.unwrap_or_else(|_| {
            let why = format!("the mail server is not done after {} s", self.timeout.as_secs());
            Err(SmtpFault { why, status: None, permanent: false, of_mail: false })
        });
        outcome.into()
    }

    /// Connects, authenticates and closes the connection, without a mail.
    ///
    /// # Errors
    /// Why the server cannot be reached or refuses this client.
    pub(crate) async fn greet(&self) -> Result<(), String> {
        match timeout(self.timeout, self.connect()).await {
            Ok(Ok(open)) => {
                self.close(Some(open)).await;
                Ok(())
            }
            Ok(Err(fault)) => Err(fault.why),
            Err(_) => {
                Err(format!("the mail server does not respond in {} s", self.timeout.as_secs()))
            }
        }
    }

    /// Closes the connection with QUIT.
    pub(crate) async fn close(&self, connection: Option<AsyncSmtpConnection>) {
        if let Some(mut open) = connection {
            // All mails are handed over already, so a failure does not matter.
            let _ = timeout(self.timeout, open.quit()).await;
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpFault> {
        let server = (self.host.as_str(), self.port);
        let implicit = match &self.tls {
            Encryption::Implicit(rules) => Some(rules.clone()),
            Encryption::Required(_) | Encryption::Opportunistic(_) | Encryption::None => None,
        };
        let mut open = AsyncSmtpConnection::connect_tokio1(
            server,
            Some(self.timeout),
            &self.hello,
            implicit,
            None,
        )
        .await
        .map_err(|error| SmtpFault::of_server("the mail server cannot be reached", &error))?;
        let upgrade = match &self.tls {
            Encryption::Required(rules) => Some(rules),
            Encryption::Opportunistic(rules) if open.can_starttls() => Some(rules),
            Encryption::Implicit(_) | Encryption::Opportunistic(_) | Encryption::None => None,
        };
        if let Some(rules) = upgrade {
            open.starttls(rules.clone(), &self.hello)
                .await
                .map_err(|error| SmtpFault::of_server("no TLS to the mail server", &error))?;
        }
        if let Some(credentials) = &self.credentials {
            open.auth(&[Mechanism::Plain, Mechanism::Login], credentials).await.map_err(
                |error| SmtpFault::of_server("the mail server refuses the credentials", &error),
            )?;
        }
        Ok(open)
    }

    async fn hand_over(
        &self,
        open: &mut AsyncSmtpConnection,
        mail: &Mail,
    ) -> Result<(), SmtpFault> {
        let to =
            Address::new(mail.recipient.local(), mail.recipient.domain()).map_err(|fault| {
                SmtpFault::permanent(format!("the address cannot be written: {fault}"))
            })?;
        let message = self
            .message(mail, to.clone())
            .map_err(|fault| SmtpFault::permanent(format!("the mail cannot be written: {fault}")))?
            .formatted();
        let mut options = Vec::new();
        if !mail.recipient.as_str().is_ascii() {
            if !open.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(SmtpFault::permanent("the mail server takes no address beyond ASCII"));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        if !message.is_ascii() {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        // A refused sender concerns all mails.
        open.command(MailFrom::new(Some(self.from.email.clone()), options))
            .await
            .map_err(|error| SmtpFault::of_server("the mail server refuses the sender", &error))?;
        open.command(Rcpt::new(to, Vec::new()))
            .await
            .map_err(|error| SmtpFault::of_recipient(&error))?;
        let refused = |error: Error| SmtpFault::of_mail("the mail server refuses the mail", &error);
        open.command(Data).await.map_err(refused)?;
        open.message(&message).await.map(drop).map_err(refused)
    }

    fn message(&self, mail: &Mail, to: Address) -> anyhow::Result<Message> {
        let written = u64::try_from(mail.created_at.milliseconds()).unwrap_or_default();
        // The same at each attempt, so that a recipient can recognize a duplicate.
        let id = format!("<{}@{}>", mail.id, self.from.email.domain());
        let (text, html) = (mail.content.text.clone(), mail.content.html.clone());
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&mail.content.subject)
            .date(UNIX_EPOCH + Duration::from_millis(written))
            .message_id(Some(id))
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(text, html))
            .context("it has no sender or no recipient")
    }
}

/// The header of RFC 3834: no person wrote the mail, and no program should answer it.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

fn credentials(url: &Url) -> anyhow::Result<Option<Credentials>> {
    let fault = || anyhow!("--smtp-url has a user or a password that cannot be read");
    let user = decoded(url.username()).ok_or_else(fault)?;
    match url.password() {
        Some(password) => {
            ensure!(!user.is_empty(), "--smtp-url has a password without a user");
            Ok(Some(Credentials::new(user, decoded(password).ok_or_else(fault)?)))
        }
        None if user.is_empty() => Ok(None),
        None => bail!("--smtp-url has a user without a password"),
    }
}

/// Decodes percent-encoding in a part of a URL.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn is_loopback(host: &str) -> bool {
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<(u16, &'static str), String> {
        let read = Relay::new(url, "Daybook <books@example.com>", Duration::from_secs(1));
        let relay = read.map_err(|fault| fault.to_string())?;
        let tls = match relay.tls {
            Encryption::Implicit(_) => "implicit",
            Encryption::Required(_) => "required",
            Encryption::Opportunistic(_) => "opportunistic",
            Encryption::None => "none",
        };
        Ok((relay.port, tls))
    }

    #[test]
    fn mail_server_urls_are_parsed() {
        for (url, expected) in [
            ("smtps://mail.example.com", (465, "implicit")),
            ("smtps://u:p@mail.example.com:2465/books.example.com", (2465, "implicit")),
            ("smtp://u:p@mail.example.com?tls=required", (587, "required")),
            ("smtp://mail.example.com:25?tls=opportunistic", (25, "opportunistic")),
            ("smtp://mail.example.com", (25, "none")),
            ("smtp://u:p@127.0.0.1:2525", (2525, "none")),
            ("smtp://u:p@[::1]", (25, "none")),
        ] {
            assert_eq!(read(url), Ok(expected), "{url}");
        }
        for (url, fault) in [
            ("mail.example.com", "not a valid URL"),
            ("smtps://", "no host"),
            ("https://mail.example.com", "must start with"),
            ("smtp://mail.example.com?tls=maybe", "must start with"),
            ("smtps://mail.example.com?tls=required", "must start with"),
            ("smtp://mail.example.com?x=1", "only the parameter tls"),
            ("smtp://user:hidden@mail.example.com", "require TLS"),
            ("smtp://user:hidden@mail.example.com?tls=opportunistic", "require TLS"),
            ("smtps://user@mail.example.com", "without a password"),
            ("smtps://:hidden@mail.example.com", "without a user"),
            ("smtps://user:hidden%ff@mail.example.com", "cannot be read"),
        ] {
            let error = read(url).expect_err(url);
            assert!(error.contains(fault) && !error.contains("hidden"), "{url}: {error}");
        }
        assert_eq!(decoded("a%40b%2Bc+%c3%a9").as_deref(), Some("a@b+c+\u{e9}"));
        assert_eq!(decoded("a%4"), None);
        let from = Relay::new("smtp://mail.example.com", "nobody", Duration::from_secs(1));
        assert!(from.is_err());
    }
}
