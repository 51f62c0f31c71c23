//! Section 5: the cost of authentication and quotas per request.

use anyhow::{Context, ensure};
use daybook_client::types::{ApiKeyRequest, TokenRequest};
use serde_json::{Value, json};

use super::Settings;
use super::gauge::Gauge;
use super::singles::Side;
use crate::load::{Connection, Samples, closed_loop};
use crate::provider::{File, Provider, missing};
use crate::table::{Cell, Table, Target};
use crate::{Engine, Options, Server, block_on};

/// Concurrent callers.
const CLIENTS: usize = 8;
/// Tokens verified for the first time, in sequence; each is sent once.
const TOKENS: usize = 300;
/// An operation without database access, so that the cost of every request remains.
const PATH: &str = "/v5/templates";
/// A quota that no caller exhausts.
const QUOTA: &str = "100000";
/// The relative rate with quotas.
const TARGET: Target = Target::AtLeast(0.95);

const METHOD: &str = "listTemplates, which reads no row, from 8 callers. After its \
    first request a token is remembered by its hash; then all kinds cost the same. Each row has a \
    server of its own; the ratio is to the first row, asked in turn.";

const ANEW_METHOD: &str = "The same from one caller, with 300 tokens that this process has not \
    seen, and with one that it remembers. An own token is looked up in the database; one of an \
    OpenID provider is verified by its published keys, and its user is looked up.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns =
        ["engine", "caller", "requests/s", "p50 ms", "p99 ms", "CPU µs", "ratio", "target"];
    let mut kept = Table::new("identity", "5a. Remembered tokens and quotas", &columns)
        .method(format!("{METHOD} {}; throughput is the median.", settings.effort()));
    let columns = ["engine", "token", "asked", "anew p50 ms", "p99 ms", "remembered p50 ms"];
    let mut anew = Table::new("verification", "5b. Tokens seen for the first time", &columns)
        .method(ANEW_METHOD);
    for engine in &settings.engines {
        for row in remembered(*engine, settings)? {
            kept.row(row);
        }
        for row in first_seen(*engine)? {
            anew.row(row);
        }
    }
    Ok(vec![kept, anew])
}

/// A caller: its label, its server, its headers and its samples.
struct Caller {
    what: &'static str,
    server: Server,
    gauge: Gauge,
    connections: Vec<Connection>,
    side: Side,
    _file: Option<File>,
}

impl Caller {
    /// A caller on a server with these arguments; `headers` gets the server and the number of the
    /// connection.
    fn new(
        what: &'static str,
        engine: Engine,
        args: &[&str],
        file: Option<File>,
        headers: impl Fn(&Server, usize) -> String,
    ) -> anyhow::Result<Caller> {
        let server = server(engine, args);
        let open = |number| Connection::with_headers(server.address(), &headers(&server, number));
        let connections = (0..CLIENTS).map(open).collect::<Result<_, _>>()?;
        let gauge = Gauge::new(&server);
        Ok(Caller { what, server, gauge, connections, side: Side::default(), _file: file })
    }

    fn ask(&mut self, settings: &Settings, keep: bool) -> anyhow::Result<()> {
        let before = self.gauge.read();
        let round = closed_loop(&mut self.connections, settings.time(), |_, connection| {
            connection.get(PATH)?.accepted().map(drop)
        })?;
        if keep {
            self.side.add(round, before, self.gauge.read());
        }
        Ok(())
    }
}

