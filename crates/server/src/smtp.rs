//! The mail server that mails are handed to, by SMTP.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail, ensure};
use daybook_domain::mail::{Mail, MailAttempt};
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

/// A mail server, how it is reached, and who mails are from.
pub(crate) struct Relay {
    host: String,
    port: u16,
    tls: Encryption,
    hello: ClientId,
    credentials: Option<Credentials>,
    from: Mailbox,
    time: Duration,
}

enum Encryption {
    /// From the first byte (`smtps://`).
    Implicit(TlsParameters),
    /// By STARTTLS, and not at all without it (`?tls=required`).
    Required(TlsParameters),
    /// By STARTTLS where the server offers it (`?tls=opportunistic`).
    Opportunistic(TlsParameters),
    None,
}

/// What became of handing a mail over.
pub(crate) struct Delivery {
    pub(crate) attempt: MailAttempt,
    /// The status that the server answered, where it did: the one thing that a log may say.
    pub(crate) status: Option<String>,
    /// Whether the server takes other mails: it was reached, and knows us.
    pub(crate) reachable: bool,
}

/// A failure, and whether it is about this mail alone.
struct SmtpFault {
    why: String,
    status: Option<String>,
    permanent: bool,
    of_mail: bool,
}

impl SmtpFault {
    /// The server cannot be reached, or does not serve us.
    fn of_server(what: &str, error: &Error) -> Self {
        Self { permanent: false, of_mail: false, ..Self::of_mail(what, error) }
    }

    /// The server refuses this mail.
    fn of_mail(what: &str, error: &Error) -> Self {
        Self {
            why: format!("{what}: {error}"),
            status: error.status().map(|status| status.to_string()),
            permanent: error.is_permanent(),
            of_mail: error.status().is_some(),
        }
    }

    /// The server refuses a recipient. That it wants to know who we are (530), or that it does not
    /// pass on our mail (5.7, RFC 3463), is about this server: another setting may mend it.
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
    /// Reads the address of a mail server as lettre writes it: `smtps://USER:PASSWORD@HOST:PORT`,
    /// or `smtp://` with `?tls=required` or `?tls=opportunistic`; a path is the name to say hello
    /// with. No message holds the address, which may hold a password.
    ///
    /// # Errors
    /// What is wrong with it, or with the sender.
    pub(crate) fn new(url: &str, from: &str, time: Duration) -> anyhow::Result<Self> {
        let from: Mailbox = from.parse().map_err(|_| anyhow!("--mail-from is no address"))?;
        let url = Url::parse(url).map_err(|fault| anyhow!("--smtp-url is no address: {fault}"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        ensure!(!host.is_empty(), "--smtp-url names no host");
        let parameters: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let tls = match parameters.as_slice() {
            [] => None,
            [(name, value)] if name == "tls" => Some(value.as_str()),
            _ => bail!("--smtp-url has one parameter at most, tls"),
        };
        let rules = || {
            TlsParameters::new(host.clone())
                .map_err(|fault| anyhow!("no TLS to the host of --smtp-url: {fault}"))
        };
        let (port, tls) = match (url.scheme(), tls) {
            ("smtps", None) => (465, Encryption::Implicit(rules()?)),
            ("smtp", Some("required")) => (587, Encryption::Required(rules()?)),
            ("smtp", Some("opportunistic")) => (587, Encryption::Opportunistic(rules()?)),
            ("smtp", None) => (25, Encryption::None),
            _ => bail!(
                "--smtp-url starts with smtps://, or with smtp:// and has tls=required or \
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
        Ok(Self { host, port, tls, hello: ClientId::Domain(hello), credentials, from, time })
    }

    /// Hands a mail over, on the connection of before if there is one. After a failure of the
    /// server there is none.
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
            // After a refusal the server waits in the middle of a mail.
            let usable = match &outcome {
                Ok(()) => true,
                Err(fault) => fault.of_mail && open.command(Rset).await.is_ok(),
            };
            if usable {
                *connection = Some(open);
            }
            outcome
        };
        let outcome = timeout(self.time, work).await.unwrap_or_else(|_| {
            let why = format!("the mail server is not done after {} s", self.time.as_secs());
            Err(SmtpFault { why, status: None, permanent: false, of_mail: false })
        });
        outcome.into()
    }

    /// Says goodbye to the server.
    pub(crate) async fn close(&self, connection: Option<AsyncSmtpConnection>) {
        if let Some(mut open) = connection {
            // It is done already.
            let _ = timeout(self.time, open.quit()).await;
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
            Some(self.time),
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
                |error| SmtpFault::of_server("the mail server does not know us", &error),
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
        // Who we are is refused: that is about this server, and not about the mail.
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
        // The same at each attempt, so that who gets it twice can tell.
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

/// RFC 3834: no person writes these mails, and no program should answer them.
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

/// A part of an address without its percent-encoding.
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
    fn addresses_of_mail_servers() {
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
            ("mail.example.com", "no address"),
            ("smtps://", "no host"),
            ("https://mail.example.com", "starts with"),
            ("smtp://mail.example.com?tls=maybe", "starts with"),
            ("smtps://mail.example.com?tls=required", "starts with"),
            ("smtp://mail.example.com?x=1", "one parameter"),
            ("smtp://user:hidden@mail.example.com", "require TLS"),
            ("smtp://user:hidden@mail.example.com?tls=opportunistic", "require TLS"),
            ("smtps://user@mail.example.com", "without a password"),
            ("smtps://:hidden@mail.example.com", "without a user"),
            ("smtps://user:hidden%ff@mail.example.com", "cannot be read"),
        ] {
            let said = read(url).expect_err(url);
            assert!(said.contains(fault) && !said.contains("hidden"), "{url}: {said}");
        }
        assert_eq!(decoded("a%40b%2Bc+%c3%a9").as_deref(), Some("a@b+c+\u{e9}"));
        assert_eq!(decoded("a%4"), None);
        let from = Relay::new("smtp://mail.example.com", "nobody", Duration::from_secs(1));
        assert!(from.is_err());
    }
}