fn server(engine: Engine, args: &[&str]) -> Server {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Server::start_with(Options { engine, args, ..Options::default() })
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// Each connection has its own user, and so its own quota.
fn email(number: usize) -> String {
    format!("bench{number}@example.com")
}

fn own(server: &Server, number: usize) -> String {
    bearer(&server.token(&email(number)))
}

/// The user of a connection, with an API key.
fn own_with_key(server: &Server, number: usize) -> String {
    let client = server.client(&email(number)).typed();
    let created = block_on(client.create_api_key(&ApiKeyRequest::default()));
    let key = created.expect("an API key").key.unwrap_or_default();
    format!("{}service-api-key: {key}\r\n", own(server, number))
}

/// A providers file with one entry, and the server arguments for it.
fn trusting(entry: &Value) -> (File, Vec<String>) {
    let file = File::new(std::slice::from_ref(entry));
    let path = file.path().display().to_string();
    let args = ["--providers", &path, "--admit", "@example.com", "--quota-per-minute", "0"];
    (file, args.map(str::to_owned).to_vec())
}

fn remembered(engine: Engine, settings: &Settings) -> anyhow::Result<Vec<[Cell; 8]>> {
    let quota = ["--quota-per-minute", QUOTA];
    let mut callers = vec![
        Caller::new("own token", engine, &[], None, own)?,
        Caller::new("own token, quotas", engine, &quota, None, own)?,
        Caller::new("own token, quotas, API key", engine, &quota, None, own_with_key)?,
    ];
    // The provider runs until the rounds are over.
    let provider = missing().is_none().then(Provider::start);
    if let Some(provider) = &provider {
        provider.user("bench", &json!({"email": "bench@example.com", "email_verified": true}));
        let tokens = provider.sign_in("bench", "web-ES256", "openid email", "");
        for (what, entry, token) in [
            ("token of a provider, by its keys", provider.oidc(), signed(provider, 0)),
            ("token of a provider, introspected", provider.introspection(), tokens.access),
        ] {
            let (file, args) = trusting(&entry);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            callers.push(Caller::new(what, engine, &args, Some(file), |_, _| bearer(&token))?);
        }
    }
    for caller in &mut callers {
        caller.ask(settings, false).context(caller.what)?;
    }
    for _ in 0..settings.rounds() {
        for caller in &mut callers {
            caller.ask(settings, true)?;
        }
    }
    let base = callers.first().map_or(f64::NAN, |caller| caller.side.rate());
    let row = |caller: Caller| {
        let ratio = caller.side.rate() / base;
        let counted = caller.what.contains("quotas");
        [
            caller.server.engine().to_string().into(),
            caller.what.into(),
            Cell::whole(caller.side.rate()),
            caller.side.milliseconds(50),
            caller.side.milliseconds(99),
            Cell::whole(caller.side.processor(1)[0]),
            Cell::ratio(ratio),
            if counted { Cell::against(ratio, TARGET) } else { Cell::Empty },
        ]
    };
    Ok(callers.into_iter().map(row).collect())
}

/// An ID token of the provider, different for each number.
fn signed(provider: &Provider, number: usize) -> String {
    let claims = json!({
        "iss": provider.issuer(),
        "aud": "web-ES256",
        "sub": "bench",
        "email": "bench@example.com",
        "email_verified": true,
        "exp": 4_102_444_800_i64,
        "jti": number.to_string(),
    });
    provider.sign(&json!({}), &claims, &json!({"alg": "ES256"}))
}

fn first_seen(engine: Engine) -> anyhow::Result<Vec<[Cell; 6]>> {
    let own = server(engine, &[]);
    let issuing = own.client("bench@example.com").typed();
    let tokens = block_on(async {
        let mut tokens = Vec::new();
        for _ in 0..TOKENS {
            let issued = issuing.create_token(&TokenRequest::default()).await?;
            tokens.push(issued.token.context("a token")?);
        }
        anyhow::Ok(tokens)
    })?;
    let mut rows = vec![first_seen_row(&own, "own", &tokens)?];
    if missing().is_none() {
        let provider = Provider::start();
        let (file, args) = trusting(&provider.oidc());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let server = server(engine, &args);
        let tokens: Vec<String> = (0..TOKENS).map(|number| signed(&provider, number)).collect();
        rows.push(first_seen_row(&server, "of a provider, ES256", &tokens)?);
        drop(file);
    }
    Ok(rows)
}

fn first_seen_row(
    server: &Server,
    what: &'static str,
    tokens: &[String],
) -> anyhow::Result<[Cell; 6]> {
    let (warm_up, tokens) = tokens.split_first().context("tokens")?;
    let mut connection = Connection::with_headers(server.address(), "")?;
    let mut ask = |token: &str| -> anyhow::Result<std::time::Duration> {
        let sent = std::time::Instant::now();
        connection.get_with(PATH, &bearer(token))?.accepted()?;
        Ok(sent.elapsed())
    };
    let (mut anew, mut kept) = (Samples::default(), Samples::default());
    // Fetches the keys and creates the user.
    ask(warm_up)?;
    for token in tokens {
        anew.record(ask(token)?);
        kept.record(ask(token)?);
    }
    ensure!(anew.count() == tokens.len(), "each token is asked once");
    Ok([
        server.engine().to_string().into(),
        what.into(),
        tokens.len().into(),
        Cell::Figure(anew.milliseconds(50), 2),
        Cell::Figure(anew.milliseconds(99), 2),
        Cell::Figure(kept.milliseconds(50), 2),
    ])
}
